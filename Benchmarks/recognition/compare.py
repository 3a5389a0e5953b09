#!/usr/bin/env python3
"""Compares sotto's Moonshine with the library of its makers: word error rate and speed, on the fixed fifty clips.

    compare.py --corpora FOLDER [--passes 7] [--threads 1,2] [--limit N]

Both get the same samples (ffmpeg, 16 kHz mono), the same normalizer. With one thread both processes
are bound to one core; the library has no setting for its threads and its pool may still leave that core, so only the comparison
with as many threads as cores is strictly equal, and the other favors the library. Passes are interleaved, ours and theirs in turn; the time is of whole-file transcription with voice activity, without decoding the file. Ends with status 1 when the word
error rate is more than 0.3 points above theirs, or the median ratio of times (theirs to ours) is below 0.97.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent
sys.path.append(str(PACKAGE))

import pinned  # noqa: E402


class Engine:
    """A process that answers each path with one line of JSON."""

    def __init__(self, name, command, cores):
        self.name = name
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))

    def recognize(self, path):
        try:
            self.process.stdin.write(f"{path}\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            sys.exit(f"{self.name} ended early at {path} with status {self.process.wait()} (negative: a signal)")
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(f"{path}: {answer['error']}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def commit():
    """The commit that was measured, with a mark when files differ from it."""
    run = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE, stdout=subprocess.PIPE, text=True)
    return run.stdout.strip() or "unknown"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.split(':', 1)[1].strip()}, {os.cpu_count()} cores"
    return f"unknown, {os.cpu_count()} cores"


def score(binary, clips, texts):
    pairs = "".join(f"{truth}\t{texts[path]}\n" for path, truth in clips)
    lines = subprocess.run([binary, "score"], input=pairs, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return json.loads(lines[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA"), help="the folder that holds speech/")
    parser.add_argument("--models", default=os.environ.get("SOTTO_MODELS", pinned.cache() / "models"))
    parser.add_argument("--passes", type=int, default=7)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--limit", type=int, help="only the first N clips, for a quick look")
    options = parser.parse_args()
    if not options.corpora:
        sys.exit("name the corpora: --corpora FOLDER or SOTTO_CORPORA")
    root = pathlib.Path(options.corpora).resolve() / "speech"
    models = pathlib.Path(options.models).resolve()
    lines = (PACKAGE / "Corpora" / "recognition-clips.tsv").read_text().splitlines()
    clips = [tuple(line.split("\t")[:2]) for line in lines if line and not line.startswith("#")][: options.limit]
    python, binary = pinned.environment("recognition"), pinned.swift_benchmarks()
    failed = False
    for threads in map(int, options.threads.split(",")):
        load = os.getloadavg()[0]
        cores = sorted(os.sched_getaffinity(0))[:threads]
        commands = {
            "ours": [binary, "recognize", "--models", models, "--root", root, "--threads", str(threads)],
            "moonshine-voice": [python, HERE / "reference.py", models / "moonshine-tiny-en", root],
        }
        engines, first = {}, {}
        for name, command in commands.items():
            # One after the other, so that neither starts beside the other. The first answer includes loading.
            engines[name] = Engine(name, command, cores)
            engines[name].recognize(clips[0][0])
            first[name] = round(time.perf_counter() - engines[name].started, 3)
        times = {name: [] for name in engines}
        texts = {name: {} for name in engines}
        for number in range(options.passes):
            # Neither is always first.
            for name in sorted(engines, reverse=number % 2 == 1):
                answers = [(path, engines[name].recognize(path)) for path, _ in clips]
                times[name].append(sum(answer["seconds"] for _, answer in answers))
                texts[name] = {path: answer["text"] for path, answer in answers}
                audio = sum(answer["audioSeconds"] for _, answer in answers)
            print(f"pass {number + 1}: " + ", ".join(f"{name} {times[name][-1]:.2f} s" for name in engines), file=sys.stderr)
        for engine in engines.values():
            engine.close()
        rates = {name: score(binary, clips, texts[name]) for name in engines}
        medians = {name: statistics.median(times[name]) for name in engines}
        ratios = [theirs / ours for ours, theirs in zip(times["ours"], times["moonshine-voice"])]
        ratio = statistics.median(ratios)
        worse = rates["ours"]["rate"] > rates["moonshine-voice"]["rate"] + 0.003
        failed |= worse or ratio < 0.97
        print(json.dumps({
            "name": "recognition", "commit": commit(), "processor": processor(), "loadAverage": [load, os.getloadavg()[0]],
            "threads": threads, "clips": len(clips), "passes": options.passes, "audioSeconds": round(audio, 2),
            "errors": {
                name: {key: rates[name][key] for key in ("substitutions", "insertions", "deletions", "words")} for name in engines},
            "wordErrorRate": {name: round(rates[name]["rate"], 4) for name in engines},
            "startToFirstAnswerSeconds": first,
            "medianSeconds": {name: round(medians[name], 3) for name in engines},
            "bestSeconds": {name: round(min(times[name]), 3) for name in engines},
            "realTimeFactor": {name: round(medians[name] / audio, 4) for name in engines},
            "medianRatio": round(ratio, 3), "ratioRange": [round(min(ratios), 3), round(max(ratios), 3)],
        }), flush=True)
    sys.exit(1 if failed else 0)


main()
