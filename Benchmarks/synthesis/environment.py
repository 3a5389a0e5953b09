"""What the synthesis benchmarks share: their environment of pinned wheels, the voice model, and our side as a process."""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(HERE.parent))

import pinned  # noqa: E402


# Chosen by the round trip.
VOICE = "jm_kumo"


def model():
    folder = pathlib.Path(os.environ.get("SOTTO_MODELS", pinned.cache() / "models")) / "kokoro-82m-int8"
    if not (folder / "model.onnx").exists():
        sys.exit(f"no voice model in {folder}; run: sotto models pull")
    return folder


def kokoro(threads):
    """The peer: kokoro-onnx over the same model. Only inside the environment."""
    import onnxruntime
    from kokoro_onnx import Kokoro
    from kokoro_onnx.config import EspeakConfig

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    folder = model()
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    # The same espeak-ng as ours, where Debian has it, so that the tokens are equal.
    espeak = None
    library = "/usr/lib/x86_64-linux-gnu/libespeak-ng.so.1"
    if os.path.exists(library):
        os.environ["PHONEMIZER_ESPEAK_LIBRARY"] = library
        espeak = EspeakConfig(lib_path=library, data_path="/usr/lib/x86_64-linux-gnu/espeak-ng-data")
    return Kokoro.from_session(session, str(folder / "voices.npz"), espeak_config=espeak, vocab_config=str(folder / "vocab.json"))


def enter():
    """Starts the calling script again inside the environment, unless it runs there already."""
    python = pinned.environment("synthesis")
    if pathlib.Path(sys.prefix).resolve() != python.parent.parent.resolve():
        os.execv(python, [python, *sys.argv])


def sotto(*arguments, voice=None, threads=1):
    """Builds the Swift benchmarks and starts one that speaks lines of its input."""
    command = [pinned.swift_benchmarks(), "synthesize", "--model", model(), "--threads", str(threads), *arguments]
    if voice:
        command += ["--voice", voice]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def speak(process, text):
    process.stdin.write(text.replace("\n", " ") + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        sys.exit("SottoBenchmarks ended early")
    return json.loads(line)
