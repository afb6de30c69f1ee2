package primal

// The direct solver. At the minimum only labelled rows carry the loss, so with
// M = (c/gamma_A) R
//
//	alpha = T a,  T = (I + M K)^-1 S',  K~ = S K T (l x l),
//	minimise over a, b:  (1/l) sum V(y, K~ a + b) + gamma_A a'K~ a
//
// (Sindhwani 2007, section 2.4), a problem of l rows. With K~ = F F' by pivoted
// Cholesky and w = F'a it is solved by Newton steps with exact search in w, b; then
// a = -V'/(2 gamma_A l), exactly zero where the loss is flat.
//
// Cost: (2/3) n^3 + 2 n^2 l flops once, and l r^2 + r^3/3 a Newton step and output,
// r <= l the rank of K~. Memory: two n x n matrices, that of K and that of I + M K.

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// warpRank is the relative size of the pivots of K~ below which they are rounding
// errors: those of a product of length n with n = 1000.
const warpRank = 1e-13

// Newton trains directly: the twin of CG. k is the Gram matrix, which is only read; r may be nil
// without an intrinsic weight. y is l x c, one column an output.
func (p Machine) Newton(ctx context.Context, k *mat.Dense, r graph.Operator, labelled []int, y *mat.Dense) (*Result, error) {
	n, nc := k.Dims()
	if n != nc {
		panic(fmt.Sprintf("manifold: Gram matrix %dx%d", n, nc))
	}
	if err := p.check(n, r, labelled, y); err != nil {
		return nil, err
	}
	l, c := y.Dims()
	t, kt, err := p.warp(ctx, k, r, labelled)
	if err != nil {
		return nil, err
	}
	block := mat.NewDense(l, l, nil)
	for a, i := range labelled {
		copy(block.RawRowView(a), kt.RawRowView(i))
	}
	for a := range l {
		for b := range a {
			v := (block.At(a, b) + block.At(b, a)) / 2
			block.Set(a, b, v)
			block.Set(b, a, v)
		}
	}
	pivots, f := pivotedCholesky(block, l, warpRank)
	rank := len(pivots)
	if rank == 0 {
		f = nil
	}
	x := withOnes(l, f)
	m := newFeatures(p, x, mat.NewDense(l, rank+1, nil), nil)
	res := newResult(n, c)
	a := mat.NewDense(l, c, nil)
	for q := range c {
		m.train(ctx, mat.Col(nil, q, y), 1e-14)
		for i, d := range m.d1 {
			a.Set(i, q, -d/(2*p.Ambient))
		}
		res.B[q] = m.w[rank]
		res.Iterations[q] = m.steps
		if res.Status[q] = Converged; m.steps == newtonSteps {
			res.Status[q] = Limited
		}
	}
	blas.Gemm(1, blas.N(t), blas.N(a), 0, res.Alpha)
	res.Products = 1
	return res, p.certify(ctx, DenseProduct(k), r, labelled, y, res)
}

// warp returns T and K T, n x l.
func (p Machine) warp(ctx context.Context, k *mat.Dense, r graph.Operator, labelled []int) (t, kt *mat.Dense, err error) {
	n, l, on := k.RawMatrix().Rows, len(labelled), blas.Within(ctx)
	t, kt = mat.NewDense(n, l, nil), mat.NewDense(n, l, nil)
	for q, i := range labelled {
		t.Set(i, q, 1)
	}
	if p.Intrinsic != 0 {
		system := mat.NewDense(n, n, nil)
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		r.MulTo(system, k)
		ratio := p.Intrinsic / p.Ambient
		for i := range n {
			row := system.RawRowView(i)
			for j := range row {
				row[j] *= ratio
			}
			row[i]++
		}
		lu := blas.LU{Backend: on}
		err := lu.Factor(system)
		if on.Stopped() != nil {
			return nil, nil, on.Stopped()
		}
		if err != nil {
			return nil, nil, fmt.Errorf("manifold: I + M K with ratio %g: %w", ratio, err)
		}
		lu.Solve(t)
	}
	on.Gemm(1, blas.N(k), blas.N(t), 0, kt)
	return t, kt, on.Stopped()
}

// pivotedCholesky factors the symmetric positive semi-definite A ~ F F', F |A| x r,
// taking at each step the largest remaining diagonal element, the first on ties, until
// r = limit or that is below floor times the largest of A. F[pivots] is lower
// triangular. Cost: |A| r^2 flops.
func pivotedCholesky(a *mat.Dense, limit int, floor float64) (pivots []int, f *mat.Dense) {
	n, _ := a.Dims()
	limit = min(limit, n)
	work := mat.NewDense(n, max(limit, 1), nil)
	rest := make([]float64, n)
	var top float64
	for i := range rest {
		rest[i] = a.At(i, i)
		top = max(top, rest[i])
	}
	for r := range limit {
		p := 0
		for i, v := range rest {
			if v > rest[p] {
				p = i
			}
		}
		if !(rest[p] > floor*top) {
			break
		}
		pivot := math.Sqrt(rest[p])
		row := work.RawRowView(p)[:r]
		col := a.RawRowView(p)
		parallel.Pieces(n, 4096, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if rest[i] == math.Inf(-1) {
					continue // a pivot already: its rest is exactly zero
				}
				v := (col[i] - floats.Dot(row, work.RawRowView(i)[:r])) / pivot
				if i != p {
					work.Set(i, r, v)
					rest[i] -= v * v
				}
			}
		})
		work.Set(p, r, pivot)
		rest[p] = math.Inf(-1)
		pivots = append(pivots, p)
	}
	r := max(len(pivots), 1)
	return pivots, work.Slice(0, n, 0, r).(*mat.Dense)
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
