# Errors of scikit-learn on the hidden rows of a table that tools/lab/tables has read for it: the commonest class or the mean,
# a pipeline of imputer, one-hot coding, scaler and a grid of SVC or SVR, and histogram boosting.
import json
import os
import sys

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # small tables gain nothing by threads that wait

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, SVR

t = json.load(open(sys.argv[1]))
hidden = np.array(t["hidden"])
n = len(hidden)
numbers = np.array([[np.nan if v is None else v for v in c] for c in t["numbers"]], float).reshape(-1, n).T
words = np.array(t["words"], object).reshape(-1, n).T
y = np.array(t["answers"], object if t["classes"] else float)
a, b = numbers.shape[1], words.shape[1]
x = np.hstack([numbers.astype(object), words])


def error(model):
    model.fit(x[~hidden], y[~hidden])
    out = model.predict(x[hidden])
    if t["classes"]:
        return float(np.mean(out != y[hidden]))
    return float(np.sqrt(np.mean((out - y[hidden]) ** 2)))


number = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
coded = ColumnTransformer([
    ("numbers", number, list(range(a))),
    ("words", OneHotEncoder(handle_unknown="ignore"), list(range(a, a + b))),
], sparse_threshold=0)
ordinal = ColumnTransformer([
    ("numbers", "passthrough", list(range(a))),
    ("words", OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), list(range(a, a + b))),
])
if t["classes"]:
    names, count = np.unique(y[~hidden], return_counts=True)
    trivial = float(np.mean(y[hidden] != names[np.argmax(count)]))
    machine, boosted = SVC(), HistGradientBoostingClassifier(random_state=1)
    grid = {"svc__C": [0.1, 1, 10, 100, 1000], "svc__gamma": ["scale", 0.001, 0.01, 0.1, 1]}
else:
    trivial = float(np.sqrt(np.mean((y[hidden] - y[~hidden].mean()) ** 2)))
    spread = y[~hidden].std()
    machine, boosted = SVR(), HistGradientBoostingRegressor(random_state=1)
    grid = {"svr__C": list(spread * np.array([0.1, 1, 10, 100])), "svr__gamma": ["scale", 0.001, 0.01, 0.1, 1],
            "svr__epsilon": [0.1 * spread]}


class ToFloat:
    def fit(self, x, y=None):
        return self

    def transform(self, x):
        return np.asarray(x, float)

    def get_params(self, deep=False):
        return {}

    def set_params(self):
        return self


pipeline = GridSearchCV(make_pipeline(coded, machine), grid, cv=5, n_jobs=1)
print(json.dumps({
    "trivial": trivial,
    "pipeline": error(pipeline),
    "boosting": error(make_pipeline(ordinal, ToFloat(), boosted)),
}))
