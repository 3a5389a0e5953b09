"""Asks for something, reads a little of it, and goes away: closed in order, or reset. Prints one JSON object."""
import json
import socket
import struct
import sys

port, path, way = int(sys.argv[1]), sys.argv[2], sys.argv[3]
connection = socket.create_connection(("127.0.0.1", port))
fields = ["Host: 127.0.0.1:%d" % port, "Authorization: Bearer the-key"]
if path.endswith("socket"):
    fields += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
connection.sendall(("GET %s HTTP/1.1\r\n%s\r\n\r\n" % (path, "\r\n".join(fields))).encode())
# A handler that says nothing before it waits tells the test itself.
count = 0 if path == "/silent" else len(connection.recv(4096))
if path == "/silent":
    print(json.dumps({"count": 0}), flush=True)
    sys.stdin.readline()
if way == "reset":
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
connection.close()
print(json.dumps({"count": count}))
