"""Recorded pages of the real web: where they stood, their bytes, and what a person sees of them.

Only addresses and bytes come from the corpora; the text is read here, with Python's own parser, so that nothing that is measured
takes part in making the measure.
"""

import dataclasses
import gzip
import html.parser
import json
import pathlib
import re
import urllib.parse

# What is on a page without being its text.
UNSEEN = {"script", "style", "noscript", "template", "svg", "head", "select", "button", "form", "iframe", "object", "canvas"}
AROUND = {"nav", "footer", "aside"}
INLINE = set("a abbr b bdi bdo cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup time tt u var wbr".split())
VOID = set("area base br col embed hr img input link meta param source track wbr".split())


@dataclasses.dataclass
class Page:
    """A page as it was recorded."""

    address: str  # as recorded, without its fragment
    packed: bytes  # gzip
    corpus: str
    title: str = ""
    text: str = ""

    @property
    def body(self):
        return gzip.decompress(self.packed)


def key(address):
    """What makes two spellings of an address the same page here: no scheme, no fragment, one way of escaping, no tracking."""
    parts = urllib.parse.urlsplit(address)
    host = parts.netloc.lower().rsplit("@", 1)[-1]
    host = host.removesuffix(":80").removesuffix(":443")
    path = urllib.parse.quote(urllib.parse.unquote(parts.path or "/"), safe="/")
    pairs = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
    pairs = [(k, v) for k, v in pairs if not k.startswith("utm_")]
    return host + path + ("?" + urllib.parse.urlencode(pairs) if pairs else "")


def served(address):
    """Where this web serves a page: at its own host and path, but without encryption, since nobody here holds the host's key."""
    return "http://" + urllib.parse.urldefrag(address).url.split("://", 1)[1]


class _Reader(html.parser.HTMLParser):
    """Title and visible lines. Forgiving: an end tag that nobody opened closes nothing."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.hidden = [], 0
        self.title, self.lines, self.line = [], [], []
        self.in_title = False
        self.named = ""

    def handle_starttag(self, tag, attributes):
        if tag == "title" and not self.title:
            self.in_title = True
            return
        if tag == "meta":
            pairs = dict(attributes)
            if pairs.get("property") == "og:title" and pairs.get("content"):
                self.named = pairs["content"]
            return
        if tag not in INLINE:
            self.end_line()
        if tag in VOID:
            return
        if tag == "body":
            # A head that was left open hides nothing of the body.
            self.stack, self.hidden = [], 0
        self.stack.append(tag)
        self.hidden += tag in UNSEEN or tag in AROUND

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID and tag not in ("title", "meta"):
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag == "title":
            self.in_title = False
            return
        if tag not in INLINE:
            self.end_line()
        if tag not in self.stack:
            return
        while self.stack:
            last = self.stack.pop()
            self.hidden -= last in UNSEEN or last in AROUND
            if last == tag:
                return

    def handle_data(self, data):
        if self.in_title:
            self.title.append(data)
        elif not self.hidden:
            self.line.append(data)

    def end_line(self):
        text = " ".join("".join(self.line).split())
        if text:
            self.lines.append(text)
        self.line = []


def decode(body):
    head = body[:4096]
    found = re.search(rb"charset\s*=\s*[\"']?([\w-]+)", head, re.I)
    for name in (["utf-8-sig"], [found.group(1).decode()] if found else [], ["cp1252"]):
        for encoding in name:
            try:
                return body.decode(encoding)
            except (UnicodeDecodeError, LookupError):
                continue
    return body.decode("utf-8", "replace")


def read(body):
    """Title and visible text of an HTML page."""
    reader = _Reader()
    reader.feed(decode(body))
    reader.close()
    reader.end_line()
    title = " ".join("".join(reader.title).split()) or " ".join(reader.named.split())
    return title, "\n".join(reader.lines)


def load(corpora):
    """Every development page with a known address: the article benchmark's, then trafilatura's as more of the same web."""
    web = pathlib.Path(corpora) / "web"
    found = {}

    def add(address, packed, corpus):
        if not re.match(r"https?://[\w.-]+", address):
            return
        address = urllib.parse.urldefrag(address).url
        if key(address) not in found:
            page = Page(address, packed, corpus)
            page.title, page.text = read(page.body)
            found[key(address)] = page

    folder = web / "article-extraction-benchmark" / "dev"
    for name, entry in json.loads((folder / "ground-truth.json").read_text()).items():
        add(entry["url"], (folder / "html" / f"{name}.html.gz").read_bytes(), "articles")
    folder = web / "trafilatura-eval" / "dev"
    if folder.exists():
        for address, entry in json.loads((folder / "evaldata.json").read_text()).items():
            file = folder / "html" / (entry["file"] + ".gz")
            if file.exists():
                add(address, file.read_bytes(), "trafilatura")
    return found
