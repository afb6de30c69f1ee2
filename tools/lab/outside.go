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
			tallies := map[outsideCell]outsideTally{}
			for i, set := range sets {
				for _, labelled := range outsideLabels {
					for _, per := range outsidePer {
						for q := range *fits {
							rng := rand.New(rand.NewPCG(uint64(q), uint64(1000*i+labelled)))
							one, err := outsideOf(ctx, set, labelled, labelled*per[0]/per[1], rng)
							if err != nil {
								return fmt.Errorf("%s, %d labels, fit %d: %w", set.name, labelled, q+1, err)
							}
							for _, c := range []outsideCell{{set.numbers, labelled, per}, {set.numbers, 0, per}} {
								tallies[c] = append(tallies[c], one)
							}
						}
					}
				}
			}
			fmt.Fprint(w, outsideHead)
			for _, numbers := range []bool{false, true} {
				for _, labelled := range append([]int{0}, outsideLabels...) {
					for _, per := range outsidePer {
						c := outsideCell{numbers, labelled, per}
						if t := tallies[c]; len(t) > 0 {
							fmt.Fprintf(w, "| %s | %d | %s\n", c, len(t), t)
						}
					}
				}
			}
			fmt.Fprint(w, outsideNotes)
			return nil
		}}
	}
}

const outsideHead = "| answers, labelled rows | unlabelled | fits | with a graph | expected | rows outside the file | rls there | " +
	"unlabelled rows of the file | rls there | within 90 % |\n|---|---|---|---|---|---|---|---|---|---|\n"

const outsideNotes = `
Every fit draws its rows from a set; those that it does not draw are outside the file, of sets that are generated 4000
more. Errors are means over the fits with the standard error of their mean in parentheses, in percent of rows, of
numbers the rmse in percent of the answers' standard deviation; the same rows for mercer fit and for --method rls.
Unlabelled: how many there are for a labelled row. With a graph: the share of fits whose model has one, in percent.
Expected: the error that the fit prints. Within 90 %: the share of fits, in percent, whose error outside the file lies
in the interval that it prints.
`

// outsideLabels are the numbers of labelled rows, and outsidePer that of unlabelled ones over that of labelled ones.
var (
	outsideLabels = []int{20, 45, 100}
	outsidePer    = [][2]int{{1, 3}, {1, 1}, {3, 1}}
)

// outsideCell is a line of the table; 0 labelled rows: any number.
type outsideCell struct {
	numbers  bool
	labelled int
	per      [2]int
}

// String is the begin of a line.
func (c outsideCell) String() string {
	kind, labelled := "classes", "all"
	if c.numbers {
		kind = "numbers"
	}
	if c.labelled > 0 {
		labelled = strconv.Itoa(c.labelled)
	}
	per := strconv.Itoa(c.per[0])
	if c.per[1] > 1 {
		per += "/" + strconv.Itoa(c.per[1])
	}
	return fmt.Sprintf("%s, %s | %s", kind, labelled, per)
}

// outsideSet gives rows with their answers.
type outsideSet struct {
	name    string
	numbers bool
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
		_, err := strconv.ParseFloat(k.row(make([]float64, k.columns), rand.New(rand.NewPCG(1, 1))), 64)
		numbers := err == nil && k.name != "stripes" && k.name != "three classes"
		out = append(out, outsideSet{k.name, numbers, func(rows int, rng *rand.Rand) (*data.Set, *data.Set) {
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
		labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
		if err != nil {
			return nil, err
		}
		out = append(out, outsideSet{filepath.Base(file), labels.Task == data.Regression, func(rows int, rng *rand.Rand) (*data.Set, *data.Set) {
			order := rng.Perm(set.Rows.Len())
			return set.Select(order[:rows]), set.Select(order[rows:])
		}})
	}
	kept := out[:0]
	for _, s := range out {
		if strings.Contains(s.name, only) {
			kept = append(kept, s)
		}
	}
	return kept, nil
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
	if s.numbers {
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
			if s.numbers {
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
