"""MercerClassifier and MercerRegressor: fit calls the program, predictions are numpy's alone."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _program
from ._answers import answered, answers, decision, is_mark, labels, listed, texts, unmarked, unnamed
from ._base import BaseEstimator, ClassifierMixin, NotFittedError, RegressorMixin
from ._cells import as_array, canonical, cell, composed


class _Estimator(BaseEstimator):
    """Parameters, and rows: what both estimators share."""

    def __init__(self, method="auto", *, C=None, gamma=None, kernel=None, settings=None, tune=None, search=None, effort=None, basis=None,
                 scale=None, threads=None, random_state=None, verbose=False, flags=()):  # fmt: skip
        self.method = method
        self.C = C
        self.gamma = gamma
        self.kernel = kernel
        self.settings = settings
        self.tune = tune
        self.search = search
        self.effort = effort
        self.basis = basis
        self.scale = scale
        self.threads = threads
        self.random_state = random_state
        self.verbose = verbose
        self.flags = flags

    def _arguments(self):
        """The parameters as flags of mercer fit."""
        seed = self.random_state
        if seed is not None and not isinstance(seed, (int, np.integer)):
            seed = seed.integers(2**31 - 1) if hasattr(seed, "integers") else seed.randint(2**31 - 1)
        if isinstance(self.flags, str):
            raise TypeError(f"flags is the text {self.flags!r} where a list is due, as [{self.flags!r}]")
        said = {flag.split("=")[0] for flag in self.flags}
        for flag in said:
            if flag.startswith("-o") or flag in ("--output", "--json", "--task", "--label", "--id"):
                raise ValueError(f"flags has {flag}, which the estimator sees to itself; leave it out")
        method = self.method
        if method == "auto" and said & {"--method", "--recipe", "--from"}:
            method = None  # the flag says it
        given = [
            ("method", method), ("kernel", self.kernel), ("tune", self.tune), ("search", self.search), ("effort", self.effort),
            ("basis", self.basis), ("scale", self.scale), ("threads", self.threads), ("seed", seed),
        ]  # fmt: skip
        for name, value in given:
            if value is not None and f"--{name}" in said:
                raise ValueError(f"{name} is given twice, as {value!r} and in flags; give it once")
        list_ = [f"--{name}={value}" for name, value in given if value is not None]
        settings = dict(self.settings or {})
        for name, value in (("C", self.C), ("gamma", self.gamma)):
            if value is None:
                continue
            if name in settings:
                raise ValueError(f"{name} is given twice, as {name}={value!r} and in settings; give it once")
            settings[name] = value
        list_ += [f"--set={name}={value}" for name, value in settings.items()]
        return list_ + list(self.flags)

    def _learn(self, X, answers, task, flags=(), weights=None):
        """Fits to answers, texts of which "" means unlabelled."""
        flags = [f"--task={task}", *self._arguments(), *flags]
        heard = _program.say if self.verbose else None
        self.model_, self.result_, self._interrupted = _program.fit(X, self._headings(), answers, flags, weights, heard)
        for text in self.result_.get("warnings") or []:
            warnings.warn(text, _program.FitWarning, stacklevel=3)
        return self

    def _ended(self):
        """Goes on with the interrupt that ended the program, once everything that a fit leaves is there."""
        if self._interrupted:
            raise KeyboardInterrupt("the estimator has the best model so far")
        return self

    def _scored(self, X, y, sample_weight, known):
        """Rows, answers and weights of the rows with an answer, which alone can be judged."""
        if not known.any():
            raise ValueError("no row of y has a label, so that there is nothing to judge predictions by; give labelled rows")
        if known.all():
            return X, y, sample_weight
        at = np.flatnonzero(known)
        X = X.iloc[at] if hasattr(X, "iloc") else X.tocsr()[at] if hasattr(X, "tocsr") else as_array(X)[at]
        return X, y[at], None if sample_weight is None else np.asarray(sample_weight)[at]

    def _headings(self):
        """Names of the columns in the file for the program."""
        return _headings(getattr(self, "feature_names_in_", None), self.n_features_in_)

    def _outputs(self, X):
        """What the model says of rows."""
        if not hasattr(self, "model_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first.")
        self._check_names(X)
        X = _rows(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        return self.model_.outputs(X)

    def _remember(self, X, rows):
        """Keeps the number of columns, and their names where all are texts."""
        if rows.shape[0] < 2:
            raise ValueError("the rows are 1 sample (n_samples = 1); at least 2 are needed")
        self.n_features_in_ = rows.shape[1]
        names = _names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_names(self, X):
        names, own = _names(X), getattr(self, "feature_names_in_", None)
        if names is not None and own is None:
            warnings.warn(f"X has feature names, but {type(self).__name__} was fitted without feature names", stacklevel=4)
        elif names is None and own is not None:
            warnings.warn(
                f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names", stacklevel=4
            )
        elif names is not None and list(names) != list(own):
            raise ValueError(_differences(list(names), list(own)))

    def explain(self, X: Any) -> list[dict[str, Any]]:
        """Why the model answers as it does: an object for each row of X, as `mercer explain --json` prints it.

        `nearest` and `influence` have the rows learned from that are near and that carry the output, `features` the columns
        that matter (feature importance of this row). A model keeps no labels, so rows have none here.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer import MercerClassifier
        >>> X = np.arange(40.0).reshape(20, 2)
        >>> why = MercerClassifier("rls").fit(X, X[:, 0] > 20).explain(X[:1])
        >>> [column["name"] for column in why[0]["features"]["columns"]]
        ['x0', 'x1']
        """
        self._outputs(X)  # refuses what cannot be predicted
        return _program.explain(self.model_, _rows(X), self._headings())

    def _more_tags(self):
        # Words are accepted too, but a tag "string" would say that any object is.
        return {"allow_nan": True, "X_types": ["2darray", "sparse"]}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags


class MercerClassifier(ClassifierMixin, _Estimator):
    """Learns classes from labelled and unlabelled rows (semi-supervised learning); every hyper-parameter is found.

    Rows without a label are marked in y by -1, None or NaN. Where all labels are -1 and 1, both are classes; any other use
    of -1 as a class needs another mark.

    Parameters
    ----------
    method : str
        As `mercer fit --method`; `mercer methods` lists them. Default: auto, which compares methods and kernels.
    C, gamma : float, optional
        LIBSVM's parameters, for methods that have them. A search such as GridSearchCV may vary them. Default: tuned, unless
        tune is "none".
    kernel, tune, search, effort, basis, scale, threads : str or int, optional
        As the flags of `mercer fit` of the same names.
    settings : dict, optional
        Further hyper-parameters that are fixed, `--set NAME=VALUE`.
    class_weight : dict or "balanced", optional
        Factors of the loss by class.
    decide : str, optional
        Rule of decisions by probabilities: balanced, cost=CLASS=COST, rate=CLASS=SHARE.
    unlabelled : object
        The label that marks rows without one, beside None and NaN. Default: -1.
    random_state : int or RandomState, optional
        Seed of what is drawn at random.
    verbose : bool
        Prints what the program says while it learns: what it reads, what it expects to need, and how far it is. Default: False.
    flags : sequence of str
        Further flags of `mercer fit`, such as "--time-limit=10m".

    Attributes
    ----------
    classes_ : array of the classes, sorted
    n_features_in_ : number of columns
    feature_names_in_ : names of the columns, where X had any
    model_ : mercer.Model, which `model_.save(path)` writes for the program
    result_ : dict, what `mercer fit --json` prints; `result_["estimate"]` is the error to expect: on the unlabelled rows
        of the fit where it learned from them, otherwise on new rows

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import MercerClassifier
    >>> rng = np.random.default_rng(1)
    >>> kind = rng.integers(2, size=200)
    >>> X = rng.normal(size=(200, 2)) + 6 * kind[:, None]
    >>> y = np.where(np.arange(200) < 20, kind, -1)  # twenty labels
    >>> c = MercerClassifier("rls").fit(X, y)
    >>> bool((c.predict(X) == kind).mean() > 0.98)
    True
    """

    def __init__(
        self,
        method: str = "auto",
        *,
        C: float | None = None,
        gamma: float | None = None,
        kernel: str | None = None,
        settings: Mapping[str, Any] | None = None,
        tune: str | None = None,
        search: str | None = None,
        effort: str | None = None,
        basis: int | str | None = None,
        scale: str | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        decide: str | None = None,
        unlabelled: Any = -1,
        threads: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
        flags: Sequence[str] = (),
    ) -> None:
        super().__init__(method, C=C, gamma=gamma, kernel=kernel, settings=settings, tune=tune, search=search, effort=effort, basis=basis,
                         scale=scale, threads=threads, random_state=random_state, verbose=verbose, flags=flags)  # fmt: skip
        self.class_weight = class_weight
        self.decide = decide
        self.unlabelled = unlabelled

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MercerClassifier:
        """Learns from rows and their labels.

        Parameters
        ----------
        X : array, data frame or sparse matrix, n x columns
            Numbers, words, dates; NaN and None are missing cells.
        y : n labels, some of which may be absent (see the class)
        sample_weight : n numbers, optional
            Weights of the losses of rows, relative to their mean; a row of weight 0 is left out, its cells too.
        """
        rows = _rows(X)
        rows, y, weights = _weighed(rows, answers(y, rows.shape[0]), sample_weight)
        known, classes, code = labels(y, self.unlabelled)
        self._remember(X, rows)
        self.classes_ = classes
        name = texts(classes)
        said = [""] * len(y)
        for i, k in zip(np.flatnonzero(known), code):
            said[i] = name[k]
        unnamed(self.flags, classes, name)
        if self.decide and not isinstance(self.decide, str):
            raise TypeError(f"decide is {self.decide!r}; give a text, as 'balanced' or 'cost=1:5'")
        flags = [f"--decide={decision(self.decide, classes, name)}"] if self.decide else []
        if self.class_weight is not None:
            flags.append(f"--class-weight={self._weights(name)}")
        self._learn(rows, said, "classification", flags, weights)
        place = {text: k for k, text in enumerate(name)}
        self._order = np.array([place[text] for text in self.model_.classes])
        return self._ended()

    def _weights(self, name):
        if isinstance(self.class_weight, str):
            return self.class_weight
        unknown = set(self.class_weight) - set(self.classes_.tolist())
        if unknown:
            raise ValueError(f"class_weight has the class {unknown.pop()!r}, which no row has")
        return ",".join(f"{text}={self.class_weight.get(c, 1.0)}" for c, text in zip(self.classes_.tolist(), name))

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        out = self._outputs(X)
        return self.classes_[self._order[self.model_.decide(out)]]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows with a label whose class is predicted."""
        y = answers(y, X.shape[0] if hasattr(X, "shape") else len(X))
        known = answered(y)
        if not any(is_mark(c, self.unlabelled) for c in self.classes_.tolist()):
            known &= unmarked(y, self.unlabelled)
        X, y, sample_weight = self._scored(X, y, sample_weight, known)
        words = isinstance(self.classes_[0], str)
        for v in y.tolist():
            if isinstance(v, str) != words:
                kinds = ("texts", "numbers") if words else ("numbers", "texts")
                raise ValueError(f"y has the label {v!r}, where the classes are {kinds[0]}, no {kinds[1]}; give both alike")
        return float(np.average([a == b for a, b in zip(self.predict(X).tolist(), y.tolist())], weights=sample_weight))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, n x len(classes_); for models tuned by a score of left-out rows."""
        out = self._outputs(X)
        return self._sorted(self.model_.probabilities(out))

    def decision_function(self, X: Any) -> np.ndarray:
        """What the decision is by: of two classes one number, positive for the second, else one a class (n x len(classes_)).
        Of models for pairs of classes it is their votes, of those that decide by probabilities their logarithms."""
        out = self._outputs(X)
        ranks = self.model_.deciding(out)
        if ranks.shape[1] > 1:
            return self._sorted(ranks)
        return ranks[:, 0] if self._order[0] == 0 else -ranks[:, 0]

    def _sorted(self, of):
        """Columns in the order of classes_."""
        out = np.empty_like(of)
        out[:, self._order] = of
        return out


class MercerRegressor(RegressorMixin, _Estimator):
    """Predicts numbers, from rows with and without an answer.

    Rows without an answer are marked in y by None or NaN.

    Parameters
    ----------
    method : str
        As `mercer fit --method`; `mercer methods` lists them. Default: auto, which compares methods and kernels.
    C, gamma : float, optional
        LIBSVM's parameters, for methods that have them. A search such as GridSearchCV may vary them. Default: tuned, unless
        tune is "none".
    kernel, tune, search, effort, basis, scale, threads : str or int, optional
        As the flags of `mercer fit` of the same names.
    settings : dict, optional
        Further hyper-parameters that are fixed, `--set NAME=VALUE`.
    random_state : int or RandomState, optional
        Seed of what is drawn at random.
    verbose : bool
        Prints what the program says while it learns: what it reads, what it expects to need, and how far it is. Default: False.
    flags : sequence of str
        Further flags of `mercer fit`, such as "--time-limit=10m".

    Attributes
    ----------
    n_features_in_ : number of columns
    feature_names_in_ : names of the columns, where X had any
    model_ : mercer.Model, which `model_.save(path)` writes for the program
    result_ : dict, what `mercer fit --json` prints; `result_["estimate"]` is the error to expect: on the unlabelled rows
        of the fit where it learned from them, otherwise on new rows

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import MercerRegressor
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> r = MercerRegressor("rls").fit(X, np.sin(X[:, 0]))
    >>> lower, upper = r.predict_interval(X, 0.9)
    >>> bool((lower < upper).all())
    True
    """

    def __init__(
        self,
        method: str = "auto",
        *,
        C: float | None = None,
        gamma: float | None = None,
        kernel: str | None = None,
        settings: Mapping[str, Any] | None = None,
        tune: str | None = None,
        search: str | None = None,
        effort: str | None = None,
        basis: int | str | None = None,
        scale: str | None = None,
        threads: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
        flags: Sequence[str] = (),
    ) -> None:
        super().__init__(method, C=C, gamma=gamma, kernel=kernel, settings=settings, tune=tune, search=search, effort=effort, basis=basis,
                         scale=scale, threads=threads, random_state=random_state, verbose=verbose, flags=flags)  # fmt: skip

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MercerRegressor:
        """Learns from rows and their numbers.

        Parameters
        ----------
        X : array, data frame or sparse matrix, n x columns
            Numbers, words, dates; NaN and None are missing cells.
        y : n numbers; None and NaN are rows without an answer
        sample_weight : n numbers, optional
            Weights of the losses of rows, relative to their mean; a row of weight 0 is left out, its cells too.
        """
        rows = _rows(X)
        rows, y, weights = _weighed(rows, answers(y, rows.shape[0]), sample_weight)
        try:
            y = y.astype(float)
        except (TypeError, ValueError) as fault:
            raise ValueError(f"y must be numbers, None or NaN: {fault}") from None
        if np.isinf(y).any():
            raise ValueError(f"Input y contains infinity, in row {np.isinf(y).argmax()}")
        if np.isnan(y).all():
            raise ValueError("Input y contains NaN in every row, so that there is no answer to learn from")
        self._remember(X, rows)
        self._learn(rows, ["" if v != v else repr(v) for v in y.tolist()], "regression", weights=weights)
        return self._ended()

    def predict(self, X: Any) -> np.ndarray:
        """The number of each row."""
        return self._outputs(X)[:, 0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R^2 on the rows that have an answer."""
        y = np.array([np.nan if v is None else v for v in listed(y).tolist()], dtype=float)
        return super().score(*self._scored(X, y, sample_weight, ~np.isnan(y)))

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper), between which answers lie with probability level."""
        out = self.predict(X)
        lower, upper = self.model_.bounds(level)
        return out + lower, out + upper


# Rows and answers


def _names(X):
    """The names of a data frame's columns if all are texts, else None."""
    if not hasattr(X, "columns"):
        return None
    names = list(X.columns)
    kinds = sum(isinstance(c, str) for c in names)
    if kinds == 0:
        return None
    if kinds < len(names):
        raise TypeError("Feature names are only supported if all input features have string names")
    return np.array(names, dtype=object)


def _headings(names, count):
    """Names of so many columns in the file for the program: their own if they have some that differ, and none is one of its own."""
    names = [composed(name) for name in names] if names is not None else []
    if len(set(names) - {"", *_program.OWN}) < count:
        return [f"x{j}" for j in range(count)]
    return names


def _differences(names, own):
    said = "The feature names should match those that were passed during fit.\n"
    new, lacking = sorted(set(names) - set(own)), sorted(set(own) - set(names))
    for heading, list_ in (("Feature names unseen at fit time", new), ("Feature names seen at fit time, yet now missing", lacking)):
        if list_:
            said += f"{heading}:\n" + "".join(f"- {name}\n" for name in list_[:5]) + ("- ...\n" if len(list_) > 5 else "")
    if not new and not lacking:
        said += "Feature names must be in the same order as they were in fit.\n"
    return said


def _rows(X):
    """X as an array of floats or, where some cell is no number, of objects; sparse rows as doubles."""
    if hasattr(X, "tocsr"):
        if X.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        X = canonical(X)
        if not np.isfinite(X.data).all():
            raise ValueError("Input X contains NaN, infinity or a value too large; cells of sparse rows must be finite")
    else:
        X = _dense(X)
    for size, what in zip(X.shape, ("sample", "feature")):
        if size == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required.")
    return X


def _dense(X):
    array = as_array(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data using array.reshape(-1, 1) if it has a "
                         "single feature or array.reshape(1, -1) if it contains a single sample.")  # fmt: skip
    if array.dtype.kind in "fiub":
        array = array.astype(float, copy=False)
    else:
        cells = [[cell(v, i, j) for j, v in enumerate(row)] for i, row in enumerate(array.tolist())]
        numbers = all(v is None or isinstance(v, (float, int)) for row in cells for v in row)
        array = np.array(cells, dtype=float if numbers else object).reshape(array.shape)
    infinite = (array == np.inf) | (array == -np.inf)
    if infinite.any():
        i, j = np.argwhere(infinite)[0]
        raise ValueError(f"Input X contains infinity, in row {i}, column {j}; leave the cell empty (NaN) or correct it")
    return array


def _weighed(rows, y, given):
    """Rows, answers and weights without the rows of weight 0; no weights where all are equal."""
    if given is None:
        return rows, y, None
    w = np.asarray(given, dtype=float)
    if w.ndim == 0:
        w = np.full(len(y), w)
    if w.shape != y.shape:
        raise ValueError(f"sample_weight is of the shape {w.shape}, where {y.shape} is due: a number for each row")
    bad = ~np.isfinite(w) | (w < 0)
    if bad.any():
        raise ValueError(f"sample_weight is {w[bad.argmax()]:g} in row {bad.argmax()}; weights are 0 or positive")
    kept = w > 0
    if not kept.any():
        raise ValueError("sample_weight is 0 in every row, so that there is nothing to learn from")
    if not kept.all():
        rows, y, w = rows[kept], y[kept], w[kept]
    if (w == w[0]).all():
        return rows, y, None
    if hasattr(rows, "tocsr"):
        raise ValueError("sample_weight of sparse rows, whose format has no place for it; give an array, as X.toarray()")
    return rows, y, w
