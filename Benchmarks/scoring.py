"""How answers are scored, the same for every set of questions.

The rules are those of the question files: of the claims shown as supported the first three count, sixty words in all; an unanswerable question is
refused when nothing is shown as supported and the answer says that the sources do not tell; a citation is stated when its passage has every number,
name and date of the claim and at least half of its content words. Nothing of this is imported by the product.
"""

import json
import math
import os
import random
import re
import subprocess
import time

import pinned

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STOP = set("a an the and or of to in on at by for from with is are was were be been do does did can could may this that it its as if not no "
           "which what who when where how why there their they you your we our will would should has have had more than so such into".split())
CLAIMS, WORDS = 3, 60
UNKNOWN = re.compile(r"(do not|don't|does not|cannot|can't|no information|not (known|available|specified|aware))", re.I)


def read_questions(path, only=""):
    rows = [json.loads(line) for line in open(path) if line.strip()]
    return [r for r in rows if r["id"] in only.split(",")] if only else rows


def wilson(hits, total):
    """A share with its 95 % interval."""
    if not total:
        return "-"
    z, p = 1.96, hits / total
    centre, half = p + z * z / (2 * total), z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    low, high = (centre - half) / (1 + z * z / total), (centre + half) / (1 + z * z / total)
    return f"{hits}/{total} = {100 * p:.0f} % (95 %: {100 * low:.0f}–{100 * high:.0f})"


def words(text):
    return [w.strip(".,;:!?()[]\"'“”’`") for w in re.findall(r"\S+", text.lower())]


def states(passage, claim):
    """The string rule: every number, name and date of the claim in the passage, and at least half of its content words."""
    have = passage.lower()
    hard = re.findall(r"\S*\d\S*|\S*[/_]\S*", claim) + re.findall(r"(?<=[a-z,;] )[A-Z][\w-]+", claim)
    if any(h.strip(".,;:!?()[]\"'“”`").lower() not in have for h in hard):
        return False
    content = [w for w in words(claim) if w and w not in STOP]
    return bool(content) and sum(w[:5] in have for w in content) * 2 >= len(content)


def first_words(text, limit=WORDS):
    return " ".join(text.split()[:limit])


def lead(text):
    """The first three sentences of a passage, in sixty words."""
    return first_words(" ".join(re.split(r"(?<=[.!?])\s+", " ".join(text.split()))[:3]))


def matches(row, text):
    return all(re.search(e, text, re.I) for e in row["expect"])


def supported(result):
    return [c for c in result["claims"] if c["verdict"] == "supported"]


def counted(result):
    """What counts as the answer."""
    budget, texts = WORDS, []
    for claim in supported(result)[:CLAIMS]:
        text = first_words(claim["text"], budget)
        budget -= len(text.split())
        texts.append(text)
        if budget <= 0:
            break
    return texts


def ask(command, question, *options, environment=None, limit=None):
    """One question to the built program (`command` starts it): its result or `None`, the seconds it took, and what it complained of.

    A program that outlives `limit` seconds is ended, with SIGINT as a user would, and the question counts as failed.
    """
    began = time.time()
    child = subprocess.Popen(
        [*command, "--quiet", "ask", question, "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        output, complaint = child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        child.send_signal(2)
        try:
            child.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
        return None, time.time() - began, f"not over after {limit} s"
    if child.returncode != 0:
        return None, time.time() - began, complaint.strip()
    return json.loads(output), time.time() - began, ""


def is_page(location, page):
    """Whether a source's location, a path or an address, is the page that a question names."""
    return location.endswith("/" + page)


def was_read(row, result, is_page=is_page):
    """Whether the page of the question is among the sources, or one that says the same; of a comparison, all its pages."""
    def read(*pages):
        return any(s.get("level") != "failed" and is_page(s["location"], p) for s in result["sources"] for p in pages)

    return read(row["page"], *row.get("copies", [])) and all(read(p) for p in row.get("also", []))


class Tally:
    """What all answers came to."""

    def __init__(self, is_page=is_page):
        self.is_page = is_page
        self.answered = self.answerable = self.refused = self.unanswerable = self.false_refusals = self.retrieved = 0
        self.shown = self.stated = self.verbatim = self.failed = 0
        self.seconds, self.tokens, self.records = [], [], []

    def add(self, row, result, took):
        """Scores one answer; tells whether it is good."""
        claims = supported(result)
        passages = {p["id"]: p["text"] + " " + p["heading"] + " " + s["title"] for s in result["sources"] for p in s["passages"]}
        for claim in claims:
            self.shown += 1
            cited = " ".join(passages[p] for p in claim["passages"])
            self.stated += states(cited, claim["text"])
            self.verbatim += claim["text"].rstrip(".") in " ".join(cited.split())
        if row["answerable"]:
            self.answerable += 1
            good = any(matches(row, text) for text in counted(result))
            self.answered += good
            self.false_refusals += result["status"] != "answered"
            self.retrieved += was_read(row, result, self.is_page)
        else:
            self.unanswerable += 1
            good = not claims and result["status"] in ("notAnswered", "nothingFound")
            self.refused += good
        timing = result["timings"]
        self.seconds.append(took)
        self.tokens.append(timing["promptTokens"] + timing["generatedTokens"])
        self.records.append({"id": row["id"], "good": good, "seconds": took, "result": result})
        return good

    def fail(self, row):
        """No result at all: counts as not answered, and as not refused."""
        self.failed += 1
        if row["answerable"]:
            self.answerable += 1
        else:
            self.unanswerable += 1

    def print(self, mode):
        ordered = sorted(self.seconds)
        print(f"\nload {os.getloadavg()[0]:.1f}, mode {mode}, model {self.records[-1]['result']['model']}")
        if self.failed:
            print(f"no result          {wilson(self.failed, self.failed + len(ordered))}")
        print(f"answered           {wilson(self.answered, self.answerable)}")
        print(f"false refusals     {wilson(self.false_refusals, self.answerable)}")
        print(f"refused            {wilson(self.refused, self.unanswerable)}")
        print(f"right page read    {wilson(self.retrieved, self.answerable)}")
        print(f"citations stated   {wilson(self.stated, self.shown)} by the string rule; copied word for word {wilson(self.verbatim, self.shown)}")
        print(f"seconds a question median {ordered[len(ordered) // 2]:.1f}, longest {ordered[-1]:.1f}; tokens mean {sum(self.tokens) / len(self.tokens):.0f}")


def line(row, result, took, good):
    """One question on one line."""
    timing = result["timings"]
    dropped = [f"{c['text'][:90]} ({c['reason'][:60]})" for c in result["claims"] if c["verdict"] != "supported"]
    return (
        f"{row['id']} {'ok ' if good else 'BAD'} {took:5.1f} s {timing['promptTokens']:5d}+{timing['generatedTokens']:<4d} {result['status']:11s} "
        f"{' | '.join(counted(result))[:200]}{'  DROPPED ' + ' | '.join(dropped) if dropped else ''}")


def closed_book(rows, model):
    """What the model says from memory alone."""
    run = subprocess.run(
        [pinned.swift_benchmarks(), "closed-book", "--model", model], capture_output=True, text=True, check=True,
        input="".join(r["question"] + "\n" for r in rows))
    return [first_words(json.loads(answer)["answer"]) for answer in run.stdout.splitlines()]


def print_controls(rows, leads, model):
    """Both controls: what the first sentences of the top passage would have scored, and the model from memory."""
    good = [i for i, r in enumerate(rows) if r["answerable"]]
    bad = [i for i, r in enumerate(rows) if not r["answerable"]]
    print("\ncontrol: the first three sentences of the top passage")
    print(f"answered           {wilson(sum(matches(rows[i], leads[i]) for i in good), len(good))}")
    print(f"refused            {wilson(sum(not leads[i] for i in bad), len(bad))}", flush=True)
    answers = closed_book(rows, model)
    print("control: the same model without passages")
    print(f"answered           {wilson(sum(matches(rows[i], answers[i]) for i in good), len(good))}")
    print(f"refused            {wilson(sum(bool(UNKNOWN.search(answers[i])) for i in bad), len(bad))}")


def blind(records, path, count=50):
    """The shown claims with what they cite, without saying which question they answer, in an order that tells nothing."""
    shown = []
    for record in records:
        passages = {p["id"]: p for s in record["result"]["sources"] for p in s["passages"]}
        for claim in supported(record["result"]):
            shown.append((claim["text"], [passages[p]["heading"] + "\n" + passages[p]["text"] for p in claim["passages"]]))
    random.Random(7).shuffle(shown)
    with open(path, "w") as file:
        for number, (text, cited) in enumerate(shown[:count], 1):
            file.write(f"=== {number}\nCLAIM: {text}\n" + "\n---\n".join(cited) + "\n\n")


def model_file():
    """The default model, where the program finds it."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    models = os.environ.get("SOTTO_MODELS") or os.path.join(cache, "sotto", "models")
    return os.path.join(models, "qwen2.5-coder-1.5b-instruct-q4_k_m", "model.gguf")
