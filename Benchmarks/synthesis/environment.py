"""The Python environment of the synthesis benchmarks: made once, from pinned and hashed wheels."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sotto"


def model():
    folder = pathlib.Path(os.environ.get("SOTTO_MODELS", cache() / "models")) / "kokoro-82m-int8"
    if not (folder / "model.onnx").exists():
        sys.exit(f"no voice model in {folder}; run: sotto models pull")
    return folder


def enter():
    """Starts the calling script again inside the environment, unless it runs there already."""
    requirements = HERE / "requirements.txt"
    key = hashlib.sha256(requirements.read_bytes()).hexdigest()[:16]
    home = cache() / "benchmarks" / f"synthesis-{key}"
    python = home / "bin" / "python"
    if pathlib.Path(sys.prefix).resolve() == home.resolve():
        return
    if not (home / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True, stdout=sys.stderr)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", requirements],
            check=True, stdout=sys.stderr)
        (home / "complete").touch()
    os.execv(python, [python, *sys.argv])


def sotto(*arguments, voice=None, threads=1):
    """Builds the Swift benchmarks and starts one that speaks lines of its input."""
    package = HERE.parent
    subprocess.run(["swift", "build", "-c", "release", "--package-path", package], check=True, stdout=sys.stderr)
    folder = subprocess.run(
        ["swift", "build", "-c", "release", "--package-path", package, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True).stdout
    command = [pathlib.Path(folder.strip()) / "SottoBenchmarks", "synthesize", "--model", model(), "--threads", str(threads), *arguments]
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
