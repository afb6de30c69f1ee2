package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// intervalCoverage measures the intervals of mercer fit, default settings, on rows that it has not seen. In each split three
// quarters of the rows, drawn at random, have their answers, and the others are the test. There are as many splits as it takes for
// -rows test rows in all.
func intervalCoverage(f *measure.Flags) func() measure.Page {
	dir, only := f.Data(), f.Sets()
	design := f.Bool("design", false, "measure the sets by which the kind of interval was chosen")
	rows := f.Int("rows", 5000, "test rows in all of each set")
	return func() measure.Page {
		title := "Coverage of the intervals of mercer fit"
		sets := []string{"boston.csv", "mg_scale.csv", "space_ga.csv.gz", "abalone.csv.gz"}
		if *design {
			title, sets = title+", design sets", []string{"mcycle.csv", "gen_sinc.csv", "autompg.csv", "diabetes_reg.csv", skew}
		}
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			fmt.Fprint(w, coverageHead)
			for _, name := range sets {
				if !measure.Wanted(*only, withoutEnding(name)) {
					continue
				}
				d, err := openOrDraw(ctx, *dir, name)
				if err == nil {
					err = coverageOf(ctx, w, withoutEnding(name), d, *rows)
				}
				if err != nil {
					return err
				}
			}
			_, err := fmt.Fprint(w, coverageNotes)
			return err
		}}
	}
}

const coverageHead = "| set | labelled, test | splits | of 90 % | below, above | width | of 50, 80, 95 % | by absolute errors | machine " +
	`| s a split |
|---|---|---|---|---|---|---|---|---|---|
`

const coverageNotes = `
Of 90, 50, 80 and 95 %: the share of test rows in such an interval, in percent, the first with its standard deviation
over the splits. Below and above are shares of test rows: 5 each are meant. Widths are those of intervals of 90 %, in
standard deviations of all answers. By absolute errors: coverage, below, above and width for f(x) - q to f(x) + q, q
the ceil(0.9 (n + 1))-th smallest absolute error of the n rows left out.
`

func withoutEnding(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".csv")
}

// skew is a generated set, of errors that are skew and differ in scale.
const skew = "skew"

func openOrDraw(ctx context.Context, dir, name string) (*data.Set, error) {
	if name == skew {
		return skewedSet(600, 1), nil
	}
	d, _, err := read.Open(ctx, filepath.Join(dir, name), read.Options{})
	return d, err
}

// skewedSet is y = sin(2 a) + b c + (e - 1)(1 + |d|/2)/2 with a, b, c, d normal and e exponential.
func skewedSet(n int, seed uint64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 7))
	x, answers := mat.NewDense(n, 4, nil), make(data.Answers, n)
	for i := range n {
		v := x.RawRowView(i)
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		y := math.Sin(2*v[0]) + v[1]*v[2] + (rng.ExpFloat64()-1)*(1+math.Abs(v[3])/2)/2
		answers[i] = strconv.FormatFloat(y, 'g', -1, 64)
	}
	return &data.Set{Rows: data.Rows{Dense: x}, Answers: answers, LabelName: "y", Source: skew}
}

// intervalTally counts test rows within and beyond intervals.
type intervalTally struct{ below, above, width float64 }

// add counts the errors y - f(x) of a split; sum is of all splits.
func (t *intervalTally) add(errs []float64, lower, upper float64) (coverage float64) {
	var below, above float64
	for _, e := range errs {
		if e < lower {
			below++
		} else if e > upper {
			above++
		}
	}
	n := float64(len(errs))
	t.below, t.above, t.width = t.below+below/n, t.above+above/n, t.width+upper-lower
	return 1 - (below+above)/n
}

// coverageOf prints the line of a set.
func coverageOf(ctx context.Context, w io.Writer, name string, d *data.Set, rows int) error {
	labels, err := data.Interpret(d.Answers, d.LabelName, data.LabelOptions{Task: data.Regression})
	if err != nil {
		return err
	}
	n := d.Rows.Len()
	test := n - 3*n/4
	splits := max(1, (rows+test-1)/test)
	var own, absolute intervalTally
	var covered []float64
	others, machines := make([]float64, len(otherLevels)), map[string]int{}
	start := time.Now()
	for seed := range splits {
		one, err := intervalsOf(ctx, d, labels, rand.New(rand.NewPCG(uint64(seed), 1)).Perm(n), test)
		if err != nil {
			return fmt.Errorf("%s, split %d: %w", name, seed+1, err)
		}
		covered = append(covered, own.add(one.errs, one.lower, one.upper))
		absolute.add(one.errs, -one.symmetric, one.symmetric)
		for j, v := range one.others {
			others[j] += v / float64(splits)
		}
		machines[one.machine]++
	}
	mean, sd := stat.MeanStdDev(covered, nil)
	s := float64(splits)
	share := func(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) }
	spread := stat.PopStdDev(labels.Value, nil) * s
	_, err = fmt.Fprintf(w, "| %s | %d, %d | %d | %s (%s) | %s, %s | %.3f | %s, %s, %s | %s, %s, %s, %.3f | %s | %.1f |\n",
		name, n-test, test, splits,
		share(mean), share(sd), share(own.below/s), share(own.above/s), own.width/spread,
		share(others[0]), share(others[1]), share(others[2]),
		share(1-(absolute.below+absolute.above)/s), share(absolute.below/s), share(absolute.above/s), absolute.width/spread,
		commonest(machines), time.Since(start).Seconds()/s)
	return err
}

// commonest is the machine of most splits, the first by name where several are.
func commonest(machines map[string]int) string {
	return slices.MaxFunc(slices.Sorted(maps.Keys(machines)), func(a, b string) int { return machines[a] - machines[b] })
}

var otherLevels = [...]float64{0.5, 0.8, 0.95}

// intervalSplit is what one fit gave.
type intervalSplit struct {
	errs         []float64 // y - f(x) of the test rows
	lower, upper float64   // of level 0.9
	symmetric    float64   // the quantile of absolute errors
	others       []float64 // coverages of the other levels
	machine      string
}

// intervalsOf learns from all rows but the first ones in order, which are the test.
func intervalsOf(ctx context.Context, d *data.Set, labels data.Labels, order []int, test int) (*intervalSplit, error) {
	held, kept := slices.Sorted(slices.Values(order[:test])), slices.Sorted(slices.Values(order[test:]))
	part := *d
	part.Rows, part.Answers = d.Rows.Select(kept), make(data.Answers, len(kept))
	for q, i := range kept {
		part.Answers[q] = d.Answers[i]
	}
	s := &intervalSplit{}
	listen := mercer.Listener{LeftOut: func(rows []int, out *mat.Dense) {
		size := make([]float64, len(rows))
		for q, i := range rows {
			size[q] = math.Abs(labels.Value[kept[i]] - out.At(q, 0))
		}
		slices.Sort(size)
		s.symmetric = size[int(math.Ceil(0.9*float64(len(size)+1)))-1]
	}}
	o := mercer.Options{Listen: listen}
	m, res, err := mercer.Fit(ctx, mercer.Input{Set: &part}, mercer.Recipe{Task: "regression"}, o)
	if err != nil {
		return nil, err
	}
	s.machine = res.Method
	out, err := m.Predict(ctx, d.Rows.Select(held))
	if err != nil {
		return nil, err
	}
	for q, i := range held {
		s.errs = append(s.errs, labels.Value[i]-out.At(q, 0))
	}
	if s.lower, s.upper, err = m.Interval(0.9); err != nil {
		return nil, err
	}
	for _, level := range otherLevels {
		lower, upper, err := m.Interval(level)
		if err != nil {
			return nil, err
		}
		s.others = append(s.others, new(intervalTally).add(s.errs, lower, upper))
	}
	return s, nil
}
