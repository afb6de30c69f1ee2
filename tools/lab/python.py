"""Times predictions of the Python package and of scikit-learn's SVC with the same Gaussian support vector machine.

python3 python.py PACKAGE RUNS NAME LEARN PREDICT COLUMNS CLASSES C prints lines of a table; MERCER names the program.
"""

import sys
import time

import numpy as np
from sklearn.svm import SVC

package, runs, name, learn, predict, columns, classes, c = sys.argv[1:9]
sys.path.insert(0, package)
import mercer  # noqa: E402

runs, learn, predict, columns, classes = int(runs), int(learn), int(predict), int(columns), int(classes)
rng = np.random.default_rng(1)
middles = rng.normal(size=(classes, columns))


def made(n):
    kind = rng.integers(classes, size=n)
    return middles[kind] + 1.5 * rng.normal(size=(n, columns)), kind


X, y = made(learn)
rows, _ = made(predict)
gamma = 1 / (2 * 1.5**2 * columns)
ours = mercer.MercerClassifier("svm", settings={"C": c, "gamma": gamma}, tune="none", scale="none").fit(X, y)
theirs = SVC(C=float(c), gamma=gamma).fit(X, y)


def centres(model):
    return sum(f.centres.n for part in model._parts for f in part[1])


table = []
for _ in range(runs):
    answers = []
    for machine in (theirs, ours):
        wall, work = time.perf_counter(), time.process_time()
        answers.append(machine.predict(rows))
        table.append((machine is ours, time.perf_counter() - wall, time.process_time() - work))
otherwise = int((answers[0] != answers[1]).sum())
first = None
for own, label, vectors in ((False, "SVC.predict", len(theirs.support_)), (True, "MercerClassifier.predict", centres(ours.model_))):
    wall, work = np.median([t[1:] for t in table if t[0] == own], axis=0)
    first = first or predict / work
    print(f"| {name} | {label} | {vectors} | {wall:.2f} | {work:.2f} | {predict / wall:.0f} | {predict / work:.0f} | "
          f"{predict / work / first:.1f} | {otherwise if own else '-'} |")
