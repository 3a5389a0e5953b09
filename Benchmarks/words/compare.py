#!/usr/bin/env python3
"""Word error rates by corpus and by noise, in one run: ours whole and streamed, moonshine-voice, faster-whisper (base), pocketsphinx.

    compare.py --corpora FOLDER [--limit N] [--levels clean,20,10,5] [--without ENGINE,…]

The fixed fifty clips of people (recognition-clips.tsv), as they are and with noise of the corpora (ESC-50 and room recordings, by turns) mixed in at
so many dB below the speech. Everybody gets the same 16 kHz samples; one normalizer of texts ("SottoBenchmarks score"). A table by noise, then one by
corpus for the clean clips. moonshine-voice has the same weights as ours; the others do not.
"""

import argparse
import array
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent
sys.path.append(str(PACKAGE))

import pinned  # noqa: E402
import recordings  # noqa: E402

WHISPER = """
import json, sys
from faster_whisper import WhisperModel
model = WhisperModel(sys.argv[1], device="cpu", compute_type="float32", cpu_threads=1)
for line in sys.stdin:
    segments, _ = model.transcribe(line.strip(), language="en", beam_size=5)
    print(json.dumps({"text": " ".join(segment.text.strip() for segment in segments)}), flush=True)
"""

SPHINX = """
import json, sys, wave
from pocketsphinx import Decoder
decoder = Decoder(samprate=16000, loglevel="FATAL")
for line in sys.stdin:
    with wave.open(line.strip()) as file:
        data = file.readframes(file.getnframes())
    decoder.start_utt()
    decoder.process_raw(data, full_utt=True)
    decoder.end_utt()
    print(json.dumps({"text": decoder.hyp().hypstr if decoder.hyp() else ""}), flush=True)
"""


def power(values):
    return sum(value * value for value in values) / max(1, len(values))


def mixed(speech, noise, level):
    """Speech with noise `level` dB below it, brought below full scale together."""
    noise = (noise * (len(speech) // len(noise) + 1))[: len(speech)]
    gain = math.sqrt(power(speech) / max(1, power(noise))) * 10 ** (-level / 20)
    both = [a + gain * b for a, b in zip(speech, noise)]
    scale = min(1, 32000 / max(1, max(map(abs, both))))
    return array.array("h", (round(value * scale) for value in both))


def texts(command, paths):
    lines = subprocess.run(command, input="".join(f"{path}\n" for path in paths), check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    answers = [json.loads(line) for line in lines]
    for answer in answers:
        if "error" in answer:
            sys.exit(f"{answer}")
    return [answer["text"] for answer in answers]


def rate(binary, truths, heard):
    pairs = "".join(f"{truth}\t{text}\n" for truth, text in zip(truths, heard, strict=True))
    return json.loads(subprocess.run([binary, "score"], input=pairs, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA"), help="the folder that holds speech/")
    parser.add_argument("--models", default=os.environ.get("SOTTO_MODELS", pinned.cache() / "models"))
    parser.add_argument("--limit", type=int, help="only the first N clips, for a quick look")
    parser.add_argument("--levels", default="clean,20,10,5")
    parser.add_argument("--without", default="", help="engines to leave out")
    options = parser.parse_args()
    if not options.corpora:
        sys.exit("name the corpora: --corpora FOLDER or SOTTO_CORPORA")
    root = pathlib.Path(options.corpora).resolve() / "speech"
    models = pathlib.Path(options.models).resolve()
    lines = (PACKAGE / "Corpora" / "recognition-clips.tsv").read_text().splitlines()
    clips = [line.split("\t")[:2] for line in lines if line and not line.startswith("#")][: options.limit]
    rows = recordings.manifest(root)
    noises = [recordings.samples(root / row["path"]) for row in rows if row["kind"] == "noise-only"]
    noises = [noise for noise in noises if power(noise) > 10]
    binary = pinned.swift_benchmarks()
    common = ["--models", models, "--threads", "1"]
    engines = {
        "ours": [binary, "recognize", *common],
        "ours streamed": [binary, "stream", *common],
        "moonshine-voice": [pinned.environment("recognition"), PACKAGE / "recognition" / "reference.py", models / "moonshine-tiny-en", "/"],
        "faster-whisper base": [pinned.environment("synthesis"), "-c", WHISPER, pinned.cache() / "benchmarks" / "whisper-base"],
        "pocketsphinx": [pinned.environment("words"), "-c", SPHINX],
    }
    for name in options.without.split(","):
        engines.pop(name, None)
    truths = [truth for _, truth in clips]
    table, clean = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for level in options.levels.split(","):
            paths = []
            for number, (path, _) in enumerate(clips):
                speech = recordings.samples(root / path)
                place = pathlib.Path(folder) / f"{level}-{number}.wav"
                recordings.write(speech if level == "clean" else mixed(speech, noises[number % len(noises)], float(level)), place)
                paths.append(place)
            for name, command in engines.items():
                heard = texts(command, paths)
                table[name, level] = rate(binary, truths, heard)
                if level == "clean":
                    clean[name] = heard
                print(f"{level}, {name}: {100 * table[name, level]['rate']:.2f} %", file=sys.stderr)
    levels = options.levels.split(",")
    words = table[next(iter(table))]["words"]
    print(f"{len(clips)} clips, {words} words; load {os.getloadavg()[0]:.1f}\n\n| word error rate, % | " + " | ".join("clean" if level == "clean" else f"{level} dB" for level in levels) + " |\n|---|" + "---|" * len(levels))
    for name in engines:
        print(f"| {name} | " + " | ".join(f"{100 * table[name, level]['rate']:.2f}" for level in levels) + " |")
    if clean:
        corpora = sorted({path.split("/")[0] for path, _ in clips})
        print("\n| clean, by corpus (words) | " + " | ".join(engines) + " |\n|---|" + "---|" * len(engines))
        for corpus in corpora:
            places = [index for index, (path, _) in enumerate(clips) if path.startswith(corpus + "/")]
            rates = {name: rate(binary, [truths[index] for index in places], [clean[name][index] for index in places]) for name in engines}
            print(f"| {corpus} ({rates[next(iter(rates))]['words']}) | " + " | ".join(f"{100 * rates[name]['rate']:.2f}" for name in engines) + " |")


main()
