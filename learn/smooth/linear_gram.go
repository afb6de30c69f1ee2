package smooth

import (
	"context"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// gram solves through the kernel form: K = X X', w = X'beta.
func gram(ctx context.Context, p linearProblem, t *terms, o options, start *linearSolution) (*linearSolution, error) {
	if p.Among != nil {
		p.X, p.Among = p.X.Select(p.Among), nil
	}
	x := newFeatures(p.X, nil, p.Offset == Free)
	k := mat.NewDense(x.n, x.n, nil)
	if x.rows != nil {
		g, err := kernel.Linear{}.Bind(ctx, p.X, nil)
		if err != nil {
			return nil, err
		}
		if err := kernel.Fill(ctx, k, g, nil, nil); err != nil {
			return nil, err
		}
	} else {
		on := blas.Within(ctx)
		on.Syrk(1, blas.N(x.dense), 0, k)
		if err := on.Stopped(); err != nil {
			return nil, err
		}
	}
	var from *solution
	if start != nil && len(start.Beta) == x.n {
		from = &solution{Beta: start.Beta, B: start.B}
		if x.mean != nil {
			from.B += floats.Dot(x.mean, start.W)
		}
	}
	ks, err := newton(ctx, problem{K: k, Y: p.Y, C: p.C, Weight: p.Weight, Loss: p.Loss, Offset: p.Offset}, t, o, from, &inner{}, false)
	if ks == nil {
		return nil, err
	}
	s := &linearSolution{W: make([]float64, x.d), B: ks.B, F: ks.F, Beta: ks.Beta, Objective: ks.Objective,
		Gradient: ks.Gradient, Gap: ks.Gap, Steps: ks.Steps, Status: ks.Status, Method: byGram}
	x.MulT(s.W, ks.Beta, nil)
	if x.mean != nil {
		s.B -= floats.Dot(x.mean, s.W)
	}
	s.Products = x.Products
	return s, err
}
