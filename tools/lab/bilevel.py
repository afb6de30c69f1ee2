"""The usual practice: scikit-learn's GridSearchCV of an SVC, 25 points of C and gamma, 5 folds, on two jobs.

    bilevel.py DATA OUT SEEDS

draws, for each seed, 70 % of the rows of DATA for training, at most 1000, class by class (CSV, the column `label` or
else the last the class), standardises by them, and writes OUT.SEED.train.csv and OUT.SEED.test.csv. For each it prints
the seconds of the search with its refit, and the test error in per cent. The two workers begin with a search that is
not timed: who tunes often does not start them anew.
"""
import sys
import time

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

GRID = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-4, 0, 5)}


def search(x, y):
    return GridSearchCV(SVC(), GRID, cv=5, n_jobs=2).fit(x, y)


path, out, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3])
table = pd.read_csv(path)
y = table.pop("label" if "label" in table else table.columns[-1]).astype(str)
rng = np.random.default_rng(0)
search(rng.normal(size=(40, 2)), np.arange(40) % 2)
for seed in range(seeds):
    size = min(1000, int(0.7 * len(y)))
    xa, xb, ya, yb = train_test_split(table, y, train_size=size, stratify=y, random_state=seed)
    scaler = StandardScaler().fit(xa)
    xa, xb = scaler.transform(xa), scaler.transform(xb)
    for part, x, labels in (("train", xa, ya), ("test", xb, yb)):
        columns = [f"x{i}" for i in range(x.shape[1])]
        pd.DataFrame(x, columns=columns).assign(label=labels.to_numpy()).to_csv(f"{out}.{seed}.{part}.csv", index=False)
    begin = time.perf_counter()
    best = search(xa, ya)
    print(time.perf_counter() - begin, 100 * (1 - best.score(xb, yb)), flush=True)
