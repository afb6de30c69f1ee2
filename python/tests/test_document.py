"""The examples of docs/python.md run as they stand."""

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


if __name__ == "__main__":
    unittest.main()
