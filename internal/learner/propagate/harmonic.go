package propagate

// Problem   minimise f'L f = 1/2 sum_ij W_ij (f_i - f_j)^2 over functions f on the rows that are y on the
//           labelled ones, L = D - W; a column of Y (l x c) a problem.
// Solution  f_U = -L_UU^-1 L_UL y: every unlabelled row has the mean of its neighbours, weighted by W. With
//           y = -1, +1 the number (1 + f_i)/2 is the probability that a walk from row i, which steps to
//           neighbours with probabilities W_ij/d_i, meets a label +1 first.
// Masses    Class mass normalisation, for unequal numbers of labels and of rows: with p_ik the
//           probabilities of the classes k,
//
//	          p_ik  <-  p_ik q_k / m_k,  then divided by their sum,   m_k = sum_U p_ik,   q_k = n_k + 1
//
//           n_k labels of class k. The source multiplies by q_k/m_k and takes the largest; dividing by the
//           sum decides the same and keeps probabilities. The one that is added is Laplace's; the source
//           leaves the estimate of q open. Labelled rows keep their labels. A class of hardly any mass, as
//           one that has lost its labels, gets none: what there is of it would be rounding.
// Cost      clamped.go; leave-one-out takes as many solutions as there are labels.
// Source    Zhu, Ghahramani & Lafferty, ICML 2003, eqs 2-5 and 9. Zhu & Ghahramani's label propagation
//           (2002) iterates to the same f.

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
)

// Harmonic is label propagation. The zero value is that without class masses.
type Harmonic struct {
	Masses bool // class mass normalisation; for classes alone
}

var _ Algorithm = Harmonic{}

// Bind implements Algorithm.
func (h Harmonic) Bind(ctx context.Context, a *Labelled) (Machine, error) {
	if h.Masses && a.Problem.Class == nil {
		panic("propagate: class masses of numbers")
	}
	g := *a.Graph
	g.Recipe.Laplacian = graph.Combinatorial
	// Rows without a label have masses; where there is none, those of a row that is left out would be its own output.
	h.Masses = h.Masses && len(a.Problem.Labelled) < g.N
	return &harmonic{Harmonic: h, a: a, l: g.Laplacian()}, ctx.Err()
}

type harmonic struct {
	Harmonic
	a     *Labelled
	l     *data.CSR
	whole *clamped // by all labels, once it was needed
}

// clamped is the problem for the labels that are kept.
func (h *harmonic) clamped(keep []int) *clamped {
	if keep != nil {
		return h.a.newClamped(h.l, 1, keep)
	}
	if h.whole == nil {
		h.whole = h.a.newClamped(h.l, 1, nil)
	}
	return h.whole
}

func (h *harmonic) labelled() *Labelled { return h.a }

// Train implements Machine.
func (h *harmonic) Train(ctx context.Context, keep []int, start *mat.Dense) (*Outputs, error) {
	c := h.clamped(keep)
	f, cert, err := c.extend(ctx, gather(h.a.Problem.Y, c.keep), start)
	if err != nil {
		return nil, err
	}
	cert.Objective = mat.Dot(column(f), column(c.energy(f)))
	out := &Outputs{F: f, Certificate: cert, Unreached: len(c.away), raw: f}
	if h.Masses {
		out.F = mat.DenseCopyOf(f)
		by := factors(h.wanted(keep), h.masses(f, c.free), len(c.free))
		for _, i := range c.free {
			balance(out.F.RawRowView(i), by)
		}
	}
	c.settle(out.F)
	return out, nil
}

// column is a matrix as one vector.
func column(f *mat.Dense) *mat.VecDense {
	return mat.NewVecDense(len(f.RawMatrix().Data), f.RawMatrix().Data)
}

// LeaveOneOut implements Machine. Without the label of row i the mass of the unlabelled rows is
// m + (o_i - y_i) sum_U h_i / 2 + p_i, with h_i the solution for the unit label at i.
func (h *harmonic) LeaveOneOut(ctx context.Context, all *Outputs) (*mat.Dense, error) {
	p := h.a.Problem
	c := h.clamped(nil)
	ey, lone := c.energy(all.raw), h.a.lone()
	left := mat.NewDense(len(p.Labelled), p.Outputs(), nil)
	var q, m []float64
	if h.Masses {
		q, m = h.wanted(nil), h.masses(all.raw, c.free)
	}
	err := c.units(ctx, func(i int, diagonal float64, f *mat.Dense, column int) {
		row, y, at := left.RawRowView(i), p.Y.RawRowView(i), p.Labelled[i]
		if lone[i] {
			copy(row, h.a.without(c.mean, i))
			return
		}
		for j := range row {
			row[j] = y[j] - ey.At(at, j)/diagonal
		}
		if h.Masses {
			q[p.Class[i]]--
			balance(row, factors(q, h.released(m, row, y, sum(f, column, c.free)), len(c.free)+1))
			q[p.Class[i]]++
		}
	})
	return left, err
}

// wanted are the masses q of the classes, by the labels that are kept.
func (h *harmonic) wanted(keep []int) []float64 {
	p := h.a.Problem
	q := make([]float64, len(p.Classes))
	for k := range q {
		q[k] = 1
	}
	if keep == nil {
		for _, k := range p.Class {
			q[k]++
		}
	}
	for _, i := range keep {
		q[p.Class[i]]++
	}
	return q
}

// masses are those of the classes over the rows.
func (h *harmonic) masses(f *mat.Dense, rows []int) []float64 {
	m := make([]float64, len(h.a.Problem.Classes))
	for _, i := range rows {
		for k := range m {
			m[k] += probability(f.RawRowView(i), k)
		}
	}
	return m
}

// released are the masses when a label is let go, whose row then has the outputs o in the place of y; the
// rows without a label move by reach times the difference.
func (h *harmonic) released(m, o, y []float64, reach float64) []float64 {
	moved := make([]float64, len(m))
	for k := range m {
		now := probability(o, k)
		moved[k] = m[k] + reach*(now-probability(y, k)) + now
	}
	return moved
}

// probability is that of class k by outputs of shares.
func probability(out []float64, k int) float64 {
	switch {
	case len(out) > 1:
		return max(0, (1+out[k])/2)
	case k == 1:
		return max(0, (1+out[0])/2)
	}
	return max(0, (1-out[0])/2)
}

// share stores shares of the classes as outputs: 2 p - 1, with two classes that of the second.
func share(out, p []float64) {
	if len(out) == 1 {
		out[0] = 2*p[1] - 1
		return
	}
	for k, v := range p {
		out[k] = 2*v - 1
	}
}

// leastMass is the share of the rows that a class must have to be balanced.
const leastMass = 1e-8

// factors are q/m for the masses of some rows; zero for a class of hardly any mass.
func factors(q, m []float64, rows int) []float64 {
	by := make([]float64, len(q))
	for k := range by {
		if m[k] > leastMass*float64(rows) {
			by[k] = q[k] / m[k]
		}
	}
	return by
}

// balance multiplies the probabilities of a row. A row with none left stays as it is.
func balance(out, by []float64) {
	p, total := make([]float64, len(by)), 0.0
	for k, v := range by {
		p[k] = probability(out, k) * v
		total += p[k]
	}
	if total == 0 {
		return
	}
	for k := range p {
		p[k] /= total
	}
	share(out, p)
}
