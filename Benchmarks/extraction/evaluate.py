"""Measures of extracted text, by the rule of the article-extraction benchmark: counts of runs of four words, each page alike.

Written after the rule; compare.py --check FILE proves that the makers' own evaluate.py gives the same figures.
"""

import collections
import hashlib
import random
import re
import statistics

WORD = re.compile(r"\w+")


def half(identifier):
    """`tune` or `score`, for good: the first hexadecimal digit of SHA-256 of "sotto-extraction:" and the page's id, even or odd."""
    return "score" if int(hashlib.sha256(f"sotto-extraction:{identifier}".encode()).hexdigest()[0], 16) % 2 else "tune"


def runs(text, length=4):
    words = WORD.findall(text or "")
    # A shorter text is one run.
    every = [tuple(words[start:start + length]) for start in range(max(1, len(words) - length + 1))]
    return collections.Counter(run for run in every if run)


def compare(truth, found):
    """Shares of common, superfluous and missing runs."""
    truth, found = runs(truth), runs(found)
    common = sum((truth & found).values())
    extra, missing = sum((found - truth).values()), sum((truth - found).values())
    whole = common + extra + missing
    return tuple(part / whole for part in (common, extra, missing)) if whole else (0.0, 0.0, 0.0)


def measures(parts):
    precision = statistics.mean((1.0 if extra == missing == 0 else common / (common + extra)) for common, extra, missing in parts if common + extra > 0)
    recall = statistics.mean((1.0 if extra == missing == 0 else common / (common + missing)) for common, extra, missing in parts if common + missing > 0)
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0}


def bootstrap(ours, theirs, rounds=10_000, seed=7):
    """The difference of F1 over the same drawn pages: its median and 95 % interval, and the share of draws in which ours is not below."""
    chance = random.Random(seed)
    differences = []
    for _ in range(rounds):
        drawn = [chance.randrange(len(ours)) for _ in ours]
        differences.append(measures([ours[i] for i in drawn])["f1"] - measures([theirs[i] for i in drawn])["f1"])
    differences.sort()
    return {
        "median": round(differences[rounds // 2], 4), "low": round(differences[rounds * 25 // 1000], 4), "high": round(differences[rounds * 975 // 1000], 4),
        "notBelow": round(sum(difference >= 0 for difference in differences) / rounds, 3)}
