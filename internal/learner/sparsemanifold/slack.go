package sparsemanifold

// Problem   minimise over beta and f, jointly convex,
//
//	(gammaA/2) beta'K_JJ beta + (gammaI/2) f'Mf + 1/2 sum_L (f_i - y_i)^2 + (nu/2) |f - o|^2,   o = K_NJ beta
//
// Solution  f is eliminated: with A = gammaI M + I_L + nu I and Y zero on the rows without a label,
//
//	f = A^-1 (Y + nu o),    R(beta) = (gammaA/2) beta'K_JJ beta + 1/2 o'Q o - o'T + 1/2 (Y'Y - Y'A^-1 Y)
//	Q = nu I - nu^2 A^-1 = nu A^-1 (gammaI M + I_L),   T = nu A^-1 Y
//
//           which is a problem of package basis. The second form of Q does not cancel for large nu.
// Limits    nu to infinity is the machine without slack; nu to 0 with gammaA/nu fixed is the decoupled one.
// Cost      a system A (propagate.System) for every column that Q is multiplied with; no n x n table beyond
//           propagate.DirectPowers rows.
// Source    Sindhwani 2007, eqs. 5.6-5.9, who alternates between f and beta; the elimination is ours.

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/internal/learner/propagate"
	"github.com/mercer-ml/mercer/kernel"
)

// Slack is the elimination of f for given labels.
type Slack struct {
	Nu float64

	ctx   context.Context //nolint:containedctx // of the products, which a Form has none for
	err   error           // of the first product that failed
	norm  *graph.Power
	gamma float64
	at    []int
	y     *mat.Dense // n x c
	solve *propagate.System
	t     *mat.Dense // T
}

var _ basis.Form = (*Slack)(nil)

// NewSlack prepares A for labels y (l x c) on the rows `labelled`. gammaI is not negative, nu positive and finite. All later
// products belong to ctx; Err tells whether one of them failed.
func NewSlack(ctx context.Context, norm *graph.Power, labelled []int, y *mat.Dense, gammaI, nu float64) (*Slack, error) {
	if !(nu > 0) || math.IsInf(nu, 0) || !(gammaI >= 0) || math.IsInf(gammaI, 0) {
		return nil, fmt.Errorf("sparsemanifold: nu %g and gamma_I %g; nu must be positive, gamma_I not negative, both finite", nu, gammaI)
	}
	n := norm.Len()
	s := &Slack{Nu: nu, ctx: ctx, norm: norm, gamma: gammaI, at: labelled, y: onRows(n, labelled, y)}
	add := make([]float64, n)
	for i := range add {
		add[i] = nu
	}
	for _, i := range labelled {
		add[i]++
	}
	s.solve = propagate.NewSystem(norm.L, norm.P, gammaI, add)
	s.t = mat.DenseCopyOf(s.y)
	if _, err := s.solve.Solve(ctx, s.t, s.y); err != nil {
		return nil, err
	}
	s.t.Scale(nu, s.t)
	return s, nil
}

// Len is n.
func (s *Slack) Len() int { return s.norm.Len() }

// MulTo stores Q x in dst: a product with M and a system a column.
func (s *Slack) MulTo(dst, x *mat.Dense) {
	r, c := x.Dims()
	b := mat.NewDense(r, c, nil)
	s.norm.MulTo(b, x)
	b.Scale(s.gamma*s.Nu, b)
	for _, i := range s.at {
		addTo(b.RawRowView(i), s.Nu, x.RawRowView(i))
	}
	dst.Zero()
	if _, err := s.solve.Solve(s.ctx, dst, b); err != nil && s.err == nil {
		s.err = err
	}
}

// Err is the error of the first product that failed.
func (s *Slack) Err() error { return s.err }

// Basis is the problem that is left of beta, for choosers and basis.Fit.
func (s *Slack) Basis(g kernel.Gram, gammaA float64) basis.Problem {
	var constant float64
	for _, i := range s.at {
		for j, v := range s.y.RawRowView(i) {
			constant += v * (v - s.t.At(i, j)/s.Nu) / 2
		}
	}
	return basis.Problem{Gram: g, Q: s, Target: s.t, GammaA: gammaA, Constant: constant}
}

// onRows puts y on its rows among n, zeros elsewhere.
func onRows(n int, labelled []int, y *mat.Dense) *mat.Dense {
	l, c := y.Dims()
	if l != len(labelled) {
		panic(fmt.Sprintf("sparsemanifold: %d targets for %d labelled rows", l, len(labelled)))
	}
	out := mat.NewDense(n, c, nil)
	for q, i := range labelled {
		out.SetRow(i, y.RawRowView(q))
	}
	return out
}

// addTo adds a x to y.
func addTo(y []float64, a float64, x []float64) {
	for k, v := range x {
		y[k] += a * v
	}
}
