#!/usr/bin/env python3
"""The server under load, and beside a thousand slow connections.

    load.py --corpora FOLDER [--models DIR] [--program PATH] [--minutes 5] [--slow 1000]

Twenty WebSocket clients (ten follow events, one of which leaves and comes back each half minute; five speak in real time; five are read to in real
time) and twenty requests a second of mixed reads, for some minutes. Counted: events that did not come (ids have no holes), sound that is in no
take, memory, and how long each kind took. Then the same server alone: a client that opens a connection for each request, first by itself and then
beside slow connections that send a byte of a head each five seconds and come again whenever they are sent away. Requests and slow connections have
processes of their own, so that clients do not wait for each other. One JSON object; ends with status 1 when something was lost, a server without
models needs more than 60 MB at rest, or the good client's p99 grows to more than twice.
"""

import argparse
import asyncio
import http.client
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import resource
import selectors
import socket
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]

import pinned  # noqa: E402
import recordings  # noqa: E402

PIECE = 0.1
TEXTS = [
    "The spare key of the boathouse hangs behind the blue door. Nobody has used it since the spring. Ada keeps a list of who borrowed it, and when.",
    "A small research task reads what it finds and tells what it could not find. It names its sources, so that everybody may look for themselves.",
    "Rain is expected in the afternoon. The wind comes from the west, and it will be colder towards the evening. Take a coat with you.",
]


def spread(values, scale=1000, digits=1):
    """In milliseconds, unless said."""
    values = sorted(values)
    if not values:
        return None
    at = lambda part: round(values[min(len(values) - 1, int(part * len(values)))] * scale, digits)
    return {"p50": at(0.5), "p99": at(0.99), "most": round(values[-1] * scale, digits), "count": len(values)}


def request(port, path, key, method="GET", body=None, connection=None):
    made = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    made.request(
        method,
        path,
        None if body is None else json.dumps(body),
        {"Authorization": f"Bearer {key}", **({"Content-Type": "application/json"} if body is not None else {})},
    )
    answer = made.getresponse()
    text = answer.read()
    if connection is None:
        made.close()
    return answer.status, text


def read_on(port, key, paths, rate, end, results):
    """Mixed reads at a steady rate, each on a connection that is kept, and a task a second that everybody hears of."""
    times, wrong, made = {path: [] for path in paths}, 0, {}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    start = time.monotonic()
    for index in itertools.count():
        due = start + index / rate
        if due >= end:
            break
        time.sleep(max(0, due - time.monotonic()))
        path = paths[index % len(paths)]
        begin = time.monotonic()
        status, _ = request(port, path, key, connection=connection)
        times[path].append(time.monotonic() - begin)
        wrong += status != 200
        if index % rate == 0:
            title = f"What is the load number {index}?"
            made[title] = time.monotonic()
            status, _ = request(port, "/api/agents", key, "POST", {"question": title, "at": "in 5 hours"}, connection=connection)
            wrong += status != 201
    results.put({"times": times, "wrong": wrong, "made": made})


def good(port, key, rate, seconds):
    """A client that opens a connection for each request."""
    times, wrong = [], 0
    start = time.monotonic()
    for index in range(int(rate * seconds)):
        time.sleep(max(0, start + index / rate - time.monotonic()))
        begin = time.monotonic()
        try:
            status, _ = request(port, "/api/agents?limit=10" if index % 2 else "/health", key)
        except OSError:
            status = 0
        times.append(time.monotonic() - begin)
        wrong += status != 200
    return times, wrong


def crawl(port, count, began, end):
    """Slow connections: a byte of a head each five seconds; one that is sent away comes again at its next turn."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 100, max(count + 100, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    head = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"A: b\r\n" * 200
    sockets, positions, opened = [None] * count, [0] * count, 0
    first = True
    while time.monotonic() < end.value:
        turn = time.monotonic()
        for index in range(count):
            # Spread over the five seconds.
            time.sleep(max(0, turn + 5 * index / count - time.monotonic())) if not first else None
            try:
                if sockets[index] is None:
                    sockets[index] = socket.create_connection(("127.0.0.1", port), timeout=5)
                    sockets[index].setblocking(False)
                    positions[index] = 0
                    opened += 1
                try:
                    if sockets[index].recv(1) == b"":
                        raise ConnectionResetError
                except BlockingIOError:
                    pass
                sockets[index].send(head[positions[index] : positions[index] + 1])
                positions[index] += 1
            except OSError:
                if sockets[index]:
                    sockets[index].close()
                sockets[index] = None
            if time.monotonic() >= end.value:
                break
        if first:
            first = False
            began.value = sum(one is not None for one in sockets)
    for one in sockets:
        if one:
            one.close()
    began.value = -opened


class Load:
    def __init__(self, server, samples, end):
        self.server, self.samples, self.end = server, samples, end
        self.headers = {"Authorization": f"Bearer {server.key}"}
        self.arrivals, self.lost, self.last, self.resets = [], 0, {}, 0
        self.takes, self.finals, self.behind, self.failures = [], [], [], []
        self.first, self.stalls, self.spoken, self.said = [], [], 0.0, 0
        self.followed = 0

    def connect(self, path):
        import websockets

        return websockets.connect(f"ws://127.0.0.1:{self.server.port}{path}", additional_headers=self.headers, max_size=None)

    async def follow(self, index, done):
        position = None
        while not done.is_set():
            leaves = time.monotonic() + (30 if index == 0 else 1e9)
            async with self.connect("/api/live" + (f"?after={position}" if position else "")) as socket_:
                self.followed += position is None
                while not done.is_set() and time.monotonic() < leaves:
                    try:
                        event = json.loads(await asyncio.wait_for(socket_.recv(), 1))
                    except TimeoutError:
                        continue
                    if event["event"] == "heartbeat":
                        continue
                    if event["event"] == "reset":
                        self.resets += 1
                    number = int(event["id"].split("-")[1])
                    if position is not None:
                        self.lost += abs(number - int(position.split("-")[1]) - 1)
                    position = event["id"]
                    self.last[index] = number
                    if event["event"] == "job":
                        self.arrivals.append((event["data"]["title"], time.monotonic()))

    async def talk(self, index):
        """Takes of forty seconds, one after another."""
        size = int(16_000 * PIECE) * 2
        offset = index * 7 * 16_000 * 2
        while time.monotonic() < self.end:
            async with self.connect("/api/listen?rate=16000&purpose=transcript&language=en") as socket_:
                # In order: what was said begins when the first piece was sent.
                state = {"sent": 0, "start": time.monotonic()}

                async def receive():
                    async for message in socket_:
                        event = json.loads(message)
                        if event["type"] == "final":
                            self.finals.append(time.monotonic() - state["start"] - event["end"])
                        elif event["type"] == "behind":
                            self.behind.append(event["seconds"])
                        elif event["type"] in ("error", "busy"):
                            self.failures.append(event)
                        elif event["type"] == "end":
                            return event
                    self.failures.append({"type": "closed", "detail": str(socket_.close_code)})
                    return None

                receiver = asyncio.create_task(receive())
                while state["sent"] < 40 * 32_000 and time.monotonic() < self.end:
                    await asyncio.sleep(max(0, state["start"] + (state["sent"] + size) / 32_000 - time.monotonic()))
                    begin = (offset + state["sent"]) % (len(self.samples) - size)
                    await socket_.send(self.samples[begin - begin % 2 : begin - begin % 2 + size])
                    state["sent"] += size
                await socket_.send(json.dumps({"type": "stop"}))
                event = await receiver
                if event:
                    self.takes.append((event["take"], state["sent"] / 32_000, event["text"]))

    async def listen(self, index):
        """Texts that are read to somebody who plays them as they come, each after a pause."""
        async with self.connect("/api/speak") as socket_:
            while time.monotonic() < self.end:
                asked = time.monotonic()
                await socket_.send(json.dumps({"type": "speak", "text": TEXTS[(index + self.said) % len(TEXTS)]}))
                first, received, stalled = None, 0.0, 0.0
                while True:
                    message = await socket_.recv()
                    now = time.monotonic()
                    if isinstance(message, bytes):
                        if first is None:
                            first = now
                            self.first.append(now - asked)
                        elif now > first + stalled + received:
                            stalled = now - first - received
                        received += len(message) / 48_000
                        await socket_.send(json.dumps({"type": "played", "seconds": min(received, now - first)}))
                        continue
                    event = json.loads(message)
                    if event["type"] == "error":
                        self.failures.append(event)
                        return
                    if event["type"] == "end":
                        if abs(event["seconds"] - received) > 0.01:
                            self.failures.append({"type": "speech", "detail": f"{event['seconds']} s said, {received} s came"})
                        break
                self.spoken += received
                self.said += 1
                self.stalls.append(stalled)
                # Whoever is read to listens to the end.
                await asyncio.sleep(max(0, min(first + received + 2, self.end) - time.monotonic()))

    async def run(self, reader):
        done = asyncio.Event()
        followers = [asyncio.create_task(self.follow(index, done)) for index in range(10)]
        while self.followed < 10:
            await asyncio.sleep(0.05)
        # What is made from now on comes to all ten.
        reader.start()
        await asyncio.gather(*(self.talk(index) for index in range(5)), *(self.listen(index) for index in range(5)))
        # The last events have come when nothing comes any more for two rounds.
        await asyncio.sleep(3)
        done.set()
        await asyncio.gather(*followers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", required=True)
    parser.add_argument("--models", default=os.environ.get("SOTTO_MODELS", str(pinned.cache() / "models")))
    parser.add_argument("--program")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--slow", type=int, default=1000)
    parser.add_argument("--slow-seconds", type=float, default=60)
    options = parser.parse_args()
    try:
        import websockets  # noqa: F401
    except ImportError:
        python = pinned.environment("serve")
        os.execv(python, [python, __file__, *sys.argv[1:]])
    import serving

    more = {"program": options.program} if options.program else {}
    report = {"minutes": options.minutes, "loadAverageBefore": [round(value, 2) for value in os.getloadavg()]}
    # At rest, without models.
    with tempfile.TemporaryDirectory() as nothing, serving.Server(nothing, **more) as server:
        for path in ["/health", "/api/agents", "/api/settings", "/api/takes", "/"] * 20:
            server_answer = request(server.port, path, server.key)[0]
            assert server_answer == 200, (path, server_answer)
        time.sleep(2)
        report["idleMB"] = round(server.memory(), 1)

        begin, wrong_before = good(server.port, server.key, 20, options.slow_seconds)
        began, end = multiprocessing.Value("i", 0), multiprocessing.Value("d", time.monotonic() + 10_000)
        crawler = multiprocessing.Process(target=crawl, args=(server.port, options.slow, began, end))
        crawler.start()
        while began.value == 0:
            time.sleep(0.1)
        held = began.value
        beside, wrong_beside = good(server.port, server.key, 20, options.slow_seconds)
        report["memoryBesideSlowMB"] = round(server.memory(), 1)
        end.value = 0
        crawler.join()
        report["slow"] = {
            "connections": options.slow,
            "openedInAll": -began.value,
            "openAtFirst": held,
            "alone": spread(begin),
            "beside": spread(beside),
            "refused": wrong_before + wrong_beside,
            "p99Ratio": round(spread(beside)["p99"] / spread(begin)["p99"], 2),
        }

    if options.minutes > 0:
        root = pathlib.Path(options.corpora) / "speech"
        rows = [
            row
            for row in recordings.manifest(root)
            if row["split"] == "dev"
            and row["kind"] == "asr"
            and row["transcript"]
            and 4 < float(row["seconds"]) < 15
            and "librispeech" in row["corpus"]
        ]
        random.Random(7).shuffle(rows)
        samples = b"".join(recordings.samples(root / row["path"]).tobytes() + bytes(16_000) for row in rows[:12])
        with serving.Server(options.models, **more) as server:
            revision = server.ask("GET", "/api/settings")["revision"]
            server.ask("PATCH", "/api/settings", {"revision": revision, "values": {"research": "off", "languageModel": "smollm2-135m-instruct-q4_1"}})
            server.ask("POST", "/api/library", {"path": str(serving.ROOT / "docs")})
            while server.ask("GET", "/api/library/search?query=server")["hits"] == []:
                time.sleep(0.5)
            job = server.ask("POST", "/api/agents", {"question": "How does the server refuse other origins?", "mode": "quick"})["job"]["id"]
            server.wait_for_job(job)
            paths = [
                "/api/agents?limit=50",
                f"/api/agents/{job}",
                "/api/takes",
                "/api/library/search?query=server+origin",
                "/api/settings",
                "/api/ledger",
                "/api/voices",
                "/health",
                "/openapi.json",
                "/api/data",
            ]
            memory = {"start": round(server.memory(), 1)}
            end_ = time.monotonic() + options.minutes * 60
            results = multiprocessing.Queue()
            reader = multiprocessing.Process(target=read_on, args=(server.port, server.key, paths, 20, end_, results))
            load = Load(server, samples, end_)
            asyncio.run(load.run(reader))
            reads = results.get()
            reader.join()
            memory["end"], memory["peak"] = round(server.memory(), 1), round(server.memory("VmHWM"), 1)
            takes = {take["id"]: take for take in server.ask("GET", "/api/takes")["takes"]}
            missing = sum(abs(takes.get(take, {"seconds": 0})["seconds"] - seconds) for take, seconds, _ in load.takes)
            delays = [arrived - reads["made"][title] for title, arrived in load.arrivals if title in reads["made"]]
            report["load"] = {
                "memoryMB": memory,
                "reads": {
                    "all": spread([value for values in reads["times"].values() for value in values]),
                    **{path.replace(str(job), "ID"): spread(values) for path, values in reads["times"].items()},
                },
                "readsRefused": reads["wrong"],
                "events": {
                    "delivery": spread(delays),
                    "lost": load.lost,
                    "resets": load.resets,
                    "newest": sorted(set(load.last.values())),
                    "expected": 10 * len(reads["made"]),
                    "came": len(delays),
                },
                "hearing": {
                    "takes": len(load.takes),
                    "secondsSent": round(sum(seconds for _, seconds, _ in load.takes), 1),
                    "secondsLost": round(missing, 3),
                    "withText": sum(bool(text) for _, _, text in load.takes),
                    "finalAfterItsEnd": spread(load.finals, 1, 2),
                    "mostBehindSeconds": max(load.behind, default=0),
                },
                "speaking": {
                    "texts": load.said,
                    "seconds": round(load.spoken, 1),
                    "firstAudio": spread(load.first, 1, 2),
                    "stalls": sum(value > 0.02 for value in load.stalls),
                    "stalledSeconds": round(sum(load.stalls), 1),
                },
                "failures": load.failures[:10],
            }
    report["loadAverageAfter"] = [round(value, 2) for value in os.getloadavg()]
    problems = []
    if report["idleMB"] > 60:
        problems.append(f"{report['idleMB']} MB at rest")
    if report["slow"]["p99Ratio"] > 2 or report["slow"]["refused"]:
        problems.append("slow connections are felt")
    if "load" in report:
        counted = report["load"]
        if (
            counted["events"]["lost"]
            or counted["events"]["resets"]
            or len(counted["events"]["newest"]) != 1
            or counted["events"]["came"] != counted["events"]["expected"]
        ):
            problems.append("events were lost")
        if counted["hearing"]["secondsLost"] or counted["failures"] or counted["readsRefused"]:
            problems.append("sound was lost, or something was refused")
    report["problems"] = problems
    print(json.dumps(report, indent=1))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
