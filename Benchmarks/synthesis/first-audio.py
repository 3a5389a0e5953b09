#!/usr/bin/env python3
"""How soon is something heard? Texts of 12 and of 60 words, by us and by kokoro-onnx over the same model, voice and number of threads.

    first-audio.py [PASSES] [THREADS]

Unseen sentences, no cache, passes interleaved. "first" is the time from the request to the first piece of speech that can be played (kokoro-onnx: to the
first piece of its own stream), "whole" to the last; "length" how long the speech is, which should be about equal. One line of JSON for each text.
"""

import asyncio
import json
import statistics
import sys
import time

import environment

environment.enter()

TEXTS = {
    "12 words, short clause": "In the end, the whole valley was covered with snow and ice.",
    "12 words, one clause": "The whole valley was covered with snow and ice for three months.",
    "60 words": (
        "After the storm, the beach was covered with wood and broken glass. Nobody had expected the wind to turn so early, and most of the boats were still out "
        "at sea. When the fog lifted at noon, the first of them came back with torn sails, and the people on the pier counted them one by one until the last "
        "had reached the harbor."),
}


async def stream(kokoro, text):
    start = time.perf_counter()
    first, samples = None, 0
    async for part, rate in kokoro.create_stream(text, environment.VOICE):
        first = first or time.perf_counter() - start
        samples += len(part)
    return first, time.perf_counter() - start, samples / rate


def main():
    passes = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    peer = environment.kokoro(threads)
    ours = environment.sotto(voice=environment.VOICE, threads=threads)
    for name, text in TEXTS.items():
        times = {"ours": [], "theirs": []}
        for turn in range(passes + 1):
            for who in ("ours", "theirs") if turn % 2 else ("theirs", "ours"):
                if who == "ours":
                    report = environment.speak(ours, text)
                    value = (report["firstAudioSeconds"], report["elapsedSeconds"], report["speechSeconds"])
                else:
                    value = asyncio.run(stream(peer, text))
                if turn:
                    times[who].append(value)
        median = {who: [round(statistics.median(column), 3) for column in zip(*values)] for who, values in times.items()}
        print(json.dumps({
            "name": "first audio", "text": name, "threads": threads, "passes": passes,
            **{f"{who} {what}": median[who][index] for who in median for index, what in enumerate(("first", "whole", "length"))},
            "first, theirs / ours": round(median["theirs"][0] / median["ours"][0], 2),
            "real-time factor, ours": round(median["ours"][1] / median["ours"][2], 3),
            "real-time factor, theirs": round(median["theirs"][1] / median["theirs"][2], 3)}), flush=True)
    ours.stdin.close()
    ours.wait()


main()
