"""Measures of a voice that take no part in fitting one: cepstra and pitch, in NumPy alone."""

import numpy as np


def pitches(samples, rate=16000):
    """Fundamental frequencies of the voiced frames, in hertz, by normalized autocorrelation (another method than the fit's own)."""
    width, hop, low, high = int(0.05 * rate), int(0.01 * rate), 60, 420
    if len(samples) < width:
        return np.array([])
    frames = np.lib.stride_tricks.sliding_window_view(samples, width)[::hop]
    frames = frames[(frames**2).mean(1) > 0.01 * np.quantile((frames**2).mean(1), 0.95)]
    window = np.hanning(width)
    size = 1 << (2 * width - 1).bit_length()
    shape = np.fft.irfft(np.abs(np.fft.rfft(window, size)) ** 2)[:width]
    found = []
    for frame in (frames - frames.mean(1, keepdims=True)) * window:
        correlation = np.fft.irfft(np.abs(np.fft.rfft(frame, size)) ** 2)[:width]
        if correlation[0] <= 0:
            continue
        normal = correlation / correlation[0] / (shape / shape[0] + 1e-9)
        lags = np.arange(int(rate / high), int(rate / low) + 1)
        # Shorter periods first where they are nearly as good, against octaves too low.
        score = normal[lags] - 0.01 * np.log2(lags)
        best = lags[score.argmax()]
        if normal[best] > 0.6:
            found.append(rate / best)
    return np.array(found)


def cepstra(samples, rate=16000, bands=26, count=20):
    """Mel cepstra 1…19 of the loud frames; shape [frames, 19]."""
    width, hop = int(0.025 * rate), int(0.01 * rate)
    samples = np.append(samples[0], samples[1:] - 0.97 * samples[:-1])
    frames = np.lib.stride_tricks.sliding_window_view(samples, width)[::hop]
    power = (frames**2).mean(1)
    frames = frames[power > 0.003 * np.quantile(power, 0.95)] * np.hamming(width)
    spectra = np.abs(np.fft.rfft(frames, 512)) ** 2

    def mel(hertz):
        return 2595 * np.log10(1 + hertz / 700)

    # Up to 3.8 kHz: recordings of the corpora differ in what they hold above.
    edges = 700 * (10 ** (np.linspace(mel(80), mel(3800), bands + 2) / 2595) - 1)
    bins = np.arange(257) * rate / 512
    filters = np.maximum(0, np.minimum((bins - edges[:-2, None]) / np.diff(edges)[:-1, None], (edges[2:, None] - bins) / np.diff(edges)[1:, None]))
    log = np.log(spectra @ filters.T + 1e-10)
    basis = np.cos(np.pi * np.outer(np.arange(1, count), np.arange(bands) + 0.5) / bands)
    return log @ basis.T * np.sqrt(2 / bands)
