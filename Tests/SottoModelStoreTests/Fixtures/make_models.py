"""Builds FOLDER/truth/<id>/<path>, FOLDER/wheels/*.whl and FOLDER/manifest.json from seeded bytes."""
import hashlib, json, os, random, sys, zipfile

folder = sys.argv[1]
rng = random.Random(20)
wheels_folder = os.path.join(folder, "wheels")
os.makedirs(wheels_folder)


def sha(data):
    return hashlib.sha256(data).hexdigest()


def truth(model, path, data):
    target = os.path.join(folder, "truth", model, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as file:
        file.write(data)
    return {"path": path, "size": len(data), "sha256": sha(data)}


def wheel(name, entries, version="1.0", method=zipfile.ZIP_DEFLATED):
    info = f"{name}-{version}.dist-info"
    path = os.path.join(wheels_folder, f"{name}-{version}-py3-none-any.whl")
    with zipfile.ZipFile(path, "w", method) as archive:
        for entry, data in entries.items():
            archive.writestr(zipfile.ZipInfo(entry, (2026, 1, 1, 0, 0, 0)), data, method)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    with open(path, "rb") as file:
        return {"requirement": f"{name}=={version}", "sha256": sha(file.read())}


# Half noise, half repetition, so that deflate both works and does not.
big = b"".join(rng.randbytes(4096) + bytes([index % 251]) * 4096 for index in range(380)) + b"end"
parts = [big[0:700_001], big[700_001:1_500_000], big[1_500_000:1_500_001], big[1_500_001:]]
vocabulary = json.dumps({"vocab": {chr(97 + index): index for index in range(26)}}).encode()
voices = rng.randbytes(300_000)
wheels = [
    wheel(f"sottotest_part{index + 1}", {f"sottotest_part{index + 1}/part.bin": part, "../../escape.txt": b"no"},
          method=zipfile.ZIP_STORED if index % 2 else zipfile.ZIP_DEFLATED)
    for index, part in enumerate(parts)
]
wheels.append(wheel("sottotest_extra", {"extra/vocab.json": vocabulary, "extra/voices.bin": voices}))
joined = {
    "id": "joined", "role": "test", "name": "Joined", "licence": "Apache-2.0",
    "files": [truth("joined", "model.bin", big), truth("joined", "vocab.json", vocabulary), truth("joined", "data/voices.bin", voices)],
    "sources": [{
        "kind": "wheel", "wheels": wheels,
        "files": [
            {"to": "model.bin", "join": [{"wheel": i, "path": f"sottotest_part{i + 1}/part.bin"} for i in range(4)]},
            {"to": "vocab.json", "join": [{"wheel": 4, "path": "extra/vocab.json"}]},
            {"to": "data/voices.bin", "join": [{"wheel": 4, "path": "extra/voices.bin"}]},
        ],
    }],
}
single = rng.randbytes(1_234_567)
other = {
    "id": "single", "role": "test", "name": "Single", "licence": "MIT",
    "files": [truth("single", "single.bin", single)],
    "sources": [{
        "kind": "wheel", "wheels": [wheel("sottotest_single", {"pkg/single.bin": single})],
        "files": [{"to": "single.bin", "join": [{"wheel": 0, "path": "pkg/single.bin"}]}],
    }],
}
with open(os.path.join(folder, "manifest.json"), "w") as file:
    json.dump({"schemaVersion": 1, "sets": {"all": ["joined", "single"], "one": ["single"]}, "models": [joined, other]}, file)
