#!/usr/bin/env python3
"""Writes the fixtures beside this file: truth from Python's own ipaddress and socket modules, and packed bodies made with zlib and the system's
libbrotlienc and libzstd. Run: python3 make_fixtures.py"""
import ctypes, ipaddress, os, random, socket, zlib

here = os.path.dirname(os.path.abspath(__file__))
random.seed(6890)


def addresses():
    """Edges of every special-purpose block that ipaddress knows (and of IANA's registries), one before and one after, and random ones."""
    blocks = """0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16
      198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32 8.8.8.0/24 192.31.196.0/24 192.175.48.0/24
      ::/128 ::1/128 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001::/32 2001:1::1/128 2001:2::/48 2001:3::/32 2001:4:112::/48
      2001:10::/28 2001:20::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 fc00::/7 fe80::/10 fec0::/10 ff00::/8 2000::/3 5f00::/16""".split()
    found = set()
    for text in blocks:
        block = ipaddress.ip_network(text)
        kind = type(block.network_address)
        top = 2 ** block.max_prefixlen - 1
        first, last = int(block.network_address), int(block.broadcast_address)
        for number in (first - 1, first, first + 1, (first + last) // 2, last - 1, last, last + 1):
            if 0 <= number <= top:
                found.add(kind(number))
    for _ in range(300):
        found.add(ipaddress.IPv4Address(random.getrandbits(32)))
        found.add(ipaddress.IPv6Address(random.getrandbits(128)))
        found.add(ipaddress.IPv6Address((1 << 125) | random.getrandbits(125)))
    return sorted(found, key=lambda a: (a.version, int(a)))


with open(here + "/addresses.tsv", "w") as file:
    for address in addresses():
        is_open = address.is_global and not address.is_multicast
        file.write(f"{address}\t{int(is_open)}\n")


def spellings():
    """Numeric hosts, read by the C library's inet_aton."""
    words = ["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "017700000001", "0x7f.1", "0177.1", "0177.0.0.1", "0x7f.0x0.0x0.0x1", "127.0x0.1",
             "0", "0.0.0.0", "00000000", "0x0", "4294967295", "4294967296", "256.1.1.1", "1.256.1.1", "1.1.1.256", "1.1.65536", "1.16777216", "1.2.3.4.5",
             "169.254.43518", "0xa9fea9fe", "2852039166", "025177524776", "10.1", "0xa.1", "012.0.0.1", "08.1.1.1", "1..1", ".1", "0x.1", "192.168.257",
             "127.0.0.01", "127.0.0.0x1", "0x7F.0.0.1", "3232235777", "030052000401", "100.100.51400"]
    for _ in range(200):
        value = random.getrandbits(32)
        count = random.randint(1, 4)
        parts = [(value >> (24 - 8 * i)) & 255 for i in range(count - 1)] + [value & ((1 << (8 * (5 - count))) - 1)]
        words.append(".".join(random.choice(["{}", "0x{:x}", "0{:o}"]).format(part) for part in parts))
    return words


with open(here + "/spellings.tsv", "w") as file:
    for word in dict.fromkeys(spellings()):
        try:
            file.write(f"{word}\t{socket.inet_ntoa(socket.inet_aton(word))}\n")
        except OSError:
            file.write(f"{word}\t-\n")

page = ("<!doctype html><meta charset=utf-8><title>Packed</title><p>" + "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. " * 40).encode()
zeros = b"\0" * (1 << 20)
letters = b"a" * (1 << 20)


def gzip(blocks, level=9):
    packer = zlib.compressobj(level, zlib.DEFLATED, 31)
    return b"".join(packer.compress(block) for block in blocks) + packer.flush()


def deflate(data):
    return zlib.compress(data, 9)


def brotli(data, window=22):
    library = ctypes.CDLL("libbrotlienc.so.1")
    library.BrotliEncoderMaxCompressedSize.restype = ctypes.c_size_t
    room = ctypes.c_size_t(library.BrotliEncoderMaxCompressedSize(ctypes.c_size_t(len(data))) + 1024)
    out = ctypes.create_string_buffer(room.value)
    assert library.BrotliEncoderCompress(5, window, 0, ctypes.c_size_t(len(data)), data, ctypes.byref(room), out)
    return out.raw[: room.value]


def zstd(data):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compressBound.restype = library.ZSTD_compress.restype = ctypes.c_size_t
    room = library.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    out = ctypes.create_string_buffer(room)
    size = library.ZSTD_compress(out, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), 9)
    return out.raw[:size]


files = {
    "page.html": page, "page.gz": gzip([page]), "page.deflate": deflate(page), "page.br": brotli(page), "page.zst": zstd(page),
    # 256 MB of one letter each; the nested one is 4 GB in two coats.
    "bomb.gz": gzip([letters] * 256), "bomb.deflate": zlib.compress(letters * 256, 9), "bomb.br": brotli(letters * 256, 24), "bomb.zst": zstd(letters * 256),
    "bomb.gz.gz": gzip([gzip([letters] * 1024)]),
}
for name, data in files.items():
    with open(f"{here}/{name}", "wb") as file:
        file.write(data)
    print(name, len(data))
