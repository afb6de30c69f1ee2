package rbf

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// add writes down a front: its grid, its certificate and some of its elements.
func (f *Front) add(p *pathtest.Path) {
	p.Add("  front", len(f.Elements), f.Centres.Len(), f.MaxQ, f.Violation, len(f.Parts), f.Partial, f.Widths)
	for i := 0; i < len(f.Elements); i += 1 + len(f.Elements)/5 {
		e := &f.Elements[i]
		p.Add("  element", e.SSE, e.Q, e.Lambda, e.Offset, e.L1(), f.Sigma(i), len(e.Units), f.Border(i))
		for k, u := range e.Units[:min(2, len(e.Units))] {
			p.Add("    unit", fmt.Sprintf("%+v", u), e.Coef[k])
		}
	}
}

// TestWidthsAndCentresAreAsTheyWere: grids of widths by each rule and bound, and centres by each choice and seed.
func TestWidthsAndCentresAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	rows, _ := regression(30, 1, 3)
	many, _ := regression(pairRows+40, 1, 5)
	grid := func(w Widths, x data.Rows) {
		grid, err := w.Grid(t.Context(), x)
		p.Add(fmt.Sprintf("%d rows, %+v", x.Len(), w), len(grid), grid[:min(5, len(grid))], fmt.Sprint(err))
	}
	for _, w := range []Widths{{Steps: 4}, {Steps: 3, Rule: Percentiles}, {Steps: 3, Rule: Extremes}, {Steps: 2, Lo: 0.5}, {Steps: 2, Hi: 7},
		{Lo: 1, Hi: 4}, {Steps: -1}, {Steps: -1, Hi: 2}, {Steps: -1, Lo: 2}, {Steps: 4, Seed: 9}, {Lo: 2, Hi: 1}, {Steps: 2, Lo: -1, Hi: 3},
		{Steps: -1, Hi: -1}, {Steps: 1, Lo: 1, Hi: math.Inf(1)}, {Steps: 2, Lo: 3, Hi: 3}} {
		grid(w, rows)
	}
	grid(Widths{Steps: 4, Seed: 9}, many)
	for _, c := range []Centres{{}, {Overlap: -1}, {Overlap: 0.01}, {Overlap: 0.5}, {Overlap: 1}, {Means: 4}, {Means: 4, Seed: 8}, {Means: 31},
		{Given: rows.Select([]int{4, 7})}, {Given: data.Rows{Dense: mat.NewDense(1, 9, nil)}}} {
		for _, sigma := range []float64{0.5, 3} {
			found, err := c.find(t.Context(), rows, sigma)
			c.Given = data.Rows{}
			p.Add(fmt.Sprintf("%+v, width %g", c, sigma), found.Len(), fmt.Sprint(err))
			for i := 0; i < found.Len(); i += 1 + found.Len()/3 {
				p.Add("  centre", found.Dense.RawRowView(i))
			}
		}
	}
	p.Compare(t, "widths")
}

// TestFrontsAreAsTheyWere: fronts of every family, with each of their settings, what folds and other rows say of them, and one network
// of each other family.
func TestFrontsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	rows, y := regression(24, 2, 1)
	other, z := regression(10, 2, 2)
	folds := [][]int{{0, 3, 6, 9, 12}, {1, 2, 20, 23}, {4, 5, 7, 8, 10, 11, 13}}
	judged := func(f *Front, o int) {
		f.add(&p)
		v, err := f.Validate(t.Context(), other, mat.Col(nil, o, z))
		if err != nil {
			t.Fatal(err)
		}
		p.Object("  validation", v, 4)
		wrong, err := f.Misclassified(t.Context(), rows, mat.Col(nil, o, y))
		p.Add("  misclassified", len(wrong), wrong[0], wrong[len(wrong)-1], fmt.Sprint(err))
	}
	widths := Widths{Steps: 3}
	for _, r := range []Enlargeable{
		MOBJ{Widths: widths, Steps: 12}, MOBJ{Widths: widths, Steps: 12, Order: 1}, MOBJ{Widths: widths, Exact: true},
		MOBJ{Widths: widths, Steps: 8, NoOffset: true, MaxQ: 3}, MOBJ{Widths: widths, Steps: 8, Centres: Centres{Means: 5}},
		MOBJ{Widths: Widths{Steps: -1, Hi: 1}, Steps: 5}, Joint{Widths: widths}, Joint{Widths: widths, Order: 1, MinShare: 0.1},
		Joint{Widths: widths, Steps: 6, NoOffset: true}, Joint{Widths: widths, MaxQ: 2, MinShare: -1}} {
		fronts, err := r.Fit(t.Context(), rows, y)
		if err != nil {
			t.Fatal(err)
		}
		p.Add(fmt.Sprintf("%T%+v", r, r), len(fronts))
		for o, f := range fronts {
			judged(f, o)
		}
		last := []int{len(fronts[0].Elements) - 1, 0}
		larger, why := r.Enlarged(fronts, last)
		p.Add("  enlarged", fmt.Sprintf("%+v", larger), why)
		v, err := fronts[1].CrossValidate(t.Context(), rows, mat.Col(nil, 1, y), folds)
		if err == nil {
			p.Object("  folds", v, 4)
		} else {
			p.Add("  folds", err)
		}
	}
	for _, s := range []Stabiliser{RKHS, Ridge, Norm, Reference} {
		for _, g := range []GRN{{Widths: widths, Stabiliser: s}, {Widths: widths, Stabiliser: s, NoOffset: true, Lambdas: []float64{0.1, 1, 10}},
			{Widths: widths, Stabiliser: s, Centres: Centres{Means: 6}}} {
			fronts, df, err := g.Fit(t.Context(), rows, y)
			if err != nil {
				t.Fatal(err)
			}
			p.Add(fmt.Sprintf("GRN %+v", g), len(fronts), df[0][0], df[1][len(df[1])-1])
			judged(fronts[0], 0)
			v, err := g.CrossValidate(t.Context(), fronts, rows, y, folds)
			if err != nil {
				t.Fatal(err)
			}
			p.Object("  folds", v[1], 4)
		}
	}
	for _, r := range []ROFS{{Widths: widths, Criteria: []Criterion{GCV, BIC}},
		{Widths: widths, Units: 2, Lambdas: []float64{1e-3}, NoOffset: true},
		{Widths: widths, Ahead: 1, Cost: -1}, {Widths: widths, Cost: 4, Centres: Centres{Means: 8}}} {
		selected, err := r.Fit(t.Context(), rows, y)
		if err != nil {
			t.Fatal(err)
		}
		p.Add(fmt.Sprintf("ROFS %+v", r))
		for _, s := range selected {
			p.Add("  chosen", int(s.Criterion), s.Score, s.Assumed)
			judged(s.Fronts[1], 1)
		}
	}
	for _, w := range []NadarayaWatson{{Sigma: 1}, {Sigma: 0.2, Known: true}, {Sigma: 1e-3}} {
		same := rows.Select([]int{3, 5, 3, 1})
		out, err := w.Predict(t.Context(), rows, y, same)
		if err != nil {
			t.Fatal(err)
		}
		far, err := w.Predict(t.Context(), rows, y, other)
		if err != nil {
			t.Fatal(err)
		}
		left, err := w.LeaveOneOut(t.Context(), rows, y)
		if err != nil {
			t.Fatal(err)
		}
		weights, err := w.Weights(t.Context(), rows, other.Select([]int{2, 4}))
		if err != nil {
			t.Fatal(err)
		}
		p.Add(fmt.Sprintf("%+v", w), out.RawMatrix().Data, far.RawRowView(7), left.RawRowView(5), left.RawRowView(11))
		p.Add("  weights", weights.RawMatrix().Data)
	}
	p.Compare(t, "fronts")
}
