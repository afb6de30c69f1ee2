package primal

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/graph"
	"gonum.org/v1/gonum/mat"
)

func newResult(n, c int) *Result {
	return &Result{
		Alpha: mat.NewDense(n, c, nil), F: mat.NewDense(n, c, nil), B: make([]float64, c),
		Objective: make([]float64, c), Gradient: make([]float64, c), Gap: make([]float64, c),
		Iterations: make([]int, c), Status: make([]Status, c),
	}
}

// certify fills F, Objective, Gradient and Gap of the coefficients and b in res:
// two products with K.
func (p Machine) certify(ctx context.Context, k Product, r graph.Operator, labelled []int, y *mat.Dense, res *Result) error {
	n, c := res.Alpha.Dims()
	l := len(labelled)
	s, t := mat.NewDense(n, c, nil), mat.NewDense(n, c, nil)
	if err := k.MulTo(ctx, res.F, res.Alpha); err != nil {
		return err
	}
	res.Products++
	if p.Intrinsic != 0 {
		r.MulTo(s, res.F)
	}
	f, d1 := make([]float64, l), make([]float64, l)
	sb := make([]float64, c)
	for q := range c {
		for a, i := range labelled {
			f[a] = res.F.At(i, q) + res.B[q]
		}
		yq := mat.Col(nil, q, y)
		slopes(p.loss(), yq, f, d1, nil)
		obj := risk(p.loss(), yq, f)
		for i := range n {
			g, rg, alpha := res.F.At(i, q), s.At(i, q), res.Alpha.At(i, q)
			obj += g * (p.Ambient*alpha + p.Intrinsic*rg)
			s.Set(i, q, 2*p.Ambient*alpha+2*p.Intrinsic*rg)
			res.F.Set(i, q, g+res.B[q])
		}
		for a, i := range labelled {
			s.Set(i, q, s.At(i, q)+d1[a])
			sb[q] += d1[a]
		}
		if !p.Bias {
			sb[q] = 0
		}
		res.Objective[q] = obj
	}
	if err := k.MulTo(ctx, t, s); err != nil {
		return err
	}
	res.Products++
	for q := range c {
		var sks float64
		for i := range n {
			sks += s.At(i, q) * t.At(i, q)
		}
		sks = max(sks, 0)
		res.Gap[q] = sks / (4 * p.Ambient)
		res.Gradient[q] = math.Sqrt(sks + sb[q]*sb[q])
	}
	return nil
}
