#!/usr/bin/env python3
"""Writes charset-truth.tsv: what Python's own codecs (and ICU's, for EUC-TW) read in every file of the charset corpus.

    charset-truth.py CORPORA/web/charsets/dev > charset-truth.tsv

Columns: file, label as a Content-Type header would give it, Python codec, number of characters, SHA-256 of the text in UTF-8. Where the Encoding
Standard maps a label to a superset, the codec is that superset; bytes that windows-125x leaves open are control characters, as in browsers. Bytes
that are in no character are marked with one U+FFFD by Python's "replace"; the digest is then of the text without those marks.
"""

import codecs
import hashlib
import pathlib
import subprocess
import sys

SUPERSET = {
    "iso-8859-1": "cp1252", "ascii": "cp1252", "windows-1252": "cp1252", "iso-8859-9": "cp1254", "windows-1254": "cp1254", "SHIFT_JIS": "cp932", "CP932": "cp932",
    "EUC-KR": "cp949", "GB2312": "gb18030", "Big5": "big5hkscs", "TIS-620": "cp874", "MacCyrillic": "mac_cyrillic", "IBM855": "cp855", "IBM866": "cp866", "Johab": "johab",
    "utf-8-sig": "utf-8-sig", "UTF-16BE": "utf-16-be", "UTF-16LE": "utf-16-le", "UTF-32BE": "utf-32-be", "UTF-32LE": "utf-32-le",
}


def controls(error):
    return "".join(chr(byte) if 0x80 <= byte < 0xA0 else "\ufffd" for byte in error.object[error.start:error.end]), error.end


codecs.register_error("controls", controls)
root = pathlib.Path(sys.argv[1])
for line in (root / "labels.tsv").read_text().splitlines()[1:]:
    name, folder = line.split("\t")
    label = folder
    for language in ("-croatian", "-czech", "-hungarian", "-polish", "-slovak", "-slovene", "-bulgarian", "-russian", "-arabic", "-greek", "-turkish", "-romanian", "-hebrew"):
        label = label.removesuffix(language)
    codec = SUPERSET.get(label, label)
    try:
        codecs.lookup(codec)
    except LookupError:
        # EUC-TW is in ICU alone.
        text = subprocess.run(["uconv", "-f", label, "-t", "UTF-8", root / name], check=True, stdout=subprocess.PIPE).stdout.decode()
        print(name, label, "uconv", len(text), hashlib.sha256(text.encode()).hexdigest(), sep="\t")
        continue
    data = (root / name).read_bytes()
    text = data.decode(codec, "controls" if codec.startswith("cp125") or codec.startswith("iso") else "replace")
    if label == "EUC-JP":
        # The Encoding Standard's index jis0208 has Microsoft's choice for six characters, Python the older one.
        text = text.translate({0x301C: 0xFF5E, 0x2016: 0x2225, 0x2212: 0xFF0D, 0xA2: 0xFFE0, 0xA3: 0xFFE1, 0xAC: 0xFFE2})
    text = text.removeprefix("\ufeff")
    kept = text.replace("\ufffd", "")
    print(name, "utf-8" if label == "utf-8-sig" else label, codec, len(text) if kept == text else f"{len(kept)}+{len(text) - len(kept)}", hashlib.sha256(kept.encode()).hexdigest(), sep="\t")
