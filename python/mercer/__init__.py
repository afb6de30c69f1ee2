"""Mercer in Python: semi-supervised estimators with scikit-learn's conventions, and a reader of model files.

    from mercer import MercerClassifier
    MercerClassifier().fit(X, y)    # y is -1 where there is no label

fit calls the program mercer; predictions need numpy alone.
"""

from ._estimators import MercerClassifier, MercerRegressor
from ._model import Model, ModelError, load
from ._program import FitError, FitWarning
from ._split import LabelledKFold
from ._tasks import cluster, label

__version__ = "0.1.0"

__all__ = ["FitError", "FitWarning", "LabelledKFold", "MercerClassifier", "MercerRegressor", "Model", "ModelError", "cluster", "label",
           "load"]  # fmt: skip
