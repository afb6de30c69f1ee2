package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// freshRows is the number of rows that the true error is measured on: its standard error is below 0.8 points.
const freshRows = 4000

// expectedError compares the error that mercer fit expects on other rows with the error on fresh rows, on small generated sets.
// Every fit draws its own rows; the fresh rows are of the same kind.
func expectedError(f *measure.Flags) func() measure.Page {
	fits := f.Int("fits", 40, "fits of each set")
	only := f.String("sets", "", "only sets whose name has this")
	method := f.String("method", "", "method; the automatic choice unless given")
	return func() measure.Page {
		return measure.Page{Title: "The error that mercer fit expects", Write: func(ctx context.Context, w io.Writer) error {
			fmt.Fprint(w, estimateHead)
			var all estimateTally
			for i, k := range estimateKinds() {
				if !strings.Contains(k.name, *only) {
					continue
				}
				var t estimateTally
				for q := range *fits {
					one, err := estimateOf(ctx, k, mercer.Recipe{Method: *method}, rand.New(rand.NewPCG(uint64(q), uint64(i))))
					if err != nil {
						return fmt.Errorf("%s, fit %d: %w", k.name, q+1, err)
					}
					t, all = append(t, one), append(all, one)
				}
				fmt.Fprintf(w, "| %s | %d, %d | %s\n", k.name, k.labelled, k.unlabelled, t)
			}
			fmt.Fprintf(w, "| all | | %s\n%s", all, estimateNotes)
			return nil
		}}
	}
}

const estimateHead = "| set | labelled, unlabelled | estimate | fresh rows | bias | bias without the correction | coverage of 90 % |\n" +
	"|---|---|---|---|---|---|---|\n"

const estimateNotes = `
Estimate, fresh rows: the mean over the fits, in percent of rows, of numbers the rmse in percent of the answers' standard
deviation. Bias: the mean difference, in points, with its standard error over the fits. Without the correction: that of the
left-out outputs of what was chosen. Coverage: the share of fits, in percent, whose error on fresh rows lies within
the interval that the fit prints.
`

// estimateOutcome is one fit, in shares.
type estimateOutcome struct {
	estimate, raw, fresh float64
	covered              bool
}

// estimateTally is some fits.
type estimateTally []estimateOutcome

// String is the end of a line.
func (t estimateTally) String() string {
	var estimate, fresh, bias, raw []float64
	covered := 0.0
	for _, o := range t {
		estimate, fresh = append(estimate, 100*o.estimate), append(fresh, 100*o.fresh)
		bias, raw = append(bias, 100*(o.estimate-o.fresh)), append(raw, 100*(o.raw-o.fresh))
		if o.covered {
			covered += 100 / float64(len(t))
		}
	}
	signed := func(v []float64) string {
		mean, sd := stat.MeanStdDev(v, nil)
		return fmt.Sprintf("%+.2f (%.2f)", mean, stat.StdErr(sd, float64(len(v))))
	}
	return fmt.Sprintf("%.2f | %.2f | %s | %s | %.1f |", stat.Mean(estimate, nil), stat.Mean(fresh, nil), signed(bias), signed(raw),
		covered)
}

// estimateOf learns from rows of its own and measures on fresh ones.
func estimateOf(ctx context.Context, k estimateKind, r mercer.Recipe, rng *rand.Rand) (estimateOutcome, error) {
	set, fresh := k.draw(k.labelled+k.unlabelled, k.labelled, rng), k.draw(freshRows, freshRows, rng)
	var rows []int
	var left *mat.Dense
	o := mercer.Options{Listen: mercer.Listener{LeftOut: func(i []int, out *mat.Dense) { rows, left = i, out }}}
	m, res, err := mercer.Fit(ctx, mercer.Input{Set: set}, r, o)
	if err != nil {
		return estimateOutcome{}, err
	}
	if res.Estimate == nil {
		return estimateOutcome{}, errors.New("there is no estimate")
	}
	met, _, err := mercer.Evaluate(ctx, m, fresh.Rows, fresh.Answers)
	if err != nil {
		return estimateOutcome{}, err
	}
	labels, _, err := answer.Known(m, set.Answers)
	if err != nil {
		return estimateOutcome{}, err
	}
	one := estimateOutcome{estimate: res.Estimate.Error, fresh: met["error"]}
	if m.Task == data.Classification {
		for q, class := range m.Decide(left) {
			if class != labels.Class[rows[q]] {
				one.raw += 1 / float64(len(rows))
			}
		}
	} else {
		one.fresh = met["rmse"]
		for q, i := range rows {
			r := labels.Value[i] - left.At(q, 0)
			one.raw += r * r / float64(len(rows))
		}
		one.raw = math.Sqrt(one.raw)
	}
	one.covered = res.Estimate.Low <= one.fresh && one.fresh <= res.Estimate.High
	if m.Task == data.Regression { // in standard deviations
		values, _, err := answer.Known(m, fresh.Answers)
		if err != nil {
			return estimateOutcome{}, err
		}
		unit := stat.StdDev(values.Value, nil)
		one.estimate, one.raw, one.fresh = one.estimate/unit, one.raw/unit, one.fresh/unit
	}
	return one, nil
}

// estimateKind is a generated set: rows with an answer, and sometimes rows without.
type estimateKind struct {
	name                 string
	columns              int
	labelled, unlabelled int
	// row fills in the features and returns the answer.
	row func(x []float64, rng *rand.Rand) string
}

// estimateKinds are small sets with classes that overlap, or numbers with noise, so that there is an error to estimate.
func estimateKinds() []estimateKind {
	return []estimateKind{
		{"two normal classes", 5, 50, 0, func(x []float64, rng *rand.Rand) string { return shiftedRow(x, rng, 2, 1, 0.5) }},
		{"two of twenty columns", 20, 40, 0, func(x []float64, rng *rand.Rand) string { return shiftedRow(x, rng, 2, 2, 0.5) }},
		{"one row in five positive", 5, 80, 0, func(x []float64, rng *rand.Rand) string { return shiftedRow(x, rng, 3, 1, 0.2) }},
		{"three classes", 2, 60, 0, threeMeans},
		{"ring", 2, 60, 0, discInRing},
		{"two normal classes, 200 unlabelled", 5, 20, 200,
			func(x []float64, rng *rand.Rand) string { return shiftedRow(x, rng, 5, 1, 0.5) }},
		{"waves", 4, 60, 0, wavesOfThree},
		{"a plane", 8, 40, 0, planeOfThree},
	}
}

// shiftedRow is a row of one of two normal classes whose means differ by distance in each of the first columns.
func shiftedRow(x []float64, rng *rand.Rand, columns int, distance, positives float64) string {
	class, mean := "no", 0.0
	if rng.Float64() < positives {
		class, mean = "yes", distance
	}
	for j := range x {
		x[j] = rng.NormFloat64()
		if j < columns {
			x[j] += mean
		}
	}
	return class
}

// threeMeans are classes that have their means on a circle.
func threeMeans(x []float64, rng *rand.Rand) string {
	k := rng.IntN(3)
	angle := 2 * math.Pi * float64(k) / 3
	x[0], x[1] = 1.5*math.Cos(angle)+rng.NormFloat64(), 1.5*math.Sin(angle)+rng.NormFloat64()
	return strconv.Itoa(k)
}

// discInRing is a disc within a ring, with noise.
func discInRing(x []float64, rng *rand.Rand) string {
	class, radius := "disc", rng.Float64()
	if rng.IntN(2) == 1 {
		class, radius = "ring", 1+rng.Float64()
	}
	angle := 2 * math.Pi * rng.Float64()
	x[0], x[1] = radius*math.Cos(angle)+0.3*rng.NormFloat64(), radius*math.Sin(angle)+0.3*rng.NormFloat64()
	return class
}

// wavesOfThree is a smooth function of three columns of four, and noise.
func wavesOfThree(x []float64, rng *rand.Rand) string {
	for j := range x {
		x[j] = rng.Float64()
	}
	y := math.Sin(math.Pi*x[0]*x[1]) + 2*(x[2]-0.5)*(x[2]-0.5) + 0.2*rng.NormFloat64()
	return strconv.FormatFloat(y, 'g', -1, 64)
}

// planeOfThree is linear in three columns of eight, and noise.
func planeOfThree(x []float64, rng *rand.Rand) string {
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	return strconv.FormatFloat(x[0]+0.5*x[1]-x[2]+rng.NormFloat64(), 'g', -1, 64)
}

// draw makes n rows, of which the first labelled have their answers.
func (k estimateKind) draw(n, labelled int, rng *rand.Rand) *data.Set {
	x, answers := mat.NewDense(n, k.columns, nil), make(data.Answers, n)
	for i := range n {
		if answer := k.row(x.RawRowView(i), rng); i < labelled {
			answers[i] = answer
		}
	}
	return &data.Set{Rows: data.Rows{Dense: x}, Answers: answers, LabelName: "y", Source: k.name}
}
