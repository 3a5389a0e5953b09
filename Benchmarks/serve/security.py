#!/usr/bin/env python3
"""The security matrix: attacks by name, over real sockets, against `sotto serve` and for comparison against another local server.

    security.py [--program PATH] [--models DIR] [--against jupyter-server] [--only KIND] [--table]

Each case is a browser, a page or a stranger that wants what it may not have; it carries the owner's cookie wherever a browser might. An outcome is
`refused` (no answer that gives or does anything, the connection's end included), `harmless` (answered, but nothing changed and no other origin may
read it) or `LET THROUGH`. After each kind the server must still answer its owner. Ends with status 1 when anything is let through by `sotto serve`.
The other server has another design: cases that do not apply to it are counted apart.
"""

import argparse
import base64
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]

import pinned  # noqa: E402

WEBSOCKET = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
CLOSE = "Connection: close\r\n"


class Sotto:
    name = "sotto serve"
    private, change, body, socket_, frames = "/api/agents", "/api/agents", '{"question":"Who was here?","at":"in 5 hours"}', "/api/live", "/api/speak"
    parameters = ["/api/agents/{}", "/api/takes/{}/audio", "/api/voices/{}/sample"]
    skipped = {}

    def __init__(self, options):
        import serving

        self.server = serving.Server(options.models, **({"program": options.program} if options.program else {}))

    def __enter__(self):
        self.server.__enter__()
        self.port, self.process = self.server.port, self.server.process
        answer = urllib.request.urlopen(
            urllib.request.Request(
                f"http://127.0.0.1:{self.port}/api/session",
                json.dumps({"code": self.server.address.split("#code=")[1]}).encode(),
                {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{self.port}"},
            )
        )
        self.cookie = "Cookie: " + answer.headers["Set-Cookie"].split(";")[0] + "\r\n"
        self.proof = f"Authorization: Bearer {self.server.key}\r\n"
        self.key = self.server.key
        # What the app itself sends beside its cookie.
        self.own = f"Origin: http://127.0.0.1:{self.port}\r\n"
        return self

    def __exit__(self, *_):
        self.server.__exit__()

    def state(self):
        return len(self.server.ask("GET", "/api/agents?limit=200")["jobs"])


class Jupyter:
    """Its server, with a token and a password cookie as its own page has it."""

    name = "jupyter-server"
    private, change, body, socket_, frames = "/api/contents", "/api/contents", '{"type":"file"}', "/api/events/subscribe", "/api/events/subscribe"
    parameters = ["/api/contents/{}", "/files/{}", "/api/sessions/{}"]
    skipped = {
        "the key in the address": "its documented way in",
        "the key in the address, as access_token": "its documented way in",
        "a document that unpacks without end": "takes no documents",
        "an archive that unpacks without end": "takes no archives",
        "a recording that unpacks without end": "takes no recordings",
        "signing in by a page of another origin": "has a form of its own",
        "signing out by a page of another origin": "has another address for it",
        "erasing by a form": "has no such address",
    }

    def __init__(self, options):
        self.python = pinned.environment("serve/peers")

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="peer-")
        root = pathlib.Path(self.folder.name)
        (root / "files").mkdir()
        self.key = os.urandom(24).hex()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        environment = {
            **os.environ,
            "HOME": str(root),
            "JUPYTER_DATA_DIR": str(root / "d"),
            "JUPYTER_RUNTIME_DIR": str(root / "r"),
            "JUPYTER_CONFIG_DIR": str(root / "c"),
        }
        self.process = subprocess.Popen(
            [
                self.python,
                "-m",
                "jupyter_server",
                "--no-browser",
                "--allow-root",
                f"--ServerApp.port={self.port}",
                "--ServerApp.port_retries=0",
                f"--IdentityProvider.token={self.key}",
                f"--ServerApp.root_dir={root / 'files'}",
            ],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api").read()
                break
            except OSError:
                time.sleep(0.2)
        # The page's way in: the token's address gives the cookies.
        import http.client

        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        # The form's own page gives the cookie against CSRF.
        connection.request("GET", "/login")
        answer = connection.getresponse()
        pairs = [value.split(";")[0] for name, value in answer.getheaders() if name.lower() == "set-cookie"]
        answer.read()
        connection.request("GET", f"/login?token={self.key}", headers={"Cookie": "; ".join(pairs)})
        answer = connection.getresponse()
        pairs += [value.split(";")[0] for name, value in answer.getheaders() if name.lower() == "set-cookie"]
        answer.read()
        self.cookie = "Cookie: " + "; ".join({pair.split("=")[0]: pair for pair in pairs}.values()) + "\r\n"
        self.proof = f"Authorization: token {self.key}\r\n"
        xsrf = next((pair.split("=", 1)[1] for pair in pairs if pair.startswith("_xsrf")), "")
        self.own = f"Origin: http://127.0.0.1:{self.port}\r\nX-XSRFToken: {xsrf}\r\n"
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.folder.cleanup()

    def state(self):
        return len(os.listdir(pathlib.Path(self.folder.name) / "files"))


class Talk:
    """What came back for some bytes."""

    def __init__(self, raw, ended, seconds):
        self.raw, self.ended, self.seconds = raw, ended, seconds
        self.statuses = [int(code) for code in re.findall(rb"(?:^|\n|\})HTTP/1\.[01] (\d{3})", raw)]
        self.head = raw.split(b"\r\n\r\n")[0].lower()

    @property
    def isOpenToOthers(self):
        return b"access-control-allow-origin" in self.head


def talk(target, data, patience=4.0, pieces=None, until=None):
    """Sends bytes and reads until the end, or for so long."""
    start = time.monotonic()
    raw, ended = b"", False
    with socket.create_connection(("127.0.0.1", target.port), timeout=patience) as connection:
        connection.settimeout(patience)
        try:
            connection.sendall(data)
        except OSError:
            pass
        try:
            while not (until and until(raw)):
                connection.settimeout(max(0.05, patience - (time.monotonic() - start)))
                part = connection.recv(65536)
                if part == b"":
                    ended = True
                    break
                raw += part
        except ConnectionError:
            ended = True
        except TimeoutError:
            pass
    return Talk(raw, ended, time.monotonic() - start)


class Case:
    def __init__(self, kind, name, run):
        self.kind, self.name, self.run = kind, name, run


REFUSED, HARMLESS, THROUGH = "refused", "harmless", "LET THROUGH"


def cases(target):
    port = target.port
    host = f"Host: 127.0.0.1:{port}\r\n"
    made = []

    def add(kind, name, run):
        made.append(Case(kind, name, run))

    def gets_nothing(data, name, kind, reads=False, patience=4.0):
        """Nothing is given: no success. For `reads`, a page of another origin asks, which its browser does not let read what was not opened to it."""

        def run():
            sent = data.encode("latin-1") if isinstance(data, str) else data
            got = talk(target, sent, patience)
            # To be opened to others counts where another one asks; programs with the key are no pages.
            if b"root:" in got.raw or (b"\r\nOrigin:" in sent and got.isOpenToOthers):
                return THROUGH
            if not any(200 <= status < 300 or status == 101 for status in got.statuses):
                return REFUSED
            return HARMLESS if reads else THROUGH

        add(kind, name, run)

    def changes_nothing(data, name, kind):
        def run():
            before = target.state()
            got = talk(target, data.encode("latin-1"))
            if target.state() != before or got.isOpenToOthers:
                return THROUGH
            return HARMLESS if any(200 <= status < 300 for status in got.statuses) else REFUSED

        add(kind, name, run)

    def no_handshake(head, name, kind):
        def run():
            got = talk(target, head.encode("latin-1"), until=lambda raw: b"\r\n\r\n" in raw)
            return THROUGH if 101 in got.statuses else REFUSED

        add(kind, name, run)

    def request(method, path, fields, body=""):
        length = f"Content-Length: {len(body)}\r\n" if body or method in ("POST", "PUT", "PATCH") else ""
        return f"{method} {path} HTTP/1.1\r\n{fields}{length}{CLOSE}\r\n{body}"

    # DNS rebinding: a stranger's name that leads here. The cookie is there, as if the browser had been fooled in full.
    names = {
        "a stranger's name": "evil.example",
        "a stranger's name with our port": f"evil.example:{port}",
        "our address in front of a stranger's": f"127.0.0.1.evil.example:{port}",
        "our address and port in front": f"127.0.0.1:{port}.evil.example",
        "localhost in front": f"localhost.evil.example:{port}",
        "a name that ends like ours": f"notlocalhost:{port}",
        "all addresses": f"0.0.0.0:{port}",
        "a public address": f"203.0.113.7:{port}",
        "a name of the home network": f"router.lan:{port}",
        "a user before a stranger": f"127.0.0.1:{port}@evil.example",
        "a fragment": f"evil.example#127.0.0.1:{port}",
        "a path": f"evil.example/127.0.0.1:{port}",
        "two names in one": f"127.0.0.1:{port}, evil.example",
        "an encoded stranger": f"evil%2eexample:{port}",
        "a name of another script": f"lоcalhost:{port}".encode().decode("latin-1"),
        "no name": "",
        "a line's end in it": f"127.0.0.1:{port}\r\n evil.example",
        "a tab in it": f"evil.example\t127.0.0.1:{port}",
    }
    for what, name in names.items():
        gets_nothing(f"GET {target.private} HTTP/1.1\r\nHost: {name}\r\n{target.cookie}{CLOSE}\r\n", f"reading under {what}", "DNS rebinding")
        no_handshake(
            f"GET {target.socket_} HTTP/1.1\r\nHost: {name}\r\n{target.cookie}Origin: http://{name}\r\n{WEBSOCKET}\r\n",
            f"a WebSocket under {what}",
            "DNS rebinding",
        )
    gets_nothing(f"GET {target.private} HTTP/1.1\r\n{host}Host: evil.example\r\n{target.cookie}{CLOSE}\r\n", "a second name", "DNS rebinding")
    gets_nothing(f"GET {target.private} HTTP/1.1\r\n{target.cookie}{CLOSE}\r\n", "no name field", "DNS rebinding")
    gets_nothing(
        f"GET http://evil.example{target.private} HTTP/1.1\r\n{host}{target.cookie}{CLOSE}\r\n", "another name in the address", "DNS rebinding"
    )
    gets_nothing(
        f"GET {target.private} HTTP/1.1\r\n{host}X-Forwarded-Host: evil.example\r\nForwarded: for=127.0.0.1;host=127.0.0.1\r\nX-Forwarded-For: 127.0.0.1\r\n{CLOSE}\r\n",
        "a claim to come from this machine",
        "DNS rebinding",
    )

    # Pages of other origins.
    origins = {
        "a stranger": "http://evil.example",
        "a sandboxed page": "null",
        "our origin in front": f"http://127.0.0.1:{port}.evil.example",
        "our port on a stranger": f"http://evil.example:{port}",
        "ours as a user": f"http://127.0.0.1:{port}@evil.example",
        "another port": "http://127.0.0.1:3000",
        "no port": "http://127.0.0.1",
        "another scheme": f"https://127.0.0.1:{port}",
        "localhost of a stranger": f"http://localhost.evil.example:{port}",
        "two origins": f"http://127.0.0.1:{port} http://evil.example",
        "a file": "file://",
        "an extension": "chrome-extension://abcdefgh",
        "all addresses": f"http://0.0.0.0:{port}",
        "a fragment": f"http://evil.example#127.0.0.1:{port}",
        "a name that ends like ours": f"http://evil127.0.0.1:{port}",
        "an escaped one": f"http://127.0.0.1%3a{port}",
    }
    for what, origin in origins.items():
        gets_nothing(
            request("GET", target.private, f"{host}{target.cookie}Origin: {origin}\r\n"), f"reading by {what}", "origin look-alikes", reads=True
        )
        changes_nothing(
            request("POST", target.change, f"{host}{target.cookie}Origin: {origin}\r\nContent-Type: application/json\r\n", target.body),
            f"a change by {what}",
            "origin look-alikes",
        )
        no_handshake(
            f"GET {target.socket_} HTTP/1.1\r\n{host}{target.cookie}Origin: {origin}\r\n{WEBSOCKET}\r\n",
            f"a WebSocket by {what}",
            "cross-site WebSocket",
        )
    no_handshake(
        f"GET {target.socket_} HTTP/1.1\r\n{host}{target.cookie}{WEBSOCKET}\r\n", "a WebSocket with a cookie and no origin", "cross-site WebSocket"
    )
    no_handshake(
        f"GET {target.socket_} HTTP/1.1\r\n{host}Origin: http://127.0.0.1:{port}\r\n{WEBSOCKET}\r\n",
        "a WebSocket without a proof",
        "cross-site WebSocket",
    )
    no_handshake(
        f"GET {target.socket_} HTTP/1.1\r\n{host}Origin: http://127.0.0.1:{port}\r\nOrigin: http://evil.example\r\n{target.cookie}{WEBSOCKET}\r\n",
        "a WebSocket of two origins",
        "cross-site WebSocket",
    )
    no_handshake(
        f"GET {target.socket_} HTTP/1.1\r\n{host}{target.cookie}Origin: http://evil.example\r\nSec-WebSocket-Protocol: {target.key}\r\n{WEBSOCKET}\r\n",
        "a WebSocket with the key as its protocol",
        "cross-site WebSocket",
    )

    # CSRF: what a page may send without being asked about it.
    foreign = "Origin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\n"
    for what, fields, body in [
        ("a form", "Content-Type: application/x-www-form-urlencoded\r\n", "question=Who&type=file"),
        ("a form that hides JSON", "Content-Type: text/plain\r\n", target.body),
        (
            "a form with files",
            "Content-Type: multipart/form-data; boundary=x\r\n",
            '--x\r\nContent-Disposition: form-data; name="question"\r\n\r\nWho?\r\n--x--\r\n',
        ),
        ("no-cors without a type", "", target.body),
        ("JSON by another name", "Content-Type: application/csp-report\r\n", target.body),
        ("two types", "Content-Type: application/json, text/plain\r\n", target.body),
        ("a type with a trick", "Content-Type: text/plain; application/json\r\n", target.body),
        ("JSON, as after a preflight", "Content-Type: application/json\r\n", target.body),
    ]:
        changes_nothing(request("POST", target.change, host + target.cookie + foreign + fields, body), f"{what}, from another page", "CSRF")
        changes_nothing(request("POST", target.change, host + target.cookie + fields, body), f"{what}, with no origin", "CSRF")
    for what, method, path, fields in [
        ("a link", "GET", target.change + "?_method=POST", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"),
        ("an image", "GET", target.change, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: image\r\n"),
        ("a method in a field", "GET", target.change, "X-HTTP-Method-Override: POST\r\n"),
        ("a method in a form", "POST", target.change + "?_method=DELETE", foreign),
        ("HEAD", "HEAD", target.change, ""),
        ("a sister's page", "POST", target.change, "Sec-Fetch-Site: same-site\r\nOrigin: http://127.0.0.1:3000\r\n"),
        ("DELETE from another page", "DELETE", target.change + "/1", foreign),
        ("PUT from another page", "PUT", target.change + "/x.txt", foreign),
        ("PATCH from another page", "PATCH", target.change + "/1", foreign),
    ]:
        changes_nothing(request(method, path, host + target.cookie + fields), f"{what}", "CSRF")
    for method in ["POST", "DELETE", "GET"]:
        gets_nothing(
            request(
                "OPTIONS",
                target.change,
                f"{host}Origin: http://evil.example\r\nAccess-Control-Request-Method: {method}\r\nAccess-Control-Request-Private-Network: true\r\n",
            ),
            f"a preflight for {method}",
            "CSRF",
            reads=True,
        )
    gets_nothing(
        request("POST", "/api/session", f"{host}{foreign}Content-Type: application/json\r\n", '{"code":"guess"}'),
        "signing in by a page of another origin",
        "CSRF",
    )
    gets_nothing(request("DELETE", "/api/session", f"{host}{target.cookie}{foreign}"), "signing out by a page of another origin", "CSRF")
    gets_nothing(
        request("POST", "/api/data/erase", f"{host}{target.cookie}{foreign}Content-Type: text/plain\r\n", '{"parts":["agents"],"confirm":"erase"}'),
        "erasing by a form",
        "CSRF",
    )

    # Proofs.
    basic = base64.b64encode(f"x:{target.key}".encode()).decode()
    for what, fields in [
        ("no proof", ""),
        ("a wrong key", "Authorization: Bearer wrong\r\n"),
        ("a key that is one letter longer", target.proof.replace("\r\n", "x\r\n")),
        ("a key that is one letter shorter", target.proof[:-3] + "\r\n"),
        ("the key as a password", f"Authorization: Basic {basic}\r\n"),
        ("two keys", target.proof + "Authorization: Bearer wrong\r\n"),
        ("an empty key", "Authorization: Bearer \r\n"),
        ("a forged cookie", re.sub("=[^;\r]+", "=forged", target.cookie)),
        ("an empty cookie", re.sub("=[^;\r]+", "=", target.cookie)),
        ("the key as a cookie", re.sub("=[^;\r]+", "=" + target.key, target.cookie)),
        ("a cookie of another port", "Cookie: sotto-1=x\r\n"),
        ("a thousand cookies", "Cookie: " + "; ".join(f"a{index}=b" for index in range(500)) + "\r\n"),
    ]:
        gets_nothing(request("GET", target.private, host + fields), what, "proofs")
    gets_nothing(request("GET", f"{target.private}?token={target.key}", host), "the key in the address", "proofs")
    gets_nothing(
        request("GET", f"{target.private}?access_token={target.key}&key={target.key}", host), "the key in the address, as access_token", "proofs"
    )

    # More than is wanted. All with the proof: the owner's own program may be wrong too.
    post = f"POST {target.change} HTTP/1.1\r\n{host}{target.proof}Content-Type: application/json\r\n"
    for what, data in [
        ("ten thousand fields", f"GET {target.private} HTTP/1.1\r\n{host}" + "A: b\r\n" * 10_000 + "\r\n"),
        ("a hundred thousand bytes in a field", f"GET {target.private} HTTP/1.1\r\n{host}A: {'a' * 100_000}\r\n\r\n"),
        ("a hundred thousand bytes in a name", f"GET {target.private} HTTP/1.1\r\n{host}{'a' * 100_000}: b\r\n\r\n"),
        ("a huge address", f"GET /{'a' * 100_000} HTTP/1.1\r\n{host}\r\n"),
        ("a huge query", f"GET {target.private}?{'a=b&' * 30_000} HTTP/1.1\r\n{host}{target.proof}\r\n"),
        ("a huge method", f"{'G' * 100_000} / HTTP/1.1\r\n{host}\r\n"),
        ("a huge version", f"GET / HTTP/1.{'1' * 100_000}\r\n{host}\r\n"),
        ("a body of an exabyte", f"{post}Content-Length: 1152921504606846976\r\n\r\n{{}}"),
        ("a length beyond numbers", f"{post}Content-Length: {'9' * 40}\r\n\r\n{{}}"),
        ("a chunk of an exabyte", f"{post}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFF\r\n{{}}"),
        ("a chunk beyond numbers", f"{post}Transfer-Encoding: chunked\r\n\r\n{'F' * 40}\r\n{{}}"),
        ("a chunk's extension without end", f"{post}Transfer-Encoding: chunked\r\n\r\n2;{'a' * 100_000}\r\n{{}}\r\n0\r\n\r\n"),
        ("trailers without end", f"{post}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n" + "A: b\r\n" * 20_000 + "\r\n"),
        ("JSON a hundred thousand deep", f"{post}Content-Length: 200000\r\n{CLOSE}\r\n" + "[" * 100_000 + "]" * 100_000),
        ("objects thirty thousand deep", f"{post}Content-Length: {30_000 * 6 + 1}\r\n{CLOSE}\r\n" + '{"a":' * 30_000 + "1" + "}" * 30_000),
        ("a number of a hundred thousand digits", f"{post}Content-Length: 100014\r\n{CLOSE}\r\n" + '{"question": ' + "9" * 100_000 + "}"),
    ]:
        gets_nothing(data, what, "oversize and floods")

    # Messages that two could read in two ways.
    inner = f"GET {target.private} HTTP/1.1\r\n{host}{target.cookie}\r\n"
    for what, data in [
        ("two lengths", f"{post}Content-Length: 2\r\nContent-Length: 30\r\n\r\n{{}}{inner}"),
        ("a length and chunks", f"{post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}"),
        ("chunks and another coding", f"{post}Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n{inner}"),
        ("a coding that is nearly chunked", f"{post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{inner}"),
        ("a coding with a tab", f"{post}Transfer-Encoding:\tchunked, identity\r\n\r\n0\r\n\r\n{inner}"),
        ("a space before the colon", f"{post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n{inner}"),
        ("a folded field", f"{post}Content-Length:\r\n 2\r\n\r\n{{}}{inner}"),
        ("a negative length", f"{post}Content-Length: -2\r\n\r\n{{}}{inner}"),
        ("a length with a sign", f"{post}Content-Length: +2\r\n\r\n{{}}{inner}"),
        ("a length in hex", f"{post}Content-Length: 0x2\r\n\r\n{{}}{inner}"),
        ("a length with an underscore", f"{post}Content-Length: 0_2\r\n\r\n{{}}{inner}"),
        ("a list of lengths", f"{post}Content-Length: 2, 2\r\n\r\n{{}}{inner}"),
        ("a chunk's size with a sign", f"{post}Transfer-Encoding: chunked\r\n\r\n+2\r\n{{}}\r\n0\r\n\r\n{inner}"),
        ("a chunk's size in 0x", f"{post}Transfer-Encoding: chunked\r\n\r\n0x2\r\n{{}}\r\n0\r\n\r\n{inner}"),
        ("a chunk's size with an underscore", f"{post}Transfer-Encoding: chunked\r\n\r\n0_2\r\n{{}}\r\n0\r\n\r\n{inner}"),
        ("a chunk without its line's end", f"{post}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}X0\r\n\r\n{inner}"),
        ("line feeds for line ends in chunks", f"{post}Transfer-Encoding: chunked\r\n\r\n2\n{{}}\n0\n\n{inner}"),
        ("line feeds alone", f"GET {target.private} HTTP/1.1\n{host}{target.proof}\n"),
        ("a bare carriage return", f"GET {target.private} HTTP/1.1\r\n{host}A: b\rHost: evil.example\r\n{target.proof}\r\n"),
        ("a NUL in a field", f"GET {target.private} HTTP/1.1\r\n{host}{target.proof}A: b\0c\r\n{CLOSE}\r\n"),
        ("a field without a name", f"GET {target.private} HTTP/1.1\r\n{host}{target.proof}: b\r\n{CLOSE}\r\n"),
        ("a field without a colon", f"GET {target.private} HTTP/1.1\r\n{host}{target.proof}nonsense\r\n{CLOSE}\r\n"),
        ("a name with a space", f"GET {target.private} HTTP/1.1\r\n{host}{target.proof}A B: c\r\n{CLOSE}\r\n"),
        ("a name beyond ASCII", f"GET {target.private} HTTP/1.1\r\n{host}{target.proof}\xff: c\r\n{CLOSE}\r\n"),
        ("two spaces in the first line", f"GET  {target.private} HTTP/1.1\r\n{host}{target.proof}{CLOSE}\r\n"),
        ("a tab in the first line", f"GET\t{target.private} HTTP/1.1\r\n{host}{target.proof}{CLOSE}\r\n"),
        ("a method in small letters", f"get {target.private} HTTP/1.1\r\n{host}{target.proof}{CLOSE}\r\n"),
        ("HTTP/0.9", f"GET {target.private}\r\n\r\n"),
        ("HTTP/1.9", f"GET {target.private} HTTP/1.9\r\n{host}{target.proof}{CLOSE}\r\n"),
        ("HTTP/2 in the clear", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        ("a tunnel", f"CONNECT internal.example:22 HTTP/1.1\r\n{host}{target.proof}\r\n"),
        ("TRACE", f"TRACE / HTTP/1.1\r\n{host}{target.proof}{CLOSE}\r\n"),
        ("an asterisk", f"GET * HTTP/1.1\r\n{host}{target.proof}{CLOSE}\r\n"),
        ("TLS on a plain port", "\x16\x03\x01\x00\x05hello\r\n\r\n"),
        ("an unknown method", f"FROBNICATE {target.private} HTTP/1.1\r\n{host}{target.proof}{CLOSE}\r\n"),
        ("a body with GET", f"GET {target.private} HTTP/1.1\r\n{host}Content-Length: {len(inner)}\r\n\r\n{inner}"),
    ]:
        gets_nothing(data, what, "smuggling and malformed requests")

    # Traversal, in what is open and with the proof in what takes names.
    for what, path in [
        ("dots", "/../../../etc/passwd"),
        ("escaped dots", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd"),
        ("escaped slashes", "/..%2f..%2f..%2fetc%2fpasswd"),
        ("backslashes", "/..\\..\\..\\etc\\passwd"),
        ("escaped backslashes", "/..%5c..%5cetc%5cpasswd"),
        ("an absolute path", "//etc/passwd"),
        ("overlong UTF-8", "/%c0%ae%c0%ae/%c0%ae%c0%ae/etc/passwd"),
        ("twice escaped", "/%252e%252e/%252e%252e/etc/passwd"),
        ("a NUL", "/index.html%00.js"),
        ("a file of the machine", "/etc/passwd"),
        ("dots behind a file", "/index.html/../../etc/passwd"),
        ("a semicolon", "/..;/..;/etc/passwd"),
        ("a hidden file", "/.git/config"),
        ("a drive", "/C:/Windows/win.ini"),
        ("a stream", "/index.html::$DATA"),
    ]:
        gets_nothing(request("GET", path, host + target.proof), f"{what}", "traversal")
    for place, pattern in zip(["first", "second", "third"], target.parameters):
        for what, name in [
            ("escaped slashes", "..%2f..%2f..%2fetc%2fpasswd"),
            ("escaped dots", "%2e%2e"),
            ("a NUL", "a%00b"),
            ("a line's end", "a%0d%0aX-Evil:1"),
            ("an absolute path", "%2fetc%2fpasswd"),
            ("a broken escape", "%zz"),
            ("no UTF-8", "%ff%fe"),
        ]:
            gets_nothing(
                request("GET", pattern.format(name), host + target.proof), f"{what} as a name, in the {place} address that takes one", "traversal"
            )

    # WebSocket handshakes and frames, with every right.
    good = f"{host}{target.proof}"
    for what, head in [
        ("an old version", f"GET {target.socket_} HTTP/1.1\r\n{good}{WEBSOCKET.replace('Version: 13', 'Version: 8')}\r\n"),
        ("no key", f"GET {target.socket_} HTTP/1.1\r\n{good}{re.sub('Sec-WebSocket-Key.*', '', WEBSOCKET).rstrip()}\r\n\r\n"),
        ("a short key", f"GET {target.socket_} HTTP/1.1\r\n{good}{WEBSOCKET.replace('dGhlIHNhbXBsZSBub25jZQ==', 'AAAA')}\r\n"),
        ("POST", f"POST {target.socket_} HTTP/1.1\r\n{good}{WEBSOCKET}Content-Length: 0\r\n\r\n"),
        ("HTTP/1.0", f"GET {target.socket_} HTTP/1.0\r\n{good}{WEBSOCKET}\r\n"),
        ("another protocol", f"GET {target.socket_} HTTP/1.1\r\n{good}{WEBSOCKET.replace('Upgrade: websocket', 'Upgrade: h2c')}\r\n"),
        ("where there is none", f"GET {target.private} HTTP/1.1\r\n{good}{WEBSOCKET}\r\n"),
        ("two keys", f"GET {target.socket_} HTTP/1.1\r\n{good}{WEBSOCKET}Sec-WebSocket-Key: eGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"),
    ]:
        no_handshake(head, f"a handshake with {what}", "WebSocket frames")

    def frame(first, payload=b"", masked=True, length=None):
        size = len(payload) if length is None else length
        head = bytes([first]) + (
            bytes([(0x80 if masked else 0) | size])
            if size < 126
            else (
                bytes([(0x80 if masked else 0) | 126]) + struct.pack("!H", size)
                if size < 65_536
                else bytes([(0x80 if masked else 0) | 127]) + struct.pack("!Q", size)
            )
        )
        return head + (b"\0\0\0\0" if masked else b"") + payload

    def breaks(name, data, patience=10.0):
        """The connection ends, with a status that says so or without."""

        def run():
            head = f"GET {target.frames} HTTP/1.1\r\n{good}{WEBSOCKET}\r\n".encode()
            with socket.create_connection(("127.0.0.1", port), timeout=patience) as connection:
                connection.sendall(head)
                raw = b""
                while b"\r\n\r\n" not in raw:
                    part = connection.recv(65536)
                    if part == b"":
                        return REFUSED
                    raw += part
                if b" 101 " not in raw.split(b"\r\n")[0]:
                    return REFUSED
                start = time.monotonic()
                try:
                    connection.sendall(data)
                    while time.monotonic() - start < patience:
                        connection.settimeout(max(0.1, patience - (time.monotonic() - start)))
                        part = connection.recv(65536)
                        if part == b"":
                            return REFUSED
                        raw += part
                except TimeoutError:
                    return THROUGH
                except OSError:
                    return REFUSED
            return THROUGH

        add("WebSocket frames", name, run)

    breaks("a frame without a mask", frame(0x81, b"hello", masked=False))
    breaks("a reserved kind", frame(0x83, b"hello"))
    breaks("a reserved control", frame(0x8B, b""))
    for bit, what in [(0x40, "first"), (0x20, "second"), (0x10, "third")]:
        breaks(f"the {what} reserved bit", frame(0x81 | bit, b"hello"))
    breaks("a length of eight exabytes", b"\x81\xff" + struct.pack("!Q", 1 << 63) + b"\0\0\0\0")
    breaks("a length of a terabyte", b"\x81\xff" + struct.pack("!Q", 1 << 40) + b"\0\0\0\0")
    breaks("a length that is longer than it needs", b"\x81\xfe" + struct.pack("!H", 5) + b"\0\0\0\0hello")
    breaks("a ping in pieces", frame(0x09, b"hello"))
    breaks("a ping of 126 bytes", frame(0x89, b"a" * 126))
    breaks("a rest without a beginning", frame(0x80, b"hello"))
    breaks("a message within a message", frame(0x01, b"one") + frame(0x81, b"two"))
    breaks("text that is no UTF-8", frame(0x81, b"\xc3\x28"))
    breaks("text with half a pair", frame(0x81, b"\xed\xa0\x80"))
    breaks("a close with one byte", frame(0x88, b"\x03"))
    breaks("a close with a reserved status", frame(0x88, struct.pack("!H", 1005)))
    breaks("a close with text that is no UTF-8", frame(0x88, struct.pack("!H", 1000) + b"\xff"))
    breaks("a message larger than is taken", frame(0x81, b"a" * (20 << 20)), 20)
    breaks("pieces without end", frame(0x01, b"a") + frame(0x00, b"a" * 60_000) * 400, 20)
    breaks("HTTP after the handshake", inner.encode())

    # Bombs.
    bomb = gzip.compress(b"[" + b"0," * (32 << 20) + b"0]", 9)
    for coding, data in [
        ("gzip", bomb),
        ("deflate", zlib.compress(b"0" * (64 << 20), 9)),
        ("br", bomb[:100]),
        ("zstd", bomb[:100]),
        ("gzip, gzip", gzip.compress(bomb)),
        ("x-gzip", bomb),
    ]:
        gets_nothing(
            f"{post}Content-Encoding: {coding}\r\nContent-Length: {len(data)}\r\n{CLOSE}\r\n".encode() + data,
            f"a body in {coding}",
            "decompression bombs",
            patience=20,
        )
    for coding in ["gzip, chunked", "deflate, chunked"]:
        gets_nothing(
            f"{post}Transfer-Encoding: {coding}\r\n\r\n{len(bomb[:60000]):x}\r\n".encode() + bomb[:60000] + b"\r\n0\r\n\r\n",
            f"a transfer in {coding}",
            "decompression bombs",
        )

    def compressed():
        """A compressed message is taken only when compression was agreed on; then it is a bomb."""
        head = f"GET {target.frames} HTTP/1.1\r\n{good}{WEBSOCKET}Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n".encode()
        got = talk(target, head, until=lambda raw: b"\r\n\r\n" in raw)
        if b"permessage-deflate" not in got.head:
            return REFUSED
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        data = packer.compress(b"a" * (256 << 20)) + packer.flush(zlib.Z_SYNC_FLUSH)
        before = memory(target)
        got = talk(target, head + frame(0xC1, data[:-4]), 20)
        return THROUGH if memory(target) - before > 128 or not got.ended else REFUSED

    add("decompression bombs", "a compressed message of 256 MiB", compressed)
    zeros = zlib.compress(bytes(512 << 20), 9)
    pdf = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        + b"3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R>>endobj\n4 0 obj<</Filter/FlateDecode/Length "
        + str(len(zeros)).encode()
        + b">>stream\n"
        + zeros
        + b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n"
    )

    def grows_little(name, method, path, kind, data):
        def run():
            before = memory(target)
            head = f"{method} {path} HTTP/1.1\r\n{host}{target.proof}Content-Type: {kind}\r\nContent-Length: {len(data)}\r\n{CLOSE}\r\n".encode()
            got = talk(target, head + data, 60)
            if not got.statuses:
                return THROUGH
            # Documents are read after the answer: whoever asks is told when that has ended.
            end = time.monotonic() + 30
            peak = memory(target, children=True)
            while time.monotonic() < end and not is_quiet(target):
                peak = max(peak, memory(target, children=True))
                time.sleep(0.2)
            return THROUGH if peak - before > 600 else REFUSED if got.statuses[0] >= 400 else HARMLESS

        add("decompression bombs", name, run)

    grows_little("a document that unpacks without end", "PUT", "/api/library/files/bomb.pdf", "application/pdf", pdf)
    grows_little(
        "an archive that unpacks without end", "POST", "/api/voices/import?name=bomb", "application/octet-stream", gzip.compress(bytes(64 << 20))
    )
    silence = subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "36000", "-f", "flac", "-"], capture_output=True
    ).stdout
    grows_little("a recording that unpacks without end", "POST", "/api/voices/check", "audio/flac", silence[: 30 << 20] or b"x")

    # Slow ones: the connection is ended in time, whatever is wanted of it.
    def slow(name, beginning, drip, limit):
        def run():
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                connection.sendall(beginning)
                start = time.monotonic()
                while time.monotonic() - start < limit:
                    connection.settimeout(2)
                    try:
                        part = connection.recv(65536)
                        if part == b"":
                            return REFUSED
                    except TimeoutError:
                        pass
                    except OSError:
                        return REFUSED
                    if drip:
                        try:
                            connection.sendall(drip)
                        except OSError:
                            return REFUSED
            return THROUGH

        add("slow clients", name, run)

    slow("nothing at all", b"", b"", 60)
    slow("a head byte by byte", b"GET / HTTP/1.1\r\n", b"a", 60)
    slow("fields without end, slowly", f"GET / HTTP/1.1\r\n{host}".encode(), b"A: b\r\n", 60)
    slow("half a first line", b"GET /", b"", 60)
    slow("a body that does not come", f"{post}Content-Length: 100\r\n\r\n".encode(), b"", 60)
    slow("half a chunk", f"{post}Transfer-Encoding: chunked\r\n\r\n64\r\n{{".encode(), b"", 60)
    slow("half a WebSocket handshake", f"GET {target.socket_} HTTP/1.1\r\n{host}{WEBSOCKET}".encode(), b"", 60)
    slow("a WebSocket that answers no ping", f"GET {target.socket_} HTTP/1.1\r\n{good}{WEBSOCKET}\r\n".encode(), b"", 75)
    return made


def memory(target, children=False):
    """Megabytes of the server's process, and with `children` of those that it started."""
    total = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            text = path.read_text()
        except OSError:
            continue
        number, parent = int(path.parent.name), int(re.search(r"PPid:\s+(\d+)", text)[1])
        if number == target.process.pid or (children and parent == target.process.pid):
            resident = re.search(r"VmRSS:\s+(\d+)", text)
            total += int(resident[1]) / 1024 if resident else 0
    return total


def is_quiet(target):
    """Whether the server uses no processor time."""

    def used():
        fields = pathlib.Path(f"/proc/{target.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    before = used()
    time.sleep(0.5)
    return used() - before <= 2


def is_well(target):
    got = talk(target, f"GET {target.private} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n{target.proof}{CLOSE}\r\n".encode(), 20)
    own = talk(target, f"GET {target.private} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n{target.cookie}{target.own}{CLOSE}\r\n".encode(), 20)
    return got.statuses == [200] and own.statuses == [200]


def measure(target, only):
    """Outcomes by kind and name."""
    if not is_well(target):
        raise SystemExit(f"{target.name} does not answer its owner")
    before = target.state()
    got = talk(
        target,
        f"POST {target.change} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n{target.cookie}{target.own}Content-Type: application/json\r\nContent-Length: {len(target.body)}\r\n{CLOSE}\r\n{target.body}".encode(),
    )
    if target.state() != before + 1:
        raise SystemExit(f"{target.name} does not do what its owner wants: {got.raw[:500]}")
    got = talk(
        target,
        f"GET {target.socket_} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n{target.cookie}{target.own}{WEBSOCKET}\r\n".encode(),
        until=lambda raw: b"\r\n\r\n" in raw,
    )
    if 101 not in got.statuses:
        raise SystemExit(f"{target.name} does not talk to its owner: {got.raw[:500]}")
    outcomes, broken = {}, []
    listed = [case for case in cases(target) if only is None or case.kind == only]
    pool = concurrent.futures.ThreadPoolExecutor(16)
    kinds = list(dict.fromkeys(case.kind for case in listed))
    for kind in kinds:
        of_kind = [case for case in listed if case.kind == kind]
        apart = [case for case in of_kind if case.name in target.skipped]
        for case in apart:
            outcomes[(kind, case.name)] = "does not apply: " + target.skipped[case.name]
        run = [case for case in of_kind if case not in apart]
        results = pool.map(lambda case: case.run(), run) if kind == "slow clients" else (case.run() for case in run)
        for case, outcome in zip(run, results):
            outcomes[(kind, case.name)] = outcome
        if not is_well(target):
            broken.append(kind)
    return outcomes, broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program")
    parser.add_argument("--models", default=os.environ.get("SOTTO_MODELS", str(pinned.cache() / "models")))
    parser.add_argument("--against", choices=["jupyter-server"])
    parser.add_argument("--only")
    parser.add_argument("--table", action="store_true", help="one line a case, in Markdown")
    options = parser.parse_args()
    results = {}
    for kind in [Sotto] + ([Jupyter] if options.against else []):
        with kind(options) as target:
            results[target.name] = measure(target, options.only)
    listed = list(results["sotto serve"][0])
    names = list(results)
    if options.table:
        print("| kind | case | " + " | ".join(names) + " |\n|---|---|" + "---|" * len(names))
        for key in listed:
            print(f"| {key[0]} | {key[1]} | " + " | ".join(results[name][0][key] for name in names) + " |")
        print()
    print(
        "| kind | cases | "
        + " | ".join(f"{name}: refused / harmless / let through / does not apply" for name in names)
        + " |\n|---|---|"
        + "---|" * len(names)
    )
    for kind in list(dict.fromkeys(key[0] for key in listed)) + [None]:
        keys = [key for key in listed if kind in (None, key[0])]
        cells = []
        for name in names:
            found = [results[name][0][key] for key in keys]
            cells.append(
                f"{found.count(REFUSED)} / {found.count(HARMLESS)} / {found.count(THROUGH)} / {sum(one.startswith('does not') for one in found)}"
            )
        print(f"| {kind or 'all'} | {len(keys)} | " + " | ".join(cells) + " |")
    for name in names:
        through = [f"{kind}: {case}" for (kind, case), outcome in results[name][0].items() if outcome == THROUGH]
        print(f"\n{name}: {len(through)} let through" + (f"; not well after {results[name][1]}" if results[name][1] else ""))
        for line in through:
            print(f"- {line}")
    outcomes, broken = results["sotto serve"]
    sys.exit(1 if broken or THROUGH in outcomes.values() else 0)


if __name__ == "__main__":
    main()
