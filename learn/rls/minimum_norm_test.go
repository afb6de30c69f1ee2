package rls_test

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/rls"
	"gonum.org/v1/gonum/mat"
)

// The interpolation of least norm is the limit of the ridge to zero, with and without an offset, also
// where rows are doubled and the kernel matrix is singular; among all coefficients with the same
// values its norm is the least.
func TestMinimumNormIsTheLimit(t *testing.T) {
	ctx := context.Background()
	for _, offset := range []bool{false, true} {
		for _, k := range []kernel.Kernel{kernel.Gaussian{Sigma: 0.7}, kernel.Linear{}} {
			p := learntest.Clusters(60, 3, 2, 4)
			g, err := k.Bind(ctx, p.Rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			trainer, err := rls.MinimumNorm{Offset: offset}.Bind(ctx, g, p)
			if err != nil {
				t.Fatal(err)
			}
			m, err := trainer.Train(ctx, nil, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			l := len(p.Labelled)
			block := mat.NewDense(l, l, nil)
			g.Block(block, p.Labelled, p.Labelled)
			path, err := rls.NewPath(context.Background(), block, p.Y, nil, offset)
			if err != nil {
				t.Fatal(err)
			}
			limit, err := path.At(1e-9)
			if err != nil {
				t.Fatal(err)
			}
			fitted := mat.NewDense(l, p.Outputs(), nil)
			limit.Fitted(fitted)
			digits := 1e-5
			if _, plain := k.(kernel.Linear); plain {
				digits = 1e-4 // the kernel matrix has eigenvalues that are rounding, some of it divided by the ridge of 1e-9
			}
			for i := range l {
				if d := math.Abs(fitted.At(i, 0) - m.Fitted.At(i, 0)); d > digits {
					t.Errorf("%T, offset %v: row %d is %g, the limit %g", k, offset, i, m.Fitted.At(i, 0), fitted.At(i, 0))
				}
			}
			if m.Certificate.Residual > 1e-7 {
				t.Errorf("%T, offset %v: K r is %g", k, offset, m.Certificate.Residual)
			}
			if _, plain := k.(kernel.Linear); plain {
				continue // the limit's coefficients have large parts that the kernel does not see
			}
			if norm, ridge := quadratic(block, m.Coef), quadratic(block, limit.Alpha); norm > ridge*(1+1e-4) {
				t.Errorf("%T, offset %v: squared norm %g, that of a small ridge %g", k, offset, norm, ridge)
			}
		}
	}
}

// quadratic is a'Ka.
func quadratic(k, a *mat.Dense) float64 {
	var ka, q mat.Dense
	ka.Mul(k, a)
	q.Mul(a.T(), &ka)
	return q.At(0, 0)
}

// One row makes the constant of its target where there is an offset, as where another of two is left out; no row makes nothing.
func TestMinimumNormOfFewRows(t *testing.T) {
	ctx := t.Context()
	p := learntest.Clusters(60, 3, 2, 4)
	g, err := kernel.Gaussian{Sigma: 0.7}.Bind(ctx, p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, offset := range []bool{false, true} {
		trainer, err := rls.MinimumNorm{Offset: offset}.Bind(ctx, g, p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := trainer.Train(ctx, []int{2}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if y := p.Y.At(2, 0); math.Abs(m.Fitted.At(0, 0)-y) > 1e-12 || offset && (m.Offset[0] != y || m.Coef.At(0, 0) != 0) {
			t.Errorf("offset %v: %v of target %g", offset, m, y)
		}
		if _, err := trainer.Train(ctx, []int{}, nil, nil); err == nil {
			t.Errorf("offset %v: a machine of no row", offset)
		}
	}
}
