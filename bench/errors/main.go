// Errors measures the hidden error of `mercer fit`, default settings, on sets
// with given splits, and prints a table:
//
//	go run ./bench/errors --data DIR            the four sets that no choice was made on, and digits
//	go run ./bench/errors --data DIR --design   the design sets with splits, and digits
//	go run ./bench/errors --data DIR -markdown docs/results/errors.md
//
// Files are named as in docs/datasets.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/results"
)

// set is a file and its splits.
type set struct{ name, file, splits string }

func held() []set {
	return []set{
		{"coil20", "coil20.csv.gz", "coil20.gensplits.csv"},
		{"uspst", "uspst.csv.gz", "uspst.splits.csv"},
		{"g50c", "g50c.csv.gz", "g50c.splits.csv"},
		{"macwin_text1", "macwin_text1.svm.gz", "macwin_text1.splits.csv"},
	}
}

func design() []set {
	list := []set{{"g10n", "g10n.csv", "g10n.splits.csv"}}
	for _, name := range []string{"ssl_digit1", "ssl_coil6", "ssl_usps1500"} {
		for _, labels := range []string{"10", "100"} {
			list = append(list, set{name + ", " + labels + " labels", name + ".csv.gz", name + ".splits" + labels + ".csv"})
		}
	}
	return list
}

func main() {
	dir := flag.String("data", "", "folder of the data files")
	onDesign := flag.Bool("design", false, "measure the design sets")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	sets, title := held(), "Hidden error of mercer fit, default settings"
	if *onDesign {
		sets, title = design(), title+", design sets"
	}
	err := results.Program(*markdown, title, "bench/errors", os.Args[1:], func(w io.Writer) error { return table(w, *dir, sets) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func table(w io.Writer, dir string, sets []set) error {
	fmt.Fprintln(w, "| set | splits | hidden error %, mean (sd) | worst | supervised | seconds a split |\n|---|---|---|---|---|---|")
	for _, s := range sets {
		if err := file(w, dir, s); err != nil {
			return err
		}
	}
	return digits(w)
}

func file(w io.Writer, dir string, s set) error {
	d, _, err := read.Open(context.Background(), filepath.Join(dir, s.file), read.Options{})
	if err != nil {
		return err
	}
	splits, err := read.Splits(context.Background(), filepath.Join(dir, s.splits), d.Rows.Len())
	if err != nil {
		return err
	}
	var rows [][]int
	for _, sp := range splits {
		rows = append(rows, sp.Labelled)
	}
	return run(w, s.name, d, rows)
}

// digits is `mercer fit digits --labels-per-class 2 --seed S`, S = 0..19.
func digits(w io.Writer) error {
	d, err := data.Builtin("digits")
	if err != nil {
		return err
	}
	labels, err := data.Interpret(d.Answers, d.LabelName, data.LabelOptions{})
	if err != nil {
		return err
	}
	var rows [][]int
	for seed := range 20 {
		keep, err := data.DrawPerClass(labels, 2, uint64(seed))
		if err != nil {
			return err
		}
		rows = append(rows, keep)
	}
	return run(w, "digits, 2 labels a class", d, rows)
}

func run(w io.Writer, name string, d *data.Set, splits [][]int) error {
	res, err := mercer.FitSplits(context.Background(), d, splits, mercer.Recipe{}, mercer.Options{})
	if err != nil {
		return err
	}
	var worst float64
	for _, e := range res.Splits.Each {
		worst = max(worst, e)
	}
	base := "-"
	if b := res.Splits.Baseline; b != nil {
		base = fmt.Sprintf("%.2f", 100*b.Hidden["error_mean"])
	}
	h := res.Splits.Hidden
	fmt.Fprintf(w, "| %s | %d | %.2f (%.2f) | %.2f | %s | %.1f |\n", name, len(splits),
		100*h["error_mean"], 100*h["error_std"], 100*worst, base, res.Seconds.Total/float64(len(splits)))
	return nil
}
