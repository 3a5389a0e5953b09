"""An HTTP/1.1 server on loopback with byte ranges and faults. Prints its port; ends when its standard input does.

/MODE/NAME serves FOLDER/NAME:  plain · noranges · drop-N (closes after N bytes of every answer) · short (says and sends half) ·
corrupt-once · corrupt (a flipped byte) · endless · hang-N (stops after N bytes) · slow (8 KiB a step) · changed (first answer is
another version, cut off) · busy (503 twice) · missing (404) · redirect-N (N hops, then plain) · tofile (redirects to file:) ·
wrongrange (answers 206 with other bytes than asked)
Each answer is a line of JSON in FOLDER/requests.log: mode, range, ifRange, status, sent, closed. A line on standard input is answered by one on standard
output once no answer is under way, at most five seconds later: until then the log may lack what the client has already.
"""
import hashlib, http.server, json, os, socketserver, sys, threading, time

folder = sys.argv[1]
lock = threading.Lock()
counts = {}
answers = threading.Condition()
under_way = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def note(self, **row):
        with lock, open(os.path.join(folder, "requests.log"), "a") as file:
            file.write(json.dumps(row) + "\n")

    def do_GET(self):
        global under_way
        with answers:
            under_way += 1
        try:
            self.answer()
        finally:
            with answers:
                under_way -= 1
                answers.notify_all()

    def answer(self):
        mode, _, name = self.path.lstrip("/").partition("/")
        kind, _, number = mode.partition("-")
        number = int(number) if number.isdigit() else 0
        with lock:
            counts[self.path] = counts.get(self.path, 0) + 1
            turn = counts[self.path]
        asked = self.headers.get("Range")
        condition = self.headers.get("If-Range")
        self.close_connection = True

        def plain(status, headers=()):
            self.send_response(status)
            for key, value in headers:
                self.send_header(key, value)
            self.send_header("Content-Length", "0")
            self.end_headers()
            self.note(mode=mode, range=asked, ifRange=condition, status=status, sent=0)

        if kind == "redirect" and mode != "redirect-0":
            return plain(302, [("Location", f"/redirect-{number - 1}/{name}")])
        if kind == "tofile":
            return plain(302, [("Location", f"file://{folder}/{name}")])
        if kind == "missing":
            return plain(404)
        if kind == "busy" and turn <= 2:
            return plain(503)
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        whole = len(data)
        if mode == "corrupt" or (mode == "corrupt-once" and turn == 1):
            data = data[:1000] + bytes([data[1000] ^ 1]) + data[1001:]
        if kind == "short":
            data = data[: whole // 2]
        if kind == "changed" and turn == 1:
            data = bytes(byte ^ 255 for byte in data[:200_000]) + data[200_000:]
        tag = '"' + hashlib.sha256(data).hexdigest()[:16] + '"'
        start = 0
        if asked and kind != "noranges" and (condition is None or condition == tag):
            start = int(asked.removeprefix("bytes=").split("-")[0])
        if kind == "endless":
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.pour(iter(lambda: b"x" * 65536, b""), mode, asked, condition, 200)
            return
        if start >= len(data) and start:
            return plain(416, [("Content-Range", f"bytes */{len(data)}")])
        status = 206 if start else 200
        self.send_response(status)
        if kind != "noranges":
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("ETag", tag)
        if status == 206:
            if kind == "wrongrange":
                start = 0
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        body = data[start:]
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if kind in ("drop", "hang"):
            body = body[:number]
        if kind == "changed" and turn == 1:
            body = body[:150_000]
        if kind == "wrongrange" and turn == 1:
            body = body[:100_000]
        step = 8192 if kind == "slow" else 65536
        steps = (body[at : at + step] for at in range(0, len(body), step))
        self.pour(steps, mode, asked, condition, status, pause=0.002 if kind == "slow" else 0, hang=kind == "hang")

    def pour(self, steps, mode, asked, condition, status, pause=0.0, hang=False):
        sent = 0
        closed = False
        try:
            for step in steps:
                self.wfile.write(step)
                sent += len(step)
                if pause:
                    time.sleep(pause)
            self.wfile.flush()
            if hang:
                # Returns when the client closes its side.
                closed = self.connection.recv(1) == b""
        except OSError:
            closed = True
        self.note(mode=mode, range=asked, ifRange=condition, status=status, sent=sent, closed=closed)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
for line in sys.stdin:
    with answers:
        answers.wait_for(lambda: under_way == 0, timeout=5)
    print("settled", flush=True)
