// Estimate compares the error that `mercer fit` expects on other rows with the error on fresh rows, on small generated
// sets, and prints a table:
//
//	go run ./tools/lab/estimate -fits 40 -markdown docs/results/estimate.md
//
// Every fit draws its own rows. The fresh rows are 4000 of the same kind.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/results"
)

// freshRows is the number of rows that the true error is measured on: its standard error is below 0.8 points.
const freshRows = 4000

func main() {
	fits := flag.Int("fits", 40, "fits of each set")
	only := flag.String("sets", "", "only sets whose name has this")
	method := flag.String("method", "", "method; the automatic choice unless given")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	err := results.Program(*markdown, "The error that mercer fit expects", "tools/lab/estimate", os.Args[1:], func(w io.Writer) error {
		fmt.Fprint(w, head)
		var all tally
		for i, k := range kinds() {
			if !strings.Contains(k.name, *only) {
				continue
			}
			var t tally
			for f := range *fits {
				one, err := fit(k, mercer.Recipe{Method: *method}, rand.New(rand.NewPCG(uint64(f), uint64(i))))
				if err != nil {
					return fmt.Errorf("%s, fit %d: %w", k.name, f+1, err)
				}
				t, all = append(t, one), append(all, one)
			}
			fmt.Fprintf(w, "| %s | %d, %d | %s\n", k.name, k.labelled, k.unlabelled, t)
		}
		fmt.Fprintf(w, "| all | | %s\n%s", all, notes)
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const head = "| set | labelled, unlabelled | estimate | fresh rows | bias | bias without the correction | coverage of 90 % |\n" +
	"|---|---|---|---|---|---|---|\n"

const notes = `
Estimate, fresh rows: the mean over the fits, in percent of rows, of numbers the rmse in percent of the answers' standard
deviation. Bias: the mean difference, in points, with its standard error over the fits. Without the correction: that of the
left-out outputs of what was chosen. Coverage: the share of fits, in percent, whose error on fresh rows lies within
the interval that the fit prints.
`

// outcome is one fit, in shares.
type outcome struct {
	estimate, raw, fresh float64
	covered              bool
}

// tally is some fits.
type tally []outcome

// String is the end of a line.
func (t tally) String() string {
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
	return fmt.Sprintf("%.2f | %.2f | %s | %s | %.1f |", stat.Mean(estimate, nil), stat.Mean(fresh, nil), signed(bias), signed(raw), covered)
}

// fit learns from rows of its own and measures on fresh ones.
func fit(k kind, r mercer.Recipe, rng *rand.Rand) (outcome, error) {
	ctx := context.Background()
	set, fresh := k.draw(k.labelled+k.unlabelled, k.labelled, rng), k.draw(freshRows, freshRows, rng)
	var rows []int
	var left *mat.Dense
	o := mercer.Options{Listen: mercer.Listener{LeftOut: func(i []int, out *mat.Dense) { rows, left = i, out }}}
	m, res, err := mercer.Fit(ctx, mercer.Input{Set: set}, r, o)
	if err != nil {
		return outcome{}, err
	}
	if res.Estimate == nil {
		return outcome{}, fmt.Errorf("there is no estimate")
	}
	met, _, err := mercer.Evaluate(ctx, m, fresh.Rows, fresh.Answers)
	if err != nil {
		return outcome{}, err
	}
	labels, _, err := answer.Known(m, set.Answers)
	if err != nil {
		return outcome{}, err
	}
	one := outcome{estimate: res.Estimate.Error, fresh: met["error"]}
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
			return outcome{}, err
		}
		unit := stat.StdDev(values.Value, nil)
		one.estimate, one.raw, one.fresh = one.estimate/unit, one.raw/unit, one.fresh/unit
	}
	return one, nil
}
