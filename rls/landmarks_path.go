package rls

// Problem   see landmarks.go: every lambda from one decomposition, with left-out outputs.
// Method    S = Phi'Phi of the centred features and P = Phi'Y, summed over panels of rows in double precision; then
//           S = V diag(w) V', beta = V (diag(w) + lambda)^-1 V'P.
// Leave-out with the rotated features z_i = V'phi_i, a second pass gives, for all lambdas asked for at once,
//             h_i = 1/n + sum_k z_ik^2/(w_k + lambda)   (1/n with the offset)
//             o_i = y_i - (y_i - f_i)/(1 - h_i),
//           the output for row i of the machine trained without it, on the same centres: exact
//           (PRESS; Allen, Technometrics 16, 1974). A centre that is itself a row stays a centre.
//           Directions whose eigenvalues add up to no more than 1e-12 of the least lambda are left out of this pass:
//           no h_i changes by more than 1e-12, and the rest, r of m, are often few.
// Cost      n m kernel values in double precision a pass; 2 n m^2 flops, 9 m^3 for the decomposition; m^2 c a
//           lambda; 2 n m r flops for the second pass. Memory: 5 m^2 numbers, a panel, and n c a lambda left out.
// Limit     eigenvalues are right to 2^-52 n of the largest or so; lambda below that is lost.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

var errOneRow = errors.New("rls: one labelled row cannot determine an offset; label more rows or fit without it")

// LandmarkPath solves the problem for every lambda.
type LandmarkPath struct {
	*landmarks
	w    []float64  // ascending
	v    *mat.Dense // eigenvectors, in columns
	s    *mat.Dense // S, for the certificate
	b, z *mat.Dense // P and V'P
}

// NewLandmarkPath sums and decomposes. y (n x c) is kept and must not change.
func NewLandmarkPath(ctx context.Context, p *kernel.Products, y *mat.Dense, o LandmarkOptions) (*LandmarkPath, error) {
	l, err := newLandmarks(p, y, nil, o, 0)
	if err != nil {
		return nil, err
	}
	t := &LandmarkPath{landmarks: l}
	y = l.centred(y)
	sum, err := l.sums(ctx, p, y, nil)
	if err != nil {
		return nil, err
	}
	t.s, t.b, t.mean = sum.centre(o.Offset)
	t.v, t.w = mat.DenseCopyOf(t.s), make([]float64, l.m)
	if err := (blas.Backend{}).SymEigenInPlace(t.v, t.w); err != nil {
		return nil, fmt.Errorf("rls: eigenvalues of the %dx%d matrix of features: %w", l.m, l.m, err)
	}
	for k, w := range t.w {
		t.w[k] = max(w, 0) // rounding
	}
	t.z = mat.NewDense(l.m, l.c, nil)
	blas.Gemm(true, false, 1, t.v, t.b, 0, t.z)
	return t, nil
}

// Eigenvalues returns those of S, ascending. The slice must not be changed.
func (t *LandmarkPath) Eigenvalues() []float64 { return t.w }

// DegreesOfFreedom returns tr H = sum w/(w + lambda), plus one for the offset.
func (t *LandmarkPath) DegreesOfFreedom(lambda float64) float64 {
	var df float64
	for _, w := range t.w {
		df += w / (w + lambda)
	}
	if t.o.Offset {
		df++
	}
	return df
}

// GCV returns generalised cross-validation, n ||Y - F||^2/(n - tr H)^2 summed over outputs, without a pass over
// the rows; +Inf where no degree of freedom is left. It loses digits as ||Y - F||^2 falls
// below 1e-10 of ||Y||^2.
func (t *LandmarkPath) GCV(lambda float64) float64 {
	left := t.square
	for k, w := range t.w {
		for _, v := range t.z.RawRowView(k) {
			left -= v * v * (w + 2*lambda) / ((w + lambda) * (w + lambda))
		}
	}
	n := float64(t.n)
	free := n - t.DegreesOfFreedom(lambda)
	if free < minSlack*n {
		return math.Inf(1)
	}
	return n * max(left, 0) / (free * free)
}

// At solves for one lambda > 0.
func (t *LandmarkPath) At(lambda float64) (*LandmarkFit, error) {
	if err := checkLambda(lambda); err != nil {
		return nil, err
	}
	shrunk := t.shrunk(lambda)
	beta := mat.NewDense(t.m, t.c, nil)
	blas.Gemm(false, false, 1, t.v, shrunk, 0, beta)
	f := t.fit(lambda, beta)
	f.Residual, f.Objective = residual(t.s, t.b, beta, lambda), t.objective(t.b, beta)
	f.Converged = true
	return f, nil
}

// shrunk returns (diag(w) + lambda)^-1 V'P.
func (t *LandmarkPath) shrunk(lambda float64) *mat.Dense {
	x := mat.DenseCopyOf(t.z)
	for k, w := range t.w {
		row := x.RawRowView(k)
		for j := range row {
			row[j] /= w + lambda
		}
	}
	return x
}

// LeaveOut returns, for each lambda, O (n x c): o_i is the output for row i of the machine trained
// without it, in one pass over the rows.
func (t *LandmarkPath) LeaveOut(ctx context.Context, lambdas []float64) ([]*mat.Dense, error) {
	if len(lambdas) == 0 {
		return nil, nil
	}
	out := make([]*mat.Dense, len(lambdas))
	for q, lambda := range lambdas {
		if err := checkLambda(lambda); err != nil {
			return nil, err
		}
		out[q] = mat.NewDense(t.n, t.c, nil)
	}
	p := t.leave(lambdas)
	work := [3]*mat.Dense{}
	err := t.p.Panels(ctx, func(lo int, k *mat.Dense) error {
		h, _ := k.Dims()
		_, r := p.turn.Dims()
		for q, c := range []int{r, len(lambdas) * t.c, len(lambdas)} {
			if work[q] == nil {
				work[q] = mat.NewDense(h, c, nil)
			}
		}
		z := work[0].Slice(0, h, 0, r).(*mat.Dense)
		blas.Gemm(false, false, 1, k, p.turn, 0, z)
		return p.panel(out, lo, z, work[1].Slice(0, h, 0, len(lambdas)*t.c).(*mat.Dense), work[2].Slice(0, h, 0, len(lambdas)).(*mat.Dense))
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// leaving is what the second pass multiplies by.
type leaving struct {
	t       *LandmarkPath
	turn    *mat.Dense // L^-T V, m x r: z = turn'k less shift
	shift   []float64
	coef    *mat.Dense // r x (c of each lambda)
	inverse *mat.Dense // 1/(w + lambda), r x lambdas
	own     float64    // the offset's part of h
}

func (t *LandmarkPath) leave(lambdas []float64) *leaving {
	least := lambdas[0]
	for _, lambda := range lambdas {
		least = min(least, lambda)
	}
	none := 0
	for sum := t.w[0]; none < t.m-1 && sum <= 1e-12*least; sum += t.w[none] {
		none++
	}
	r := t.m - none
	p := &leaving{
		t: t, turn: mat.DenseCopyOf(t.v.Slice(0, t.m, none, t.m)), shift: make([]float64, r),
		coef: mat.NewDense(r, len(lambdas)*t.c, nil), inverse: mat.NewDense(r, len(lambdas), nil),
	}
	if t.o.Offset {
		p.own = 1 / float64(t.n)
		blas.Gemm(true, false, 1, p.turn, mat.NewDense(t.m, 1, t.mean), 0, mat.NewDense(r, 1, p.shift))
	}
	t.f.Coefficients(p.turn)
	for q, lambda := range lambdas {
		x := t.shrunk(lambda)
		for k := range r {
			copy(p.coef.RawRowView(k)[q*t.c:], x.RawRowView(none+k))
			p.inverse.Set(k, q, 1/(t.w[none+k]+lambda))
		}
	}
	return p
}

// panel stores the outputs of the rows from lo on, of rotated features z, which it overwrites; f and h are
// work.
func (p *leaving) panel(out []*mat.Dense, lo int, z, f, h *mat.Dense) error {
	t := p.t
	rows, _ := z.Dims()
	parallel.Pieces(rows, 32, func(a, b int) {
		for i := a; i < b; i++ {
			row := z.RawRowView(i)
			for k, v := range p.shift {
				row[k] -= v
			}
		}
	})
	blas.Gemm(false, false, 1, z, p.coef, 0, f)
	parallel.Pieces(rows, 32, func(a, b int) {
		for i := a; i < b; i++ {
			row := z.RawRowView(i)
			for k, v := range row {
				row[k] = v * v
			}
		}
	})
	blas.Gemm(false, false, 1, z, p.inverse, 0, h)
	for i := range rows {
		y, fi := t.y.RawRowView(lo+i), f.RawRowView(i)
		for q, o := range out {
			slack := 1 - p.own - h.At(i, q)
			if slack < minSlack {
				return ErrLeverage
			}
			to := o.RawRowView(lo + i)
			for j := range to {
				to[j] = y[j] - (y[j]-t.level[j]-fi[q*t.c+j])/slack
			}
		}
	}
	return nil
}
