#!/usr/bin/env python3
"""How often is a speaker cut off, and how long does a listener wait? Smart Turn beside silence timers, on the same audio.

    turns.py --corpora FOLDER [--every N] [--longest MS]

Each clip of human speech with word times gives one true end (its last word) and two pauses in the middle, after the words at a third and at two
thirds of it. A pause in the middle lasts 300, 600, 1000, 1500 or 2000 ms (by turns, seeded); after the end it is silent for ever. The detector is
asked at the looks that TurnPolicy makes (first look, then each step), until it says complete, the speaker goes on, or the longest silence ends
the turn anyway. Printed as a table: share of the pauses in the middle at which the speaker was cut off, and the silence after the true end until
the turn was over (mean, median, p90), for silence timers and for thresholds. Speech ends where voice activity hears it last.
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent
sys.path.append(str(PACKAGE))

import pinned  # noqa: E402

PAUSES = [300, 600, 1000, 1500, 2000]
ASKED = [100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 1000, 1200, 1500, 2000]


def wilson(hits, total):
    if not total:
        return (0.0, 1.0)
    z, share = 1.96, hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    reach = z * ((share * (1 - share) + z * z / (4 * total)) / total) ** 0.5 / (1 + z * z / total)
    return middle - reach, middle + reach


def over(probability, looks, threshold, longest):
    """The silence, in ms, after which a turn is over."""
    for look in looks:
        if look >= longest:
            break
        if probability[str(look)] >= threshold:
            return look
    return longest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA"), help="the folder that holds speech/")
    parser.add_argument("--models", default=os.environ.get("SOTTO_MODELS", pinned.cache() / "models"))
    parser.add_argument("--every", type=int, default=1, help="only every Nth clip")
    parser.add_argument("--longest", type=int, default=2000, help="silence that ends a turn whatever the detector says, in ms")
    options = parser.parse_args()
    if not options.corpora:
        sys.exit("name the corpora: --corpora FOLDER or SOTTO_CORPORA")
    root = pathlib.Path(options.corpora).resolve() / "speech"
    table = (PACKAGE / "Corpora" / "stream-clips.tsv").read_text().splitlines()
    clips = [line.split("\t") for line in table if line and not line.startswith("#")]
    chance = random.Random(1)
    ends, middles, questions = [], [], []
    for path, _, times in [clip for clip in clips if clip[2]][:: options.every]:
        words = [entry.rsplit(":", 2) for entry in times.split()]
        questions.append((f"{root / path}\t", None))
        if len(words) < 6:
            continue
        for place in (len(words) // 3, 2 * len(words) // 3):
            questions.append((f"{root / path}\t{words[place][2]}", chance.choice(PAUSES)))
    command = [pinned.swift_benchmarks(), "turns", "--models", options.models, "--pauses", ",".join(map(str, ASKED))]
    lines = subprocess.run(command, input="".join(question + "\n" for question, _ in questions), check=True, stdout=subprocess.PIPE, text=True).stdout
    costs = []
    for (question, pause), line in zip(questions, lines.splitlines(), strict=True):
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(f"{question}: {answer['error']}")
        costs.append(answer["secondsPerLook"])
        (ends if pause is None else middles).append((answer["probability"], pause))
    print(json.dumps({
        "name": "end of turn", "speech": "human", "ends": len(ends), "pausesInTheMiddle": len(middles), "longest": options.longest,
        "secondsPerLook": round(statistics.median(costs), 4), "loadAverage": os.getloadavg()[0]}))

    def row(name, until):
        waits = [until(probability) for probability, _ in ends]
        cut = sum(until(probability) < pause for probability, pause in middles)
        low, high = wilson(cut, len(middles))
        print(f"| {name} | {100 * cut / len(middles):.1f} % ({100 * low:.0f}–{100 * high:.0f}) | {statistics.mean(waits):.0f} | "
              f"{statistics.median(waits):.0f} | {sorted(waits)[int(0.9 * len(waits))]:.0f} |")

    print("| a turn is over | speakers cut off (95 %) | mean wait, ms | median | p90 |\n|---|---|---|---|---|")
    for timer in (200, 300, 500, 700, 1000, 1500):
        row(f"after {timer} ms of silence", lambda _, timer=timer: timer)
    for first in (200, 250, 300):
        looks = [look for look in ASKED if look >= first and (look - first) % 250 < 60 or look == first]
        for threshold in (0.3, 0.5, 0.7, 0.8, 0.9, 0.95):
            row(f"Smart Turn ≥ {threshold}, first look {first} ms", lambda p, t=threshold, k=looks: over(p, k, t, options.longest))


main()
