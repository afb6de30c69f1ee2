package sparsemanifold

// Problem   machines on given centres with any loss of the labelled rows, many times: for every loss, strength, class and fold.
//           With everything divided by gammaA, r = gammaI/gammaA and v = nu/gammaA,
//
//	1/2 |o|^2 + (r/2) f'Mf + (v/2) |f - o|^2 + C sum_L V(y_i, f_i + b),    C = 1/(2 gammaA)
//
// Method    the sum f = o + e of a function of the centres and a free one is a function of the kernel Phi Phi' + I/v, and the
//           graph warps that kernel once for all labels: f = K~ alpha with alpha on the labelled rows alone,
//
//	B = (r M + v I)^-1,   G = v B Phi,   T T' = I + r Phi'M G
//	K~_ij = B_ij + F_i F_j',  F = G T^-T,        o = Phi T^-T F_L' alpha,   beta = L^-T T^-T F_L' alpha
//
//           so learners of kernel machines train on the l x l matrix K~_LL. Without slack (v infinite) B = 0 and G = Phi, the
//           kernel of manifold.Reduced.
// Left out  of least squares in closed form (ridge.go), of o and not of f, because new rows are decided by o.
// Cost      d + l systems of the graph with slack; n d^2 flops, a product of M with d columns; memory 2 n d + l (2 l + d).
// Source    Sindhwani 2007, eqs. 5.6-5.9 with the warped kernel of eq. 2.22; the label-free form is ours.

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

// Warp is what machines on some centres and labelled rows share.
type Warp struct {
	// Kernel is K~_LL (l x l), symmetric, and Given the matrix that takes alpha to o on the labelled rows (l x l); they are
	// one and the same without slack.
	Kernel, Given *mat.Dense
	// Certificate is that of the systems of the graph; zero without slack.
	Certificate learn.Certificate

	features *kernel.Nystrom
	labelled []int
	t        blas.Cholesky
	f        *mat.Dense // F_L, l x d
	slack    *propagate.System
	norm     *graph.Power
	g        *mat.Dense // G, n x d
	ratio    float64
	nu       float64
}

// NewWarp computes K~_LL. ratio is gammaI/gammaA, not negative; nu is nu/gammaA, positive, +Inf for no slack. The features must
// stay as they are while the result is used.
func NewWarp(ctx context.Context, p *kernel.Nystrom, norm *graph.Power, labelled []int, ratio, nu float64) (*Warp, error) {
	if !(ratio >= 0) || math.IsInf(ratio, 0) || !(nu > 0) {
		return nil, fmt.Errorf("sparsemanifold: gamma_I/gamma_A = %g and nu/gamma_A = %g; the first must be finite and not negative, "+
			"the second positive", ratio, nu)
	}
	w := &Warp{features: p, labelled: labelled, norm: norm, ratio: ratio, nu: nu}
	g := p.Phi
	if !math.IsInf(nu, 0) {
		add := make([]float64, norm.Len())
		for i := range add {
			add[i] = nu
		}
		w.slack = propagate.NewSystem(norm.L, norm.P, ratio, add)
		g = mat.DenseCopyOf(p.Phi)
		g.Scale(1/nu, g)
		var err error
		if w.Certificate, err = w.slack.Solve(ctx, g, p.Phi); err != nil {
			return nil, err
		}
		g.Scale(nu, g)
	}
	w.g = g
	if err := w.factor(ctx, norm, g, ratio); err != nil {
		return nil, err
	}
	return w, w.blocks(ctx, g)
}

// panel is the width of products of the graph with features.
const panel = 256

// factor makes T of G.
func (w *Warp) factor(ctx context.Context, norm *graph.Power, g *mat.Dense, ratio float64) error {
	phi := w.features.Phi
	n, d := phi.Dims()
	t, on := mat.NewDense(d, d, nil), blas.Within(ctx)
	if ratio > 0 {
		part := mat.NewDense(n, min(panel, d), nil)
		for lo := 0; lo < d; lo += panel {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+panel, d)
			to := part.Slice(0, n, 0, hi-lo).(*mat.Dense)
			norm.MulTo(to, g.Slice(0, n, lo, hi).(*mat.Dense))
			on.Gemm(ratio, blas.T(phi), blas.N(to), 0, t.Slice(0, d, lo, hi).(*mat.Dense))
		}
	}
	if err := on.Stopped(); err != nil {
		return err
	}
	blas.Symmetrise(t)
	for k := range d {
		t.Set(k, k, t.At(k, k)+1)
	}
	if err := w.t.Factor(t); err != nil {
		return fmt.Errorf("sparsemanifold: the graph on %d centres with gamma_I/gamma_A = %g: %w", d, ratio, err)
	}
	return nil
}

// blocks makes the matrices of the labelled rows.
func (w *Warp) blocks(ctx context.Context, g *mat.Dense) error {
	l := len(w.labelled)
	w.f = chosen(g, w.labelled)
	w.t.SolveRight(w.f)
	w.Kernel = mat.NewDense(l, l, nil)
	blas.Syrk(1, blas.N(w.f), 0, w.Kernel)
	if w.slack == nil {
		w.Given = w.Kernel
		return ctx.Err()
	}
	given := chosen(w.features.Phi, w.labelled)
	w.t.SolveRight(given)
	w.Given = blas.Product(blas.N(given), blas.T(w.f))
	n := w.features.Phi.RawMatrix().Rows
	for lo := 0; lo < l; lo += unitColumns {
		hi := min(lo+unitColumns, l)
		b, x := mat.NewDense(n, hi-lo, nil), mat.NewDense(n, hi-lo, nil)
		for q := lo; q < hi; q++ {
			b.Set(w.labelled[q], q-lo, 1)
		}
		c, err := w.slack.Solve(ctx, x, b)
		if err != nil {
			return err
		}
		w.Certificate.Join(c)
		for a, i := range w.labelled {
			addTo(w.Kernel.RawRowView(a)[lo:hi], 1, x.RawRowView(i))
		}
	}
	blas.Symmetrise(w.Kernel)
	return nil
}

// unitColumns is the number of unit vectors for which B is solved at a time; no result depends on it.
const unitColumns = 64

// Coefficients are beta (d x c) of the machine alpha (a row each of the labelled rows numbered by among; nil: all).
func (w *Warp) Coefficients(alpha *mat.Dense, among []int) *mat.Dense {
	beta := w.weights(alpha, among)
	w.features.Coefficients(beta)
	return beta
}

// weights are T^-T F_L' alpha, on the features.
func (w *Warp) weights(alpha *mat.Dense, among []int) *mat.Dense {
	f := w.f
	if among != nil {
		f = chosen(w.f, among)
	}
	x := blas.Product(blas.T(f), blas.N(alpha))
	w.t.SolveLT(x)
	return x
}

// chosen copies rows of a.
func chosen(a *mat.Dense, rows []int) *mat.Dense {
	_, c := a.Dims()
	out := mat.NewDense(max(len(rows), 1), c, nil)
	for q, i := range rows {
		out.SetRow(q, a.RawRowView(i))
	}
	return out
}
