//go:build unix

// Shrink makes a support vector machine smaller and prints what its error and the time of its predictions become:
//
//	go run ./tools/lab/shrink --data DIR
//	go run ./tools/lab/shrink --data DIR --sizes 100,250,500,1000
//
// The machine is that of tools/lab/predict on a9a, C = 1 and gamma = 0.03; the smaller ones are of mercer.Shrink on the rows that it was
// fitted to. Files are named as in docs/datasets.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/results"
	"github.com/mercer-ml/mercer/internal/shrink"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

func main() {
	dir := flag.String("data", "", "folder of the data files")
	sizes := flag.String("sizes", "250,500", "numbers of centres, with commas between")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	title := "A support vector machine made smaller"
	err := results.Program(*markdown, title, "tools/lab/shrink", os.Args[1:], func(w io.Writer) error {
		return run(context.Background(), w, *dir, *sizes)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, dir, sizes string) error {
	learn, _, err := read.Open(ctx, filepath.Join(dir, "a9a.svm.gz"), read.Options{})
	if err != nil {
		return err
	}
	test, _, err := read.Open(ctx, filepath.Join(dir, "a9a_test.svm.gz"), read.Options{Dim: learn.Rows.Dim()})
	if err != nil {
		return err
	}
	recipe := mercer.Recipe{Method: "svm", Kernel: "gaussian", Scale: "none", Tune: "none", Set: map[string]string{"C": "1", "gamma": "0.03"}}
	m, _, err := mercer.Fit(ctx, mercer.Input{Set: learn}, recipe, mercer.Options{})
	if err != nil {
		return err
	}
	whole, err := measure(ctx, m, test)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| centres | error %, test rows | largest change | mean change | decided otherwise % | CPU s to predict | "+
		"faster | CPU s to make |\n|---|---|---|---|---|---|---|---|")
	fmt.Fprintf(w, "| %d | %.2f | - | - | - | %.2f | 1 | - |\n", shrink.Centres(m), whole.err, whole.seconds)
	for text := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		start, _ := process.Own()
		small, change, err := mercer.Shrink(ctx, m, learn.Rows, n, 1)
		if err != nil {
			return err
		}
		end, _ := process.Own()
		less, err := measure(ctx, small, test)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %d | %.2f | %.3f | %.4f | %.2f | %.3f | %.1f | %.0f |\n", change.After, less.err, change.Largest, change.Mean,
			100*float64(*change.Decisions)/float64(change.Rows), less.seconds, whole.seconds/less.seconds, end-start)
	}
	fmt.Fprintf(w, "\na9a: %d training rows, on which the change is measured, %d test rows. CPU s to predict: seconds of processor of "+
		"Model.Predict on the test rows, the least of three.\n", learn.Rows.Len(), test.Rows.Len())
	return nil
}

// measured is the error on the test rows in percent, and the least processor time of three predictions of them.
type measured struct{ err, seconds float64 }

func measure(ctx context.Context, m *model.Model, test *data.Set) (measured, error) {
	metrics, rows, err := mercer.Evaluate(ctx, m, test.Rows, test.Answers)
	if err != nil {
		return measured{}, err
	}
	if rows == 0 {
		return measured{}, errors.New("the test rows have no labels")
	}
	out := measured{err: 100 * metrics["error"]}
	out.seconds, err = process.Least(3, func() error { _, err := m.Predict(ctx, test.Rows); return err })
	return out, err
}
