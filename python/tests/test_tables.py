"""Tables of a model file are read as the program reads them, word for word, and what is not known of them is refused."""

import csv
import datetime
import re
import runpy
import tempfile
import unicodedata
import unittest
from pathlib import Path

import numpy as np

import mercer
from mercer import _cells
from mercer._cells import Column
from tests.common import program
from tests.test_model import answers, changed

SOURCE = Path(__file__).parents[2]
CODER = SOURCE / "internal" / "columns"


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def written(self, name, header, rows):
        path = self.folder / name
        with open(path, "w", newline="", encoding="utf-8") as f:
            csv.writer(f).writerows([header, *rows])
        return path

    def agree(self, header, rows, *flags, new=None):
        """The program, the package and the script that mercer export writes answer alike for the rows, or for new ones; returns
        the model, and what the program says."""
        y = ["ab"[i % 3 == 0] for i in range(len(rows))]
        model, known = self.folder / "m.mercer", self.written("rows.csv", [*header, "label"], [[*r, k] for r, k in zip(rows, y)])
        program("fit", known, "--method", "rls", "--tune", "none", "--set", "lambda=0.1", "-o", model, "--quiet", *flags)
        new = rows if new is None else new
        asked = self.written("new.csv", header, new)
        labels, numbers, _ = answers(model, asked)
        m = mercer.load(model)
        np.testing.assert_allclose(m.scores(np.array(new, dtype=object)), numbers, rtol=0, atol=1e-9)
        self.assertEqual(list(m.predict(np.array(new, dtype=object))), labels)
        program("export", model, "--format", "sklearn", "-o", self.folder / "m.py", "--quiet")
        script = runpy.run_path(str(self.folder / "m.py"))
        machine = script["MercerModel"]()
        self.assertEqual(list(machine.predict(script["_rows_of"](asked, machine.model_))), labels)
        return m, numbers

    def test_cells_that_stand_for_missing_ones(self):
        rows = [[-999 if i % 5 == 1 else i % 7 + i / 10, ["red", "blue", "none at all"][i % 3], ["yes", "no", "."][i % 4 % 3],
                 "1900-01-01" if i % 9 == 4 else f"{2000 + i % 9}-01-0{1 + i % 7}"] for i in range(40)]  # fmt: skip
        m, want = self.agree(["size", "colour", "old", "day"], rows, "--missing=size=-999,colour=none at all,old=.,day=1900-01-01")
        self.assertEqual([c["empty"] for c in m._table], [["-999"], ["none at all"], ["."], ["1900-01-01"]])
        frame = np.array([[float(size), *rest] for size, *rest in rows], dtype=object)  # as data frames have a column with gaps
        np.testing.assert_allclose(m.scores(frame), want, rtol=0, atol=1e-9)

    def test_numbers_that_stand_for_missing_ones(self):
        rows = [[-999 if i % 5 == 1 else i % 7 + i / 10, i % 4] for i in range(40)]
        m, want = self.agree(["size", "count"], rows, "--missing=-999")
        for kind in (float, int):
            array = np.array(rows, dtype=float)
            np.testing.assert_allclose(m.scores(np.trunc(array).astype(kind)), m.scores(np.trunc(array).astype(object)), rtol=0, atol=0)
        np.testing.assert_allclose(m.scores(np.array(rows, dtype=float)), want, rtol=0, atol=1e-9)

    def test_words_in_the_place_of_numbers(self):
        for others in (["count"], []):  # the one column of a table too
            rows = [[["<=5", "NV"][i // 4 % 2] if i % 4 == 1 else i % 7 + i / 10, *[i % 5 for _ in others]] for i in range(40)]
            m, _ = self.agree(["size", *others], rows)
            self.assertEqual(m._table[0]["levels"], ["<=5", "NV"])
            numbers = [[i % 7 + i / 10, *[i % 5 for _ in others]] for i in range(40)]
            np.testing.assert_array_equal(m.scores(np.array(numbers)), m.scores(np.array(numbers, dtype=object)))

    def test_missing_cells_of_numbers_alone(self):
        rows = [[i % 7 + i / 10, (i * i) % 11] for i in range(40)]
        new = [["" if i % 4 == 0 else row[0], ["NA", "?", "-", "null"][i % 4] if i % 3 == 0 else row[1]] for i, row in enumerate(rows)]
        m, want = self.agree(["size", "count"], rows, new=new)
        self.assertIsNone(m._table)
        numbers = np.array([[v if isinstance(v, (int, float)) else np.nan for v in row] for row in new])
        np.testing.assert_allclose(m.scores(numbers), want, rtol=0, atol=1e-9)
        with self.assertRaisesRegex(mercer.ModelError, "row 1, column count is inf; the model wants finite numbers"):
            m.predict([[1, 2], [1, np.inf]])
        old = mercer.Model(changed(m.bytes, lambda head: head.pop("fill")))
        with self.assertRaisesRegex(mercer.ModelError, "row 0, column size is nan; the model wants finite numbers"):
            old.predict(numbers)
        with self.assertRaisesRegex(mercer.ModelError, "is damaged .*the fills of missing cells are not 2"):
            mercer.Model(changed(m.bytes, lambda head: head["fill"].pop()))

    def test_true_and_false(self):
        rows = [[["True", "False"][i // 2 % 2], i % 7 + i / 10] for i in range(40)]
        m, want = self.agree(["old", "size"], rows)
        frame = np.array([[word == "True", size] for word, size in rows], dtype=object)  # as data frames have them
        np.testing.assert_allclose(m.scores(frame), want, rtol=0, atol=1e-9)

    def test_spellings(self):
        spelled = ["$1,234.5", "-$3", "CHF 12", "(12.50)", "12.50-", "\u22127", "1\u202f234", "5k", "1.5 Mio", "$2k", "12,34,567.5",
                   "1'000", "+4", ".5", "7.", "1e3", "n.d.", "", "0000-00-00", "3 lakh"]  # fmt: skip
        column = Column({"name": "price", "kind": "number", "fill": 9.0, "thousands": True, "unit": "$"})
        with self.assertRaisesRegex(mercer.ModelError, "has the unit CHF, where \\$ was learned from; convert it"):
            column.code(["CHF 12"], 0)
        spelled.remove("CHF 12")
        want = [1234.5, -3, -12.5, -12.5, -7, 1234, 5000, 1.5e6, 2000, 1234567.5, 1000, 4, 0.5, 7, 1000, 9, 9, 9, 3e5]
        np.testing.assert_array_equal(column.code(spelled, 0)[:, 0], want)
        rows = [[f"${i}.5"] for i in range(20)] + [[word] for word in spelled]
        self.agree(["price", "count"], [[*row, i % 5] for i, row in enumerate(rows)])

    def test_dates_in_words(self):
        """Names of months in the languages of the program, weekdays, zones, and blanks that are two."""
        names = ["5 januar 2001", "6 Févr. 2002", "7 MAR 2003", "8 avril 2004", "9 mayo 2005", "10 giugno 2006", "11 Juli 2007",
                 "12 août 2008", "13 Sept. 2009", "14 outubro 2010", "15 Nov 2011", "16 déc 2012"]  # fmt: skip
        rows = [[names[i % 12], i % 7 + i / 10] for i in range(48)]
        m, _ = self.agree(["day", "size"], rows, new=[[day.replace(" ", "  ", i % 3), size] for i, (day, size) in enumerate(rows)])
        self.assertEqual([c.get("format") for c in m._table], ["2 Jan 2006", None])
        column = Column({"name": "at", "kind": "date", "format": "Mon, 2 Jan 2006 15:04:05 MST", "fill": 0.0, "parts": ["hour"]})
        same = column.code(["Sat, 1 Jan 2000 06:00:00 UTC", "sat, 1 jan 2000 6:00:00 CEST", "Sat,  1 JAN 2000 06:00:00 GMT"], 0)
        np.testing.assert_array_equal(same, [same[0]] * 3)
        for cell in ("Xyz, 1 Jan 2000 06:00:00 UTC", "Sat, 1 Janx 2000 06:00:00 UTC", "Sat, 1 Jan 2000 06:00:00 utc"):
            with self.assertRaisesRegex(mercer.ModelError, "is no date of the format"):
                column.code([cell], 0)

    def test_zones(self):
        """A time is read by its own clock, however its zone is written."""
        rows = [[f"2020-01-{1 + i % 28:02d} {i * 7 % 24:02d}:00 UTC", i * i % 7] for i in range(60)]
        new = [[at.replace("UTC", ["GMT+6", "GMT-3", "UTC"][i % 3]), size] for i, (at, size) in enumerate(rows)]
        m, _ = self.agree(["at", "size"], rows, new=new)
        self.assertEqual([c.get("format") for c in m._table], ["2006-01-02 15:04 MST", None])

    def test_multiples(self):
        """Multiples are rounded as the decimal numbers are, and digits before an exponent are never in groups."""
        rows = [[f"{i * 7 % 90 + 10}.{i % 9 + 1}M", f"{i % 9 + 1}.{100 + 7 * i}e+04"] for i in range(60)]
        m, _ = self.agree(["x", "z"], rows)
        column = Column({"name": "x", "kind": "number", "fill": 0.0})
        self.assertEqual(column.code(["65.6M", "16.1k", "-0.3 lakh"], 0)[:, 0].tolist(), [65600000, 16100, -30000])

    def test_ranks_of_dates(self):
        """Ranks among sines of dates, of which many are equal up to rounding, are those of the program."""
        days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i * 37 % 300) for i in range(60)]
        self.agree(["day", "a"], [[str(day), f"{i * 29 % 60 / 30:.3f}"] for i, day in enumerate(days)], "--kernel=anova")

    def test_accents(self):
        """A letter and its accent may be two characters, as some systems write them, in words and in names of columns."""
        rows = [[["Café", "Bär", "Öl"][i % 3], i % 7 + i / 10] for i in range(30)]
        apart = [[unicodedata.normalize("NFD", word), v] for word, v in rows]
        m, _ = self.agree([unicodedata.normalize("NFD", "Größe"), "size"], rows, new=apart)
        self.assertEqual(m.columns, ["Größe", "size"])

    def test_lists_of_words(self):
        """Months, moneys and factors are those of the program."""
        months = (CODER / "months.go").read_text(encoding="utf-8")
        listed = re.findall(r"\t\{(.*)\},", months)
        self.assertEqual([re.findall(r'"([^"]+)"', line) for line in listed], _cells._MONTHS)
        number = (CODER / "number.go").read_text(encoding="utf-8")
        moneys = number[number.index("var moneys") : number.index("// multiplier")]
        self.assertEqual(tuple(re.findall(r'"([^"]+)"', moneys)), _cells._MONEYS)
        factors = {}
        for words, factor in re.findall(r"case (.*):\n\t\treturn (1e\d)", number):
            factors.update(dict.fromkeys(re.findall(r'"([^"]+)"', words), float(factor)))
        self.assertEqual(factors, _cells._TIMES)

    def test_unknown_keys(self):
        source = (SOURCE / "data" / "table.go").read_text(encoding="utf-8")
        struct = source[source.index("type Column struct") : source.index("// dateParts")]
        self.assertEqual(set(re.findall(r'`json:"([a-z]+)', struct)), _cells._KEYS)
        m, _ = self.agree(["size", "colour"], [[i % 7, ["red", "blue"][i % 2]] for i in range(20)])
        for change, fault in [
            (lambda t: t["columns"][0].update(clip=3),
             "the model: column 'size' of its table has the key 'clip', which this reader does not know; use a newer one"),
            (lambda t: t["columns"][2].update(clip=3), "column 'label' of its table has the key 'clip'"),
            (lambda t: t["columns"][1].update(kind="place"), "column 'colour' of its table has the kind 'place'"),
            (lambda t: t["columns"][0].update(parts=["minute"]), "column 'size' of its table has the part 'minute'"),
            (lambda t: t.update(order="rows"), "its table has the key 'order'"),
            (lambda t: t.update(version=2), "its table has the version 2"),
            (lambda t: t["columns"][0].update(missing=True), "is damaged .*the features of its table are not 3"),
        ]:  # fmt: skip
            with self.assertRaisesRegex(mercer.ModelError, fault):
                mercer.Model(changed(m.bytes, lambda head: change(head["table"])))


if __name__ == "__main__":
    unittest.main()
