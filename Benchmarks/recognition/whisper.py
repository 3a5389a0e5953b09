#!/usr/bin/env python3
"""Compares sotto's Whisper with faster-whisper on the same base weights: text, language and time.

    whisper.py --corpora FOLDER [--threads 1] [--passes 1] [--limit N] [--beams 1,5]

English: the fifty clips of recognition-clips.tsv, word error rate by the same normalizer as compare.py. Other languages: human speech, the telephone
prompts of Debian's asterisk-core-sounds packages in Spanish, French, Italian and Russian (CC BY-SA, 16 kHz), thirty clips each, chosen by even spacing among
those of 3 s and more. They come without transcripts, so the figures are how often the language is found and how far the two texts differ: words, lower
case, NFKC, without marks. Both find the language out by themselves. Both run whole files with their own voice activity: ours always has one, theirs is
faster-whisper's vad_filter off, its default. The time is that of transcription without decoding the file, clip by clip in turn, with as many threads each.
"""

import argparse
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import unicodedata

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent
sys.path.append(str(PACKAGE))

import pinned  # noqa: E402

PROMPTS = {
    "es": "e4e3b4281057d3b81b779298fd6be705f57411513955c518eed1bcaabbd615b8",
    "fr": "7add61d5e42279ecff1bbdf842a5a946ac3644fac9a0fe44384731aa7270c8e0",
    "it": "46b4cf7afc508a5fcfc051b7ea233251c0d195dd4ef83cc4b7facb4c6429b016",
    "ru": "673b4238a6b8269960f055d868c6a11083f7a0d00979167cb01554046b48ed9b",
}
VERSION = "1.6.1-1"
# Of G.722: 64 kbit/s.
BYTES_A_SECOND = 8000


def prompts(language, count=30, shortest=3):
    """The clips of one language as WAV files, fetched once through apt and checked."""
    home = pinned.cache() / "benchmarks" / f"prompts-{VERSION}-{language}-spoken"
    if not (home / "complete").exists():
        home.mkdir(parents=True, exist_ok=True)
        name = f"asterisk-core-sounds-{language}-g722"
        subprocess.run(["apt-get", "download", "-qq", f"{name}={VERSION}"], cwd=home, check=True, stdout=sys.stderr)
        archive = home / f"{name}_{VERSION}_all.deb"
        if hashlib.sha256(archive.read_bytes()).hexdigest() != PROMPTS[language]:
            sys.exit(f"{archive} is not the file that was measured")
        subprocess.run(["dpkg-deb", "-x", archive, home / "files"], check=True)
        spoken = (path for path in (home / "files").rglob("*.g722") if path.parent.name != "silence")
        clips = sorted(path for path in spoken if path.stat().st_size >= shortest * BYTES_A_SECOND)
        chosen = [clips[index * len(clips) // count] for index in range(count)] if len(clips) > count else clips
        for clip in chosen:
            wav = home / (clip.stem + ".wav")
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "g722", "-i", clip, "-c:a", "pcm_s16le", wav], check=True)
        (home / "complete").touch()
    return sorted(home.glob("*.wav"))


class Engine:
    """A process that answers each path with one line of JSON."""

    def __init__(self, command):
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def recognize(self, path):
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '{"error": "ended early"}')
        if "error" in answer:
            sys.exit(f"{path}: {answer['error']}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def words(text):
    text = unicodedata.normalize("NFKC", text).lower()
    return "".join(" " if unicodedata.category(letter)[0] in "PSZC" else letter for letter in text).split()


def distance(left, right):
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def score(binary, pairs):
    text = "".join(f"{truth}\t{heard}\n" for truth, heard in pairs)
    return json.loads(subprocess.run([binary, "score"], input=text, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA"))
    parser.add_argument("--models", default=os.environ.get("SOTTO_MODELS", pinned.cache() / "models"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--beams", default="1,5")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--texts", type=pathlib.Path, help="a file for the texts of both")
    options = parser.parse_args()
    models = pathlib.Path(options.models).resolve()
    if not (models / "whisper-base" / "ggml-base.bin").exists():
        sys.exit(f"no Whisper model in {models}; run: sotto models pull whisper-base")
    python, binary = pinned.environment("synthesis"), pinned.swift_benchmarks()
    sets = {}
    if options.corpora:
        root = pathlib.Path(options.corpora).resolve() / "speech"
        lines = (PACKAGE / "Corpora" / "recognition-clips.tsv").read_text().splitlines()
        clips = [line.split("\t")[:2] for line in lines if line and not line.startswith("#")]
        sets["en"] = [(root / path, truth) for path, truth in clips][: options.limit]
    for language in PROMPTS:
        sets[language] = [(path, None) for path in prompts(language)][: options.limit]
    texts = []
    for language, clips in sets.items():
        load = os.getloadavg()[0]
        asked = "en" if language == "en" else "auto"
        engines = {"ours": Engine([binary, "recognize", "--engine", "whisper", "--models", models, "--threads", options.threads, "--language", asked])}
        for beam in options.beams.split(","):
            engines[f"faster-whisper, beam {beam}"] = Engine([python, HERE / "whisper-reference.py", options.threads, beam, asked])
        answers, times = {}, {name: [] for name in engines}
        for number in range(options.passes):
            total = {name: 0 for name in engines}
            for path, _ in clips:
                for name in sorted(engines, reverse=number % 2 == 1):
                    answer = engines[name].recognize(path)
                    total[name] += answer["seconds"]
                    answers[name, path] = answer
            for name in engines:
                times[name].append(total[name])
        for engine in engines.values():
            engine.close()
        audio = sum(answers["ours", path]["audioSeconds"] for path, _ in clips)
        report = {
            "name": "whisper", "language": language, "threads": options.threads, "clips": len(clips), "audioSeconds": round(audio, 1),
            "loadAverage": [load, os.getloadavg()[0]],
            "realTimeFactor": {name: round(statistics.median(times[name]) / audio, 4) for name in engines},
        }
        if language == "en":
            rates = {name: score(binary, [(truth, answers[name, path]["text"]) for path, truth in clips]) for name in engines}
            report["wordErrorRate"] = {name: round(rates[name]["rate"], 4) for name in engines}
            report["errors"] = {name: {key: rates[name][key] for key in ("substitutions", "insertions", "deletions", "words")} for name in engines}
        else:
            report["languageFound"] = {
                name: sum(answers[name, path]["languages"][:1] == [language] for path, _ in clips) for name in engines}
        for name in list(engines)[1:]:
            theirs = [words(answers[name, path]["text"]) for path, _ in clips]
            ours = [words(answers["ours", path]["text"]) for path, _ in clips]
            wrong = sum(map(distance, theirs, ours))
            report.setdefault("wordsThatDiffer", {})[name] = f"{wrong} of {sum(map(len, theirs))}, {sum(a == b for a, b in zip(theirs, ours))} clips alike"
        print(json.dumps(report, ensure_ascii=False), flush=True)
        for path, truth in clips:
            texts.append({"path": str(path), "truth": truth, **{name: answers[name, path]["text"] for name in engines}})
    if options.texts:
        options.texts.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in texts))


main()
