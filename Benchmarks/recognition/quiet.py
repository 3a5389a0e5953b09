#!/usr/bin/env python3
"""How much human speech is lost because it is quiet or short?

    quiet.py --corpora FOLDER [--level -35]

Two sets of clips by people. "short": one word, letter or digit each, as recorded. "quiet": sentences brought to a peak of `--level` dBFS, with the
noise that was in them (they become quiet, not noisy). A clip is lost when it gives no text at all. One line of JSON for each set, with the clips
that were lost; ends with status 1 when more than 2 % of all are.
"""

import argparse
import array
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent
sys.path.append(str(PACKAGE))

import pinned  # noqa: E402
import recordings  # noqa: E402

SHORT = {"fsdd", "moonshine-alphanumeric", "wakewords", "google-speech", "google-dialogflow"}
SENTENCES = {"librispeech-test-other", "vctk", "pocketsphinx", "ljspeech", "ohf-commands", "speechbrain-samples", "asterisk-prompts"}


def quiet(path, level, place):
    values = recordings.samples(path)
    gain = 32768 * 10 ** (level / 20) / (max(map(abs, values)) or 1)
    recordings.write(array.array("h", (round(value * gain) for value in values)), place)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA"), help="the folder that holds speech/")
    parser.add_argument("--models", default=os.environ.get("SOTTO_MODELS", pinned.cache() / "models"))
    parser.add_argument("--level", type=float, default=-35, help="peak of the quiet clips, in dBFS")
    options = parser.parse_args()
    if not options.corpora:
        sys.exit("name the corpora: --corpora FOLDER or SOTTO_CORPORA")
    root = pathlib.Path(options.corpora).resolve() / "speech"
    rows = recordings.manifest(root)
    binary = pinned.swift_benchmarks()
    total = lost = 0
    with tempfile.TemporaryDirectory() as folder:
        sets = {"short": [], "quiet": []}
        for row in rows:
            if row["corpus"] in SHORT and row["transcript"] and len(row["transcript"].split()) <= 3:
                sets["short"].append((root / row["path"], row))
            elif row["corpus"] in SENTENCES and row["kind"] == "asr" and row["transcript"]:
                place = pathlib.Path(folder) / f"{len(sets['quiet'])}.wav"
                quiet(root / row["path"], options.level, place)
                sets["quiet"].append((place, row))
        for name, clips in sets.items():
            command = [binary, "recognize", "--models", options.models, "--threads", "1"]
            lines = subprocess.run(command, input="".join(f"{path}\n" for path, _ in clips), check=True, stdout=subprocess.PIPE, text=True).stdout
            answers = [json.loads(line) for line in lines.splitlines()]
            missing = [f"{row['path']}: {row['transcript']}"[:100] for (_, row), answer in zip(clips, answers, strict=True) if not answer["text"].strip()]
            print(json.dumps({
                "name": f"speech that is {name}", "clips": len(clips), "lost": len(missing), "level": options.level if name == "quiet" else "as recorded",
                "which": missing}, ensure_ascii=False))
            total += len(clips)
            lost += len(missing)
    sys.exit(1 if lost > 0.02 * total else 0)


if __name__ == "__main__":
    main()
