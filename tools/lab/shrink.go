package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/shrink"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// shrunkMachines makes a support vector machine smaller and prints what its error and the time of its predictions become. The machine
// is that of the measurement predict on a9a, C = 1 and gamma = 0.03; the smaller ones are of mercer.Shrink on the rows that it was
// fitted to.
func shrunkMachines(f *measure.Flags) func() measure.Page {
	dir, sizes := f.Data(), f.String("sizes", "250,500", "numbers of centres, with commas between")
	return func() measure.Page {
		return measure.Page{Title: "A support vector machine made smaller", Write: func(ctx context.Context, w io.Writer) error {
			return compareShrunk(ctx, w, *dir, *sizes)
		}}
	}
}

func compareShrunk(ctx context.Context, w io.Writer, dir, sizes string) error {
	learn, _, err := read.Open(ctx, filepath.Join(dir, "a9a.svm.gz"), read.Options{})
	if err != nil {
		return err
	}
	test, _, err := read.Open(ctx, filepath.Join(dir, "a9a_test.svm.gz"), read.Options{Dim: learn.Rows.Dim()})
	if err != nil {
		return err
	}
	settings := map[string]string{"C": "1", "gamma": "0.03"}
	recipe := mercer.Recipe{Method: "svm", Kernel: "gaussian", Scale: "none", Tune: "none", Set: settings}
	m, _, err := mercer.Fit(ctx, mercer.Input{Set: learn}, recipe, mercer.Options{})
	if err != nil {
		return err
	}
	percent, whole, err := predictedError(ctx, m, test)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| centres | error %, test rows | largest change | mean change | decided otherwise % | CPU s to predict | "+
		"faster | CPU s to make |\n|---|---|---|---|---|---|---|---|")
	fmt.Fprintf(w, "| %d | %.2f | - | - | - | %.2f | 1 | - |\n", shrink.Centres(m), percent, whole)
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
		percent, less, err := predictedError(ctx, small, test)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %d | %.2f | %.3f | %.4f | %.2f | %.3f | %.1f | %.0f |\n", change.After, percent, change.Largest, change.Mean,
			100*float64(*change.Decisions)/float64(change.Rows), less, whole/less, end-start)
	}
	fmt.Fprintf(w, "\na9a: %d training rows, on which the change is measured, %d test rows. CPU s to predict: seconds of processor of "+
		"Model.Predict on the test rows, the least of three.\n", learn.Rows.Len(), test.Rows.Len())
	return nil
}

// predictedError is the error on the test rows in percent, and the least processor time of three predictions of them.
func predictedError(ctx context.Context, m *model.Model, test *data.Set) (percent, seconds float64, err error) {
	metrics, rows, err := mercer.Evaluate(ctx, m, test.Rows, test.Answers)
	if err != nil {
		return 0, 0, err
	}
	if rows == 0 {
		return 0, 0, errors.New("the test rows have no labels")
	}
	seconds, err = process.Least(3, func() error { _, err := m.Predict(ctx, test.Rows); return err })
	return 100 * metrics["error"], seconds, err
}
