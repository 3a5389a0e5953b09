"""Recordings for the benchmarks of hearing: the corpora's table, samples of a file, and a file of samples."""

import array
import csv
import subprocess
import wave


def manifest(root):
    """The rows of the corpora's speech, `root` being their folder."""
    return list(csv.DictReader((root / "manifest.tsv").open(), delimiter="\t", quoting=csv.QUOTE_NONE))


def samples(path):
    """16 bits, mono, 16 kHz, whatever the file is."""
    command = ["ffmpeg", "-loglevel", "error", "-i", path, "-f", "s16le", "-ac", "1", "-ar", "16000", "-"]
    return array.array("h", subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def write(values, path):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(values.tobytes())
