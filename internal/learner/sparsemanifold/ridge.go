package sparsemanifold

// Problem   least squares on a kernel K~ (l x l) and its outputs o = G alpha + b, for which rows are left out in closed form.
//
//	N = (K~ + lambda I)^-1, less S 11'S/(1'S 1) of that inverse S with an offset,   alpha = N y,   b = z'y,  z = S 1/(1'S 1)
//	r_B = N_BB^-1 alpha_B,   alpha^(-B) = alpha - N_.B r_B,   b^(-B) = b - z_B'r_B
//
//           because rows B without a loss are rows whose targets are what they are given. With G = K~ it is leave-one-out of
//           package rls; with slack rows that are left out are judged by o, which is not f.
// Cost      some 3 l^3 flops for each lambda.
// Source    the leave-out of Sindhwani 2007, section 2.5, for a matrix G of its own (ours).

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
)

// ridge is the fit for one lambda.
type ridge struct {
	n     *mat.Dense // l x l
	alpha *mat.Dense // l x c
	z     []float64  // nil without an offset
	b     []float64
}

// leastSlack bounds 1 - the leverage of a row, as in package rls.
const leastSlack = 1e-12

func newRidge(ctx context.Context, k, y *mat.Dense, offset bool, lambda float64) (*ridge, error) {
	l, c := y.Dims()
	s := mat.DenseCopyOf(k)
	for i := range l {
		s.Set(i, i, s.At(i, i)+lambda)
	}
	f := blas.Cholesky{Backend: blas.Within(ctx)}
	if err := f.Factor(s); err != nil {
		return nil, err
	}
	f.Inverse()
	if err := f.Backend.Stopped(); err != nil {
		return nil, err
	}
	r := &ridge{n: s, alpha: mat.NewDense(l, c, nil)}
	if offset {
		r.z, r.b = make([]float64, l), make([]float64, c)
		var total float64
		for i := range l {
			for _, v := range s.RawRowView(i) {
				r.z[i] += v
			}
			total += r.z[i]
		}
		for i, v := range r.z {
			addTo(s.RawRowView(i), -v/total, r.z)
		}
		for i := range l {
			r.z[i] /= total
			addTo(r.b, r.z[i], y.RawRowView(i))
		}
	}
	blas.Gemm(1, blas.N(s), blas.N(y), 0, r.alpha)
	return r, nil
}

// leftOut returns what the rows of each fold are given by the machine of the others; rows in no fold are zero.
func (r *ridge) leftOut(given *mat.Dense, folds [][]int, lambda float64) (*mat.Dense, error) {
	l, c := r.alpha.Dims()
	out, all, gn := mat.NewDense(l, c, nil), mat.NewDense(l, c, nil), mat.NewDense(l, l, nil)
	blas.Gemm(1, blas.N(given), blas.N(r.alpha), 0, all)
	blas.Gemm(1, blas.N(given), blas.N(r.n), 0, gn)
	for _, fold := range folds {
		m := len(fold)
		nb, rb := mat.NewDense(m, m, nil), chosen(r.alpha, fold)
		for p, i := range fold {
			if lambda*r.n.At(i, i) < leastSlack {
				return nil, rls.ErrLeverage
			}
			for q, j := range fold {
				nb.Set(p, q, r.n.At(i, j))
			}
		}
		var f blas.Cholesky
		if err := f.Factor(nb); err != nil {
			return nil, rls.ErrLeverage
		}
		f.SolveTo(rb)
		for _, i := range fold {
			row := out.RawRowView(i)
			copy(row, all.RawRowView(i))
			addTo(row, 1, r.b)
			for q, j := range fold {
				v := gn.At(i, j)
				if r.z != nil {
					v += r.z[j]
				}
				addTo(row, -v, rb.RawRowView(q))
			}
		}
	}
	return out, nil
}

// certificate is the objective 1/2 |o|^2 + C sum (y - f)^2 with its penalties, y'alpha/2, and the residual of the system.
func (r *ridge) certificate(k, y *mat.Dense, lambda float64) learn.Certificate {
	l, c := y.Dims()
	var cert learn.Certificate
	rest := mat.DenseCopyOf(y)
	blas.Gemm(-1, blas.N(k), blas.N(r.alpha), 1, rest)
	for i := range l {
		row := rest.RawRowView(i)
		addTo(row, -lambda, r.alpha.RawRowView(i))
		addTo(row, -1, r.b)
		for j := range c {
			cert.Objective += y.At(i, j) * r.alpha.At(i, j) / 2
			cert.Residual = max(cert.Residual, math.Abs(row[j]))
		}
	}
	cert.Residual /= max(mat.Max(y), -mat.Min(y), 0x1p-1022)
	return cert
}
