"""Reads QR codes with zbar (libzbar0), which knows nothing of how they were made.

Standard input: an SVG image (argument "svg"; ffmpeg's librsvg draws it), or text in half blocks (argument "blocks"; light modules are drawn).
Prints a JSON list of the texts found.
"""

import ctypes
import json
import subprocess
import sys
import tempfile

SCALE = 4


def drawn_svg(svg):
    # From a file: a pipe cannot be probed.
    with tempfile.NamedTemporaryFile(suffix=".svg") as file:
        file.write(svg)
        file.flush()
        raw = subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "svg_pipe", "-i", file.name, "-vf", f"scale=iw*{SCALE}:ih*{SCALE}:flags=neighbor,format=gray", "-f", "image2pipe", "-c:v", "pgm", "-"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout
    magic, width, height, most, pixels = raw.split(maxsplit=4)
    assert magic == b"P5" and most == b"255"
    width, height = int(width), int(height)
    return width, height, raw[-width * height:]


def drawn_blocks(text):
    rows = []
    for line in text.decode().splitlines():
        line = line.replace("\x1b[38;5;231;48;5;16m", "").replace("\x1b[0m", "")
        for half in ("█▀", "█▄"):
            rows.append(b"".join((b"\xff" if character in half else b"\x00") * SCALE for character in line))
    width = len(rows[0])
    assert all(len(row) == width for row in rows)
    return width, len(rows) * SCALE, b"".join(row for row in rows for _ in range(SCALE))


def read(width, height, pixels):
    zbar = ctypes.CDLL("libzbar.so.0")
    pointer = ctypes.c_void_p
    for name in ("zbar_image_scanner_create", "zbar_image_create", "zbar_image_first_symbol", "zbar_symbol_next"):
        getattr(zbar, name).restype = pointer
    zbar.zbar_symbol_get_data.restype = pointer
    zbar.zbar_symbol_get_data_length.restype = ctypes.c_uint
    scanner, image = pointer(zbar.zbar_image_scanner_create()), pointer(zbar.zbar_image_create())
    zbar.zbar_image_set_format(image, ctypes.c_ulong(int.from_bytes(b"Y800", "little")))
    zbar.zbar_image_set_size(image, ctypes.c_uint(width), ctypes.c_uint(height))
    zbar.zbar_image_set_data(image, pixels, ctypes.c_ulong(len(pixels)), None)
    zbar.zbar_scan_image(scanner, image)
    texts, symbol = [], zbar.zbar_image_first_symbol(image)
    while symbol:
        symbol = pointer(symbol)
        texts.append(ctypes.string_at(pointer(zbar.zbar_symbol_get_data(symbol)), zbar.zbar_symbol_get_data_length(symbol)).decode())
        symbol = zbar.zbar_symbol_next(symbol)
    return texts


if sys.argv[1] == "probe":
    ctypes.CDLL("libzbar.so.0")
else:
    data = sys.stdin.buffer.read()
    print(json.dumps(read(*(drawn_svg(data) if sys.argv[1] == "svg" else drawn_blocks(data)))))
