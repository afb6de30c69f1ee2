"""Peers on the training and test rows of a table whose rows are all labelled.

    python3 labelled.py TRAIN TEST KIND SPLIT OUT TRIES PEER...

TRAIN and TEST are CSV, the last column the answer, KIND is c (classes) or r (numbers). With SPLIT 0 or 1 they are
taken as they are; with a larger number their rows are joined and drawn anew, by classes, with that seed. Writes
OUT.train.csv and OUT.test.csv, then prints the error of the trivial answer and for each PEER a line of its name,
processor seconds, error (share wrong, or root mean square) and log loss (nan for numbers and where there is none):

    xgb       XGBoost as it comes
    tuned     XGBoost, the best of TRIES random settings in 3 folds, trees by early stopping
    boosting  HistGradientBoosting as it comes
    forest    a forest of 500 trees
    svm       SVC or SVR, 5 x 5 grid of C and gamma, 5 folds, standardised
    linear    LogisticRegressionCV or RidgeCV

Trees get missing cells as they are; for the others they are medians with an indicator. Words are one-hot.
"""
import os
import sys
import time
import warnings

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import pandas as pd
import xgboost
from sklearn.ensemble import (HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier,
                              RandomForestRegressor)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

warnings.filterwarnings("ignore")


def coded(train, test):
    """The features of both as numbers: words one-hot, missing cells NaN."""
    parts = []
    for name in train.columns[:-1]:
        a, b = train[name], test[name]
        numbers = [pd.to_numeric(v.where(v != "", np.nan), errors="coerce") for v in (a, b)]
        if not (numbers[0].isna() & (a != "")).any() and numbers[0].notna().any():
            parts.append([v.to_numpy(float)[:, None] for v in numbers])
            continue
        words = sorted(set(a) - {""})
        if words:
            parts.append([(v.to_numpy()[:, None] == np.array(words, dtype=object)[None, :]).astype(float) for v in (a, b)])
    return [np.hstack([p[k] for p in parts]) for k in (0, 1)]


def filled(a, b):
    full = SimpleImputer(strategy="median", add_indicator=True).fit(a)
    return full.transform(a), full.transform(b)


def setting(draw):
    """A random setting of XGBoost."""
    return dict(
        max_depth=int(draw.integers(2, 9)), eta=float(np.exp(draw.uniform(np.log(0.01), np.log(0.3)))),
        subsample=float(draw.uniform(0.5, 1)), colsample_bytree=float(draw.uniform(0.3, 1)),
        min_child_weight=float(np.exp(draw.uniform(0, np.log(20)))), alpha=float(np.exp(draw.uniform(np.log(1e-3), np.log(1)))),
        **{"lambda": float(np.exp(draw.uniform(np.log(1e-2), np.log(10))))},
    )  # fmt: skip


class Tuned:
    """XGBoost with the best of random settings, and as many trees as early stopping had in the folds."""

    def __init__(self, a, ya, classes):
        draw, k = np.random.default_rng(1), len(set(ya))
        fixed = dict(nthread=1, seed=1, tree_method="hist", objective="reg:squarederror")
        if classes:
            fixed.update(objective="multi:softprob", num_class=k, eval_metric="mlogloss")  # folds may lack a class
        folds = list((StratifiedKFold if classes else KFold)(3, shuffle=True, random_state=1).split(a, ya))
        parts = [[xgboost.DMatrix(a[i], ya[i]) for i in fold] for fold in folds]
        best = None
        for _ in range(int(tries)):
            s, total, trees = {**fixed, **setting(draw)}, 0.0, []
            for rest, held in parts:
                m = xgboost.train(s, rest, 1000, evals=[(held, "held")], early_stopping_rounds=20, verbose_eval=False)
                total += m.best_score
                trees.append(m.best_iteration + 1)
            if best is None or total < best[0]:
                best = total, s, int(np.mean(trees) * 1.1) + 1
        self.model = xgboost.train(best[1], xgboost.DMatrix(a, ya), best[2])
        if classes:
            self.predict_proba = self.raw

    def raw(self, a):
        return self.model.predict(xgboost.DMatrix(a))

    def predict(self, a):
        out = self.raw(a)
        return out.argmax(axis=1) if out.ndim > 1 else out


def peer(name, a, ya, classes):
    if name == "xgb":
        return (xgboost.XGBClassifier if classes else xgboost.XGBRegressor)(n_jobs=1, random_state=1).fit(a, ya)
    if name == "tuned":
        return Tuned(a, ya, classes)
    if name == "boosting":
        return (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=1).fit(a, ya)
    if name == "forest":
        return (RandomForestClassifier if classes else RandomForestRegressor)(500, n_jobs=1, random_state=1).fit(a, ya)
    if name == "svm":
        key = "svc" if classes else "svr"
        grid = {key + "__C": np.logspace(-1, 3, 5), key + "__gamma": np.logspace(-4, 0, 5)}
        return GridSearchCV(make_pipeline(StandardScaler(), SVC() if classes else SVR()), grid, cv=5).fit(a, ya)
    if classes:
        return make_pipeline(StandardScaler(), LogisticRegressionCV(max_iter=2000)).fit(a, ya)
    return make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13))).fit(a, ya)


train, test, kind, split, out, tries, *peers = sys.argv[1:]
train, test = (pd.read_csv(p, dtype=str, keep_default_na=False) for p in (train, test))
classes, split = kind == "c", int(split)
if split > 1:
    whole = pd.concat([train, test], ignore_index=True)
    by = whole.iloc[:, -1] if classes and whole.iloc[:, -1].value_counts().min() > 1 else None
    train, test = train_test_split(whole, train_size=len(train), stratify=by, random_state=split)
train.to_csv(out + ".train.csv", index=False)
test.to_csv(out + ".test.csv", index=False)
answers = [t.iloc[:, -1].to_numpy() for t in (train, test)]
if classes:
    names = sorted(set(answers[0]))
    ya = np.array([names.index(v) for v in answers[0]])
    yb = np.array([names.index(v) if v in names else -1 for v in answers[1]])
    trivial = np.mean(yb != np.bincount(ya).argmax())
else:
    ya, yb = (v.astype(float) for v in answers)
    trivial = np.sqrt(np.mean((yb - ya.mean()) ** 2))
print("trivial", 0, trivial, "nan", flush=True)
xa, xb = coded(train, test)
whole = filled(xa, xb)
for name in peers:
    a, b = (xa, xb) if name in ("xgb", "tuned", "boosting") else whole
    begin, loss = time.process_time(), float("nan")
    m = peer(name, a, ya, classes)
    answer = m.predict(b)
    seconds = time.process_time() - begin
    if not classes:
        print(name, seconds, np.sqrt(np.mean((answer - yb) ** 2)), loss, flush=True)
        continue
    if hasattr(m, "predict_proba") and name != "svm":
        p = np.clip(m.predict_proba(b), 1e-15, 1)
        p /= p.sum(axis=1, keepdims=True)
        seen = yb >= 0
        loss = log_loss(yb[seen], p[seen], labels=range(len(names)))
    print(name, seconds, np.mean(answer != yb), loss, flush=True)
