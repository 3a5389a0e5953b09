"""Scenarios for the built program's server. `api.py PROGRAM SCENARIO [MODELS [CORPORA]]` prints what it covered as
JSON; ends with 1 and says why when something is wrong.

Nothing here waits for a time: each step waits for an event, an answer or the end of a process.
"""

import concurrent.futures
import csv
import hashlib
import http.client
import http.server
import io
import json
import os
import pathlib
import re
import select
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import traceback
import urllib.parse
import wave
import zipfile

from serving import PATIENCE, ROOT, Answer, Failure, Server, ServerSent, WebSocket, check, multipart, number, quoted

SCENARIOS = {}
NOTES = "# Keys\n\nThe spare key of the boathouse hangs behind the blue door. The keeper of the boathouse is Ada Moor.\n"
LATER = {"at": "in 5 hours"}


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


class Given:
    def __init__(self, program, models, corpora):
        self.program, self.models, self.corpora = program, models, corpora

    def server(self, models=False, **more):
        return Server(self.program, self.models if models else None, **more)

    def clip(self, name):
        """16-bit samples of a recording, at its own rate of 16 kHz, and its words."""
        path = pathlib.Path(self.corpora) / "speech"
        row = next(row for row in csv.DictReader((path / "manifest.tsv").open(), delimiter="\t", quoting=csv.QUOTE_NONE) if row["path"] == name)
        with wave.open(str(path / name)) as file:
            check((file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16_000, 1, 2), name, "is not as expected")
            return file.readframes(file.getnframes()), row["transcript"]


def plain(text):
    return re.findall(r"[a-z0-9']+", text.lower())


def wrong(reference, heard):
    """Words wrong, as a part of those that were said."""
    said, got = plain(reference), plain(heard)
    row = list(range(len(got) + 1))
    for index, word in enumerate(said, 1):
        last, row[0] = row[0], index
        for other, candidate in enumerate(got, 1):
            last, row[other] = row[other], min(row[other] + 1, row[other - 1] + 1, last + (word != candidate))
    return row[-1] / len(said)


def fill_library(server):
    folder = os.path.dirname(server.write("notes/key.md", NOTES))
    live = server.events()
    server.ask("POST", "/api/library", {"path": folder}, status=202)
    check("error" not in read(live), "not read")
    live.close()
    return folder


def read(live):
    """The end of a reading of documents."""
    while True:
        progress, _ = live.until("library-progress")
        if progress["data"]["done"]:
            return progress["data"]


def done(server, question, **more):
    """A task that has ended."""
    live = server.events()
    job = server.ask("POST", "/api/agents", {"question": question, **more}, status=201).json["job"]
    job = server.wait_for_job(job["id"], live, "completed", "failed", "cancelled")
    live.close()
    check(job["state"] == "completed", "the task", job["state"], job.get("error"))
    return job


def refused(answer, status, code=None):
    check(answer.status == status, f"answered {answer.status}, not {status}:", answer.body)
    if code:
        check(answer.json["code"] == code, "is", answer.json["code"], "and not", code)


@scenario
def agents(given):
    """Every operation on tasks and schedules, with good and bad input; tokens; paging."""
    with given.server() as server:
        ask = server.ask
        folder = fill_library(server)
        job = done(server, "Where does the spare key of the boathouse hang?")
        check(job["status"] == "digest" and job["outcome"] in ("done", "short"), job)
        number_ = job["id"]
        detail = server.get(f"/api/agents/{number_}")
        check(
            "blue door" in detail["findings"] and "blue door" in detail["html"] and detail["summary"],
            "the findings do not say it:",
            detail["findings"],
        )
        check(detail["result"]["sources"][0]["passages"][0]["text"], "a source has no passage")
        check('class="citation"' in detail["html"] and "<script" not in detail["html"], detail["html"])
        check(
            [event["id"] for event in detail["events"]] == sorted(event["id"] for event in detail["events"]) and detail["steps"],
            "the log is out of order",
        )
        for format, kind in [("markdown", "text/markdown"), ("html", "text/html"), (None, "text/markdown")]:
            file = ask("GET", f"/api/agents/{number_}/export" + (f"?format={format}" if format else ""), status=200)
            check(
                file.type == kind and b"blue door" in file.body and "attachment" in file.headers["content-disposition"],
                "an export of type",
                file.type,
            )
        refused(ask("GET", f"/api/agents/{number_}/export?format=pdf"), 400, "bad-query")
        follow = ask("POST", f"/api/agents/{number_}/follow-up", {"question": "Who is the keeper?", **LATER}, status=201).json["job"]
        check(
            follow["parent"] == number_ and server.get(f"/api/agents/{number_}")["followUps"][0]["id"] == follow["id"], "the follow-up has no parent"
        )
        refused(ask("POST", f"/api/agents/{follow['id']}/follow-up", {"question": "And then?"}), 409, "wrong-state")
        refused(ask("GET", f"/api/agents/{follow['id']}/export"), 409, "wrong-state")
        check(
            ask("POST", f"/api/agents/{follow['id']}/cancel", status=200).json["job"]["state"] == "cancelled",
            "a waiting task is not cancelled at once",
        )
        check(ask("POST", f"/api/agents/{follow['id']}/cancel", status=200).json["job"]["state"] == "cancelled", "a second wish changes something")
        check(ask("POST", f"/api/agents/{number_}/cancel", status=200).json["job"]["state"] == "completed", "an ended task is cancelled")
        refused(ask("POST", f"/api/agents/{number_}/retry"), 409, "wrong-state")
        live = server.events()
        check(
            ask("POST", f"/api/agents/{follow['id']}/retry", status=200).json["job"]["state"] in ("queued", "running", "completed"),
            "not queued again",
        )
        server.wait_for_job(follow["id"], live, "completed")
        ask("DELETE", f"/api/agents/{follow['id']}", status=204)
        gone, _ = live.until("job-removed")
        check(gone["data"]["id"] == follow["id"], gone)
        refused(ask("DELETE", f"/api/agents/{follow['id']}"), 404, "not-found")
        refused(ask("GET", f"/api/agents/{follow['id']}"), 404, "not-found")
        for verb in ["cancel", "retry"]:
            refused(ask("POST", f"/api/agents/999/{verb}"), 404, "not-found")
        refused(ask("POST", "/api/agents/999/follow-up", {"question": "What?"}), 404, "not-found")
        refused(ask("GET", "/api/agents/999/export"), 404, "not-found")
        # What cannot be asked.
        for body, status, code in [
            ({"question": ""}, 422, "bad-question"),
            ({"question": " ?! "}, 422, "bad-question"),
            ({"question": "a" * 2001}, 422, "bad-question"),
            ({"question": "Who?", "mode": "slow"}, 422, "bad-mode"),
            ({"question": "Who?", "token": ""}, 422, "bad-token"),
            ({"question": "Who?", "token": "a" * 65}, 422, "bad-token"),
            ({"question": "Who?", "library": ["/no/such"]}, 422, "not-in-library"),
            ({"question": "Who?", "at": "yesterday"}, 422, None),
            ({"question": "Who?", "every": "now and then"}, 422, None),
            ({"question": "Who?", "every": "day", "zone": "Mars/Base"}, 422, None),
            ({"question": "Who?", "at": "18:00", "zone": "Mars/Base"}, 422, None),
            ({}, 400, None),
            ([], 400, None),
            ("x", 400, None),
            ({"question": 7}, 400, None),
            ({"question": "Who?", "web": "yes"}, 400, None),
        ]:
            refused(ask("POST", "/api/agents", body), status, code)
        before = len(server.get("/api/agents?limit=200")["jobs"])
        # Paging, search and states.
        made = [
            ask(
                "POST",
                "/api/agents",
                {
                    "question": f"What is the number {index} of the müller list?",
                    "library": [folder],
                    "web": False,
                    "mode": "quick",
                    "language": "en",
                    **LATER,
                },
                status=201,
            ).json["job"]["id"]
            for index in range(7)
        ]
        seen, next_ = [], None
        while True:
            page = server.get("/api/agents?limit=3" + (f"&before={next_}" if next_ else ""))
            seen += [row["id"] for row in page["jobs"]]
            next_ = page.get("next")
            check(len(page["jobs"]) == 3 or next_ is None, "a page is not full")
            if next_ is None:
                break
        check(seen == sorted(seen, reverse=True) and len(seen) == before + 7 and set(made) <= set(seen), "pages miss some:", seen)
        check([row["id"] for row in server.get(f"/api/agents?query={quoted('number 3')}")["jobs"]] == [made[3]], "titles are not searched")
        check(len(server.get(f"/api/agents?query={quoted('müller')}&limit=200")["jobs"]) == 7, "umlauts are not searched")
        check({row["state"] for row in server.get("/api/agents?state=queued")["jobs"]} == {"queued"}, "states are mixed")
        check(
            {row["state"] for row in server.get("/api/agents?state=queued,completed&limit=200")["jobs"]} == {"queued", "completed"},
            "two states are not",
        )
        for query in ["limit=0", "limit=201", "limit=x", "limit=-1", "before=x", "state=lost", "limit=99999999999999999999", "before=-1"]:
            refused(ask("GET", f"/api/agents?{query}"), 400, "bad-query")
        # The same token never makes a second job: one after the other, at once, and after a restart.
        once = {"question": "Is it asked once?", "token": "t-1", **LATER}
        first = ask("POST", "/api/agents", once, status=201).json["job"]["id"]
        check(ask("POST", "/api/agents", once, status=201).json["job"]["id"] == first, "a token made two jobs")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            same = {answer.json["job"]["id"] for answer in pool.map(lambda _: ask("POST", "/api/agents", {**once, "token": "t-2"}), range(8))}
        check(len(same) == 1 and same != {first}, "a token made several jobs at once:", same)
        server.stop()
        server.start()
        check(server.ask("POST", "/api/agents", once, status=201).json["job"]["id"] == first, "a token is forgotten by a restart")
        # Schedules.
        ask = server.ask
        schedule = ask("POST", "/api/agents", {"question": "What is new?", "every": "day 07:00", "zone": "Europe/Berlin"}, status=201).json[
            "schedule"
        ]
        check(schedule["zone"] == "Europe/Berlin" and schedule["nextRun"], schedule)
        check([row["id"] for row in server.get("/api/agents")["schedules"]] == [schedule["id"]], "the schedule is not listed")
        ask("DELETE", f"/api/schedules/{schedule['id']}", status=204)
        refused(ask("DELETE", f"/api/schedules/{schedule['id']}"), 404, "not-found")
        refused(ask("DELETE", "/api/schedules/x"), 404, "not-found")
        check(server.get("/api/agents")["schedules"] == [], "the schedule is there still")
        return server.covered


@scenario
def cancelling(given):
    """J-06: a task that runs ends within a second of the wish, and keeps what it found."""
    with given.server(models=True) as server:
        fill_library(server)
        live = server.events()
        job = server.ask(
            "POST", "/api/agents", {"question": "Where does the spare key of the boathouse hang, and who keeps it?", "mode": "deep"}, status=201
        ).json["job"]
        # Work on the language model has begun.
        while True:
            event = live.event()
            check(event["event"] != "job" or event["data"]["state"] in ("queued", "running"), "it ended before it could be cancelled:", event)
            if event["event"] == "log" and event["data"]["kind"] == "stepStarted" and event["data"]["step"].startswith("claims"):
                break
        start = time.monotonic()
        server.ask("POST", f"/api/agents/{job['id']}/cancel", status=200)
        ended = server.wait_for_job(job["id"], live, "cancelled", "completed", "failed")
        seconds = time.monotonic() - start
        check(ended["state"] == "cancelled", ended)
        check(seconds < 1, f"it took {seconds:.2f} s")
        detail = server.get(f"/api/agents/{job['id']}")
        check(
            detail["steps"] and detail.get("findings") and detail["result"]["sources"],
            "what was found is not kept:",
            detail["steps"],
            detail.get("findings"),
        )
        check(detail["result"]["status"] == "stopped", detail["result"]["status"])
        server.ask("GET", f"/api/agents/{job['id']}/export", status=200)
        print(f"ended {seconds * 1000:.0f} ms after the wish", file=sys.stderr)
        return server.covered


@scenario
def events(given):
    """J-07: whoever comes back gets what happened meanwhile, each once, in order; after a restart a reset."""
    with given.server() as server:
        live = server.events()
        first = server.ask("POST", "/api/agents", {"question": "One?", **LATER}, status=201).json["job"]["id"]
        seen = live.until("job")[0]
        live.reset()
        # Two others follow from the beginning: what was missed is told to the one that left.
        at = seen["id"]
        for question in ["Two?", "Three?"]:
            server.ask("POST", "/api/agents", {"question": question, **LATER}, status=201)
        server.ask("DELETE", f"/api/agents/{first}", status=204)

        def until_removed(feed):
            got = []
            while not got or got[-1]["event"] != "job-removed":
                got.append(feed.event())
            return got

        again, sse = server.events(at), ServerSent(server, at)
        one, two = until_removed(again), until_removed(sse)
        check(one == two, "a WebSocket and server-sent events differ:", one, two)
        check(
            [number(event) for event in one] == list(range(number(seen) + 1, number(seen) + 1 + len(one))),
            "ids have holes:",
            [event["id"] for event in one],
        )
        check(
            [event["data"]["title"] for event in one if event["event"] == "job"]
            and {event["data"]["title"] for event in one if event["event"] == "job"} == {"Two?", "Three?"},
            one,
        )
        # A position by `after` too, and the newest one, which replays nothing.
        newest = one[-1]["id"]
        fresh = server.events(newest)
        check(newest == server.get("/api/agents")["at"], "the list tells another position")
        server.ask("PATCH", "/api/settings", {"revision": server.get("/api/settings")["revision"], "values": {"speed": "1.1"}}, status=200)
        check(fresh.event()["event"] == "settings", "old events are told again")
        refused(server.ask("GET", "/api/events", headers={"Last-Event-ID": "nonsense"}), 400, "bad-event-id")
        refused(server.ask("GET", "/api/events?after=nonsense"), 400, "bad-event-id")
        check(server.events("nonsense").event()["event"] == "reset", "a wrong position is not a reset")
        server.stop()
        check(again.all() is not None and again.ending == 1001, "a stop says", again.ending)
        server.start(port=server.port)
        # The window may hold the events of before, but their epoch is over.
        check(server.events(newest).event()["event"] == "reset", "after a restart there is no reset")
        check(ServerSent(server, newest).event()["event"] == "reset", "after a restart there is no reset by server-sent events")
        server.covered.add(("events", 2))
        return server.covered


@scenario
def settings(given):
    """J-08: nobody overwrites what they have not seen."""
    with given.server() as server:
        ask = server.ask
        old = server.get("/api/settings")
        check({row["key"] for row in old["settings"]} >= {"research", "voice", "languageModel"}, old)
        new = ask("PATCH", "/api/settings", {"revision": old["revision"], "values": {"speed": "1.25", "digits": "on"}}, status=200).json
        values = {row["key"]: row["value"] for row in new["settings"]}
        check((values["speed"], values["digits"]) == ("1.25", "on") and new["revision"] != old["revision"], values)
        refused(ask("PATCH", "/api/settings", {"revision": old["revision"], "values": {"speed": "0.5"}}), 409, "stale")
        refused(ask("PATCH", "/api/settings", {"revision": "none", "values": {"speed": "0.5"}}), 409, "stale")
        check({row["key"]: row["value"] for row in server.get("/api/settings")["settings"]}["speed"] == "1.25", "a stale client has written")
        # The command line changes them too.
        check(server.run("settings", "set", "speed", "1.5").returncode == 0, "the command line cannot set")
        refused(ask("PATCH", "/api/settings", {"revision": new["revision"], "values": {"digits": "off"}}), 409, "stale")
        # Of many at once one wins.
        for _ in range(5):
            revision = server.get("/api/settings")["revision"]
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                answers = list(
                    pool.map(lambda index: ask("PATCH", "/api/settings", {"revision": revision, "values": {"takeDays": str(index + 1)}}), range(8))
                )
            check(sorted(answer.status for answer in answers) == [200] + [409] * 7, "several won:", [answer.status for answer in answers])
        revision = server.get("/api/settings")["revision"]
        for values in [
            {"speed": "9"},
            {"speed": "fast"},
            {"nonsense": "1"},
            {"research": "perhaps"},
            {"takeDays": "-1"},
            {"proxy": "not an address"},
            {"digits": "on", "speed": "nan"},
        ]:
            refused(ask("PATCH", "/api/settings", {"revision": revision, "values": values}), 400, "bad-setting")
        for body in [{}, {"revision": revision}, {"revision": revision, "values": {"speed": 1}}, [], {"values": {"speed": "1"}}]:
            refused(ask("PATCH", "/api/settings", body), 400)
        check(server.get("/api/settings")["revision"] == revision, "a refused change has changed something")
        # Secrets go in and never come out.
        ask("PUT", "/api/secrets/brave-api-key", {"value": "s3cret-value"}, status=204)
        shown = ask("GET", "/api/settings", status=200)
        check(b"s3cret" not in shown.body and shown.json["secrets"] == [{"name": "brave-api-key", "isSet": True}], shown.body)
        ask("DELETE", "/api/secrets/brave-api-key", status=204)
        check(server.get("/api/settings")["secrets"][0]["isSet"] is False, "the secret is there still")
        refused(ask("PUT", "/api/secrets/brave-api-key", {"value": "  "}), 422, "bad-secret")
        refused(ask("PUT", "/api/secrets/other", {"value": "x"}), 404, "not-found")
        refused(ask("DELETE", "/api/secrets/other"), 404, "not-found")
        refused(ask("PUT", "/api/secrets/brave-api-key", {}), 400)
        return server.covered


def cookie_of(answer):
    check(answer.status == 204, "not signed in:", answer.body)
    cookie = answer.headers["set-cookie"]
    check("HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/" in cookie, cookie)
    return cookie.split(";")[0]


@scenario
def sessions(given):
    """Codes are used once, cookies live on over a restart, a signed-out browser is out, and only the app's own page signs in."""
    with given.server() as server:
        own = f"http://127.0.0.1:{server.port}"
        sign_in = lambda code, **headers: server.ask("POST", "/api/session", {"code": code}, identity=None, headers=headers)
        refused(sign_in(server.code), 403, "no-origin")
        refused(sign_in(server.code, Origin="http://evil.example"), 403, "foreign-origin")
        refused(sign_in("wrong", Origin=own), 401, "bad-code")
        refused(server.ask("POST", "/api/session", {}, identity=None, headers={"Origin": own}), 400)
        cookie = cookie_of(
            sign_in(server.code, Origin=own, **{"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"})
        )
        refused(sign_in(server.code, Origin=own), 401, "bad-code")
        # Of many that try one code at once, one is let in.
        code = server.run("serve").stdout.strip().split("#code=")[1]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: sign_in(code, Origin=own), range(8)))
        check(sorted(answer.status for answer in answers) == [204] + [401] * 7, [answer.status for answer in answers])
        other = cookie_of(next(answer for answer in answers if answer.status == 204))
        me = {"Cookie": cookie}
        session = server.get("/api/session", identity=me)
        check(session["identity"] == "session" and session["device"]["name"] == "Firefox on Linux" and session["device"]["current"], session)
        check(server.get("/api/session")["identity"] == "key", "the key is no key")
        devices = server.get("/api/devices", identity=me)
        check(
            len(devices["devices"]) == 2 and [row["current"] for row in devices["devices"]].count(True) == 1 and devices["beyondLoopback"] is False,
            devices,
        )
        refused(server.ask("POST", "/api/devices/pairing", identity=me, headers={"Origin": own}), 409, "only-this-machine")
        # A session changes nothing without its page's origin, and opens no WebSocket.
        refused(server.ask("POST", "/api/agents", {"question": "Who?"}, identity=me), 403, "no-origin")
        server.ask("POST", "/api/agents", {"question": "Who?", **LATER}, identity=me, headers={"Origin": own}, status=201)
        check(WebSocket(server, "/api/live", identity=me).status == 403, "a WebSocket without an origin")
        check(WebSocket(server, "/api/live", identity=me, headers={"Origin": "http://evil.example"}).status == 403, "a WebSocket of another origin")
        check(WebSocket(server, "/api/live", identity=me, headers={"Origin": own}).status == 101, "the app's own WebSocket")
        server.stop()
        server.start(port=server.port)
        check(server.get("/api/session", identity=me)["device"]["id"] == session["device"]["id"], "a restart signs out")
        third = next(row["id"] for row in server.get("/api/devices", identity=me)["devices"] if not row["current"])
        server.ask("DELETE", f"/api/devices/{third}", identity=me, headers={"Origin": own}, status=204)
        refused(server.ask("GET", "/api/session", identity={"Cookie": other}), 401, "not-identified")
        refused(server.ask("DELETE", f"/api/devices/{third}"), 404, "not-found")
        out = server.ask("DELETE", "/api/session", identity=me, headers={"Origin": own}, status=204)
        check("Max-Age=0" in out.headers["set-cookie"], out.headers)
        refused(server.ask("GET", "/api/session", identity=me), 401, "not-identified")
        server.stop()
        server.start(port=server.port)
        refused(server.ask("GET", "/api/session", identity=me), 401, "not-identified")
        check(server.get("/api/devices")["devices"] == [], "a signed-out browser is listed")
        check((server.folder / ".local/share/sotto").exists(), "there is no data folder")
        modes = [
            oct(path.stat().st_mode & 0o777)
            for path in (server.folder / ".local/share/sotto").glob("*")
            if path.name in ("devices.json", "server.key", "server-key")
        ]
        check(set(modes) <= {"0o600"}, "others may read the keys:", modes)
        return server.covered


@scenario
def network(given):
    """Another device comes in by TLS with this installation's certificate and a code that is used once; what it may not see it does not."""
    with given.server() as server:
        server.stop()
        try:
            server.start("--lan")
        except Failure as error:
            if "in no network" in str(error):
                print("this machine is in no network", file=sys.stderr)
                return server.covered
            raise
        pairing = server.ask("POST", "/api/devices/pairing", status=200).json
        devices = server.get("/api/devices")
        check(
            devices["beyondLoopback"] and devices["fingerprint"] == pairing["fingerprint"] and pairing["url"].split("/#")[0] in devices["addresses"],
            devices,
        )
        where = urllib.parse.urlsplit(pairing["url"])
        context = ssl.create_default_context()
        # It trusts what it was shown, and nothing else.
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

        def far(method, path, body=None, **headers):
            connection = http.client.HTTPSConnection(where.hostname, where.port, context=context, timeout=PATIENCE)
            connection.connect()
            shown = hashlib.sha256(connection.sock.getpeercert(True)).hexdigest()
            check(shown == re.sub("[^0-9a-f]", "", pairing["fingerprint"].lower()), "another certificate:", shown, pairing["fingerprint"])
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {**({"Content-Type": "application/json"} if body is not None else {}), **headers})
            answer = connection.getresponse()
            given_ = Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
            connection.close()
            server.description.judge(method, path, given_)
            return given_

        origin = f"https://{where.netloc}"
        refused(far("GET", "/api/session"), 401, "not-identified")
        refused(far("POST", "/api/session", {"code": pairing["code"]}, Origin=f"http://127.0.0.1:{server.port}"), 403, "foreign-origin")
        answer = far("POST", "/api/session", {"code": pairing["code"], "name": "My phone"}, Origin=origin)
        cookie = cookie_of(answer)
        check("Secure" in answer.headers["set-cookie"], answer.headers["set-cookie"])
        refused(far("POST", "/api/session", {"code": pairing["code"]}, Origin=origin), 401, "bad-code")
        session = far("GET", "/api/session", Cookie=cookie).json
        check(session["device"]["name"] == "My phone" and session["port"] == where.port, session)
        refused(far("GET", "/api/session", Cookie=cookie, Host=f"127.0.0.1:{server.port}"), 403, "unknown-host")
        refused(far("GET", "/api/session", Host=f"evil.example:{where.port}"), 403, "unknown-host")
        # The plain port is not reached from outside.
        try:
            socket.create_connection((where.hostname, server.port), timeout=PATIENCE).close()
            raise Failure("the plain port answers beyond this machine")
        except ConnectionRefusedError:
            pass
        server.ask("DELETE", f"/api/devices/{session['device']['id']}", status=204)
        refused(far("GET", "/api/session", Cookie=cookie), 401, "not-identified")
        return server.covered


@scenario
def ports(given):
    """P-08: a taken port names its holder and the next is taken; a second start prints the first one's address; one server a data folder."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = given.server()
        server.write(".config/sotto/config.json", '{"research": false}')
        with server:
            server.stop()
            server.start(port=port)
            check(server.port != port, "a taken port was taken")
            note = next((note for note in server.notes if str(port) in note), "")
            check(str(os.getpid()) in note and "next" in note, "the holder is not named:", server.notes)
            server.get("/api/session")
            again = server.run("serve", "--port", "0")
            check(again.returncode == 0 and f"process {server.process.pid}" in again.stderr, again.stderr)
            address = again.stdout.strip()
            check(address.startswith(f"http://127.0.0.1:{server.port}/#code=") and address != server.address, address)
            own = f"http://127.0.0.1:{server.port}"
            cookie_of(server.ask("POST", "/api/session", {"code": address.split("#code=")[1]}, identity=None, headers={"Origin": own}))
            # Eight at once: each is told the address of the one that serves.
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                runs = list(pool.map(lambda _: server.run("serve"), range(8)))
            check(
                len({run.stdout for run in runs}) == 8 and all(run.returncode == 0 and f":{server.port}/" in run.stdout for run in runs),
                [run.stderr for run in runs],
            )
            # Another data folder has a server of its own.
            with given.server() as other:
                check(other.port != server.port and other.key != server.key, "two folders share a server")
                refused(other.ask("GET", "/api/session", identity={"Authorization": f"Bearer {server.key}"}), 401, "not-identified")
            # The same port once it is free, though connections of before linger.
            server.stop()
            server.start(port=server.port)
            server.get("/api/session")
            # Four that start at once: one serves, and all print its address.
            server.stop()
            starts = [
                subprocess.Popen(
                    [given.program, "serve", "--port", "0"], env=server.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
                )
                for _ in range(4)
            ]
            addresses = [start.stdout.readline().strip() for start in starts]
            check(len({address.split("/#")[0] for address in addresses}) == 1 and len(set(addresses)) == 4, addresses)
            alive = [start for start in starts if start.stderr.readline().startswith("Working on the queue")]
            check(len(alive) == 1, "of four, so many serve:", len(alive))
            check([start.wait(timeout=PATIENCE) for start in starts if start is not alive[0]] == [0, 0, 0], "a start that found another one failed")
            alive[0].send_signal(signal.SIGTERM)
            alive[0].communicate(timeout=PATIENCE)
            for words, message in [
                (["--port", "x"], "--port"),
                (["--port", "65536"], "--port"),
                (["--port", "-1"], "--port"),
                (["word"], "takes no words"),
            ]:
                run = subprocess.run(
                    [given.program, "serve", *words],
                    env={**server.environment, "HOME": str(server.folder / "none"), "XDG_RUNTIME_DIR": str(server.folder / "none")},
                    capture_output=True,
                    text=True,
                    timeout=PATIENCE,
                )
                check(run.returncode == 2 and message in run.stderr, words, run.returncode, run.stderr)
    return server.covered


@scenario
def bare(given):
    """P-12, P-14: no locale but C, no time zone, no home but one; nothing leaves, and every word comes back as it was."""
    with given.server(plain={"LC_ALL": "C"}) as server:
        question = "Wo hängt der Schlüssel — 鍵はどこ? 🔑"
        job = server.ask("POST", "/api/agents", {"question": question, **LATER}, status=201).json["job"]
        check(job["title"] == question, job["title"])
        check(server.get(f"/api/agents?query={quoted('schlüssel')}")["jobs"][0]["id"] == job["id"], "umlauts are not found")
        schedule = server.ask("POST", "/api/agents", {"question": "What is new?", "every": "day 07:00"}, status=201).json["schedule"]
        check(schedule["zone"] in ("UTC", "Etc/UTC"), schedule["zone"])
        check(schedule["nextRun"].endswith("T07:00:00.000Z"), schedule)
        server.write("notes/schlüssel.md", "# Schlüssel\n\nDer Ersatzschlüssel hängt hinter der blauen Tür.\n")
        live = server.events()
        server.ask("POST", "/api/library", {"path": str(server.folder / "notes")}, status=202)
        read(live)
        hits = server.get(f"/api/library/search?query={quoted('Ersatzschlüssel Tür')}")["hits"]
        check(hits and "blauen Tür" in hits[0]["text"] and hits[0]["location"].endswith("schlüssel.md"), hits)
        ended = done(server, "Wo hängt der Ersatzschlüssel?")
        file = server.ask("GET", f"/api/agents/{ended['id']}/export", status=200)
        check("Tür" in file.body.decode(), "a file is not UTF-8")
        # P-12: research is off, so nothing left; the ledger says so, and the network is refused before anything is opened.
        check(server.get("/api/ledger")["total"] == {"requests": 0, "sentBytes": 0, "receivedBytes": 0}, "something left")
        refused(server.ask("POST", "/api/search/check"), 409, "research-off")
        check(
            all(row["status"] != "failed" or "model" in (row["name"] + row["detail"]).lower() for row in server.get("/api/doctor")["checks"]),
            server.get("/api/doctor"),
        )
        server.get("/api/microphones")
        return server.covered


BAD_NAMES = [
    "..",
    "%2e%2e",
    "..%2f..%2fsecret.txt",
    "%2e%2e%2f%2e%2e%2fsecret.txt",
    "..%5c..%5csecret.txt",
    "%252e%252e%252fsecret.txt",
    "a%00b",
    "%00",
    "a%0d%0aSet-Cookie:x=1",
    "%2fetc%2fpasswd",
    "%c0%ae%c0%ae",
    "%ff",
    "%",
    "%zz",
    "a" * 3000,
    "nope",
    "-1",
    "0",
    "9223372036854775808",
    "1e3",
    "1;drop",
    "'%20or%201=1--",
    "%F0%9F%94%91",
    "*",
    "~",
    "con",
    ".hidden",
    "CON.txt",
    "%20",
    "a%2f..%2fb",
]


@scenario
def traversal(given):
    """Every parameter of every address, with names that lead elsewhere: refused as problems, and no file but the app's own is touched."""
    with given.server() as server:
        (server.folder / "secret.txt").write_text("keep out")
        fill_library(server)
        before = {
            str(path): path.read_bytes()
            for path in server.folder.rglob("*")
            if path.is_file() and ".local/share/sotto/sotto." not in str(path) and "db" not in path.suffix
        }
        bodies = {"fitVoice": {}, "retryTake": {}, "followUp": {"question": "Who?"}, "setSecret": {"value": "x"}, "keepDocument": b"text"}
        count = 0
        for (method, pattern), operation in server.description.operations().items():
            if "{" not in pattern or pattern == "/{path}":
                continue
            for name in BAD_NAMES:
                path = re.sub(r"\{\w+\}", lambda _: name, pattern)
                body = bodies.get(operation["operationId"])
                answer = server.ask(method, path, body, kind="text/plain" if isinstance(body, bytes) else None)
                count += 1
                # What is no name of another place is a name like any other.
                isKept = (
                    operation["operationId"] == "keepDocument"
                    and answer.status == 201
                    and os.path.dirname(answer.json["path"]).endswith("/sotto/documents")
                )
                check(400 <= answer.status < 500 or isKept, method, path, "answered", answer.status, answer.body)
                check(
                    b"keep out" not in answer.body and b"root:" not in answer.body and "x" not in answer.headers.get("set-cookie", ""),
                    method,
                    path,
                    answer.body,
                )
        # Files of the app: nothing outside, whatever it is called.
        for name in BAD_NAMES + [
            "../secret.txt",
            "../../etc/passwd",
            "..%2f..%2fetc/passwd",
            "index.html/..%2f..%2fsecret.txt",
            "views/../../secret.txt",
            "./index.html",
            "//etc/passwd",
            "index.html%00.png",
        ]:
            answer = server.ask("GET", "/" + name, identity=None)
            count += 1
            check(answer.status in (400, 404, 414), name, "answered", answer.status)
        # Names of documents that are odd and harmless stay in their folder.
        for name in ["a b.txt", "Ärger.md", "a..b.txt", "%.txt", "'\";.txt"]:
            live = server.events()
            answer = server.ask("PUT", f"/api/library/files/{quoted(name)}", NOTES.encode(), kind="text/plain")
            check(answer.status == 201 and answer.json["path"].endswith("/documents/" + name), name, answer.status, answer.body)
            read(live)
        after = {
            str(path): path.read_bytes()
            for path in server.folder.rglob("*")
            if path.is_file() and ".local/share/sotto/sotto." not in str(path) and "db" not in path.suffix
        }
        new = [path for path in after if path not in before]
        check(all("/documents/" in path for path in new), "files have been made:", new)
        check(
            all(after.get(path) == content for path, content in before.items()),
            "files have been changed:",
            [path for path, content in before.items() if after.get(path) != content],
        )
        print(f"{count} addresses", file=sys.stderr)
        return server.covered


@scenario
def bodies(given):
    """Every operation: no proof, another content type, no content type, more than it takes, no JSON, and a body where none is to be."""
    with given.server() as server:
        count = 0
        sizes = {
            "signIn": 4_096,
            "changeSettings": 64 << 10,
            "setSecret": 16 << 10,
            "eraseData": 4_096,
            "retryTake": 4_096,
            "consent": 4_096,
            "fitVoice": 4_096,
            "addToLibrary": 16 << 10,
            "checkSample": 32 << 20,
            "addTake": 4 << 30,
            "addVoice": 64 << 20,
            "keepDocument": 64 << 20,
            "chat": 4 << 20,
            "transcriptions": 130 << 20,
            "translations": 130 << 20,
            "speech": 1 << 20,
        }
        for (method, pattern), operation in server.description.operations().items():
            path = pattern.replace("{id}", "1").replace("{name}", "a.txt").replace("{path}", "index.html")
            name = operation["operationId"]
            if operation.get("security") != []:
                for identity in [
                    None,
                    {"Authorization": "Bearer wrong"},
                    {"Authorization": f"Basic {server.key}"},
                    {"Cookie": f"sotto-{server.port}=wrong"},
                    {"Authorization": f"Bearer {server.key}x"},
                ]:
                    refused(server.ask(method, path, identity=identity), 401, "not-identified")
                    count += 1
                refused(server.ask(method, path, headers={"Origin": "http://evil.example"}), 403, "foreign-origin")
                refused(server.ask(method, path, headers={"Host": "evil.example"}), 403, "unknown-host")
                count += 2
            own = {"Origin": f"http://127.0.0.1:{server.port}"}
            taken = operation.get("requestBody", {}).get("content", {})
            if not taken:
                answer = server.ask(method, path, b"{}", headers=own)
                check(answer.status in (400, 413, 415), method, path, "takes a body:", answer.status)
                count += 1
                continue
            for kind in ["text/html5", "application/x-www-form-urlencoded", "image/png", "application/jsonx", "application/json, text/plain", ""]:
                refused(server.ask(method, path, b"{}", kind=kind or " ", headers=own), 415)
                count += 1
            refused(server.raw(method, path, b"{}", {"Authorization": f"Bearer {server.key}", **own}), 415)
            kind = sorted(taken)[0] + ("; boundary=x" if "multipart/form-data" in taken else "")
            size = sizes.get(name, 130 << 20 if name == "importVoice" else 256 << 10)
            # Said to be too large: refused before it is sent.
            refused(server.ask(method, path, b"", kind=kind, headers={"Content-Length": str(size + 1), **own}), 413)
            refused(server.ask(method, path, b"{}", kind=kind, headers={"Content-Encoding": "gzip", **own}), 415)
            count += 3
            if "application/json" in taken:
                for text in [
                    b"",
                    b"{",
                    b"null",
                    b"7",
                    b'"x"',
                    b"[]",
                    b"{} {}",
                    b"\xff\xfe",
                    b"{\"a\":" * 2000 + b"1" + b"}" * 2000,
                    b"[" * 3000,
                    b'{"question": "\\ud800"}',
                ]:
                    answer = server.ask(method, path, text, headers=own)
                    check(400 <= answer.status < 500, method, path, text[:40], "answered", answer.status, answer.body)
                    count += 1
        check(server.get("/health")["status"] == "ok", "it is not well any more")
        print(f"{count} requests", file=sys.stderr)
        return server.covered


@scenario
def library(given):
    """Documents are read, found, and forgotten; files are kept in the app's own folder; what is wrong is said."""
    with given.server() as server:
        ask = server.ask
        folder = fill_library(server)
        roots = server.get("/api/library")["roots"]
        check([row["path"] for row in roots] == [folder] and roots[0]["documents"] == 1, roots)
        hits = server.get("/api/library/search?query=boathouse&limit=5")["hits"]
        check(hits and "blue door" in hits[0]["text"], hits)
        check(server.get("/api/library/search?query=xyzzy")["hits"] == [], "something was found")
        for query in ["", "?query=", "?query=x&limit=0", "?query=x&limit=101"]:
            refused(ask("GET", f"/api/library/search{query}"), 400, "bad-query")
        # Words that mean something to a database are words.
        for words in ['"', "key OR", "NEAR(", "key*", "'; drop table", "-key", "a" * 3000, "κλειδί", "(((", "AND"]:
            server.get(f"/api/library/search?query={quoted(words)}")
        for path in ["/no/such/folder", "", "relative", "/etc/shadow\u0000"]:
            answer = ask("POST", "/api/library", {"path": path})
            check(400 <= answer.status < 500, path, answer.status)
        live = server.events()
        document = ask("PUT", "/api/library/files/moor.md", b"# Moor\n\nThe moor lantern is green and old.\n", kind="text/markdown", status=201).json
        check(pathlib.Path(document["path"]).read_text().startswith("# Moor"), document)
        read(live)
        check("lantern" in server.get("/api/library/search?query=lantern")["hits"][0]["text"], "a kept document is not found")
        for name, body, status, code in [
            ("x.exe", b"MZ", 415, "bad-document"),
            ("x", b"y", 415, "bad-document"),
            (".md", b"y", 422, "bad-name"),
            ("empty.md", b"", 422, "bad-document"),
            ("a" * 250 + ".md", b"x", 422, "bad-name"),
        ]:
            refused(ask("PUT", f"/api/library/files/{name}", body, kind="application/octet-stream"), status, code)
        # A file that is none of its kind is named and harms nothing.
        broken = server.events()
        ask("PUT", "/api/library/files/broken.pdf", b"%PDF-1.4 nothing", kind="application/pdf", status=201)
        read(broken)
        check(ask("DELETE", f"/api/library?path={quoted(folder)}", status=200).json == {"documents": 1}, "not one document was removed")
        check(server.get("/api/library/search?query=boathouse")["hits"] == [] and os.path.exists(folder + "/key.md"), "removed wrongly")
        refused(ask("DELETE", f"/api/library?path={quoted(folder)}"), 404, "not-found")
        refused(ask("DELETE", "/api/library"), 400, "bad-query")
        return server.covered


@scenario
def models(given):
    """Models are listed; unknown ones are said to be; offline nothing is fetched; what is being fetched can be stopped."""
    # Whatever a model is fetched from, it is this: an address that takes a connection and never answers.
    deaf = socket.create_server(("127.0.0.1", 0))
    nowhere = f"http://127.0.0.1:{deaf.getsockname()[1]}"
    environment = {
        "https_proxy": nowhere,
        "http_proxy": nowhere,
        "all_proxy": nowhere,
        "PIP_INDEX_URL": nowhere + "/simple",
        "PIP_CONFIG_FILE": "/dev/null",
        "no_proxy": "127.0.0.1",
    }
    with given.server(environment=environment) as server:
        ask = server.ask
        rows = server.get("/api/models")["models"]
        check(rows and {row["state"] for row in rows} == {"missing"} and not any(row["inUse"] or row["pulling"] for row in rows), rows)
        known = rows[0]["id"]
        live = server.events()
        ask("POST", f"/api/models/{known}/pull", status=202)
        held, _ = deaf.accept()
        refused(ask("POST", f"/api/models/{known}/pull"), 409, "busy")
        refused(ask("DELETE", f"/api/models/{known}"), 409, "busy")
        check([row["id"] for row in server.get("/api/models")["models"] if row["pulling"]] == [known], "it is not said to be fetched")
        ask("POST", f"/api/models/{known}/cancel", status=202)
        progress, _ = live.until("model-progress")
        while not progress["data"]["done"]:
            progress, _ = live.until("model-progress")
        held.close()
        check("Stopped" in progress["data"]["text"] and not any(row["pulling"] for row in server.get("/api/models")["models"]), progress)
        for method, path in [("POST", "pull"), ("POST", "verify"), ("POST", "cancel"), ("DELETE", "")]:
            refused(ask(method, f"/api/models/nonsense{'/' + path if path else ''}"), 404, "not-found")
        refused(ask("POST", f"/api/models/{known}/cancel"), 409, "wrong-state")
        ask("PATCH", "/api/settings", {"revision": server.get("/api/settings")["revision"], "values": {"offline": "on"}}, status=200)
        refused(ask("POST", f"/api/models/{known}/pull"), 409, "offline")
        live = server.events()
        ask("POST", f"/api/models/{known}/verify", status=202)
        progress, _ = live.until("model-progress")
        while not progress["data"]["done"]:
            progress, _ = live.until("model-progress")
        check(progress["data"]["id"] == known and progress["data"].get("error"), "a missing model is whole:", progress)
        answer = ask("DELETE", f"/api/models/{known}")
        check(answer.status in (200, 404, 422), answer.status, answer.body)
        # A file that is none is no model, and can be removed.
        store = server.folder / "none" / known
        store.mkdir()
        (store / rows[0]["id"]).write_bytes(b"junk")
        ask("DELETE", f"/api/models/{known}", status=200)
        check(server.get("/v1/models") == {"object": "list", "data": []}, "models are served that are not there")
        return server.covered


class Searx(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(
            {"query": "weather", "results": [{"url": "https://example.org/", "title": "Weather", "content": "Rain"}], "unresponsive_engines": []}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@scenario
def ledger(given):
    """What leaves the machine is listed, page by page, each once, with its sums."""
    front = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Searx)
    threading.Thread(target=front.serve_forever, daemon=True).start()
    with given.server() as server:
        values = {"research": "on", "searchProviders": "searxng", "searxngAddress": f"http://127.0.0.1:{front.server_port}"}
        server.ask("PATCH", "/api/settings", {"revision": server.get("/api/settings")["revision"], "values": values}, status=200)
        for _ in range(5):
            provider = server.ask("POST", "/api/search/check", status=200).json["providers"]
            check([row["provider"] for row in provider] == ["searxng"] and provider[0]["outcome"] in ("results", "rateLimited"), provider)
        all_ = server.get("/api/ledger?limit=1000")
        check(all_["total"]["requests"] == len(all_["requests"]) >= 3, all_["total"], len(all_["requests"]))
        check(all(row["host"] == "127.0.0.1" and row["port"] == front.server_port for row in all_["requests"]), all_["requests"][0])
        seen, next_ = [], None
        while True:
            page = server.get("/api/ledger?limit=2" + (f"&before={next_}" if next_ else ""))
            seen += [row["id"] for row in page["requests"]]
            check(page["total"] == all_["total"], "sums are of the page")
            next_ = page.get("next")
            if next_ is None:
                break
        check(seen == [row["id"] for row in all_["requests"]] and len(set(seen)) == len(seen), "pages differ:", seen)
        check(server.get("/api/ledger?job=12345")["requests"] == [], "requests of no job")
        for query in ["limit=0", "limit=1001", "before=x", "job=x", "job=-1"]:
            refused(server.ask("GET", f"/api/ledger?{query}"), 400, "bad-query")
        front.shutdown()
        return server.covered


@scenario
def data(given):
    """What is kept is listed, given and erased; nothing is erased without the word, and what was signed in is out at once."""
    with given.server() as server:
        ask = server.ask
        fill_library(server)
        job = done(server, "Where does the spare key of the boathouse hang?")
        parts = {part["id"]: part for part in server.get("/api/data")["parts"]}
        check(
            parts["agents"]["items"] == 1 and parts["library"]["items"] == 1 and parts["access"]["bytes"] > 0 and not parts["other"]["canErase"],
            parts,
        )
        file = ask("GET", "/api/data/export", status=200)
        with zipfile.ZipFile(io.BytesIO(file.body)) as archive:
            check(archive.testzip() is None, "the archive is broken")
            names = archive.namelist()
            text = b"".join(archive.read(name) for name in names)
        check(b"blue door" in text and server.key.encode() not in text, "the archive holds too little or too much:", names)
        part = server.ask("GET", "/api/data/export", headers={"Range": "bytes=0-3"})
        check(part.status == 206 and part.body == b"PK\x03\x04", part.status, part.body)
        for body, status, code in [
            ({"parts": ["agents"], "confirm": ""}, 422, "not-confirmed"),
            ({"parts": ["agents"], "confirm": "Erase"}, 422, "not-confirmed"),
            ({"parts": ["agents"]}, 400, None),
            ({"parts": [], "confirm": "erase"}, 422, "bad-part"),
            ({"parts": ["other"], "confirm": "erase"}, 422, "bad-part"),
            ({"parts": ["nonsense"], "confirm": "erase"}, 422, "bad-part"),
            ({"parts": ["agents", "nonsense"], "confirm": "erase"}, 422, "bad-part"),
            ({"confirm": "erase"}, 400, None),
            ({"parts": "agents", "confirm": "erase"}, 400, None),
        ]:
            refused(ask("POST", "/api/data/erase", body), status, code)
        check(server.get(f"/api/agents/{job['id']}")["findings"], "a refused wish has erased")
        live = server.events()
        left = {
            part["id"]: part
            for part in ask("POST", "/api/data/erase", {"parts": ["agents", "library", "takes", "ledger"], "confirm": "erase"}, status=200).json[
                "parts"
            ]
        }
        check(left["agents"]["items"] == 0 and left["library"]["items"] == 0, left)
        live.until("erased")
        refused(ask("GET", f"/api/agents/{job['id']}"), 404)
        check(server.get("/api/agents")["jobs"] == [] and server.get("/api/library")["roots"] == [], "something is there still")
        database = b"".join(path.read_bytes() for path in (server.folder / ".local/share/sotto").glob("*") if path.is_file())
        check(b"blue door" not in database and b"boathouse" not in database, "the text is on the disk still")
        # It goes on with what comes then.
        fill_library(server)
        done(server, "Where does the spare key of the boathouse hang?")
        # Who was signed in is out, now and after a restart.
        own = f"http://127.0.0.1:{server.port}"
        cookie = {"Cookie": cookie_of(ask("POST", "/api/session", {"code": server.code}, identity=None, headers={"Origin": own}))}
        server.get("/api/session", identity=cookie)
        ask("POST", "/api/data/erase", {"parts": ["access"], "confirm": "erase"}, status=200)
        refused(ask("GET", "/api/session", identity=cookie), 401, "not-identified")
        old = server.key
        server.stop()
        server.start(port=server.port)
        check(server.key != old, "the key is the old one")
        refused(server.ask("GET", "/api/session", identity={"Authorization": f"Bearer {old}"}), 401)
        refused(server.ask("GET", "/api/session", identity=cookie), 401)
        return server.covered


def record(server, purpose="transcript", rate=16_000, language="en"):
    return WebSocket(server, f"/api/listen?rate={rate}&purpose={purpose}&language={language}")


def pieces(sound, size):
    return [sound[index : index + size] for index in range(0, len(sound), size)]


def heard(socket_):
    """All messages of a recording that ends well."""
    messages = socket_.all()
    errors = [message for message in messages if message["type"] == "error"]
    check(not errors, errors)
    check(messages and messages[-1]["type"] == "end" and socket_.ending == 1000, socket_.ending, messages[-3:])
    return messages


@scenario
def hearing(given):
    """Real speech: partials that only grow, finals, the take with its sound, text and times; whatever the client does, nothing is lost."""
    with given.server(models=True) as server:
        sound, words = given.clip("picovoice/dev/cheetah_test_en_norm.wav")
        seconds = len(sound) / 32_000
        # Whole, in pieces as a browser sends them, before anything is ready.
        client = record(server)
        for piece in pieces(sound, 3200):
            client.send(piece)
        client.send({"type": "stop"})
        messages = heard(client)
        take = next(message["take"] for message in messages if message["type"] == "ready")
        finals = [message for message in messages if message["type"] == "final"]
        text = " ".join(message["text"] for message in finals)
        check(messages[-1] == {"type": "end", "take": take, "text": text}, messages[-1], text)
        check(wrong(words, text) < 0.5, "it was not heard:", text)
        committed = ""
        for message in messages:
            if message["type"] == "partial":
                check(message["committed"].startswith(committed), "what was said for certain was taken back:", committed, message)
                committed = message["committed"]
            elif message["type"] == "final":
                committed = ""
        check(all(0 <= word["start"] <= word["end"] <= seconds + 0.1 for message in finals for word in message["words"]), "words lie outside")
        kept = next(row for row in server.get("/api/takes")["takes"] if row["id"] == take)
        check(kept["state"] == "finished" and abs(kept["seconds"] - seconds) < 0.001 and kept["text"] == text, kept)
        audio = server.ask("GET", f"/api/takes/{take}/audio", status=200)
        with wave.open(io.BytesIO(audio.body)) as file:
            check(file.readframes(file.getnframes()) == sound, "the sound is another one")
        part = server.ask("GET", f"/api/takes/{take}/audio", headers={"Range": "bytes=44-53"})
        check(part.status == 206 and part.body == sound[:10], part.status)
        for format, shape in [
            ("srt", r"1\n00:00:0\d,\d{3} --> 00:00:\d\d,\d{3}\n"),
            ("vtt", r"WEBVTT\n\n(1\n)?00:00:0\d\.\d{3} --> "),
            ("text", re.escape(text)),
            ("json", r"\{"),
        ]:
            file = server.ask("GET", f"/api/takes/{take}/text?format={format}", status=200)
            check(re.match(shape, file.body.decode()), format, file.body)
        refused(server.ask("GET", f"/api/takes/{take}/text?format=pdf"), 400, "bad-query")
        check(server.ask("POST", f"/api/takes/{take}/retry", {}, status=200).json["take"]["text"], "nothing was heard again")
        refused(server.ask("POST", f"/api/takes/{take}/retry", {"engine": "nonsense"}), 422)
        for verb, path in [("GET", "audio"), ("GET", "text"), ("POST", "retry")]:
            refused(server.ask(verb, f"/api/takes/nope/{path}", {} if verb == "POST" else None), 404, "not-found")
        # A client that vanishes in the middle of a word.
        live = server.events()
        client = record(server)
        half = sound[: len(sound) // 2 // 2 * 2]
        for piece in pieces(half, 3200):
            client.send(piece)
        take = client.until("ready")[0]["take"]
        client.until("partial")
        client.reset()
        row = {}
        while row.get("text") is None:
            live.until("takes")
            row = next((row for row in server.get("/api/takes", quiet=True)["takes"] if row["id"] == take), {})
        check(
            row["state"] == "finished" and wrong(words, row["text"]) < 0.9 and plain(row["text"])[:2] == plain(text)[:2],
            "the take is not whole:",
            row,
        )
        check(0 < row["seconds"] <= len(half) / 32_000 + 0.001, row)
        # Odd byte counts: a sample that is cut in two is still one sample. Empty messages and single bytes too.
        client = record(server)
        client.send(b"")
        for piece in pieces(sound[:801], 1) + pieces(sound[801:], 1001):
            client.send(piece)
        client.send({"type": "stop"})
        odd = heard(client)
        take = odd[-1]["take"]
        with wave.open(io.BytesIO(server.ask("GET", f"/api/takes/{take}/audio", status=200).body)) as file:
            check(file.readframes(file.getnframes()) == sound, "odd pieces make another sound")
        # Another rate is heard the same.
        client = record(server, rate=48_000)
        samples = struct.unpack(f"<{len(sound) // 2}h", sound)
        client.send(b"")
        for piece in pieces(struct.pack(f"<{3 * len(samples)}h", *[sample for sample in samples for _ in range(3)]), 9600):
            client.send(piece)
        client.send({"type": "stop"})
        other = heard(client)
        check(wrong(words, other[-1]["text"]) < 0.5, "at 48 kHz:", other[-1]["text"])
        # Nothing but zeros is told; a cancelled take is dropped.
        before = {row["id"] for row in server.get("/api/takes")["takes"]}
        client = record(server)
        for piece in pieces(bytes(64_000), 3200):
            client.send(piece)
        check(client.until("silent")[0]["silent"] is True, "zeros are no silence")
        client.send(half)
        client.send({"type": "cancel"})
        rest = client.all()
        check(client.ending == 1000 and not any(message["type"] == "end" for message in rest), rest, client.ending)
        check({row["id"] for row in server.get("/api/takes")["takes"]} == before, "a cancelled take is kept")
        # Garbage: words that are no order are said to be; a broken frame ends it, and what came before is kept.
        client = record(server)
        client.send(sound)
        for text in ["garbage", '{"type":"nonsense"}', "[]", "\u0000", '{"type":7}']:
            client.send(text)
            check(client.until("error")[0]["detail"], "no word about it")
        client.send({"type": "stop"})
        check(client.until("end")[0]["text"], "garbage has ended it")
        for broken, status in [
            (b"\x82\x05hello", 1002),
            (b"\xf2\x80\0\0\0\0", 1002),
            (b"\x82\xff" + struct.pack("!Q", 1 << 40) + b"\0\0\0\0", 1009),
            (b"\x83\x80\0\0\0\0", 1002),
        ]:
            live = server.events()
            client = record(server)
            client.send(half)
            take = client.until("ready")[0]["take"]
            client.until("partial")
            client.socket.sendall(broken)
            client.all()
            check(client.ending == status, broken[:4], "ends with", client.ending)
            row = {}
            while row.get("text") is None:
                live.until("takes")
                row = next((row for row in server.get("/api/takes", quiet=True)["takes"] if row["id"] == take), {})
            check(abs(row["seconds"] - len(half) / 32_000) < 0.001, "sound is lost:", row)
        # A recording that is handed over, in another format, is heard afterwards.
        packed = subprocess.run(
            ["ffmpeg", "-loglevel", "error", "-f", "s16le", "-ar", "16000", "-ac", "1", "-i", "-", "-f", "flac", "-"],
            input=sound,
            capture_output=True,
            check=True,
        ).stdout
        live = server.events()
        given_ = server.ask("POST", "/api/takes?name=talk.flac&language=en", packed, kind="audio/flac", status=201).json["take"]
        progress, _ = live.until("take-progress")
        while not progress["data"]["done"]:
            progress, _ = live.until("take-progress")
        row = next(row for row in server.get("/api/takes")["takes"] if row["id"] == given_["id"])
        check("error" not in progress["data"] and abs(row["seconds"] - seconds) < 0.05 and wrong(words, row["text"]) < 0.5, progress, row)
        for junk in [b"", b"no sound", packed[:50], os.urandom(20_000)]:
            refused(server.ask("POST", "/api/takes?name=junk", junk, kind="application/octet-stream"), 422, "bad-recording")
        check(all(row["device"] != "junk" for row in server.get("/api/takes")["takes"]), "junk is kept")
        # Nothing at all is no take.
        before = {row["id"] for row in server.get("/api/takes")["takes"]}
        client = record(server)
        client.send({"type": "stop"})
        client.all()
        check({row["id"] for row in server.get("/api/takes")["takes"]} == before, "an empty take is kept")
        for query in ["rate=7999", "rate=x", "rate=192001", "purpose=nonsense", "language=nonsense!"]:
            client = WebSocket(server, f"/api/listen?{query}")
            check(client.receive()["type"] == "error" and client.receive() is None and client.ending == 1008, query, client.ending)
        # More at once than the machine can hear: the ninth is told, and the others are heard.
        clients = [record(server) for _ in range(8)]
        for client in clients:
            client.until("ready")
        ninth = record(server)
        check(ninth.receive()["type"] == "busy" and ninth.receive() is None and ninth.ending == 1013, "nobody is too many", ninth.ending)
        for client in clients:
            client.send({"type": "cancel"})
            client.all()
        # Dictation ends by itself.
        client = record(server, purpose="dictation")
        for piece in pieces(sound + bytes(32_000 * 6), 3200):
            client.send(piece)
        messages = client.all()
        check(
            [message["type"] for message in messages if message["type"] in ("endpoint", "end")] == ["endpoint", "end"] and client.ending == 1000,
            [message["type"] for message in messages],
        )
        server.ask("DELETE", f"/api/takes/{messages[-1]['take']}", status=204)
        refused(server.ask("DELETE", f"/api/takes/{messages[-1]['take']}"), 404, "not-found")
        server.ask("DELETE", "/api/takes", status=204)
        check(server.get("/api/takes")["takes"] == [], "takes are there still")
        return server.covered


def speak(client, **order):
    client.send({"type": "speak", **order})


@scenario
def speaking(given):
    """Text becomes speech piece by piece, from any part, no further ahead than is wanted; a new wish ends the old one."""
    with given.server(models=True) as server:
        client = WebSocket(server, "/api/speak")
        speak(client, text="The key hangs behind the blue door. It is small. Nobody has used it for years.")
        start = client.receive()
        check(start["type"] == "start" and len(start["parts"]) == 3 and start["synthetic"] is False, start)
        parts, seconds = [], 0
        while (message := client.receive())["type"] != "end":
            check(message["type"] == "piece", message)
            sound = client.receive()
            check(
                isinstance(sound, bytes) and abs(len(sound) / 2 / start["sampleRate"] - message["seconds"]) < 0.001,
                "a piece is of another length",
                len(sound),
                message,
            )
            check(any(sound), "a piece is silent")
            parts.append(message["part"])
            seconds += message["seconds"]
        # Short sentences may be said in one piece.
        check(
            parts == sorted(parts) and parts[0] == 0 and set(parts) <= {0, 1, 2} and abs(message["seconds"] - seconds) < 0.01, parts, seconds, message
        )
        # From the last part.
        speak(client, text="The key hangs behind the blue door. It is small. Nobody has used it for years.", **{"from": 2})
        check(len(client.receive()["parts"]) == 3, "the parts are others")
        rest = []
        while (message := client.receive())["type"] != "end":
            rest.append(message["part"])
            client.receive()
        check(set(rest) == {2}, rest)
        # A second wish ends the first: no piece of the first comes after the second's start.
        speak(client, text=" ".join(f"This is sentence number {index} of a long text." for index in range(40)))
        client.until("piece")
        speak(client, text="Something else.")
        second, _ = client.until("start")
        while second["parts"] != ["Something else."]:
            second, _ = client.until("start")
        check(
            all(message["text"].strip() == "Something else." for message in client.until("end")[1] if isinstance(message, dict)), "the first goes on"
        )
        # Stop, and go on with another text.
        speak(client, text=" ".join(f"This is sentence number {index} of a long text." for index in range(40)))
        client.until("piece")
        client.send({"type": "stop"})
        speak(client, text="After the stop.")
        message, before = client.until("start")
        check(
            message["parts"] == ["After the stop."] and not any(isinstance(message, dict) and message["type"] == "end" for message in before),
            "a stopped one ended well",
        )
        client.until("end")
        # No further ahead than thirty seconds.
        speak(client, text=" ".join(f"This is the sentence with the number {index} of a rather long text." for index in range(60)))
        sent, longest = 0.0, 0.0
        while sent <= 30:
            piece, _ = client.until("piece")
            sent, longest = sent + piece["seconds"], max(longest, piece["seconds"])
            client.receive()
        # Another one is served from beginning to end meanwhile: time enough for a piece too many.
        other = WebSocket(server, "/api/speak")
        speak(other, text="Somebody else is read to.")
        other.until("end")
        ahead, _, _ = select.select([client.socket], [], [], 0)
        # A ping is a sign of life and no sound (RFC 6455: operation 9).
        check(not ahead or client.socket.recv(1, socket.MSG_PEEK)[0] & 15 == 9, "the server goes on though nothing was played")
        check(sent <= 30 + longest, sent)
        client.send({"type": "played", "seconds": 20})
        client.until("piece")
        client.send({"type": "stop"})
        # What cannot be said.
        bad = WebSocket(server, "/api/speak")
        for order in [
            {"type": "speak"},
            {"type": "speak", "text": ""},
            {"type": "speak", "text": "…"},
            {"type": "speak", "job": 999},
            {"type": "speak", "text": "Hello", "speed": 9},
            {"type": "speak", "text": "Hello", "voice": "nobody"},
            {"type": "nonsense"},
            {"type": 7},
            [],
            "x",
            {"type": "speak", "text": 7},
            {"type": "speak", "text": "a " * 250_000},
        ]:
            bad.send(order if isinstance(order, (dict, list)) else f'"{order}"')
            check(bad.until("error")[0]["detail"], order)
        speak(bad, text="It works.", **{"from": -5})
        bad.until("end")
        bad.send({"type": "played", "seconds": -1})
        bad.send({"type": "played"})
        # Past the last part there is nothing to say.
        speak(bad, text="One. Two.", **{"from": 99})
        check(bad.until("error")[0]["detail"], "no word about it")
        broken = WebSocket(server, "/api/speak")
        broken.send(b"sound")
        broken.all()
        check(broken.ending == 1003, broken.ending)
        # A reader that goes away leaves nothing behind.
        gone = WebSocket(server, "/api/speak")
        speak(gone, text="Who will hear this? " * 30)
        gone.until("piece")
        gone.reset()
        last = WebSocket(server, "/api/speak")
        speak(last, text="Still here.")
        last.until("end")
        return server.covered


def spoken(server, text, voice="jm_kumo"):
    return server.ask("POST", "/v1/audio/speech", {"model": "tts-1", "input": text, "voice": voice, "response_format": "wav"}, status=200).body


@scenario
def voices(given):
    """A voice after a person's needs a sample, the words, and a consent that is asked for; all else is refused, and nothing is left of it."""
    with given.server(models=True) as server:
        ask = server.ask
        listed = server.get("/api/voices")
        check(listed["voices"] and listed["cloned"] == [] and sum(row["default"] for row in listed["voices"]) == 1, listed)
        stock = listed["voices"][0]["name"]
        sample = spoken(server, listed["sentence"])
        report = ask("POST", f"/api/voices/check?text={quoted(listed['sentence'])}", sample, kind="audio/wav", status=200).json
        check(report["isGood"] and report["heard"] and report["wordErrorRate"] < 0.25, report)
        other = ask(
            "POST",
            f"/api/voices/check?text={quoted('Something that nobody has read here at all, not one word of it.')}",
            sample,
            kind="audio/wav",
            status=200,
        ).json
        check(not other["isGood"], "other words are good")
        short = ask("POST", "/api/voices/check", sample[: 44 + 48_000], kind="audio/wav", status=200).json
        check(not short["isGood"] and any("less than" in fault for fault in short["faults"]), short)
        for junk in [b"", b"no sound at all", b"RIFF\xff\xff\xff\xffWAVEfmt ", sample[:30], os.urandom(10_000)]:
            refused(ask("POST", "/api/voices/check", junk, kind="audio/wav"), 422)
        refused(ask("POST", "/api/voices/consent", {"name": stock}), 409, "name-taken")
        for name in ["", "a/b", "..", "a" * 200, "\u0000"]:
            refused(ask("POST", "/api/voices/consent", {"name": name}), 422, "bad-name")
        refused(ask("POST", "/api/voices/consent", {}), 400)

        def add(fields):
            body, kind = multipart(fields)
            return ask("POST", "/api/voices", body, kind=kind)

        refused(add({"name": "anna", "sample": ("s.wav", sample), "consent": ("c.wav", sample)}), 422, "no-consent")
        sentence = ask("POST", "/api/voices/consent", {"name": "anna"}, status=200).json["sentence"]
        refused(add({"name": "anna", "sample": ("s.wav", sample), "consent": ("c.wav", sample), "text": listed["sentence"]}), 422, "no-consent")
        refused(add({"name": "anna", "sample": ("s.wav", sample)}), 422, "bad-sample")
        refused(add({"sample": ("s.wav", sample), "consent": ("c.wav", sample)}), 422, "bad-name")
        refused(add({"name": "anna", "sample": ("s.wav", b"junk"), "consent": ("c.wav", b"junk")}), 422)
        for body, kind in [
            (b"nothing", "multipart/form-data; boundary=x"),
            (b"nothing", "multipart/form-data"),
            (b"--x\r\n", "multipart/form-data; boundary=x"),
        ]:
            answer = ask("POST", "/api/voices", body, kind=kind)
            check(400 <= answer.status < 500, kind, answer.status, answer.body)
        check(server.get("/api/voices")["cloned"] == [], "a refused voice is kept")
        for method, path, body in [("POST", "fit", {}), ("GET", "sample", None), ("GET", "export", None)]:
            refused(ask(method, f"/api/voices/nobody/{path}", body), 404, "not-found")
        refused(ask("DELETE", "/api/voices/nobody"), 404, "not-found")
        for junk in [b"", b"SOTTOVC1 and nothing that belongs to it", os.urandom(5000)]:
            answer = ask("POST", "/api/voices/import?name=anna", junk, kind="application/octet-stream")
            check(400 <= answer.status < 500, answer.status, answer.body)
        if listed["canClone"]:
            live = server.events()
            # A recognizer may mishear a number, of this reader more than of people: then the next sentence is read, as a person would.
            for _ in range(5):
                added = add({"name": "anna", "text": listed["sentence"], "sample": ("s.wav", sample), "consent": ("c.wav", spoken(server, sentence))})
                if added.status == 201:
                    break
                refused(added, 422, "no-consent")
                sentence = ask("POST", "/api/voices/consent", {"name": "anna"}, status=200).json["sentence"]
            check(added.status == 201 and added.json["voice"]["name"] == "anna", added.status, added.body)
            job = added.json["job"]["id"]
            check(server.get("/api/voices")["cloned"][0]["job"] == job, "the voice knows no job")
            refused(ask("POST", "/api/voices/consent", {"name": "anna"}), 409, "name-taken")
            again = ask("POST", "/api/voices/anna/fit", {"tries": 3}, status=201).json["job"]
            check(again["id"] == job, "a voice is fitted twice at once")
            ask("POST", f"/api/agents/{job}/cancel", status=200)
            server.wait_for_job(job, live, "cancelled")
            refused(ask("POST", "/api/voices/anna/fit", {"tries": 0}), 422, "bad-tries")
            with wave.open(io.BytesIO(ask("GET", "/api/voices/anna/sample", status=200).body)) as file:
                check(file.getframerate() == 24_000 and file.getnframes() > 24_000 * 5, "the sample is another one")
            archive = ask("GET", "/api/voices/anna/export", status=200).body
            copy = ask("POST", "/api/voices/import?name=bella", archive, kind="application/octet-stream", status=201).json
            check(copy["voice"]["name"] == "bella" and copy["voice"].get("importedFrom") and copy["fingerprint"], copy)
            changed = bytearray(archive)
            changed[len(changed) // 2] ^= 1
            refused(ask("POST", "/api/voices/import?name=clara", bytes(changed), kind="application/octet-stream"), 422)
            client = WebSocket(server, "/api/speak")
            speak(client, text="Hello there.", voice="anna")
            check(client.receive()["synthetic"] is True, "a cloned voice is not said to be synthetic")
            client.until("end")
            for name in ["anna", "bella"]:
                ask("DELETE", f"/api/voices/{name}", status=204)
            check(server.get("/api/voices")["cloned"] == [], "voices are there still")
        return server.covered


@scenario
def services(given):
    """The interface of OpenAI, as its clients use it."""
    with given.server(models=True) as server:
        ask = server.ask
        listed = server.get("/v1/models")["data"]
        check("smollm2-135m-instruct-q4_1" in [row["id"] for row in listed], listed)
        ask("GET", "/v1/models/smollm2-135m-instruct-q4_1", status=200)
        missing = ask("GET", "/v1/models/nope", status=404)
        check(missing.json["error"]["code"] == "model_not_found", missing.body)
        chat = {"model": "smollm2-135m-instruct-q4_1", "messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 8, "temperature": 0}
        whole = ask("POST", "/v1/chat/completions", chat, status=200).json
        check(whole["choices"][0]["message"]["content"], whole)
        stream = ask("POST", "/v1/chat/completions", {**chat, "stream": True, "stream_options": {"include_usage": True}}, status=200)
        lines = [line[6:] for line in stream.body.decode().split("\n") if line.startswith("data: ")]
        check(stream.type == "text/event-stream" and lines[-1] == "[DONE]", stream.type, lines[-1:])
        chunks = [json.loads(line) for line in lines[:-1]]
        for chunk in chunks:
            server.description.named("ChatChunk", chunk)
        text = "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])
        check(
            text == whole["choices"][0]["message"]["content"]
            and chunks[-1]["usage"] == {**whole["usage"], "prompt_tokens_details": chunks[-1]["usage"]["prompt_tokens_details"]},
            text,
            whole,
        )
        for bad in [
            {},
            {"model": "x"},
            {**chat, "model": "nope"},
            {**chat, "messages": []},
            {**chat, "messages": "x"},
            {**chat, "temperature": 9},
            {**chat, "n": 2},
            {**chat, "tools": [{}]},
        ]:
            answer = ask("POST", "/v1/chat/completions", bad)
            check(answer.status in (400, 404) and answer.type == "application/json" and "error" in answer.json, bad, answer.status, answer.body)
        sound = ask(
            "POST", "/v1/audio/speech", {"model": "tts-1", "input": "The blue door is open.", "voice": "alloy", "response_format": "wav"}, status=200
        )
        check(sound.type == "audio/wav" and sound.body[:4] == b"RIFF", sound.type)
        for format, kind, magic in [
            ("mp3", "audio/mpeg", (b"ID3", b"\xff")),
            ("flac", "audio/flac", (b"fLaC",)),
            ("opus", "audio/ogg", (b"OggS",)),
            ("pcm", "audio/pcm", (b"",)),
        ]:
            file = ask("POST", "/v1/audio/speech", {"model": "tts-1", "input": "Hello.", "voice": "alloy", "response_format": format}, status=200)
            check(file.type == kind and file.body.startswith(magic), format, file.type, file.body[:8])
        for bad in [
            {"model": "tts-1", "voice": "alloy"},
            {"model": "tts-1", "input": "", "voice": "alloy"},
            {"model": "nope", "input": "x", "voice": "alloy"},
            {"model": "tts-1", "input": "x", "voice": "alloy", "speed": 9},
            {"model": "tts-1", "input": "x", "voice": "alloy", "response_format": "exe"},
        ]:
            answer = ask("POST", "/v1/audio/speech", bad)
            check(answer.status in (400, 404) and "error" in answer.json, bad, answer.status)
        for format, kind in [
            ("json", "application/json"),
            ("text", "text/plain"),
            ("srt", "application/x-subrip"),
            ("vtt", "text/vtt"),
            ("verbose_json", "application/json"),
        ]:
            body, type_ = multipart({"model": "whisper-1", "response_format": format, "language": "en", "file": ("a.wav", sound.body)})
            answer = ask("POST", "/v1/audio/transcriptions", body, kind=type_, status=200)
            check(answer.type == kind and "blue door" in answer.body.decode().lower(), format, answer.type, answer.body)
        body, type_ = multipart({"model": "whisper-1", "stream": "true", "file": ("a.wav", sound.body)})
        check("transcript.text.done" in ask("POST", "/v1/audio/transcriptions", body, kind=type_, status=200).body.decode(), "no stream")
        for fields in [
            {"model": "whisper-1"},
            {"model": "whisper-1", "file": ("a.wav", b"")},
            {"model": "whisper-1", "file": ("a.wav", b"junk")},
            {"model": "nope", "file": ("a.wav", sound.body)},
        ]:
            body, type_ = multipart(fields)
            answer = ask("POST", "/v1/audio/transcriptions", body, kind=type_)
            check(400 <= answer.status < 500 and "error" in answer.json, answer.status, answer.body)
        body, type_ = multipart({"model": "whisper-1", "file": ("a.wav", sound.body)})
        translated = ask("POST", "/v1/audio/translations", body, kind=type_)
        check(translated.status == 200 or "error" in translated.json, translated.status, translated.body)
        refused(ask("POST", "/v1/audio/translations", b"x", kind="multipart/form-data; boundary=y"), 400)
        return server.covered


@scenario
def stopping(given):
    """A stop gives a task that runs back to the queue, ends speech and events with 1001, and keeps a recording; the next start goes on."""
    with given.server(models=True) as server:
        fill_library(server)
        live = server.events()
        job = server.ask(
            "POST", "/api/agents", {"question": "Where does the spare key of the boathouse hang, and who keeps it?", "mode": "deep"}, status=201
        ).json["job"]["id"]
        while True:
            event = live.event()
            check(event["event"] != "job" or event["data"]["state"] in ("queued", "running"), "it ended too soon")
            if event["event"] == "log" and event["data"]["kind"] == "stepStarted" and event["data"]["step"].startswith("claims"):
                break
        reader = WebSocket(server, "/api/speak")
        speak(reader, text="Somebody is read to while the server stops. " * 20)
        reader.until("piece")
        recording = record(server)
        recording.send(bytes(range(256)) * 250)
        take = recording.until("ready")[0]["take"]
        seconds, status = server.stop()
        check(status == 130, "the status is", status)
        check(seconds < 15, f"a stop took {seconds:.1f} s")
        print(f"stopped in {seconds:.1f} s", file=sys.stderr)
        reader.all()
        check(reader.ending == 1001, "who is read to is told", reader.ending)
        live.all()
        check(live.ending == 1001, "who follows is told", live.ending)
        server.start()
        live = server.events()
        back = server.get(f"/api/agents/{job}")["job"]
        check(back["state"] in ("queued", "running") and back["attempt"] <= 2 and "error" not in back, back)
        live.until("job")
        server.ask("POST", f"/api/agents/{job}/cancel", status=200)
        server.wait_for_job(job, live, "cancelled", "completed")
        row = next(row for row in server.get("/api/takes")["takes"] if row["id"] == take)
        check(row["state"] in ("finished", "recovered") and abs(row["seconds"] - 2) < 0.01, "the recording is not whole:", row)
        server.stop(signal.SIGKILL)
        server.start()
        server.get("/api/session")
        return server.covered


@scenario
def openness(given):
    """What is open to everybody who reaches the server: the app's files with their tags, health, version; HEAD wherever GET is."""
    with given.server() as server:
        check(
            server.get("/health", identity=None) == {"status": "ok"} and server.get("/version", identity=None)["name"] == "sotto",
            "it says something else",
        )
        check(
            server.ask("GET", "/openapi.json", status=200, identity=None).json == json.loads((ROOT / "Web/openapi.json").read_text()),
            "another description is served",
        )
        page = server.ask("GET", "/", status=200, identity=None)
        check(page.type == "text/html" and "default-src" in page.headers["content-security-policy"], page.headers)
        check(server.ask("GET", "/", identity=None, headers={"If-None-Match": page.headers["etag"]}).status == 304, "the tag is not known")
        check(server.ask("GET", "/index.html", identity=None, headers={"Range": "bytes=0-3"}).status == 206, "no parts")
        refused(server.ask("GET", "/nope.js", identity=None), 404)
        for path in ["/", "/health", "/version", "/api/agents", "/api/data", "/api/takes", "/api/models", "/api/settings"]:
            get, head = server.ask("GET", path), server.ask("HEAD", path)
            check((head.status, head.type, head.body) == (get.status, get.type, b""), path, head.status, head.type)
        for method, path in [
            ("POST", "/health"),
            ("PUT", "/api/agents"),
            ("DELETE", "/api/settings"),
            ("PATCH", "/"),
            ("GET", "/api/agents/1/cancel"),
            ("GET", "/api/data/erase"),
            ("GET", "/api/search/check"),
        ]:
            answer = server.ask(method, path)
            check(answer.status in (404, 405) and answer.type == "application/problem+json", method, path, answer.status)
        for path in ["/api", "/api/", "/api/nope", "/v1", "/v2/models", "/API/agents"]:
            answer = server.ask("GET", path)
            check(400 <= answer.status < 500, path, answer.status)
        check(WebSocket(server, "/api/agents").status in (200, 400, 404, 426), "a WebSocket where none is")
        for path in ["/api/live", "/api/listen", "/api/speak"]:
            answer = server.raw("GET", path, headers={"Authorization": f"Bearer {server.key}"})
            check(answer.status in (400, 426), path, answer.status)
            check(WebSocket(server, path, identity=None).status == 401, path, "needs no proof")
        # The judge judges: a member too many, one too few and one of another kind are each found, at every depth.
        for path, change in [
            ("/api/session", lambda value: value.update(extra=1)),
            ("/api/agents", lambda value: value.pop("at")),
            ("/api/settings", lambda value: value["settings"][0].update(extra=1)),
            ("/api/models", lambda value: value["models"][0].update(bytes="7")),
            ("/api/data", lambda value: value["parts"][0].pop("name")),
            ("/api/doctor", lambda value: value["checks"][0].update(status="fine")),
            ("/api/voices", lambda value: value.update(schemaVersion=2)),
            ("/api/ledger", lambda value: value["total"].update(extra=1)),
            ("/api/takes", lambda value: value.update(takes=[{}])),
        ]:
            answer = server.ask("GET", path, status=200)
            value = answer.json
            change(value)
            try:
                server.description.judge("GET", path, Answer(200, answer.headers, json.dumps(value).encode()))
            except Failure:
                continue
            raise Failure(f"a wrong answer of {path} is taken for a right one")
        described = set(server.description.document["x-websockets"])
        routes = {line.split()[1] for line in server.run("serve", "--routes").stdout.splitlines() if line.endswith(" websocket")}
        check(described == routes, described, routes)
        return server.covered


if __name__ == "__main__":
    program, name, *rest = sys.argv[1:]
    models_, corpora = (rest + ["", ""])[:2]
    try:
        covered = SCENARIOS[name](Given(program, models_ or None, corpora or None))
    except Exception as error:
        traceback.print_exc()
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(1)
    print(json.dumps({"covered": sorted(f"{operation} {family}xx" for operation, family in covered)}))
