// Ranks measures the hidden errors of `mercer fit --method M` for several M on the six
// sets of the benchmark of Chapelle, Schölkopf & Zien (Semi-Supervised Learning, 2006) with
// 10 and with 100 labels, and compares the methods by their mean ranks:
//
//	go run ./bench/ranks --data DIR
//	go run ./bench/ranks --data DIR --splits 4 --methods auto,rls,lap-rls --sets digit1
//
// A row is printed as soon as it is measured; then the Friedman test. Beside each row stands the
// difference between auto and its supervised baseline over the splits, with its standard error.
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
	"github.com/mercer-ml/mercer/internal/results"
	"github.com/mercer-ml/mercer/metric"
)

func main() {
	dir := flag.String("data", "", "folder of the data files")
	count := flag.Int("splits", 12, "splits of each set")
	methods := flag.String("methods", "auto,rls,ls-svm,svm,l2-svm,logistic,lap-rls,lap-svm", "methods, comma-separated")
	sets := flag.String("sets", "digit1,usps1500,coil2,bci,g241c,coil6", "sets, comma-separated")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	err := results.Program(*markdown, "Mean ranks of methods on six benchmark sets", "bench/ranks", os.Args[1:], func(w io.Writer) error {
		return run(w, *dir, strings.Split(*sets, ","), strings.Split(*methods, ","), *count)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer, dir string, sets, methods []string, count int) error {
	fmt.Fprintf(
		w,
		"| set, labels | splits | %s | auto - baseline (s.e.) | seconds |\n|---|---|%s---|---|\n",
		strings.Join(methods, " | "),
		strings.Repeat("---|", len(methods)),
	)
	var table [][]float64
	for _, name := range sets {
		for _, labels := range []int{10, 100} {
			row, err := measure(w, dir, name, labels, methods, count)
			if err != nil {
				return err
			}
			table = append(table, row)
		}
	}
	if len(table) < 2 || len(methods) < 2 {
		return nil
	}
	c, err := metric.Friedman(table)
	if err != nil {
		return err
	}
	fmt.Fprint(w, "| mean rank | |")
	for _, r := range c.Ranks {
		fmt.Fprintf(w, " %.2f |", r)
	}
	fmt.Fprintf(w, " | |\n\nFriedman F %.2f, p %.2g; critical difference of mean ranks %.2f\n", c.F, c.P, c.Difference)
	return nil
}

// measure prints one row and returns the mean errors.
func measure(w io.Writer, dir, name string, labels int, methods []string, count int) ([]float64, error) {
	set, _, err := read.Open(context.Background(), filepath.Join(dir, "ssl_"+name+".csv.gz"), read.Options{})
	if err != nil {
		return nil, err
	}
	given, err := read.Splits(context.Background(), filepath.Join(dir, fmt.Sprintf("ssl_%s.splits%d.csv", name, labels)), set.Rows.Len())
	if err != nil {
		return nil, err
	}
	given = given[:min(count, len(given))]
	var rows [][]int
	for _, s := range given {
		rows = append(rows, s.Labelled)
	}
	fmt.Fprintf(w, "| %s, %d | %d |", name, labels, len(rows))
	var errors, seconds []float64
	beside := ""
	for _, m := range methods {
		res, err := fit(set, rows, m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m, err)
		}
		mean, sd := stat.MeanStdDev(res.Splits.Each, nil)
		fmt.Fprintf(w, " %.2f (%.2f) |", 100*mean, 100*sd)
		errors, seconds = append(errors, mean), append(seconds, res.Seconds.Total)
		if m == "auto" && res.Splits.Baseline != nil {
			beside = difference(res.Splits.Each, res.Splits.Baseline.Each)
		}
	}
	fmt.Fprintf(w, " %s | %.0f |\n", beside, seconds)
	return errors, nil
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
