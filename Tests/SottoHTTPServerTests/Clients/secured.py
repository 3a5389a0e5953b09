"""Clients of a server behind TLS, by Python's ssl module. Prints one JSON object."""
import base64
import hashlib
import http.client
import json
import os
import socket
import ssl
import struct
import sys

port, trusted, scenario = int(sys.argv[1]), sys.argv[2], sys.argv[3]
key = {"Authorization": "Bearer the-key"}


def trusting(offers=None, version=None):
    context = ssl.create_default_context(cafile=trusted)
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    if offers:
        context.set_alpn_protocols(offers)
    if version:
        context.minimum_version = context.maximum_version = version
    return context


def connect(name="127.0.0.1", **options):
    return trusting(**options).wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname=name, suppress_ragged_eofs=False)


def failure(work):
    try:
        work()
        return "none"
    except (ssl.SSLError, OSError) as error:
        return type(error).__name__ + " " + str(getattr(error, "reason", ""))


result = {}
if scenario == "greeting":
    connection = connect(offers=["h2", "http/1.1"])
    result["fingerprint"] = hashlib.sha256(connection.getpeercert(binary_form=True)).hexdigest()
    result["version"], result["chosen"] = connection.version(), connection.selected_alpn_protocol()
    # The end of the answer is told as TLS tells it: a cut would raise.
    connection.sendall(b"GET /parts/good HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer the-key\r\nConnection: close\r\n\r\n" % port)
    received = b""
    while piece := connection.recv(65536):
        received += piece
    result["answer"] = received.decode()
    result["versions"] = [failure(lambda: connect(version=getattr(ssl.TLSVersion, name))) for name in ("TLSv1_1", "TLSv1_2", "TLSv1_3")]
    other = ssl.create_default_context()
    result["stranger"] = failure(lambda: other.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="127.0.0.1"))
    result["misnamed"] = failure(lambda: connect(name="other.example"))
    plain = socket.create_connection(("127.0.0.1", port))
    plain.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
    try:
        result["plain"] = plain.recv(100).decode("latin1")
    except ConnectionResetError:
        result["plain"] = ""
elif scenario == "load":
    size = int(sys.argv[4])
    body = bytes(range(256)) * (size // 256)
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=trusting())
    connection.request("POST", "/echo", body=body, headers=dict(key, **{"Content-Type": "application/octet-stream"}))
    response = connection.getresponse()
    result["status"], result["same"] = response.status, response.read() == body
    for number in range(20):
        connection.request("GET", f"/parts/{number}", headers=key)
        result["kept"] = connection.getresponse().read().decode()
elif scenario == "websocket":
    connection = connect()
    nonce = base64.b64encode(os.urandom(16)).decode()
    lines = ["GET /echo-socket HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Origin: https://127.0.0.1:{port}", f"Cookie: sotto-{port}=living",
             "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {nonce}"]
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    stream = connection.makefile("rb")
    result["status"] = int(stream.readline().split()[1])
    while stream.readline().strip():
        pass
    payload = os.urandom(300_000)
    connection.sendall(bytes([0x82, 0x80 | 127]) + struct.pack("!Q", len(payload)) + bytes(4) + payload)
    head = stream.read(10)
    result["same"] = head[:2] == bytes([0x82, 127]) and stream.read(struct.unpack("!Q", head[2:])[0]) == payload
elif scenario == "stall":
    # One says nothing, one stops in its handshake, one goes away in it; a good one is served beside them.
    silent, half, gone = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
    half.sendall(bytes.fromhex("16030100ff"))
    gone.sendall(bytes.fromhex("16030100ff"))
    gone.close()
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=trusting())
    connection.request("GET", "/parts/good", headers=key)
    result["good"] = connection.getresponse().read().decode()
    connection.close()
    print(json.dumps(result), flush=True)
    sys.stdin.readline()
    result = {"ends": [other.recv(100).decode() for other in (silent, half)]}
print(json.dumps(result))
