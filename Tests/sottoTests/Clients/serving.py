"""The built program's server, and a client of it that shares no code with it: HTTP and WebSocket by the
standard library, answers judged by openapi.json."""

import base64
import hashlib
import http.client
import json
import os
import pathlib
import queue
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import urllib.parse

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Far beyond what anything takes on a busy machine: it ends what hangs, and measures nothing.
PATIENCE = 120


class Failure(AssertionError):
    """What is not as it is to be."""


def check(condition, *what):
    if not condition:
        raise Failure(" ".join(str(part)[:1500] for part in what))


class Server:
    """A server with folders of its own. `models` is None for none."""

    def __init__(self, program, models=None, words=(), environment=None, folder=None, plain=None):
        self.program, self.words, self.models = program, list(words), models
        self.owned = tempfile.TemporaryDirectory(prefix="sotto-api-") if folder is None else None
        self.folder = pathlib.Path(folder or self.owned.name)
        (self.folder / "none").mkdir(exist_ok=True)
        (self.folder / "run").mkdir(mode=0o700, exist_ok=True)
        base = {
            "HOME": str(self.folder),
            "PATH": "/usr/bin:/bin",
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "SOTTO_MODELS": models or str(self.folder / "none"),
            "SOTTO_WEB": str(ROOT / "Web"),
        }
        self.environment = {**base, **(plain if plain is not None else {"LANG": "C.UTF-8", "TZ": "Europe/Berlin"}), **(environment or {})}
        self.process, self.covered = None, set()
        self.notes, self.asked = [], 0

    def __enter__(self):
        if not (self.folder / ".config/sotto/config.json").exists():
            self.write(
                ".config/sotto/config.json",
                json.dumps({"research": False, **({"languageModel": "smollm2-135m-instruct-q4_1"} if self.models else {})}),
            )
        return self.start()

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.owned:
            self.owned.cleanup()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def start(self, *words, port=0):
        self.notes = []
        self.process = subprocess.Popen(
            [self.program, "serve", "--port", str(port), *self.words, *words],
            env=self.environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        process = self.process
        self.ended_notes = threading.Thread(target=lambda: [self.notes.append(line.rstrip()) for line in process.stderr], daemon=True)
        self.ended_notes.start()
        self.address = process.stdout.readline().strip()
        if not self.address:
            process.wait()
            self.ended_notes.join()
            raise Failure("the server did not start:", "\n".join(self.notes))
        self.code = self.address.split("#code=")[1]
        self.port = int(self.address.split(":")[2].split("/")[0])
        self.key = self.run("serve", "--key").stdout.strip()
        self.description = Description(json.loads(self.raw("GET", "/openapi.json").body))
        return self

    def run(self, *words, **more):
        return subprocess.run(
            [self.program, *words], env=self.environment, cwd="/", capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, **more
        )

    def stop(self, number=signal.SIGTERM):
        """Seconds that it took to end, and its status."""
        start = time.monotonic()
        self.process.send_signal(number)
        status = self.process.wait(timeout=PATIENCE)
        self.ended_notes.join()
        return time.monotonic() - start, status

    # Requests

    def raw(self, method, path, body=None, headers=None, timeout=PATIENCE):
        """One request as it is said, without any proof."""
        # Each address of this machine has a burst of requests of its own: another one after 200, so that nothing waits.
        self.asked += 1
        source = f"127.0.{self.asked // 200 // 250}.{self.asked // 200 % 250 + 1}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=(source, 0))
        try:
            connection.putrequest(method, path, skip_host="Host" in (headers or {}), skip_accept_encoding=True)
            if body is not None and not any(name.lower() == "content-length" for name in headers or {}):
                connection.putheader("Content-Length", str(len(body)))
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            connection.endheaders()
            if body:
                connection.send(body)
            answer = connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def ask(self, method, path, body=None, status=None, headers=None, identity="key", kind=None, quiet=False):
        """A request that is judged by the description: its status, content type and body. `body` is JSON, or bytes with their `kind`."""
        fields = {"key": {"Authorization": f"Bearer {self.key}"}, None: {}}.get(identity) if not isinstance(identity, dict) else dict(identity)
        if body is not None:
            fields["Content-Type"] = kind or "application/json"
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        fields.update(headers or {})
        answer = self.raw(method, path, data, fields)
        operation = self.description.judge(method, path, answer)
        if operation and not quiet:
            self.covered.add((operation, answer.status // 100))
        if operation and 200 <= answer.status < 300 and body is not None and not isinstance(body, bytes):
            self.description.judge_request(method, path, body)
        if status is not None:
            check(answer.status == status, f"{method} {path} answered {answer.status}, not {status}:", answer.body)
        return answer

    def get(self, path, **more):
        return self.ask("GET", path, status=200, **more).json

    def events(self, after=None):
        """Live events from now on: from a position that was asked for, since what happens while a WebSocket opens comes before its own."""
        return WebSocket(self, f"/api/live?after={after or self.get('/api/agents?limit=1', quiet=True)['at']}")

    def wait_for_job(self, number, live, *states):
        """The job once an event says that it is in one of those states."""
        job = self.get(f"/api/agents/{number}", quiet=True)["job"]
        while job["state"] not in states:
            event = live.event()
            if event["event"] == "job" and event["data"]["id"] == number:
                job = event["data"]
        return job


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body) if self.body else None

    @property
    def type(self):
        return self.headers.get("content-type", "").split(";")[0]


class Description:
    """openapi.json as the judge of answers."""

    def __init__(self, document):
        self.document = document
        self.validators = {}
        self.paths = sorted(document["paths"], key=lambda path: ("{path}" in path, path.count("{")))

    def operations(self):
        return {
            (method.upper(), path): operation
            for path, item in self.document["paths"].items()
            for method, operation in item.items()
            if method != "parameters"
        }

    def find(self, method, path):
        plain = path.split("?")[0]
        for pattern in self.paths:
            shape = re.escape(pattern).replace(r"\{path\}", ".*")
            if re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", shape), plain):
                operation = self.document["paths"][pattern].get({"HEAD": "get"}.get(method, method.lower()))
                if operation:
                    return operation
        return None

    def resolve(self, value):
        while "$ref" in value:
            target = self.document
            for part in value["$ref"][2:].split("/"):
                target = target[part]
            value = target
        return value

    def validate(self, schema, value, what):
        name = json.dumps(schema, sort_keys=True)
        if name not in self.validators:
            whole = {**schema, "components": self.document["components"]}
            jsonschema.Draft202012Validator.check_schema(whole)
            self.validators[name] = jsonschema.Draft202012Validator(whole)
        error = jsonschema.exceptions.best_match(self.validators[name].iter_errors(value))
        check(error is None, what, "is not as described:", error and f"{error.json_path}: {error.message}")

    def named(self, name, value, what=""):
        self.validate({"$ref": f"#/components/schemas/{name}"}, value, what or name)

    def judge(self, method, path, answer):
        """The operation's id; None for an address or a method that is described nowhere."""
        operation = self.find(method, path)
        what = f"{method} {path} → {answer.status}"
        for name in ("content-security-policy", "x-content-type-options", "cache-control"):
            check(name in answer.headers, what, "has no", name)
        check(not any(name.startswith("access-control-") for name in answer.headers), what, "lets other origins in")
        if operation is None:
            check(answer.status >= 400 and answer.type == "application/problem+json", what, "is described nowhere")
            self.named("Problem", answer.json, what)
            return None
        declared = operation["responses"].get(str(answer.status))
        if declared is None:
            check(answer.status >= 400, what, "is a status that is described nowhere")
            declared = operation["responses"]["default"]
        declared = self.resolve(declared)
        if "content" not in declared:
            check(answer.body == b"", what, "has a body:", answer.body)
            return operation["operationId"]
        if method == "HEAD":
            return operation["operationId"]
        check(answer.type in declared["content"] or "*/*" in declared["content"], what, "is of type", answer.type, answer.body[:300])
        schema = declared["content"].get(answer.type, {}).get("schema")
        if schema and answer.type.endswith("json"):
            self.validate(schema, answer.json, what)
        if answer.type == "application/problem+json":
            check(answer.json["status"] == answer.status, what, "is another status in its body")
        return operation["operationId"]

    def judge_request(self, method, path, body):
        operation = self.find(method, path)
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        check(schema, method, path, "takes a body, and is described without")
        self.validate(schema, body, f"the body of {method} {path}")


class WebSocket:
    """RFC 6455, by hand. Messages are judged by the description's schema of the address, where one is named."""

    SCHEMAS = {"/api/live": "LiveEvent", "/api/listen": "HearingMessage", "/api/speak": "SpeakingMessage"}

    def __init__(self, server, path, headers=None, identity="key", small_buffer=False):
        self.server, self.path = server, path
        self.socket = socket.socket()
        if small_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", server.port))
        key = base64.b64encode(os.urandom(16)).decode()
        fields = {
            "Host": f"127.0.0.1:{server.port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key,
        }
        if identity == "key":
            fields["Authorization"] = f"Bearer {server.key}"
        elif identity:
            fields.update(identity)
        fields.update(headers or {})
        self.socket.sendall(
            (f"GET {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value is not None) + "\r\n").encode()
        )
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        lines = iter(lambda: self.file.readline().strip(), b"")
        self.headers = {name.decode().lower(): value.decode() for name, value in (line.split(b": ", 1) for line in lines)}
        if self.status == 101:
            expected = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
            check(self.headers.get("sec-websocket-accept") == expected, "the handshake's answer is another one's")
        self.ending = None
        self.sending = threading.Lock()

    def send(self, message, opcode=None):
        payload = (
            message if isinstance(message, (bytes, bytearray)) else json.dumps(message).encode() if not isinstance(message, str) else message.encode()
        )
        opcode = opcode if opcode is not None else 2 if isinstance(message, (bytes, bytearray)) else 1
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([0x80 | opcode]) + (
            bytes([0x80 | size]) if size < 126 else struct.pack("!BH", 0xFE, size) if size < 65536 else struct.pack("!BQ", 0xFF, size)
        )
        pad = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(pad, "big")).to_bytes(size, "big") if payload else b""
        with self.sending:
            self.socket.sendall(head + mask + masked)

    def receive(self):
        """A message: text as an object, sound as bytes; None at the end, whose status is `ending`."""
        while True:
            head = self.file.read(2)
            if len(head) < 2:
                return None
            length = head[1] & 127
            if length == 126:
                length = struct.unpack("!H", self.file.read(2))[0]
            elif length == 127:
                length = struct.unpack("!Q", self.file.read(8))[0]
            payload = self.file.read(length)
            opcode = head[0] & 15
            if opcode == 9:
                self.send(payload, 10)
            elif opcode == 8:
                self.ending = struct.unpack("!H", payload[:2])[0] if payload else 1005
                return None
            elif opcode == 2:
                return payload
            elif opcode == 1:
                value = json.loads(payload)
                name = self.SCHEMAS.get(self.path.split("?")[0])
                if name:
                    self.server.description.named(name, value, f"{self.path} {payload[:300]}")
                return value

    def event(self):
        while (message := self.receive()) is not None:
            if message["event"] != "heartbeat":
                return message
        raise Failure("live events ended", self.ending)

    def until(self, kind):
        """The first message of a type (or event) and all those before it."""
        before = []
        while (message := self.receive()) is not None:
            if isinstance(message, dict) and kind in (message.get("type"), message.get("event")):
                return message, before
            before.append(message)
        raise Failure(f"{self.path} ended with {self.ending} before \"{kind}\":", before[-5:])

    def all(self):
        return list(iter(self.receive, None))

    def close(self):
        self.socket.close()

    def reset(self):
        """Leaves as a machine that is switched off does."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.file.close()
        self.socket.close()


class ServerSent:
    """GET /api/events."""

    def __init__(self, server, last=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        self.connection.request("GET", "/api/events", headers={"Authorization": f"Bearer {server.key}", **({"Last-Event-ID": last} if last else {})})
        self.answer = self.connection.getresponse()
        check(self.answer.status == 200 and self.answer.getheader("Content-Type") == "text/event-stream", "server-sent events:", self.answer.status)
        self.server = server

    def event(self):
        fields = {}
        while True:
            line = self.answer.readline()
            if not line:
                raise Failure("server-sent events ended")
            line = line.decode().rstrip("\n")
            if line == "":
                if "event" in fields:
                    value = {"id": fields["id"], "event": fields["event"], "data": json.loads(fields["data"])}
                    self.server.description.named("LiveEvent", value)
                    return value
                fields = {}
            elif not line.startswith(":"):
                name, _, text = line.partition(": ")
                fields[name] = text

    def close(self):
        self.connection.close()


def number(event):
    return int(event["id"].split("-")[1])


def multipart(fields):
    """Fields as text, or as (name of a file, bytes)."""
    border = "border" + os.urandom(8).hex()
    body = b""
    for name, value in fields.items():
        body += f'--{border}\r\nContent-Disposition: form-data; name="{name}"'.encode()
        if isinstance(value, tuple):
            body += f'; filename="{value[0]}"\r\nContent-Type: application/octet-stream\r\n\r\n'.encode() + value[1]
        else:
            body += b"\r\n\r\n" + value.encode()
        body += b"\r\n"
    return body + f"--{border}--\r\n".encode(), f"multipart/form-data; boundary={border}"


def quoted(text):
    return urllib.parse.quote(text, safe="")
