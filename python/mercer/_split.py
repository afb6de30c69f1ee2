"""LabelledKFold: folds for cross-validation with rows that have no label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._answers import answered, fractions, labelled, listed


class LabelledKFold:
    """Folds of the labelled rows. Rows without a label are always in training, and never in a test fold.

    Classes are shared out evenly among the folds; numbers that are not whole are shared out at random. Give it as `cv` to
    GridSearchCV or cross_val_score. For whole numbers to predict give unlabelled=None.

    Parameters
    ----------
    n_splits : int
        Number of folds, at least 2. Default: 5.
    unlabelled : object
        The label that marks rows without one, beside None and NaN, as of MercerClassifier. Default: -1.
    random_state : int, optional
        Seed of the folds. Default: 1.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import LabelledKFold
    >>> y = np.array([0, 1, -1, -1, 0, 1])
    >>> [sorted(test.tolist()) for _, test in LabelledKFold(2).split(y, y)]
    [[0, 1], [4, 5]]
    """

    def __init__(self, n_splits: int = 5, *, unlabelled: Any = -1, random_state: int = 1) -> None:
        self.n_splits = n_splits
        self.unlabelled = unlabelled
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The numbers of the rows to learn from and of those to test on, for each fold. groups are refused."""
        if groups is not None:
            raise ValueError("LabelledKFold has no groups; give GroupKFold the labelled rows")
        y = listed(y)
        numbers = fractions(y[answered(y)])
        known = np.flatnonzero(answered(y) if numbers else labelled(y, self.unlabelled))
        if not 2 <= self.n_splits <= len(known):
            raise ValueError(
                f"{self.n_splits} folds of {len(known)} labelled rows; give 2 folds at least, and no more than there are labels"
            )
        order = np.random.default_rng(self.random_state).permutation(known)
        if not numbers:  # rows of one class stand together, and the folds take them in turn
            order = np.array(sorted(order.tolist(), key=lambda i: str(y[i])))
        for k in range(self.n_splits):
            test = np.sort(order[k :: self.n_splits])
            yield np.setdiff1d(np.arange(len(y)), test), test
