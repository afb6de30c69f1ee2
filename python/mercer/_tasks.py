"""What the program does beside fits: clusters of rows, and labels that it asks a person for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _program
from ._answers import answers, labelled, spelled
from ._estimators import _headings, _names, _rows


def cluster(
    X: Any,
    clusters: int | str = "auto",
    *,
    neighbours: int | None = None,
    settings: Mapping[str, Any] | None = None,
    random_state: int | None = None,
    verbose: bool = False,
    flags: Sequence[str] = (),
) -> np.ndarray:
    """Finds clusters of rows without labels: spectral clustering of the graph of nearest rows, as `mercer cluster` does.

    Parameters
    ----------
    X : array, data frame or sparse matrix, n x columns
        As of the estimators.
    clusters : int or "auto"
        How many; auto takes 2 to 10, by the eigenvalues. Default: auto.
    neighbours : int, optional
        Neighbours of each row in the graph. Default: 10.
    settings : dict, optional
        Further settings of the graph, `--set NAME=VALUE`.
    random_state : int, optional
        Seed of what is drawn at random. Default: 1.
    verbose : bool
        Prints what the program says: sizes, cut, eigenvalues, graph. Default: False.
    flags : sequence of str
        Further flags of `mercer cluster`, such as "--scale=standard".

    Returns
    -------
    array of n numbers of clusters, from 0

    Raises
    ------
    FitError
        Where the program refuses the rows or the choices.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import cluster
    >>> rng = np.random.default_rng(1)
    >>> kind = np.repeat([0, 1], 50)
    >>> found = cluster(rng.normal(size=(100, 2)) + 9 * kind[:, None], 2)
    >>> bool((found == kind).all() or (found == 1 - kind).all())
    True
    """
    rows = _rows(X)
    given = [("clusters", clusters), ("neighbours", neighbours), ("seed", random_state)]
    own = [f"--{name}={value}" for name, value in given if value is not None]
    own += [f"--set={name}={value}" for name, value in (settings or {}).items()]
    heard = _program.say if verbose else None
    return np.array(_program.cluster(rows, _headings(_names(X), rows.shape[1]), [*own, *_checked(flags)], heard), dtype=int)


def label(
    X: Any,
    y: Any = None,
    *,
    classes: Sequence[Any] | None = None,
    log: str = "labels.jsonl",
    unlabelled: Any = -1,
    show: Callable[[str], Any] = _program.say,
    flags: Sequence[str] = (),
) -> np.ndarray:
    """Asks a person for the labels of the rows that help most (active learning), on the page of `mercer label` in the browser.

    It returns when the person ends it on the page, or by Ctrl-C (in a notebook: interrupt the kernel). Every answer is in the log before
    the next question, and the same call goes on where it was left.

    Parameters
    ----------
    X : array or data frame, n x columns
        As of the estimators; the page shows the cells of a row.
    y : n labels, some or all of which may be absent, optional
        As of MercerClassifier. Default: no row has one.
    classes : sequence of str, optional
        Classes to choose from, in the order of the page, which takes further ones. Default: those of y.
    log : str
        The file that keeps the answers. Default: labels.jsonl.
    unlabelled : object
        The label in y that marks rows without one, beside None and NaN. Default: -1.
    show : callable
        Is given each line that the program says; one of them has the address of the page. Default: prints it.
    flags : sequence of str
        Further flags of `mercer label`, such as "--port=8080" or "--image=8x8".

    Returns
    -------
    array of n labels as texts, None where a row has none: what MercerClassifier learns from

    Raises
    ------
    FitError
        Where the program refuses the rows or the choices, or the log is of other rows.

    Examples
    --------
    >>> from mercer import MercerClassifier, label
    >>> y = label(X, classes=["ham", "spam"])         # doctest: +SKIP
    mercer: label X at http://127.0.0.1:40123/ (End there, or Ctrl-C here, to finish)
    >>> MercerClassifier().fit(X, y)                  # doctest: +SKIP
    """
    rows = _rows(X)
    if hasattr(rows, "tocsr"):
        raise ValueError("X is sparse, and a person is shown the cells of a row; give an array, as X.toarray()")
    n = rows.shape[0]
    said = [""] * n
    if y is not None:
        y = answers(y, n)
        known = np.flatnonzero(labelled(y, unlabelled))
        for i, text in zip(known, _words(y[known])):
            said[i] = text
    own = [f"--log={log}"]
    if classes is not None:
        own.append("--classes=" + ",".join(_words(np.array(list(classes), dtype=object))))
    found = _program.label(rows, _headings(_names(X), rows.shape[1]), said, [*own, *_checked(flags)], show)
    return np.array([text or None for text in found], dtype=object)


def _words(labels):
    """Labels as the program is to read and to write them."""
    texts = [spelled(v) if isinstance(v, float) else str(v) for v in labels.tolist()]
    for text in texts:
        if "," in text or text != text.strip() or not text:
            raise ValueError(f"the label {text!r} has a comma, or blanks at an end; give it another name")
    return texts


def _checked(flags):
    if isinstance(flags, str):
        raise TypeError(f"flags is the text {flags!r} where a list is due, as [{flags!r}]")
    return flags
