package basis

// Problem   beta = argmin R on given centres J (Problem), |J| = d:
//
//	H_J beta = b_J,   H_J = GammaA K_JJ + K_JN Q K_NJ,   b_J = K_JN T,   R = Constant - 1/2 b_J' beta
//
// Method    Cholesky of H_J; where it fails, 1e-10 of the mean diagonal is added, ten times more each time up to 1e-4.
// Cost      n d kernel values, a product of Q with d columns, 2 n d^2 flops; memory 2 n d numbers.
// Source    Sindhwani 2007, section 5.1 (jitter: ours).

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

// Fitted are the best coefficients on given centres.
type Fitted struct {
	Beta      *mat.Dense // d x c
	Outputs   *mat.Dense // K_NJ beta, n x c
	Objective float64    // R
	Jitter    float64    // added to the diagonal of H_J; 0 unless it was singular
}

const (
	firstJitter = 1e-10
	lastJitter  = 1e-4
)

// Fit solves the problem on the centres. Centres listed twice are an error.
func Fit(ctx context.Context, p Problem, centres []int) (*Fitted, error) {
	if err := p.check(len(centres)); err != nil {
		return nil, err
	}
	if err := distinct(centres, p.Gram.Len()); err != nil {
		return nil, err
	}
	k, h, err := p.normal(ctx, centres)
	if err != nil {
		return nil, err
	}
	_, c := p.Target.Dims()
	b := blas.Product(blas.T(k), blas.N(p.Target))
	f := &Fitted{Beta: mat.DenseCopyOf(b), Outputs: mat.NewDense(p.Gram.Len(), c, nil)}
	if f.Jitter, err = solveJittered(h, f.Beta); err != nil {
		return nil, err
	}
	blas.Gemm(1, blas.N(k), blas.N(f.Beta), 0, f.Outputs)
	f.Objective = p.Constant - dot(b, f.Beta)/2
	return f, ctx.Err()
}

// normal returns K_NJ (n x d) and H_J (d x d).
func (p Problem) normal(ctx context.Context, centres []int) (k, h *mat.Dense, err error) {
	n, d := p.Gram.Len(), len(centres)
	k, h = mat.NewDense(n, d, nil), mat.NewDense(d, d, nil)
	p.Gram.Block(k, nil, centres)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	for i, j := range centres {
		copy(h.RawRowView(i), k.RawRowView(j))
	}
	u := mat.NewDense(n, d, nil)
	p.Q.MulTo(u, k)
	on := blas.Within(ctx)
	on.Gemm(1, blas.T(k), blas.N(u), p.GammaA, h)
	return k, h, on.Stopped()
}

// solveJittered replaces x by (h + jitter I)^-1 x, with the least jitter that makes h positive definite.
func solveJittered(h, x *mat.Dense) (jitter float64, err error) {
	d, _ := h.Dims()
	mean := mat.Trace(h) / float64(d)
	var chol blas.Cholesky
	for share := 0.0; share <= lastJitter; share = max(10*share, firstJitter) {
		jitter = share * mean
		l := mat.DenseCopyOf(h)
		for i := range d {
			l.Set(i, i, l.At(i, i)+jitter)
		}
		if err = chol.Factor(l); err == nil {
			chol.SolveTo(x)
			return jitter, nil
		}
	}
	return jitter, fmt.Errorf("basis: the %dx%d system of the centres, with %.3g on its diagonal: %w; take fewer or a larger gamma_a",
		d, d, jitter, err)
}

func distinct(centres []int, n int) error {
	seen := make(map[int]bool, len(centres))
	for _, j := range centres {
		if j < 0 || j >= n {
			panic(fmt.Sprintf("basis: centre %d of %d rows", j, n))
		}
		if seen[j] {
			return fmt.Errorf("basis: row %d is listed twice among the centres; list every centre once", j)
		}
		seen[j] = true
	}
	return nil
}

func dot(a, b *mat.Dense) float64 {
	var s float64
	r, _ := a.Dims()
	for i := range r {
		y := b.RawRowView(i)
		for q, v := range a.RawRowView(i) {
			s += v * y[q]
		}
	}
	return s
}
