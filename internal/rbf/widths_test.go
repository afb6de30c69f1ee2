package rbf

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// TestRules: the range of widths by each rule of distances that are known, ten of 1 and five of 4, also
// far from the origin, and of 1, 2 and 3, between which percentiles are interpolated.
func TestRules(t *testing.T) {
	x := mat.NewDense(6, 5, nil)
	for i := range 5 {
		x.Set(i, i, math.Sqrt(0.5))
	}
	for j := range 5 { // on the axis through the middle
		x.Set(5, j, math.Sqrt(0.5)/5+math.Sqrt((16-0.4)/5))
	}
	for _, origin := range []float64{0, 1e5} {
		moved := mat.DenseCopyOf(x)
		moved.Apply(func(_, _ int, v float64) float64 { return v + origin }, moved)
		for rule, want := range map[WidthRule][2]float64{Extremes: {1, 4}, Percentiles: {1, 4}, Tails: {1. / 3, 12}} {
			lo, hi, err := rule.Range(ctx, data.Rows{Dense: moved}, 1)
			if err != nil || math.Abs(lo-want[0]) > 1e-4*want[0] || math.Abs(hi-want[1]) > 1e-4*want[1] {
				t.Errorf("rule %d about %g: %g to %g, %v", rule, origin, lo, hi, err)
			}
		}
	}
	// Of the distances 1, 2, 3 the 5th percentile is 1.1, the 10th 1.2, the 90th 2.8 and the 95th 2.9.
	line := data.Rows{Dense: mat.NewDense(3, 1, []float64{0, 1, 3})}
	for rule, want := range map[WidthRule][2]float64{Extremes: {1, 3}, Percentiles: {1.2, 2.8}, Tails: {1.1 / 3, 8.7}} {
		lo, hi, err := rule.Range(ctx, line, 1)
		if err != nil || math.Abs(lo-want[0]) > 1e-12 || math.Abs(hi-want[1]) > 1e-12 {
			t.Errorf("rule %d: %g to %g, %v", rule, lo, hi, err)
		}
	}
}

// TestGrids: bounds that are given, that follow from the rows, and those that make no grid.
func TestGrids(t *testing.T) {
	line := data.Rows{Dense: mat.NewDense(3, 1, []float64{0, 1, 3})}
	for _, c := range []struct {
		w      Widths
		n      int
		lo, hi float64
		says   string
	}{
		{Widths{Lo: 1, Hi: 4}, 51, 1, 4, ""},
		{Widths{Lo: 1, Hi: 4, Steps: 1}, 2, 1, 4, ""},
		{Widths{Lo: 1, Hi: 4, Steps: -1}, 1, 4, 4, ""},
		{Widths{Hi: 4, Steps: 2, Rule: Extremes}, 3, 1, 4, ""},
		{Widths{Lo: 0.5, Steps: 2, Rule: Extremes}, 3, 0.5, 3, ""},
		{Widths{Steps: -1, Rule: Extremes}, 1, 3, 3, ""},
		{Widths{Lo: 2, Hi: 2}, 0, 0, 0, "rbf: widths from 2 to 2; give 0 < lo < hi"},
		{Widths{Lo: 2, Hi: 1}, 0, 0, 0, "rbf: widths from 2 to 1; give 0 < lo < hi"},
		{Widths{Lo: -1, Hi: 1}, 0, 0, 0, "rbf: widths from -1 to 1; give 0 < lo < hi"},
		{Widths{Lo: 1, Hi: math.Inf(1)}, 0, 0, 0, "rbf: widths from 1 to +Inf; give 0 < lo < hi"},
		{Widths{Hi: -2, Steps: -1}, 0, 0, 0, "rbf: width -2; it must be positive"},
		{Widths{Hi: math.Inf(1), Steps: -1}, 0, 0, 0, "rbf: width +Inf; it must be positive"},
	} {
		g, err := c.w.Grid(ctx, line)
		if c.says != "" {
			if err == nil || err.Error() != c.says {
				t.Errorf("%+v: %v", c.w, err)
			}
			continue
		}
		if err != nil || len(g) != c.n || math.Abs(g[0]-c.lo) > 1e-12 || math.Abs(g[len(g)-1]-c.hi) > 1e-12 {
			t.Errorf("%+v: %v, %v", c.w, g, err)
		}
	}
}

// TestRefusals: what cannot be computed is refused in these words.
func TestRefusals(t *testing.T) {
	rows, y := regression(12, 2, 3)
	few := MOBJ{Widths: Widths{Lo: 0.5, Hi: 2, Steps: 2}, Steps: 5}
	fronts, err := few.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	f, first := fronts[0], mat.Col(nil, 0, y)
	g := GRN{Widths: few.Widths}
	networks, _, err := g.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	with := func(c Centres) error {
		m := few
		m.Centres = c
		_, err := m.Fit(ctx, rows, y)
		return err
	}
	only := func(_ any, err error) error { return err }
	all := make([]int, 12)
	for i := range all {
		all[i] = i
	}
	bad := mat.DenseCopyOf(y)
	bad.Set(3, 1, math.Inf(1))
	text := data.Rows{Sparse: &data.CSR{R: 2, C: 1, Start: []int{0, 1, 1}, Index: []int32{0}, Value: []float64{1}}}
	for says, err := range map[string]error{
		"rbf: centres of 1 columns for rows of 2": with(Centres{Given: data.Rows{Dense: mat.NewDense(3, 1,
			nil)}}),
		"rbf: overlap tolerance 1; it must be below 1":                          with(Centres{Overlap: 1}),
		"rbf: 13 k-means centres of 12 rows":                                    with(Centres{Means: 13}),
		"rbf: k-means centres are for dense rows; use distinct rows as centres": only(Means(ctx, text, 1, 1)),
		"rbf: 0 k-means centres of 12 rows":                                     only(Means(ctx, rows, 0, 1)),
		"rbf: target of row 3, output 1 is +Inf; it must be finite":             only(few.Fit(ctx, rows, bad)),
		"rbf: fold 0 holds out 12 of 12 rows":                                   only(f.CrossValidate(ctx, rows, first, [][]int{all})),
		"rbf: fold 1 holds out 0 of 12 rows":                                    only(f.CrossValidate(ctx, rows, first, [][]int{{1}, {}})),
		"rbf: a fold holds out 12 of 12 rows": only(g.CrossValidate(ctx, networks, rows, y,
			[][]int{all})),
		"rbf: a fold holds out 0 of 12 rows":    only(g.CrossValidate(ctx, networks, rows, y, [][]int{{}})),
		"rbf: 12 rows to predict by 0 networks": only(f.Predict(ctx, rows, []int{})),
		"rbf: 0 rows to predict by 1 networks":  only(f.Predict(ctx, rows.Select(nil), []int{0})),
		"rbf: leaving one of 1 rows out leaves none": only(NadarayaWatson{Sigma: 1}.LeaveOneOut(ctx,
			rows.Select([]int{0}), mat.NewDense(1, 1, nil))),
		"rbf: width 0; it must be positive":                                    only(NadarayaWatson{}.Predict(ctx, rows, y, rows)),
		"rbf: all rows are equal, no width follows from them; give the widths": only(Widths{}.Grid(ctx, rows.Select([]int{4, 4, 4}))),
	} {
		if err == nil || err.Error() != says {
			t.Errorf("%v, want %s", err, says)
		}
	}
	if err := with(Centres{Overlap: 0.999}); err != nil {
		t.Error(err)
	}
}

// TestEndings: whenever what keeps no part of its work is interrupted, it ends with that error.
func TestEndings(t *testing.T) {
	if testing.Short() {
		t.Skip("it stops everywhere, which takes long under the race detector")
	}
	rows, y := regression(30, 2, 5)
	first := mat.Col(nil, 0, y)
	m := MOBJ{Widths: Widths{Lo: 0.5, Hi: 2, Steps: 3}, Steps: 8}
	fronts, err := m.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	g := GRN{Widths: m.Widths, Stabiliser: Norm}
	networks, _, err := g.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	folds := [][]int{{0, 3, 6, 9}, {1, 4, 7, 29}}
	signs := make([]float64, len(first))
	for i, v := range first {
		signs[i] = math.Copysign(1, v)
	}
	for name, do := range map[string]func(ctx context.Context) error{
		"grid":     func(ctx context.Context) error { _, err := Widths{}.Grid(ctx, rows); return err },
		"means":    func(ctx context.Context) error { _, err := Means(ctx, rows, 4, 1); return err },
		"validate": func(ctx context.Context) error { _, err := fronts[0].Validate(ctx, rows, first); return err },
		"folds": func(ctx context.Context) error {
			_, err := fronts[0].CrossValidate(ctx, rows, first, folds)
			return err
		},
		"misclassified": func(ctx context.Context) error { _, err := fronts[0].Misclassified(ctx, rows, signs); return err },
		"predict":       func(ctx context.Context) error { _, err := fronts[0].Predict(ctx, rows, []int{1}); return err },
		"grn folds":     func(ctx context.Context) error { _, err := g.CrossValidate(ctx, networks, rows, y, folds); return err },
		"weighted mean": func(ctx context.Context) error {
			_, err := NadarayaWatson{Sigma: 1}.Predict(ctx, rows, y, rows)
			return err
		},
		"left out": func(ctx context.Context) error {
			_, err := NadarayaWatson{Sigma: 1}.LeaveOneOut(ctx, rows, y)
			return err
		},
		"forward": func(ctx context.Context) error {
			_, err := ROFS{Widths: m.Widths, Criteria: []Criterion{GCV}}.Fit(ctx, rows, y)
			return err
		},
		"given centres": func(ctx context.Context) error {
			_, err := MOBJ{Centres: Centres{Means: 5}, Widths: m.Widths}.Fit(ctx, rows, y)
			return err
		},
		"rows for width": func(ctx context.Context) error { _, err := Joint{Steps: 4}.Fit(ctx, rows, y); return err },
	} {
		asked := 0
		for ; asked < 3000; asked++ {
			c := stoptest.After(ctx, asked)
			err := do(c)
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v", name, err)
			}
			if err == nil && c.Ended() &&
				!slices.Contains([]string{"given centres", "rows for width", "forward"}, name) { // which keep what they have
				t.Errorf("%s, interrupted at look %d: no error", name, asked)
			}
			if !c.Ended() {
				break
			}
		}
		if asked == 0 {
			t.Errorf("%s cannot be interrupted", name)
		}
	}
}

// Rows of other columns than the centres, widths that are none, as of a model that was damaged, and stabilisers that are not positive are
// refused.
func TestRowsThatDoNotFit(t *testing.T) {
	rows, y := regression(12, 2, 3)
	m := MOBJ{Widths: Widths{Lo: 0.5, Hi: 2, Steps: 2}, Steps: 5}
	fronts, err := m.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	g := GRN{Widths: m.Widths}
	networks, _, err := g.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	f, first, folds := fronts[0], mat.Col(nil, 0, y), [][]int{{0, 3, 6}}
	wide, broken := data.Rows{Dense: mat.NewDense(12, 3, nil)}, *f
	broken.Widths = make([]float64, len(f.Widths))
	minus := mat.NewSymDense(2, []float64{-1, 0, 0, -1})
	only := func(_ any, err error) error { return err }
	for _, c := range []struct {
		words string
		err   error
	}{
		{"the new rows have 3 columns", only(f.Predict(ctx, wide, nil))},
		{"the new rows have 3 columns", only(f.Validate(ctx, wide, first))},
		{"the new rows have 3 columns", only(f.Misclassified(ctx, wide, first))},
		{"rows of 2 columns cannot follow rows of 3", only(f.CrossValidate(ctx, wide, first, folds))},
		{"rows of 2 columns cannot follow rows of 3", only(g.CrossValidate(ctx, networks, wide, y, folds))},
		{"sigma is not set", only(broken.Predict(ctx, rows, nil))},
		{"sigma is not set", only(broken.CrossValidate(ctx, rows, first, folds))},
		{"rbf: the stabiliser is not positive semi-definite", only(NewStabilised(ctx, rows.Dense, minus, y, true))},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.words) {
			t.Errorf("the error is %v, expected %q in it", c.err, c.words)
		}
	}
}

// A forward selection that is interrupted has a network for every output, by every criterion, and says that it is partial; before there
// is one for each it is an error.
func TestInterruptedSelection(t *testing.T) {
	rows, y := regression(30, 2, 5)
	r := ROFS{Widths: Widths{Lo: 0.5, Hi: 2, Steps: 3}, Lambdas: []float64{1e-3, 1}, Criteria: []Criterion{GCV, BIC}}
	partial, nothing := 0, 0
	for looks := range 200 {
		c := stoptest.After(ctx, looks)
		chosen, err := r.Fit(c, rows, y)
		if err != nil {
			if nothing++; !errors.Is(err, context.Canceled) {
				t.Errorf("interrupted at look %d: %v", looks, err)
			}
			continue
		}
		for _, s := range chosen {
			for k, f := range s.Fronts {
				if len(f.Elements) != 1 || f.Partial != c.Ended() {
					t.Errorf("interrupted at look %d: output %d has %d networks, partial %v", looks, k, len(f.Elements), f.Partial)
				}
			}
		}
		if !c.Ended() {
			break
		}
		partial++
	}
	if partial == 0 || nothing == 0 {
		t.Errorf("%d partial selections, %d times nothing", partial, nothing)
	}
}
