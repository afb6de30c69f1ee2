"""What users give beside what the program reads from files: frames of other kinds, classes of any type, dates, marks, repeated entries."""

import datetime
import tempfile
import unittest
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

import mercer
from mercer import FitError, LabelledKFold, MercerClassifier, MercerRegressor, ModelError, _answers, _program, _tasks
from mercer._cells import Column, _mark, dated
from mercer._estimators import _headings, _rows
from tests.common import made, program
from tests.test_model import MODELS, changed

try:
    import pandas
except ImportError:
    pandas = None


class NAType:
    """Has the name of what pandas has for missing cells."""

    def __eq__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    __ne__ = __eq__
    __hash__ = None


class Frame:
    """A data frame of another package: its columns are taken by their names alone."""

    def __init__(self, **columns):
        self.cells, self.columns, self.shape = columns, list(columns), (len(next(iter(columns.values()))), len(columns))

    def __getitem__(self, name):
        return self.cells[name]

    def __len__(self):
        return self.shape[0]

    def to_numpy(self):
        return np.array(list(self.cells.values()), dtype=object).T


class Bare:
    """One of which no more is known than the names of its columns."""

    columns = ["weight", "height"]

    def __init__(self, cells):
        self.cells = cells

    def __len__(self):
        return len(self.cells)

    def __array__(self, dtype=None, copy=None):
        return self.cells


def quick(**more):
    return MercerClassifier("rls", tune="none", settings={"lambda": 0.1}, **more)


class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        X, y = made(40, 2, 2)
        cls.X, cls.y = X, y
        cls.model = quick().fit(Frame(height=X[:, 0].tolist(), weight=X[:, 1].tolist()), y).model_
        cls.want = cls.model.scores(X)

    def test_by_names(self):
        a, b = self.X.T.tolist()
        self.assertEqual(self.model.columns, ["height", "weight"])
        for frame in (Frame(weight=b, height=a), Frame(**{" weight": b, "height ": a}), Bare(self.X[:, ::-1])):
            np.testing.assert_array_equal(self.model.scores(frame), self.want)
        numbered = Frame(height=a, weight=b)
        numbered.columns = [0, 1]
        np.testing.assert_array_equal(self.model.scores(numbered), self.want)
        fault = "^the rows lack the column 'height' and 1 more; rename their columns, or give an array in the model's order$"
        for names in (["Weight", "Height"], [("weight", ""), ("height", "")]):
            numbered.columns = names
            with self.assertRaisesRegex(ModelError, fault):
                self.model.predict(numbered)

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_pandas(self):
        frame = pandas.DataFrame(self.X, columns=["height", "weight"])
        np.testing.assert_array_equal(self.model.scores(frame[["weight", "height"]]), self.want)
        np.testing.assert_array_equal(self.model.scores(pandas.DataFrame(self.X)), self.want)
        for other in (frame.rename(columns=str.title), pandas.concat({"people": frame}, axis=1)):
            with self.assertRaisesRegex(ModelError, "the rows lack the column 'height' and 1 more"):
                self.model.predict(other)
        whole = np.round(self.X).astype(object)
        lacking = np.where(np.arange(40)[:, None] % 7 == 3, np.nan, whole).astype(float)
        nullable = pandas.DataFrame(lacking, columns=["height", "weight"]).astype("Int64")
        np.testing.assert_array_equal(self.model.scores(nullable), self.model.scores(lacking))

    def test_names_of_columns(self):
        self.assertEqual(_headings([" a", "b\u00a0"], 2), ["a", "b"])
        for names in (["a", "a "], [" ", "a"], ["the answer", "a"], ["a", "the weight "], ["the row", "a"]):
            self.assertEqual(_headings(names, 2), ["x0", "x1"])

    def test_repeated_entries(self):
        twice = csr_matrix((np.repeat(self.X.ravel() / 2, 2), np.tile([1, 0, 0, 1], 40), np.arange(0, 161, 4)), shape=(40, 2))
        twice.data[:] = 1
        twice.data[2::4] = 3
        want = twice.toarray()
        np.testing.assert_array_equal(_rows(twice).toarray(), want)
        self.assertEqual(_rows(twice).nnz, 80)
        self.assertEqual(twice.nnz, 160)
        model = mercer.Model(changed(self.model.bytes, lambda head: head.pop("fill", None)))
        np.testing.assert_allclose(model.scores(twice), model.scores(want), rtol=1e-12)
        small = csr_matrix((np.array([200, 100], dtype=np.uint8), [0, 0], [0, 2]), shape=(1, 2))
        self.assertEqual(_rows(small).toarray().tolist(), [[300, 0]])


class Classes(unittest.TestCase):
    def test_names(self):
        for classes, want in (
            ([1.0, 2.0], ["1", "2"]), ([-3, 10**17 + 1], ["-3", "100000000000000001"]), (["10", "9"], ["10", "9"]),
            ([False, True], ["0", "1"]), (["a", "b c"], ["a", "b c"]), (["01", "1"], ["0", "1"]), (["1", "1.0"], ["0", "1"]),
            (["<=50K", ">50K"], ["0", "1"]), ([0.0, 1e30], ["0", "1"]), (["NA", "b"], ["0", "1"]),
        ):  # fmt: skip
            self.assertEqual(_answers.texts(np.array(classes)), want)
        self.assertEqual(_tasks._words(np.array([1.0, 2.5, True, "a"], dtype=object)), ["1", "2.5", "True", "a"])  # as a person is shown

    def test_rules(self):
        floats, odd, words, digits = (np.array(c) for c in ([1.0, 2.0], ["<=50K", ">50K", "a=b,c"], ["a", "b"], ["10", "9"]))
        for classes, rule, want in (
            (floats, "cost=1=50", "cost=1=50"), (floats, "cost=2.0=5,1.0=2", "cost=2=5,1=2"), (floats, "cost=1:9", "cost=1:9"),
            (odd, "cost=>50K=5,a=b,c=2", "cost=1=5,2=2"), (odd, "rate=<=50K=0.1", "rate=0=0.1"), (odd, "balanced", "balanced"),
            (words, "cost=b=5", "cost=b=5"), (words, "cost=c=5", "cost=c=5"), (words, "rate=0.2", "rate=0.2"),
            (digits, "cost=1:9", "cost=10=1,9=9"), (digits, "rate=0.2", "rate=9=0.2"), (digits, "cost=1:9:3", "cost=1:9:3"),
        ):  # fmt: skip
            self.assertEqual(_answers.decision(rule, classes, _answers.texts(classes)), want, rule)
        with self.assertRaisesRegex(ValueError, "decide='cost=1=5' names something else than the classes, which are <=50K, >50K, a=b,c"):
            _answers.decision("cost=1=5", odd, ["0", "1", "2"])
        for flags in (["--decide=cost=1=50"], ["--decide", "cost=1=50"], ["--class-weight=1=50"], ["--class-weight", "1=50"]):
            with self.assertRaisesRegex(ValueError, "flags name classes, .* has the names 0, 1, 2; give class_weight or decide instead"):
                _answers.unnamed(flags, odd, ["0", "1", "2"])
            _answers.unnamed(flags, floats, ["1", "2"])
        _answers.unnamed(["--class-weight=balanced", "--decide=balanced", "--tol=1e-3"], odd, ["0", "1", "2"])

    def test_floats(self):
        """Classes are floats where a label is NaN, and the program and its models call them 1 and 2 all the same."""
        X, y = made(40, 2, 2)
        some = np.where(np.arange(40) % 4, np.where(y == "a", 1.0, 2.0), np.nan)
        e = MercerClassifier("rls", decide="cost=2=1000").fit(X, some)
        self.assertEqual(set(e.predict(X)), {2.0})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            e.model_.save(path / "m.mercer")
            (path / "rows.csv").write_text("x0,x1\n" + "".join(f"{a!r},{b!r}\n" for a, b in X[:3].tolist()), encoding="utf-8")
            said = program("predict", path / "m.mercer", path / "rows.csv").splitlines()[1:]
        self.assertEqual([line.split(",")[0] for line in said], ["2"] * 3)

    def test_scores(self):
        X, y = made(40, 2, 2)
        e = quick().fit(X, np.where(y == "a", "A1", "A2"))
        said = e.predict(X)
        self.assertEqual(e.score(X, np.where(said == "A1", "A10", "A2")), (said == "A2").mean())
        with self.assertRaisesRegex(ValueError, "y has the label 1, where the classes are texts, no numbers; give both alike"):
            e.score(X, np.ones(40, dtype=int))
        e = quick().fit(X, (y == "a").astype(int))
        said = e.predict(X)
        self.assertEqual((e.score(X, said + 0.5), e.score(X, said.astype(float)), e.score(X, said.astype(bool))), (0, 1, 1))
        weights = np.arange(1.0, 41)
        self.assertAlmostEqual(e.score(X, np.where(said, 0, said), weights), weights[said == 0].sum() / weights.sum())

    def test_marks(self):
        numbers = np.array([np.int64(v) for v in (0, 1, -1, 1, 0, -1)], dtype=object)
        numbers[:] = [np.int64(v) for v in (0, 1, -1, 1, 0, -1)]
        lacking = [0, 1, NAType(), 1, 0, NAType()]
        for y, mark in ((numbers, -1), (numbers, np.int8(-1)), (lacking, -1), (["a", "b", NAType(), "b", "a", NAType()], -1)):
            there, classes, code = _answers.labels(_answers.listed(y), mark)
            self.assertEqual(there.tolist(), [True, True, False, True, True, False])
            self.assertEqual((len(classes), code.tolist()), (2, [0, 1, 1, 0]))
        fractions = [0.5, NAType(), 1.5, 2.0, None, 3.25]
        with self.assertRaisesRegex(ValueError, "Unknown label type: continuous"):
            _answers.labels(_answers.listed(fractions), -1)
        tested = np.concatenate([test for _, test in LabelledKFold(2).split(fractions, fractions)])
        self.assertEqual(sorted(tested), [0, 2, 3, 5])
        masked = np.ma.masked_equal([0, 1, 7, 1, 0, 7], 7)
        self.assertEqual(_answers.answered(_answers.listed(masked)).tolist(), [True, True, False, True, True, False])

    def test_numbers_that_lack(self):
        X, _ = made(40, 2, 2)
        y = [NAType() if i % 3 == 0 else v for i, v in enumerate(X[:, 0].tolist())]
        e = MercerRegressor("rls", tune="none", settings={"lambda": 0.1}).fit(X, y)
        self.assertEqual(e.result_["rows"]["unlabelled"], 14)
        self.assertGreater(e.score(X, y), 0.5)


class Cells(unittest.TestCase):
    def test_infinity(self):
        words = np.array([[1.0, "red"], [np.inf, "blue"]], dtype=object)
        for rows in (words, [[1.0, 2], [-np.inf, None]], np.array([[1.0, 2], [np.inf, 3]])):
            with self.assertRaisesRegex(ValueError, "infinity, in row 1, column 0; leave the cell empty"):
                _rows(rows)
        with self.assertRaisesRegex(ModelError, "row 0, column 'b': -inf is no finite number"):
            Column({"name": "b", "kind": "category", "levels": ["x"], "other": True}).code([-np.inf], 0)
        column = Column({"name": "a", "kind": "number", "fill": 0.0})
        for cells, fault in (([1.0, np.inf], "row 1, column 'a': inf is no finite number"), ([1, 10**400], "row 1, column 'a': int too")):
            with self.assertRaisesRegex(ModelError, fault):
                column.code(cells, 0)

    def test_views_without_infinity(self):
        model = mercer.load(MODELS / "v3-views.mercer")
        row = np.zeros((1, 4))
        row[0, 1] = np.inf
        with self.assertRaisesRegex(ModelError, f"row 0, column {model.columns[1]} is inf; the model wants finite numbers"):
            model.predict(row)

    def test_dates(self):
        day, at = datetime.date(2020, 1, 31), datetime.datetime(2020, 1, 31, 0, 0)
        for rows in (np.array([[at], [None]], dtype="M8[ns]"), np.array([[at], [None]], dtype="M8[s]"), [[at], [np.datetime64("NaT")]],
                     [[np.datetime64(at, "ns")], [NAType()]]):  # fmt: skip
            self.assertEqual(_rows(rows).tolist(), [[at], [None]])
        self.assertEqual(_rows(np.array([[day]], dtype="M8[D]")).tolist(), [[day]])
        for rows in (np.array([[3]], dtype="m8[ns]"), [["a", np.timedelta64(3, "ns")]], [[1, datetime.timedelta(3)]]):
            with self.assertRaisesRegex(TypeError, "row 0, column . is a duration; give it as a number"):
                _rows(rows)

    def test_midnights(self):
        def years(form, *cells, **more):
            return Column({"name": "at", "kind": "date", "format": form, "fill": -7.0, **more}).code(cells, 0)[:, 0].tolist()

        at, noon = datetime.datetime(2015, 10, 16), datetime.datetime(2015, 10, 16, 12)
        east = at.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
        (midnight,), (half,) = years("2006-01-02", "2015-10-16"), years("2006-01-02 15:04", "2015-10-16 12:00")
        for form, date in (("2006-01-02", "2015-10-16"), ("02.01.2006", "16.10.2015"), ("2 Jan 2006", "16 okt 2015")):
            cells = [at, at.date(), noon, date + " 00:00:00", date + " 00:00", date + "T0:00:00.000+00:00"]
            self.assertEqual(years(form, *cells), [midnight, midnight, half, midnight, midnight, midnight])
            timed = [at, at.date(), date, date + " 12:00:00"]
            self.assertEqual(years(form + " 15:04:05", *timed), [midnight, midnight, midnight, half])
        self.assertEqual(years("2006-01-02T15:04:05Z07:00", "2015-10-16", noon), [midnight, half])
        self.assertAlmostEqual(years("2006-01-02", east)[0], midnight - 2 / 24 / 365.2425)
        self.assertEqual(years("15:04", datetime.time(6, 30)), years("15:04", "6:30"))
        self.assertEqual(years("2006-01-02", at, None, empty=["2015-10-16"]), [-7, -7])
        for form, cell in (("15:04", at), ("2006-01-02", datetime.time(6)), ("2006-01-02", "2015-10-16 12:00"), ("15:04", "2015-10-16"),
                           ("2006-01-02 15:04", "2015-10"), ("2006-01", "2015-10 00:00")):  # fmt: skip
            with self.assertRaisesRegex(ModelError, f"'{cell}' is no date of the format"):
                years(form, cell)

    def test_marks(self):
        for word, want in (("-999", -999), ("-999.0", -999), ("-9.99e2", -999), ("-999,0", -999), ("1,234", None), ("1,2.5", None),
                           ("x", None), ("1,2,3", None)):  # fmt: skip
            self.assertEqual(_mark(word), want)
        words = Column({"name": "kind", "kind": "category", "levels": ["a", "-9"], "missing": True, "empty": ["-999", "-9.0"]})
        cells = ["-999.0", "-9.99e2", -999, "a", "-9", "b"]
        self.assertEqual(words.code(cells, 0).tolist(), [[0, 0, 1]] * 3 + [[1, 0, 0], [0, 1, 0], [0, 0, 0]])
        numbers = Column({"name": "size", "kind": "number", "fill": 7.0, "empty": ["-999"]})
        self.assertEqual(numbers.code(["-999,0", "-999.0", -999, "3"], 0).tolist(), [[7], [7], [7], [3]])


    def test_fractions(self):
        column = Column({"name": "rate", "kind": "number", "fill": 7.0, "unit": "%"})
        with self.assertWarnsRegex(UserWarning, "column 'rate': 3 cells without % and with a number from -1 to 1, such as '0.45', which"):
            column.fractions([0.45, " -0,5 ", "1", "0.45%", 45, 0, None, np.nan, "", "NA"])


class Explained(unittest.TestCase):
    def test_decimal_marks(self):
        """Cells of a column of texts with decimal commas, and of one of numbers, are explained as they are predicted."""
        X, y = made(40, 2, 2)
        rows = [[f"{a + 50:.2f}".replace(".", ","), round(b, 3)] for a, b in X.tolist()]
        e = quick().fit(rows, y)
        self.assertEqual([c.get("decimal") for c in e.model_._table], [",", "."])
        new = [["50", 1.125], [51.5, 2.125], ["52,25", 3.5], [1.125, None]]
        np.testing.assert_allclose([why["score"] for why in e.explain(new)], e.decision_function(new), rtol=1e-9)
        self.assertEqual(_program._as_learned(np.array([[1.5, 2.5]]), [{"kind": "number"}] * 2).tolist(), [[1.5, 2.5]])

    def test_formats(self):
        """A date of Python is written in the format of its column, unless that has no place for some of it."""
        at, noon = datetime.datetime(2015, 10, 6), datetime.datetime(2015, 10, 6, 13, 5, 9, 500000)
        for form, v, want in (
            ("02.01.2006", at, "06.10.2015"), ("2.1.06", at.date(), "6.10.15"), ("2 January 2006", at, "6 October 2015"),
            ("Jan 2, 2006", at, "Oct 6, 2015"), ("2006-01-02 15:04:05", noon, "2015-10-06 13:05:09.5"), ("2006-01-02", noon, str(noon)),
            ("1/2/2006 3:04 PM", noon.replace(second=0, microsecond=0), "10/6/2015 1:05 PM"), ("2006-01", at, str(at)),
            ("Mon, 2 Jan 2006 15:04:05 MST", at, "Tue, 6 Oct 2015 00:00:00 UTC"), ("15:04", datetime.time(6, 30), "06:30"),
            ("2006-01-02T15:04:05Z07:00", at, "2015-10-06T00:00:00Z"), ("15:04", at, str(at)),
        ):  # fmt: skip
            self.assertEqual(dated(v, form), want)
        rows = np.array([[at, 1.5], [None, 2.5]], dtype=object)
        got = _program._as_learned(rows, [{"kind": "date", "format": "02.01.2006"}, {"kind": "number", "decimal": ","}])
        self.assertEqual((got.tolist(), rows[0, 1]), ([["06.10.2015", "1,5"], [None, "2,5"]], 1.5))


if __name__ == "__main__":
    unittest.main()
