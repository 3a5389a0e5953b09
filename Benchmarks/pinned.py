"""What the comparisons share: an environment of pinned, hash-checked wheels made once, and the built Swift benchmarks."""

import hashlib
import os
import pathlib
import subprocess
import sys

PACKAGE = pathlib.Path(__file__).resolve().parent


def cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sotto"


def environment(name):
    """The interpreter of the environment of `name`, from the file of requirements in its folder."""
    requirements = PACKAGE / name / "requirements.txt"
    home = cache() / "benchmarks" / f"{name}-{hashlib.sha256(requirements.read_bytes()).hexdigest()[:16]}"
    python = home / "bin" / "python"
    if not (home / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True, stdout=sys.stderr)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", requirements],
            check=True, stdout=sys.stderr)
        (home / "complete").touch()
    return python


def swift_benchmarks():
    """Builds the Swift benchmarks and tells where they are."""
    build = ["swift", "build", "-c", "release", "--package-path", PACKAGE]
    # The runtimes are found whoever calls, make or the script itself.
    paths = [str(PACKAGE.parent / ".runtime" / "lib" / "pkgconfig"), os.environ.get("PKG_CONFIG_PATH", "")]
    environment = {**os.environ, "PKG_CONFIG_PATH": ":".join(path for path in paths if path)}
    subprocess.run(build, check=True, stdout=sys.stderr, env=environment)
    folder = subprocess.run([*build, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout.strip()
    return pathlib.Path(folder) / "SottoBenchmarks"
