"""Ordinary requests through http.client, on one kept connection where that is possible. Prints one JSON object."""
import hashlib
import http.client
import json
import sys

port, scenario, key = int(sys.argv[1]), sys.argv[2], {"Authorization": "Bearer the-key"}
result = {}


def connect():
    return http.client.HTTPConnection("127.0.0.1", port)


if scenario == "keep-alive":
    connection = connect()
    statuses, sockets = [], set()
    for _ in range(20):
        connection.request("GET", "/parts/a%20b?x=1", headers=key)
        sockets.add(connection.sock.getsockname()[1])
        response = connection.getresponse()
        statuses.append([response.status, response.read().decode(), response.getheader("Content-Security-Policy") is not None])
    result = {"statuses": statuses, "sockets": len(sockets)}
elif scenario == "upload":
    size = int(sys.argv[3])
    piece = bytes(range(256)) * 256
    digest = hashlib.sha1()

    def pieces():
        left = size
        while left > 0:
            part = piece[:min(left, len(piece))]
            left -= len(part)
            digest.update(part)
            yield part

    connection = connect()
    headers = dict(key, **{"Content-Type": "application/octet-stream"})
    if sys.argv[4] == "chunked":
        connection.request("POST", "/upload", body=pieces(), headers=headers, encode_chunked=True)
    else:
        connection.request("POST", "/upload", body=pieces(), headers=dict(headers, **{"Content-Length": str(size)}))
    response = connection.getresponse()
    result = {"status": response.status, "body": response.read().decode(), "digest": digest.hexdigest()}
elif scenario == "download":
    connection = connect()
    connection.request("GET", "/download/" + sys.argv[3], headers=key)
    response = connection.getresponse()
    digest, count = hashlib.sha1(), 0
    while True:
        piece = response.read(65536)
        if not piece:
            break
        digest.update(piece)
        count += len(piece)
    result = {"status": response.status, "count": count, "digest": digest.hexdigest()}
elif scenario == "get":
    connection = connect()
    connection.request("GET", sys.argv[3], headers=key)
    response = connection.getresponse()
    body = response.read().decode("latin1")
    result = {"status": response.status, "body": body, "headers": {name.lower(): value for name, value in response.getheaders()}}
elif scenario == "events":
    # Reads some events, goes away in the middle, and comes back with the last id, as browsers do.
    wanted, last, taken = int(sys.argv[3]), sys.argv[4], []
    while len(taken) < wanted:
        connection = connect()
        connection.request("GET", "/events", headers=dict(key, **({"Last-Event-ID": last} if last else {})))
        response = connection.getresponse()
        seen, event = 0, {}
        while seen < 7 and len(taken) < wanted:
            line = response.readline().decode()
            if not line:
                break
            line = line.rstrip("\n")
            if line.startswith("id: "):
                event["id"] = last = line[4:]
            elif line.startswith("event: "):
                event["event"] = line[7:]
            elif line.startswith("data: "):
                event["data"] = line[6:]
            elif line == "" and "data" in event:
                taken.append(event)
                event, seen = {}, seen + 1
        connection.close()
    result = {"events": taken, "last": last}
print(json.dumps(result))
