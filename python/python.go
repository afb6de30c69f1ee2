// Package python holds the Python package mercer, and writes the part of it that reads model files and predicts as one
// script that needs numpy alone. The folder is what `pip install ./python` installs.
//
// Change the reader in mercer/_cells.py, _functions.py and _model.py; the script is made of these.
package python

import (
	"embed"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

//go:embed mercer/_cells.py mercer/_functions.py mercer/_model.py
var sources embed.FS

// modules are the files of the reader, each before those that use it.
var modules = []string{"_cells", "_functions", "_model"}

var own = regexp.MustCompile(`(?m)^from \._\w+ import .*\n`)

// Script writes a Python module that predicts with the model file at a path: load(path), Model and MercerModel, a class
// with predict, and predict_proba or interval. Run as a program it predicts the rows of a CSV file. It needs numpy.
func Script(w io.Writer, model string) error {
	var b strings.Builder
	fmt.Fprintf(&b, head, strconv.Quote(model))
	for _, name := range modules {
		text, err := sources.ReadFile("mercer/" + name + ".py")
		if err != nil {
			return err
		}
		b.WriteString("\n\n# " + name + ".py\n\n" + own.ReplaceAllString(string(text), ""))
	}
	b.WriteString(tail)
	_, err := io.WriteString(w, b.String())
	return err
}

const head = `# Predicts with a model of mercer; written by mercer export --format sklearn. It needs numpy and the model file.
#
#     from THIS_MODULE import MercerModel
#     MercerModel().predict(X)
#
#     python THIS_FILE.py rows.csv      predicts the rows of a CSV file whose first line has the names of columns

import csv
import os
import sys

MODEL = %s  # relative to this file
`

const tail = `

# The estimator


class MercerModel:
    """A fitted estimator, as scikit-learn's are after fit: predict, and predict_proba of a classifier with probabilities."""

    def __init__(self, path=None):
        self.path = path
        here = os.path.dirname(os.path.abspath(__file__))
        self.model_ = load(os.path.join(here, MODEL) if path is None else path)
        self.n_features_in_ = len(self.model_.used() or []) or self.model_._head["columns"]
        if self.model_.task == "classification":
            self.classes_ = np.array(self.model_.classes, dtype=object)

    def predict(self, X):
        """The class of each row as text, or its number."""
        return self.model_.predict(X)

    def predict_proba(self, X):
        """The probability of each class, in the order of classes_."""
        return self.model_.predict_proba(X)

    def decision_function(self, X):
        """What the decision is by: of two classes one number, positive for the second."""
        scores = self.model_.deciding(self.model_.outputs(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores


def _rows_of(path, model):
    """The cells of a CSV file that a model wants: its columns by their names, or its documents."""
    with open(path, newline="", encoding="utf-8-sig") as f:
        # Empty lines are no rows; one quoted cell is a row, of which nothing need be known.
        lines = [line for line in csv.reader(f) if len(line) > 1 or line == [""] or "".join(line).strip()]
    if len(lines) < 2:
        raise ModelError("the file has no rows below a line with the names of columns; give both")
    header, *lines = lines
    header = [composed(name) for name in header]
    text = model._head.get("text")
    if text and not text.get("column"):
        raise ModelError("the model is of documents in a folder; give their texts to MercerModel().predict")
    wanted = [composed(name) for name in ([text["column"]] if text else model.used() or header)]
    lacking = [c for c in wanted if c not in header]
    if lacking:
        raise ModelError(f"it lacks the column {lacking[0]!r}")
    places = [header.index(c) for c in wanted]
    for i, line in enumerate(lines):
        if len(line) != len(header):
            raise ModelError(f"row {i} has {len(line)} cells, the header {len(header)}")
    if text:
        return [line[places[0]] for line in lines]
    return np.array([[line[k] or None for k in places] for line in lines], dtype=object)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} rows.csv")
    try:
        machine = MercerModel()
    except (OSError, ModelError) as fault:
        sys.exit(f"{fault}; the model file has to stand where it stood beside this script, or be named in it as MODEL")
    try:
        answers = machine.predict(_rows_of(sys.argv[1], machine.model_))
    except (OSError, ValueError, TypeError, csv.Error) as fault:
        sys.exit(f"{sys.argv[1]}: {fault}")
    for answer in answers:
        print(answer)
`
