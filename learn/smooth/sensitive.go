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
	"gonum.org/v1/gonum/floats"
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

// cotangent is a derivative by outputs on its way back through a machine: bar (|judged| x c) by those on the judged
// rows, which makes u v' (l x c) by the labelled block.
type cotangent struct {
	judged    []int
	bar, u, v *mat.Dense
}

func newCotangent(p *learn.Problem, judged []int, bar *mat.Dense) *cotangent {
	l, c := len(p.Labelled), p.Outputs()
	return &cotangent{judged, bar, mat.NewDense(l, c, nil), mat.NewDense(l, c, nil)}
}

// Pull implements learn.Sensitive.
func (t *trainer) Pull(ctx context.Context, m *learn.Machine, rows []int, theta []float64, judged []int, bar *mat.Dense) (
	u, v *mat.Dense, dTheta []float64, err error,
) {
	back := newCotangent(t.problem, judged, bar)
	own := make([][]float64, t.problem.Outputs())
	k := t.among(rows)
	t = &trainer{learner: t.learner.differentiable(), problem: t.problem, block: t.block}
	// The parts are those of the training; their solutions are at hand.
	_, err = learn.Reduce(ctx, t.problem, rows, t.learner.Offset != None, len(t.problem.Labelled) <= soloRows, m,
		func(ctx context.Context, part learn.Part) (piece learn.Piece, err error) {
			own[part.Output], err = t.pull(ctx, part, theta, k, back)
			return learn.Piece{Coef: part.Start}, err
		})
	if err != nil {
		return nil, nil, nil, err
	}
	dTheta = make([]float64, len(theta))
	for _, d := range own {
		for k, x := range d { // no d where a part is not solved
			dTheta[k] += x
		}
	}
	back.addDirect()
	return back.u, back.v, dTheta, nil
}

// addDirect adds to u what the outputs' own kernel values make of bar.
func (c *cotangent) addDirect() {
	for a, i := range c.judged {
		floats.Add(c.u.RawRowView(i), c.bar.RawRowView(a))
	}
}

// addEnds adds to column j of u what the outputs' own kernel values make of the rows that bounded has added.
func (c *cotangent) addEnds(j int, judged []int, bar []float64) {
	for a := len(c.judged); a < len(judged); a++ {
		i := judged[a]
		c.u.Set(i, j, c.u.At(i, j)+bar[a])
	}
}

// pull is Pull for one output; it writes column part.Output of u and v and returns dJ/dtheta.
func (t *trainer) pull(ctx context.Context, part learn.Part, theta []float64, k *mat.Dense, back *cotangent) ([]float64, error) {
	s, err := t.solve(ctx, part, theta, k)
	if err != nil {
		return nil, err
	}
	if s.Gradient > inexact {
		return nil, fmt.Errorf("smooth: output %d, gradient %.2g after %d steps: %w", part.Output+1, s.Gradient, s.Steps, learn.ErrUnsolved)
	}
	j := part.Output
	judged, bar := back.judged, mat.Col(nil, j, back.bar)
	if t.learner.Offset == Free {
		judged, bar = s.terms.bounded(s.F, part, judged, bar)
	}
	betaBar, bBar := t.pullOutputs(part, judged, bar)
	rho, err := s.Pull(ctx, betaBar, bBar)
	if err != nil {
		return nil, err
	}
	grad := make([]float64, len(theta))
	for p, i := range part.Rows {
		back.u.Set(i, j, s.terms.d[p]*rho[p])
		back.v.Set(i, j, s.Beta[p])
		grad[0] += rho[p] * s.terms.g[p] / theta[0]
	}
	if _, tube := s.problem.Loss.(learn.Tubed); tube {
		for p, y := range s.problem.Y { // V' = 2 (|f-y| - eps) sign(f-y), V'' = 2 outside the tube
			d := s.terms.d[p]
			if s.F[p] > y {
				d = -d
			}
			grad[1] += rho[p] * d
		}
	}
	back.addEnds(j, judged, bar)
	return grad, nil
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
