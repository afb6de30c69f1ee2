"""The usual practice: scikit-learn's GridSearchCV of an SVC, 25 points x 5 folds, 2 jobs.

Reads requests from standard input, a line each of DATA, OUT and SEED with tabs between, until it
ends. For each it draws at most 1000 training rows of DATA (CSV, last column or `label` the class),
stratified, standardises by them, writes OUT.train.csv and OUT.test.csv, and prints the seconds of
the search with its refit and the test error in per cent. The workers are started by a search that is
not timed; then it prints `ready`.
"""
import gzip
import sys
import time

import numpy as np
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.svm import SVC

GRID = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-4, 0, 5)}


def search(x, y):
    return GridSearchCV(SVC(), GRID, cv=5, n_jobs=2).fit(x, y)


def split(path, out, seed):
    with (gzip.open if path.endswith("gz") else open)(path, "rt") as f:
        names = f.readline().strip().split(",")
        table = np.array([line.strip().split(",") for line in f if line.strip()])
    at = names.index("label") if "label" in names else len(names) - 1
    y = table[:, at]
    x = np.delete(table, at, 1).astype(float)
    size = min(1000, int(0.7 * len(y)))
    xa, xb, ya, yb = train_test_split(x, y, train_size=size, stratify=y, random_state=seed)
    mean, sd = xa.mean(0), xa.std(0)
    sd[sd == 0] = 1
    xa, xb = (xa - mean) / sd, (xb - mean) / sd
    for name, a, b in (("train", xa, ya), ("test", xb, yb)):
        with open(f"{out}.{name}.csv", "w") as f:
            f.write(",".join(f"x{i}" for i in range(a.shape[1])) + ",label\n")
            for row, label in zip(a, b):
                f.write(",".join(repr(float(v)) for v in row) + f",{label}\n")
    return xa, xb, ya, yb


rng = np.random.default_rng(0)
search(rng.normal(size=(40, 2)), np.arange(40) % 2)
print("ready", flush=True)
for line in sys.stdin:
    path, out, seed = line.rstrip("\n").split("\t")
    xa, xb, ya, yb = split(path, out, int(seed))
    begin = time.perf_counter()
    best = search(xa, ya)
    print(time.perf_counter() - begin, 100 * (1 - best.score(xb, yb)), flush=True)
