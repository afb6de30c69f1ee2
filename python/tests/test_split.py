"""Folds of rows with and without labels, parameters that a search varies, and explanations."""

import unittest
import warnings

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer import LabelledKFold, MercerClassifier, MercerRegressor
from tests.common import made


class Folds(unittest.TestCase):
    def test_every_label_is_tested_once_and_no_other_row(self):
        X, y = made(97, 3, 3)
        for mark, cv in ((None, LabelledKFold(4)), ("-", LabelledKFold(4, unlabelled="-")), (np.nan, LabelledKFold(4, random_state=7))):
            some = [v if i % 3 else mark for i, v in enumerate(y.tolist())]
            known = np.flatnonzero(np.arange(97) % 3)
            tests = []
            for train, test in cv.split(X, some):
                self.assertEqual(sorted([*train, *test]), list(range(97)))
                tests.append(test)
                for c in "abc":  # a fold has its share of each class, but for one row
                    share = (y[known] == c).sum() / 4
                    self.assertLessEqual(abs((y[test] == c).sum() - share), 1)
            self.assertEqual(sorted(np.concatenate(tests)), list(known))
            self.assertEqual(cv.get_n_splits(), 4)

    def test_numbers(self):
        y = np.where(np.arange(40) % 2, np.nan, np.arange(40) + 0.5)
        tests = np.concatenate([test for _, test in LabelledKFold(5).split(y, y)])
        self.assertEqual(sorted(tests), list(range(0, 40, 2)))

    def test_minus_one_as_a_class(self):
        y = np.where(np.arange(20) % 2, -1, 1)
        self.assertEqual(len(np.concatenate([test for _, test in LabelledKFold(2).split(y, y)])), 20)

    def test_refused(self):
        y = np.array([0, 1, -1, -1, 0])
        for cv in (LabelledKFold(1), LabelledKFold(4)):
            with self.assertRaisesRegex(ValueError, "folds of 3 labelled rows"):
                list(cv.split(y, y))
        with self.assertRaisesRegex(ValueError, "no groups"):
            list(LabelledKFold(2).split(y, y, groups=y))

    def test_scores(self):
        X, y = made(90, 4, 2)
        some = np.where(np.arange(90) % 3, y, None)
        got = cross_val_score(MercerClassifier("rls"), X, some, cv=LabelledKFold(3), error_score="raise")
        self.assertGreater(got.min(), 0.5)


class Parameters(unittest.TestCase):
    def test_search(self):
        X, y = made(60, 4, 2)
        some = np.where(np.arange(60) % 3, (y == "b").astype(int), -1)
        search = GridSearchCV(MercerClassifier("svm", tune="none"), {"C": [1e-6, 10], "gamma": [0.1]}, cv=LabelledKFold(3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a tiny C decides for one class, of which the program warns
            search.fit(X, some)
        self.assertEqual(search.best_params_, {"C": 10, "gamma": 0.1})
        one = MercerClassifier("svm", tune="none", C=10, gamma=0.1).fit(X, some)
        two = MercerClassifier("svm", tune="none", settings={"C": 10, "gamma": 0.1}).fit(X, some)
        np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))

    def test_given_twice(self):
        X, y = made(60, 4, 2)
        with self.assertRaisesRegex(ValueError, "C is given twice"):
            MercerClassifier("svm", C=1, settings={"C": 2}).fit(X, y)


class Explained(unittest.TestCase):
    def test_rows(self):
        X, y = made(60, 4, 2)
        for rows in (X, csr_matrix(X)):
            e = MercerClassifier("rls").fit(rows, y)
            why = e.explain(rows[:3])
            self.assertEqual([row["prediction"] for row in why], e.predict(rows[:3]).tolist())
            self.assertTrue(why[0]["features"]["columns"])
        r = MercerRegressor("rls").fit(X, X[:, 0])
        self.assertAlmostEqual(r.explain(X[:1])[0]["output"]["value"], r.predict(X[:1])[0], places=9)

    def test_refused(self):
        X, y = made(60, 4, 2)
        with self.assertRaisesRegex(ValueError, "expecting 4 features"):
            MercerClassifier("rls").fit(X, y).explain(X[:1, :2])


if __name__ == "__main__":
    unittest.main()
