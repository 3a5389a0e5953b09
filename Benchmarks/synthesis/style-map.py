"""Makes Sources/SottoVoices/Fit/StyleMap+Values.swift: what Kokoro's styles sound like to the GE2E encoder, learnt from speech that is synthesized here.

  style-map.py make --models DIR --corpora DIR --data DIR [--random 450] [--towards 1000]    hours; goes on where it stopped
  style-map.py write --models DIR --data DIR                                                  seconds

First styles at random: mixes of the stock voices, and offsets. Then styles towards real speakers, as far as the map of all before can guess them: that is where
fits will look. The speakers are those of the corpora that the judge (cloning.py) never judges; of their recordings only the direction of the voice is used."""

import argparse
import base64
import csv
import pathlib
import struct
import subprocess
import sys

import environment

try:
    import numpy as np
except ModuleNotFoundError:
    environment.enter()

from acoustics import pitches
from ge2e import GE2E

SENTENCES = [
    "The old clock on the wall had stopped.", "We could hear the rain all night long.", "She put the blue cup back on the shelf.",
    "They walked slowly down to the harbor.", "A warm wind moved over the open field.", "Please bring me that yellow jacket now.",
]
RIDGE, RANK = 500, 64


class Voice:
    def __init__(self, models):
        import json
        import onnxruntime

        folder = models / "kokoro-82m-int8"
        archive = np.load(folder / "voices.npz")
        tables = np.stack([archive[name].reshape(-1, 256) for name in sorted(archive.files)])
        self.stock = (tables.mean(1) - tables.mean((0, 1))) / tables.mean(1).std(0)
        self.middle, self.spread = tables.mean(0), tables.mean(1).std(0)
        vocabulary = json.loads((folder / "vocab.json").read_text())["vocab"]
        self.tokens = []
        for sentence in SENTENCES:
            phonemes = subprocess.run(["espeak-ng", "-q", "--ipa", "-v", "en-us", sentence], capture_output=True, text=True, check=True).stdout.strip()
            self.tokens.append([vocabulary[sign] for sign in phonemes + "." if sign in vocabulary])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])

    def say(self, index, style):
        tokens = self.tokens[index]
        row = self.middle[min(len(tokens), len(self.middle)) - 1] + self.spread * style
        name = self.session.get_inputs()[0].name
        inputs = {name: np.array([[0, *tokens, 0]]), "style": row[None].astype(np.float32), "speed": np.ones(1, np.float32)}
        return self.session.run(None, inputs)[0].reshape(-1)


def at_16k(samples):
    padded = np.pad(samples, (0, -len(samples) % 3))
    return np.fft.irfft(np.fft.rfft(padded)[: len(padded) // 3 + 1], len(padded) // 3 * 2).astype(np.float32) * 2 / 3


def load(data, encoder, spread):
    """Every style that was made, with the direction of its speech, its sentence and its pitch; directions are kept once they are known."""
    styles, directions, sentences, heights = [], [], [], []
    for file in sorted(data.glob("*.npz")):
        known = file.with_suffix(".npy")
        made = np.load(file)
        if not known.exists():
            samples = at_16k(made["x"].astype(np.float32) / 32767)
            try:
                direction = encoder(samples)
            except (IndexError, ValueError):
                continue
            found = pitches(samples)
            np.save(known, np.append(direction, np.log2(np.median(found)) if len(found) > 20 else np.nan))
        value = np.load(known)
        styles.append(made["offset"] / spread)
        directions.append(value[:256])
        sentences.append(int(made["j"]))
        heights.append(value[256])
    return np.array(styles), np.array(directions), np.array(sentences), np.array(heights)


def learn(styles, directions, sentences):
    """Ridge regression with an offset for each sentence, by turns."""
    biases = np.zeros((len(SENTENCES), directions.shape[1]))
    mean = styles.mean(0)
    offsets = styles - mean
    precision = offsets.T @ offsets + RIDGE * np.eye(offsets.shape[1])
    for _ in range(5):
        rest = directions - biases[sentences]
        middle = rest.mean(0)
        weights = np.linalg.solve(precision, offsets.T @ (rest - middle))
        missed = directions - middle - offsets @ weights
        biases = np.stack([missed[sentences == index].mean(0) if (sentences == index).any() else np.zeros(missed.shape[1]) for index in range(len(SENTENCES))])
        biases -= biases.mean(0)
    residual = np.sqrt((((directions - biases[sentences]) - middle - offsets @ weights) ** 2).mean())
    return mean, middle, weights, precision, residual, biases


def write(arguments):
    encoder, voice = GE2E(arguments.models / "ge2e" / "pretrained.pt"), Voice(arguments.models)
    styles, directions, sentences, heights = load(arguments.data, encoder, voice.spread)
    mean, middle, weights, precision, residual, biases = learn(styles, directions, sentences)
    voiced = np.isfinite(heights)
    offsets = styles[voiced] - mean
    pitch = np.linalg.solve(offsets.T @ offsets + RIDGE * np.eye(256), offsets.T @ (heights[voiced] - heights[voiced].mean()))
    left, values, right = np.linalg.svd(weights, full_matrices=False)
    a, b = (left[:, :RANK] * values[:RANK]).T, right[:RANK]
    low = a.T @ b
    print(f"{len(styles)} styles, residual {residual:.4f}, of the weights' power kept {1 - ((weights - low) ** 2).sum() / (weights**2).sum():.4f}", file=sys.stderr)
    explained = 1 - ((heights[voiced] - heights[voiced].mean() - offsets @ pitch) ** 2).sum() / ((heights[voiced] - heights[voiced].mean()) ** 2).sum()
    print(f"pitch explained {explained:.3f}", file=sys.stderr)

    def floats(values):
        return np.asarray(values, "<f4").tobytes()

    def rows(matrix):
        result = b""
        for row in matrix:
            scale = max(np.abs(row).max(), 1e-12) / 32767
            result += floats([scale]) + np.round(row / scale).astype("<i2").tobytes()
        return result

    packed = struct.pack("<III", 256, 256, RANK) + floats([heights[voiced].mean()]) + floats(mean) + floats(middle) + floats(pitch)
    packed += struct.pack("<I", len(SENTENCES))
    for sentence, bias in zip(SENTENCES, biases):
        packed += struct.pack("<I", len(sentence)) + sentence.encode() + floats(bias)
    packed += rows(a) + rows(b)
    text = base64.b64encode(packed).decode()
    lines = "\n".join("        " + text[start : start + 140] + "\\" for start in range(0, len(text), 140))
    goal = pathlib.Path(__file__).resolve().parents[2] / "Sources/SottoVoices/Fit/StyleMap+Values.swift"
    goal.write_text(f'''extension StyleMap {{
    /// Learnt from {len(styles)} styles; written by `Benchmarks/synthesis/style-map.py`, as ``init(bytes:)`` reads it.
    static let standardBase64 = """
{lines}

        """
}}
''')


def targets(corpora, encoder):
    from cloning import JUDGED, audio

    found = {}
    with open(corpora / "speech" / "manifest.tsv") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t"):
            speaker = row["speaker_id"]
            if speaker in JUDGED or speaker in found or float(row["seconds"] or 0) < 4:
                continue
            if row["corpus"] in ("librispeech-train-clean-100", "librispeech-dev-clean", "azure", "moonshine-assets"):
                found[speaker] = encoder(audio(corpora / "speech" / row["path"])[: 16000 * 20])
    return np.stack(list(found.values()))


def make(arguments):
    encoder, voice = GE2E(arguments.models / "ge2e" / "pretrained.pt"), Voice(arguments.models)
    arguments.data.mkdir(parents=True, exist_ok=True)
    speakers = targets(arguments.corpora, encoder)
    for number in range(arguments.random + arguments.towards):
        file = arguments.data / f"{number:05d}.npz"
        chance = np.random.default_rng([arguments.seed, number])
        if file.exists():
            continue
        index = int(chance.integers(len(SENTENCES)))
        if number < arguments.random:
            share = chance.dirichlet([0.6] * len(voice.stock))
            width = chance.uniform(0.1, 1.4) * np.repeat(chance.uniform(0.4, 1, 2), 128)
            style = chance.uniform(0.8, 1.5) * share @ voice.stock + width * chance.standard_normal(256)
        else:
            if number % 10 == 0 or number == arguments.random or "weights" not in locals():
                mean, middle, weights, *_ = learn(*load(arguments.data, encoder, voice.spread)[:3])
            target = speakers[chance.integers(len(speakers))]
            style = climb(mean, middle, weights, target, voice.stock, 10 ** chance.uniform(-5, -3.6)) + chance.choice([0, 0.15, 0.3]) * chance.standard_normal(256)
        samples = voice.say(index, style)
        np.savez(file, offset=(style * voice.spread).astype(np.float32), j=index, x=(np.clip(samples, -1, 1) * 32767).astype(np.int16))


def climb(mean, middle, weights, target, stock, cost):
    guesses = middle + (stock - mean) @ weights
    style = stock[(guesses @ target / np.linalg.norm(guesses, axis=1)).argmax()].copy()
    for _ in range(300):
        guess = middle + (style - mean) @ weights
        length = np.linalg.norm(guess)
        style += 40 * (weights @ (target / length - (target @ guess) * guess / length**3) - 2 * cost * style)
    return style


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("what", choices=["make", "write"])
parser.add_argument("--models", type=pathlib.Path, required=True)
parser.add_argument("--corpora", type=pathlib.Path)
parser.add_argument("--data", type=pathlib.Path, required=True)
parser.add_argument("--random", type=int, default=450)
parser.add_argument("--towards", type=int, default=1000)
parser.add_argument("--seed", type=int, default=1)
if __name__ == "__main__":
    arguments = parser.parse_args()
    make(arguments) if arguments.what == "make" else write(arguments)
