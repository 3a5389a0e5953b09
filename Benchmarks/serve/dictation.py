#!/usr/bin/env python3
"""Dictation over the server's WebSocket, alone and while a research job runs; and the job, alone and while somebody dictates.

    dictation.py --corpora FOLDER [--models DIR] [--clips 12] [--library DIR]

Real time: clips of human speech are sent as a browser sends them, in pieces of 50 ms. Measured from the sound's own clock: each word's end (as the
final tells it) to the first text that holds the word in its place and keeps it, and the last word's end to the final. One JSON object;
ends with status 1 when the ninetieth percentile of words beside a job is above 1.5 times that without, or the job takes more than 3 times its own time.
"""

import argparse
import asyncio
import difflib
import json
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]

import pinned  # noqa: E402
import recordings  # noqa: E402

PIECE = 0.05
QUESTIONS = [
    "Which tool runs scheduled tasks on computers that are not turned on all the time?",
    "How can I encrypt a whole disk when I install Debian?",
    "What is the difference between apt upgrade and apt full-upgrade?",
]


def spread(values):
    values = sorted(values)
    if not values:
        return None
    return {"median": round(values[len(values) // 2], 3), "p90": round(values[min(len(values) - 1, int(0.9 * len(values)))], 3), "count": len(values)}


async def dictate(server, samples):
    """Seconds from each word's end to its text, and from the last word's end to the final."""
    import websockets

    events = []
    address = f"ws://127.0.0.1:{server.port}/api/listen?rate=16000&purpose=transcript"
    async with websockets.connect(address, additional_headers={"Authorization": f"Bearer {server.key}"}) as socket:
        ready = asyncio.Event()

        async def receive():
            async for message in socket:
                event = json.loads(message)
                events.append((time.monotonic(), event))
                if event["type"] == "ready":
                    ready.set()
                if event["type"] == "end":
                    return

        receiver = asyncio.create_task(receive())
        await ready.wait()
        size = int(16_000 * PIECE)
        data = samples + bytes(2 * 16_000 * 2)
        start = time.monotonic()
        for index in range(0, len(data), size * 2):
            # A piece can be sent when it has been spoken.
            await asyncio.sleep(max(0, start + (index + size * 2) / 32_000 - time.monotonic()))
            await socket.send(data[index:index + size * 2])
        await socket.send(json.dumps({"type": "stop"}))
        await receiver
    return waits(events, start)


def words(text):
    return text.split()


def plain(word):
    return "".join(character for character in word.lower() if character.isalnum())


def matched(text, spoken):
    blocks = difflib.SequenceMatcher(None, text, spoken, autojunk=False).get_matching_blocks()
    return {block.b + step for block in blocks for step in range(block.size)}


def waits(events, start):
    found, ends = [], []
    segment = []
    for moment, event in events:
        if event["type"] == "partial":
            segment.append((moment, words(event["committed"]) + words(event["tail"])))
        elif event["type"] == "final":
            segment.append((moment, words(event["text"])))
            spoken = [plain(word["text"]) for word in event["words"]]
            # Which words of the final each text held, whatever stood before them.
            held = [(when, matched([plain(word) for word in text], spoken)) for when, text in segment]
            for place, word in enumerate(event["words"]):
                # Backwards: from the newest on for as long as the word stands there.
                first = None
                for when, places in reversed(held):
                    if place not in places:
                        break
                    first = when
                if first is not None:
                    found.append(first - start - word["end"])
            if event["words"]:
                ends.append(moment - start - event["words"][-1]["end"])
            segment = []
    return found, ends


async def series(server, clips):
    found, ends = [], []
    for clip in clips:
        some, last = await dictate(server, clip)
        found += some
        ends += last
    return {"word": spread(found), "final": spread(ends)}


def job(server, number):
    body = {"question": QUESTIONS[number % len(QUESTIONS)], "mode": "quick", "web": False}
    start = time.monotonic()
    done = server.wait_for_job(server.ask("POST", "/api/agents", body)["job"]["id"])
    return round(time.monotonic() - start, 2), done["state"]


async def jobs_until(server, stop):
    times, number = [], 0
    while not stop.is_set():
        seconds, state = await asyncio.to_thread(job, server, number)
        times.append((number % len(QUESTIONS), seconds, state))
        number += 1
    return times


async def measure(server, clips):
    await dictate(server, clips[0])  # Loads the networks.
    alone = [job(server, number) for number in range(len(QUESTIONS))]
    alone = [job(server, number) for number in range(len(QUESTIONS))]  # The first ones loaded the model.
    idle = await series(server, clips)
    stop = asyncio.Event()
    working = asyncio.create_task(jobs_until(server, stop))
    busy = await series(server, clips)
    stop.set()
    beside = await working
    idle_again = await series(server, clips)
    return alone, idle, busy, beside, idle_again


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA"), required="SOTTO_CORPORA" not in os.environ)
    parser.add_argument("--models", default=os.environ.get("SOTTO_MODELS", str(pinned.cache() / "models")))
    parser.add_argument("--clips", type=int, default=12)
    parser.add_argument("--library", default="/usr/share/doc/debian-handbook/html/en-US")
    options = parser.parse_args()
    root = pathlib.Path(options.corpora) / "speech"
    rows = [row for row in recordings.manifest(root) if row["corpus"].startswith("librispeech") and "dev" in row["path"]]
    chosen = rows[:: max(1, len(rows) // options.clips)][: options.clips]
    clips = [recordings.samples(str(root / row["path"])).tobytes() for row in chosen]
    from serving import Server

    with Server(options.models) as server:
        server.run("library", "add", options.library)
        alone, idle, busy, beside, again = asyncio.run(measure(server, clips))
    own = {number: seconds for number, (seconds, _) in enumerate(alone)}
    slower = [seconds / own[number] for number, seconds, state in beside if state == "completed"]
    report = {
        "load": os.getloadavg()[0], "clips": len(clips), "idle": idle, "beside a job": busy, "idle again": again,
        "job alone, seconds": [seconds for seconds, _ in alone], "job beside, times its own": spread(slower),
        "p90 ratio": round(busy["word"]["p90"] / idle["word"]["p90"], 2),
    }
    print(json.dumps(report))
    sys.exit(0 if report["p90 ratio"] <= 1.5 and (report["job beside, times its own"] or {"median": 9})["median"] <= 3 else 1)


if __name__ == "__main__":
    if "websockets" not in sys.modules and os.environ.get("SOTTO_PINNED") != "1":
        python = pinned.environment("serve")
        os.execve(python, [str(python), *sys.argv], {**os.environ, "SOTTO_PINNED": "1"})
    main()
