"""Answers, as scikit-learn has them and as the program is given them: what is no label, and how classes are called."""

import re
import warnings

import numpy as np

from ._base import DataConversionWarning
from ._cells import composed, is_na, unmasked


def answers(y, n):
    if y is None:
        raise ValueError("the estimator requires y to be passed, but the target y is None")
    y = listed(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples, ), for "
                      "example using ravel().", DataConversionWarning, stacklevel=3)  # fmt: skip
        y = y.ravel()
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    if len(y) != n:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n}, {len(y)}]")
    if y.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    return y


def listed(y):
    """Answers as an array, None where pandas has NA. A list of texts and marks that are none, as -1 or NaN, keeps them: numpy would make
    texts of them."""
    array = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(unmasked(y))
    if array.dtype.kind in "US" and not isinstance(y, np.ndarray) and array.ndim == 1 and not all(isinstance(v, (str, bytes)) for v in y):
        array = np.empty(len(y), dtype=object)
        array[:] = list(y)
    if array.dtype == object:
        array = np.where(np.vectorize(is_na, otypes=[bool])(array), None, array)
    return array


def labels(y, mark):
    """Which rows are labelled, the classes, and the number of each labelled row's class."""
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise ValueError(f"Input y contains infinity, in row {np.isinf(y).argmax()}")
    kept = y[answered(y)]
    if fractions(kept):
        raise ValueError("Unknown label type: continuous; classes are whole numbers or texts, and MercerRegressor learns numbers")
    there = labelled(y, mark)
    try:
        classes, code = np.unique(y[there], return_inverse=True)
    except TypeError:
        raise ValueError("Unknown label type: labels of several types; give them all as texts or as whole numbers") from None
    if len(classes) < 2:
        raise ValueError(f"the labels are of 1 class ({classes.tolist()}); at least two are needed")
    if classes.dtype == object and all(isinstance(c, (int, np.integer)) for c in classes.tolist()):
        classes = classes.astype(int)
    return there, classes, code


def fractions(y):
    """Whether some of the answers are numbers that are not whole."""
    return any(isinstance(v, float) and not v.is_integer() for v in y.tolist())


def answered(y):
    """Which answers are there: not None, NaN or an empty text."""
    return np.array([v is not None and v == v and not (isinstance(v, str) and not v.strip()) for v in y.tolist()], dtype=bool)


def unmarked(y, mark):
    """Which answers are not the mark."""
    return np.array([not is_mark(v, mark) for v in y.tolist()], dtype=bool)


def labelled(y, mark):
    """Which labels are there and not the mark; where all are -1 and 1, both are classes."""
    there = answered(y)
    if not (is_mark(mark, -1) and set(y[there].tolist()) == {-1, 1}):
        there &= unmarked(y, mark)
    return there


def is_mark(v, mark):
    """Whether v is the mark of rows without a label."""
    v = v.item() if isinstance(v, np.generic) else v
    return type(v) in (int, float, str) and not isinstance(v, str) ^ isinstance(mark, str) and v == mark


# Names that the program reads as they are: words, and whole numbers of which a float cannot lose digits.
_OWN = re.compile(r"[A-Za-z_]([\w .-]*\w)?|0|-?[1-9][0-9]{0,19}")


def spelled(c):
    """A class as text; one of whole numbers without a point, also where they are floats because some are NaN."""
    return str(int(c)) if isinstance(c, bool) or isinstance(c, float) and c.is_integer() else str(c)


def texts(classes):
    """Names of the classes for the program: their own where it reads them so, else their numbers."""
    own = [spelled(c) for c in classes.tolist()]
    read = all(_OWN.fullmatch(c) and c == composed(c) and c.lower() not in ("na", "nan", "null", "none") for c in own)
    return own if read and len(set(own)) == len(own) else [str(k) for k in range(len(own))]


def decision(rule, classes, names):
    """A rule of decisions with the program's names of the classes. Costs and a rate that name none go by the order of classes here."""
    kind, equals, rest = rule.partition("=")
    if kind not in ("cost", "rate"):
        return rule
    if "=" not in rest:
        numbered = isinstance(classes[0], str) and any(name.lstrip("-").isdigit() for name in names)
        return _by_name(kind, rest.split(":"), names) if numbered else rule
    known = {text: name for c, name in zip(classes.tolist(), names) for text in (str(c), spelled(c))}
    one = "(" + "|".join(map(re.escape, sorted(known, key=len, reverse=True))) + ")=([^=,]*)"
    if re.fullmatch(f"{one}(,{one})*", rest):
        return kind + equals + re.sub(one, lambda found: f"{known[found[1]]}={found[2]}", rest)
    if changed(classes, names):
        raise ValueError(f"decide={rule!r} names something else than the classes, which are {', '.join(map(str, classes))}")
    return rule


def _by_name(kind, numbers, names):
    """Such a rule, of texts that are digits: the program has these in the order of their numbers."""
    if kind == "cost" and len(numbers) == len(names):
        return "cost=" + ",".join(f"{name}={v}" for name, v in zip(names, numbers))
    return f"rate={names[1]}={numbers[0]}" if kind == "rate" and len(names) == 2 else f"{kind}={':'.join(numbers)}"


def changed(classes, names):
    """Whether the program has other names for the classes."""
    return names != [spelled(c) for c in classes.tolist()]


def unnamed(flags, classes, names):
    """Refuses flags that name classes where the program has other names for these."""
    found = re.search(r"--(class-weight[= ](?!balanced)|decide[= ]\w+=\S*=)", " ".join(flags))
    if found and changed(classes, names):
        raise ValueError(f"flags name classes, for which the program has the names {', '.join(names)}; give class_weight or decide instead")
