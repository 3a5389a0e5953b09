#!/usr/bin/env python3
"""Kokoro in Swift against kokoro-onnx in Python: the same model file, voice, sentences and number of threads.

    compare.py [PASSES] [THREADS …]

Passes are interleaved, the order turns round each time; the median of each is taken over PASSES (7). Each sentence is one run
of the network in both: ours speaks as into a file, where nobody waits for the first sound. The ratio (their time / our time) must be at least 0.97: the exit status says so.
"""

import json
import statistics
import sys
import time

import environment

environment.enter()

SENTENCES = [
    "The package manager keeps downloaded files until you ask it to clean them up.",
    "Most of the heat that reaches the surface comes straight from the sun.",
    "Warm dough rises in about an hour while cold dough can take all night.",
    "The bridge was painted every seven years by the same small family firm.",
    "Nobody in the village could remember a winter with so little snow.",
]


def main():
    passes = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    worst = 9.0
    for threads in [int(text) for text in sys.argv[2:]] or [1, 2]:
        theirs = environment.kokoro(threads)
        ours = environment.sotto("--awaited", "no", voice=environment.VOICE, threads=threads)

        def run_ours():
            return sum(environment.speak(ours, sentence)["elapsedSeconds"] for sentence in SENTENCES)

        def run_theirs():
            start = time.perf_counter()
            for sentence in SENTENCES:
                theirs.create(sentence, environment.VOICE)
            return time.perf_counter() - start

        run_ours(), run_theirs()
        times = {"ours": [], "theirs": []}
        for turn in range(passes):
            for name, run in sorted((("ours", run_ours), ("theirs", run_theirs)), reverse=turn % 2 == 1):
                times[name].append(run())
        ours.stdin.close()
        ours.wait()
        mine, reference = statistics.median(times["ours"]), statistics.median(times["theirs"])
        worst = min(worst, reference / mine)
        print(json.dumps({
            "name": "synthesis against kokoro-onnx", "threads": threads, "passes": passes, "oursSeconds": round(mine, 3),
            "theirsSeconds": round(reference, 3), "ratio": round(reference / mine, 3)}), flush=True)
    sys.exit(0 if worst >= 0.97 else 1)


main()
