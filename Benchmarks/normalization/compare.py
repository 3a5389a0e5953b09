"""How written English is said: ours beside espeak-ng's own reading and WeTextProcessing (`wetext`), on cases by others.

Three scores, each a share of lines:

  words    equal after folding case, hyphens, punctuation and white space ("P M" is "PM")
  reading  equal also where two ways of saying it are both right English; the rules are those of `readings.py`, the same for all
  ear      the phonemes that espeak-ng gives to the spoken form are those of an accepted spoken form; for espeak-ng itself the
           phonemes of its own reading of the written form

A written form has often several accepted spoken forms: those of all its rows of the same source, and their alternatives.

    compare.py --corpora FOLDER [--misses FILE]
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

sys.path[1:1] = [str(pathlib.Path(__file__).resolve().parent.parent)]

import pinned  # noqa: E402
import readings  # noqa: E402

TOPICS = {
    "numbers": ("cardinal", "numbers"), "ordinals": ("ordinal",), "decimals": ("decimal",), "fractions": ("fraction",), "Roman numerals": ("roman",),
    "years": ("year",), "dates": ("date",), "times": ("time",), "money": ("money",), "units and percent": ("measure",), "telephone": ("telephone",),
    "addresses, e-mail": ("electronic",), "street addresses": ("address",), "abbreviations": ("whitelist",), "symbols": ("math", "punctuation", "word"),
    "ranges": ("range",), "letters with digits": ("serial",), "mixed sentences": ("normalizer", "mixed", "with-audio", "special"),
}


def espeak(lines):
    """Phonemes of each line, without stress, length and pauses."""
    spoken = []
    for line in lines:
        answer = subprocess.run(["espeak-ng", "-q", "--ipa", "-v", "en-us", "--", line or " "], capture_output=True, text=True, check=True).stdout
        spoken.append(re.sub(r"[\sˈˌː_.|‖-]", "", answer))
    return spoken


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--corpora", required=True)
    arguments.add_argument("--misses", help="a file for the lines that are not right")
    options = arguments.parse_args()
    python = pinned.environment("normalization")
    if pathlib.Path(sys.prefix).resolve() != python.parent.parent.resolve():
        os.execv(python, [python, *sys.argv])

    import wetext

    rows = []
    with open(pathlib.Path(options.corpora) / "text-normalisation/dev/cases.tsv", encoding="utf-8") as file:
        next(file)
        for line in file:
            category, written, spoken, alternatives, source = (line.rstrip("\n").split("\t") + [""] * 5)[:5]
            written = readings.as_written(category, written.replace('\\"', '"'), spoken)
            rows.append((category, written, [spoken] + [a.strip() for a in alternatives.split(" | ") if a.strip()], source))
    accepted = collections.defaultdict(set)
    for _, written, forms, source in rows:
        accepted[source, written].update(form.replace('\\"', '"') for form in forms)

    lines = [row[1] for row in rows]
    binary = pinned.swift_benchmarks()
    ours = subprocess.run([binary, "normalize"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout.split("\n")
    normalizer = wetext.Normalizer(lang="en", operator="tn")
    peer = []
    for line in lines:
        try:
            peer.append(normalizer.normalize(line))
        except Exception:  # It gives up on some lines; they count as not said.
            peer.append("")

    forms = sorted({form for group in accepted.values() for form in group})
    sound = dict(zip(forms, espeak(forms)))
    heard = {"sotto": espeak(ours[: len(lines)]), "wetext": espeak(peer), "espeak-ng": espeak(lines)}
    said = {"sotto": ours, "wetext": peer}

    counts = collections.defaultdict(collections.Counter)
    misses = []
    for index, (category, written, _, source) in enumerate(rows):
        group = accepted[source, written]
        keys = [("all", ""), (source, category)] + [("topic", topic) for topic, starts in TOPICS.items() if category.startswith(starts)][:1]
        right = {}
        for name, texts in said.items():
            right[name, "words"] = any(readings.same_words(texts[index], form) for form in group)
            right[name, "reading"] = right[name, "words"] or readings.are_one(texts[index], group, written, category)
        for name, sounds in heard.items():
            right[name, "ear"] = any(sounds[index] == sound[form] for form in group)
        for key in keys:
            counts[key]["lines"] += 1
            for score, is_right in right.items():
                counts[key][score] += is_right
        if not right["sotto", "reading"] and not right["sotto", "ear"]:
            misses.append("\t".join([source, category, written, ours[index], " || ".join(sorted(group))]))
    if options.misses:
        pathlib.Path(options.misses).write_text("\n".join(misses) + "\n", encoding="utf-8")

    columns = [("sotto", "words"), ("sotto", "reading"), ("sotto", "ear"), ("wetext", "words"), ("wetext", "reading"), ("wetext", "ear"), ("espeak-ng", "ear")]
    print(f"{'':42}{'lines':>6}" + "".join(f"{name + ' ' + score:>18}" for name, score in columns))
    for key in [("all", "")] + [("topic", t) for t in TOPICS] + sorted(k for k in counts if k[0] not in ("all", "topic")):
        count = counts[key]
        if count["lines"]:
            label = "all" if key[0] == "all" else key[1] if key[0] == "topic" else f"  {key[0]} {key[1]}"
            print(f"{label:42}{count['lines']:6}" + "".join(f"{100 * count[c] / count['lines']:17.1f}%" for c in columns))


if __name__ == "__main__":
    main()
