"""Sends the bytes of standard input to a port and prints, as JSON, the status codes and the text of everything that comes back.

An independent client: it knows nothing of HTTP but how http.client reads a response.
"""
import http.client
import json
import socket
import sys

port, mode = int(sys.argv[1]), sys.argv[2]
data = sys.stdin.buffer.read()
connection = socket.create_connection(("127.0.0.1", port))
if mode == "bytewise":
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        for byte in data:
            connection.sendall(bytes([byte]))
    except OSError:
        pass
else:
    try:
        connection.sendall(data)
    except OSError:
        pass
received = b""
try:
    while True:
        piece = connection.recv(65536)
        if not piece:
            break
        received += piece
except ConnectionResetError:
    received += b"<reset>"
print(json.dumps({
    "statuses": [int(part[:3]) for part in received.split(b"HTTP/1.1 ")[1:] if part[:3].isdigit()],
    "text": received.decode("latin1")[:4000],
}))
