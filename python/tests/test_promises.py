"""What users of scikit-learn expect of marks, scores, warnings and interrupts, and that damaged models are ModelErrors."""

import contextlib
import hashlib
import io
import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
from sklearn.model_selection import KFold, cross_val_score

from mercer import FitWarning, MercerClassifier, MercerRegressor, Model, ModelError, _program
from tests.common import made, program


class Marks(unittest.TestCase):
    def test_lists(self):
        X, y = made(60, 4, 2)
        words = [v if i % 2 else None for i, v in enumerate(y.tolist())]
        want = MercerClassifier("rls").fit(X, np.array(words, dtype=object))
        for mark in (-1, None, float("nan"), "", "  "):
            marked = [mark if v is None else v for v in words]
            for answers in (marked, tuple(marked)):
                e = MercerClassifier("rls").fit(X, answers)
                self.assertEqual(list(e.classes_), ["a", "b"], mark)
                np.testing.assert_array_equal(e.decision_function(X), want.decision_function(X))
        empty = np.array(["" if v is None else v for v in words])
        self.assertEqual(list(MercerClassifier("rls").fit(X, empty).classes_), ["a", "b"])

    def test_bools_beside_words(self):
        X, y = made(60, 2, 2)
        rows = [[bool(a > 0), float(b), "red" if a > b else "blue"] for a, b in X]
        numbers = [[int(a), b, c] for a, b, c in rows]
        e, want = MercerClassifier("rls").fit(rows, y), MercerClassifier("rls").fit(numbers, y)
        np.testing.assert_array_equal(e.decision_function(rows), want.decision_function(numbers))


class Scores(unittest.TestCase):
    def test_rows_without_labels_are_not_judged(self):
        X, y = made(90, 4, 2)
        some = np.where(np.arange(90) % 3, y, None)
        e = MercerClassifier("rls").fit(X, some)
        known = np.arange(90) % 3 > 0
        self.assertEqual(e.score(X, some), e.score(X[known], y[known]))
        self.assertEqual(e.score(X, [v if k else -1 for v, k in zip(y.tolist(), known)]), e.score(X[known], y[known]))
        weights = np.random.default_rng(1).random(90)
        self.assertEqual(e.score(X, some, weights), e.score(X[known], y[known], weights[known]))
        with self.assertRaisesRegex(ValueError, "no row of y has a label"):
            e.score(X[:3], [None] * 3)
        got = cross_val_score(MercerClassifier("rls"), X, some, cv=KFold(3), error_score="raise")
        self.assertTrue((got > 0.5).all(), got)

    def test_numbers(self):
        X, _ = made(60, 4, 2)
        y = X @ [1.0, 2, 0, -1]
        some = np.where(np.arange(60) % 3, y, np.nan)
        e = MercerRegressor("rls").fit(X, some)
        known = ~np.isnan(some)
        self.assertEqual(e.score(X, some), e.score(X[known], y[known]))
        self.assertEqual(e.score(X, [None if v != v else v for v in some.tolist()]), e.score(X[known], y[known]))


class Talk(unittest.TestCase):
    def test_warnings(self):
        X, y = made(60, 4, 2)
        rare = np.where(np.arange(60) < 3, "rare", "usual")
        with self.assertWarnsRegex(FitWarning, "rare"):
            MercerClassifier("rls").fit(X, rare)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            MercerClassifier("rls").fit(X, y)

    @unittest.skipUnless(os.name == "posix", "interrupts are signals of posix")
    def test_interrupt_keeps_the_best_model(self):
        for verbose in (False, True):
            with self.subTest(verbose=verbose):
                self.interrupted(verbose)

    def test_interrupt_at_the_start(self):
        """One that comes as soon as the program runs ends it, too: nothing goes on in the background."""
        children, of = [], _program._Told.of

        def interrupted(told, child):
            of(told, child)
            children.append(child)
            raise KeyboardInterrupt

        X, y = made(60, 4, 2)
        long = MercerClassifier("rls", search="random", flags=["--budget=1000000"], verbose=True)
        with mock.patch.object(_program._Told, "of", interrupted), contextlib.suppress(KeyboardInterrupt), \
                contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):  # fmt: skip
            long.fit(X, y)
        self.assertIsNotNone(children[0].poll())

    def interrupted(self, verbose):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        trace = Path(folder.name) / "trace"
        script = ("import numpy as np, mercer, signal, sys\n"
                  "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # what a shell starts beside itself ignores it
                  "X = np.random.default_rng(1).normal(size=(400, 3)); y = X[:, 0] > 0\n"
                  "e = mercer.MercerClassifier('rls', search='random', flags=['--budget=1000000', '--trace=' + sys.argv[1]],\n"
                  f"                            verbose={verbose})\n"
                  "try:\n    e.fit(X, y)\n"
                  "except KeyboardInterrupt: print(e.score(X, y), flush=True)\n")  # fmt: skip
        words = [sys.executable, "-c", script, str(trace)]
        child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])
        timer = threading.Timer(300, child.kill)
        timer.start()
        while child.poll() is None and (not trace.exists() or trace.read_bytes().count(b"\n") < 10):
            time.sleep(0.02)  # until some machines are judged
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate()
        timer.cancel()
        lines = out.splitlines()
        self.assertGreater(float(lines[-1]), 0.8)
        self.assertEqual(len(lines) > 1, verbose)


class Damage(unittest.TestCase):
    def test_changed_headers(self):
        with tempfile.TemporaryDirectory() as folder:
            whole = []
            for flags in (["iris", "--method", "rls"], ["wine", "--method", "svm", "--tune", "none"], ["sinc", "--method", "rls"]):
                path = Path(folder) / "m.mercer"
                program("fit", *flags, "--quiet", "-o", str(path))
                whole.append(path.read_bytes())
        draw = random.Random(5)
        for data in whole:
            begin = data.index(b"\n") + 9
            (size,) = struct.unpack_from("<Q", data, begin - 8)
            head, body = data[begin : begin + size], data[begin + size : -32]

            def of(text):
                out = data[: begin - 8] + struct.pack("<Q", len(text)) + text + body
                return out + hashlib.sha256(out).digest()

            Model(of(head))
            for text in (b"[" * 5000, b'{"a":' * 5000, b"{}", b"[]", b"null", b"1", b"", b"\xff"):
                with self.assertRaises(ModelError):
                    Model(of(text))
            for _ in range(400 if os.environ.get("MERCER_TESTS") == "all" else 100):
                spec = json.loads(head)
                self._change(spec, draw)
                with warnings.catch_warnings(), contextlib.suppress(ModelError):
                    warnings.simplefilter("ignore")  # numbers that are not finite
                    model = Model(of(json.dumps(spec).encode()))
                    width = len(model.used() or []) or spec["columns"]
                    model.outputs(np.zeros((2, width)))

    @staticmethod
    def _change(spec, draw):
        """Changes one value anywhere in the header."""
        places, stack = [], [spec]
        while stack:
            at = stack.pop()
            for key, value in list(at.items() if isinstance(at, dict) else enumerate(at)):
                places.append((at, key))
                if isinstance(value, (dict, list)):
                    stack.append(value)
        at, key = draw.choice(places)
        at[key] = draw.choice([None, -1, 0, 1, 3, 1e300, "text", [], {}, [1], {"a": 1}, True])
