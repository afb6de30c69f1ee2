"""Calls the program mercer."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from ._model import Model


class FitError(ValueError):
    """What the program said of data or choices that it cannot learn from."""


class FitWarning(UserWarning):
    """What the program warned of while it learned."""


_REMEDY = "install it (go install ./cmd/mercer), or name it in the environment variable MERCER"


def find():
    """The path of the program: what the environment variable MERCER names, else the one that came with the package, else mercer on
    the PATH."""
    path = os.environ.get("MERCER") or _own() or shutil.which("mercer")
    if not path:
        raise FileNotFoundError(f"the program mercer is not found; {_REMEDY}")
    return path


def _own():
    """The program that a wheel of a release brought, where pip put this package: beside the interpreter of an environment, below the
    home of a user, or beside the folder that --target names."""
    name = "mercer.exe" if os.name == "nt" else "mercer"
    package = Path(__file__).resolve().parents[1]
    if not any(package.glob("mercer_ml-*.dist-info/LICENCES.txt")):  # of wheels with a program alone
        return None
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"), package / "bin", package / "Scripts"]
    return next((str(Path(folder, name)) for folder in folders if Path(folder, name).is_file()), None)


def fit(rows, header, answers, task, flags, weights=None):
    """The Model that the program learns from rows (an array with the header, or a sparse matrix) and answers, texts of which ""
    means unlabelled, what it prints, and whether an interrupt (Ctrl-C) ended it, so that the model is the best until then. Rows of an
    array may have weights. What is written on the way stands in a folder of this user's alone, which is removed."""
    with tempfile.TemporaryDirectory(prefix="mercer-") as folder:
        folder = Path(folder)
        if hasattr(rows, "tocsr"):
            data = folder / "rows.svm"
            _write_sparse(data, rows.tocsr().sorted_indices(), answers)
            flags = ["--unlabelled-mark", _UNLABELLED, *flags]
        else:
            data = folder / "rows.csv"
            kinds = _write(data, rows, header, answers, weights)
            (folder / "columns.json").write_text(json.dumps({"version": 1, "columns": kinds}))
            flags = [*_DIALECT, "--label", _LABEL, "--columns", str(folder / "columns.json"), *flags]
            if weights is not None:
                flags = ["--weight", _WEIGHT, *flags]
        command = [find(), "fit", str(data), "--task", task, "-o", str(folder / "m.mercer"), "--json", "--quiet", *flags]
        code, stdout, stderr, interrupted = _run(command)
        if interrupted and not (folder / "m.mercer").exists():
            raise KeyboardInterrupt
        if code and not interrupted:
            lines = stderr.strip().splitlines() or [f"mercer ended with {code}"]
            raise FitError(lines[-1].removeprefix("mercer: ").replace(f"{data}: ", "").replace(str(data), "X"))
        try:
            model = Model((folder / "m.mercer").read_bytes(), "the model")
            return model, model.result or {} if interrupted else json.loads(stdout), interrupted
        except (FileNotFoundError, json.JSONDecodeError):
            raise FitError(f"{command[0]} wrote no model, so it is not the program mercer; {_REMEDY}") from None


def explain(model, rows, header):
    """What mercer explain says of each row (an array with the header, or a sparse matrix)."""
    with tempfile.TemporaryDirectory(prefix="mercer-") as folder:
        folder = Path(folder)
        model.save(folder / "m.mercer")
        if hasattr(rows, "tocsr"):
            data = folder / "rows.svm"
            _write_sparse(data, rows.tocsr().sorted_indices(), [""] * rows.shape[0])
        else:
            data = folder / "rows.csv"
            _write(data, rows, header, [""] * len(rows), None)
        numbers = ",".join(str(i) for i in range(rows.shape[0]))
        code, stdout, stderr, interrupted = _run([find(), "explain", str(folder / "m.mercer"), str(data), "--row", numbers, "--json", "--quiet"])
        if interrupted:
            raise KeyboardInterrupt
        if code:
            lines = stderr.strip().splitlines() or [f"mercer ended with {code}"]
            raise FitError(lines[-1].removeprefix("mercer: ").replace(f"{data}: ", "").replace(str(data), "X"))
        return json.loads(stdout)["rows"]


def _run(command):
    """The exit code, output and errors of the program, and whether an interrupt ended it. The program runs in a session of its own, so
    that an interrupt reaches it once, from here; a second one ends it at once."""
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                                 start_new_session=True)  # fmt: skip
    except OSError as fault:
        raise type(fault)(f"the program {command[0]} cannot be started ({fault.strerror}); {_REMEDY}") from None
    with child:
        try:
            return (*_ended(child), False)
        except KeyboardInterrupt:
            child.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        except BaseException:
            child.kill()
            raise
        try:
            return (*_ended(child), True)
        except BaseException:
            child.kill()
            raise


def _ended(child):
    stdout, stderr = child.communicate()
    return child.returncode, stdout, stderr


_LABEL = "the answer"
_WEIGHT = "the weight"
_UNLABELLED = "?"
_DIALECT = ["--delimiter", ",", "--header", "1", "--skip", "0", "--quote", '"', "--comment", "none"]  # of what is written here


def _write(path, rows, header, answers, weights):
    """Writes CSV and says which columns are numbers; the program looks at the others."""
    cells = rows.tolist()
    numeric = [rows.dtype.kind == "f" or not any(isinstance(row[j], str) for row in cells) for j in range(rows.shape[1])]
    with open(path, "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f)
        w.writerow([*header, *([] if weights is None else [_WEIGHT]), _LABEL])
        own = [[]] * len(cells) if weights is None else [[v] for v in weights.tolist()]
        w.writerows([*("" if v != v else v for v in row), *weight, answer] for row, weight, answer in zip(cells, own, answers))
    return [{"name": name, "kind": "number", "decimal": "."} for name, number in zip(header, numeric) if number]


def _write_sparse(path, rows, answers):
    start, index, value = rows.indptr.tolist(), (rows.indices + 1).tolist(), rows.data.tolist()
    with open(path, "w", encoding="utf-8") as f:
        for i, answer in enumerate(answers):
            a, b = start[i], start[i + 1]
            row = "".join(f" {j}:{v!r}" for j, v in zip(index[a:b], value[a:b]))
            if i == 0 and (a == b or index[b - 1] < rows.shape[1]):
                row += f" {rows.shape[1]}:0"  # says how many columns there are
            f.write(f"{answer or _UNLABELLED}{row}\n")
