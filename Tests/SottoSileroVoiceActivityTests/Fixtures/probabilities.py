"""Prints the Silero network's probabilities for a 16 kHz 16-bit mono WAV file, by ONNX Runtime's Python package.

    python3 probabilities.py silero_vad.onnx half_an_hour.wav
"""
import sys
import wave

import numpy
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1])
with wave.open(sys.argv[2]) as file:
    samples = numpy.frombuffer(file.readframes(file.getnframes()), "<i2").astype(numpy.float32) / 32768
samples = numpy.pad(samples, (0, -len(samples) % 512))
context, state = numpy.zeros(64, numpy.float32), numpy.zeros((2, 1, 128), numpy.float32)
for frame in samples.reshape(-1, 512):
    window = numpy.concatenate([context, frame])[None]
    output, state = session.run(["output", "stateN"], {"input": window, "state": state, "sr": numpy.array(16000, numpy.int64)})
    context = frame[-64:]
    print(f"{output.item():.6f}")
