"""Learn from documents in a CSV with columns body and label by TF-IDF and a linear machine, and judge it.

python3 text.py TRAIN TEST MODEL prints the error on the test documents.
"""

import csv
import pickle
import sys

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC


def read(path):
    with open(path, newline="") as text:
        rows = list(csv.DictReader(text))
    return [row["body"] for row in rows], [row["label"] for row in rows]


def main():
    train, test, out = sys.argv[1:4]
    documents, labels = read(train)
    words = TfidfVectorizer()
    machine = LinearSVC(C=1).fit(words.fit_transform(documents), labels)
    with open(out, "wb") as model:
        pickle.dump((words, machine), model)
    documents, labels = read(test)
    print(1 - machine.score(words.transform(documents), labels))


main()
