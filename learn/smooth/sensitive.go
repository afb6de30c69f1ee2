package smooth

// The learner's side of a bi-level problem: a function J of outputs f = K_qt beta + b on
// rows q, with dJ/df = r, through the machine (beta, b) trained on rows t. With rhoBar the
// pull-back of (K_tq r, 1'r), see response.go,
//
//	dJ/dK = u beta',  u = r on q, + D rhoBar on t        (no inverse of K)
//	dJ/dC = sum_i rhoBar_i g_i / C,   g = c V' = -beta at the solution
//	dJ/depsilon = sum_i rhoBar_i c_i d(V'_i)/depsilon    (tubes)
//
// Source: Klatzer 2014, eqs 2.7, 3.6 to 3.13, in the reduced form, and with the free offset.

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

var _ learn.Sensitive = (*trainer)(nil)

// inexact is the gradient of a machine, relative, from which its derivatives are
// refused. They are off by some condition number of B times it.
const inexact = 1e-3

// Outputs implements learn.Sensitive.
func (t *trainer) Outputs(dst *mat.Dense, m *learn.Machine, judged []int) {
	place := places(t.problem, m)
	c := t.problem.Outputs()
	for a, i := range judged {
		row, out := t.block.RawRowView(i), dst.RawRowView(a)
		for j := range out {
			out[j] = 0
			if m.Offset != nil {
				out[j] = m.Offset[j]
			}
		}
		if m.Coef == nil {
			continue
		}
		for q, p := range place {
			k := row[p]
			if c == 1 {
				out[0] += k * m.Coef.At(q, 0)
				continue
			}
			for j, v := range m.Coef.RawRowView(q) {
				out[j] += k * v
			}
		}
	}
}

// places returns where the machine's rows stand among the labelled of p.
func places(p *learn.Problem, m *learn.Machine) []int {
	at := make(map[int]int, len(p.Labelled))
	for q, i := range p.Labelled {
		at[i] = q
	}
	place := make([]int, len(m.Rows))
	for q, i := range m.Rows {
		place[q] = at[i]
	}
	return place
}

// Pull implements learn.Sensitive.
func (t *trainer) Pull(
	ctx context.Context,
	m *learn.Machine,
	rows []int,
	theta []float64,
	judged []int,
	bar *mat.Dense,
	grad []float64,
) (u, v *mat.Dense, err error) {
	l, c := len(t.problem.Labelled), t.problem.Outputs()
	u, v = mat.NewDense(l, c, nil), mat.NewDense(l, c, nil)
	own := make([][]float64, c)
	k := t.among(rows)
	t = &trainer{learner: t.learner.differentiable(), problem: t.problem, block: t.block}
	// The parts are those of the training; their solutions are at hand.
	_, err = learn.Reduce(ctx, t.problem, rows, t.learner.Offset != None, l <= soloRows, m,
		func(ctx context.Context, part learn.Part) (learn.Piece, error) {
			j := part.Output
			own[j] = make([]float64, len(grad))
			return learn.Piece{Coef: part.Start}, t.pull(ctx, part, theta, k, judged, bar, own[j], u, v)
		})
	if err != nil {
		return nil, nil, err
	}
	for j := range own {
		for k, d := range own[j] {
			grad[k] += d
		}
		for a, i := range judged {
			u.Set(i, j, u.At(i, j)+bar.At(a, j))
		}
	}
	return u, v, nil
}

// pull is Pull for one output; it writes column part.Output of u and v.
func (t *trainer) pull(
	ctx context.Context,
	part learn.Part,
	theta []float64,
	k *mat.Dense,
	judged []int,
	bar *mat.Dense,
	grad []float64,
	u, v *mat.Dense,
) error {
	s, err := t.solve(ctx, part, theta, k)
	if err != nil {
		return err
	}
	if s.Gradient > inexact {
		return fmt.Errorf("smooth: output %d, gradient %.2g after %d steps: %w", part.Output+1, s.Gradient, s.Steps, learn.ErrUnsolved)
	}
	j := part.Output
	betaBar, bBar := t.pullOutputs(part, judged, mat.Col(nil, j, bar))
	rho, err := s.Pull(ctx, betaBar, bBar)
	if err != nil {
		return err
	}
	for p, i := range part.Rows {
		u.Set(i, j, s.terms.d[p]*rho[p])
		v.Set(i, j, s.Beta[p])
		grad[0] += rho[p] * s.terms.g[p] / theta[0]
	}
	if _, tube := s.problem.Loss.(learn.SquaredEpsilon); tube {
		for p, y := range s.problem.Y { // V' = 2 (|f-y| - eps) sign(f-y), V'' = 2 outside the tube
			d := s.terms.d[p]
			if s.F[p] > y {
				d = -d
			}
			grad[1] += rho[p] * d
		}
	}
	return nil
}

// pullOutputs is the derivative by coefficients and offset of a function with the
// derivatives bar by the outputs on the judged rows.
func (t *trainer) pullOutputs(part learn.Part, judged []int, bar []float64) (betaBar []float64, bBar float64) {
	betaBar = make([]float64, len(part.Rows))
	for a, i := range judged {
		r := bar[a]
		if r == 0 {
			continue
		}
		bBar += r
		row := t.block.RawRowView(i)
		for p, k := range part.Rows {
			betaBar[p] += r * row[k]
		}
	}
	if t.learner.Offset == None {
		bBar = 0
	}
	return betaBar, bBar
}
