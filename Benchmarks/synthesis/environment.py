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


def model():
    folder = pathlib.Path(os.environ.get("SOTTO_MODELS", pinned.cache() / "models")) / "kokoro-82m-int8"
    if not (folder / "model.onnx").exists():
        sys.exit(f"no voice model in {folder}; run: sotto models pull")
    return folder


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
