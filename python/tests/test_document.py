"""The examples of docs/python.md, and those of the package's own texts, run as they stand."""

import doctest
import importlib
import os
import re
import tempfile
import unittest
from pathlib import Path

import numpy as np

import mercer

DOCUMENT = Path(__file__).parents[2] / "docs" / "python.md"


class Document(unittest.TestCase):
    def test_examples(self):
        blocks = re.findall(r"\n```python\n(.*?)\n```\n", DOCUMENT.read_text(encoding="utf-8"), re.S)
        self.assertGreater(len(blocks), 1)
        own = os.getcwd()
        self.addCleanup(os.chdir, own)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            rng = np.random.default_rng(1)
            X = rng.normal(size=(60, 2))
            mercer.MercerRegressor("rls").fit(X, X[:, 0]).model_.save("prices.mercer")
            names = {}
            for block in blocks:
                exec(block, names)  # what one block names the next one uses
            self.assertEqual(list(names["m"].predict(names["X"])), [str(v) for v in names["c"].predict(names["X"])])
            os.chdir(own)

    def test_texts(self):
        for name, least in (("_estimators", 15), ("_split", 4), ("_tasks", 7)):
            done = doctest.testmod(importlib.import_module(f"mercer.{name}"))
            self.assertEqual(done.failed, 0, name)
            self.assertGreaterEqual(done.attempted, least, name)

    def test_every_public_name_has_a_text(self):
        for name in mercer.__all__:
            of = getattr(mercer, name)
            self.assertTrue(of.__doc__, name)
            for method, value in vars(of).items() if isinstance(of, type) else []:
                if callable(value) and not method.startswith("_"):
                    self.assertTrue(value.__doc__, f"{name}.{method}")


if __name__ == "__main__":
    unittest.main()
