package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// outsideErrors compares the error on rows that the file of a fit does not have with that on its unlabelled rows, with what the fit
// expects, and with supervised least squares, by the share of unlabelled rows. A graph has the rows of the file alone.
func outsideErrors(f *measure.Flags) func() measure.Page {
	dir := f.Data()
	fits := f.Int("fits", 3, "fits of each set, number of labels and share")
	only := f.String("sets", "", "only sets whose name has this")
	return func() measure.Page {
		return measure.Page{Title: "Errors on rows that the file does not have", Write: func(ctx context.Context, w io.Writer) error {
			sets, err := outsideSets(ctx, filepath.Join(*dir, "overlap"), *only)
			if err != nil {
				return err
			}
			fmt.Fprint(w, outsideHead)
			for _, kind := range []string{"classes", "numbers"} {
				if err := outsideLines(ctx, w, sets, kind, *fits); err != nil {
					return err
				}
			}
			fmt.Fprint(w, outsideNotes)
			return nil
		}}
	}
}

const outsideHead = "| answers | labelled | unlabelled | fits | graph | expected | outside | rls | in the file | rls | covered |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|\n"

const outsideNotes = `
Every fit draws its rows from a set; those that it does not draw are outside the file, of sets that are generated 4000
more. Errors are means over the fits with the standard error of their mean in parentheses, in percent of rows, of
numbers the rmse in percent of the answers' standard deviation.

* unlabelled: how many rows without a label there are for a labelled one
* graph: the share of fits whose model has a graph, in percent
* expected: the error that the fit prints
* outside: the error on the rows that the file does not have
* in the file: the error on the rows of the file without a label
* rls: the error of --method rls on the same rows
* covered: the share of fits, in percent, whose error outside the file lies in the interval of 90 % that the fit prints
`

// outsideLines prints the lines of the sets of classes, or of numbers: for every share of unlabelled rows all fits, and those with
// so many labelled rows.
func outsideLines(ctx context.Context, w io.Writer, sets []outsideSet, kind string, fits int) error {
	var lines, each strings.Builder
	for _, per := range []struct {
		name string
		of   func(labelled int) int
	}{
		{"1/3", func(labelled int) int { return labelled / 3 }}, {"1", func(labelled int) int { return labelled }},
		{"3", func(labelled int) int { return 3 * labelled }},
	} {
		var all outsideTally
		for _, labelled := range []int{20, 45, 100} {
			var t outsideTally
			for i, set := range sets {
				for q := 0; q < fits && set.answers == kind; q++ {
					rng := rand.New(rand.NewPCG(uint64(q), uint64(1000*i+labelled)))
					one, err := outsideOf(ctx, set, labelled, per.of(labelled), rng)
					if err != nil {
						return fmt.Errorf("%s, %d labels, fit %d: %w", set.name, labelled, q+1, err)
					}
					t = append(t, one)
				}
			}
			if len(t) > 0 {
				fmt.Fprintf(&each, "| %s | %d | %s | %d | %s\n", kind, labelled, per.name, len(t), t)
			}
			all = append(all, t...)
		}
		if len(all) > 0 {
			fmt.Fprintf(&lines, "| %s | all | %s | %d | %s\n", kind, per.name, len(all), all)
		}
	}
	_, err := io.WriteString(w, lines.String()+each.String())
	return err
}

// outsideSet gives rows with their answers.
type outsideSet struct {
	name    string
	answers string // classes or numbers
	draw    func(rows int, rng *rand.Rand) (file, outside *data.Set)
}

// outsideSets are the sets that lie in a folder, the generated ones of the design, and those that are generated here.
func outsideSets(ctx context.Context, dir, only string) ([]outsideSet, error) {
	var out []outsideSet
	kinds := append(estimateKinds(), estimateKind{name: "stripes", columns: 2, row: stripes},
		estimateKind{name: "a wave", columns: 1, row: wave}, estimateKind{name: "a spiral", columns: 3, row: spiral})
	for _, k := range kinds {
		if strings.Contains(k.name, ",") { // the same rows once more, with other numbers of labels
			continue
		}
		out = append(out, outsideSet{name: k.name, draw: func(rows int, rng *rand.Rand) (*data.Set, *data.Set) {
			return k.draw(rows, rows, rng), k.draw(freshRows, freshRows, rng)
		}})
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.csv.gz"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		set, _, err := read.Open(ctx, file, read.Options{})
		if err != nil {
			return nil, err
		}
		out = append(out, outsideSet{name: filepath.Base(file), draw: func(rows int, rng *rand.Rand) (*data.Set, *data.Set) {
			order := rng.Perm(set.Rows.Len())
			return set.Select(order[:rows]), set.Select(order[rows:])
		}})
	}
	out = slices.DeleteFunc(out, func(s outsideSet) bool { return !strings.Contains(s.name, only) })
	for i, s := range out {
		some, _ := s.draw(100, rand.New(rand.NewPCG(1, 1)))
		labels, err := data.Interpret(some.Answers, some.LabelName, data.LabelOptions{})
		if err != nil {
			return nil, err
		}
		out[i].answers = "classes"
		if labels.Task == data.Regression {
			out[i].answers = "numbers"
		}
	}
	return out, nil
}

// stripes are classes that alternate along the first of two columns.
func stripes(x []float64, rng *rand.Rand) string {
	x[0], x[1] = 6*rng.Float64(), rng.Float64()
	return strconv.Itoa(int(x[0]) % 2)
}

// wave is a function of one column that a graph of its neighbours follows, and little noise.
func wave(x []float64, rng *rand.Rand) string {
	x[0] = 6 * rng.Float64()
	return strconv.FormatFloat(math.Sin(math.Pi*x[0])+0.1*rng.NormFloat64(), 'g', -1, 64)
}

// spiral is how far a row lies along a curve of three turns, and little noise.
func spiral(x []float64, rng *rand.Rand) string {
	t := rng.Float64()
	radius, angle := 0.3+t, 6*math.Pi*t
	x[0], x[1], x[2] = radius*math.Cos(angle)+0.03*rng.NormFloat64(), radius*math.Sin(angle)+0.03*rng.NormFloat64(), 0.03*rng.NormFloat64()
	return strconv.FormatFloat(math.Sin(2*math.Pi*t)+0.05*rng.NormFloat64(), 'g', -1, 64)
}

// outsideOutcome is one fit, in shares.
type outsideOutcome struct {
	graph, covered                          bool
	expected, outside, base, hidden, baseIn float64
}

// outsideTally is some fits.
type outsideTally []outsideOutcome

// String is the end of a line.
func (t outsideTally) String() string {
	var line []string
	share := func(of func(outsideOutcome) bool) {
		n := 0
		for _, o := range t {
			if of(o) {
				n++
			}
		}
		line = append(line, fmt.Sprintf("%.0f", 100*float64(n)/float64(len(t))))
	}
	share(func(o outsideOutcome) bool { return o.graph })
	for _, of := range []func(outsideOutcome) float64{
		func(o outsideOutcome) float64 { return o.expected }, func(o outsideOutcome) float64 { return o.outside },
		func(o outsideOutcome) float64 { return o.base }, func(o outsideOutcome) float64 { return o.hidden },
		func(o outsideOutcome) float64 { return o.baseIn },
	} {
		var list []float64
		for _, o := range t {
			list = append(list, 100*of(o))
		}
		mean, sd := stat.MeanStdDev(list, nil)
		line = append(line, fmt.Sprintf("%.2f (%.2f)", mean, stat.StdErr(sd, float64(len(list)))))
	}
	share(func(o outsideOutcome) bool { return o.covered })
	return strings.Join(line, " | ") + " |"
}

// outsideOf fits so many rows of a set, of which the last have no label.
func outsideOf(ctx context.Context, s outsideSet, labelled, unlabelled int, rng *rand.Rand) (outsideOutcome, error) {
	file, outside := s.draw(labelled+unlabelled, rng)
	for range 100 { // until the labels are of two classes
		if len(slices.Compact(slices.Sorted(slices.Values(file.Answers[:labelled])))) > 1 {
			break
		}
		file, outside = s.draw(labelled+unlabelled, rng)
	}
	hidden := file.Select(indices.To(labelled + unlabelled)[labelled:])
	clear(file.Answers[labelled:])
	var one outsideOutcome
	unit := 1.0
	if s.answers == "numbers" {
		labels, err := data.Interpret(outside.Answers, "y", data.LabelOptions{Task: data.Regression})
		if err != nil {
			return one, err
		}
		unit = stat.StdDev(labels.Value, nil)
	}
	for _, method := range []string{"", "rls"} {
		m, res, err := mercer.Fit(ctx, mercer.Input{Set: file}, mercer.Recipe{Method: method}, mercer.Options{})
		if err != nil {
			return one, err
		}
		var errs [2]float64
		for k, rows := range []*data.Set{outside, hidden} {
			met, _, err := mercer.Evaluate(ctx, m, rows.Rows, rows.Answers)
			if err != nil {
				return one, err
			}
			errs[k] = met["error"]
			if s.answers == "numbers" {
				errs[k] = met["rmse"] / unit
			}
		}
		if method == "rls" {
			one.base, one.baseIn = errs[0], errs[1]
			continue
		}
		one.outside, one.hidden, one.graph = errs[0], errs[1], res.Graph != nil
		if e := res.Estimate; e != nil {
			one.expected = e.Error / unit
			one.covered = e.Low/unit <= one.outside && one.outside <= e.High/unit
		}
	}
	return one, nil
}
