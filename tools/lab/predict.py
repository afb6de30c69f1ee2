"""Predict LIBSVM text with scikit-learn's SVC that has the parameters of a LIBSVM model.

python3 predict.py MODEL TEST OUT dense|sparse COLUMNS prints the seconds of SVC.predict, and those of the processor.
"""

import sys
import time

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC


def read_model(path, columns):
    head = {}
    with open(path) as text:
        for line in text:
            if line.strip() == "SV":
                break
            name, *values = line.split()
            head[name] = values
        coef, rows = [], []
        count = len(head["label"])
        for line in text:
            words = line.split()
            coef.append([float(v) for v in words[: count - 1]])
            row = np.zeros(columns)
            for pair in words[count - 1 :]:
                index, value = pair.split(":")
                row[int(index) - 1] = float(value)
            rows.append(row)
    return head, np.array(coef).T.copy(), np.array(rows)


def svc(path, columns, sparse):
    head, coef, rows = read_model(path, columns)
    machine = SVC(kernel="rbf", gamma=float(head["gamma"][0]))
    if sparse:
        rows = csr_matrix(rows)
    machine.support_ = np.arange(rows.shape[0], dtype=np.int32)
    machine.support_vectors_ = rows
    machine._n_support = np.array(head["nr_sv"], dtype=np.int32)
    machine._dual_coef_ = machine.dual_coef_ = coef if not sparse else packed(coef)
    machine._intercept_ = machine.intercept_ = -np.array(head["rho"], dtype=float)
    machine._probA = machine._probB = np.array([])
    machine._gamma = float(head["gamma"][0])
    machine._sparse = sparse
    machine.classes_ = np.array(head["label"], dtype=float)
    machine.class_weight_ = np.ones(len(machine.classes_))
    machine.fit_status_ = 0
    machine.shape_fit_ = rows.shape
    machine.n_features_in_ = columns
    return machine


def packed(coef):
    """The coefficients as SVC keeps them beside sparse rows: all of them stored, row after row."""
    rows, columns = coef.shape
    return csr_matrix((coef.ravel(), np.tile(np.arange(columns), rows), np.arange(rows + 1) * columns), shape=coef.shape)


def main():
    model, test, out, form, columns = sys.argv[1:6]
    sparse = form == "sparse"
    rows, _ = load_svmlight_file(test, n_features=int(columns))
    machine = svc(model, int(columns), sparse)
    if not sparse:
        rows = rows.toarray()
    start, work = time.time(), time.process_time()
    labels = machine.predict(rows)
    print(time.time() - start, time.process_time() - work)
    np.savetxt(out, labels, fmt="%g")


main()
