package propagate

// Problem   minimise f'S f, S = L^p, over functions f on the rows that are y on the labelled ones, L.
// Solution  f_U = -S_UU^-1 S_UL y. Its energy, as a form of y, is y'E y,
//
//	          E y = (S f)_L,   E = S_LL - S_LU S_UU^-1 S_UL
//
// Released  Let go of the label of row i, and minimise over its value too: the energy is a parabola of
//           that value, whose minimum is
//
//	          o_i = -sum_{j != i} E_ij y_j / E_ii = y_i - (E y)_i / E_ii
//
//           so that leaving labels out one by one takes the diagonal of E, one solution a label, and no
//           training. All other rows move by o_i - y_i times the solution for the unit label at i.
// Cost      a solution a column, see system; memory n x c for the answer, and panels.
// Source    Zhu, Ghahramani & Lafferty 2003, eq. 5 (p = 1); the release is ours, the tests compare it with
//           training again.

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// clamped is the problem for some labels.
type clamped struct {
	*reach
	at    []int     // rows of the labels, in the order of keep
	l     *data.CSR // of all rows
	power int
	s     *system // S_UU
}

// newClamped prepares the problem for the labels that are kept.
func (a *Labelled) newClamped(l *data.CSR, power int, keep []int) *clamped {
	r := a.reach(keep)
	return &clamped{reach: r, at: a.Problem.Subset(r.keep), l: l, power: power, s: newSystem(l, power, 1, r.free, nil)}
}

// extend is f for the values y (a row a label); rows that are not reached are zero. start, if not nil,
// are outputs nearby.
func (c *clamped) extend(ctx context.Context, y, start *mat.Dense) (*mat.Dense, learn.Certificate, error) {
	_, k := y.Dims()
	f := mat.NewDense(c.l.R, k, nil)
	scatter(f, c.at, y)
	if len(c.free) == 0 {
		return f, learn.Certificate{}, ctx.Err()
	}
	b := gather(c.energy(f), c.free)
	b.Scale(-1, b)
	x := mat.NewDense(len(c.free), k, nil)
	if start != nil {
		x = gather(start, c.free)
	}
	cert, err := c.s.solve(ctx, x, b)
	scatter(f, c.free, x)
	return f, cert, err
}

// energy is S f.
func (c *clamped) energy(f *mat.Dense) *mat.Dense {
	n, k := f.Dims()
	out := mat.NewDense(n, k, nil)
	c.l.PowerTo(out, f, c.power)
	return out
}

// units visits the solution h for the unit label at each row, with E_ii. h is a column of f.
func (c *clamped) units(ctx context.Context, visit func(q int, diagonal float64, f *mat.Dense, column int)) error {
	return panels(ctx, c.l.R, len(c.at), func(lo, hi int) error {
		y := mat.NewDense(len(c.at), hi-lo, nil)
		for q := lo; q < hi; q++ {
			y.Set(q, q-lo, 1)
		}
		h, _, err := c.extend(ctx, y, nil)
		if err != nil {
			return err
		}
		sh := c.energy(h)
		for q := lo; q < hi; q++ {
			visit(q, sh.At(c.at[q], q-lo), h, q-lo)
		}
		return nil
	})
}

// sum adds up a column over the rows.
func sum(f *mat.Dense, column int, rows []int) float64 {
	var s float64
	for _, i := range rows {
		s += f.At(i, column)
	}
	return s
}
