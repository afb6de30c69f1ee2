"""What the Python package answers from model files: python3 answers.py FOLDER JOBS prints what answers.mjs does."""

import json
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import mercer  # noqa: E402

answers = []
for job in json.load(open(sys.argv[2], encoding="utf-8")):
    model, cells = mercer.load(job["model"]), job["cells"]
    words = any(isinstance(v, str) for row in cells for v in row)
    X = np.array(cells, dtype=object if words else float)
    if model.task == "regression":
        answers.append({"labels": None, "values": {"prediction": model.predict(X).tolist()}})
        continue
    values = {"score": model.scores(X).ravel().tolist()}
    try:
        values["probability"] = model.predict_proba(X).ravel().tolist()
    except mercer.ModelError:
        pass  # it has none
    answers.append({"labels": model.predict(X).tolist(), "values": values})
json.dump(answers, sys.stdout)
