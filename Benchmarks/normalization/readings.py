"""When two ways of saying a written form are both right English.

Every rule is a class and is the same for every program that is compared. Both sides are brought to one form, and are one reading
when their letters are the same. The rules, by what is written:

  anything     case, hyphens, punctuation, spacing; "and" in numbers and amounts; oh, o, zero; double five; "a", "one" or nothing
               before a leading hundred or thousand; "fifteen hundred" or "one thousand five hundred"; "the" before an ordinal;
               "missus" or "misses"
  no context   a number by itself is a count, is called out in pairs (a year, a room), or is read digit by digit
  dates        the fifth of January, January fifth, January five; two thousand twelve or twenty twelve; Q2 or second quarter
  times        one fifteen or quarter past one, twelve fifty nine or one minute to one; sixteen hundred or four PM
  money        cents named or not, or the amount as a decimal: "twelve point oh five dollars"
  fractions    parts, "over", "divided by"; a stroke is "slash", "over" or "per"; x between numbers is "by", "times" or "x"
  units        by name or by the letters of the sign
  addresses    with scheme and "www" or without; hyphens said or not; letters spelled or not; digits in pairs or one by one. The
               same for what is dialled.
  signs        where a source's spoken form still holds the sign, any of its names

A source may have lost what a reading needs; its own loss is not held against anybody:

  the years of num2words are values: the era that its spoken form names is written behind them;
  rows that turn an inverse normalizer round write "mW" for megawatts: a small m is then mega or milli.
"""

import itertools
import re

SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
ORDINALS = {
    **{name + "th": name for name in SMALL if name not in ("zero", "one", "two", "three", "five", "eight", "nine", "twelve")},
    "first": "one", "second": "two", "third": "three", "fifth": "five", "eighth": "eight", "ninth": "nine", "twelfth": "twelve",
    **{name[:-1] + "ieth": name for name in TENS}, "hundredth": "hundred", "thousandth": "thousand",
}
ORDINAL = "|".join(sorted(ORDINALS, key=len, reverse=True))
ONES = "|".join(SMALL[1:10])
NUMBER = "|".join(SMALL + TENS + ["hundred", "thousand", "million", "billion", "trillion"])
MONEY = "dollars?|euros?|pounds?"
# Names of units by the letters of their signs; "sec" and "cc" are said as they are written too.
UNITS = {"s": "seconds?", "sec": "seconds?", "cc": "cc", "m2": "square meters?", "ms": "milliseconds?", "kg": "kilograms?", "g": "grams?", "m": "meters?"}
SIGNS = {"-": ("", "to", "minus"), "/": ("", "slash", "over", "per"), "+": ("plus",), "<": ("less than",), "=": ("equals",)}


def cardinal(value):
    if value < 20:
        return SMALL[value]
    if value < 100:
        return (TENS[value // 10 - 2] + (" " + SMALL[value % 10] if value % 10 else "")).strip()
    for size, name in ((10**21, "sextillion"), (10**18, "quintillion"), (10**15, "quadrillion"), (10**12, "trillion"), (10**9, "billion"),
                       (10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if value >= size:
            return cardinal(value // size) + " " + name + (" " + cardinal(value % size) if value % size else "")
    raise AssertionError(value)


def in_pairs(digits):
    """905: nine oh five; 1066: ten sixty six; 1900: nineteen hundred."""
    first, rest = int(digits[:-2]), int(digits[-2:])
    return cardinal(first) + (" hundred" if rest == 0 else (" oh " if rest < 10 else " ") + cardinal(rest))


def as_written(category, written, spoken):
    """The written form with what its source left out of it."""
    if category.startswith("year"):
        era = re.search(r"\b(BC|BCE|AD|CE)\b", spoken)
        if era and era[0] not in written:
            return f"{written.lstrip('-')} {era[0]}"
    return written


def folded(text):
    text = re.sub(r"[-\u2010-\u2015/]", " ", text.lower())
    return re.sub(r"[^\w\s]", "", text).split()


def same_words(one, other):
    return "".join(folded(one)) == "".join(folded(other))


def digits_of_pairs(text):
    """Two digits said as a number, "forty five", become their digits."""
    text = re.sub(rf"\b({'|'.join(TENS)}) ({ONES})\b", lambda m: f"{SMALL[TENS.index(m[1]) + 2]} {m[2]}", text)
    text = re.sub(rf"\b({'|'.join(TENS)})\b", lambda m: f"{SMALL[TENS.index(m[1]) + 2]} zero", text)
    return re.sub(rf"\b({'|'.join(SMALL[10:])})\b", lambda m: f"one {SMALL[SMALL.index(m[1]) - 10]}", text)


def clock(text, written):
    """Hours and minutes, whichever way they are told."""
    def before(hour):
        return SMALL[(SMALL.index(hour) - 2) % 12 + 1]

    hours = "|".join(SMALL[1:13])
    text = re.sub(rf"\bquarter past ({hours})\b", r"\1 fifteen", text)
    text = re.sub(rf"\bhalf past ({hours})\b", r"\1 thirty", text)
    text = re.sub(rf"\bquarter to ({hours})\b", lambda m: before(m[1]) + " forty five", text)
    minutes = "|".join(cardinal(n) for n in range(29, 0, -1))
    text = re.sub(rf"\b({minutes}) min(?:ute)?s? (past|to) ({hours})\b",
                  lambda m: f"{m[3]} {m[1]}" if m[2] == "past" else f"{before(m[3])} {cardinal(60 - [cardinal(n) for n in range(60)].index(m[1]))}", text)
    text = re.sub(r"\bo ?clock\b", "", text)
    # Without a half of the day the written hour says it: 16:00.
    if re.search(r"\b(1[3-9]|2[0-3]):\d\d\b(?! ?[ap]\.?m)", written, re.I):
        text = re.sub(rf"\b({'|'.join(cardinal(n) for n in range(23, 12, -1))})( hundred\b|)",
                      lambda m: cardinal([cardinal(n) for n in range(24)].index(m[1]) - 12) + " pm", text)
        text = re.sub(r"\bp m\b", "pm", text)
    return text


def money(text):
    def cents(match):
        digits = [SMALL.index(word) for word in match[1].split()]
        value = digits[0] * 10 + (digits[1] if len(digits) > 1 else 0)
        return f"{match[2]} {cardinal(value)}"

    text = re.sub(rf"\bpoint ((?:{'|'.join(SMALL[:10])})(?: (?:{'|'.join(SMALL[:10])}))?) ({MONEY})\b", cents, text)
    return re.sub(rf"\b({MONEY})((?: (?:{NUMBER}))+) (?:cents?|pence|penny)\b", r"\1\2", text)


def reading(text, written, category):
    text = " ".join(folded(text))
    text = re.sub(r"\bhttps? colon slash slash\b|\bh t t p(?: s)? colon slash slash\b|\bwww dot\b|\bw w w dot\b|\b(dash|hyphen)\b|\band\b", " ", text)
    text = " ".join(text.split())
    # A letter o among letters that are spelled is none.
    text = re.sub(r"(?<!\b[a-np-z] )\b(o|oh)\b(?! [a-np-z]\b)", "zero", text)
    text = re.sub(r"\bdouble (\w+)", r"\1 \1", text)
    text = text.replace("misses", "missus")
    text = re.sub(rf"\b(?:the )?((?:(?:{'|'.join(TENS)}) )?(?:{ORDINAL})) of ({MONTHS})\b", r"\2 \1", text)
    text = re.sub(rf"\b({MONTHS}) ((?:(?:{'|'.join(TENS)}) )?)({ORDINAL})\b", lambda m: f"{m[1]} {m[2]}{ORDINALS[m[3]]}", text)
    text = re.sub(rf"\bthe ((?:(?:{'|'.join(TENS)}) )?(?:{ORDINAL}))\b", r"\1", text)
    text = re.sub(rf"\b({ORDINAL}) quarter(?: of)?\b", lambda m: f"q {ORDINALS[m[1]]}", text)
    text = re.sub(r"\btwo thousand (ten|[a-z]+teen|twelve|eleven|twenty[a-z ]*)\b", r"twenty \1", text)
    text = money(clock(text, written))
    text = re.sub(rf"\b((?:{'|'.join(TENS)}) (?:{ONES})|eleven|twelve|[a-z]+teen) hundred\b",
                  lambda m: (lambda n: f"{cardinal(n // 10)} thousand {cardinal(n % 10)} hundred")([cardinal(k) for k in range(100)].index(m[1])), text)
    if re.search(r"\d ?/ ?\d", written):
        text = re.sub(r"\b(over|divided by)\b", " ", text)
        text = re.sub(rf"\b({ORDINAL})s?\b", lambda m: ORDINALS[m[1]], text)
        text = " ".join(re.sub(r"\b(half|halves)\b", "two", re.sub(r"\bquarters?\b", "four", text)).split())
    text = re.sub(rf"(\b(?:{NUMBER}) )?\b(?:one|a) (?=hundred|thousand)", lambda m: m[0] if m[1] else "", text)
    if "/" in written:
        text = re.sub(r"\b(slash|over|per)\b", " per ", text)
    if re.search(r"\d ?x ?\d", written):
        text = re.sub(r"\b(by|times|x)\b", " by ", text)
    for sign, name in UNITS.items():
        if re.search(rf"(?:\d ?|/){sign}\b", written):
            text = re.sub(rf"\b{name}\b", " ".join(re.sub(r"2", " two", sign).split()), text)
    if category.endswith("-from-itn") and re.search(r"\d ?m[A-Za-z]", written):
        text = re.sub(r"\bmega ?(?=[a-z])", "milli", text)
    if category.startswith(("telephone", "electronic")):
        text = digits_of_pairs(text)
    return "".join(text.split())


def accepted_forms(group, written):
    """The accepted spoken forms, with those that follow from the class of what is written."""
    forms = set(group)
    if re.fullmatch(r"\d{1,24}", written) and not written.startswith("0"):
        forms.add(cardinal(int(written)))
        if len(written) in (3, 4) and int(written) % 1000:
            forms.add(in_pairs(written))
        if len(written) >= 3:
            forms.add(" ".join(SMALL[int(digit)] for digit in written))
    for form in list(forms):
        # Between words a hyphen or stroke that is still there has not been said yet.
        places = [match for match in re.finditer(r" ?[-/] ?", form)]
        if 0 < len(places) <= 4 and re.search(r"\d", written):
            for names in itertools.product(*(SIGNS[place[0].strip()] for place in places)):
                said, end = "", 0
                for place, name in zip(places, names):
                    said += form[end:place.start()] + f" {name} "
                    end = place.end()
                forms.add(said + form[end:])
    return forms


def are_one(said, group, written, category):
    """Whether what was said is one of the accepted readings."""
    target = reading(said, written, category)
    return any(target == reading(form, written, category) for form in accepted_forms(group, written))
