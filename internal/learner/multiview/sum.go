package multiview

// Problem   the loss is that of the sum f = f_1 + ... + f_V, one function of whole things, and not of
//           each view's own function.
// Method    the kernel of f with the norm of Coupled, the least over all decompositions:
//             k(x, z) = sum_s sum_t G((x, s), (z, t)) V/p_x V/p_z
//           over the p_x and p_z of the V views that x and z have: the sum of a row that lacks views is V times
//           the mean of those it has, as a model predicts it. For two views, which all rows have, that is
//             k_1(x,z) + k_2(x,z) - c d_x' (I + c (K_1 + K_2))^-1 d_z,   d_x = k_1(x, .) - k_2(x, .)
// Cost      that of Coupled, and V^2 values for one.
// Source    Sindhwani 2007, section 4.4, eqs 4.2 and 4.3; his nu and mu are 1 over the factor of k_2,
//           and c.

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
)

// Sum is the co-regularisation kernel: of the sum of the views' coupled functions, on rows that hold
// all views. Its parameters are those of Coupled.
type Sum struct {
	Coupled Coupled
	Views   [][]int // columns of each view
}

var _ kernel.Kernel = Sum{}

// Space is that of the coupled kernel.
func (k Sum) Space() param.Space { return k.Coupled.Space() }

// With hands theta to the coupled kernel.
func (k Sum) With(theta []float64) (kernel.Kernel, error) {
	c, err := k.Coupled.With(theta)
	if err != nil {
		return nil, err
	}
	k.Coupled = c.(Coupled)
	return k, nil
}

// Adapt adapts the coupled kernel to the descriptions of the rows.
func (k Sum) Adapt(rows data.Rows) kernel.Kernel {
	k.Coupled = k.Coupled.Adapt(Stack(rows, k.Views).Rows).(Coupled)
	return k
}

// Bind stacks the rows and binds the coupled kernel.
func (k Sum) Bind(ctx context.Context, train data.Rows, w *kernel.Work) (kernel.Gram, error) {
	s := Stack(train, k.Views)
	g, err := k.Coupled.Bind(ctx, s.Rows, w.Scope("stacked: "))
	if err != nil {
		return nil, err
	}
	return &summed{k: k, g: g, s: s, dim: train.Dim()}, nil
}

// summed is the Gram object of Sum.
type summed struct {
	k   Sum
	g   kernel.Gram
	s   *Stacked
	dim int
}

// Len is the number of things.
func (g *summed) Len() int { return len(g.s.Copies) }

// rows lists the descriptions of the things i, and the place of each one's thing in the list.
func (g *summed) rows(i []int) (rows []int, of list) {
	if i == nil {
		i = numbers(0, g.Len())
	}
	for p, thing := range i {
		for _, r := range g.s.Copies[thing] {
			rows = append(rows, r)
			of.add(p, g.share(g.s, thing))
		}
	}
	return rows, of
}

// share is what a description of a thing counts in its sum.
func (g *summed) share(s *Stacked, thing int) float64 {
	return float64(len(g.k.Views)) / float64(len(s.Copies[thing]))
}

// list is the place of the thing of each description, and what the description counts.
type list struct {
	place []int
	share []float64
}

func (l *list) add(place int, share float64) {
	l.place, l.share = append(l.place, place), append(l.share, share)
}

// gather adds in dst the entries of values that belong to the same things.
func gather(dst, values *mat.Dense, left, right list) {
	dst.Zero()
	for p, i := range left.place {
		to := dst.RawRowView(i)
		for q, v := range values.RawRowView(p) {
			to[right.place[q]] += left.share[p] * right.share[q] * v
		}
	}
}

// Block adds the values between all descriptions of both things.
func (g *summed) Block(dst *mat.Dense, i, j []int) {
	left, a := g.rows(i)
	right, b := g.rows(j)
	values := mat.NewDense(len(left), len(right), nil)
	g.g.Block(values, left, right)
	gather(dst, values, a, b)
	if slices.Equal(left, right) {
		blas.Symmetrise(dst) // sums in another order
	}
}

// Cross adds the values between all descriptions of the new rows and the training rows.
func (g *summed) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if x.Dim() != g.dim {
		return fmt.Errorf("multiview: the new rows have %d columns, the training rows %d; give both the same features", x.Dim(), g.dim)
	}
	s := Stack(x, g.k.Views)
	right, b := g.rows(j)
	values := mat.NewDense(len(s.View), len(right), nil)
	if err := g.g.Cross(values, s.Rows, right); err != nil {
		return err
	}
	var a list
	for _, thing := range s.Thing {
		a.add(thing, g.share(s, thing))
	}
	gather(dst, values, a, b)
	return nil
}

// Pull gives every description the cotangent of its thing.
func (g *summed) Pull(grad []float64, bar kernel.Cotangent) error {
	left, a := g.rows(bar.I)
	right, b := g.rows(bar.J)
	out := kernel.Cotangent{I: left, J: right, U: repeat(bar.U, a), V: repeat(bar.V, b)}
	if d := repeat(bar.D, a); d != nil {
		out.D = mat.NewDense(len(left), len(right), nil)
		for p := range left {
			from, to := d.RawRowView(p), out.D.RawRowView(p)
			for q, c := range b.place {
				to[q] = b.share[q] * from[c]
			}
		}
	}
	return g.g.Pull(grad, out)
}

// repeat lists the rows of x that are named, times their shares; nil of nil.
func repeat(x *mat.Dense, rows list) *mat.Dense {
	if x == nil {
		return nil
	}
	_, c := x.Dims()
	out := mat.NewDense(len(rows.place), c, nil)
	for p, i := range rows.place {
		to := out.RawRowView(p)
		for k, v := range x.RawRowView(i) {
			to[k] = rows.share[p] * v
		}
	}
	return out
}

// Expand writes the function as one expansion a view, over the columns of the view.
func (g *summed) Expand(alpha *mat.Dense, j []int) ([]kernel.Expansion, error) {
	rows, of := g.rows(j)
	list, err := g.g.Expand(repeat(alpha, of), rows)
	if err != nil {
		return nil, err
	}
	for p, e := range list {
		v, own := Split(e, g.wide)
		list[p] = Spread(own, g.k.Views[v], g.dim)
	}
	return list, nil
}

func (g *summed) wide(v int) int { return len(g.k.Views[v]) }

// Spread writes an expansion over the columns of a view as one over rows of dim columns, which are
// zero elsewhere.
func Spread(e kernel.Expansion, columns []int, dim int) kernel.Expansion {
	e.Kernel = kernel.Columns{Base: e.Kernel, Columns: columns}
	e.Centres = e.Centres.Among(columns, dim)
	return e
}

// Semidefinite says whether the stacked kernel has positive semi-definite matrices.
func (g *summed) Semidefinite() bool { return kernel.Semidefinite(g.g) }
