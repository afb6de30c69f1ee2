"""Reads the model files of the program mercer and predicts with numpy alone.

    model = load("rows.mercer")
    model.predict(X)

The file is described in docs/formats.md of Mercer: a line with its version, a header of JSON, numbers, a check sum.
Nothing of it is executed. A model is

    f(x) = mean over its parts of (offset + sum of the part's functions at the scaled row x)

and predictions equal those of `mercer predict` up to rounding. The order here: calibration, the file, the
model; the kernels are in _functions.py, tables and words in _cells.py.
"""

import hashlib
import json
import numbers
import os
import struct

import numpy as np

from ._cells import _MISSING, Column, ModelError, as_array, canonical, cell, check, composed, counts
from ._functions import Expansion, Linear, Rows, softmax

VERSION = 6  # the newest version of model files that this reader knows


# Calibration


def _logistic(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1, e) / (1 + e)


def _log_odds(shares, out):
    """Of outputs that estimate codes of -1 and 1 of the classes."""
    q = (1 + (out if out.shape[1] > 1 else np.column_stack([-out, out]))) / 2
    return shares["linear"] * q + shares["log"] * np.log(np.maximum(q, 0.02)) + np.array(shares["offset"])


def _probabilities(calibration, out, winner):
    """Of the classes, the decided one the most probable."""
    if "sigmoid" in calibration:
        z = calibration["sigmoid"]["slope"] * out[:, 0] + calibration["sigmoid"]["offset"]
        p = np.column_stack([_logistic(-z), _logistic(z)])
    elif "isotonic" in calibration:
        second = np.interp(out[:, 0], calibration["isotonic"]["score"], calibration["isotonic"]["p"])
        p = np.column_stack([1 - second, second])
    elif "softmax" in calibration:
        p = softmax(calibration["softmax"]["temperature"] * out)
    elif "shares" in calibration:
        p = softmax(_log_odds(calibration["shares"], out))
        p = 0.999 * p + 0.001 / p.shape[1]
    else:
        p = _coupled(calibration["pairs"], out)
    return _agree(p, winner)


def _coupled(pairs, out):
    """Solves for the probabilities of classes that fit those of pairs best (Wu, Lin and Weng 2004, eq. 21)."""
    k, n = pairs["classes"], len(out)
    r = np.zeros((n, k, k))
    for o, (a, b) in enumerate(zip(*np.triu_indices(k, 1))):
        z = pairs["pair"][o]["slope"] * out[:, o] + pairs["pair"][o]["offset"]
        v = np.clip(_logistic(z), 1e-7, 1 - 1e-7)
        r[:, b, a], r[:, a, b] = v, 1 - v
    q = 1 - np.swapaxes(r, 1, 2) * r
    q[:, range(k), range(k)] = 1 + (r * r).sum(axis=1)
    p = np.linalg.solve(q, np.ones((n, k, 1)))[:, :, 0]
    p = np.maximum(p / p.sum(axis=1, keepdims=True), 0)
    power = pairs.get("power", 0) or 1
    return p if power == 1 else np.maximum(p, 1e-12) ** power


def _agree(p, winner, margin=2e-6, least=1e-12):
    """The nearest probabilities of which that of the winner is the largest: it and those above a common level share."""
    n, k = p.shape
    p = np.maximum(p / p.sum(axis=1, keepdims=True), least)
    p /= p.sum(axis=1, keepdims=True)
    at = np.arange(n)
    top = p[at, winner]
    c, above = top - margin, np.zeros(n, int)
    others = np.ones((n, k), bool)
    others[at, winner] = False
    for _ in range(k + 1):
        over = others & (p > c[:, None])
        count = over.sum(axis=1)
        if (count == above).all():
            break
        c = np.where(count == above, c, (top - margin + (p * over).sum(axis=1)) / (count + 1))
        above = count
    q = np.where((above > 0)[:, None], np.minimum(p, c[:, None]), p)
    q[at, winner] = np.where(above > 0, c + margin, top)
    return q


# The file

# What reading and using a damaged model may raise.
_DAMAGE = (KeyError, IndexError, TypeError, AttributeError, ValueError, ArithmeticError, MemoryError, RecursionError, struct.error)


def _parse(data, name):
    """The header of a model file and its blocks: functions of parts, ready to be added up."""
    magic = b"mercer model "
    line, end = data[: len(magic) + 10], data.find(b"\n", 0, len(magic) + 10)
    if not line.startswith(magic) or end < 0 or not line[len(magic) : end].isdigit():
        raise ModelError(f"{name} is not a Mercer model; give a file that mercer fit -o wrote")
    version = int(line[len(magic) : end])
    if version > VERSION:
        raise ModelError(f"{name} has version {version}, this reader reads up to {VERSION}; use a newer one")
    if hashlib.sha256(data[:-32]).digest() != data[-32:]:
        raise ModelError(f"{name} has a wrong check sum; the file is damaged, fit the model again")
    try:
        begin = end + 9
        (size,) = struct.unpack_from("<Q", data, end + 1)
        head = json.loads(data[begin : begin + size])
        if version < 3:
            _renew(head)
        return head, _Blocks(data, begin + size, head).parts
    except _DAMAGE as fault:
        if isinstance(fault, ModelError):
            raise
        raise ModelError(f"{name} is damaged ({type(fault).__name__}: {fault}); fit the model again") from None


def _renew(head):
    """Puts the one part of versions 1 and 2, which was spread over the header, in a list."""
    kind = "mean" if head.get("normalised") else "expansion"
    functions = [{"kind": kind, "kernel": e["kernel"], "centres": e.get("centres", 0)} for e in head.get("expansions") or []]
    head["parts"] = [{"functions": functions, "offset": head.get("offset")}]


class _Blocks:
    """Reads the numbers behind the header; dense ones stay where they are in the file's bytes."""

    def __init__(self, data, at, head):
        self.data, self.at = data, at
        self.outputs = _outputs(head)
        self.pairs = len(head.get("classes") or []) if head.get("pairs") and self.outputs > 1 else 0
        self.centres = [self._rows(c) for c in head.get("centres") or []]
        self.parts = [self._part(p, head["columns"]) for p in head["parts"]]

    def _take(self, kind, count):
        if count == 0:
            return np.empty(0, kind)
        out = np.frombuffer(self.data, np.dtype(kind), count, self.at)
        self.at += out.nbytes
        return out

    def _rows(self, c):
        n, d = c["rows"], c["columns"]
        if not c.get("sparse"):
            return Rows(self._take("<f8", n * d).reshape(n, d))
        start = self._take("<i8", n + 1)
        index = self._take("<i4", c.get("nonzeros", 0)).astype(np.int64)
        return Rows(sparse=(start, index, self._take("<f8", len(index))), width=d)

    def _part(self, p, columns):
        places = p.get("columns")
        width = len(places) if places else columns
        functions = []
        for f in p["functions"]:
            if f["kind"] == "linear":
                functions.append(Linear(self._take("<f8", width * self.outputs).reshape(width, -1)))
                continue
            centres = self.centres[f.get("centres", 0)]
            if f.get("rows") is not None:
                centres = centres.select(np.array(f["rows"]))
            functions.append(Expansion(f, centres, self._take("<f8", centres.n * self.outputs).reshape(-1, self.outputs), self.pairs))
        return places, functions, np.array(p.get("offset") or [0.0] * self.outputs)


def _outputs(head):
    k = len(head.get("classes") or [])
    if k <= 2:
        return 1
    return k * (k - 1) // 2 if head.get("pairs") else k


# The model


class Model:
    """What `mercer fit -o` wrote.

    method, task and classes say what it is, columns are the names of what predict wants: one a column of X, in this
    order, or among the columns of a data frame; None where columns have no names. result is what the fit printed.
    """

    def __init__(self, data, name="the model"):
        self.bytes, self.name = bytes(data), name
        self._head, self._parts = _parse(self.bytes, name)
        try:
            self._begin()
            with np.errstate(all="ignore"):
                self._check()
        except ModelError as fault:
            raise ModelError(f"{name}: {fault}") from None
        except _DAMAGE as fault:
            raise ModelError(f"{name} is damaged ({type(fault).__name__}: {fault}); fit the model again") from None

    def _begin(self):
        head = self._head
        self.method, self.task, self.classes = head["method"], head["task"], head.get("classes")
        self.result = head.get("result")
        self._table = self._used = None
        self.columns = head.get("features")
        if head.get("table"):
            check(head["table"])
            own = ("label", "id", "weight", "group")
            self._table = [c for c in head["table"]["columns"] if c["kind"] not in own]
            self.columns = [c["name"] for c in self._table]
            self._used = [j for j, c in enumerate(self._table) if c["kind"] != "left out"]
            self._coders = [Column(self._table[j]) for j in self._used]

    def _check(self):
        """Predicts one row of zeros, and one of missing cells: parts of a model that do not fit together are found before its use."""
        rows = Rows(np.zeros((1, self._head["columns"])))
        out = np.zeros((1, _outputs(self._head)))
        for part in self._parts:
            self._add(out, part, self._scaled(rows))
        if self._table and self._coded(np.array([[None] * len(self._table)], dtype=object)).shape[1] != self._head["columns"]:
            raise ValueError(f"the features of its table are not {self._head['columns']}")
        if len(self._head.get("fill") or rows.array[0]) != self._head["columns"]:
            raise ValueError(f"the fills of missing cells are not {self._head['columns']}")
        if self.task != "regression":
            self.decide(out)
            if self.has_probabilities():
                self.probabilities(out)
        elif self._head.get("residuals"):
            np.searchsorted(self._head["residuals"]["ranks"], 1)

    def __getstate__(self):
        return {"bytes": self.bytes, "name": self.name}

    def __setstate__(self, state):
        self.__init__(**{"data": state["bytes"], "name": state["name"]})

    def used(self) -> "list[str] | None":
        """The names of the columns that predictions need, in order: columns without those that were left out; None without names."""
        return self.columns if self._used is None else [self.columns[j] for j in self._used]

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the model file."""
        with open(path, "wb") as f:
            f.write(self.bytes)

    def predict(self, X: object) -> np.ndarray:
        """The classes of the rows as text, or for a regression their numbers."""
        out = self.outputs(X)
        if self.task == "regression":
            return out[:, 0]
        return np.array(self.classes, dtype=object)[self.decide(out)]

    def predict_proba(self, X: object) -> np.ndarray:
        """The probabilities of the classes, n x len(classes)."""
        return self.probabilities(self.outputs(X))

    def scores(self, X: object) -> np.ndarray:
        """What classes are ranked by: one number of two classes, positive for the second, else one a class."""
        return self.ranks(self.outputs(X))

    def interval(self, X: object, level: float = 0.9) -> "tuple[np.ndarray, np.ndarray]":
        """(lower, upper), between which answers lie with probability level, for each row of a regression."""
        lower, upper = self.bounds(level)
        out = self.outputs(X)[:, 0]
        return out + lower, out + upper

    def bounds(self, level):
        """What is to be added to predictions for the ends of intervals."""
        residuals = self._head.get("residuals")
        if not residuals:
            raise ModelError("the model has no intervals, as it keeps no errors of rows left out; fit it by auto, rls or svr")
        if not 0 < level < 1:
            raise ModelError(f"intervals of level {level:g}; give a share between 0 and 1, as 0.9")
        k = min(int((1 - level) / 2 * (residuals["rows"] + 1) * (1 + 1e-9)), (residuals["rows"] + 1) // 2)
        if k < 1:
            raise ModelError(f"intervals of level {level:g} need more than the {residuals['rows']} rows that were left out")
        at = np.searchsorted(residuals["ranks"], k, side="right") - 1
        return residuals["values"][at], residuals["values"][-1 - at]

    def ranks(self, out):
        """What outputs rank classes by: votes where the model has a function a pair of classes, else the outputs."""
        if not self._head.get("pairs") or len(self.classes) < 3:
            return out
        k = len(self.classes)
        votes = np.zeros((len(out), k))
        for o, (a, b) in enumerate(zip(*np.triu_indices(k, 1))):
            votes[:, b] += out[:, o] >= 0
            votes[:, a] += out[:, o] < 0
        return votes

    def decide(self, out):
        """The number of each row's class."""
        if self._head.get("decision"):
            return (self.probabilities(out) * self._head["decision"]["weight"]).argmax(axis=1)
        return self._usual(out)

    def deciding(self, out):
        """What the decision is by, one number of two classes, positive for the second, else one a class: ranks, or logarithms of what
        probabilities decide by."""
        shares = (self._head.get("calibration") or {}).get("shares")
        if self._head.get("decision"):
            odds = np.log(np.maximum(self.probabilities(out) * self._head["decision"]["weight"], np.finfo(float).tiny))
        elif shares:
            odds = _log_odds(shares, out)
        else:
            return self.ranks(out)
        return odds[:, 1:] - odds[:, :1] if len(self.classes) == 2 else odds

    def _usual(self, out):
        shares = (self._head.get("calibration") or {}).get("shares")
        if shares:
            return _log_odds(shares, out).argmax(axis=1)
        ranks = self.ranks(out)
        return (ranks[:, 0] >= 0).astype(int) if ranks.shape[1] == 1 else ranks.argmax(axis=1)

    def has_probabilities(self):
        """Whether the model says how outputs become probabilities."""
        return bool(self._head.get("calibration"))

    def probabilities(self, out):
        """The probabilities of the classes, of outputs."""
        if not self.has_probabilities():
            raise ModelError("the model has no probabilities; they are for classifiers tuned by a score of left-out rows")
        return _probabilities(self._head["calibration"], out, self._usual(out))

    def outputs(self, X):
        """f of each row, n x outputs."""
        rows = self._scaled(self._rows(X))
        out = np.zeros((rows.n, _outputs(self._head)))
        if len(self._parts) == 1:
            self._add(out, self._parts[0], rows)
        else:
            self._mean(out, rows)
        bad = ~np.isfinite(out).all(axis=1)
        if bad.any():
            raise ModelError(f"row {bad.argmax()} has no finite prediction; its cells are missing, not finite or far too large")
        return out

    def _add(self, out, part, rows):
        places, functions, offset = part
        x = rows.columns(places)
        out += offset
        for f in functions:
            f.add(out, x)

    def _mean(self, out, rows):
        """The mean over the parts whose columns a row has: not all NaN, or of sparse rows stored ones."""
        have = np.zeros((rows.n, len(self._parts)), bool)
        for k, (places, _, _) in enumerate(self._parts):
            if places is None:
                have[:, k] = True
            elif rows.sparse is None:
                have[:, k] = ~np.isnan(rows.array[:, places]).all(axis=1)
            else:
                start, index, _ = rows.sparse
                of = np.repeat(np.arange(rows.n), np.diff(start))
                have[of[np.isin(index, places)], k] = True
        if rows.sparse is not None:
            have[~have.any(axis=1)] = True
        for k, part in enumerate(self._parts):
            at = np.flatnonzero(have[:, k])
            own = np.zeros((len(at), out.shape[1]))
            self._add(own, part, rows.select(at))
            out[at] += own
        with np.errstate(invalid="ignore"):
            out /= have.sum(axis=1)[:, None]

    def _scaled(self, rows):
        s = self._head["scaling"]
        if s.get("scale"):
            if s.get("shift"):
                rows = Rows((rows.dense() - np.array(s["shift"])) / np.array(s["scale"]))
            elif rows.sparse is None:
                rows = Rows(rows.array / np.array(s["scale"]))
            else:
                start, index, value = rows.sparse
                rows = Rows(sparse=(start, index, value / np.array(s["scale"])[index]), width=rows.d)
        if s["kind"] not in ("unit", "tfidf"):
            return rows
        length = np.sqrt(rows.squares())
        by = 1 / np.where(length > 0, length, 1)
        if rows.sparse is None:
            return Rows(rows.array * by[:, None])
        start, index, value = rows.sparse
        return Rows(sparse=(start, index, value * np.repeat(by, np.diff(start))), width=rows.d)

    def _rows(self, X):
        """The numbers of X: an array, a data frame, a sparse matrix, or for a model of words a list of documents."""
        if self._head.get("text"):
            words = self._head["features"]
            ngrams = self._head["text"].get("ngrams", 1)
            return Rows(sparse=counts([X] if isinstance(X, str) else X, words, ngrams), width=len(words))
        if hasattr(X, "tocsr"):
            return self._sparse(X)
        X = as_array(self._frame(X) if hasattr(X, "columns") else X)
        if X.ndim != 2:
            raise ModelError(f"the rows are an array of {X.ndim} dimensions where two are due; one row is X.reshape(1, -1)")
        wanted = len(self._table) if self._table else self._head["columns"]
        if self._used and X.shape[1] == len(self._used) < wanted:
            whole = np.zeros((len(X), wanted), dtype=X.dtype)  # what was left out may be absent
            whole[:, self._used] = X
            X = whole
        if X.shape[1] != wanted:
            raise ModelError(f"the rows have {X.shape[1]} columns, the model was trained on {wanted}")
        if X.dtype.kind not in "fiub":
            if self._table is None:
                X = self._numbers(X)
        else:
            X = X.astype(float, copy=False)
        if self._table:
            X = self._coded(X)
        elif not np.isfinite(X).all():
            if self._head.get("fill") and len(self._parts) == 1:
                X = np.where(np.isnan(X), self._head["fill"], X)
            for i, j in np.argwhere(~np.isfinite(X) if len(self._parts) == 1 else np.isinf(X)):  # a row may lack views
                raise ModelError(f"row {i}, column {self.columns[j] if self.columns else j} is {X[i, j]}; the model wants finite numbers")
        return Rows(np.ascontiguousarray(X))

    def _sparse(self, X):
        if self._table:
            return Rows(self._coded(X.toarray()))
        X = canonical(X)
        if X.shape[1] != self._head["columns"]:
            raise ModelError(f"the rows have {X.shape[1]} columns, the model was trained on {self._head['columns']}")
        return Rows(sparse=(X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data), width=X.shape[1])

    def _frame(self, X):
        """The columns of a data frame by their names; by their places where the model has no names, or the frame numbers that are none
        of the model's."""
        names, own = [composed(str(c)) for c in X.columns], [composed(c) for c in self.columns or []]
        if not own or not set(names) & set(own) and all(isinstance(c, numbers.Number) for c in X.columns):
            return X
        lacking = [c for c in own if c not in names]
        if self._table:
            used = {composed(c) for c in self.used()}
            lacking = [c for c in lacking if c in used]
        if lacking:
            more = f" and {len(lacking) - 1} more" if lacking[1:] else ""
            raise ModelError(f"the rows lack the column {lacking[0]!r}{more}; rename their columns, or give an array in the model's order")
        empty = [None] * len(X)
        columns = [_column(X, names.index(c)) if c in names else empty for c in own]
        kinds = "fiu" if self._table else "fiub"  # where columns of words may be true and false
        types = [getattr(c, "dtype", np.dtype(float)) for c in columns]
        if all(isinstance(t, np.dtype) and t.kind in kinds for t in types):  # those of pandas may lack cells
            return np.column_stack([np.asarray(c, dtype=float) for c in columns])
        out = np.empty((len(X), len(columns)), dtype=object)
        for j, c in enumerate(columns):
            out[:, j] = list(c)
        return out

    def _numbers(self, X):
        out = np.empty(X.shape)
        for i, row in enumerate(X):
            for j, v in enumerate(row):
                v = cell(v, i, j)
                try:
                    lacks = v is None or isinstance(v, str) and v.strip().lower().lstrip("+-") in _MISSING
                    out[i, j] = np.nan if lacks else float(v)
                except (ValueError, TypeError, OverflowError):
                    name = self.columns[j] if self.columns else j
                    raise ModelError(f"row {i}, column {name} is {str(v)!r}; the model wants numbers") from None
        return out

    def _coded(self, X):
        """The cells of a table as numbers."""
        if X.dtype.kind == "f" and len(self._used) == len(self._table) and all(c.plain for c in self._coders):
            if np.isinf(X).any():
                i, j = np.argwhere(np.isinf(X))[0]
                raise ModelError(f"row {i}, column {self.columns[j]!r} is infinite")
            lacks = np.isnan(X)
            return np.where(lacks, [c["fill"] for c in self._table], X) if lacks.any() else X
        out = []
        for j, column in zip(self._used, self._coders):
            values = X[:, j]
            column.fractions(values)
            if column.kind == "number" and X.dtype.kind in "fiub":
                if np.isinf(values).any():
                    raise ModelError(f"row {np.isinf(values).argmax()}, column {column.name!r} is infinite")
                out.append(column.numbers(values.astype(float)))
            else:
                out.append(column.code(values.tolist(), 0))
        return np.hstack(out)


def _column(X, k):
    """A column of a data frame, of pandas or of others, by its place."""
    if hasattr(X, "iloc"):
        return X.iloc[:, k]
    return X[X.columns[k]] if hasattr(X, "__getitem__") else np.asarray(X)[:, k]


def load(path: "str | os.PathLike[str]") -> Model:
    """Reads a model file that `mercer fit -o` wrote."""
    with open(path, "rb") as f:
        return Model(f.read(), str(path))
