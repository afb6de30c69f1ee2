"""pip install ./python, without a network: the package needs nothing to be built with."""

import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import backend
import mercer

FOLDER = Path(__file__).parents[1]


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
