// Ranks measures the hidden errors of `mercer fit --method M` for several M on the six
// sets of the benchmark of Chapelle, Schölkopf & Zien (Semi-Supervised Learning, 2006) with
// 10 and with 100 labels, and compares the methods by their mean ranks:
//
//	go run ./tools/lab/ranks --data DIR
//	go run ./tools/lab/ranks --data DIR --splits 4 --methods auto,rls,lap-rls --sets digit1
//
// Two tables are printed, of hidden errors in percent with their standard deviations over the splits, and the Friedman
// test. A line of each has the difference between auto and its supervised baseline, with its standard error.
// Files are named as in docs/datasets.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/internal/results"
)

func main() {
	dir := flag.String("data", "", "folder of the data files")
	count := flag.Int("splits", 12, "splits of each set")
	methods := flag.String("methods", "auto,rls,ls-svm,svm,l2-svm,logistic,lap-rls,lap-svm", "methods, comma-separated")
	sets := flag.String("sets", "digit1,usps1500,coil2,bci,g241c,coil6", "sets, comma-separated")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	err := results.Program(*markdown, "Mean ranks of methods on six benchmark sets", "tools/lab/ranks", os.Args[1:], func(w io.Writer) error {
		return run(w, *dir, strings.Split(*sets, ","), strings.Split(*methods, ","), *count)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer, dir string, sets, methods []string, count int) error {
	var table [][]float64
	for _, labels := range []int{10, 100} {
		columns := make([]column, len(sets))
		for i, name := range sets {
			var err error
			if columns[i], err = measure(dir, name, labels, methods, count); err != nil {
				return err
			}
			table = append(table, columns[i].errors)
		}
		show(w, labels, sets, methods, columns)
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

// column is what the methods do on a set.
type column struct {
	splits  int
	errors  []float64 // means
	cells   []string
	seconds []float64 // of all splits
	beside  string    // auto less its baseline
}

// show prints a table for one number of labels, a column a set.
func show(w io.Writer, labels int, sets, methods []string, columns []column) {
	line := func(name string, cell func(c column) string) {
		fmt.Fprintf(w, "| %s |", name)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", cell(c))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d labels, %d splits:\n\n| | %s |\n|---|%s\n", labels, columns[0].splits, strings.Join(sets, " | "),
		strings.Repeat("---|", len(sets)))
	for i, m := range methods {
		line(m, func(c column) string { return c.cells[i] })
	}
	if columns[0].beside != "" {
		line("auto - baseline (s.e.)", func(c column) string { return c.beside })
	}
	for i, m := range methods {
		line("seconds, "+m, func(c column) string { return fmt.Sprintf("%.0f", c.seconds[i]) })
	}
	fmt.Fprintln(w)
}

// measure fits the methods on the splits of a set.
func measure(dir, name string, labels int, methods []string, count int) (c column, err error) {
	set, _, err := read.Open(context.Background(), filepath.Join(dir, "ssl_"+name+".csv.gz"), read.Options{})
	if err != nil {
		return c, err
	}
	given, err := read.Splits(context.Background(), filepath.Join(dir, fmt.Sprintf("ssl_%s.splits%d.csv", name, labels)), set.Rows.Len())
	if err != nil {
		return c, err
	}
	given = given[:min(count, len(given))]
	var rows [][]int
	for _, s := range given {
		rows = append(rows, s.Labelled)
	}
	c.splits = len(rows)
	for _, m := range methods {
		res, err := fit(set, rows, m)
		if err != nil {
			return c, fmt.Errorf("%s: %w", m, err)
		}
		mean, sd := stat.MeanStdDev(res.Splits.Each, nil)
		cell := fmt.Sprintf("%.2f (%.2f)", 100*mean, 100*sd)
		c.errors, c.cells, c.seconds = append(c.errors, mean), append(c.cells, cell), append(c.seconds, res.Seconds.Total)
		fmt.Fprintf(os.Stderr, "%s, %d labels, %s: %s\n", name, labels, m, cell)
		if m == "auto" && res.Splits.Baseline != nil {
			c.beside = difference(res.Splits.Each, res.Splits.Baseline.Each)
		}
	}
	return c, nil
}

func fit(set *data.Set, rows [][]int, method string) (*mercer.Result, error) {
	return mercer.FitSplits(context.Background(), set, rows, mercer.Recipe{Method: method}, mercer.Options{})
}

// difference is the mean of a - b over the splits with its standard error, in points.
func difference(a, b []float64) string {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = 100 * (a[i] - b[i])
	}
	mean, sd := stat.MeanStdDev(d, nil)
	return fmt.Sprintf("%+.2f (%.2f)", mean, sd/math.Sqrt(float64(len(d))))
}
