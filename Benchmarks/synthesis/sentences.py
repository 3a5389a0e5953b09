#!/usr/bin/env python3
"""Is speech understood? 110 sentences, spoken by us and by kokoro-onnx over the same model and voice, written down by two recognizers.

    sentences.py [--count N] [--show]

The recognizers are faster-whisper with the Whisper base weights and ours (Moonshine tiny). Both sides of each comparison go through Whisper's English text
normalizer, and the reference for numbers through it as well. kokoro-onnx gets the written text, as its users give it. A table by kind, in words wrong a hundred.
"""

import argparse
import collections
import json
import subprocess
import sys
import tempfile
import wave

import environment
import pinned

environment.enter()

import numpy  # noqa: E402
import roundtrip  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000, help="at most so many of each kind")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    rows, seen = [], collections.Counter()
    for kind, text in roundtrip.table(environment.ROOT / "Benchmarks" / "Corpora" / "spoken-sentences.tsv"):
        seen[kind] += 1
        if seen[kind] <= options.count:
            rows.append((kind, text))
    whisper = roundtrip.recognizer()
    moonshine = subprocess.Popen(
        [pinned.swift_benchmarks(), "recognize", "--models", str(environment.model().parent), "--threads", "2"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    peer = environment.kokoro(2)
    totals = collections.defaultdict(lambda: [0, 0])
    with tempfile.TemporaryDirectory() as folder:
        ours = environment.sotto("--output", folder, voice=environment.VOICE, threads=2)
        for number, (kind, text) in enumerate(rows, 1):
            environment.speak(ours, text)
            samples, rate = peer.create(text, environment.VOICE)
            theirs = f"{folder}/peer-{number}.wav"
            with wave.open(theirs, "wb") as file:
                file.setparams((1, 2, rate, 0, "NONE", ""))
                file.writeframes((numpy.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
            for name, path in (("sotto", f"{folder}/{number}.wav"), ("kokoro-onnx", theirs)):
                moonshine.stdin.write(path + "\n")
                moonshine.stdin.flush()
                heard = {"whisper": roundtrip.transcribe(whisper, path), "moonshine": json.loads(moonshine.stdout.readline()).get("text", "")}
                for judge, words in heard.items():
                    pair = roundtrip.errors(roundtrip.normalize(text).split(), roundtrip.normalize(words).split())
                    for key in ((name, judge, kind), (name, judge, "all")):
                        totals[key] = [a + b for a, b in zip(totals[key], pair)]
                    if options.show and pair[0] and name == "sotto":
                        print(f"{judge} {pair[0]}/{pair[1]}: {text} | {words}", file=sys.stderr, flush=True)
        ours.stdin.close()
        ours.wait()
    moonshine.stdin.close()
    for (name, judge, kind), (wrong, words) in sorted(totals.items()):
        print(json.dumps({"name": "sentences", "voice of": name, "heard by": judge, "kind": kind, "words": words, "wordErrorRate": round(wrong / words, 4)}))


if __name__ == "__main__":
    main()
