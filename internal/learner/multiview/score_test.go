package multiview_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// judged is the closed leave-out over things of three views with a width a column, some of which are missing.
func judged(things bool) score.LeaveOut {
	x, views := lacking()
	s := multiview.Stack(x, views)
	p := &learn.Problem{Rows: x, Task: data.Classification, Classes: []string{"a", "b"}, Coding: learn.Coding{Classes: 2}}
	for i := range 9 {
		p.Labelled, p.Class = append(p.Labelled, 2*i), append(p.Class, i%2)
	}
	p.Y = p.Coding.Code(p.Class)
	k := several(3, 7)
	for v := range k.Kernels {
		k.Kernels[v] = kernel.Scaled{Weight: 0.7 + 0.2*float64(v), Base: kernel.ARDGaussian{Sigma: []float64{1, 1.5}}}
	}
	if things {
		return score.LeaveOut{Kernel: multiview.Sum{Coupled: k, Views: views}, Problem: p, Criterion: score.LogLoss{},
			Work: new(kernel.Work)}
	}
	groups := s.Groups(p)
	return score.LeaveOut{
		Kernel: k, Problem: s.Problem(p, nil), Folds: groups, Work: new(kernel.Work),
		Criterion: multiview.Agreed{Criterion: score.LogLoss{}, Things: p, Groups: groups},
	}
}

// The leave-one-out of things has the gradient of its differences in all parameters of all views, the coupling and the
// ridge, for functions of the views and for their sum.
func TestScoreGradient(t *testing.T) {
	for _, things := range []bool{false, true} {
		s := judged(things)
		space := s.Space()
		theta := space.Defaults()
		theta[len(theta)-1] = 0.3
		at, err := s.Eval(t.Context(), theta, param.WithGradient)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range space {
			const h = 1e-5
			var side [2]float64
			for q, sign := range []float64{1, -1} {
				moved := append([]float64(nil), theta...)
				moved[i] *= math.Exp(sign * h)
				v, err := s.Eval(t.Context(), moved, param.ValueOnly)
				if err != nil {
					t.Fatal(err)
				}
				side[q] = v.F
			}
			want, got := (side[0]-side[1])/(2*h), at.Grad[i]*theta[i]
			if math.Abs(want-got) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("sum %v, %s: %g by differences, %g", things, d.Name, want, got)
			}
		}
	}
}

// What is left out in closed form is what refits without all descriptions of a thing give.
func TestScoreByRefits(t *testing.T) {
	s := judged(false)
	theta := s.Space().Defaults()
	theta[len(theta)-1] = 0.3
	at, err := s.Eval(t.Context(), theta, param.ValueOnly)
	if err != nil {
		t.Fatal(err)
	}
	p := s.Problem
	k, err := s.Kernel.With(theta[:len(theta)-1])
	if err != nil {
		t.Fatal(err)
	}
	g := bind(t, k, p.Rows)
	out := mat.NewDense(len(p.Labelled), 1, nil)
	for _, fold := range s.Folds {
		rest := learn.Others(len(p.Labelled), fold)
		rows, left := p.Subset(rest), p.Subset(fold)
		b, y := mat.NewDense(len(rows), len(rows), nil), mat.NewDense(len(rows), 1, nil)
		g.Block(b, rows, rows)
		for q, i := range rest {
			b.Set(q, q, b.At(q, q)+0.3)
			y.Set(q, 0, p.Y.At(i, 0))
		}
		var c, f mat.Dense
		if err := c.Solve(b, y); err != nil {
			t.Fatal(err)
		}
		cross := mat.NewDense(len(left), len(rows), nil)
		g.Block(cross, left, rows)
		f.Mul(cross, &c)
		for q, i := range fold {
			out.Set(i, 0, f.At(q, 0))
		}
	}
	near(t, "score", at.F, s.Criterion.Eval(p, nil, out, nil), 1e-10)
}
