package sparsemanifold

// Problem   first f spreads the labels over the graph, then o is a regression on f over the rows R that a label reaches:
//
//	f = argmin (gammaI/2) f'Mf + 1/2 sum_L (f_i - y_i)^2
//	beta = argmin (gammaA/2) beta'K_JJ beta + (nu/2) sum_R (f_i - o_i)^2
//
// Solution  (gammaI M + I_L + safeguard I) f = Y;   w = (Phi_R'Phi_R + (gammaA/nu) I)^-1 Phi_R'f_R.  The safeguard makes f zero
//           on pieces of the graph without a label, and these rows are no part of R.
// Cost      a system of the graph a column; n d^2 flops.
// Source    Sindhwani 2007, section 5.3, its last part. It is the limit nu to 0 of the slack machine with gammaA/nu fixed.

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/learner/propagate"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// safeguard is that of the source's reproduction, in units of a label's weight.
const safeguard = 1e-9

// Spread is f (n x c), and the rows that a label reaches along the graph, ascending.
func Spread(
	ctx context.Context, norm *graph.Power, labelled []int, y *mat.Dense, gammaI float64,
) (*mat.Dense, []int, learn.Certificate, error) {
	if !(gammaI > 0) || math.IsInf(gammaI, 0) {
		return nil, nil, learn.Certificate{}, fmt.Errorf("sparsemanifold: gamma_I = %g spreads no label; it must be positive and finite",
			gammaI)
	}
	n := norm.Len()
	add := make([]float64, n)
	for i := range add {
		add[i] = safeguard
	}
	for _, i := range labelled {
		add[i]++
	}
	b := onRows(n, labelled, y)
	f := mat.NewDense(n, b.RawMatrix().Cols, nil)
	cert, err := propagate.NewSystem(norm.L, norm.P, gammaI, add).Solve(ctx, f, b)
	return f, Reached(norm, labelled), cert, err
}

// Reached are the rows that edges join with a labelled one, ascending.
func Reached(norm *graph.Power, labelled []int) []int {
	seen := make([]bool, norm.Len())
	queue := make([]int, 0, len(labelled))
	visit := func(i int) {
		if !seen[i] {
			seen[i] = true
			queue = append(queue, i)
		}
	}
	for _, i := range labelled {
		visit(i)
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		idx, val := norm.L.Row(i)
		for q, j := range idx {
			if val[q] != 0 {
				visit(int(j))
			}
		}
	}
	var rows []int
	for i, ok := range seen {
		if ok {
			rows = append(rows, i)
		}
	}
	return rows
}

// Regress is beta (d x c) of the second step, on the rows listed; gamma is gammaA/nu.
func Regress(p *kernel.Nystrom, rows []int, f *mat.Dense, gamma float64) (*mat.Dense, error) {
	phi, target := p.Phi, f
	n, d := phi.Dims()
	if len(rows) < n {
		phi, target = chosen(phi, rows), chosen(f, rows)
	}
	_, c := f.Dims()
	h, beta := mat.NewDense(d, d, nil), mat.NewDense(d, c, nil)
	blas.SyrkLower(1, blas.T(phi), 0, h)
	for k := range d {
		h.Set(k, k, h.At(k, k)+gamma)
	}
	blas.Gemm(1, blas.T(phi), blas.N(target), 0, beta)
	var chol blas.Cholesky
	if err := chol.Factor(h); err != nil {
		return nil, fmt.Errorf("sparsemanifold: regression on %d centres with gamma_A/nu = %g: %w", d, gamma, err)
	}
	chol.SolveTo(beta)
	p.Coefficients(beta)
	return beta, nil
}

// apart is the objective 1/2 |o|^2 + Nu/2 |f - o|^2 + Ratio/2 f'Mf + C sum (y - f)^2 of a decoupled machine; f and o are compared on the
// rows that a label reaches.
func (s Learner) apart(at *prepared, p *learn.Problem, rows []int, c float64, f *mat.Dense, reached []int, coef *mat.Dense) float64 {
	n, outputs := f.Dims()
	mf, w, o := mat.NewDense(n, outputs, nil), mat.NewDense(len(at.centres), outputs, nil), mat.NewDense(n, outputs, nil)
	s.Norm.MulTo(mf, f)
	blas.Gemm(1, blas.T(at.features.Factor()), blas.N(coef), 0, w)
	blas.Gemm(1, blas.N(at.features.Phi), blas.N(w), 0, o)
	sum := mat.Dot(flat(w), flat(w))/2 + s.Ratio*mat.Dot(flat(f), flat(mf))/2
	for _, i := range reached {
		for j, v := range f.RawRowView(i) {
			sum += s.Nu * (v - o.At(i, j)) * (v - o.At(i, j)) / 2
		}
	}
	for q, i := range p.Subset(rows) {
		for j, v := range f.RawRowView(i) {
			r := p.Y.At(rows[q], j) - v
			sum += c * r * r
		}
	}
	return sum
}

// flat are the numbers of a matrix that is no view of another.
func flat(m *mat.Dense) *mat.VecDense {
	raw := m.RawMatrix()
	return mat.NewVecDense(raw.Rows*raw.Cols, raw.Data)
}
