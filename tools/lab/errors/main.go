// Errors measures the hidden error of `mercer fit`, default settings, on sets
// with given splits, and prints a table:
//
//	go run ./tools/lab/errors --data DIR            the four sets that no choice was made on, and digits
//	go run ./tools/lab/errors --data DIR --design   the design sets with splits, and digits
//	go run ./tools/lab/errors --data DIR --text     sparse rows: pages, messages and generated text
//	go run ./tools/lab/errors --text --design       generated text that the automatic choice was designed on
//	go run ./tools/lab/errors --data DIR/overlap --folder   every set of a folder: NAME.csv or NAME.csv.gz with
//	                                                    NAME.splits.csv, and the mean of sets whose names begin alike
//	go run ./tools/lab/errors --data DIR -markdown docs/results/errors.md
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
	texts := flag.Bool("text", false, "measure sets of text")
	whole := flag.Bool("folder", false, "measure every set of the folder")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	sets, title := held(), "Hidden error of mercer fit, default settings"
	if *onDesign {
		sets, title = design(), title+", design sets"
	}
	if *texts {
		title += ", text"
	}
	if *whole {
		title += ", generated sets"
	}
	err := results.Program(*markdown, title, "tools/lab/errors", os.Args[1:], func(w io.Writer) error {
		switch {
		case *whole:
			return folder(w, *dir)
		case *texts && *onDesign:
			return designTexts(w)
		case *texts:
			return text(w, *dir)
		}
		return table(w, *dir, sets)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const heading = "Hidden error: the share of wrong answers on the rows whose labels were kept from the fit. Worst: the " +
	"largest over the splits. Supervised: the hidden error of the machine that learned from the labelled " +
	"rows alone. sd: the standard deviation over the splits.\n\n" +
	"| set | splits | hidden error %, mean (sd) | worst | supervised | seconds a split |\n|---|---|---|---|---|---|"

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
	fmt.Fprintln(w, "\nA family is the sets whose names agree up to the second dash.\n\n"+
		"| family | sets | hidden error %, mean | supervised |\n|---|---|---|---|")
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

// designTexts is generated text, four seeds of each kind with 10, 20 and 50 labels, and the mean of each kind.
func designTexts(w io.Writer) error {
	fmt.Fprintln(w, "Hidden error: the share of wrong answers on the rows whose labels were kept from the fit. "+
		"Supervised: that of the machine that learned from the labelled rows alone.\n\n"+
		"| generated text | fits | hidden error %, mean | supervised |\n|---|---|---|---|")
	for _, spec := range []string{
		"two-topics:n=610", "two-topics:n=1200,words=4000,spread=0.5", "two-topics:n=800,words=2000,spread=0.35",
		"zipf:n=1500,words=8000,spread=0.3", "zipf:n=1500,words=8000,spread=0.45",
	} {
		var sum mean
		fits := 0.0
		for seed := 11; seed <= 14; seed++ {
			d, err := data.Builtin(fmt.Sprintf("%s,seed=%d", spec, seed))
			if err != nil {
				return err
			}
			for _, each := range []int{5, 10, 25} {
				m, err := drawn(io.Discard, spec, d, each, 1)
				if err != nil {
					return err
				}
				sum.hidden, sum.supervised, fits = sum.hidden+m.hidden, sum.supervised+m.supervised, fits+1
			}
		}
		fmt.Fprintf(w, "| %s | %.0f | %.2f | %.2f |\n", spec, fits, sum.hidden/fits, sum.supervised/fits)
	}
	return nil
}

// newsEach is the distance between the messages of two groups that are taken: 2031 of 8124.
const newsEach = 4

// text is pages and messages with their splits, two groups of short messages, and generated text of two topics.
func text(w io.Writer, dir string) error {
	fmt.Fprintln(w, heading)
	for _, s := range []set{
		{"macwin_text1", "macwin_text1.svm.gz", "macwin_text1.splits.csv"},
		{"webkb, pages", "webkb_course_page.svm.gz", "webkb_course.gensplits.csv"},
		{"webkb, links", "webkb_course_link.svm", "webkb_course.gensplits.csv"},
	} {
		if _, err := file(w, dir, s); err != nil {
			return err
		}
	}
	d, _, err := read.Open(context.Background(), filepath.Join(dir, "news20_w100.svm.gz"), read.Options{})
	if err != nil {
		return err
	}
	var rows []int
	seen := 0
	for i, a := range d.Answers {
		if a != "1" && a != "2" {
			continue
		}
		if seen%newsEach == 0 {
			rows = append(rows, i)
		}
		seen++
	}
	part := &data.Set{Source: d.Source, Features: d.Features, LabelName: d.LabelName, Rows: d.Rows.Select(rows)}
	for _, i := range rows {
		part.Answers = append(part.Answers, d.Answers[i])
	}
	if _, err := drawn(w, "news20_w100, computers or recreation, 20 labels", part, 10, 10); err != nil {
		return err
	}
	for seed := 1; seed <= 5; seed++ {
		name := fmt.Sprintf("two-topics:seed=%d", seed)
		d, err := data.Builtin(name)
		if err != nil {
			return err
		}
		if _, err := drawn(w, name+", 20 labels", d, 10, 2); err != nil {
			return err
		}
	}
	return nil
}

// digits is `mercer fit digits --labels-per-class 2 --seed S`, S = 0..19.
func digits(w io.Writer) error {
	d, err := data.Builtin("digits")
	if err != nil {
		return err
	}
	_, err = drawn(w, "digits, 2 labels a class", d, 2, 20)
	return err
}

// drawn draws so many labels of each class, with the seeds 0 to draws - 1.
func drawn(w io.Writer, name string, d *data.Set, each, draws int) (mean, error) {
	labels, err := data.Interpret(d.Answers, d.LabelName, data.LabelOptions{})
	if err != nil {
		return mean{}, err
	}
	var rows [][]int
	for seed := range draws {
		keep, err := data.DrawPerClass(labels, each, uint64(seed))
		if err != nil {
			return mean{}, err
		}
		rows = append(rows, keep)
	}
	return run(w, name, d, rows)
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
