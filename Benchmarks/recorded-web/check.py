#!/usr/bin/env python3
"""Checks the questions against the pages: what is asked for stands in the page that is named, and nowhere for the near misses.

usage: check.py [--corpora DIR]

A question's `page`, and each of its `copies`, must state every expected pattern, `page` and `also` (the pages of a comparison) together; a near miss
is about a recorded page (`about`), and none of its `absent` patterns, which would catch the missing fact, matches in any page, in the text
that people wrote down as the article's nor in all that is visible.
"""

import argparse
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import pages as recorded  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA", ""))
    options = parser.parse_args()
    if not options.corpora:
        sys.exit("no pages: set SOTTO_CORPORA to the folder of the corpora")
    pages = recorded.load(options.corpora)
    texts = {name: page.title + "\n" + page.text for name, page in pages.items()}
    truth = pathlib.Path(options.corpora) / "web" / "article-extraction-benchmark" / "dev" / "ground-truth.json"
    for entry in json.loads(truth.read_text()).values():
        texts[recorded.key(entry["url"])] += "\n" + entry["articleBody"]
    file = pathlib.Path(__file__).with_name("questions.jsonl")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    wrong = []
    for row in rows:
        named = [row["page"], *row.get("copies", []), *row.get("also", [])] if row["answerable"] else [row["about"]]
        for name in named:
            if recorded.key("http://" + name) not in texts:
                wrong.append(f"{row['id']}: {name} is not recorded")
        if row["answerable"]:
            together = "\n".join(texts.get(recorded.key("http://" + n), "") for n in [row["page"], *row.get("also", [])])
            for text, name in [(together, row["page"]), *((texts.get(recorded.key("http://" + n), ""), n) for n in row.get("copies", []))]:
                missing = [e for e in row["expect"] if not re.search(e, text, re.I)]
                if missing:
                    wrong.append(f"{row['id']}: {name} does not state {missing}")
        else:
            for name, text in texts.items():
                for pattern in row["absent"]:
                    found = re.search(pattern, text, re.I)
                    if found:
                        wrong.append(f"{row['id']}: {name} has “{text[max(0, found.start() - 40) : found.end() + 40]}”".replace("\n", " "))
    ids = [row["id"] for row in rows]
    wrong += [f"{i} is there twice" for i in set(ids) if ids.count(i) > 1]
    for line in wrong:
        print(line)
    good = sum(row["answerable"] for row in rows)
    print(f"{len(pages)} pages, {good} questions, {len(rows) - good} near misses, {len(wrong)} mistakes")
    sys.exit(bool(wrong))


main()
