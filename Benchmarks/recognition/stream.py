#!/usr/bin/env python3
"""Streams human speech as a microphone would and measures what it costs: words, and waiting.

    stream.py --corpora FOLDER [--threads 1] [--every N] [-- options of "SottoBenchmarks stream"]

Each clip is recognized whole and streamed in frames of 20 ms on a simulated clock (see StreamBenchmark.swift). Printed as one line of JSON:
word error rates of both by one normalizer; committed words that changed (must be 0); and in seconds, median and ninetieth percentile, over
the clips with word times: first text after the first word began, each word's end to its text, to its settled text, and the last word's end
to the last final. Ends with status 1 when streaming costs more than 0.2 points, or a committed word changed.
"""

import argparse
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent
sys.path.append(str(PACKAGE))

import pinned  # noqa: E402


def run(binary, models, root, clips, threads, options):
    command = [binary, "stream", "--models", models, "--root", root, "--threads", str(threads), *options]
    paths = "".join(f"{path}\n" for path, _, _ in clips)
    lines = subprocess.run(command, input=paths, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    answers = [json.loads(line) for line in lines]
    for answer in answers:
        if "error" in answer:
            sys.exit(f"{answer['path']}: {answer['error']}")
    return {answer["path"]: answer for answer in answers}


def score(binary, clips, answers):
    pairs = "".join(f"{truth}\t{answers[path]['text']}\n" for path, truth, _ in clips)
    lines = subprocess.run([binary, "score"], input=pairs, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return json.loads(lines[-1])


def words(text):
    return re.sub(r"[^a-z' ]+", " ", text.lower()).split()


def spread(values):
    values = sorted(values)
    if not values:
        return None
    return {"median": round(values[len(values) // 2], 3), "p90": round(values[min(len(values) - 1, int(0.9 * len(values)))], 3), "count": len(values)}


def changed_commits(events):
    count, before = 0, ""
    for event in events:
        text = event.get("final", event.get("committed"))
        count += not text.startswith(before)
        before = "" if "final" in event else text
    return count


def waits(events, truth):
    """Seconds of waiting: to the first text, to each word, to each settled word, to the end."""
    done, shown = [], []
    for event in events:
        if "final" in event:
            done = done + words(event["final"])
            shown.append((event["time"], done, len(done)))
        else:
            settled = done + words(event["committed"])
            shown.append((event["time"], settled + words(event["tail"]), len(settled)))
    shown = [entry for entry in shown if entry[1]]
    if not shown:
        return None
    final = shown[-1][1]
    to_text, to_settled = [], []
    matcher = difflib.SequenceMatcher(a=[word for word, _, _ in truth], b=final, autojunk=False)
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            end, place = truth[block.a + offset][2], block.b + offset
            to_text.append(next(time for time, text, _ in shown if len(text) > place and text[place] == final[place]) - end)
            to_settled.append(next(time for time, _, count in shown if count > place) - end)
    return shown[0][0] - truth[0][1], to_text, to_settled, shown[-1][0] - truth[-1][2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA"), help="the folder that holds speech/")
    parser.add_argument("--models", default=os.environ.get("SOTTO_MODELS", pinned.cache() / "models"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="only every Nth clip")
    parser.add_argument("options", nargs="*")
    options = parser.parse_args()
    if not options.corpora:
        sys.exit("name the corpora: --corpora FOLDER or SOTTO_CORPORA")
    root = pathlib.Path(options.corpora).resolve() / "speech"
    table = (PACKAGE / "Corpora" / "stream-clips.tsv").read_text().splitlines()
    clips = [tuple(line.split("\t")) for line in table if line and not line.startswith("#")][:: options.every]
    binary = pinned.swift_benchmarks()
    whole = run(binary, options.models, root, clips, options.threads, ["--partials", "no", *options.options, "--turns", "no"])
    streamed = run(binary, options.models, root, clips, options.threads, options.options)
    first, to_text, to_settled, last = [], [], [], []
    for path, _, times in clips:
        truth = [(word, float(start), float(end)) for word, start, end in (entry.rsplit(":", 2) for entry in times.split())]
        found = waits(streamed[path]["events"], truth) if truth else None
        if found:
            first.append(found[0])
            to_text += found[1]
            to_settled += found[2]
            last.append(found[3])
    rates = {"whole": score(binary, clips, whole), "streamed": score(binary, clips, streamed)}
    changed = sum(changed_commits(answer["events"]) for answer in streamed.values())
    audio = sum(answer["audioSeconds"] for answer in streamed.values())
    cost = rates["streamed"]["rate"] - rates["whole"]["rate"]
    print(json.dumps({
        "name": "stream", "speech": "human", "clips": len(clips), "audioSeconds": round(audio, 1), "threads": options.threads,
        "loadAverage": os.getloadavg()[0], "words": rates["whole"]["words"],
        "wordErrorRate": {name: round(rate["rate"], 4) for name, rate in rates.items()}, "streamingCost": round(cost, 4),
        "changedCommits": changed,
        "realTimeFactor": {
            name: round(sum(answer["busySeconds"] for answer in answers.values()) / audio, 4)
            for name, answers in (("whole", whole), ("streamed", streamed))},
        "stepSeconds": spread([step for answer in streamed.values() for step in answer["steps"]]),
        "turns": sum(answer["turns"] for answer in streamed.values()), "looks": sum(answer["looks"] for answer in streamed.values()),
        "firstText": spread(first), "wordToText": spread(to_text), "wordToSettled": spread(to_settled), "endToFinal": spread(last),
    }))
    sys.exit(1 if changed or cost > 0.002 else 0)


main()
