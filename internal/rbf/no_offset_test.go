package rbf

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/learn"
)

// Without an offset networks have none, are what they say, are optimal among networks without one, and
// a shift of the targets, which an offset would take, makes others.
func TestNoOffset(t *testing.T) {
	rows, y := regression(40, 1, 26)
	y.Apply(func(_, _ int, v float64) float64 { return v - 3 }, y)
	widths := Widths{Lo: 0.4, Hi: 3, Steps: 5}
	for name, fit := range map[string]func(plain bool) (*Front, error){
		"one width": func(plain bool) (*Front, error) {
			f, err := MOBJ{Widths: widths, MaxQ: 80, Steps: 20, NoOffset: plain}.Fit(ctx, rows, y)
			return f[0], err
		},
		"several widths": func(plain bool) (*Front, error) {
			f, err := Joint{Widths: widths, MaxQ: 80, Steps: 20, NoOffset: plain}.Fit(ctx, rows, y)
			return f[0], err
		},
		"forward selection": func(plain bool) (*Front, error) {
			s, err := ROFS{Widths: widths, NoOffset: plain}.Fit(ctx, rows, y)
			return s[0].Fronts[0], err
		},
		"quadratic": func(plain bool) (*Front, error) {
			f, _, err := GRN{Widths: widths, NoOffset: plain}.Fit(ctx, rows, y)
			return f[0], err
		},
	} {
		f, err := fit(true)
		if err != nil {
			t.Fatal(name, err)
		}
		v, err := f.Validate(ctx, rows, y.RawMatrix().Data)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Elements {
			e := &f.Elements[i]
			if e.Offset != 0 || math.Abs(v.SSE[i]-e.SSE) > 1e-6*(1+e.SSE) {
				t.Errorf("%s, element %d: offset %g, SSE %g, really %g", name, i, e.Offset, e.SSE, v.SSE[i])
			}
		}
		if !f.NoOffset || f.Violation > 1e-10 {
			t.Errorf("%s: no offset %v, violation %g", name, f.NoOffset, f.Violation)
		}
		with, err := fit(false)
		if err != nil {
			t.Fatal(name, err)
		}
		if a, b := f.Elements[0].SSE, with.Elements[0].SSE; name != "forward selection" && a < 2*b {
			t.Errorf("%s: the first network has SSE %g, with an offset %g", name, a, b)
		}
	}
}

// Folds of a front without offset are refits without one.
func TestCrossValidationWithoutOffset(t *testing.T) {
	rows, y := regression(30, 1, 27)
	y.Apply(func(_, _ int, v float64) float64 { return v + 2 }, y)
	targets := y.RawMatrix().Data
	f := fit(t, MOBJ{Widths: Widths{Hi: 0.9, Steps: -1}, MaxQ: 60, Steps: 5, NoOffset: true}, rows, y)
	held := []int{0, 4, 8, 12, 16, 20, 24, 28}
	v, err := f.CrossValidate(ctx, rows, targets, [][]int{held})
	if err != nil {
		t.Fatal(err)
	}
	train := learn.Others(30, held)
	for i := 1; i < len(f.Elements); i++ {
		g, err := MOBJ{Widths: Widths{Hi: 0.9, Steps: -1}, Centres: Centres{Given: f.Centres}, MaxQ: f.Elements[i].Q, Steps: 1,
			NoOffset: true}.
			Fit(ctx, rows.Select(train), mat.NewDense(len(train), 1, indices.Of(targets, train)))
		if err != nil {
			t.Fatal(err)
		}
		one, err := g[0].Validate(ctx, rows.Select(held), indices.Of(targets, held))
		if err != nil {
			t.Fatal(err)
		}
		if want := one.SSE[len(one.SSE)-1]; math.Abs(v.SSE[i]-want) > 1e-7*want {
			t.Errorf("element %d: %.12g, refitted %.12g", i, v.SSE[i], want)
		}
	}
}
