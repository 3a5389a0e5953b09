"""A search engine of its own: BM25 over recorded pages, with snippets cut around the words of the query.

Okapi BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), k1 = 1.2, b = 0.75; words of a
title count as often as five in the text.
"""

import collections
import math
import re

K1, B, TITLE = 1.2, 0.75, 5
SNIPPET = 220
STOP = frozenset(
    "a about after all also am an and any are as at be because been before being between both but by can could did do does doing down during each "
    "few for from had has have having he her here him his how i if in into is it its just me more most my no nor not of off on once only or other "
    "our out over own she should so some such than that the their them then there these they this those to too under until up very was we were "
    "what when where which while who whom why will with would you your der die das und ist ein eine wer wie was wann wo von den dem".split())


def stem(word):
    """English plurals, possessives and the commonest endings; other languages stay nearly as they are."""
    for ending, least in (("ies", 5), ("ing", 6), ("edly", 7), ("ed", 5), ("ly", 6), ("es", 5), ("s", 4)):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            word = word[: -len(ending)] + ("y" if ending == "ies" else "")
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def words(text):
    return [stem(w) for w in re.findall(r"[^\W_]+", text.lower().replace("’s", "").replace("'s", ""))]


class Index:
    """An index over pages by key."""

    def __init__(self, pages):
        self.pages = pages
        self.counts, self.length, self.holders = {}, {}, collections.Counter()
        for name, page in pages.items():
            counts = collections.Counter(words(page.text))
            for word in words(page.title):
                counts[word] += TITLE
            self.counts[name], self.length[name] = counts, sum(counts.values())
            self.holders.update(counts.keys())
        self.mean = sum(self.length.values()) / max(1, len(pages))

    def weight(self, word):
        holders = self.holders.get(word, 0)
        return math.log(1 + (len(self.pages) - holders + 0.5) / (holders + 0.5))

    def search(self, query, limit=10, start=0):
        """Keys of pages, the best first. A site named as `site:host` is kept to."""
        site = re.search(r"\bsite:(\S+)", query)
        query = re.sub(r"\bsite:\S+", "", query)
        asked = set(words(query))
        asked = {w for w in asked if w not in STOP} or asked
        scores = []
        for name, counts in self.counts.items():
            host = name.split("/", 1)[0]
            if site and not (host == site[1] or host.endswith("." + site[1])):
                continue
            norm = K1 * (1 - B + B * self.length[name] / self.mean)
            score = sum(self.weight(w) * counts[w] * (K1 + 1) / (counts[w] + norm) for w in asked if w in counts)
            if score > 0:
                scores.append((-score, name))
        return [name for _, name in sorted(scores)[start : start + limit]]

    def snippet(self, name, query):
        """The stretch of the page that has most of the query, as engines show it: at most 220 characters, cut at words."""
        asked = {w: self.weight(w) for w in set(words(query)) if w not in STOP}
        best, where = -1.0, ""
        for line in self.pages[name].text.split("\n"):
            if len(line) < 40:
                continue
            starts = [m.start() for m in re.finditer(r"(?<![^\s])\S", line)]
            # Sentences begin a snippet, and every eighth word of a long one.
            begin = [0] + [m.end() for m in re.finditer(r"[.!?]\s+", line)] + starts[::8]
            for at in begin:
                piece = line[at : at + SNIPPET]
                score = sum(asked[w] for w in set(words(piece)) & asked.keys()) - at * 1e-6
                if score > best:
                    best, where = score, (line, at)
        if not where:
            return self.pages[name].text[:SNIPPET]
        line, at = where
        piece = line[at : at + SNIPPET]
        if at + SNIPPET < len(line):
            piece = piece.rsplit(" ", 1)[0] + " …"
        return ("… " if at else "") + piece.strip()
