//go:build unix

// Python times predictions of the Python package, which has the model file and numpy, and of scikit-learn's SVC, both
// with the same Gaussian support vector machine, in turn, on generated rows, and prints a table.
//
//	go run ./tools/lab/python               three runs each
//	go run ./tools/lab/python -runs 1
//
// scikit-learn is Debian's python3-sklearn.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

//go:embed speed.py
var script []byte

// problems are names, rows to learn from and to predict, columns, classes and C.
var problems = [][]string{
	{"two classes, 10 columns", "4000", "20000", "10", "2", "1"},
	{"two classes, 100 columns", "4000", "20000", "100", "2", "1"},
	{"two classes, 500 columns", "2000", "10000", "500", "2", "1"},
	{"ten classes, 20 columns", "4000", "20000", "20", "10", "1"},
}

func main() {
	var o process.Options
	o.Flags()
	flag.Parse()
	title := "Predicting from Python, with the model file and with scikit-learn"
	o.Measure(title, "tools/lab/python", func(ctx context.Context, w io.Writer) error { return run(ctx, w, o) })
}

func run(ctx context.Context, w io.Writer, o process.Options) error {
	tmp, err := os.MkdirTemp("", "python")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) //nolint:errcheck // nothing can be done about what is left
	if o.Program, err = process.Mercer(ctx, o.Program, tmp); err != nil {
		return err
	}
	if err := os.Setenv("MERCER", o.Program); err != nil {
		return err
	}
	path := filepath.Join(tmp, "speed.py")
	if err := os.WriteFile(path, script, 0o600); err != nil {
		return err
	}
	fmt.Fprintln(w, "| rows | program | vectors | s | CPU s | rows a second | rows a CPU s | times SVC | decided otherwise |\n"+
		"|---|---|---|---|---|---|---|---|---|")
	for _, p := range problems {
		_, out, err := process.Timed(ctx, o.Python, append([]string{path, "python", strconv.Itoa(o.Runs)}, p...)...)
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
