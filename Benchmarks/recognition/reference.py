"""Answers each path on standard input with the text and time of moonshine-voice's own library."""

import array
import json
import os
import subprocess
import sys
import time

from moonshine_voice.moonshine_api import ModelArch
from moonshine_voice.transcriber import Transcriber

# Samples cross to the library as a C array; handing over a Python list would be timed as its work.
import ctypes
import moonshine_voice.transcriber as module

RATE = 16_000


def samples(path):
    process = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"],
        check=True, stdout=subprocess.PIPE)
    return array.array("f", process.stdout)


def main():
    model, root = sys.argv[1:]
    transcriber = Transcriber(model, ModelArch.TINY)
    for line in sys.stdin:
        path = line.strip()
        audio = samples(os.path.join(root, path))
        buffer = (ctypes.c_float * len(audio)).from_buffer(audio)
        out = ctypes.POINTER(module.TranscriptC)()
        start = time.perf_counter()
        status = transcriber._lib.moonshine_transcribe_without_streaming(
            transcriber._handle, buffer, len(audio), RATE, 0, ctypes.byref(out))
        seconds = time.perf_counter() - start
        answer = {"path": path, "audioSeconds": len(audio) / RATE, "seconds": seconds}
        if status < 0:
            answer["error"] = f"status {status}"
        else:
            lines = out.contents
            answer["text"] = " ".join(
                ctypes.string_at(lines.lines[index].text).decode("utf-8", errors="replace") for index in range(lines.line_count))
        print(json.dumps(answer), flush=True)


main()
