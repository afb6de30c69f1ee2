"""pip install ./python, without a network: the package needs nothing to be built with."""

import ast
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import backend
import mercer

FOLDER = Path(__file__).parents[1]


class Oldest(unittest.TestCase):
    def test_what_it_lacks(self):
        """The package has nothing that came after the oldest Python it asks for: syntax, zip(strict=True), unions of types in
        annotations that are evaluated."""
        minor = int(re.search(r"Requires-Python: >=3\.(\d+)", backend.METADATA)[1])
        self.assertLess(minor, 10, "look at what this test seeks")
        for path in [*(FOLDER / "mercer").glob("*.py"), FOLDER / "backend.py"]:
            text = path.read_text(encoding="utf-8")
            later = "from __future__ import annotations" in text
            for node in ast.walk(ast.parse(text, path.name, feature_version=(3, minor))):
                where = f"{path.name}:{getattr(node, 'lineno', 0)}"
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
                    self.assertEqual(node.keywords, [], where)
                for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
                    if annotation and not later:
                        self.assertFalse(any(isinstance(part, ast.BitOr) for part in ast.walk(annotation)), where)


class Installed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a folder ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def imported(self, path):
        """Where an interpreter that knows this path alone finds the package."""
        script = "import sys; sys.path.insert(0, sys.argv[1]); import mercer; print(mercer.__file__)"
        done = subprocess.run([sys.executable, "-I", "-c", script, path], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def test_wheel(self):
        first = self.folder / backend.build_wheel(self.folder)
        bytes_ = first.read_bytes()
        self.assertEqual((self.folder / backend.build_wheel(self.folder)).read_bytes(), bytes_)
        self.assertTrue(self.imported(first).startswith(str(first)))
        with zipfile.ZipFile(first) as wheel:
            kept = {name.removeprefix("mercer/") for name in wheel.namelist() if name.startswith("mercer/")}
        self.assertEqual(kept, {path.name for path in (FOLDER / "mercer").iterdir() if path.is_file()})
        self.assertEqual(mercer.__version__, backend.VERSION)

    @unittest.skipUnless(os.environ.get("MERCER_TESTS") == "all", "pip takes seconds to start; MERCER_TESTS=all makes it")
    def test_pip(self):
        try:
            subprocess.run([sys.executable, "-m", "pip", "--version"], check=True, capture_output=True)
        except subprocess.CalledProcessError:
            self.skipTest("pip is not installed")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        for flags in ([], ["-e"]):
            with self.subTest(flags):
                to = self.folder / f"to{len(flags)}"
                subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", to, *flags, FOLDER],
                               check=True, capture_output=True, env=environment)  # fmt: skip
                if flags:
                    self.assertEqual((to / "mercer_ml.pth").read_text(), f"{FOLDER}\n")
                else:
                    self.assertTrue(self.imported(to).startswith(str(to)))
        self.assertFalse((FOLDER / "build").exists())


if __name__ == "__main__":
    unittest.main()
