package relevance

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/mat"
)

// steps is a regression on a step of the first of d columns and a slope of the second.
func steps(n, d int, seed uint64) *learn.Problem {
	r := rand.New(rand.NewPCG(seed, 1))
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		for k := range d {
			x.Set(i, k, r.NormFloat64())
		}
		v := 0.5*x.At(i, 1) + 0.1*r.NormFloat64()
		if x.At(i, 0) > 0.3 {
			v++
		}
		y.Set(i, 0, v)
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return &learn.Problem{Task: data.Regression, Rows: data.Rows{Dense: x}, Y: y, Labelled: all}
}

func objectiveOf(p *learn.Problem, k kernel.Kernel) (*objective, []float64) {
	var x []float64
	for _, d := range k.Space() {
		x = append(x, math.Log(d.Default))
	}
	x = append(x, math.Log(firstRidge))
	start := append([]float64(nil), x...)
	return &objective{
		press: score.LeaveOut{Kernel: k, Problem: p, Criterion: score.Press{}, Offset: true}, widths: widthsOf(k), start: start,
		best: math.Inf(1),
	}, x
}

// The derivative is that of differences, of both powers, with and without groups.
func TestGradient(t *testing.T) {
	p := steps(40, 4, 1)
	for _, k := range []kernel.Kernel{
		kernel.ARDRational{Sigma: []float64{1, 2, 3, 1.5}, Alpha: 0.7, Power: 1},
		kernel.ARDRational{Sigma: []float64{1, 2, 3, 1.5}, Alpha: 2, Power: 2},
		kernel.ARDRational{Sigma: []float64{1, 2}, Alpha: 2, Power: 1, Group: []int{0, 0, 1, 0}},
		kernel.ARDL1Laplacian{Sigma: []float64{1, 2, 3, 1.5}},
		kernel.ANOVA{Weight: []float64{1, 0.5, 3, 0.2}}.Adapt(p.Rows),
	} {
		f, x := objectiveOf(p, k)
		for i := range x {
			x[i] += 0.1 * float64(i%3)
		}
		grad := make([]float64, len(x))
		if _, err := f.eval(context.Background(), x, grad); err != nil {
			t.Fatal(err)
		}
		const h = 1e-5
		for i := range x {
			at := func(d float64) float64 {
				z := append([]float64(nil), x...)
				z[i] += d
				v, err := f.eval(context.Background(), z, nil)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			if want := (at(h) - at(-h)) / (2 * h); math.Abs(grad[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%T: derivative %d is %g, by differences %g", k, i, grad[i], want)
			}
		}
	}
}

// Columns that tell nothing get widths many times those that do, and new rows are predicted better.
func TestUselessColumns(t *testing.T) {
	p := steps(200, 8, 2)
	start := kernel.ARDRational{Power: 1}.Adapt(p.Rows)
	l, err := Learn(context.Background(), start, p, Options{Steps: 25})
	if err != nil {
		t.Fatal(err)
	}
	sigma := l.Kernel.(kernel.ARDRational).Sigma
	for _, v := range sigma[2:] {
		if v < 3*sigma[0] || v < 3*sigma[1] {
			t.Errorf("widths %.3g: a useless column has one below three times those of the others", sigma)
		}
	}
	before, err := Learn(context.Background(), start, p, Options{Steps: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !(l.Press < before.Press/1.5) {
		t.Errorf("the left-out error is %g, %g with equal widths", l.Press, before.Press)
	}
}

// The same rows in another order, or a column in other units with its first width in them, change nothing but rounding.
func TestUnits(t *testing.T) {
	p := steps(60, 3, 3)
	k := kernel.ARDRational{Sigma: []float64{2, 2, 2}, Alpha: 1, Power: 2}
	a, err := Learn(context.Background(), k, p, Options{Steps: 6})
	if err != nil {
		t.Fatal(err)
	}
	scaled := *p
	x := mat.DenseCopyOf(p.Rows.Dense)
	for i := range x.RawMatrix().Rows {
		x.Set(i, 1, 4*x.At(i, 1))
	}
	scaled.Rows = data.Rows{Dense: x}
	k.Sigma = []float64{2, 8, 2}
	b, err := Learn(context.Background(), k, &scaled, Options{Steps: 6})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.Press-b.Press) > 1e-6*a.Press {
		t.Errorf("in other units the left-out error is %g, was %g", b.Press, a.Press)
	}
}

// A context that has ended is an error, and one that ends later leaves what was found.
func TestEnded(t *testing.T) {
	p := steps(60, 3, 4)
	start := kernel.ARDRational{Power: 1}.Adapt(p.Rows)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Learn(ctx, start, p, Options{Steps: 5}); err == nil {
		t.Error("an ended context gives widths")
	}
}

// Widths, weights and what is neither move in boxes of their own, the ridge too: where it can only help it ends at e^2.
func TestBoxes(t *testing.T) {
	for name, want := range map[string][2]float64{"sigma[3]": {-3, 9}, "weight[a]": {-9, 3}, "alpha": {-4, 5}, "sigma": {-4, 5}} {
		if lo, hi := box(name); lo != want[0] || hi != want[1] {
			t.Errorf("%s moves from e^%g to e^%g", name, lo, hi)
		}
	}
	// The column tells nothing of the targets, so that a row is the better left out the less it counts.
	p := &learn.Problem{
		Task: data.Regression, Rows: data.Rows{Dense: mat.NewDense(4, 1, []float64{-0.3, 0.3, -0.3, 0.3})},
		Y: mat.NewDense(4, 1, []float64{1, 1, -1, -1}), Labelled: []int{0, 1, 2, 3},
	}
	l, err := Learn(t.Context(), kernel.Linear{}, p, Options{Steps: 40})
	if err != nil || math.Abs(l.Lambda/math.Exp(2)-1) > 1e-4 {
		t.Errorf("the ridge is %g, want e^2, %v", l.Lambda, err)
	}
}

// TestLearningStops: whatever learns widths or a metric ends with its context wherever that is asked; one that has ended before the last
// search of a metric is an error, and no kernel is then made of gradients that there are not.
func TestLearningStops(t *testing.T) {
	own, other := steps(20, 3, 1), steps(20, 3, 2)
	start := kernel.ARDRational{Power: 1}.Adapt(own.Rows)
	metric := Metric{Start: kernel.MetricLaplacian{Sigma: 1}, Rounds: 1, Full: 3, Steps: 2}
	for name, f := range map[string]func(context.Context) error{
		"widths": func(ctx context.Context) error {
			_, err := Widths{Start: start, Steps: 2}.Learn(ctx, own, other)
			return err
		},
		"a metric": func(ctx context.Context) error {
			_, err := metric.Learn(ctx, own, other)
			return err
		},
		"gradients": func(ctx context.Context) error {
			_, err := gradients(ctx, kernel.MetricLaplacian{Sigma: 1.5}, own, 0.3)
			return err
		},
		"screening": func(ctx context.Context) error {
			_, err := Screen(ctx, start.(kernel.ARDRational), own)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { stoptest.Everywhere(t, f) })
	}
	for looks, ended := 0, true; ended; looks++ {
		ctx := stoptest.After(t.Context(), looks)
		l, err := metric.Learn(ctx, own, other)
		if err == nil && l.Kernel == nil || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("ended after %d looks: %+v, %v", looks, l, err)
		}
		ended = ctx.Ended()
	}
}
