"""Mercer in Python: estimators with scikit-learn's conventions, and a reader of model files."""

from ._estimators import MercerClassifier, MercerRegressor
from ._model import Model, ModelError, load
from ._program import FitError

__all__ = ["FitError", "MercerClassifier", "MercerRegressor", "Model", "ModelError", "load"]
