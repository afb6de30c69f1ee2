package rls

// Problem   among the functions that minimise sum_i w_i (y_i - f(x_i))^2, empirical risk minimisation
//           without regularisation, the one of least norm: the limit of regularised least squares
//           for lambda to 0.
// Method    alpha = K^+ y = sum_i u_i u_i'y / w_i over the eigenvalues |w_i| > slack of K, slack that of
//           rounding; with the offset K is centred first.
// Cost      one eigendecomposition of the labelled block, some 9 l^3.
// Source    Odone & Rosasco 2014 (MLCC, lecture 3), section 3.2, and its minimal norm solution.

import (
	"context"
	"errors"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// MinimumNorm is the learner of least squares without a ridge. It has no parameter.
type MinimumNorm struct{ Offset bool }

var _ learn.Learner = MinimumNorm{}

// Space is empty.
func (MinimumNorm) Space(float64, float64) param.Space { return nil }

// Bind implements learn.Learner.
func (m MinimumNorm) Bind(_ context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	return minimumNorm{m, g, p}, nil
}

type minimumNorm struct {
	MinimumNorm
	g kernel.Gram
	p *learn.Problem
}

// Train implements learn.Trainer.
func (t minimumNorm) Train(ctx context.Context, rows []int, _ []float64, _ *learn.Machine) (*learn.Machine, error) {
	at := t.p.Subset(rows)
	if len(at) == 0 {
		return nil, errors.New("rls: no labelled row is left to learn from; label more rows")
	}
	y := t.p.Y
	if rows != nil {
		y = mat.NewDense(len(rows), t.p.Outputs(), nil)
		for q, i := range rows {
			y.SetRow(q, t.p.Y.RawRowView(i))
		}
	}
	if len(at) == 1 && t.Offset { // the function of norm zero
		return &learn.Machine{Rows: at, Coef: mat.NewDense(1, t.p.Outputs(), nil), Offset: mat.Row(nil, 0, y), Fitted: mat.DenseCopyOf(y)}, nil
	}
	k := mat.NewDense(len(at), len(at), nil)
	if err := kernel.Fill(ctx, k, t.g, at, at); err != nil {
		return nil, err
	}
	path, err := NewPath(ctx, k, y, t.p.WeightOf(rows), t.Offset)
	if err != nil {
		return nil, err
	}
	f := path.minimumNorm()
	fitted := blas.Product(blas.N(k), blas.N(f.Alpha))
	for i := range at {
		for j, b := range f.B {
			fitted.Set(i, j, fitted.At(i, j)+b)
		}
	}
	return &learn.Machine{Rows: at, Coef: f.Alpha, Offset: f.B, Fitted: fitted, Certificate: path.optimality(fitted)}, nil
}

// minimumNorm is the fit at lambda = 0; nothing is left out of it in closed form.
func (p *Path) minimumNorm() *Fit {
	l, c := p.y.Dims()
	z := mat.DenseCopyOf(p.z)
	for i, w := range p.w {
		row := z.RawRowView(i)
		for j := range row {
			if math.Abs(w) <= p.slack {
				row[j] = 0
			} else {
				row[j] /= w
			}
		}
	}
	f := &Fit{path: p, Alpha: mat.NewDense(l, c, nil)}
	blas.Gemm(1, blas.N(p.u), blas.N(z), 0, f.Alpha)
	if p.offset {
		f.B = p.offsets(f)
	}
	return f
}

// optimality is the certificate of a least squares fit: the weighted sum of squared residuals r, and how
// far K r is from zero, where the gradient in the space of the kernel vanishes.
func (p *Path) optimality(fitted *mat.Dense) learn.Certificate {
	l, c := p.y.Dims()
	r := mat.NewDense(l, c, nil)
	r.Sub(p.y, fitted)
	var cert learn.Certificate
	for i := range l {
		row := r.RawRowView(i)
		for j, v := range row {
			row[j] *= p.weigh.Of(i)
			cert.Objective += v * row[j]
		}
	}
	g := blas.Product(blas.T(p.k), blas.N(r))
	for i := range l {
		for _, v := range g.RawRowView(i) {
			cert.Residual = max(cert.Residual, math.Abs(v))
		}
	}
	return cert
}
