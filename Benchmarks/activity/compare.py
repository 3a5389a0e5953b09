#!/usr/bin/env python3
"""Voice activity against labels by hand, beside webrtcvad: precision and recall of frames.

    compare.py --corpora FOLDER

The three labelled recordings of meetings (pyannote's, speaker turns in RTTM: any speaker counts as speech) and every no-speech clip. Frames of
10 ms; frames within 0.1 s of a label's edge do not count, for labels of turns are that coarse. Ours: Silero's probability at 0.5, and the stretches
that the segmenter makes. webrtcvad: its four modes, frames of 30 ms. (Silero's network itself is the same in silero-vad; the tests hold its
probabilities against ONNX Runtime in Python.)
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent
sys.path.append(str(PACKAGE))

import pinned  # noqa: E402
import recordings  # noqa: E402

EDGE = 10


def labels(path, frames):
    """One value a frame: 1 speech, 0 none, None near an edge."""
    rows = [line.split() for line in path.read_text().splitlines() if line.startswith("SPEAKER")]
    truth = [0] * frames
    edges = []
    for row in rows:
        start, end = float(row[3]) * 100, (float(row[3]) + float(row[4])) * 100
        edges += [start, end]
        for frame in range(max(0, round(start)), min(frames, round(end))):
            truth[frame] = 1
    for edge in edges:
        for frame in range(max(0, round(edge) - EDGE), min(frames, round(edge) + EDGE)):
            truth[frame] = None
    return truth


def score(pairs):
    hit = sum(1 for truth, guess in pairs if truth == 1 and guess)
    false = sum(1 for truth, guess in pairs if truth == 0 and guess)
    missed = sum(1 for truth, guess in pairs if truth == 1 and not guess)
    silent = sum(1 for truth, _ in pairs if truth == 0)
    precision, recall = hit / max(1, hit + false), hit / max(1, hit + missed)
    return {
        "precision": round(precision, 4), "recall": round(recall, 4), "f1": round(2 * precision * recall / max(1e-9, precision + recall), 4),
        "falseAlarm": round(false / max(1, silent), 4)}


def area(pairs):
    """Under the curve of hits against false alarms: the chance that a frame of speech scores above one without."""
    ordered = sorted((score, truth) for truth, score in pairs if truth is not None)
    ranks, speech = 0.0, 0
    index = 0
    while index < len(ordered):
        last = index
        while last + 1 < len(ordered) and ordered[last + 1][0] == ordered[index][0]:
            last += 1
        for place in range(index, last + 1):
            if ordered[place][1]:
                ranks += (index + last) / 2 + 1
                speech += 1
        index = last + 1
    silent = len(ordered) - speech
    return round((ranks - speech * (speech + 1) / 2) / max(1, speech * silent), 4)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA"), help="the folder that holds speech/")
    parser.add_argument("--models", default=os.environ.get("SOTTO_MODELS", pinned.cache() / "models"))
    options = parser.parse_args()
    if not options.corpora:
        sys.exit("name the corpora: --corpora FOLDER or SOTTO_CORPORA")
    python = pinned.environment("activity")
    if pathlib.Path(sys.prefix).resolve() != python.parent.parent.resolve():
        os.execv(python, [python, *sys.argv])
    import webrtcvad

    root = pathlib.Path(options.corpora).resolve() / "speech"
    rows = recordings.manifest(root)
    clips = [row for row in rows if row["kind"] in ("vad", "noise-only", "music-only", "silence")]
    command = [pinned.swift_benchmarks(), "activity", "--models", options.models]
    lines = subprocess.run(command, input="".join(f"{root / row['path']}\n" for row in clips), check=True, stdout=subprocess.PIPE, text=True).stdout
    scored = {}
    scores = []
    seconds = cost = 0.0
    for row, line in zip(clips, lines.splitlines(), strict=True):
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(f"{row['path']}: {answer['error']}")
        pcm = recordings.samples(root / row["path"]).tobytes()
        frames = len(pcm) // 320
        place = root / row["path"]
        truth = labels(place.with_suffix(".rttm"), frames) if row["kind"] == "vad" else [0] * frames
        seconds += frames / 100
        cost += answer["seconds"]
        guesses = {}
        probability = [answer["probabilities"][min(len(answer["probabilities"]) - 1, int(frame / 100 / answer["frameSeconds"]))] for frame in range(frames)]
        guesses["probability of 0.5 or more"] = [value >= 0.5 for value in probability]
        guesses["stretches of the segmenter"] = [any(start * 100 <= frame < end * 100 for start, end in answer["stretches"]) for frame in range(frames)]
        for mode in range(4):
            detector = webrtcvad.Vad(mode)
            guesses[f"webrtcvad, mode {mode}"] = [detector.is_speech(pcm[960 * (frame // 3):960 * (frame // 3) + 960], 16000) if 960 * (frame // 3) + 960 <= len(pcm) else False for frame in range(frames)]
        scores += zip(truth, probability)
        for name, guess in guesses.items():
            scored.setdefault(name, []).extend((value, answer) for value, answer in zip(truth, guess) if value is not None)
    print(json.dumps({"name": "voice activity", "clips": len(clips), "audioSeconds": round(seconds), "realTimeFactor": round(cost / seconds, 5), "areaUnderCurve": area(scores)}))
    for name, pairs in scored.items():
        print(json.dumps({"name": name, **score(pairs)}))


main()
