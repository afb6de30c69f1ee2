"""Calls the program mercer."""

import csv
import datetime
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sysconfig
import tempfile
import threading
import warnings
from pathlib import Path

from ._cells import dated
from ._model import Model


class FitError(ValueError):
    """What the program said of data or choices that it cannot learn from."""


class FitWarning(UserWarning):
    """What the program warned of while it learned."""


def say(line):
    """Prints a line of the program at once, also where output goes to a file."""
    print(line, flush=True)


_REMEDY = "install it (go install ./cmd/mercer), or name it in the environment variable MERCER"

_ANOTHER = "see that it is a program that you may run here, or name another in the environment variable MERCER"
_REMEDIES = {
    errno.ENOENT: _REMEDY, errno.EACCES: _ANOTHER, errno.ENOEXEC: _ANOTHER, errno.E2BIG: "give it fewer flags, or shorter ones",
}  # fmt: skip


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


def fit(rows, header, answers, flags, weights=None, heard=None):
    """The Model that the program learns from rows (an array with the header, or a sparse matrix) and answers, texts of which ""
    means unlabelled, what it prints, and whether an interrupt (Ctrl-C) ended it, so that the model is the best until then. Rows of an
    array may have weights. What is written on the way stands in a folder of this user's alone, which is removed. What the program says
    meanwhile goes to heard, line by line, if that is given."""
    with tempfile.TemporaryDirectory(prefix="mercer-") as folder:
        folder = Path(folder)
        data, own = _data(folder, rows, header, answers, weights)
        if data.suffix == ".csv":
            numbers = [{"name": name, "kind": "number", "decimal": "."} for name in _numbers(rows, header)]
            (folder / "columns.json").write_text(json.dumps({"version": 1, "columns": numbers}))
            own += ["--columns", str(folder / "columns.json")]
        command = [find(), "fit", str(data), "-o", str(folder / "m.mercer"), "--json", *own, *flags]
        code, stdout, stderr, interrupted = _run(command, _named(heard, data))
        if interrupted and not (folder / "m.mercer").exists():
            raise KeyboardInterrupt
        if code and not interrupted:
            raise _fault(code, stderr, data)
        try:
            model = Model((folder / "m.mercer").read_bytes(), "the model")
            result = model.result or {} if interrupted else json.loads(stdout)
        except (FileNotFoundError, json.JSONDecodeError):
            raise FitError(f"{command[0]} wrote no model, so it is not the program mercer; {_REMEDY}") from None
        learned = result.get("rows")
        if learned and data.suffix == ".csv" and learned["labelled"] + learned["unlabelled"] < len(rows):
            _lost(data, rows, answers, own, flags)
        return model, result, interrupted


def _lost(data, rows, answers, own, flags):
    """Says which rows the program took for none, and refuses them where flags name rows by their numbers."""
    empty = [i for i, row in enumerate(_cells(rows)) if not any(v != "" for v in row) and not answers[i]]
    why = [f"row {i} has neither a cell nor an answer" for i in empty]
    straight = data.read_bytes().count(b"\n") == len(rows) + 1  # each row has a line, below that of the names
    _, stdout, _, _ = _run([find(), "data", str(data), "--json", *own], lambda line: None)  # the verb knows no --quiet
    for text in json.loads(stdout or "{}").get("guesses", []):
        found = re.match(r":(\d+): (.*(?:passed over|left out).*)", text.removeprefix(str(data)))
        if found:
            why.append(f"row {int(found[1]) - 2}: {found[2]}" if straight else found[2])
    text = f"rows of X are left out: {'; '.join(why)}"
    for flag in flags:
        if flag.startswith(("--labelled-rows", "--splits")):
            raise FitError(f"{text}; take them out of X, as {flag} numbers its rows")
    warnings.warn(text, FitWarning, stacklevel=5)


def explain(model, rows, header):
    """What mercer explain says of each row (an array with the header, or a sparse matrix)."""
    with tempfile.TemporaryDirectory(prefix="mercer-") as folder:
        folder, own = Path(folder), []
        model.save(folder / "m.mercer")
        if hasattr(rows, "tocsr"):
            data = folder / "rows.svm"
            _write_sparse(data, rows, [""] * rows.shape[0])
        else:
            data = folder / "rows.csv"
            table = model._table or []
            _write(data, _as_learned(rows, table), header, [""] * len(rows), numbered=True)
            commas = any(c.get("decimal") == "," for c in table)
            own = [*_DIALECT, "--decimal", "comma" if commas else "point"]  # as learned from, so that each column keeps its mark
        command = [find(), "explain", str(folder / "m.mercer"), str(data), "--row", f"0..{rows.shape[0] - 1}", "--json", *own]
        code, stdout, stderr, interrupted = _run(command)
        if interrupted:
            raise KeyboardInterrupt
        if code:
            raise _fault(code, stderr, data)
        return _each(json.loads(stdout)["rows"], rows)


def cluster(rows, header, flags, heard):
    """The cluster of each row (an array with the header, or a sparse matrix)."""
    with tempfile.TemporaryDirectory(prefix="mercer-") as folder:
        folder = Path(folder)
        data, own = _data(folder, rows, header, [""] * rows.shape[0], numbered=_numbered(flags))
        code, stdout, stderr, interrupted = _run([find(), "cluster", str(data), *own, *flags], _named(heard, data))
        if interrupted:
            raise KeyboardInterrupt
        if code:
            raise _fault(code, stderr, data)
        return _each([int(row["cluster"]) for row in csv.DictReader(stdout.splitlines())], rows)


def label(rows, header, answers, flags, heard):
    """The answers of a person for rows of an array with the header, of which some may be there: texts, "" where there is none. The
    person ends it on the page, or by an interrupt (Ctrl-C)."""
    with tempfile.TemporaryDirectory(prefix="mercer-") as folder:
        folder = Path(folder)
        data, own = _data(folder, rows, header, answers, numbered=True)
        numbers = [{"name": name, "kind": "number", "decimal": "."} for name in _numbers(rows, header)]
        (folder / "columns.json").write_text(json.dumps({"version": 1, "columns": numbers}))
        command = [find(), "label", str(data), "--labelled", str(folder / "answers.csv"), "--id", _NUMBER, *own, *flags,
                   "--columns", str(folder / "columns.json")]  # fmt: skip
        told = _named(heard, data)
        # The file of the labelled rows is gone when this returns.
        code, _, stderr, _ = _run(command, told and (lambda line: told(line.partition(", labelled rows in ")[0])))
        if not (folder / "answers.csv").exists():
            raise _fault(code, stderr, data)
        with open(folder / "answers.csv", newline="", encoding="utf-8") as f:
            return _each([row[_LABEL] for row in csv.DictReader(f)], rows)


def _numbered(flags):
    """Whether rows can be numbered: beside views no column can be left out."""
    return not any(flag.startswith("--view") for flag in flags)


def _each(answers, rows):
    """The answers, of which each row has one."""
    if len(answers) != rows.shape[0]:
        raise FitError(f"the program takes {len(answers)} of the {rows.shape[0]} rows of X for rows; leave out those without a cell, "
                       "and such as begin with Total")  # fmt: skip
    return answers


def _fault(code, stderr, data):
    """What the program said last, as an error; its file is X."""
    lines = stderr.strip().splitlines() or [f"mercer ended with {code}"]
    return FitError(_shown(lines[-1].removeprefix("mercer: "), data))


def _shown(text, data):
    return text.replace(f"{data}: ", "").replace(str(data), "X")


def _named(heard, data):
    """Heard for lines in which the file of the rows is X; None where nobody listens."""
    return heard and (lambda line: heard(_shown(line, data)))


class _Told:
    """Reads what a program says while it runs, and hands on each line. The end is what the program writes to. An error of the listener
    ends the program, and is raised once that has ended."""

    def __init__(self, heard):
        begin, self.end = os.pipe()
        self.source, self.heard = os.fdopen(begin, encoding="utf-8", errors="replace"), heard
        self.lines, self.failed, self.child = [], None, None
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def of(self, child):
        """Says which program it is, None if it was not started, once the program has the end."""
        os.close(self.end)
        self.child = child
        if self.failed is not None:
            child.terminate()

    def _read(self):
        with self.source:
            for line in self.source:
                self.lines.append(line)
                if self.failed is None:
                    try:
                        self.heard(line.rstrip("\n"))
                    except BaseException as fault:
                        self.failed = fault
                        if self.child:
                            self.child.terminate()

    def text(self):
        self.thread.join()
        if self.failed is not None:
            raise self.failed
        return "".join(self.lines)


def _run(command, heard=None):
    """The exit code, output and errors of the program, and whether an interrupt ended it. The program runs in a session of its own (on
    Windows a group of processes), so that an interrupt reaches it once, from here; a second one ends it at once. Where nobody hears it,
    it says nothing but errors."""
    told = _Told(heard) if heard else None
    quiet = [] if told or "--quiet" in command else ["--quiet"]
    try:
        errors = told.end if told else subprocess.PIPE
        child = subprocess.Popen([*command, *quiet], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True,
                                 encoding="utf-8", start_new_session=True,
                                 creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0))  # fmt: skip
    except OSError as fault:
        if told:
            told.of(None)
        remedy = _REMEDIES.get(fault.errno, "try again when the system has more to give")
        raise type(fault)(f"the program {command[0]} cannot be started ({fault.strerror}); {remedy}") from None
    with child:
        try:
            if told:
                told.of(child)
            return (*_ended(child, told), False)
        except KeyboardInterrupt:
            _interrupt(child)
        except BaseException:
            child.kill()
            raise
        try:
            return (*_ended(child, told), True)
        except BaseException:
            child.kill()
            raise


def _interrupt(child):
    """Asks the program for its best so far. On Windows Ctrl-Break alone reaches one group of processes, and is an interrupt to the
    program; where there is no console to send it by, the program is ended."""
    try:
        child.send_signal(signal.SIGINT if os.name == "posix" else signal.CTRL_BREAK_EVENT)
    except OSError:
        child.terminate()


def _ended(child, told):
    stdout, stderr = child.communicate()
    return child.returncode, stdout, told.text() if told else stderr


_LABEL = "the answer"
_WEIGHT = "the weight"
_NUMBER = "the row"
OWN = (_LABEL, _WEIGHT, _NUMBER)  # names of columns that no column of the rows may have
_UNLABELLED = "?"
_DIALECT = ["--delimiter", ",", "--header", "1", "--skip", "0", "--quote", '"', "--comment", "none"]  # of what is written here


def _data(folder, rows, header, answers, weights=None, numbered=False):
    """Writes rows and answers to a file of a folder; returns it, and the flags that say what it is. Where each row is to have an answer
    rows are numbered, and the numbers no features."""
    if hasattr(rows, "tocsr"):
        data = folder / "rows.svm"
        _write_sparse(data, rows, answers)
        return data, ["--unlabelled-mark", _UNLABELLED]
    data = folder / "rows.csv"
    _write(data, rows, header, answers, weights, numbered)
    own = [*([] if weights is None else ["--weight", _WEIGHT]), *(["--drop", _NUMBER] if numbered else [])]
    return data, [*own, *_DIALECT, "--label", _LABEL]


def _numbers(rows, header):
    """The names of the columns that are numbers; the program looks at the others."""
    if rows.dtype.kind == "f":
        return list(header)
    cells = rows.tolist()
    return [name for j, name in enumerate(header) if all(row[j] is None or isinstance(row[j], (float, int)) for row in cells)]


def _as_learned(rows, table):
    """Rows whose numbers have the decimal marks of the columns of a table, and dates their formats."""
    rows = rows.astype(object) if rows.dtype == object or any(c.get("decimal") == "," for c in table) else rows
    for j, c in enumerate(table if rows.dtype == object else []):
        if c.get("decimal") == ",":
            rows[:, j] = [str(v).replace(".", ",") if isinstance(v, (float, int)) and v == v else v for v in rows[:, j]]
        elif c["kind"] == "date":
            rows[:, j] = [dated(v, c["format"]) if isinstance(v, (datetime.date, datetime.time)) else v for v in rows[:, j]]
    return rows


def _cells(rows):
    """The cells of rows as they are written, one row after the other."""
    return (["" if v is None or v != v else v for v in row] for row in rows.tolist())


def _write(path, rows, header, answers, weights=None, numbered=False):
    """Writes CSV. A row that is numbered is one to the program whatever its cells hold: without a value, or with Total in the first
    cell, others may be left out."""
    before = [[f"row {i}"] for i in range(len(rows))] if numbered else [[]] * len(rows)
    after = [[v] for v in weights.tolist()] if weights is not None else [[]] * len(rows)
    with open(path, "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f)
        w.writerow([*([_NUMBER] if numbered else []), *header, *([] if weights is None else [_WEIGHT]), _LABEL])
        w.writerows([*number, *row, *weight, answer] for number, row, weight, answer in zip(before, _cells(rows), after, answers))


def _write_sparse(path, rows, answers):
    start, index, value = rows.indptr.tolist(), (rows.indices + 1).tolist(), rows.data.tolist()
    with open(path, "w", encoding="utf-8") as f:
        for i, answer in enumerate(answers):
            a, b = start[i], start[i + 1]
            row = "".join(f" {j}:{v!r}" for j, v in zip(index[a:b], value[a:b]))
            if i == 0 and (a == b or index[b - 1] < rows.shape[1]):
                row += f" {rows.shape[1]}:0"  # says how many columns there are
            f.write(f"{answer or _UNLABELLED}{row}\n")
