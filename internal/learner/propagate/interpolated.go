package propagate

// Problem   as regularised.go with gamma -> 0: minimise f'S f over functions f of sum zero that are y~ on
//           the labelled rows.
// Solution  f = f0 + mu z, f0 = clamped.go for y~, z_U = S_UU^-1 1, z_L = 0, mu = -(1'f0)/(1'z).
// Left out  f = H y~ is linear, and its energy is y~'E y~ with
//
//	          (E y)_i = (S f)_i - mu(y),    o_i = y_i - ((E y)_i - ybar' (E 1)_i)/E_ii
//
//           as in clamped.go, ybar' the mean without y_i: the columns of H sum to zero, so sum_U h_i = -1
//           where S f is mu.
// Cost      clamped.go; leave-one-out takes as many solutions as there are labels, and two.
// Source    Belkin, Matveeva & Niyogi, COLT 2004, algorithm 2, the interpolated one.

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

type interpolated struct {
	bound
	whole *clamped // by all labels, once it was needed
}

// clamped is the problem for the labels that are kept.
func (t *interpolated) clamped(keep []int) *clamped {
	if keep == nil && t.whole != nil {
		return t.whole
	}
	c := t.a.newClamped(t.l, t.power, keep)
	c.s.smooth = t.smooth(c.free)
	if keep == nil {
		t.whole = c
	}
	return c
}

// Train implements Machine.
func (t *interpolated) Train(ctx context.Context, keep []int, start *mat.Dense) (*Outputs, error) {
	c := t.clamped(keep)
	f, cert, err := c.extend(ctx, t.centred(c.reach), start)
	if err != nil {
		return nil, err
	}
	z, err := c.constant(ctx)
	if err != nil {
		return nil, err
	}
	c.zero(f, z)
	cert.Objective = mat.Dot(column(f), column(c.energy(f)))
	out := &Outputs{F: mat.DenseCopyOf(f), Certificate: cert, Unreached: len(c.away), raw: f}
	t.raise(out.F, c.reach)
	return out, nil
}

// constant is z on the unlabelled rows that are reached; nil without any.
func (c *clamped) constant(ctx context.Context) (*mat.Dense, error) {
	if len(c.free) == 0 {
		return nil, ctx.Err()
	}
	b := mat.NewDense(len(c.free), 1, nil)
	for a := range c.free {
		b.Set(a, 0, 1)
	}
	z := mat.DenseCopyOf(b)
	_, err := c.s.solve(ctx, z, b)
	return z, err
}

// zero adds mu z to the columns of f so that they sum to zero, and returns mu.
func (c *clamped) zero(f, z *mat.Dense) []float64 {
	_, k := f.Dims()
	mu := make([]float64, k)
	if z == nil {
		return mu
	}
	total := mat.Sum(z)
	for j := range mu {
		mu[j] = -sum(f, j, c.rows) / total
	}
	for a, i := range c.free {
		row := f.RawRowView(i)
		for j, v := range mu {
			row[j] += v * z.At(a, 0)
		}
	}
	return mu
}

// LeaveOneOut implements Machine.
func (t *interpolated) LeaveOneOut(ctx context.Context, _ *Outputs) (*mat.Dense, error) {
	p := t.a.Problem
	c := t.clamped(nil)
	left, lone := mat.NewDense(len(p.Labelled), p.Outputs(), nil), t.a.lone()
	z, err := c.constant(ctx)
	if err != nil {
		return nil, err
	}
	// E y for the targets, and for ones in the last column.
	y := mat.NewDense(len(p.Labelled), p.Outputs()+1, nil)
	for q := range p.Labelled {
		copy(y.RawRowView(q), p.Y.RawRowView(q))
		y.Set(q, p.Outputs(), 1)
	}
	f, _, err := c.extend(ctx, y, nil)
	if err != nil {
		return nil, err
	}
	mu, ey := c.zero(f, z), c.energy(f)
	sz, total := mat.NewDense(t.l.R, 1, nil), 1.0
	if z != nil {
		scatter(sz, c.free, z)
		sz, total = c.energy(sz), mat.Sum(z)
	}
	err = c.units(ctx, func(q int, diagonal float64, h *mat.Dense, column int) {
		mean, row, i := t.a.without(c.mean, q), left.RawRowView(q), p.Labelled[q]
		if lone[q] || z == nil { // without a row beside it the sum alone decides
			copy(row, mean)
			return
		}
		m := -sum(h, column, c.rows) / total
		own := diagonal + m*sz.At(i, 0) - m
		last := len(row)
		for j := range row {
			row[j] = p.Y.At(q, j) - (ey.At(i, j)-mu[j]-mean[j]*(ey.At(i, last)-mu[last]))/own
		}
	})
	return left, err
}
