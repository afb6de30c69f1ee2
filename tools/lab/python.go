package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// pythonProblems are names, rows to learn from and to predict, columns, classes and C.
var pythonProblems = [][]string{
	{"two classes, 10 columns", "4000", "20000", "10", "2", "1"},
	{"two classes, 100 columns", "4000", "20000", "100", "2", "1"},
	{"two classes, 500 columns", "2000", "10000", "500", "2", "1"},
	{"ten classes, 20 columns", "4000", "20000", "20", "10", "1"},
}

// predictionsInPython times predictions of the Python package, which has the model file and numpy, and of scikit-learn's SVC, both
// with the same Gaussian support vector machine, in turn, on generated rows. scikit-learn is Debian's python3-sklearn.
func predictionsInPython(f *measure.Flags) func() measure.Page {
	runs, given, python := f.Runs(3), f.Mercer(), f.Python()
	return func() measure.Page {
		title := "Predicting from Python, with the model file and with scikit-learn"
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			return process.Within(ctx, *given, func(program, _ string) error {
				if err := os.Setenv("MERCER", program); err != nil {
					return err
				}
				return pythonLines(ctx, w, *python, *runs)
			})
		}}
	}
}

func pythonLines(ctx context.Context, w io.Writer, python string, runs int) error {
	fmt.Fprintln(w, "| rows | program | vectors | s | CPU s | rows a second | rows a CPU s | times SVC | decided otherwise |\n"+
		"|---|---|---|---|---|---|---|---|---|")
	for _, p := range pythonProblems {
		_, out, err := process.Timed(ctx, python, append([]string{"tools/lab/python.py", "python", strconv.Itoa(runs)}, p...)...)
		if err != nil {
			return fmt.Errorf("%s: %w", p[0], err)
		}
		fmt.Fprint(w, string(out))
	}
	fmt.Fprintln(w, "\nMedians of the runs; times SVC is the ratio of rows a CPU second. Both machines were trained on the same "+
		"rows with the same C and gamma, each by its own solver. "+
		"Columns are independent, so that classes overlap and many rows are support vectors.")
	return nil
}
