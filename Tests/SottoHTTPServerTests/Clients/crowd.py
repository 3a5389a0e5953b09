"""Opens many connections that send half a head and then nothing, and asks properly in between. Prints one JSON object."""
import http.client
import json
import resource
import socket
import sys

port, crowd = int(sys.argv[1]), int(sys.argv[2])
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, crowd + 200), hard))
slow, good, kept = [], [], http.client.HTTPConnection("127.0.0.1", port)
for number in range(crowd):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")
    slow.append(connection)
    if number % 50 == 49:
        fresh = http.client.HTTPConnection("127.0.0.1", port)
        fresh.request("GET", "/parts/good", headers={"Authorization": "Bearer the-key"})
        response = fresh.getresponse()
        good.append([response.status, response.read().decode()])
        fresh.close()
ended = 0
for connection in slow:
    connection.setblocking(False)
    try:
        if connection.recv(1000) == b"":
            ended += 1
    except BlockingIOError:
        pass
    except ConnectionResetError:
        ended += 1
print(json.dumps({"good": good, "ended": ended}))
