package smooth

// Problem   the linear form.
// Method    gradient descent with the constant step 1/L, the lecture's rlr-gd:
//
//	(w, b) <- (w, b) - step (w + X'cV', sum cV' (+ b when Augmented)),
//	L = 1 + max V'' sigma_max(diag(sqrt c) X~)^2,  X~ = X, or (X, 1) with an offset
//
//           Its scale: for (1/n) sum V + lambda ||w||^2 the lecture's step is eta = 2 lambda step
//           and its constant sigma_max^2 max V''/n + 2 lambda = 2 lambda L. The printed
//           iteration divides the norm's part by n too, and so minimises something else.
// Rate      1 - 1/L a step towards w; slow, and exact to any tolerance: the twin of Newton.
// Cost      two products with X a step; L by one symmetric eigenproblem of min(n, d) up to
//           2048, beyond by the Frobenius norm, which bounds it from above.
// Source    Odone and Rosasco 2014, section 3.5, corrected; step of Nesterov 2004, thm 2.1.14.

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// descentOptions tunes descent.
type descentOptions struct {
	Tolerance float64 // on linearSolution.Gradient; default 1e-8
	MaxSteps  int     // default 10000
	Step      float64 // 0 means 1/L
}

// descent solves p by gradient descent from start (zeros when nil; else W = X'Beta). It
// is a method to teach and to compare with; newtonLinear is the one to use. Its Beta
// moves with w, beta <- beta - step (beta + cV'), so that W = X'Beta wherever it ends.
func descent(ctx context.Context, p linearProblem, o descentOptions, start *linearSolution) (*linearSolution, error) {
	t, err := p.check()
	if err != nil {
		return nil, err
	}
	m := newLinear(p, t, start)
	step := o.Step
	if step == 0 {
		top, err := m.largest()
		if err != nil {
			return nil, err
		}
		step = 1 / (1 + t.loss.Curvature()*top)
	}
	if !(step > 0) || math.IsInf(step, 0) {
		return nil, fmt.Errorf("smooth: step %g of gradient descent; it must be positive and finite", step)
	}
	limit := o.MaxSteps
	if limit <= 0 {
		limit = 10000
	}
	tol := options{Tolerance: o.Tolerance}.tolerance()
	s := &linearSolution{}
	beta := make([]float64, m.x.n)
	if start != nil && start.Beta != nil {
		copy(beta, start.Beta)
	}
	m.refresh()
	for {
		switch {
		case m.gradient() <= tol:
			s.Status = gradientSmall
		case s.Steps >= limit:
			s.Status = budgetSpent
		case ctx.Err() != nil:
			err = ctx.Err()
		default:
			floats.AddScaled(m.w, -step, m.gw)
			floats.Scale(1-step, beta)
			floats.AddScaled(beta, -step, m.g)
			if m.offset != None {
				m.b -= step * m.gb
			}
			m.refresh()
			s.Steps++
			continue
		}
		m.finish(s)
		if s.Beta = beta; m.x.mean != nil { // w is of the centred rows: X'1 = n mean
			balance(beta)
		}
		return s, err
	}
}

// largest returns sigma_max(diag(sqrt c) X~)^2 or a bound.
func (m *linear) largest() (float64, error) {
	const exact = 2048
	n, d := m.x.n, m.x.d
	if m.offset != None {
		d++
	}
	buf := make([]float64, d)
	row := func(i int) []float64 {
		m.x.row(buf[:m.x.d], i, math.Sqrt(m.c[i]), nil)
		if m.offset != None {
			buf[d-1] = math.Sqrt(m.c[i])
		}
		return buf
	}
	if min(n, d) > exact {
		var s float64
		for i := range n {
			v := row(i)
			s += floats.Dot(v, v)
		}
		return s, nil
	}
	h := mat.NewDense(d, d, nil)
	if n < d {
		a := mat.NewDense(n, d, nil)
		for i := range n {
			a.SetRow(i, row(i))
		}
		h = mat.NewDense(n, n, nil)
		blas.Syrk(1, blas.N(a), 0, h)
	} else {
		a := mat.NewDense(min(n, 512), d, nil)
		for lo := 0; lo < n; lo += 512 {
			hi := min(lo+512, n)
			part := a.Slice(0, hi-lo, 0, d).(*mat.Dense)
			for i := lo; i < hi; i++ {
				part.SetRow(i-lo, row(i))
			}
			blas.Syrk(1, blas.T(part), 1, h)
		}
	}
	size, _ := h.Dims()
	values := make([]float64, size)
	if err := blas.SymEigen(h, values, mat.NewDense(size, size, nil)); err != nil {
		return 0, fmt.Errorf("smooth: largest singular value of the features: %w", err)
	}
	return values[size-1], nil
}
