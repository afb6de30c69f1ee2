package kernel

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ARDLinear is k(x, z) = sum_k x_k z_k / c_k, the linear kernel with one penalty a
// column, positive semi-definite: a linear machine with it has the regulariser
// sum_k c_k w_k^2 in place of |w|^2, f(x) = sum_k w_k x_k. A large penalty removes its
// column.
//
// C has d penalties, positive. Zeros, and an empty list, mean 1 (see Adapt), the linear
// kernel. The parameters are "c[1]" ... "c[d]":
//
//	dk/dc_k = -x_k z_k / c_k^2
//
// Source: Klatzer 2014, section 2.4, whose Hessian lacks the penalties and whose
// derivative by them is missing.
type ARDLinear struct {
	C []float64 `json:"c,omitempty"`
}

var ardLinearKind = kindOf(param.Words{
	ID: "ard-linear", Title: "linear with a penalty for each column",
	Formula: "sum_k x_k z_k / c_k",
	About: "a linear machine with the regulariser sum_k c_k w_k^2: a useless column gets a large penalty; for the gradient search, " +
		"which has all of them in one pass",
	Parameters: []param.Meaning{
		meaning("c[1], c[2], ...", "> 0", "tuned, from 1", "penalty of a column, counted from 1; ard-linear(c=1:2:3) gives all of them"),
	},
	Source:  cite.Klatzer + ", 2.4, with the derivative that is missing there",
	SciKit:  "linear_model.ARDRegression has the same prior",
	Example: "mercer fit wine --method rls --kernel ard-linear --search gradient",
}, func(k *ARDLinear) []field { return []field{{name: "c", value: &k.C}} })

// Space is the penalties, each within a factor 64^2 of its present value: they are the
// squares of lengths.
func (k ARDLinear) Space() param.Space {
	s := make(param.Space, len(k.C))
	for j, v := range k.C {
		s[j] = logDim(fmt.Sprintf("c[%d]", j+1), v)
		s[j].Lo, s[j].Hi = s[j].Lo/reach, s[j].Hi*reach
	}
	return s
}

// With returns the kernel with the penalties theta > 0.
func (k ARDLinear) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return valid(ARDLinear{C: append([]float64(nil), theta...)})
}

// Adapt replaces zero penalties by 1.
func (k ARDLinear) Adapt(rows data.Rows) Kernel {
	c := make([]float64, rows.Dim())
	if len(k.C) > 0 {
		c = append([]float64(nil), k.C...)
	}
	for j, v := range c {
		if v == 0 {
			c[j] = 1
		}
	}
	return ARDLinear{C: c}
}

// Bind divides the columns by the roots of their penalties: O(nd) time and memory.
func (k ARDLinear) Bind(ctx context.Context, train data.Rows, _ *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	if d := train.Dim(); d != len(k.C) {
		return nil, fmt.Errorf("kernel: ard-linear: %d penalties for rows of %d columns; give one a column", len(k.C), d)
	}
	factor := make([]float64, len(k.C))
	for j, v := range k.C {
		factor[j] = 1 / math.Sqrt(v)
	}
	unit := &shapeGram{k: Linear{}, train: train, p: euclidean{newPoints(train, innerProduct, factor)}}
	return &ardLinearGram{shapeGram: unit, k: k}, nil
}

func (k ARDLinear) check(at stage) error {
	if at == bound && len(k.C) == 0 {
		return errors.New("ard-linear: no penalties; give one a column or take ones with Adapt")
	}
	for j, v := range k.C {
		if err := positive("ard-linear", fmt.Sprintf("c[%d]", j+1), v, at); err != nil {
			return err
		}
	}
	return nil
}

func (k ARDLinear) share(variance, c float64) float64 { return variance / c }
func (k ARDLinear) on(columns []int) Kernel           { return ARDLinear{C: indices.Of(k.C, columns)} }

func (k ARDLinear) penalties(d int) ([]float64, bool) { return k.C, len(k.C) == d }

func (k ARDLinear) tangent(grad, _, c []float64, a float64) error {
	for i, v := range c {
		grad[i] += a * v / k.C[i]
	}
	return nil
}

// ardLinearGram is the linear kernel on the rows u = x / sqrt(c).
type ardLinearGram struct {
	*shapeGram
	k ARDLinear
}

// Pull, with the rows u, v of I and J and bar = U V' + D:
//
//	grad_k -= (sum_q (u'U)_kq (v'V)_kq + sum_i u_ik (D v)_ik) / c_k
//
// Cost: 2 (|I|+|J|) d r flops for the first part, in which the matrix itself never
// appears, 2 |I||J| d for the second (for sparse rows the pairs of entries in a common
// column), for all d penalties.
func (g *ardLinearGram) Pull(grad []float64, bar Cotangent) error {
	checkGrad(grad, g.k)
	if r, m := bar.dims(g.Len()); r == 0 || m == 0 {
		return nil
	}
	d := len(grad)
	sum := make([]float64, d)
	pj := g.points().take(bar.J)
	if bar.U != nil {
		_, r := bar.U.Dims()
		left, right := mat.NewDense(d, r, nil), mat.NewDense(d, r, nil)
		g.points().take(bar.I).transposeMul(left, bar.U)
		pj.transposeMul(right, bar.V)
		for k := range sum {
			sum[k] = floats.Dot(row(left, k), row(right, k))
		}
	}
	var product *mat.Dense
	rest := Cotangent{I: bar.I, J: bar.J, D: bar.D}
	rest.panels(g.Len(), func(i []int, b *mat.Dense) {
		pi := g.points().take(i)
		if pi.dense == nil {
			half := make([]float64, d) // addSparse subtracts twice the sums
			addSparse(half, pi, pj, b)
			for k, v := range half {
				sum[k] -= v / 2
			}
			return
		}
		p := panelOf(&product, len(i), d)
		blas.Gemm(1, blas.N(b), blas.N(pj.dense), 0, p)
		for a := range i {
			u := row(pi.dense, a)
			for k, v := range row(p, a) {
				sum[k] += u[k] * v
			}
		}
	})
	for k, v := range sum {
		grad[k] -= v / g.k.C[k]
	}
	return nil
}

func (g *ardLinearGram) features() (data.Rows, bool) {
	return data.Rows{Dense: g.points().dense, Sparse: g.points().csr, ID: g.train.ID}, true
}

func (g *ardLinearGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}

// transposeMul stores p'm in dst.
func (p *points) transposeMul(dst, m *mat.Dense) {
	if p.dense != nil {
		blas.Gemm(1, blas.T(p.dense), blas.N(m), 0, dst)
		return
	}
	t := p.transpose()
	_, r := m.Dims()
	parallel.Pieces(p.dim(), chunk, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			to := row(dst, k)
			rows, values := t.Row(k)
			for q, a := range rows {
				for c, v := range row(m, int(a))[:r] {
					to[c] += values[q] * v
				}
			}
		}
	})
}
