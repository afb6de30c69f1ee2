"""Predictions from the model file alone equal those of `mercer predict`."""

import csv
import hashlib
import json
import pickle
import re
import struct
import tempfile
import unittest
from pathlib import Path

import numpy as np

import mercer
from mercer._cells import Column
from tests.common import made, program

MODELS = Path(__file__).parents[2] / "model" / "testdata"
KERNELS = (
    "gaussian", "ard-gaussian(sigma=2:3:1.5:1:2)", "linear", "ard-linear(c=1:2:3:4:5)", "polynomial(degree=2)", "laplacian",
    "exp-chi2", "add-chi2", "chi2-map(harmonics=3)", "clusters", "components", "gaussian+0.5*linear",
    "l1-laplacian(sigma=3)", "ard-l1-laplacian(sigma=2:3:1.5:1:2)", "ard-rational(sigma=2:3:1.5:1:2)",
    "ard-rational(power=2,alpha=0.3)", "gaussian*polynomial(degree=2)", "normalised(polynomial(degree=3))", "gaussian[x1..x3]+laplacian[x4,x5]",
    "0.5*constant+linear", "anova", "anova(weight=1:3:0.5:2:1,sigma=0.1)", "metric-laplacian(diagonal=1:2:0.5:3:0)",
)  # fmt: skip


def answers(model, data, *flags):
    """What mercer predict says: the first column as text, the others as numbers."""
    rows = list(csv.reader(program("predict", model, data, *flags).splitlines()))
    numbers = [[float(v) for v in row[1:]] for row in rows[1:]]
    return [row[0] for row in rows[1:]], np.array(numbers), rows[0][1:]


def changed(data, change):
    """The model file with another header."""
    begin = data.index(b"\n") + 9
    end = begin + struct.unpack("<Q", data[begin - 8 : begin])[0]
    head = json.loads(data[begin:end])
    change(head)
    text = json.dumps(head).encode()
    data = data[: begin - 8] + struct.pack("<Q", len(text)) + text + data[end:-32]
    return data + hashlib.sha256(data).digest()


class Agreement(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def agree(self, model, data, X, *flags, tolerance=1e-9):
        """Labels, scores, probabilities or intervals of X are those of the program for the file data."""
        labels, numbers, names = answers(model, data, *flags)
        m = mercer.load(model)
        if m.task == "classification":
            self.assertEqual(list(m.predict(X)), labels)
            own = m.scores(X)
            if "--probability" in flags:
                own = np.column_stack([own, m.predict_proba(X)])
        else:
            own = m.predict(X)
            np.testing.assert_allclose(own, [float(v) for v in labels] if not names else numbers[:, 0], rtol=tolerance, atol=tolerance)
            if "--interval" in flags:
                own = np.column_stack([own, *m.interval(X, 0.8)])
        if names:
            scale = max(1.0, np.abs(numbers).max())
            np.testing.assert_allclose(own.reshape(len(numbers), -1), numbers, rtol=0, atol=tolerance * scale)
        return m

    def fit(self, data, *flags):
        model = self.folder / "m.mercer"
        program("fit", data, "-o", model, "--quiet", *flags)
        return model

    def written(self, X, y, name="rows.csv", header=None):
        path = self.folder / name
        with open(path, "w", newline="") as f:
            w = csv.writer(f)
            w.writerow([*(header or [f"x{j + 1}" for j in range(len(X[0]))]), "label"])
            w.writerows([*row, label] for row, label in zip(X, y))
        return path

    def test_kernels(self):
        X, y = made(60, 5, 3)
        data = self.written(X.tolist(), y)
        for spec in KERNELS:
            with self.subTest(kernel=spec):
                self.agree(self.fit(data, "--method", "rls", "--kernel", spec, "--tune", "none", "--set", "lambda=0.01"), data, X)

    def test_indefinite_kernel(self):
        X, y = made(60, 5, 3)
        data = self.written(X.tolist(), y)
        self.agree(self.fit(data, "--method", "svm", "--kernel", "sigmoid(scale=0.01)", "--tune", "none"), data, X)

    def test_machines(self):
        X, y = made(90, 5, 3)
        data, two = self.written(X.tolist(), y), self.written(X.tolist(), y == "b", "two.csv")
        numbers = self.written(X.tolist(), (X[:, 0] ** 2 + X[:, 1]).tolist(), "numbers.csv")
        some = self.written(X.tolist(), [v if i % 3 else "" for i, v in enumerate(y)], "some.csv")
        for name, data, flags, asked in [
            ("mean of many", some, ["--method", "lap-rls"], ["--probability"]),
            ("automatic", some, ["--effort", "low"], ["--probability"]),
            ("linear", data, ["--method", "linear-svm"], ["--probability"]),
            ("pairs", data, ["--method", "svm", "--set", "C=1", "--tune", "kfold:5"], ["--probability"]),
            ("two classes", two, ["--method", "svm", "--tune", "kfold:5"], ["--probability"]),
            ("least squares", two, ["--method", "rls"], ["--probability"]),
            ("decided", two, ["--method", "rls", "--decide", "balanced"], ["--probability"]),
            ("numbers", numbers, ["--method", "rls"], ["--interval", "0.8"]),
            ("weighted mean", data, ["--method", "nadaraya-watson"], []),
            ("known", some, ["--method", "harmonic", "--set", "sigma=1"], []),
            ("scaled", data, ["--method", "rls", "--scale", "standard"], []),
            ("length one", data, ["--method", "rls", "--scale", "unit"], []),
        ]:
            with self.subTest(name):
                self.agree(self.fit(data, *flags), data, X, *asked, tolerance=1e-8 if name == "automatic" else 1e-9)

    def test_isotonic(self):
        X, y = made(60, 5, 2)
        data = self.written(X.tolist(), y)
        model = self.fit(data, "--method", "rls")
        points = {"score": [-2, -0.5, 0, 0.3, 1.5], "p": [0.05, 0.3, 0.5, 0.7, 0.99]}
        model.write_bytes(changed(model.read_bytes(), lambda head: head.update(calibration={"isotonic": points})))
        self.agree(model, data, X, "--probability")

    def test_tables(self):
        rng = np.random.default_rng(3)
        n = 80
        size = rng.normal(size=n).round(3)
        cells = [
            [
                "" if i % 7 == 3 else f"{size[i]} kg",
                ["red", "green", "blue", "", "odd one"][rng.integers(5)],
                ["no", "yes"][rng.integers(2)],
                f"{rng.integers(1, 29):02}.{rng.integers(1, 13):02}.{rng.integers(1990, 2020)}",
                f"{rng.integers(1, 9)},{rng.integers(100, 999)},{rng.integers(100, 999)}.5",
                rng.integers(100),
                "same",
            ]
            for i in range(n)
        ]
        header = ["weight", "colour", "old", "day", "price", "count", "constant"]
        y = ["a" if s + (row[1] == "red") > 0.3 else "b" for s, row in zip(size, cells)]
        data = self.written(cells, y, header=header)
        model = self.fit(data, "--method", "rls")
        m = self.agree(model, data, np.array(cells, dtype=object), "--probability")
        self.assertEqual(m.columns, header)
        for row, fault in [(["12 lb"] + cells[0][1:], "unit lb"), (cells[0][:3] + ["2020-01-01"] + cells[0][4:], "no date")]:
            with self.assertRaisesRegex(mercer.ModelError, fault):
                m.predict(np.array([row], dtype=object))

    def test_cells(self):
        rng = np.random.default_rng(4)

        def row():
            y, m, d, h = rng.integers(1999, 2022), rng.integers(1, 13), rng.integers(1, 29), rng.integers(24)
            v = rng.uniform(0, 5000)
            return [
                f"{v:.2f}".replace(".", ","), f"${v:.2f}", f"{v / 100:.1f}%", f"{v:e}", f"{y}-{m:02}-{d:02}T{h:02}:15:30Z",
                f"{d:02}.{m:02}.{y} {h:02}:00", f"{y}/{m:02}/{d:02} {h:02}:45", f"{v:,.0f}".replace(",", "'"),
            ]  # fmt: skip

        cells = [row() for _ in range(60)]
        for k, mark in enumerate(["", "-", "n.d.", "NA", "unknown", "null", "NaT", "?"]):
            cells[7 * k][k] = mark
        data = self.written(cells, list("ab" * 30))
        m = self.agree(self.fit(data, "--method", "rls"), data, np.array(cells, dtype=object))
        self.assertEqual({c["kind"] for c in m._table}, {"number", "date"})

    def test_every_format(self):
        """Every format of dates that the program knows is read here too: each is its own cell, of 2 January 2006."""
        source = (MODELS.parents[1] / "internal" / "columns" / "date.go").read_text(encoding="utf-8")
        formats = re.findall(r'"([^"]+)"', source[source.index("var layouts") : source.index("// byPattern")])
        self.assertGreater(len(formats), 20)
        for form in formats:
            with self.subTest(form=form):
                column = Column({"name": "at", "kind": "date", "format": form, "fill": 0.0})
                years = column.code([form.replace("Z07:00", "Z").replace("Z0700", "Z")], 0)[0, 0]
                day = 3 if "2" in form.replace("2006", "") else 2  # of a month alone it is the first
                self.assertAlmostEqual(years, (6 * 365 + day) / 365.2425 if "06" in form else -2000, delta=0.003)

    def test_every_mark(self):
        """Every mark of a missing number that the program knows is one here too."""
        source = (MODELS.parents[1] / "internal" / "columns" / "doc.go").read_text(encoding="utf-8")
        marks = re.findall(r'["`]([^"`]*)["`]', source[source.index("var missing") : source.index("// longestMark")])
        self.assertGreater(len(marks), 20)
        column = Column({"name": "size", "kind": "number", "fill": 7.0, "missing": True})
        np.testing.assert_array_equal(column.code(marks, 0), [[7, 1]] * len(marks))

    def test_brackets(self):
        column = Column({"name": "sum", "kind": "number", "fill": 0.0, "thousands": True, "unit": "$"})
        cells = ["(12.50)", "12.50", "($1,234.5)", "( 3 )", "-7", "(0)"]
        np.testing.assert_array_equal(column.code(cells, 0)[:, 0], [-12.5, 12.5, -1234.5, -3, -7, 0])
        for cell in ("(-3)", "()", "( )", "(3", "(three)"):
            with self.assertRaisesRegex(mercer.ModelError, "is no number"):
                column.code([cell], 0)

    def test_dates(self):
        """Years of two digits, halves of a day and times alone, as Go reads their formats."""
        years = 2000 * 365.2425  # in days, from the year 0
        for form, cell, day, weekday, hour in [
            ("1/2/06", "7/4/69", -11138, 5, 0), ("02.01.06", "31.12.68", 25202, 1, 0), ("2-Jan-06", "1-Jan-00", 0, 6, 0),
            ("1/2/2006 3:04 PM", "1/2/2000 12:30 AM", 1, 0, 0.5), ("1/2/2006 3:04:05 PM", "1/1/2000 1:15:00 PM", 0, 6, 13.25),
            ("15:04", "6:30", -years, 6, 6.5), ("3:04 PM", "12:45 PM", -years, 6, 12.75), ("15:04:05", "23:00:00", -years, 6, 23),
        ]:  # fmt: skip
            with self.subTest(form=form, cell=cell):
                spec = {"name": "at", "kind": "date", "format": form, "fill": 0.0, "parts": ["weekday", "hour"]}
                turns = 2 * np.pi * np.array([weekday / 7, hour / 24])
                want = [(day + hour / 24) / 365.2425, *np.column_stack([np.sin(turns), np.cos(turns)]).ravel()]
                np.testing.assert_allclose(Column(spec).code([cell], 0)[0], want, rtol=1e-12, atol=1e-12)
        for form, cell in [("3:04 PM", "13:00 PM"), ("3:04 PM", "1:00"), ("15:04", "24:00"), ("02.01.06", "30.02.01")]:
            with self.assertRaisesRegex(mercer.ModelError, "is no date of the format"):
                Column({"name": "at", "kind": "date", "format": form, "fill": 0.0}).code([cell], 0)

    def test_missing_cells(self):
        X, y = made(60, 5, 2)
        X[::4, 1] = np.nan
        data = self.written([["" if np.isnan(v) else v for v in row] for row in X], y)
        self.agree(self.fit(data, "--method", "rls"), data, X, "--probability")

    def test_sparse_rows(self):
        rng = np.random.default_rng(5)
        X = rng.poisson(0.1, size=(80, 40)) * rng.uniform(1, 2, size=(80, 40))
        path = self.folder / "rows.svm"
        with open(path, "w") as f:
            for i, row in enumerate(X):
                f.write(f"{i % 3} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row.tolist()) if v or j == 39) + "\n")
        for flags in (["--method", "svm"], ["--method", "rls", "--kernel", "laplacian"], ["--method", "linear-svm", "--scale", "tfidf"],
                      ["--method", "rls", "--scale", "unit"], ["--method", "rls", "--kernel", "exp-chi2"]):  # fmt: skip
            with self.subTest(flags):
                self.agree(self.fit(path, *flags, "--tune", "none"), path, X)

    def test_words(self):
        documents = ["Grüße aus Köln", "spam, spam and SPAM offers", "meeting at noon", "cheap offers: buy now"] * 6
        path = self.folder / "mails.csv"
        with open(path, "w", newline="") as f:
            csv.writer(f).writerows([["body", "label"], *([d, "ab"[i % 2]] for i, d in enumerate(documents))])
        self.agree(self.fit(path, "--text", "body", "--ngrams", "2"), path, documents)

    def test_views(self):
        X, y = made(60, 6, 2)
        data = self.written(X.tolist(), y)
        model = self.fit(data, "--method", "co-rls", "--view", "one=x1..x3", "--view", "two=x4..x6")
        self.agree(model, data, X)
        X[::5, :3] = np.nan
        data = self.written([["" if np.isnan(v) else v for v in row] for row in X], y)
        self.agree(model, data, X)

    def test_earlier_versions(self):
        for name, data in [
            ("v1-svm", "iris"), ("v1-auto", "two-moons"), ("v1-linear-regression", "sinc"), ("v2-front", "sinc"),
            ("v2-normalised", "iris"), ("v3-linear", "iris"), ("v3-views", "iris"), ("v3-front", "iris"),
        ]:  # fmt: skip
            with self.subTest(name):
                program("convert", data, "-o", self.folder / "rows.csv", "--quiet")
                rows = list(csv.reader((self.folder / "rows.csv").read_text().splitlines()))[1:]
                m = mercer.load(MODELS / f"{name}.mercer")
                X = np.array([row[: len(m.columns)] for row in rows], dtype=float)
                self.agree(MODELS / f"{name}.mercer", data, X)

    def test_pickle(self):
        X, y = made(30, 4, 2)
        m = mercer.load(self.fit(self.written(X.tolist(), y), "--method", "rls"))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(m)).scores(X), m.scores(X))


class Faults(unittest.TestCase):
    def setUp(self):
        self.whole = (MODELS / "v1-auto.mercer").read_bytes()

    def refused(self, data, fault):
        with self.assertRaisesRegex(mercer.ModelError, fault):
            mercer.Model(data)

    def test_newer(self):
        self.refused(self.whole.replace(b"model 1", b"model 7", 1), "has version 7, this reader reads up to 6; use a newer one")

    def test_foreign(self):
        self.refused(b"svm_type c_svc\n", "is not a Mercer model")

    def test_damaged(self):
        self.refused(self.whole[:-1], "wrong check sum")

    def test_every_cut(self):
        for size in range(0, len(self.whole), 97):
            self.refused(self.whole[:size], ".")

    def test_lengths(self):
        data = self.whole[:15] + struct.pack("<Q", 1 << 40) + self.whole[23:-32]
        self.refused(data + hashlib.sha256(data).digest(), "damaged")

    def test_rows(self):
        m = mercer.Model(self.whole)
        d = len(m.columns) if m.columns else 2
        for X, error, fault in [
            (np.zeros((2, d + 1)), mercer.ModelError, f"have {d + 1} columns, the model was trained on {d}"),
            (np.zeros(d), mercer.ModelError, "of 1 dimensions where two are due"),
            (np.full((2, d), np.nan), mercer.ModelError, "row 0, column .* is nan"),
            (np.array([[{}] * d], dtype=object), TypeError, "row 0, column 0 is of type dict; argument must be a string or a number"),
            (np.array([["word"] * d], dtype=object), mercer.ModelError, "row 0, column .* is 'word'; the model wants numbers"),
        ]:
            with self.assertRaisesRegex(error, fault):
                m.predict(X)


if __name__ == "__main__":
    unittest.main()
