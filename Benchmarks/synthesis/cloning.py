"""Judges cloned voices: how much of the gap between different speakers and the same speaker a clone closes, by the encoder that it was fitted with and by
measures that took no part in it; beside the nearest stock voice and espeak-ng as nulls.

  cloning.py judge --corpora DIR --models DIR [--speakers 12] [--tries 0,60] [--output FILE]
  cloning.py threshold --corpora DIR --models DIR                                  what consent's least likeness of voices lets through and refuses

Named before the first run: (1) GE2E, which the fit optimizes; (2) the distance of mean mel cepstra 1 to 19 up to 3.8 kHz; (3) the difference of median pitch in
semitones, by autocorrelation; (4) a linear discriminant trained on the cepstra of speakers that are neither judged nor fitted. Every speaker is fitted on one
recording and judged against others. Speech: the same three sentences for all, none of them used in a fit. Anchors, per speaker: other recordings of the same
speaker (1), recordings of all other judged speakers (0); more than all of the gap counts as 1. Intervals: 95 %, bootstrap over speakers."""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import environment
import pinned

try:
    import numpy as np
except ModuleNotFoundError:
    environment.enter()

from acoustics import cepstra, pitches
from ge2e import GE2E

# In this order, so that a shorter run is of another kind of speaker each time.
JUDGED = [
    "ls-1998", "ls-1688", "ljspeech", "vctk-p225", "ls-2033", "ls-3005", "vctk-p226", "ls-2414", "ls-1089", "ls-2609", "sb-spk1", "librivox-sonnet",
]
SENTENCES = [
    "The museum opens at noon and stays open until the evening.", "Several small boats were tied to the wooden pier below.",
    "Nobody could remember where the narrow path had led.",
]


def audio(path):
    command = ["ffmpeg", "-v", "error", "-nostdin", "-i", str(path), "-ac", "1", "-ar", "16000", "-f", "f32le", "-"]
    return np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, np.float32).copy()


def recordings(corpora, speakers):
    """Recordings of each speaker of at least three seconds: one to fit (the first of eight seconds or more, at most fifteen of it), the others to judge."""
    found = {speaker: [] for speaker in speakers}
    with open(corpora / "speech" / "manifest.tsv") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t"):
            name = row["path"]
            if row["speaker_id"] in found and float(row["seconds"] or 0) >= 3 and name.endswith((".wav", ".flac", "sonnet1.mp3", "sonnet2.mp3")):
                # The same words in other formats are no other recordings.
                if row["transcript"] not in [other[1] for other in found[row["speaker_id"]]] and "excerpt" not in name:
                    found[row["speaker_id"]].append((corpora / "speech" / name, row["transcript"], float(row["seconds"])))
    for speaker, rows in found.items():
        rows.sort(key=lambda row: (row[2] < 8, str(row[0])))
    return {speaker: [audio(row[0]) for row in rows[:6]] for speaker, rows in found.items() if len(rows) >= 2}


def discriminant(corpora, judged):
    """Fisher's linear discriminant of speakers on mean and deviation of cepstra over two seconds, from speakers that are not judged."""
    values, labels = [], []
    with open(corpora / "speech" / "manifest.tsv") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t"):
            wanted = row["corpus"] in ("librispeech-train-clean-100", "librispeech-dev-clean", "azure", "moonshine-assets")
            if wanted and row["speaker_id"] not in judged and float(row["seconds"] or 0) >= 4 and "48000" != row["sample_rate"]:
                for value in pieces(audio(corpora / "speech" / row["path"])[: 16000 * 20]):
                    values.append(value)
                    labels.append(row["speaker_id"])
    values, labels = np.array(values), np.array(labels)
    mean, scale = values.mean(0), values.std(0)
    normal = (values - mean) / scale
    within = np.zeros((normal.shape[1],) * 2)
    between = within.copy()
    for label in set(labels):
        own = normal[labels == label]
        within += (own - own.mean(0)).T @ (own - own.mean(0))
        between += len(own) * np.outer(own.mean(0), own.mean(0))
    within = within / len(normal) + 0.1 * np.eye(len(within))
    root = np.linalg.inv(np.linalg.cholesky(within))
    powers, vectors = np.linalg.eigh(root @ (between / len(normal)) @ root.T)
    return mean, scale, (root.T @ vectors[:, ::-1][:, :12])


def pieces(samples):
    values = cepstra(samples)
    return [np.concatenate([part.mean(0), part.std(0)]) for part in (values[start : start + 200] for start in range(0, max(1, len(values) - 150), 200)) if len(part) > 50]


class Measures:
    """Each is a likeness: higher is more alike."""

    def __init__(self, encoder, space):
        self.encoder, (self.mean, self.scale, self.axes) = encoder, space

    def of(self, samples):
        found = pitches(samples)
        vector = (np.mean(pieces(samples), 0) - self.mean) / self.scale @ self.axes
        return {
            "ge2e": self.encoder(samples), "cepstra": cepstra(samples).mean(0), "pitch": 12 * np.log2(np.median(found)) if len(found) > 10 else np.nan,
            "discriminant": vector / np.linalg.norm(vector),
        }

    @staticmethod
    def likeness(left, right):
        return {
            "ge2e": float(left["ge2e"] @ right["ge2e"]), "cepstra": -float(np.linalg.norm(left["cepstra"] - right["cepstra"])),
            "pitch": -abs(float(left["pitch"] - right["pitch"])), "discriminant": float(left["discriminant"] @ right["discriminant"]),
        }


def mean(likenesses):
    return {name: float(np.nanmean([one[name] for one in likenesses])) for name in likenesses[0]}


def interval(values):
    values = np.array(values)
    chance = np.random.default_rng(1)
    means = values[chance.integers(len(values), size=(4000, len(values)))].mean(1)
    return [round(float(v), 3) for v in (values.mean(), *np.quantile(means, [0.025, 0.975]))]


def espeak(sentences, voice):
    parts = []
    for sentence in sentences:
        with tempfile.NamedTemporaryFile(suffix=".wav") as file:
            subprocess.run(["espeak-ng", "-v", voice, "-w", file.name, sentence], check=True)
            parts.append(audio(file.name))
    return np.concatenate(parts)


def judge(arguments):
    speakers = JUDGED[: arguments.speakers]
    heard = recordings(arguments.corpora, JUDGED)
    measures = Measures(GE2E(arguments.models / "ge2e" / "pretrained.pt"), discriminant(arguments.corpora, JUDGED))
    known = {speaker: [measures.of(samples) for samples in clips] for speaker, clips in heard.items()}
    nulls = [measures.of(espeak(SENTENCES, voice)) for voice in ("en-us", "en-us+f3")]
    tries = [int(word) for word in arguments.tries.split(",")]
    benchmark = pinned.swift_benchmarks()
    folder = pathlib.Path(tempfile.mkdtemp())
    results = []
    stock = {}
    for speaker in [speaker for speaker in speakers if speaker in heard]:
        own, judges = known[speaker][0], known[speaker][1:]
        sample = folder / f"{speaker}.f32"
        heard[speaker][0][: 16000 * 15].tofile(sample)
        command = [benchmark, "clone", "--models", arguments.models, "--sample", sample, "--tries", arguments.tries, "--output", folder / speaker, *SENTENCES]
        began = time.time()
        lines = [json.loads(line) for line in subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout.splitlines()]
        others = [one for other, clips in known.items() if other != speaker for one in clips]
        same = mean([Measures.likeness(own, other) for other in judges])
        different = mean([Measures.likeness(one, other) for one in others for other in judges])
        row = {"speaker": speaker, "seconds": round(time.time() - began), "same": same, "different": different, "systems": {}}

        def add(name, values, extra):
            likeness = mean([Measures.likeness(values, other) for other in judges])
            closed = {key: (likeness[key] - different[key]) / (same[key] - different[key]) if abs(same[key] - different[key]) > 1e-6 else np.nan for key in likeness}
            row["systems"][name] = {"likeness": likeness, "closed": closed, **extra}

        for line in lines:
            samples = np.fromfile(line["file"], np.float32)
            values = measures.of(samples)
            if line["system"].startswith("stock"):
                add(line["system"], values, {"wordErrorRate": line["wordErrorRate"]})
            else:
                add(line["system"], values, {"wordErrorRate": line["wordErrorRate"], "cpuSeconds": line["cpuSeconds"], "seconds": line["seconds"]})
        stocks = {name: system for name, system in row["systems"].items() if name.startswith("stock")}
        best = max(stocks, key=lambda name: stocks[name]["likeness"]["ge2e"])
        row["systems"] = {"stock": stocks[best], **{name: system for name, system in row["systems"].items() if name not in stocks}}
        add("espeak", max(nulls, key=lambda values: mean([Measures.likeness(values, other) for other in judges])["ge2e"]), {})
        results.append(row)
        print(json.dumps(row), file=sys.stderr)
        if arguments.output:
            arguments.output.write_text(json.dumps({"speakers": results, "summary": summary(results)}, indent=1))
    print(json.dumps(summary(results), indent=1))


def summary(results):
    table = {"speakers": len(results)}
    for system in results[0]["systems"]:
        rows = [row["systems"][system] for row in results if system in row["systems"]]
        table[system] = {
            "closed": {name: interval([min(1, row["closed"][name]) for row in rows if np.isfinite(row["closed"][name])]) for name in rows[0]["closed"]},
            "ge2e": interval([row["likeness"]["ge2e"] for row in rows]),
        }
        for extra in ("wordErrorRate", "cpuSeconds", "seconds"):
            if extra in rows[0]:
                table[system][extra] = interval([row[extra] for row in rows])
    table["anchors"] = {
        name: {kind: round(float(np.mean([row[kind][name] for row in results])), 3) for kind in ("same", "different")} for name in results[0]["same"]}
    return table


def threshold(arguments):
    encoder = GE2E(arguments.models / "ge2e" / "pretrained.pt")
    known = {speaker: [encoder(samples) for samples in clips] for speaker, clips in recordings(arguments.corpora, JUDGED).items()}
    same, different = [], []
    for speaker, clips in known.items():
        same += [float(a @ b) for i, a in enumerate(clips) for b in clips[:i]]
        different += [float(a @ b) for other in known if other < speaker for a in clips for b in known[other]]
    same, different = np.array(same), np.array(different)
    rows = [{"threshold": t, "sameRefused": round(float((same < t).mean()), 4), "differentLetThrough": round(float((different >= t).mean()), 4)} for t in (0.65, 0.7, 0.725, 0.75, 0.775, 0.8)]
    print(json.dumps({"speakers": len(known), "same": len(same), "different": len(different), "means": [same.mean(), different.mean()], "rows": rows}, indent=1))


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("what", choices=["judge", "threshold"])
parser.add_argument("--corpora", type=pathlib.Path, required=True)
parser.add_argument("--models", type=pathlib.Path, required=True)
parser.add_argument("--speakers", type=int, default=12)
parser.add_argument("--tries", default="0,60")
parser.add_argument("--output", type=pathlib.Path)
if __name__ == "__main__":
    arguments = parser.parse_args()
    judge(arguments) if arguments.what == "judge" else threshold(arguments)
