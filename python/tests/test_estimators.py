"""The estimators: scikit-learn's conventions, unlabelled rows, and faults."""

import os
import pickle
import subprocess
import sys
import tempfile
import unicodedata
import unittest
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, check_estimator

import mercer
from mercer import MercerClassifier, MercerRegressor
from tests.common import made, program

try:
    import pandas
except ImportError:
    pandas = None


@unittest.skipUnless(os.environ.get("MERCER_TESTS") == "all", "they take half a minute; MERCER_TESTS=all makes them")
class Conventions(unittest.TestCase):
    """check_estimator of least squares, the quickest machine."""

    def checked(self, estimator):
        count = 0
        for one, check in check_estimator(estimator, generate_only=True):
            count += 1
            with self.subTest(check=check.func.__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # some checks provoke warnings
                try:
                    check(one)
                except unittest.SkipTest as reason:
                    self.assertIn("pandas is not installed", str(reason))
        return count

    def test_classifier(self):
        self.assertGreater(self.checked(MercerClassifier("rls")), 36)

    def test_regressor(self):
        self.assertGreater(self.checked(MercerRegressor("rls")), 35)


class Estimators(unittest.TestCase):
    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_names_of_columns(self):
        for estimator in (MercerClassifier("rls"), MercerRegressor("rls")):
            check_dataframe_column_names_consistency(type(estimator).__name__, estimator)

    def test_pipelines(self):
        X, y = made(60, 4, 3)
        search = GridSearchCV(make_pipeline(StandardScaler(), MercerClassifier("rls", tune="none")),
                              {"mercerclassifier__settings": [{"lambda": 0.1}, {"lambda": 1e-4}]}, cv=3)  # fmt: skip
        self.assertGreater(search.fit(X, y).score(X, y), 0.8)

    def test_clone(self):
        e = MercerClassifier("svm", settings={"C": 3}, flags=["--tol=1e-4"])
        self.assertEqual(clone(e).get_params(), e.get_params())

    def test_without_scikit_learn(self):
        script = ("import sys; sys.modules['sklearn'] = None\n"
                  "import numpy as np, mercer\n"
                  "X = np.random.default_rng(1).normal(size=(40, 3)); y = X[:, 0] > 0\n"
                  "c = mercer.MercerClassifier('rls').set_params(tune='none').fit(X, y)\n"
                  "assert c.score(X, y) > 0.9 and repr(c) == \"MercerClassifier(method='rls', tune='none')\", c\n"
                  "assert mercer.MercerRegressor('rls').fit(X, X[:, 0]).score(X, X[:, 0]) > 0.9\n")  # fmt: skip
        subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[1])


class Unlabelled(unittest.TestCase):
    def test_rows_without_labels_count(self):
        with tempfile.TemporaryDirectory() as folder:
            program("convert", "two-moons", "-o", f"{folder}/moons.csv", "--quiet")
            rows = np.genfromtxt(f"{folder}/moons.csv", delimiter=",", skip_header=1)
        X, y = rows[:, :2], rows[:, 2].astype(int)
        some = np.full(len(y), 7)
        for c in np.unique(y):
            kept = np.flatnonzero(y == c)[::40]
            some[kept] = y[kept]
        settings = {"sigma": 0.3, "gamma_a": 1e-4, "gamma_i": 1, "neighbours": 6}
        both = MercerClassifier("lap-rls", tune="none", settings=settings, unlabelled=7).fit(X, some).score(X, y)
        alone = MercerClassifier("rls").fit(X[some != 7], some[some != 7]).score(X, y)
        self.assertGreater(both, 0.95)
        self.assertLess(alone, 0.9)

    def test_marks(self):
        X, y = made(60, 4, 2)
        labels = (y == "b").astype(int)
        scores = []
        for marked in (
            np.where(np.arange(60) % 2, -1, labels),
            np.where(np.arange(60) % 2, np.nan, labels),
            np.where(np.arange(60) % 2, None, labels),
        ):
            e = MercerClassifier("rls").fit(X, marked)
            self.assertEqual(e.result_["rows"]["unlabelled"], 30)
            scores.append(e.decision_function(X))
        np.testing.assert_array_equal(scores[1:], [scores[0]] * 2)
        words = np.where(np.arange(60) % 2, None, y)
        self.assertEqual(list(MercerClassifier("rls").fit(X, words).classes_), ["a", "b"])

    def test_decisions(self):
        """The sign of decision_function, or its largest number, is the decision, whatever decides."""
        rng = np.random.default_rng(4)
        X = rng.normal(size=(260, 4))
        f = X @ [1, 0.5, 0, 0] + 0.8 * rng.normal(size=260)
        decided = set()
        for e in MercerClassifier(), MercerClassifier("rls"), MercerClassifier("rls", decide="balanced"):
            e.fit(X, np.where(f > 0.3, "b", "a"))
            np.testing.assert_array_equal(e.predict(X) == "b", e.decision_function(X) >= 0)
            decided.update(e.model_._head["calibration"], ["decision"] if e.model_._head.get("decision") else [])
        self.assertLessEqual({"shares", "decision"}, decided)
        e = MercerClassifier().fit(X, np.array(list("abc"))[np.digitize(f, [-0.5, 0.6])])
        np.testing.assert_array_equal(e.predict(X), e.classes_[e.decision_function(X).argmax(axis=1)])

    def test_minus_one_as_a_class(self):
        X, y = made(60, 4, 2)
        e = MercerClassifier("rls").fit(X, np.where(y == "a", -1, 1))
        self.assertEqual(list(e.classes_), [-1, 1])
        self.assertEqual(e.result_["rows"]["unlabelled"], 0)

    def test_numbers(self):
        X, _ = made(60, 4, 2)
        y = X @ [1, 2, 0, -1]
        some = np.where(np.arange(60) % 2, np.nan, y)
        e = MercerRegressor("rls").fit(X, some)
        self.assertEqual(e.result_["rows"]["unlabelled"], 30)
        self.assertGreater(e.score(X, y), 0.9)
        lower, upper = e.predict_interval(X, 0.8)
        self.assertTrue((lower < upper).all())


class Classes(unittest.TestCase):
    def test_names(self):
        X, y = made(90, 4, 3)
        kind = np.unique(y, return_inverse=True)[1]
        for names in (["b", "a", "c"], ["01", "1", "1.0"], ["NA", "x,y", 'say "no"'], [10, 9, 100], [True, False], [0.0, 2.0, 1.0]):
            label = np.array(names)[kind % len(names)]
            e = MercerClassifier("rls").fit(X, label)
            self.assertEqual(list(e.classes_), sorted(names))
            self.assertGreater(e.score(X, label), 0.7)
            p = e.predict_proba(X)
            np.testing.assert_array_equal(e.classes_[p.argmax(axis=1)], e.predict(X))
            again = pickle.loads(pickle.dumps(e))
            np.testing.assert_array_equal(again.predict(X), e.predict(X))

    def test_weights_and_decisions(self):
        X, y = made(90, 4, 3)
        often = (MercerClassifier("svm", class_weight={"a": 100}).fit(X, y).predict(X) == "a").sum()
        self.assertGreaterEqual(often, (MercerClassifier("svm").fit(X, y).predict(X) == "a").sum())
        MercerClassifier("rls", decide="balanced").fit(X, y).predict(X)


class Weights(unittest.TestCase):
    def test_double(self):
        """A row of weight 2 counts as two rows do; one of weight 0 is not there; equal weights are none."""
        X, y = made(60, 4, 2)
        twice = np.arange(60) % 3 == 0
        settings = {"lambda": 0.1, "sigma": 3}
        for estimator, answers in ((MercerClassifier, y), (MercerRegressor, X @ [1, 2, 0, -1])):
            one = estimator("rls", settings=settings, tune="none", scale="none")
            weighed = clone(one).fit(X, answers, sample_weight=1 + twice)
            doubled = clone(one).fit(np.vstack([X, X[twice]]), np.concatenate([answers, answers[twice]]))
            np.testing.assert_allclose(weighed.model_.outputs(X), doubled.model_.outputs(X), rtol=1e-9, atol=1e-9)
            part = clone(one).fit(X, answers, sample_weight=~twice)
            np.testing.assert_array_equal(part.model_.outputs(X), clone(one).fit(X[~twice], answers[~twice]).model_.outputs(X))
            equal, none = clone(one).fit(X, answers, sample_weight=5), clone(one).fit(X, answers)
            np.testing.assert_array_equal(equal.model_.outputs(X), none.model_.outputs(X))

    def test_refused(self):
        X, y = made(20, 3, 2)
        for weights, fault in [
            (np.ones(3), "of the shape \\(3,\\), where \\(20,\\) is due"), (np.arange(20) - 1, "is -1 in row 0"), (np.zeros(20), "0 in every row"),
            (np.where(np.arange(20) == 4, np.nan, 1), "is nan in row 4"),
        ]:  # fmt: skip
            with self.assertRaisesRegex(ValueError, fault):
                MercerClassifier("rls").fit(X, y, sample_weight=weights)
        with self.assertRaisesRegex(ValueError, "sparse rows, whose format has no place"):
            MercerClassifier("rls").fit(csr_matrix(X), y, sample_weight=1 + np.arange(20))
        with self.assertRaisesRegex(mercer.FitError, "weight"):
            MercerClassifier("harmonic").fit(X, y, sample_weight=1 + np.arange(20))


class Cells(unittest.TestCase):
    def test_words(self):
        X, y = made(60, 2, 2)
        cells = np.array([[row[0], "red" if label == "a" else "blue", None] for row, label in zip(X, y)], dtype=object)
        cells[::9, 1] = None
        e = MercerClassifier("rls").fit(cells, y)
        self.assertGreater(e.score(cells, y), 0.9)
        self.assertEqual(e.n_features_in_, 3)

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_frames(self):
        X, y = made(60, 2, 2)
        days = pandas.date_range("2020-01-30", periods=60)
        frame = pandas.DataFrame({"size": X[:, 0], "colour": np.where(y == "a", "red", "blue"), "day": days})
        frame.loc[3, "colour"] = None
        e = MercerClassifier("rls").fit(frame, y)
        self.assertGreater(e.score(frame, y), 0.9)
        self.assertEqual(e.model_.columns, ["size", "colour", "day"])
        np.testing.assert_array_equal(e.model_.predict(frame[["day", "size", "colour"]]), e.predict(frame))

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_accents(self):
        """Names of columns and classes whose accents are characters of their own, and a sign for which there is a letter."""
        X, y = made(60, 2, 2)
        whole = pandas.DataFrame(X, columns=["Größe", "Weiß"])
        apart = whole.rename(columns=lambda name: unicodedata.normalize("NFD", name))
        for classes in (["a", "b"], [unicodedata.normalize("NFD", "Café"), "b"], ["x\u212b", "b"]):
            answers = np.where(y == "a", *classes)
            e = MercerClassifier("rls").fit(apart, answers)
            self.assertGreater(e.score(apart, answers), 0.8)
            self.assertEqual(e.model_.columns, ["Größe", "Weiß"])
            np.testing.assert_array_equal(e.model_.predict(apart[apart.columns[::-1]]), e.model_.predict(whole))

    def test_missing(self):
        X, y = made(60, 4, 2)
        X[::3, 1] = np.nan
        e = MercerClassifier("rls").fit(X, y)
        self.assertGreater(e.score(X, y), 0.8)
        self.assertEqual(e.predict(np.full((1, 4), np.nan)).shape, (1,))

    def test_masked(self):
        X, y = made(60, 4, 2)
        masked = np.ma.masked_greater(X, 3)
        own, same = MercerClassifier("rls").fit(masked, y), MercerClassifier("rls").fit(masked.filled(np.nan), y)
        np.testing.assert_array_equal(own.decision_function(masked), same.decision_function(masked.filled(np.nan)))
        np.testing.assert_array_equal(own.model_.scores(masked), same.model_.scores(masked.filled(np.nan)))


class Faults(unittest.TestCase):
    def refused(self, error, fault, estimator, X, y):
        with self.assertRaisesRegex(error, fault) as caught:
            estimator.fit(X, y)
        self.assertEqual(len(str(caught.exception).splitlines()), 1)

    def test_one_clear_error(self):
        X, y = made(20, 3, 2)
        objects = X.astype(object)
        objects[4, 2] = [1, 2]
        c, r = MercerClassifier("rls"), MercerRegressor("rls")
        self.refused(TypeError, "row 4, column 2 is of type list; argument must be a string or a number", c, objects, y)
        self.refused(ValueError, "Unknown label type: continuous", c, X, X[:, 0])
        self.refused(ValueError, "of 1 class", c, X, ["a"] * 20)
        self.refused(ValueError, "several types", c, X, np.array(["a", 1] * 10, dtype=object))
        self.refused(ValueError, "y must be numbers", r, X, y)
        self.refused(ValueError, "NaN in every row", r, X, [None] * 20)
        self.refused(ValueError, "infinity, in row 7, column 1", r, np.where(np.arange(60).reshape(20, 3) == 22, np.inf, X), X[:, 0])
        self.refused(mercer.FitError, "--method rlss: not known", MercerClassifier("rlss"), X, y)
        self.refused(mercer.FitError, "CC", MercerClassifier("rls", settings={"CC": 1}), X, y)
        self.refused(mercer.FitError, "svr is for regression and X is a classification", MercerClassifier("svr"), X, y)
        self.refused(TypeError, "flags is the text '--tol=1' where a list is due", MercerClassifier("rls", flags="--tol=1"), X, y)
        for flag in ("-o", "-om.mercer", "--output=m.mercer", "--json", "--task=regression", "--id=x0", "--label=x0"):
            self.refused(ValueError, "which the estimator sees to itself; leave it out", MercerClassifier("rls", flags=[flag]), X, y)
        self.refused(ValueError, "method is given twice, as 'svm' and in flags", MercerClassifier("svm", flags=["--method=rls"]), X, y)
        self.refused(ValueError, "seed is given twice, as 3 and in flags", MercerClassifier(random_state=3, flags=["--seed=4"]), X, y)
        self.refused(TypeError, "decide is {'rate': 1}; give a text", MercerClassifier("rls", decide={"rate": 1}), X, y)

    def test_flags_and_parameters(self):
        X, y = made(40, 3, 2)
        with tempfile.TemporaryDirectory() as folder:
            recipe = Path(folder, "recipe.json")
            recipe.write_text('{"method": "svm"}')
            self.assertEqual(MercerClassifier(flags=[f"--recipe={recipe}"]).fit(X, y).result_["method"], "svm")
        self.assertEqual(MercerClassifier(flags=["--method=lap-rls"]).fit(X, y).result_["method"], "lap-rls")
        for state in (2**31 - 2, np.random.RandomState(1), np.random.default_rng(1)):
            MercerClassifier("rls", tune="none", random_state=state).fit(X, y)

    def test_nothing_is_left_behind(self):
        X, y = made(20, 3, 2)
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(tempfile, "tempdir", folder):
            MercerClassifier("rls").fit(X, y)
            with self.assertRaises(mercer.FitError):
                MercerClassifier("rlss").fit(X, y)
            self.assertEqual(os.listdir(folder), [])

    def test_no_program(self):
        X, y = made(20, 3, 2)
        for path, error, fault in [
            ("", FileNotFoundError, "the program mercer is not found"),
            ("/no/such", FileNotFoundError, "the program /no/such cannot be started .*; install it"),
            (tempfile.gettempdir(), PermissionError, "cannot be started .*; see that it is a program that you may run"),
            ("/bin/true", mercer.FitError, "/bin/true wrote no model, so it is not the program mercer"),
        ]:
            with mock.patch.dict(os.environ, {"PATH": "", "MERCER": path}), self.subTest(path):
                self.refused(error, fault, MercerClassifier("rls"), X, y)
                if error is not mercer.FitError:
                    self.refused(error, "environment variable MERCER", MercerClassifier("rls"), X, y)
        self.refused(OSError, "Argument list too long.*; give it fewer flags", MercerClassifier("rls", flags=["x" * 200_000]), X, y)


if __name__ == "__main__":
    unittest.main()
