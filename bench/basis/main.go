//go:build unix

// Basis compares `mercer fit --basis auto` with `mercer fit`, default settings, on sets with given splits:
//
//	go run ./bench/basis --data DIR
//	go run ./bench/basis --data DIR --splits 3 -markdown docs/results/basis.md
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
	"github.com/mercer-ml/mercer/bench/internal/process"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/results"
	"github.com/mercer-ml/mercer/model/shrink"
)

// set is a file and its splits.
type set struct{ name, file, splits string }

func main() {
	dir := flag.String("data", "", "folder of the data files")
	count := flag.Int("splits", 3, "splits of each set, the first ones")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	title := "A basis of few rows, as --basis auto chooses it"
	err := results.Program(*markdown, title, "bench/basis", os.Args[1:], func(w io.Writer) error {
		return table(context.Background(), w, *dir, *count)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func table(ctx context.Context, w io.Writer, dir string, count int) error {
	fmt.Fprintln(w, "| set | splits | hidden error %, whole | basis | centres, whole | basis | CPU ms to predict, whole | basis | "+
		"times faster |\n"+
		"|---|---|---|---|---|---|---|---|---|")
	for _, s := range []set{
		{"coil20", "coil20.csv.gz", "coil20.gensplits.csv"},
		{"uspst", "uspst.csv.gz", "uspst.splits.csv"},
		{"g50c", "g50c.csv.gz", "g50c.splits.csv"},
		{"macwin_text1", "macwin_text1.svm.gz", "macwin_text1.splits.csv"},
	} {
		d, _, err := read.Open(ctx, filepath.Join(dir, s.file), read.Options{})
		if err != nil {
			return err
		}
		splits, err := read.Splits(ctx, filepath.Join(dir, s.splits), d.Rows.Len())
		if err != nil {
			return err
		}
		var rows [][]int
		for _, sp := range splits[:min(count, len(splits))] {
			rows = append(rows, sp.Labelled)
		}
		if err := compare(ctx, w, s.name, d, rows); err != nil {
			return err
		}
	}
	d, err := data.Builtin("digits")
	if err != nil {
		return err
	}
	labels, err := data.Interpret(d.Answers, d.LabelName, data.LabelOptions{})
	if err != nil {
		return err
	}
	var rows [][]int
	for seed := range count {
		keep, err := data.DrawPerClass(labels, 2, uint64(seed))
		if err != nil {
			return err
		}
		rows = append(rows, keep)
	}
	if err := compare(ctx, w, "digits, 2 labels a class", d, rows); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nMeans over the splits. CPU ms to predict: milliseconds of processor of Model.Predict on all rows of the set, "+
		"the least of three.")
	return nil
}

// measured are the means of the fits of one recipe.
type measured struct{ err, centres, predict float64 }

func compare(ctx context.Context, w io.Writer, name string, d *data.Set, splits [][]int) error {
	var of [2]measured
	for _, keep := range splits {
		for q, r := range []mercer.Recipe{{}, {Basis: "auto"}} {
			in := mercer.Input{Set: new(data.Set)}
			*in.Set = *d
			in.Set.Answers, in.Hidden = data.Hide(d.Answers, keep)
			m, res, err := mercer.Fit(ctx, in, r, mercer.Options{})
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			least, err := process.Least(3, func() error { _, err := m.Predict(ctx, d.Rows); return err })
			if err != nil {
				return err
			}
			n := float64(len(splits))
			of[q].err += 100 * res.Metrics["hidden"]["error"] / n
			of[q].centres += float64(shrink.Centres(m)) / n
			of[q].predict += 1000 * least / n
		}
	}
	fmt.Fprintf(w, "| %s | %d | %.2f | %.2f | %.0f | %.0f | %.1f | %.1f | %.1f |\n", name, len(splits), of[0].err, of[1].err,
		of[0].centres, of[1].centres, of[0].predict, of[1].predict, of[0].predict/of[1].predict)
	return nil
}
