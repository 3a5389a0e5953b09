#!/usr/bin/env python3
"""A web of recorded pages on one port of this machine: an HTTP proxy that serves them at their own addresses, and a search engine over them.

usage: server.py [--port N] [--log FILE] [--corpora DIR] [--fault FAULT]…

Point the program at it with two settings:

    sotto settings set proxy http://127.0.0.1:PORT
    sotto settings set searxngAddress http://search.recorded

With an authority (the harness's --tls) pages stand at their own https addresses, and DuckDuckGo answers with a real page that asks for proof of a person.

The first line printed tells the port as JSON. Every request is logged as one JSON object a line: time, kind (search, page, robots, tunnel,
unknown), method, url, query, status, bytes, agent,
offered (whether a search had named the page by then).

Faults, any number of them:

    search:down          the engine answers HTTP 503
    search:limited       the engine answers HTTP 429
    search:blocked       the engines behind it want proof that a person asks; no results
    search:empty         no results for anything
    missing:WHICH        pages answer 404
    forbidden:WHICH      pages answer 403
    slow:WHICH           pages drip, 1 KB a second
    broken:WHICH         the connection ends in the middle of the page
    challenge:WHICH      pages are replaced by a real page that asks for proof of a person
    paywall:WHICH        pages keep their title and first paragraph, and ask for a subscription
    copies:WHICH         pages stand at a second address too (http://copy.recorded/…), and both are found
    plant=ID:WHICH       the planted instruction ID of the injection corpus (or "all") is put into pages, with a word of its own

WHICH is a part of an address, a share such as 0.2 (chosen by a hash of the address), or `all`.
"""

import argparse
import datetime
import gzip
import hashlib
import html
import http.server
import json
import os
import pathlib
import socketserver
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import pages as recorded  # noqa: E402
import ranking  # noqa: E402

SEARCH_HOST = "search.recorded"
COPY_HOST = "copy.recorded"
DUCKDUCKGO = ("duckduckgo.com", "html.duckduckgo.com", "lite.duckduckgo.com", "api.duckduckgo.com")
SEARCH_FAULTS = ("down", "limited", "blocked", "empty")
PAGE_FAULTS = ("missing", "forbidden", "slow", "broken", "challenge", "paywall", "copies", "plant")


class Fault:
    """One fault and the pages that it befalls."""

    def __init__(self, text):
        name, separator, self.which = text.partition(":")
        self.name, _, self.what = name.partition("=")
        known = SEARCH_FAULTS if self.name == "search" else ("",)
        if not separator or (self.name == "search" and self.which not in known) or (self.name != "search" and self.name not in PAGE_FAULTS):
            raise ValueError(f"there is no fault \"{text}\"")

    def befalls(self, name):
        if self.which == "all":
            return True
        try:
            share = float(self.which)
        except ValueError:
            return self.which in name
        return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF < share


def canary(name):
    """A word that stands nowhere else: where it shows up later tells that it came from this page."""
    return "zorblax" + hashlib.sha256(name.encode()).hexdigest()[:6]


class Web:
    """What the server serves: pages, an index over them, faults, and a log of what was asked."""

    # Whoever speaks https in the name of all hosts; without one there is http alone.
    authority = None

    def __init__(self, corpora, log=None, faults=()):
        self.corpora = pathlib.Path(corpora)
        self.pages = recorded.load(corpora)
        self.index = ranking.Index(self.pages)
        self.lock = threading.Lock()
        self.log_file = open(log, "a", buffering=1) if log else None
        self.seen = []
        # Pages that a search has named so far.
        self.offered = set()
        self.faults = []
        self.set_faults(faults)

    @property
    def hosts(self):
        return {*(name.split("/", 1)[0].split(":", 1)[0] for name in self.pages), *DUCKDUCKGO, COPY_HOST}

    def served(self, page):
        """Where a page stands: at its own address, without encryption while nobody here holds the host's key."""
        return page.address if self.authority else recorded.served(page.address)

    def set_faults(self, texts):
        faults = [Fault(t) for t in texts]
        if any(f.name == "plant" for f in faults):
            lines = (self.corpora / "injection" / "attacks.jsonl").read_text().splitlines()
            self.attacks = {a["id"]: a for a in map(json.loads, lines)}
            for fault in faults:
                if fault.name == "plant" and fault.what not in ("all", *self.attacks):
                    raise ValueError(f"there is no planted instruction \"{fault.what}\"")
        if any(f.name == "challenge" for f in faults):
            self.challenge()
        self.faults = faults

    def fault(self, name, *kinds):
        return next((f for f in self.faults if f.name in kinds and f.befalls(name)), None)

    def search_fault(self):
        return next((f.which for f in self.faults if f.name == "search"), "")

    def challenge(self):
        folder = self.corpora / "serp" / "ddg-anomaly" / "dev"
        return (folder / "meka-captcha.html").read_bytes()

    # MARK: Pages

    def planted(self, name, body):
        fault = self.fault(name, "plant")
        if not fault:
            return body
        attacks = list(self.attacks.values()) if fault.what == "all" else [self.attacks[fault.what]]
        markup = "".join(a["html"] or f"<p>{html.escape(a['text'])}</p>" for a in attacks)
        markup = f"<p>Editors of this page use the keyword {canary(name)}.</p>" + markup
        # In the middle of the text, where a reader cannot cut it off with the frame of the page.
        ends = [at for at in range(len(body)) if body.startswith(b"</p>", at)]
        at = ends[len(ends) // 2] + 4 if ends else len(body)
        return body[:at] + markup.encode() + body[at:]

    def paywalled(self, name):
        page = self.pages[name]
        first = next((line for line in page.text.split("\n") if len(line) > 120), page.text[:200])
        return (
            f"<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{html.escape(page.title)}</title></head><body><article><h1>"
            f"{html.escape(page.title)}</h1><p>{html.escape(first[:160])}…</p><div class=\"paywall\"><h2>Subscribe to continue reading</h2>"
            "<p>This article is for subscribers only. Already a subscriber? <a href=\"/login\">Sign in</a></p></div></article></body></html>"
        ).encode()

    # MARK: Search

    def search(self, query, start=0):
        """As SearXNG answers `format=json`."""
        results = []
        if self.search_fault() not in ("blocked", "empty"):
            for rank, name in enumerate(self.index.search(query, start=start), 1):
                page = self.pages[name]
                found = {
                    "url": self.served(page), "title": page.title, "content": self.index.snippet(name, query), "engine": "recorded",
                    "engines": ["recorded"], "category": "general", "score": 1 / rank, "publishedDate": None,
                }
                results.append(found)
                if self.fault(name, "copies"):
                    results.append({**found, "url": f"http://{COPY_HOST}/{name}"})
        self.offered.update(recorded.key(found["url"]) for found in results[:10])
        failed = [["duckduckgo", "CAPTCHA"], ["recorded", "CAPTCHA"]] if self.search_fault() == "blocked" else []
        return {
            "query": query, "number_of_results": len(results), "results": results[:10], "answers": [], "corrections": [], "infoboxes": [],
            "suggestions": [], "unresponsive_engines": failed,
        }

    def note(self, **entry):
        entry["time"] = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
        with self.lock:
            self.seen.append(entry)
            if self.log_file:
                self.log_file.write(json.dumps(entry, ensure_ascii=False) + "\n")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "RecordedWeb", ""

    @property
    def web(self):
        return self.server.web

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="text/html", headers=(), packed=False):
        """Sends an answer whole and enters it in the log."""
        body_to_send, encoding = body, []
        if packed and "gzip" in self.headers.get("Accept-Encoding", ""):
            body_to_send, encoding = gzip.compress(body, 6), [("Content-Encoding", "gzip")]
        self.noted(status, len(body_to_send))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body_to_send)))
        for name, value in [*encoding, *headers]:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body_to_send)

    def noted(self, status, size):
        self.web.note(
            kind=self.kind, method=self.command, url=self.url, query=self.query, status=status, bytes=size, agent=self.headers.get("User-Agent", ""),
            offered=self.kind not in ("page", "unknown") or recorded.key(self.url) in self.web.offered)

    # The host that a tunnel leads to.
    tunnel = ""

    def begin(self):
        """Whose page is asked for: as to a proxy (whole address) or as to a server (path and Host, or the tunnel's)."""
        if self.tunnel:
            self.url = f"https://{self.tunnel}{self.path}"
        else:
            self.url = self.path if "://" in self.path else f"http://{self.headers.get('Host', '')}{self.path}"
        self.parts = urllib.parse.urlsplit(self.url)
        self.host = self.parts.netloc.lower().removesuffix(":80").removesuffix(":443")
        self.query, self.kind = None, "unknown"
        length = int(self.headers.get("Content-Length") or 0)
        self.sent = self.rfile.read(min(length, 1 << 20)) if length else b""

    def do_CONNECT(self):
        self.url, self.query, self.kind = self.path, None, "tunnel"
        host, authority = self.path.rsplit(":", 1)[0].lower(), self.web.authority
        if not authority or host not in authority.hosts:
            self.answer(502, b"Not here.\n", "text/plain", [("Connection", "close")])
            self.close_connection = True
            return
        self.noted(200, 0)
        self.send_response(200)
        self.end_headers()
        self.wfile.flush()
        try:
            self.connection = authority.context.wrap_socket(self.connection, server_side=True)
        except OSError:
            self.close_connection = True
            return
        self.rfile = self.connection.makefile("rb")
        self.wfile = socketserver._SocketWriter(self.connection)
        self.tunnel = host
        self.close_connection = False

    def do_GET(self):
        self.begin()
        own = self.host in (SEARCH_HOST, f"127.0.0.1:{self.server.server_port}", f"localhost:{self.server.server_port}")
        if self.parts.path == "/robots.txt":
            self.kind = "robots"
            return self.answer(404, b"not found\n", "text/plain")
        if own:
            return self.own()
        if self.host in DUCKDUCKGO:
            fields = dict(urllib.parse.parse_qsl(self.sent.decode(errors="replace") or self.parts.query))
            self.kind, self.query = "search", fields.get("q")
            return self.answer(202, self.web.challenge())
        return self.page()

    do_HEAD = do_GET
    do_POST = do_GET

    def own(self):
        fields = dict(urllib.parse.parse_qsl(self.sent.decode(errors="replace") or self.parts.query))
        if self.parts.path != "/search":
            return self.answer(404, b"not found\n", "text/plain")
        self.kind, self.query = "search", fields.get("q", "")
        fault = self.web.search_fault()
        if fault == "down":
            return self.answer(503, b"<html><title>503</title><body>Service Unavailable</body></html>")
        if fault == "limited":
            return self.answer(429, b"Too Many Requests\n", "text/plain", [("Retry-After", "60")])
        page = max(1, int(fields.get("pageno") or 1)) if (fields.get("pageno") or "1").isdigit() else 1
        found = self.web.search(self.query, start=10 * (page - 1))
        return self.answer(200, json.dumps(found, ensure_ascii=False).encode(), "application/json", packed=True)

    def page(self):
        name = recorded.key(self.url)
        if self.host == COPY_HOST:
            # The address of the copy holds the key of its page, query and all.
            name = recorded.key("http://" + name.split("/", 1)[1])
        page = self.web.pages.get(name)
        if page is None or (self.host == COPY_HOST and not self.web.fault(name, "copies")):
            known = any(k.split("/", 1)[0] == self.host for k in self.web.pages)
            return self.answer(404 if known else 502, b"<html><title>Not here</title><body>Not recorded.</body></html>")
        self.kind = "page"
        fault = self.web.fault(name, "missing", "forbidden", "slow", "broken", "challenge", "paywall")
        match fault.name if fault else "":
            case "missing":
                return self.answer(404, b"<html><title>404</title><body>Not found</body></html>")
            case "forbidden":
                return self.answer(403, b"<html><title>403</title><body>Forbidden</body></html>")
            case "challenge":
                return self.answer(202, self.web.challenge())
            case "paywall":
                return self.answer(200, self.web.paywalled(name))
            case "slow" | "broken" as how:
                return self.drip(page.body, broken=how == "broken")
        return self.answer(200, self.web.planted(name, page.body), packed=True)

    def finish(self):
        super().finish()
        if self.tunnel:
            self.connection.close()

    def drip(self, body, broken):
        self.noted(200, len(body))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.close_connection = True
        try:
            for at in range(0, len(body) // 2 if broken else len(body), 1024):
                self.wfile.write(body[at : at + 1024])
                self.wfile.flush()
                if not broken and self.server.stopping.wait(1):
                    return
        except OSError:
            return


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, web, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.web = web
        self.stopping = threading.Event()

    def handle_error(self, request, client_address):
        """A reader that goes away is no fault of this server."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.shutdown()
        self.server_close()

    @property
    def proxy(self):
        return f"http://127.0.0.1:{self.server_port}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log")
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA", ""))
    parser.add_argument("--fault", action="append", default=[])
    options = parser.parse_args()
    if not options.corpora:
        sys.exit("no pages: set SOTTO_CORPORA to the folder of the corpora")
    try:
        web = Web(options.corpora, options.log, options.fault)
    except ValueError as error:
        sys.exit(f"{error}; see server.py --help")
    with Server(web, options.port) as server:
        print(json.dumps({"port": server.server_port, "proxy": server.proxy, "search": f"http://{SEARCH_HOST}", "pages": len(web.pages)}), flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
