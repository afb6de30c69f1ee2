// Errors measures the hidden error of `mercer fit`, default settings, on sets
// with given splits, and prints a table:
//
//	go run ./bench/errors --data DIR            the four sets that no choice was made on, and digits
//	go run ./bench/errors --data DIR --design   the design sets with splits, and digits
//	go run ./bench/errors --data DIR/overlap --folder   every set of a folder: NAME.csv or NAME.csv.gz with
//	                                                    NAME.splits.csv, and the mean of sets whose names begin alike
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
	"strings"

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
	whole := flag.Bool("folder", false, "measure every set of the folder")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	sets, title := held(), "Hidden error of mercer fit, default settings"
	if *onDesign {
		sets, title = design(), title+", design sets"
	}
	if *whole {
		title += ", generated sets"
	}
	err := results.Program(*markdown, title, "bench/errors", os.Args[1:], func(w io.Writer) error {
		if *whole {
			return folder(w, *dir)
		}
		return table(w, *dir, sets)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const heading = "| set | splits | hidden error %, mean (sd) | worst | supervised | seconds a split |\n|---|---|---|---|---|---|"

func table(w io.Writer, dir string, sets []set) error {
	fmt.Fprintln(w, heading)
	for _, s := range sets {
		if _, err := file(w, dir, s); err != nil {
			return err
		}
	}
	return digits(w)
}

// folder measures every set of a folder, and the means of those whose names agree up to the second
// dash.
func folder(w io.Writer, dir string) error {
	splits, err := filepath.Glob(filepath.Join(dir, "*.splits.csv"))
	if err != nil {
		return err
	}
	fmt.Fprintln(w, heading)
	families, order := map[string][]mean{}, []string{}
	for _, path := range splits {
		name := strings.TrimSuffix(filepath.Base(path), ".splits.csv")
		s := set{name, name + ".csv", name + ".splits.csv"}
		if _, err := os.Stat(filepath.Join(dir, s.file)); err != nil {
			s.file += ".gz"
		}
		m, err := file(w, dir, s)
		if err != nil {
			return err
		}
		parts := append(strings.Split(name, "-"), "")
		family := parts[0] + "-" + parts[1]
		if families[family] == nil {
			order = append(order, family)
		}
		families[family] = append(families[family], m)
		families["all"] = append(families["all"], m)
	}
	fmt.Fprintln(w, "\n| family | sets | hidden error %, mean | supervised |\n|---|---|---|---|")
	for _, name := range append(order, "all") {
		var sum mean
		for _, m := range families[name] {
			sum.hidden += m.hidden / float64(len(families[name]))
			sum.supervised += m.supervised / float64(len(families[name]))
		}
		fmt.Fprintf(w, "| %s | %d | %.2f | %.2f |\n", name, len(families[name]), sum.hidden, sum.supervised)
	}
	return nil
}

func file(w io.Writer, dir string, s set) (mean, error) {
	d, _, err := read.Open(context.Background(), filepath.Join(dir, s.file), read.Options{})
	if err != nil {
		return mean{}, err
	}
	splits, err := read.Splits(context.Background(), filepath.Join(dir, s.splits), d.Rows.Len())
	if err != nil {
		return mean{}, err
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
	_, err = run(w, "digits, 2 labels a class", d, rows)
	return err
}

// mean is the hidden error in percent over the splits of a set.
type mean struct{ hidden, supervised float64 }

func run(w io.Writer, name string, d *data.Set, splits [][]int) (mean, error) {
	res, err := mercer.FitSplits(context.Background(), d, splits, mercer.Recipe{}, mercer.Options{})
	if err != nil {
		return mean{}, err
	}
	var worst float64
	for _, e := range res.Splits.Each {
		worst = max(worst, e)
	}
	h := res.Splits.Hidden
	m, base := mean{100 * h["error_mean"], 100 * h["error_mean"]}, "-"
	if b := res.Splits.Baseline; b != nil {
		m.supervised = 100 * b.Hidden["error_mean"]
		base = fmt.Sprintf("%.2f", m.supervised)
	}
	fmt.Fprintf(w, "| %s | %d | %.2f (%.2f) | %.2f | %s | %.1f |\n", name, len(splits),
		m.hidden, 100*h["error_std"], 100*worst, base, res.Seconds.Total/float64(len(splits)))
	return m, nil
}
