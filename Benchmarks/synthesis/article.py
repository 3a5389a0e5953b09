#!/usr/bin/env python3
"""A long article, read aloud: is it understood to its end, and are its rests and joins as planned?

    article.py --corpora FOLDER [--minutes 10] [--keep FILE.wav]

Paragraphs of the corpora's article texts until they last about so long, spoken as into a file. faster-whisper (base) writes each third down: the error
rate must be flat. At each join between two pieces: the silence that is heard against the nearest rest of the plan (0.06, 0.2, 0.4, 0.5, 0.65 s), the
step between neighboring samples against the largest inside the pieces (a click), and the change of pitch across the join against that inside.
Any silence elsewhere that is longer than the plan's cap of 0.45 s is counted. One line of JSON.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile
import wave

import environment

environment.enter()

import numpy  # noqa: E402
import roundtrip  # noqa: E402

PLAN = [0.06, 0.2, 0.4, 0.5, 0.65]
# The samples of a fade; sound is what exceeds −46 dB of the piece's peak, as in the synthesizer.
SILENCE = 0.005


def paragraphs(corpora, words):
    """Plain paragraphs of the human article texts: no lists, no addresses, no digits beyond a few."""
    truth = json.loads((corpora / "web" / "article-extraction-benchmark" / "dev" / "ground-truth.json").read_text())
    taken, count = [], 0
    for key in sorted(truth):
        for paragraph in truth[key]["articleBody"].split("\n"):
            plain = paragraph.strip()
            if not re.fullmatch(r"[A-Za-z0-9 ,.;:'’“”\"()?!–—-]+", plain) or not 150 <= len(plain) <= 700 or plain[-1] not in ".?!":
                continue
            if sum(character.isdigit() for character in plain) > 6:
                continue
            # In English alone.
            if len(re.findall(r"\b(?:the|of|and|to|a|in|is|that|for|was)\b", plain)) < len(plain.split()) / 8:
                continue
            taken.append(plain)
            count += len(plain.split())
            if count >= words:
                return taken
            break
    return taken


def pitch(samples, rate):
    """The fundamental of a stretch by autocorrelation between 60 and 350 Hz, or None where it is not voiced."""
    samples = samples - samples.mean()
    if len(samples) < rate // 25 or numpy.abs(samples).max() < 0.02:
        return None
    spectrum = numpy.fft.rfft(samples, 2 * len(samples))
    correlation = numpy.fft.irfft(numpy.abs(spectrum) ** 2)[: len(samples)]
    low, high = rate // 350, min(rate // 60, len(samples) - 1)
    lag = low + int(numpy.argmax(correlation[low:high]))
    return rate / lag if correlation[lag] > 0.5 * correlation[0] else None


def contour(samples, rate):
    width = rate // 20
    return [pitch(samples[start:start + width], rate) for start in range(0, len(samples) - width, width // 2)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA"))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--keep")
    options = parser.parse_args()
    if not options.corpora:
        sys.exit("name the corpora: --corpora FOLDER or SOTTO_CORPORA")
    texts = paragraphs(pathlib.Path(options.corpora), int(options.minutes * 150))
    with tempfile.TemporaryDirectory() as folder:
        ours = environment.sotto("--output", folder, voice=environment.VOICE, threads=options.threads)
        report = environment.speak(ours, "¶".join(texts))
        with wave.open(f"{folder}/1.wav") as file:
            rate = file.getframerate()
            samples = numpy.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(numpy.float32) / 32768
        if options.keep:
            pathlib.Path(options.keep).write_bytes(pathlib.Path(f"{folder}/1.wav").read_bytes())
        # Thirds by paragraph: cut where a piece ends and a paragraph does, found by the share of characters.
        ends = [round(end * rate) for end in report["ends"]]
        whisper = roundtrip.recognizer()
        thirds, errors = [], []
        total = sum(map(len, texts))
        for third in range(3):
            part = [text for index, text in enumerate(texts) if third <= 3 * sum(map(len, texts[:index])) / total < third + 1]
            thirds.append(part)
        wrong = []
        position = 0
        for part in thirds:
            share = sum(map(len, part)) / total
            until = min(ends, key=lambda end: abs(end - (position + share * len(samples)))) if part is not thirds[-1] else len(samples)
            path = f"{folder}/third.wav"
            with wave.open(path, "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(rate)
                file.writeframes((samples[position:until] * 32767).astype("<i2").tobytes())
            wrong.append((" ".join(part), roundtrip.transcribe(whisper, path)))
            position = until
    reference = roundtrip.normalize(" ".join(texts)).split()
    heard = roundtrip.normalize(" ".join(text for _, text in wrong)).split()
    edits, words = roundtrip.errors(reference, heard)
    for truth, text in wrong:
        one, count = roundtrip.errors(roundtrip.normalize(truth).split(), roundtrip.normalize(text).split())
        errors.append(round(100 * one / count, 2))
    off, clicks, jumps, unplanned = [], 0, [], 0
    inside_steps, inside_jumps = [], []
    starts = [0, *ends[:-1]]
    for start, end in zip(starts, ends):
        piece = samples[start:end]
        loud = numpy.nonzero(numpy.abs(piece) > SILENCE * max(1e-6, numpy.abs(piece).max()))[0]
        inside_steps.append(float(numpy.abs(numpy.diff(piece)).max()))
        voiced = contour(piece[loud[0]:loud[-1]], rate)
        inside_jumps += [abs(12 * numpy.log2(b / a)) for a, b in zip(voiced, voiced[1:]) if a and b]
        gaps = numpy.diff(loud)
        unplanned += int((gaps > 0.47 * rate).sum())
    for left, border, right in zip(starts, ends, ends[1:]):
        before, after = samples[left:border], samples[border:right]
        last = numpy.nonzero(numpy.abs(before) > SILENCE * numpy.abs(before).max())[0][-1]
        first = numpy.nonzero(numpy.abs(after) > SILENCE * numpy.abs(after).max())[0][0]
        silence = (len(before) - last + first) / rate
        off.append(min(abs(silence - rest) for rest in PLAN))
        join = samples[border - rate // 50:border + rate // 50]
        clicks += int(float(numpy.abs(numpy.diff(join)).max()) > max(inside_steps))
        a = [value for value in contour(before[max(0, last - rate // 3):last], rate) if value]
        b = [value for value in contour(after[first:first + rate // 3], rate) if value]
        if a and b:
            jumps.append(abs(12 * numpy.log2(b[0] / a[-1])))
    print(json.dumps(default=float, obj={
        "name": "article", "seconds": round(len(samples) / rate), "words": words, "wordErrorRate": round(100 * edits / words, 2), "thirds": errors,
        "pieces": len(ends), "realTimeFactor": round(report["realTimeFactor"], 3), "loadAverage": os.getloadavg()[0],
        "restsOff": {"median": round(statistics.median(off), 4), "largest": round(max(off), 4), "over20ms": int(sum(value > 0.02 for value in off))},
        "longerSilencesInside": unplanned, "clicks": clicks,
        "pitchStepsInSemitones": {
            "atJoins": [round(float(numpy.percentile(jumps, share)), 2) for share in (50, 90)] if jumps else None,
            "inside": [round(float(numpy.percentile(inside_jumps, share)), 2) for share in (50, 90)]}}))


main()
