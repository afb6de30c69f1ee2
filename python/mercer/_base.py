"""What estimators are made of: scikit-learn's classes where it is installed, else the few of their methods that are needed."""

import inspect

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import DataConversionWarning, NotFittedError
except ImportError:

    class NotFittedError(ValueError, AttributeError):
        """An estimator is asked for predictions before its fit."""

    class DataConversionWarning(UserWarning):
        """Answers had another shape than they should."""

    class BaseEstimator:
        """Parameters by their names, as scikit-learn has them."""

        def get_params(self, deep=True):
            """The parameters of the constructor."""
            return {name: getattr(self, name) for name in inspect.signature(type(self).__init__).parameters if name != "self"}

        def set_params(self, **params):
            """Changes parameters of the constructor."""
            known = self.get_params()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(f"Invalid parameter {name!r} for estimator {type(self).__name__}; it has {', '.join(known)}")
                setattr(self, name, value)
            return self

        def __repr__(self):
            usual = {name: p.default for name, p in inspect.signature(type(self).__init__).parameters.items()}
            return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.get_params().items() if v is not usual[k])})"

    class ClassifierMixin:
        """That an estimator is a classifier."""

        _estimator_type = "classifier"

    class RegressorMixin:
        """The score of a regression."""

        _estimator_type = "regressor"

        def score(self, X, y, sample_weight=None):
            """1 less the mean squared error over the variance of the answers."""
            y = np.asarray(y, dtype=float)
            variance = np.average((y - np.average(y, weights=sample_weight)) ** 2, weights=sample_weight)
            return float(1 - np.average((y - self.predict(X)) ** 2, weights=sample_weight) / variance)


__all__ = ["BaseEstimator", "ClassifierMixin", "DataConversionWarning", "NotFittedError", "RegressorMixin"]
