#!/usr/bin/env python3
"""Compares the extraction of main content with peers, on pages whose text people wrote down.

    compare.py --corpora FOLDER [--half tune|score] [--passes 3] [--only ours,trafilatura] [--worst 10] [--skip-speed]

Articles: the development pages of the article-extraction benchmark in two halves by hash (evaluate.half). Rules are made looking at the half "tune"
alone; each run of the half "score" is added to docs/extraction.md. Beside them: trafilatura's pages (snippets that must and must not appear), the readability
pages (likeness to another extractor's output: a hint, no truth), pages a second on one core from bytes to text or Markdown, and peak memory on a page
of 5 MB. Ends with status 1 when the scored half misses an aim.
"""

import argparse
import datetime
import gzip
import html
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import evaluate

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent
sys.path.append(str(PACKAGE))

import pinned  # noqa: E402

PEERS = ["trafilatura", "trafilatura-fast", "readability-lxml", "resiliparse"]


def extract(command, paths):
    """Every page's answer, on one core."""
    core = min(os.sched_getaffinity(0))
    run = subprocess.run(
        command, input="".join(f"{path}\n" for path in paths), stdout=subprocess.PIPE, text=True, check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    return [json.loads(line) for line in run.stdout.splitlines()]


def peak_memory(command, path):
    """Of a process of its own, in MB."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    process.stdin.write(f"{path}\n".encode())
    process.stdin.close()
    return os.wait4(process.pid, 0)[2].ru_maxrss / 1024


def large_page(path, megabytes=5):
    """A page of that size: sections of prose with links, lists, tables and code, and navigation around them."""
    section = (
        "<section class=\"chapter\" id=\"s{n}\"><h2>Section {n}</h2>" + "<p class=\"para\">The number of this paragraph is {n}, and it goes on with <a href=\"/page/{n}\" title=\"x\">a link</a>, some "
        "<em>emphasis</em>, and enough further words to look like what people write, sentence after sentence.</p>" * 6
        + "<ul class=\"items\">" + "<li class=\"item\"><a href=\"/item/{n}\">Item {n}</a> with a few words</li>" * 8 + "</ul><table><tr><th>Name</th><th>Value</th></tr>"
        + "<tr><td>row {n}</td><td>{n}</td></tr>" * 5 + "</table><pre><code>let x = {n}</code></pre></section>\n")
    parts = ["<!doctype html><html lang=en><head><meta charset=utf-8><title>A long page</title></head><body><nav>" + "<a href=/x>entry</a>" * 200 + "</nav><main>"]
    size, number = 0, 0
    while size < megabytes * 1_000_000:
        parts.append(section.replace("{n}", str(number)))
        size += len(parts[-1])
        number += 1
    path.write_text("".join(parts) + "</main><footer>end</footer></body></html>")


def flat(text):
    """On one line, without characters that nobody sees."""
    return " ".join(re.sub("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]", "", text).split())


def plain(markup):
    markup = re.sub(r"(?is)<(script|style|figcaption)\b.*?</\1>", " ", markup)
    return html.unescape(re.sub(r"(?s)<[^>]+>", " ", re.sub(r"(?i)</?(p|div|li|br|h\d|td|th|tr|section|article|blockquote|pre)\b[^>]*>", "\n", markup)))


def check(path, truths, found, ours):
    """Ends the program when the makers' evaluator sees the same texts differently."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("makers", path)
    makers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(makers)
    theirs = makers.metrics_from_tp_fp_fns([makers.string_shingle_matching(true, text) for true, text in zip(truths, found)])
    if any(abs(theirs[key] - ours[key]) > 1e-9 for key in ours):
        sys.exit(f"the makers' evaluator gives {theirs}, ours {ours}")
    print("the makers' evaluator gives the same figures", file=sys.stderr)


def commit():
    run = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE, stdout=subprocess.PIPE, text=True)
    return run.stdout.strip() or "unknown"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.split(':', 1)[1].strip()}, {os.cpu_count()} cores"
    return f"unknown, {os.cpu_count()} cores"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default=os.environ.get("SOTTO_CORPORA"), help="the folder that holds web/")
    parser.add_argument("--half", choices=["tune", "score"], default="score")
    parser.add_argument("--passes", type=int, default=3, help="for the speed")
    parser.add_argument("--only", help="some of: ours," + ",".join(PEERS))
    parser.add_argument("--worst", type=int, default=0, help="name the pages of the half tune where ours is worst")
    parser.add_argument("--dump", type=pathlib.Path, help="write truth and ours of the half tune into this folder")
    parser.add_argument("--binary", type=pathlib.Path, help="the benchmarks' program, when it is built already")
    parser.add_argument("--check", type=pathlib.Path, help="the evaluate.py of the article benchmark's makers: its figures must be the same")
    parser.add_argument("--skip-speed", action="store_true")
    options = parser.parse_args()
    if not options.corpora:
        sys.exit("name the corpora: --corpora FOLDER or SOTTO_CORPORA")
    web = pathlib.Path(options.corpora).resolve() / "web"
    names = options.only.split(",") if options.only else ["ours", *PEERS]
    binary = options.binary or pinned.swift_benchmarks()
    python = pinned.environment("extraction") if any(name != "ours" for name in names) else None
    commands = {name: [binary, "extract"] if name == "ours" else [python, HERE / "peers.py", name] for name in names}
    load = os.getloadavg()[0]

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        articles = web / "article-extraction-benchmark" / "dev"
        truth = {key: value["articleBody"] for key, value in json.loads((articles / "ground-truth.json").read_text()).items()}
        for key in truth:
            (folder / f"{key}.html").write_bytes(gzip.decompress((articles / "html" / f"{key}.html.gz").read_bytes()))
        keys = sorted(key for key in truth if evaluate.half(key) == options.half)
        paths = [folder / f"{key}.html" for key in keys]
        parts, table = {}, {}
        for name in names:
            answers = extract(commands[name], paths)
            parts[name] = [evaluate.compare(truth[key], answer["text"]) for key, answer in zip(keys, answers)]
            table[name] = {key: round(value, 4) for key, value in evaluate.measures(parts[name]).items()}
            if options.check:
                check(options.check, [truth[key] for key in keys], [answer["text"] for answer in answers], evaluate.measures(parts[name]))
            if name == "ours":
                refused = {key[:10]: answer["refusal"] for key, answer in zip(keys, answers) if answer.get("refusal")}
            if name == "ours" and options.half == "tune":
                order = sorted(range(len(keys)), key=lambda i: parts[name][i][0])
                for i in order[: options.worst]:
                    print(f"{keys[i][:10]} common {parts[name][i][0]:.3f} extra {parts[name][i][1]:.3f} missing {parts[name][i][2]:.3f}", file=sys.stderr)
                if options.dump:
                    options.dump.mkdir(exist_ok=True)
                    for key, answer in zip(keys, answers):
                        (options.dump / f"{key[:10]}.truth").write_text(truth[key])
                        (options.dump / f"{key[:10]}.ours").write_text(answer["text"])
        result = {"name": "extraction", "commit": commit(), "processor": processor(), "loadAverage": load, "half": options.half, "pages": len(keys), "articles": table}
        if "ours" in names:
            result["refusedAsNoContent"] = refused
            result["bootstrap"] = {f"ours minus {name}": evaluate.bootstrap(parts["ours"], parts[name]) for name in names if name != "ours"}

        snippets = web / "trafilatura-eval" / "dev"
        cases = list(json.loads((snippets / "evaldata.json").read_text()).values())
        pages = []
        for case in cases:
            source = next((path for path in (snippets / "html" / f"{case['file']}.gz", snippets / "html" / case["file"]) if path.exists()), None)
            if source is None:
                continue
            target = folder / ("t-" + case["file"])
            target.write_bytes(gzip.decompress(source.read_bytes()) if source.suffix == ".gz" else source.read_bytes())
            pages.append((target, case))
        result["snippets"] = {}
        for name in names:
            right = missing = wrong = 0
            misses = []
            for (path, case), answer in zip(pages, extract(commands[name], [path for path, _ in pages])):
                text = flat(answer["text"])
                for snippet in case.get("with", []):
                    found = flat(snippet) in text
                    right, missing = right + found, missing + (not found)
                    if not found:
                        misses.append(f"{case['file']} - {snippet[:80]!r}")
                for snippet in case.get("without", []):
                    found = flat(snippet) in text
                    wrong += found
                    if found:
                        misses.append(f"{case['file']} + {snippet[:80]!r}")
            precision, recall = right / max(1, right + wrong), right / max(1, right + missing)
            result["snippets"][name] = {
                "pages": len(pages), "precision": round(precision, 4), "recall": round(recall, 4), "f1": round(2 * precision * recall / max(1e-9, precision + recall), 4)}
            if name == "ours" and options.worst and options.half == "tune":
                print("\n".join(misses), file=sys.stderr)

        saved = sorted((web / "readability" / "dev").iterdir())
        result["likeness"] = {}
        for name in names:
            answers = extract(commands[name], [path / "source.html" for path in saved])
            scores = [evaluate.compare(plain((path / "expected.html").read_text()), answer["text"]) for path, answer in zip(saved, answers)]
            result["likeness"][name] = round(evaluate.measures(scores)["f1"], 4)
            if name == "ours" and options.worst and options.half == "tune":
                for i in sorted(range(len(saved)), key=lambda i: scores[i][0])[: options.worst]:
                    print(f"{saved[i].name} common {scores[i][0]:.3f} extra {scores[i][1]:.3f} missing {scores[i][2]:.3f}", file=sys.stderr)

        if not options.skip_speed:
            every = sorted(folder / f"{key}.html" for key in truth)
            times = {name: [] for name in names}
            for number in range(options.passes):
                for name in names if number % 2 == 0 else reversed(names):
                    # The first page pays for starting.
                    times[name].append(sum(answer["seconds"] for answer in extract(commands[name], [every[0], *every])[1:]))
            result["pagesPerSecond"] = {name: round(len(every) / statistics.median(times[name]), 1) for name in names}
            large, small = folder / "large.html", folder / "small.html"
            large_page(large)
            small.write_text("<!doctype html><p>" + "A small page with a sentence. " * 20)
            result["peakMegabytes"] = {
                name: {key: round(peak_memory(commands[name] + (["--lean"] if name == "ours" else []), page), 1) for key, page in (("smallPage", small), ("page5MB", large))}
                for name in names}
    print(json.dumps(result, indent=1))

    if options.half == "score" and "ours" in names:
        log = PACKAGE.parent / "docs" / "extraction.md"
        peer = max((name for name in names if name.startswith("trafilatura")), key=lambda name: table[name]["f1"], default=None)
        with log.open("a") as file:
            file.write(
                f"| {datetime.date.today()} | {result['commit']} | {table['ours']['precision']:.4f} | {table['ours']['recall']:.4f} | {table['ours']['f1']:.4f} | "
                + (f"{table[peer]['f1']:.4f} | {result['bootstrap']['ours minus ' + peer]['low']:+.4f} … {result['bootstrap']['ours minus ' + peer]['high']:+.4f} |\n" if peer else "| |\n"))
        failed = table["ours"]["f1"] < 0.965 or (peer and table["ours"]["f1"] < table[peer]["f1"])
        if not options.skip_speed:
            peak = result["peakMegabytes"]["ours"]
            failed = failed or result["pagesPerSecond"]["ours"] < 200 or peak["page5MB"] - peak["smallPage"] > 64
        sys.exit(1 if failed else 0)


main()
