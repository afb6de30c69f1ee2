"""Mercer in Python: estimators with scikit-learn's conventions, and a reader of model files."""

from ._estimators import MercerClassifier, MercerRegressor
from ._model import Model, ModelError, load
from ._program import FitError, FitWarning

__all__ = ["FitError", "FitWarning", "MercerClassifier", "MercerRegressor", "Model", "ModelError", "load"]
