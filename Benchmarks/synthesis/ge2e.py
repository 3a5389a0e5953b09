"""The GE2E speaker encoder in NumPy: an independent implementation of what SottoSpeakerEncoder does, over the same published weights.

Checked against Resemblyzer's own code (its spectra, its looks, its averaging) with the LSTM replaced by this one: equal to five digits."""

import numpy as np

RATE, HOP, WIDTH, BANDS, LOOK, STEP = 16000, 160, 400, 40, 160, 77


class GE2E:
    def __init__(self, path):
        data = open(path, "rb").read()

        def at(offset, count):
            return np.frombuffer(data, "<f4", count, offset).copy()

        lstm = at(269_883, 1_357_824)
        self.output, self.output_bias = at(7731, 65_536).reshape(256, 256), at(6699, 256)
        self.layers = []
        for index, (inputs, first, second) in enumerate([(40, 0, 40_960), (256, 303_104, 565_248), (256, 827_392, 1_089_536)]):
            bias = 1_351_680 + index * 2048
            self.layers.append((
                lstm[first : first + 1024 * inputs].reshape(1024, inputs), lstm[second : second + 1024 * 256].reshape(1024, 256),
                lstm[bias : bias + 1024] + lstm[bias + 1024 : bias + 2048]))
        self.filters = mel_filters()
        self.window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WIDTH) / WIDTH)

    def spectra(self, samples):
        padded = np.pad(samples.astype(np.float64), WIDTH // 2)
        frames = np.lib.stride_tricks.sliding_window_view(padded, WIDTH)[::HOP][: 1 + len(samples) // HOP]
        return (np.abs(np.fft.rfft(frames * self.window)) ** 2 @ self.filters.T).astype(np.float32)

    def looks(self, sequence):
        def logistic(x):
            return 1 / (1 + np.exp(-np.clip(x, -30, 30)))

        for inputs, hidden, bias in self.layers:
            gates = sequence @ inputs.T + bias
            state = memory = np.zeros((len(sequence), 256), np.float32)
            out = np.empty((*sequence.shape[:2], 256), np.float32)
            for step in range(sequence.shape[1]):
                i, f, g, o = np.split(gates[:, step] + state @ hidden.T, 4, 1)
                memory = logistic(f) * memory + logistic(i) * np.tanh(g)
                out[:, step] = state = logistic(o) * np.tanh(memory)
            sequence = out
        value = np.maximum(state @ self.output.T + self.output_bias, 0)
        return value / np.linalg.norm(value, axis=1, keepdims=True)

    def __call__(self, samples):
        """The direction of a recording at 16 kHz, silence left out and quiet speech raised as SottoSpeakerEncoder does it."""
        speech = leveled(without_silence(samples))
        frames = -(-(len(speech) + 1) // HOP)
        starts = list(range(0, max(1, frames - LOOK + STEP + 1), STEP))
        if len(starts) > 1 and (len(speech) - starts[-1] * HOP) / (LOOK * HOP) < 0.75:
            starts.pop()
        spectra = self.spectra(np.pad(speech, (0, max(0, (starts[-1] + LOOK) * HOP - len(speech)))))
        mean = self.looks(np.stack([spectra[start : start + LOOK] for start in starts])).mean(0)
        return mean / np.linalg.norm(mean)


def mel_filters():
    def hertz(mel):
        return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))

    edges = hertz(np.linspace(0, 15 + 27 * np.log(8) / np.log(6.4), BANDS + 2))
    bins = np.linspace(0, 8000, WIDTH // 2 + 1)
    up = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(up, down)) * (2 / (edges[2:] - edges[:-2]))[:, None]


def without_silence(samples):
    count = len(samples) // 480
    levels = (samples[: count * 480].reshape(count, 480) ** 2).mean(1)
    speech = levels > np.sort(levels)[: count - count // 20][-1] * 0.001
    kept = np.array([speech[max(0, i - 3) : i + 4].any() for i in range(count)])
    return samples[: count * 480].reshape(count, 480)[kept].reshape(-1)


def leveled(samples):
    gain = -30 - 10 * np.log10(max((samples**2).mean(), 1e-12))
    return samples * 10 ** (gain / 20) if gain > 0 else samples
