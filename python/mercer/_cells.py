"""Turns the cells of a table, and the words of documents, into numbers as a model file says (docs/tables.md)."""

import datetime
import functools
import math
import re
import unicodedata
import warnings
from decimal import Decimal

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
_EPOCH = datetime.datetime(2000, 1, 1)


def composed(text):
    """A text as the program compares it: without blanks at its ends, and a letter and its accent are one character, also where they
    were written as two."""
    return unicodedata.normalize("NFC", text.strip())


def cell(v, row, column):
    """A cell as a number, as text, or as a date or time of Python; None where it is missing."""
    if isinstance(v, (bool, np.bool_)):
        return int(v)
    if v is None or isinstance(v, (str, float, int)):
        return v
    if is_na(v):
        return None
    if isinstance(v, (datetime.timedelta, np.timedelta64)):
        raise TypeError(f"row {row}, column {column} is a duration; give it as a number, of seconds for example")
    if isinstance(v, np.datetime64):
        return v.astype("M8[us]").item()
    if isinstance(v, (datetime.date, datetime.time)):
        return v
    if isinstance(v, np.number) and not isinstance(v, np.complexfloating):
        return v.item()
    if hasattr(v, "isoformat"):
        return str(v.isoformat()).replace("T", " ")
    raise TypeError(f"row {row}, column {column} is of type {type(v).__name__}; argument must be a string or a number")


def is_na(v):
    """Whether v is what pandas has for a missing cell, or for a missing date."""
    return type(v).__name__ in ("NAType", "NaTType")


def unmasked(X):
    """An array whose masked cells are missing; what is no masked array stays as it is."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    return X.astype(float).filled(np.nan) if X.dtype.kind in "fiub" else X.astype(object).filled(None)


def as_array(X):
    """Rows as an array. Its masked cells are missing; its dates and durations are Python's, for numpy makes plain numbers of those that
    are finer than microseconds."""
    X = X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(unmasked(X))
    if X.dtype.kind not in "mM":
        return X
    fine = X.dtype.kind == "m" or np.datetime_data(X.dtype)[0] in ("ns", "ps", "fs", "as")
    return (X.astype(f"{X.dtype.kind}8[us]") if fine else X).astype(object)


def canonical(X):
    """A copy of sparse rows as doubles, in which an entry that was written several times is their sum."""
    X = X.tocsr().copy()
    X.data = X.data.astype(float)  # astype of the rows would sum first, in numbers that may be too small for it
    X.sum_duplicates()
    return X


# What a column of a table may say. Another key may change what cells mean.
_KEYS = {"name", "kind", "levels", "other", "missing", "empty", "fill", "decimal", "thousands", "unit", "format", "parts", "amounts", "why"}
_KINDS = {"number", "category", "ordered", "yes-no", "date", "left out", "label", "id", "weight", "group"}
_PARTS = ("month", "weekday", "hour")


def check(table):
    """Refuses a table that says more than this reader knows: passed over, it would give other answers."""

    def known(what, kind, given, own):
        for v in given:
            if v not in own:
                raise ModelError(f"{what} has the {kind} {v!r}, which this reader does not know; use a newer one")

    known("its table", "version", [table.get("version", 0)], (0, 1))
    known("its table", "key", table, ("version", "columns"))
    for spec in table["columns"]:
        what = f"column {spec['name']!r} of its table"
        known(what, "key", spec, _KEYS)
        known(what, "kind", [spec["kind"]], _KINDS)
        known(what, "part", spec.get("parts") or [], _PARTS)


class Column:
    """One column of a table: code(cells) are its numbers, one list a feature."""

    def __init__(self, spec):
        self.spec, self.name, self.kind = spec, spec["name"], spec["kind"]
        self.levels = spec.get("levels") or []
        self.level = {text: k for k, text in enumerate(self.levels)}
        self.parts = spec.get("parts") or []
        self.missing, self.other = spec.get("missing", False), spec.get("other", False)
        width = {"number": 1 + len(self.levels), "category": len(self.levels) + self.other, "date": 1 + 2 * len(self.parts)}
        self.width = width.get(self.kind, 1) + self.missing
        self.empty = spec.get("empty") or []
        self.decimal = spec.get("decimal") or "."
        # A data frame has the numbers, and the dates, that cells for missing ones are.
        self.absent = [v for v in map(_mark, self.empty) if v is not None]
        self.never = [t for t in (_date(word, spec["format"]) for word in self.empty) if t[0]] if self.kind == "date" else []
        self.plain = self.kind == "number" and self.width == 1 and not self.absent and spec.get("unit") != "%"

    def numbers(self, values):
        """The features of a column of numbers, NaN where one is missing."""
        out = np.zeros((len(values), self.width))
        lacks = np.isnan(values) | np.isin(values, self.absent)
        out[:, 0] = np.where(lacks, self.spec["fill"], values)
        if self.missing:
            out[:, -1] = lacks
        return out

    def fractions(self, cells):
        """Warns of cells that may be shares where percentages were learned."""
        bare = [v for v in cells if 0 < abs(_mark(str(v).strip()) or 0) <= 1] if self.spec.get("unit") == "%" else []
        if bare:
            said = f"{len(bare)} cells without % and with a number from -1 to 1, such as {str(bare[0])!r}"
            warnings.warn(f"column {self.name!r}: {said}, which counts as so many percent: give cells the sign", stacklevel=6)

    def code(self, cells, first):
        out = np.zeros((len(cells), self.width))
        for i, v in enumerate(cells):
            try:
                self._set(out[i], self._cell(v, first + i))
            except (ValueError, OverflowError) as fault:
                raise ModelError(f"row {first + i}, column {self.name!r}: {fault}") from None
        return out

    def _cell(self, v, row):
        """A cell as a number or a date, of columns of these alone, or as it would stand in a file."""
        truth = bool(v) if isinstance(v, (bool, np.bool_)) else None
        v = cell(v, row, repr(self.name))
        if v is None or isinstance(v, float) and math.isnan(v):
            return ""
        if isinstance(v, float) and math.isinf(v):
            raise ValueError(f"{v} is no finite number; correct it, or leave it empty (NaN)")
        if isinstance(v, str):
            return composed(v)
        if self.kind == ("date" if isinstance(v, (datetime.date, datetime.time)) else "number"):
            return v
        if truth is not None:  # as data frames have true and FALSE of a file
            return next((word for word in self.levels if word.lower() == str(truth).lower()), text(v))
        return text(v)

    def _lacks(self, v):
        """Whether a cell stands for none."""
        if not isinstance(v, str):
            return v in self.absent if self.kind == "number" else _date(v, self.spec["format"]) in self.never
        if v in self.empty or self.absent and _mark(v) in self.absent and (self.kind in ("number", "date") or v not in self.level):
            return True
        if self.kind in ("number", "date"):
            return v.lower() in _BLANK or v.startswith("0000-00-00") and not v.strip("0-:. T")
        return v.lower() in _MISSING

    def _set(self, to, v):
        if self._lacks(v):
            if self.kind != "category":
                to[0] = self.spec["fill"]
            if self.missing:
                to[-1] = 1
        elif self.kind == "number":
            if not isinstance(v, str):
                to[0] = float(v)
            elif v in self.level and (self.decimal == "," or _plain(v) is None):
                to[0], to[1 + self.level[v]] = self.spec["fill"], 1
            else:
                to[0] = self._number(v)
        elif self.kind == "date":
            self._date(to, v)
        else:
            self._word(to, v.encode()[:_LONGEST_WORD].decode(errors="ignore"))

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
        v, own = _plain(word) if self.decimal == "." else None, self.spec.get("unit") or ""
        if v is not None:
            return v
        v, unit = _number(word, self.decimal, self.spec.get("thousands", False), own)
        if v is None:
            comma = " with a decimal comma" if self.decimal == "," else ""
            raise ValueError(f"{word!r} is no number{comma}; correct it, or leave it empty")
        if unit and unit != own:
            raise ValueError(f"{word!r} has the unit {unit}, where {own or 'none'} was learned from; convert it")
        return v

    def _date(self, to, word):
        t, seconds, later = _date(word, self.spec["format"])
        if t is None:
            raise ValueError(f"{str(word)!r} is no date of the format {self.spec['format']}; correct it, or leave it empty")
        to[0] = ((t - _EPOCH).total_seconds() + seconds - 86400 * later) / _YEAR
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


def _plain(word):
    """The finite number that digits with a decimal point are, None of other words."""
    try:
        v = math.nan if word.strip("0123456789+-.eE") else float(word)
    except ValueError:
        return None
    return v if math.isfinite(v) else None


_LONGEST_NUMBER, _LONGEST_UNIT = 64, 12  # bytes


def _mark(word):
    """The number that a mark of missing cells is, with a decimal point, or with a comma that cannot stand between thousands."""
    before, comma, after = word.partition(",")
    if len(word.encode()) > _LONGEST_NUMBER or comma and (len(after) == 3 or "." in word):
        return None
    return _plain(before + "." + after if comma else before)


_TYPESET = str.maketrans({"\u202f": " ", "\u2009": " ", "\u2007": " ", "\u2019": "'", "\u2212": "-"})
_MONEYS = (
    "EUR", "USD", "GBP", "JPY", "CHF", "CNY", "RMB", "INR", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RUB", "BRL",
    "MXN", "ZAR", "KRW", "TRY", "ILS", "SGD", "HKD", "Rs.", "Rs", "US$", "R$", "A$", "C$", "HK$", "NZ$",
)  # fmt: skip
_TIMES = {
    **dict.fromkeys(("k", "K", "thousand", "Tsd", "Tsd.", "tsd"), 1e3),
    **dict.fromkeys(("lakh", "lakhs", "lac", "lacs", "Lakh"), 1e5),
    **dict.fromkeys(("M", "mn", "Mn", "mio", "Mio", "Mio.", "million", "Million", "millions", "MM"), 1e6),
    **dict.fromkeys(("crore", "crores", "Crore", "Cr", "cr"), 1e7),
    **dict.fromkeys(("B", "bn", "Bn", "billion", "Billion", "billions", "Mrd", "Mrd.", "mrd"), 1e9),
}
_CORE = re.compile(
    r"([+-]?[.,]*\d(?:[\d.,]|['\u0020\u00a0](?=\d{3}(?!\d)))*(?:[eE][+-]?\d+(?![0-9A-Za-z]))?)(.*)$", re.A | re.S
)  # fmt: skip


def _number(word, decimal, thousands, own):
    """The number that a cell begins with, None if there is none, and its unit, where those learned from have their own."""
    if not word or len(word.encode()) > _LONGEST_NUMBER:
        return None, ""
    cell, below = word.translate(_TYPESET), False
    if len(cell) > 2 and cell[0] == "(" and cell[-1] == ")":  # as books have numbers below zero
        cell, below = cell[1:-1].strip(), True
    cell, unit = _currency(cell)
    found = _CORE.match(cell.strip())
    if not found:
        return None, ""
    core, rest = found[1], found[2].strip()
    if rest and not core[-1].isdigit():
        return None, ""
    if not below and rest == "-" and ("." in core or "," in core):
        below, rest = True, ""  # as ledgers write 12.50-
    times = _TIMES.get(rest, 0)
    if times and unit:
        rest = ""
    if rest:
        if unit or not _is_unit(rest):
            return None, ""
        unit = rest
    v, grouped = _value(core, decimal)
    other = "." if decimal == "," else ","
    if v is None or below and core[0] in "+-" or not thousands and grouped and other in word and decimal not in word:
        return None, ""
    if times and unit in _TIMES:
        if unit == own:  # K was learned as a unit
            times = 1
        else:
            unit = ""
    v = float(Decimal(repr(v)) * int(times)) if times else v  # rounded as the decimal number is
    return -v if below else v, unit


def _currency(cell):
    """A cell without the sign of money, or its code, at its beginning, which a sign of the number may stand before; and that."""
    if len(cell) > 1 and cell[0] in "+-":
        inner, unit = _currency(cell[1:])
        return (cell[0] + inner, unit) if unit and inner and inner[0] not in "+-" else (cell, "")
    if cell and unicodedata.category(cell[0]) == "Sc":
        return cell[1:].strip(), cell[0]
    for code in _MONEYS:
        if cell.startswith(code) and len(cell) > len(code) and cell[len(code)] in " 0123456789":
            return cell[len(code) :].strip(), code
    return cell, ""


def _is_unit(rest):
    """Whether what follows a number can be a unit: short, with a letter or a sign first, and one digit at most, as m2."""
    if rest == "+":
        return True  # at least so many
    if len(rest.encode()) > _LONGEST_UNIT or rest.count(" ") > 1 or len(re.findall("[0-9]", rest)) > 1:
        return False
    return rest[0].isalpha() or unicodedata.category(rest[0]) == "Sc" or rest[0] in "%°'\"‰"


def _value(core, decimal):
    """Digits with a decimal mark and groups of three, or of two before the last three as in India, as a number, None if they are not
    so; and whether there are groups."""
    group = "." if decimal == "," else ","
    mark, between = re.escape(decimal), rf"[{re.escape(group)}' \u00a0]"
    whole = rf"[1-9]\d{{0,2}}(?:{between}\d{{3}})+"
    if group == ",":
        whole += rf"|[1-9]\d{{0,2}}{between}(?:\d\d,)+\d{{3}}"
    found = re.fullmatch(rf"([+-]?)(?:({whole})|(\d*))((?:{mark}\d*)?(?:[eE][+-]?\d+)?)", core, re.A)
    if not found or found[2] and "e" in found[4].lower():  # digits before an exponent are never in groups
        return None, False
    digits = re.sub(between, "", found[2]) if found[2] else found[3]
    try:
        v = float(found[1] + digits + found[4].replace(decimal, "."))
    except ValueError:
        return None, False
    return (v, bool(found[2])) if math.isfinite(v) else (None, False)


_ENGLISH = "January February March April May June July August September October November December".split()
# Names of months in lower case, those that languages share among them.
_MONTHS = [
    ["jan", "januar", "jänner", "jän", "janvier", "janv", "enero", "ene", "gennaio", "januari", "janeiro"],
    ["feb", "februar", "février", "fevrier", "févr", "febrero", "febbraio", "februari", "fevereiro"],
    ["mar", "märz", "maerz", "mär", "mrz", "mars", "marzo", "maart", "mrt", "março"],
    ["apr", "april", "avril", "avr", "abril", "abr", "aprile"],
    ["may", "mai", "mayo", "maggio", "mei", "maio"],
    ["jun", "juni", "juin", "junio", "giugno", "junho"],
    ["jul", "juli", "juillet", "juil", "julio", "luglio", "julho"],
    ["aug", "august", "août", "aout", "agosto", "augustus"],
    ["sep", "september", "sept", "septembre", "septiembre", "setiembre", "settembre", "setembro"],
    ["oct", "oktober", "okt", "octobre", "octubre", "ottobre", "outubro"],
    ["nov", "november", "novembre", "noviembre", "novembro"],
    ["dec", "dezember", "dez", "décembre", "déc", "diciembre", "dicembre", "december", "dezembro"],
]
_MONTH = {name: k for k, names in enumerate(_MONTHS, 1) for name in names}
_ZONE = r"(?:ChST|MeST|GMT(?P<g>[+-]0*(?:1?\d|2[0-3])(?!\d))?|[+-]0*(?:1?\d|2[0-3])(?!\d)|[A-Z]{3,4}T|WITA|[A-Z]{3})(?![A-Z])"
_TOKENS = [
    ("2006", r"(?P<Y>\d{4})"), ("January", rf"(?P<B>(?i:{'|'.join(_ENGLISH)}))"),
    ("Jan", rf"(?P<B>(?i:{'|'.join(name[:3] for name in _ENGLISH)}))"), ("01", r"(?P<m>\d\d)"), ("02", r"(?P<d>\d\d)"),
    ("15", r"(?P<H>\d\d?)"), ("04", r"(?P<M>\d\d)"), ("05", r"(?P<S>\d\d(?:[.,]\d+)?)"), ("Z07:00", r"(?P<z>Z|[+-]\d\d:\d\d)"),
    ("Z0700", r"(?P<z>Z|[+-]\d{4})"), ("-0700", r"(?P<z>[+-]\d{4})"), ("MST", _ZONE), ("Mon", "(?i:mon|tue|wed|thu|fri|sat|sun)"),
    ("1", r"(?P<m>\d\d?)"), ("2", r"(?P<d>\d\d?)"), ("06", r"(?P<y>\d\d)"), ("3", r"(?P<I>\d\d?)"), ("PM", r"(?P<p>AM|PM)"),
    (" ", " +"),
]  # fmt: skip


@functools.lru_cache(maxsize=None)
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
    return re.compile(pattern, re.A)


_SHORTEST_DATE, _LONGEST_DATE = 4, 35  # bytes
_NO_YEAR, _LATER = 4, 1461  # times alone are of the year 0, which Python lacks; four years later the calendar is the same
_CLOCK = re.compile(r"[ T](?:15|3):04.*", re.S)  # of formats, behind the day
_MIDNIGHT = re.compile(r"[ T]0?0:00(?::00(?:[.,]0+)?)?(?:Z|[+-]00:?00)?$", re.A)


def _date(v, form):
    """The minute of a clock that a cell says, the seconds from it in UTC, and so many days later; None, 0, 0 where it says none. A day
    is its midnight: a format without a time takes it written so, and one with a time takes the day alone."""
    if not isinstance(v, str):
        return _typed(v, form)
    found = _written(v, form)
    if found[0] is None and "2" in form.replace("2006", ""):  # with a day
        day, timed = _CLOCK.subn("", form)
        found = _written(v, day) if timed else _written(_MIDNIGHT.sub("", v), form)
    return found


def _written(word, form):
    """_date of a text that has the format."""
    if not _SHORTEST_DATE <= len(word.encode()) <= _LONGEST_DATE:
        return None, 0, 0
    found = _date_of(_layout(form).fullmatch(word))
    if found[0] is None and "Jan" in form:
        found = _date_of(_layout(form).fullmatch(_in_english(word, "January" in form)))
    return found


def _typed(v, form):
    """_date of a date or a time of Python, which any format takes that is of days, or of times alone."""
    alone = isinstance(v, datetime.time)
    if alone != form.startswith(("15", "3:")):
        return None, 0, 0
    if alone:
        v = datetime.datetime.combine(datetime.date(_NO_YEAR, 1, 1), v)
    elif not isinstance(v, datetime.datetime):
        v = datetime.datetime.combine(v, datetime.time())
    east = v.utcoffset() or datetime.timedelta()
    t = datetime.datetime(v.year, v.month, v.day, v.hour, v.minute)
    return t, v.second + v.microsecond / 1e6 - east.total_seconds(), _LATER if alone else 0


def dated(v, form):
    """A date or a time of Python as a cell of the format; as Python writes it where the format would lose some of it."""
    t = datetime.datetime.combine(datetime.date(2000, 1, 1), v) if isinstance(v, datetime.time) else v
    if not isinstance(t, datetime.datetime):
        t = datetime.datetime.combine(t, datetime.time())
    own = {
        "2006": f"{t.year:04}", "January": _ENGLISH[t.month - 1], "Jan": _ENGLISH[t.month - 1][:3], "01": f"{t.month:02}",
        "02": f"{t.day:02}", "15": f"{t.hour:02}", "04": f"{t.minute:02}",
        "05": f"{t.second:02}" + f".{t.microsecond:06}".rstrip(".0"),
        "Z07:00": "Z", "Z0700": "Z", "-0700": "+0000", "MST": "UTC", "Mon": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[t.weekday()],
        "1": str(t.month), "2": str(t.day), "06": f"{t.year % 100:02}", "3": str(t.hour % 12 or 12), "PM": "PM" if t.hour > 11 else "AM",
    }  # fmt: skip
    text = "".join(own.get(token, token) for token in re.findall("|".join(token for token, _ in _TOKENS) + "|.", form))
    return text if _date(text, form) == _date(v, form) else str(v)


def _in_english(word, whole):
    """A cell whose first word is a month, with that in English, whole or its first three letters; else as it is. A point behind an
    abbreviation goes."""
    found = re.search(r"[A-Za-z\u0080-\U0010ffff]+", word)
    month = _MONTH.get("".join(c.lower() if c.isascii() else c for c in found[0])) if found else None
    if not month:
        return word
    after = word[found.end() :]
    name = _ENGLISH[month - 1]
    return word[: found.start()] + (name if whole else name[:3]) + (after[1:] if after.startswith(". ") else after)


def _date_of(found):
    """_date of the parts of a cell."""
    if not found:
        return None, 0, 0
    part = found.groupdict()
    month = int(part.get("m") or 1)
    if part.get("B"):
        month = next(k for k, name in enumerate(_ENGLISH, 1) if name[:3].lower() == part["B"][:3].lower())
    year = int(part.get("Y") or part.get("y") or _NO_YEAR)
    if part.get("y"):
        year += 1900 if year >= 69 else 2000
    hour = int(part.get("H") or part.get("I") or 0)
    if part.get("I"):
        if hour > 12:
            return None, 0, 0
        hour = hour % 12 + 12 * (part.get("p") == "PM")
    seconds = float((part.get("S") or "0").replace(",", "."))
    east = 0
    if part.get("z") not in (None, "Z"):
        hours, minutes = int(part["z"][1:3]), int(part["z"][-2:])
        if hours > 24 or minutes > 60:
            return None, 0, 0
        east = (3600 * hours + 60 * minutes) * (1 if part["z"][0] == "+" else -1)
    try:
        t = datetime.datetime(year, month, int(part.get("d") or 1), hour, int(part.get("M") or 0))
        if part.get("g"):
            east = 3600 * int(part["g"])
    except (ValueError, OverflowError):
        return None, 0, 0
    if seconds >= 60:
        return None, 0, 0
    return t, seconds - east, 0 if part.get("Y") or part.get("y") else _LATER


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
