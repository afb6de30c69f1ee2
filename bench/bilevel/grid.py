"""The usual practice: scikit-learn's GridSearchCV of an SVC, 25 points x 5 folds, 2 jobs.

usage: grid.py DATA OUT SEED [--peer]

Draws at most 1000 training rows of DATA (CSV, last column or `label` the class), stratified,
standardises by them, writes OUT.train.csv and OUT.test.csv and, with --peer, prints the
seconds of the search with its refit and the test error in per cent.
"""
import gzip
import sys
import time

import numpy as np
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.svm import SVC

path, out, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
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
if "--peer" in sys.argv:
    grid = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-4, 0, 5)}
    begin = time.perf_counter()
    best = GridSearchCV(SVC(), grid, cv=5, n_jobs=2).fit(xa, ya)
    print(time.perf_counter() - begin, 100 * (1 - best.score(xb, yb)))
