"""A WebSocket client by hand (RFC 6455), independent of the server's own code. Prints one JSON object."""
import base64
import hashlib
import json
import os
import socket
import struct
import sys

port, scenario = int(sys.argv[1]), sys.argv[2]


class Client:
    def __init__(self, headers=None, path="/echo-socket"):
        self.socket = socket.create_connection(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        fields = {"Host": f"localhost:{port}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                  "Sec-WebSocket-Key": key, "Authorization": "Bearer the-key"}
        fields.update(headers or {})
        lines = [f"GET {path} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items() if value is not None]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while (line := self.file.readline().strip()):
            name, value = line.decode().split(": ", 1)
            self.headers[name.lower()] = value
        expected = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        self.accepted = self.headers.get("sec-websocket-accept") == expected

    def send(self, opcode, payload, fin=True):
        mask = os.urandom(4)
        head = bytes([(0x80 if fin else 0) | opcode])
        if len(payload) < 126:
            head += bytes([0x80 | len(payload)])
        elif len(payload) < 65536:
            head += struct.pack("!BH", 0x80 | 126, len(payload))
        else:
            head += struct.pack("!BQ", 0x80 | 127, len(payload))
        pad = (mask * (len(payload) // 4 + 1))[:len(payload)]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(pad, "big")).to_bytes(len(payload), "big") if payload else b""
        self.socket.sendall(head + mask + masked)

    def receive(self):
        head = self.file.read(2)
        if len(head) < 2:
            return None
        length = head[1] & 127
        if length == 126:
            length = struct.unpack("!H", self.file.read(2))[0]
        elif length == 127:
            length = struct.unpack("!Q", self.file.read(8))[0]
        assert head[1] & 128 == 0, "a server's frame is not masked"
        assert head[0] & 128, "this server sends whole frames"
        return head[0] & 15, self.file.read(length)

    def until_close(self):
        while (frame := self.receive()) is not None:
            if frame[0] == 8:
                return struct.unpack("!H", frame[1][:2])[0], frame[1][2:].decode()
        return None, ""


if scenario == "echo":
    client = Client()
    lengths, same = [0, 1, 125, 126, 127, 65535, 65536, 1 << 20], True
    for length in lengths:
        payload = os.urandom(length)
        client.send(2, payload)
        same = same and client.receive() == (2, payload)
        text = "ü€😀"[: max(1, length % 4)].encode() * (length // 12 + 1)
        client.send(1, text)
        same = same and client.receive() == (1, text)
    client.send(1, "€".encode()[:1], fin=False)
    client.send(9, b"between")
    client.send(0, "€".encode()[1:], fin=False)
    client.send(0, b"!")
    frames = [client.receive(), client.receive()]
    client.send(8, struct.pack("!H", 1000) + b"bye")
    frames = [[opcode, payload.decode()] for opcode, payload in frames]
    print(json.dumps({"accepted": client.accepted, "same": same, "frames": frames, "close": client.until_close()}))
elif scenario == "raw":
    client = Client()
    client.socket.sendall(sys.stdin.buffer.read())
    print(json.dumps({"close": client.until_close()}))
elif scenario == "handshake":
    client = Client(json.loads(sys.argv[3]))
    print(json.dumps({"status": client.status}))
elif scenario == "events":
    client = Client(path="/event-socket?after=" + sys.argv[4])
    print(json.dumps({"events": [json.loads(client.receive()[1]) for _ in range(int(sys.argv[3]))]}))
elif scenario == "wait":
    client = Client()
    print(json.dumps({"close": client.until_close()}))
