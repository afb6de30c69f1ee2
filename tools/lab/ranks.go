package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// meanRanks measures the hidden errors of mercer fit --method M for several M on the six sets of the benchmark of Chapelle,
// Schölkopf & Zien (Semi-Supervised Learning, 2006) with 10 and with 100 labels, and compares the methods by their mean ranks and the
// Friedman test. A line of each table has the difference between auto and its supervised baseline, with its standard error.
func meanRanks(f *measure.Flags) func() measure.Page {
	dir, count := f.Data(), f.Int("splits", 12, "splits of each set")
	methods := f.String("methods", "auto,rls,ls-svm,svm,l2-svm,logistic,lap-rls,lap-svm", "methods, comma-separated")
	sets := f.String("sets", "digit1,usps1500,coil2,bci,g241c,coil6", "sets, comma-separated")
	return func() measure.Page {
		return measure.Page{Title: "Mean ranks of methods on six benchmark sets", Write: func(ctx context.Context, w io.Writer) error {
			return compareRanks(ctx, w, *dir, strings.Split(*sets, ","), strings.Split(*methods, ","), *count)
		}}
	}
}

func compareRanks(ctx context.Context, w io.Writer, dir string, sets, methods []string, count int) error {
	var table [][]float64
	for _, labels := range []int{10, 100} {
		columns := make([]rankColumn, len(sets))
		for i, name := range sets {
			s := source{name: fmt.Sprintf("%s, %d labels", name, labels), file: "ssl_" + name + ".csv.gz",
				splits: fmt.Sprintf("ssl_%s.splits%d.csv", name, labels)}
			set, err := s.open(ctx, dir, count)
			if err == nil {
				columns[i], err = methodsOn(ctx, set, methods)
			}
			if err != nil {
				return err
			}
			table = append(table, columns[i].errors)
		}
		showRanked(w, labels, sets, methods, columns)
	}
	if len(table) < 2 || len(methods) < 2 {
		return nil
	}
	c, err := metric.Friedman(table)
	if err != nil {
		return err
	}
	ranks := make([]string, len(methods))
	for i, r := range c.Ranks {
		ranks[i] = fmt.Sprintf("%s %.2f", methods[i], r)
	}
	fmt.Fprintf(w, "Mean ranks: %s. Friedman F %.2f, p %.2g; critical difference of mean ranks %.2f.\n",
		strings.Join(ranks, ", "), c.F, c.P, c.Difference)
	return nil
}

// rankColumn is what the methods do on a set.
type rankColumn struct {
	splits  int
	errors  []float64 // means
	cells   []string
	seconds []float64 // of all splits
	beside  string    // auto less its baseline
}

// showRanked prints a table for one number of labels, a column a set.
func showRanked(w io.Writer, labels int, sets, methods []string, columns []rankColumn) {
	line := func(name string, cell func(c rankColumn) string) {
		fmt.Fprintf(w, "| %s |", name)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", cell(c))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d labels, %d splits:\n\n| | %s |\n|---|%s\n", labels, columns[0].splits, strings.Join(sets, " | "),
		strings.Repeat("---|", len(sets)))
	for i, m := range methods {
		line(m, func(c rankColumn) string { return c.cells[i] })
	}
	if columns[0].beside != "" {
		line("auto - baseline (s.e.)", func(c rankColumn) string { return c.beside })
	}
	for i, m := range methods {
		line("seconds, "+m, func(c rankColumn) string { return fmt.Sprintf("%.0f", c.seconds[i]) })
	}
	fmt.Fprintln(w)
}

// methodsOn fits the methods on the splits of a set.
func methodsOn(ctx context.Context, s splitSet, methods []string) (c rankColumn, err error) {
	c.splits = len(s.splits)
	for _, m := range methods {
		res, err := mercer.FitSplits(ctx, s.set, s.splits, mercer.Recipe{Method: m}, mercer.Options{})
		if err != nil {
			return c, fmt.Errorf("%s: %w", m, err)
		}
		mean, sd := stat.MeanStdDev(res.Splits.Each, nil)
		cell := fmt.Sprintf("%.2f (%.2f)", 100*mean, 100*sd)
		c.errors, c.cells, c.seconds = append(c.errors, mean), append(c.cells, cell), append(c.seconds, res.Seconds.Total)
		fmt.Fprintf(os.Stderr, "%s, %s: %s\n", s.name, m, cell)
		if m == "auto" && res.Splits.Baseline != nil {
			c.beside = differenceOf(res.Splits.Each, res.Splits.Baseline.Each)
		}
	}
	return c, nil
}

// differenceOf is the mean of a - b over the splits with its standard error, in points.
func differenceOf(a, b []float64) string {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = 100 * (a[i] - b[i])
	}
	mean, sd := stat.MeanStdDev(d, nil)
	return fmt.Sprintf("%+.2f (%.2f)", mean, sd/math.Sqrt(float64(len(d))))
}
