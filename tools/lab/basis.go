package main

import (
	"context"
	"fmt"
	"io"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/shrink"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// basisOfFewRows compares mercer fit --basis auto with mercer fit, default settings, on the sets of the measurement errors.
func basisOfFewRows(f *measure.Flags) func() measure.Page {
	dir, count := f.Data(), f.Int("splits", 3, "splits of each set, the first ones")
	return func() measure.Page {
		return measure.Page{Title: "A basis of few rows, as --basis auto chooses it", Write: func(ctx context.Context, w io.Writer) error {
			fmt.Fprintln(w, "| set | splits | hidden error %, whole | basis | centres, whole | basis | CPU ms to predict, whole | basis | "+
				"times faster |\n"+
				"|---|---|---|---|---|---|---|---|---|")
			for _, s := range heldSets() {
				set, err := s.open(ctx, *dir, *count)
				if err == nil {
					err = compareBases(ctx, w, set)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
			}
			fmt.Fprintln(w, "\nMeans over the splits. CPU ms to predict: milliseconds of processor of Model.Predict on all rows of the "+
				"set, the least of three.")
			return nil
		}}
	}
}

// compareBases prints the line of a set.
func compareBases(ctx context.Context, w io.Writer, s splitSet) error {
	var of [2]struct{ err, centres, predict float64 } // means of the fits of one recipe
	for _, keep := range s.splits {
		for q, r := range []mercer.Recipe{{}, {Basis: "auto"}} {
			in := mercer.Input{Set: new(data.Set)}
			*in.Set = *s.set
			in.Set.Answers, in.Hidden = data.Hide(s.set.Answers, keep)
			m, res, err := mercer.Fit(ctx, in, r, mercer.Options{})
			if err != nil {
				return err
			}
			least, err := process.Least(3, func() error { _, err := m.Predict(ctx, s.set.Rows); return err })
			if err != nil {
				return err
			}
			n := float64(len(s.splits))
			of[q].err += 100 * res.Metrics["hidden"]["error"] / n
			of[q].centres += float64(shrink.Centres(m)) / n
			of[q].predict += 1000 * least / n
		}
	}
	fmt.Fprintf(w, "| %s | %d | %.2f | %.2f | %.0f | %.0f | %.1f | %.1f | %.1f |\n", s.name, len(s.splits), of[0].err, of[1].err,
		of[0].centres, of[1].centres, of[0].predict, of[1].predict, of[0].predict/of[1].predict)
	return nil
}
