//go:build unix

// Basis compares `mercer fit --basis auto` with `mercer fit`, default settings, on sets with given splits:
//
//	go run ./tools/lab/basis --data DIR
//	go run ./tools/lab/basis --data DIR --splits 3 -markdown docs/results/basis.md
//	go run ./tools/lab/basis --data DIR --design -markdown docs/results/basis-design.md   the design sets
//
// Files are named as in docs/datasets.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/results"
	"github.com/mercer-ml/mercer/internal/shrink"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// set is a file with its splits or, where there are none, so many labels a class, drawn, of so many rows at most, drawn too.
type set struct {
	name, file, splits string
	labels, rows       int
}

func sets() []set {
	return []set{
		{name: "coil20", file: "coil20.csv.gz", splits: "coil20.gensplits.csv"},
		{name: "uspst", file: "uspst.csv.gz", splits: "uspst.splits.csv"},
		{name: "g50c", file: "g50c.csv.gz", splits: "g50c.splits.csv"},
		{name: "macwin_text1", file: "macwin_text1.svm.gz", splits: "macwin_text1.splits.csv"},
		{name: "digits", labels: 2},
	}
}

// design are the sets by which the method was chosen.
func design() []set {
	return []set{
		{name: "digits", labels: 2},
		{name: "g10n", file: "g10n.csv", splits: "g10n.splits.csv"},
		{name: "ssl_digit1", file: "ssl_digit1.csv.gz", splits: "ssl_digit1.splits10.csv"},
		{name: "ssl_coil6", file: "ssl_coil6.csv.gz", splits: "ssl_coil6.splits100.csv"},
		{name: "ssl_usps1500", file: "ssl_usps1500.csv.gz", splits: "ssl_usps1500.splits100.csv"},
		{name: "vowel", file: "vowel.csv", labels: 5},
		{name: "satimage", file: "satimage.csv.gz", labels: 10, rows: 1200},
		{name: "segment", file: "segment.csv.gz", labels: 10, rows: 1200},
	}
}

func main() {
	dir := flag.String("data", "", "folder of the data files")
	count := flag.Int("splits", 3, "splits of each set, the first ones")
	onDesign := flag.Bool("design", false, "measure the design sets")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	title, list := "A basis of few rows, as --basis auto chooses it", sets()
	if *onDesign {
		title, list = title+", design sets", design()
	}
	err := results.Program(*markdown, title, "tools/lab/basis", os.Args[1:], func(w io.Writer) error {
		return table(context.Background(), w, *dir, list, *count)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func table(ctx context.Context, w io.Writer, dir string, list []set, count int) error {
	fmt.Fprintln(w, "| set | splits | hidden error %, whole | basis | centres, whole | basis | CPU ms to predict, whole | basis | "+
		"times faster |\n"+
		"|---|---|---|---|---|---|---|---|---|")
	for _, s := range list {
		var d *data.Set
		var err error
		if s.file == "" {
			d, err = data.Builtin(s.name)
		} else {
			d, _, err = read.Open(ctx, filepath.Join(dir, s.file), read.Options{})
		}
		if err != nil {
			return err
		}
		if s.rows > 0 && s.rows < d.Rows.Len() {
			at := rand.New(rand.NewPCG(1, uint64(s.rows))).Perm(d.Rows.Len())[:s.rows]
			some := *d
			some.Rows, some.Answers = d.Rows.Select(at), make([]string, s.rows)
			for q, i := range at {
				some.Answers[q] = d.Answers[i]
			}
			d = &some
		}
		rows, err := s.draws(ctx, d, dir, count)
		if err != nil {
			return err
		}
		if s.labels > 0 {
			s.name += fmt.Sprintf(", %d labels a class", s.labels)
		}
		if err := compare(ctx, w, s.name, d, rows); err != nil {
			return err
		}
	}
	fmt.Fprintln(w, "\nMeans over the splits. CPU ms to predict: milliseconds of processor of Model.Predict on all rows of the set, "+
		"the least of three.")
	return nil
}

// draws are the labelled rows of each split.
func (s set) draws(ctx context.Context, d *data.Set, dir string, count int) (rows [][]int, err error) {
	if s.splits != "" {
		splits, err := read.Splits(ctx, filepath.Join(dir, s.splits), d.Rows.Len())
		if err != nil {
			return nil, err
		}
		for _, sp := range splits[:min(count, len(splits))] {
			rows = append(rows, sp.Labelled)
		}
		return rows, nil
	}
	labels, err := data.Interpret(d.Answers, d.LabelName, data.LabelOptions{})
	if err != nil {
		return nil, err
	}
	for seed := range count {
		keep, err := data.DrawPerClass(labels, s.labels, uint64(seed))
		if err != nil {
			return nil, err
		}
		rows = append(rows, keep)
	}
	return rows, nil
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
