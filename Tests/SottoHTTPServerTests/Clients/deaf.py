"""Asks for an endless stream and never reads it; ends when the server gives it up. Prints how much had come by then."""
import json
import socket
import sys

connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
connection.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost:%s\r\nAuthorization: Bearer the-key\r\n\r\n" % sys.argv[1].encode())
print("asked", flush=True)
sys.stdin.readline()  # until the test has seen that the server gave us up
count = 0
try:
    while True:
        piece = connection.recv(1 << 20)
        if not piece:
            break
        count += len(piece)
except ConnectionResetError:
    pass
print(json.dumps({"count": count}))
