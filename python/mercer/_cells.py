"""Turns the cells of a table, and the words of documents, into numbers as a model file says (docs/tables.md)."""

import datetime
import math
import re
import unicodedata

import numpy as np


class ModelError(ValueError):
    """A model file that cannot be read, or rows that a model cannot predict."""


# Cells that hold nothing, in lower case; the second list only among numbers and dates.
_MISSING = {"", "?", "na", "n/a", "nan", "null", "none"}
_BLANK = _MISSING | {
    "-", "--", "---", ".", "..", "*", "#n/a", "#na", "#null!", "#value!", "#div/0!", "#num!", "#ref!", "#name?", "nil", "nd", "n.d.",
    "n.a.", "(null)", "\\n", "unknown", "missing", "not available", "k.a.", "<na>", "nat",
}  # fmt: skip
_LONGEST_WORD = 200  # bytes of a word that count
_YEAR = 365.2425 * 24 * 3600
_EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)


def cell(v, row, column):
    """A cell as a number or as text; None where it is missing."""
    if isinstance(v, (bool, np.bool_)):
        return int(v)
    if v is None or isinstance(v, (str, float, int)):
        return v
    if isinstance(v, (np.number, np.bool_)) and not isinstance(v, np.complexfloating):
        return v.item()
    if hasattr(v, "isoformat"):
        return str(v.isoformat()).replace("T", " ")
    if type(v).__name__ == "NAType":  # of pandas
        return None
    raise TypeError(f"row {row}, column {column} is of type {type(v).__name__}; argument must be a string or a number")


def unmasked(X):
    """An array whose masked cells are missing; what is no masked array stays as it is."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    return X.astype(float).filled(np.nan) if X.dtype.kind in "fiub" else X.astype(object).filled(None)


class Column:
    """One column of a table: code(cells) are its numbers, one list a feature."""

    def __init__(self, spec):
        self.spec, self.name, self.kind = spec, spec["name"], spec["kind"]
        self.levels = spec.get("levels") or []
        self.level = {text: k for k, text in enumerate(self.levels)}
        self.parts = spec.get("parts") or []
        self.missing, self.other = spec.get("missing", False), spec.get("other", False)
        self.width = {"category": len(self.levels) + self.other, "date": 1 + 2 * len(self.parts)}.get(self.kind, 1) + self.missing
        self.layout = _layout(spec["format"]) if self.kind == "date" else None

    def numbers(self, values):
        """The features of a column of numbers, NaN where one is missing."""
        lacks = np.isnan(values)
        filled = np.where(lacks, self.spec["fill"], values)
        return np.column_stack([filled, lacks]) if self.missing else filled[:, None]

    def code(self, cells, first):
        out = np.zeros((len(cells), self.width))
        for i, v in enumerate(cells):
            v = cell(v, first + i, repr(self.name))
            if v is None or isinstance(v, float) and math.isnan(v):
                v = ""
            try:
                self._set(out[i], v if isinstance(v, (float, int)) else v.strip())
            except ValueError as fault:
                raise ModelError(f"row {first + i}, column {self.name!r}: {fault}") from None
        return out

    def _set(self, to, v):
        numeric = isinstance(v, (float, int))
        among = _BLANK if self.kind in ("number", "date") else _MISSING
        if not numeric and v.lower() in among:
            if self.kind != "category":
                to[0] = self.spec["fill"]
            if self.missing:
                to[-1] = 1
        elif self.kind == "number":
            to[0] = float(v) if numeric else self._number(v)
        elif self.kind == "date":
            self._date(to, str(v))
        else:
            self._word(to, text(v).encode()[:_LONGEST_WORD].decode(errors="ignore"))

    def _word(self, to, word):
        k = self.level.get(word)
        if self.kind == "category":
            if k is not None:
                to[k] = 1
            elif self.other:
                to[len(self.levels)] = 1
        elif k is None:
            to[0] = self.spec["fill"]
        elif len(self.levels) > 1:
            to[0] = k / (len(self.levels) - 1)

    def _number(self, word):
        decimal = self.spec.get("decimal") or "."
        v, unit = _number(word, decimal, self.spec.get("thousands", False))
        if v is None:
            comma = " with a decimal comma" if decimal == "," else ""
            raise ValueError(f"{word!r} is no number{comma}; correct it, or leave it empty")
        if unit and unit != self.spec.get("unit"):
            raise ValueError(f"{word!r} has the unit {unit}, where {self.spec.get('unit') or 'none'} was learned from; convert it")
        return v

    def _date(self, to, word):
        t, later = _date(word, self.layout)
        if t is None:
            raise ValueError(f"{word!r} is no date of the format {self.spec['format']}; correct it, or leave it empty")
        to[0] = ((t - _EPOCH).total_seconds() - 86400 * later) / _YEAR
        for q, part in enumerate(self.parts):
            if part == "month":
                share = (t.timetuple().tm_yday - 1 + t.hour / 24) / 365.2425
            elif part == "weekday":
                share = (t.isoweekday() - later) % 7 / 7
            else:
                share = (t.hour + t.minute / 60) / 24
            to[1 + 2 * q], to[2 + 2 * q] = math.sin(2 * math.pi * share), math.cos(2 * math.pi * share)


def text(v):
    """A cell as it would stand in a file."""
    if isinstance(v, float) and v.is_integer() and abs(v) < 1e15:
        return str(int(v))
    return str(v)


def _number(word, decimal, grouped):
    """The number that a cell begins with, None if there is none, and its unit."""
    unit, below = "", len(word) > 2 and word[0] == "(" and word[-1] == ")"  # as books have numbers below zero
    if below:
        word = word[1:-1].strip()
    if word and unicodedata.category(word[0]) == "Sc":
        unit, word = word[0], word[1:].strip()
    mark, other = re.escape(decimal), re.escape("." if decimal == "," else ",")
    digits = rf"(?:[1-9]\d{{0,2}}(?:[{other if grouped else ''}' \u00a0]\d{{3}})+|\d+)"
    power = r"(?:[eE][+-]?\d+(?![0-9A-Za-z]))?"
    found = re.match(rf"([+-]?(?:{digits}(?:{mark}\d*)?|{mark}\d+){power})(?![\d{mark}{other}])\s*(.*)$", word, re.A)
    if not found or unit and found[2] or len(found[2].encode()) > 12 or below and found[1][0] in "+-":
        return None, ""
    core = re.sub(rf"[{other}' \u00a0]", "", found[1]).replace(decimal, ".")
    return -float(core) if below else float(core), unit or found[2]


_TOKENS = [
    ("2006", r"(?P<Y>\d{4})"), ("January", r"(?P<B>[A-Za-z]+)"), ("Jan", r"(?P<b>[A-Za-z]{3})"), ("01", r"(?P<m>\d\d)"), ("02", r"(?P<d>\d\d)"),
    ("15", r"(?P<H>\d\d?)"), ("04", r"(?P<M>\d\d)"), ("05", r"(?P<S>\d\d(?:[.,]\d+)?)"), ("Z07:00", r"(?P<z>Z|[+-]\d\d:\d\d)"),
    ("Z0700", r"(?P<z>Z|[+-]\d{4})"), ("-0700", r"(?P<z>[+-]\d{4})"), ("MST", r"[A-Z]{3,4}"), ("Mon", r"[A-Za-z]{3}"),
    ("1", r"(?P<m>\d\d?)"), ("2", r"(?P<d>\d\d?)"), ("06", r"(?P<y>\d\d)"), ("3", r"(?P<I>\d\d?)"), ("PM", r"(?P<p>AM|PM)"),
]  # fmt: skip
_MONTHS = "january february march april may june july august september october november december".split()


def _layout(form):
    """The pattern of a date's format, which is written as Go writes 2 January 2006, 15:04:05."""
    pattern = ""
    while form:
        for token, meaning in _TOKENS:
            if form.startswith(token):
                pattern, form = pattern + meaning, form[len(token) :]
                break
        else:
            pattern, form = pattern + re.escape(form[0]), form[1:]
    return re.compile(pattern + "$", re.A)


_NO_YEAR, _LATER = 4, 1461  # times alone are of the year 0, which Python lacks; four years later the calendar is the same


def _date(word, layout):
    """The time that a cell says, so many days later; None, 0 where it says none."""
    found = layout.match(word)
    if not found:
        return None, 0
    part = found.groupdict()
    month = part.get("m") or 1
    name = (part.get("B") or part.get("b") or "").lower()
    if name:
        month = next((k for k, full in enumerate(_MONTHS, 1) if name == full or name == full[:3] and not part.get("B")), 0)
    year = int(part.get("Y") or part.get("y") or _NO_YEAR)
    if part.get("y"):
        year += 1900 if year >= 69 else 2000
    hour = int(part.get("H") or part.get("I") or 0)
    if part.get("I"):
        if hour > 12:
            return None, 0
        hour = hour % 12 + 12 * (part.get("p") == "PM")
    seconds = float((part.get("S") or "0").replace(",", "."))
    zone = datetime.timezone.utc
    if part.get("z") not in (None, "Z"):
        minutes = int(part["z"][1:3]) * 60 + int(part["z"][-2:])
        zone = datetime.timezone(datetime.timedelta(minutes=minutes if part["z"][0] == "+" else -minutes))
    try:
        t = datetime.datetime(year, int(month), int(part.get("d") or 1), hour, int(part.get("M") or 0), tzinfo=zone)
    except ValueError:
        return None, 0
    if seconds >= 60:
        return None, 0
    return t + datetime.timedelta(seconds=seconds), 0 if part.get("Y") or part.get("y") else _LATER


def counts(documents, words, ngrams):
    """How often each document has each word: (start, index, value) of compressed sparse rows."""
    number = {w: j for j, w in enumerate(words)}
    start, index, value = [0], [], []
    for i, document in enumerate(documents):
        if not isinstance(document, str):
            raise TypeError(f"document {i} is of type {type(document).__name__}; argument must be a string or a number")
        found = {}
        list_ = _words(document)
        for size in range(1, min(ngrams, len(list_)) + 1):
            for k in range(len(list_) - size + 1):
                j = number.get(" ".join(list_[k : k + size]))
                if j is not None:
                    found[j] = found.get(j, 0) + 1
        index += sorted(found)
        value += [found[j] for j in sorted(found)]
        start.append(len(index))
    return np.array(start), np.array(index, dtype=np.int64), np.array(value, dtype=float)


def _words(document):
    """Runs of two letters, digits or underscores at least, in lower case; marks such as accents belong to the letter before."""
    if document.isascii():
        return re.findall(r"[a-z0-9_]{2,}", document.lower())
    words, run, runes = [], "", 0
    for c in document + " ":
        kind = unicodedata.category(c)[0]
        if kind in "LN" or c == "_":
            run, runes = run + c.lower()[0], runes + 1
        elif runes and kind == "M":
            run += c
        else:
            if runes > 1:
                words.append(run)
            run, runes = "", 0
    return words
