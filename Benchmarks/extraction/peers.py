"""Reads pages with one of the peers: one path a line on standard input, one line of JSON each."""

import json
import pathlib
import sys
import time


def trafilatura(fast):
    import trafilatura

    return lambda data: trafilatura.extract(data, fast=fast, include_comments=False) or ""


def readability():
    import html_text
    import readability as library

    def read(data):
        import trafilatura.utils

        # It takes text; the decoding is trafilatura's, as good as any.
        return html_text.extract_text(library.Document(trafilatura.utils.decode_file(data)).summary())

    return read


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    return lambda data: extract_plain_text(bytes_to_str(data, detect_encoding(data, from_html_meta=True)), main_content=True, alt_texts=False, noscript=False)


PEERS = {
    "trafilatura": lambda: trafilatura(False), "trafilatura-fast": lambda: trafilatura(True), "readability-lxml": readability, "resiliparse": resiliparse,
}


def main():
    read = PEERS[sys.argv[1]]()
    for line in sys.stdin:
        data = pathlib.Path(line.rstrip("\n")).read_bytes()
        start = time.perf_counter()
        try:
            text, error = read(data), None
        except Exception as problem:  # noqa: BLE001 - a peer that fails gave no text
            text, error = "", repr(problem)[:200]
        print(json.dumps({"path": line.rstrip("\n"), "seconds": time.perf_counter() - start, "text": text, "error": error}), flush=True)


main()
