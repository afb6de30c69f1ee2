"""The notebooks run cell by cell, in their order, and hold no output."""

import contextlib
import io
import json
import os
import tempfile
import unittest
import warnings
from pathlib import Path

from mercer import FitWarning

# The beginning of an absolute path, of any system; a slash of a network address has a colon, a slash or a letter before it.
ABSOLUTE = r"(?<![\w:/])/\w+/|\b[A-Za-z]:\\"

FOLDER = Path(__file__).parents[1] / "notebooks"


class Notebooks(unittest.TestCase):
    def run_cells(self, name):
        """What a notebook names, and what it prints."""
        cells = json.loads((FOLDER / name).read_text(encoding="utf-8"))["cells"]
        own, out, names = os.getcwd(), io.StringIO(), {"__name__": "__main__"}
        self.addCleanup(os.chdir, own)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore", FitWarning)  # that a class is rare
            os.chdir(folder)
            for cell in cells:
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), f"{name}, {cell['id']}", "exec"), names)
            os.chdir(own)
        return names, out.getvalue()

    @unittest.skipUnless(os.environ.get("MERCER_TESTS") == "all", "a dozen fits; MERCER_TESTS=all makes them")
    def test_few_labels(self):
        names, out = self.run_cells("few-labels.ipynb")
        self.assertLess(names["wrong"]["lap-rls"], 0.02)
        self.assertGreater(names["wrong"]["rls"], names["wrong"]["lap-rls"])
        self.assertIn("300 rows (10 labelled) x 2 features", out)
        self.assertIn("the same answers: True", out)

    @unittest.skipUnless(os.environ.get("MERCER_TESTS") == "all", "a dozen fits; MERCER_TESTS=all makes them")
    def test_clusters_and_labels(self):
        names, out = self.run_cells("clusters-and-labels.ipynb")
        self.assertEqual(sum(k is not None for k in names["y"]), 40)
        self.assertGreater(names["right"], 0.9)
        self.assertGreater(names["inside"], 0.8)
        rare = names["truth"] == "rare"
        self.assertGreaterEqual(*((names[c].predict(names["X"])[rare] == "rare").sum() for c in ("careful", "c")))
        self.assertIn("http://127.0.0.1:", out)

    def test_absolute_paths_are_known(self):
        for text in (f"'{Path(__file__).resolve().as_posix()}'", f'"{tempfile.gettempdir()}/rows.csv"', r"c:\\rows", "see /srv/rows/"):
            self.assertRegex(text, ABSOLUTE)
        for text in ("http://127.0.0.1:80/answer", "rls / lap-rls", "python/notebooks/", 'address + "state"', "n/2"):
            self.assertNotRegex(text, ABSOLUTE)

    def test_they_hold_no_output(self):
        paths = sorted(FOLDER.glob("*.ipynb"))
        self.assertEqual([p.name for p in paths], ["clusters-and-labels.ipynb", "few-labels.ipynb"])
        for path in paths:
            text = path.read_text(encoding="utf-8")
            for cell in json.loads(text)["cells"]:
                if cell["cell_type"] == "code":
                    self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), path.name)
            self.assertNotRegex(text.replace("\\n", "\n"), ABSOLUTE, path.name)  # lines as they are read


if __name__ == "__main__":
    unittest.main()
