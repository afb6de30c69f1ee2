"""Clusters, labels asked of a person, and what the program says while it works."""

import contextlib
import io
import json
import os
import re
import sys
import tempfile
import threading
import unittest
import urllib.request
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
from scipy.sparse import csr_matrix

from mercer import FitError, FitWarning, MercerClassifier, MercerRegressor, _program, cluster, label
from tests.common import made, program


class Person:
    """Answers on the page in the place of a person: what truth says of each row, so many times, and then ends it."""

    def __init__(self, truth, count, skip=()):
        self.truth, self.count, self.skip, self.said, self.failed = truth, count, skip, [], None
        self.thread = self.shown = None

    def __call__(self, line):
        self.said.append(line)
        found = re.search(r"http://\S+", line)
        if found:
            self.thread = threading.Thread(target=self.work, args=(found[0],))
            self.thread.start()

    def work(self, address):
        def ask(path, body=None):
            request = urllib.request.Request(
                address + path, None if body is None else json.dumps(body).encode(), {"Content-Type": "application/json"}
            )
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)

        state = ask("state")
        session = {"session": state["session"]}
        try:
            self.shown = ask("row/1")
            for n in range(self.count):
                at = state["question"]
                said = {**session, "number": at["number"], "row": at["row"], "note": f"note {n}"}
                if n in self.skip:
                    state = ask("skip", said)
                else:
                    state = ask("answer", {**said, "label": str(self.truth[at["row"]]), "new": True})
        except Exception as fault:
            self.failed = fault
        ask("finish", session)


class Labels(unittest.TestCase):
    def setUp(self):
        own, folder = os.getcwd(), tempfile.TemporaryDirectory()
        os.chdir(folder.name)
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, own)

    def labelled(self, person, X, y=None, **more):
        found = label(X, y, show=person, **more)
        person.thread.join()
        self.assertIsNone(person.failed)
        return found

    def test_answers_come_back(self):
        X, y = made(60, 3, 2)
        person = Person(y, 6, skip=(2,))
        found = self.labelled(person, X, classes=["a", "b"])
        cells = [{"name": f"x{j}", "text": repr(v)} for j, v in enumerate(X[1].tolist())]
        self.assertEqual(person.shown, {"name": "row 1", "image": False, "cells": cells})
        known = np.array([v is not None for v in found])
        self.assertEqual((len(found), known.sum()), (60, 5))
        self.assertEqual(list(found[known]), list(y[known]))
        lines = [json.loads(line) for line in Path("labels.jsonl").read_text(encoding="utf-8").splitlines()]
        self.assertEqual([line.get("note") for line in lines], [None] + [f"note {n}" for n in range(6)])
        again = self.labelled(Person(y, 3), X, classes=["a", "b"])  # goes on
        self.assertEqual(sum(v is not None for v in again), 8)
        self.assertTrue(all(b == a for a, b in zip(found, again) if a is not None))
        self.assertEqual(list(MercerClassifier("rls").fit(X, again).classes_), ["a", "b"])

    def test_labels_that_are_known(self):
        X, y = made(50, 2, 3)
        numbers = np.where(np.arange(50) < 12, np.searchsorted(["a", "b", "c"], y), -1)
        person = Person(np.searchsorted(["a", "b", "c"], y), 2)
        found = self.labelled(person, X, numbers, log="own.jsonl")
        self.assertEqual([found[i] for i in range(12)], [str(v) for v in numbers[:12]])
        self.assertEqual(sum(v is not None for v in found), 14)
        self.assertFalse(any(tempfile.gettempdir() in line for line in person.said), person.said)

    def test_rows_that_look_like_none(self):
        X, y = made(30, 2, 2)
        X[5] = np.nan
        words = [["Total" if i == 29 else "subtotal" if i == 7 else ["red", "blue"][i % 2], v] for i, v in enumerate(X[:, 0].tolist())]
        known = [y[i] if i > 20 else None for i in range(30)]
        for rows, log in ((X, "numbers.jsonl"), (words, "words.jsonl")):
            found = self.labelled(Person(y, 3), rows, known, log=log)
            self.assertEqual((len(found), sum(v is not None for v in found)), (30, 12))
            self.assertTrue(all(v in (None, y[i]) for i, v in enumerate(found)))

    def test_faults(self):
        X, y = made(30, 2, 2)
        for more, want in (
            ({"classes": ["a,b"]}, "has a comma"),
            ({"classes": ["NA"]}, "no label"),
            ({"flags": "--port=1"}, "a list is due"),
            ({"flags": ["--nosuch"]}, "nosuch"),
            ({"y": y[:3]}, "inconsistent numbers"),
        ):
            with self.assertRaisesRegex((FitError, ValueError, TypeError), want):
                label(X, show=lambda line: None, **more)
        with self.assertRaisesRegex(ValueError, "sparse"):
            label(csr_matrix(X))

        def fails(line):
            raise RuntimeError("no screen")

        with self.assertRaisesRegex(RuntimeError, "no screen"):
            label(X, classes=["a", "b"], show=fails)


class Clusters(unittest.TestCase):
    def test_as_the_program(self):
        X, _ = made(90, 3, 3)
        with tempfile.TemporaryDirectory() as folder:
            rows = Path(folder, "rows.csv")
            rows.write_text("x0,x1,x2\n" + "".join(",".join(map(repr, row)) + "\n" for row in X.tolist()), encoding="utf-8")
            for clusters in (2, 3, "auto"):
                flags = ["--quiet", f"--clusters={clusters}", "--neighbours=7", "--set=weights=self-tuned", "--seed=4"]
                want = program("cluster", rows, *flags)
                found = cluster(X, clusters, neighbours=7, settings={"weights": "self-tuned"}, random_state=4)
                self.assertEqual(found.tolist(), [int(v) for v in want.split()[1:]])

    def test_kinds_of_rows(self):
        X, y = made(60, 2, 2)
        want = cluster(X, 2)
        self.assertEqual((want.shape, set(want.tolist())), ((60,), {0, 1}))
        counted = np.column_stack([np.arange(60.0), X])  # whole numbers that all differ are a column as any other
        self.assertEqual(len(cluster(counted, 2)), 60)
        self.assertEqual(len(cluster(csr_matrix(X), 2)), 60)
        words = [[float(v), "red" if k == "a" else "blue"] for v, k in zip(X[:, 0], y)]
        self.assertEqual(set(cluster(words, 2)), {0, 1})

    def test_rows_that_look_like_none(self):
        """Every row has an answer: one without a cell, a line of dashes, what looks like a subtotal, a note, the totals."""
        X = np.column_stack([np.repeat([0.0, 9.0], 15), np.arange(30.0) % 7])
        whole = cluster(X, 2)
        X[5] = np.nan
        found = cluster(X, 2)
        self.assertEqual(len(found), 30)
        np.testing.assert_array_equal(np.delete(found, 5), np.delete(whole, 5))
        words = [["red", None, *row] for row in X.tolist()]
        for i, word in ((3, "Subtotal"), (9, "as of the year before"), (29, "Total")):
            words[i][0] = word
        words[9][2:] = [None, None]
        words[12] = ["---", "---", None, None]
        found = cluster(words, 2)
        self.assertEqual(len(found), 30)
        np.testing.assert_array_equal(np.delete(found, [5, 9, 12]), np.delete(whole, [5, 9, 12]))
        views = ["--view=one=x0..x0", "--view=two=x1..x1"]
        with self.assertRaisesRegex(FitError, "."):  # a view has no column that is missing
            cluster(X, 2, flags=views)
        self.assertEqual(len(cluster(np.delete(X, 5, axis=0), 2, flags=views)), 29)

    def test_faults(self):
        X, _ = made(20, 2, 2)
        for given, want in (({"clusters": 50}, "50"), ({"flags": "--quiet"}, "a list is due"), ({"settings": {"nosuch": 1}}, "nosuch")):
            with self.assertRaisesRegex((FitError, TypeError), want):
                cluster(X, **given)


class Learned(unittest.TestCase):
    """Rows that the program takes for none are said by a fit, and no row of predictions or reasons depends on them."""

    def setUp(self):
        X, self.y = made(40, 1, 2)
        self.rows = [[["red", "blue"][i % 2], v] for i, v in enumerate(X[:, 0].tolist())]
        self.rows[8], self.rows[20][0], self.rows[39][0] = [None, None], "Subtotal", "Total"
        self.answers = [None if i == 8 else v for i, v in enumerate(self.y)]

    def test_fit(self):
        want = "^rows of X are left out: row 8 has neither a cell nor an answer; row 20: a subtotal .* passed over; row 39: the last row"
        with self.assertWarnsRegex(FitWarning, want) as caught:
            c = MercerClassifier("rls", tune="none").fit(self.rows, self.answers)
        self.assertEqual(caught.filename, __file__)
        self.assertEqual(len(c.predict(self.rows)), 40)
        why = c.explain(self.rows)
        self.assertEqual([(r["row"], r["prediction"]) for r in why], list(enumerate(c.predict(self.rows))))
        with tempfile.TemporaryDirectory() as folder:
            known = Path(folder, "known")
            known.write_text("".join(f"{i}\n" for i in range(22, 36)), encoding="utf-8")
            with self.assertRaisesRegex(FitError, "row 20: .*; take them out of X, as --labelled-rows=.* numbers its rows"):
                MercerClassifier("rls", flags=[f"--labelled-rows={known}"]).fit(self.rows, self.answers)

    def test_many_rows(self):
        """Rows are asked for by a range: their numbers are more than the arguments of a program may be."""
        c, asked = MercerClassifier("rls", tune="none").fit(*made(20, 1, 2)), []

        def run(command):
            asked.append(command)
            return 0, json.dumps({"rows": [{}] * 30000}), "", False

        with mock.patch.object(_program, "_run", run):
            c.explain(np.arange(30000.0)[:, None])
        self.assertIn("0..29999", asked[0])
        self.assertLess(max(map(len, asked[0])), 300)

    def test_nothing_is_said_of_rows_that_are_learned_from(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rows = [row for i, row in enumerate(self.rows) if i not in (8, 20, 39)]
            MercerClassifier("rls", tune="none").fit(rows, [v for i, v in enumerate(self.answers) if i not in (8, 20, 39)])


class Verbose(unittest.TestCase):
    def said(self, do):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            do()
        return out.getvalue()

    def test_what_is_said(self):
        X, y = made(60, 2, 2)
        for estimator, answers in ((MercerClassifier, y), (MercerRegressor, X[:, 0])):
            quiet = estimator("rls")
            self.assertEqual(self.said(lambda: quiet.fit(X, answers)), "")
            loud = estimator("rls", verbose=True)
            text = self.said(lambda: loud.fit(X, answers))
            self.assertRegex(text, r"60 rows \(60 labelled\) x 2 features")
            self.assertNotIn(tempfile.gettempdir(), text)
            np.testing.assert_array_equal(loud.predict(X), quiet.predict(X))
        self.assertIn("2 clusters", self.said(lambda: cluster(X, 2, verbose=True)))

    def test_faults_are_the_same(self):
        X, y = made(60, 2, 2)
        faults = []
        for verbose in (False, True):
            with self.assertRaises(FitError) as caught, contextlib.redirect_stdout(io.StringIO()):
                MercerClassifier("nosuch", verbose=verbose).fit(X, y)
            faults.append(str(caught.exception))
        self.assertEqual(*faults)


if __name__ == "__main__":
    sys.exit(unittest.main())
