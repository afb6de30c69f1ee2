"""Peers of scikit-learn on the training and test rows of one set.

    python3 sizes.py DATA TEST OUT LIMIT PEER...

DATA is CSV (the column `label`, or the last, is the class) or LIBSVM text; TEST is a file of the same
kind, or `-` for a quarter of DATA drawn by classes with seed 1. Writes OUT.train.csv and OUT.test.csv
(OUT.train.svm of LIBSVM text), then prints for each PEER a line of its name, the seconds of its search
with the last fit, and the test error in per cent, or `nan` where it took more than LIMIT seconds:

    grid      GridSearchCV of an SVC, 25 points x 5 folds, 2 jobs, standardised
    forest    RandomForestClassifier of 200 trees, 2 jobs
    boosting  HistGradientBoostingClassifier
"""
import gzip
import signal
import sys
import time

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

GRID = {"svc__C": np.logspace(-1, 3, 5), "svc__gamma": np.logspace(-4, 0, 5)}


def peer(name, sparse):
    if name == "forest":
        return RandomForestClassifier(200, n_jobs=2, random_state=1)
    if name == "boosting":
        return HistGradientBoostingClassifier(random_state=1)
    svc = make_pipeline(StandardScaler(with_mean=not sparse), SVC())
    return GridSearchCV(svc, GRID, cv=5, n_jobs=2)


def table(path):
    with (gzip.open if path.endswith("gz") else open)(path, "rt") as f:
        names = f.readline().strip().split(",")
        rows = np.array([line.strip().split(",") for line in f if line.strip()])
    at = names.index("label") if "label" in names else len(names) - 1
    return np.delete(rows, at, 1).astype(float), rows[:, at]


def write(path, x, y):
    if issparse(x):
        dump_svmlight_file(x, y, path, zero_based=False)
        return
    with open(path, "w") as f:
        f.write(",".join(f"x{i}" for i in range(x.shape[1])) + ",label\n")
        for row, label in zip(x, y):
            f.write(",".join(repr(float(v)) for v in row) + f",{label}\n")


class TooLong(Exception):
    pass


def stop(*_):
    raise TooLong


def measure(name, machine, a, ya, b, yb, limit):
    begin = time.perf_counter()
    signal.alarm(limit)
    try:
        error = 100 * (1 - machine.fit(a, ya).score(b, yb))
    except TooLong:
        error = float("nan")
    finally:
        signal.alarm(0)
    print(name, time.perf_counter() - begin, error, flush=True)


data, test, out, limit, *peers = sys.argv[1:]
signal.signal(signal.SIGALRM, stop)
sparse = ".svm" in data
if sparse:
    xa, ya = load_svmlight_file(data)
    xb, yb = load_svmlight_file(test, n_features=xa.shape[1])
else:
    xa, ya = table(data)
    if test == "-":
        xa, xb, ya, yb = train_test_split(xa, ya, test_size=0.25, stratify=ya, random_state=1)
    else:
        xb, yb = table(test)
kind = "svm" if sparse else "csv"
write(f"{out}.train.{kind}", xa, ya)
write(f"{out}.test.{kind}", xb, yb)
for name in peers:
    a, b = xa, xb
    if sparse and name == "boosting":
        a, b = xa.toarray(), xb.toarray()
    measure(name, peer(name, sparse), a, ya, b, yb, int(limit))
