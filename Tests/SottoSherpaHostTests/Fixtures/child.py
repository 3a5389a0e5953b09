"""A stand-in for sotto-sherpa-host that misbehaves as it is told: the protocol, written anew from docs/sherpa.md.

    child.py MODE [FILE]        FILE: there once the first of several children has misbehaved
"""

import json
import os
import select
import signal
import struct
import sys
import time

DESCRIBE, LOAD, BEGIN, FEED, FLUSH, FINISH, REFERENCE, SYNTHESIZE, CANCEL, QUIT = range(1, 11)
DESCRIBED, LOADED, UPDATE, AUDIO, DONE, CANCELLED, FAILED = range(65, 72)
mode = sys.argv[1]
marker = sys.argv[2] if len(sys.argv) > 2 else None


def read(count):
    data = b""
    while len(data) < count:
        piece = os.read(0, count - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data


def request():
    (length,) = struct.unpack("<I", read(4))
    body = read(length)
    return body[0], struct.unpack("<I", body[1:5])[0], body[5:]


def answer(kind, number, payload=b""):
    if isinstance(payload, dict):
        payload = json.dumps(payload).encode()
    data = struct.pack("<IBI", len(payload) + 5, kind, number) + payload
    while data:
        data = data[os.write(1, data):]


def crash():
    # No core, no message: as a wild pointer would end it.
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(60)


def is_first():
    if marker is None:
        return True
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def final(number, samples):
    answer(UPDATE, number, {"text": f"{samples} samples", "tokens": [], "times": [], "logProbabilities": [], "start": 0,
                            "end": samples / 16000, "isFinal": True})


fed = 0
while True:
    kind, number, payload = request()
    if kind == DESCRIBE:
        answer(DESCRIBED, number, {"version": 99 if mode == "old" else 1, "library": "scripted"})
    elif kind == LOAD:
        if mode == "exit-load":
            print("model.cc:7 'vocab_size' does not exist in the metadata", file=sys.stderr, flush=True)
            os._exit(255)
        if mode == "hang-load":
            time.sleep(600)
        if mode == "no-rate":
            answer(LOADED, number, {"sampleRate": -1, "firstStep": 0, "step": 0})
        else:
            answer(LOADED, number, {"sampleRate": 24000 if "speak" in mode else 16000, "firstStep": 0.1, "step": 0.1})
    elif kind == BEGIN:
        fed = 0
        answer(DONE, number)
    elif kind == FEED:
        fed += len(payload) // 4
        if mode == "crash-feed" and fed >= 16000 and is_first():
            crash()
        if mode == "hang-feed" and is_first():
            time.sleep(600)
        if mode == "garbage":
            os.write(1, b"\xff" * 64)
        if mode == "unknown-kind":
            os.write(1, struct.pack("<IBI", 5, 200, number))
        if mode == "wrong-request":
            answer(DONE, number + 7)
        if mode == "cut-short":
            os.write(1, struct.pack("<IBI", 4096, UPDATE, number) + b"{")
            os._exit(0)
        if mode == "bad-json":
            answer(UPDATE, number, b"{no json")
        if mode == "refuse":
            answer(FAILED, number, {"code": "engineFailed", "message": "the scripted child will not"})
        else:
            answer(DONE, number)
    elif kind in (FLUSH, FINISH):
        final(number, fed)
        answer(DONE, number)
    elif kind == REFERENCE:
        answer(DONE, number)
    elif kind == SYNTHESIZE:
        if mode == "speak-stubborn":
            answer(AUDIO, number, struct.pack("<240f", *[0.1] * 240))
            time.sleep(600)
        if mode == "speak-nan":
            answer(AUDIO, number, struct.pack("<2f", 0.1, float("nan")))
        stopped = False
        for _ in range(10_000 if mode == "speak-polite" else 200):
            answer(AUDIO, number, struct.pack("<240f", *[0.1] * 240))
            if mode == "speak-polite":
                time.sleep(0.01)
            if select.select([0], [], [], 0)[0]:
                kind, _, payload = request()
                if kind == CANCEL and struct.unpack("<I", payload)[0] == number:
                    if marker:
                        open(marker, "w").close()
                    stopped = True
                    break
        answer(CANCELLED if stopped else DONE, number)
    elif kind == QUIT:
        sys.exit(0)
