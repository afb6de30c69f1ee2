package multiview

// Problem   functions of mean zero over the training rows, for classes that are balanced: else
//           views may agree by giving every unlabelled row the same label.
// Method    the kernel of {f in H: sum_i f(x_i) = 0},
//             k(x,z) - s(x) s(z)/S,   s(x) = sum_i k(x, x_i),   S = sum_i s(x_i),
//           or, with Double, H K H with H = I - 11'/n and its continuation to new rows. Both have
//           outputs of mean zero; the first is the restriction of the space, the second another space.
// Cost      n^2 once, beside the base kernel.
// Source    Sindhwani 2007, section 4.3, which says "orthogonal to the constant" and gives no formula.

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
)

// Centred is the base kernel for functions whose mean over the training rows is zero.
type Centred struct {
	Base   kernel.Kernel
	Double bool // H K H, in the place of the subspace of H
}

var _ kernel.Kernel = Centred{}

// Space is the base's.
func (k Centred) Space() param.Space { return k.Base.Space() }

// With hands theta to the base.
func (k Centred) With(theta []float64) (kernel.Kernel, error) {
	base, err := k.Base.With(theta)
	k.Base = base
	return k, err
}

// Adapt adapts the base.
func (k Centred) Adapt(rows data.Rows) kernel.Kernel {
	k.Base = k.Base.Adapt(rows)
	return k
}

// Bind sums the rows of the base's Gram matrix.
func (k Centred) Bind(ctx context.Context, train data.Rows, w *kernel.Work) (kernel.Gram, error) {
	base, err := k.Base.Bind(ctx, train, w)
	if err != nil {
		return nil, err
	}
	n := base.Len()
	g := &centred{Gram: base, double: k.Double, s: mat.NewDense(n, 1, nil), train: train}
	one := mat.NewDense(n, 1, nil)
	for i := range n {
		one.Set(i, 0, 1)
	}
	const panel = 512 // no result depends on it
	for lo := 0; lo < n; lo += panel {
		hi := min(lo+panel, n)
		part := mat.NewDense(hi-lo, n, nil)
		if err := kernel.Fill(ctx, part, base, numbers(lo, hi), nil); err != nil {
			return nil, err
		}
		g.s.Slice(lo, hi, 0, 1).(*mat.Dense).Mul(part, one)
	}
	g.total = mat.Sum(g.s)
	if !k.Double && !(g.total > 1e-12*float64(n)*mat.Max(g.s)) {
		return nil, fmt.Errorf("multiview: the kernel's values sum to %.3g over the rows: its functions have mean zero already", g.total)
	}
	return g, nil
}

// centred is the Gram object: of the base, with A'KA in the place of K, A = I - 1 s'/S or, with
// double, I - 11'/n.
type centred struct {
	kernel.Gram
	double bool
	s      *mat.Dense // n x 1
	total  float64
	train  data.Rows
}

// weigh is what row 1 of the correction of a column multiplies: s_i/S, or 1/n.
func (g *centred) weigh(i int) float64 {
	if g.double {
		return 1 / float64(g.Len())
	}
	return g.s.At(i, 0) / g.total
}

// correct turns values of the base between points with sums left and training rows j into those of
// the centred kernel.
func (g *centred) correct(dst *mat.Dense, left func(p int) float64, j []int) {
	r, c := dst.Dims()
	n := float64(g.Len())
	for p := range r {
		row, a := dst.RawRowView(p), left(p)
		for q := range c {
			b := g.s.At(at(j, q), 0)
			if g.double {
				row[q] += g.total/(n*n) - (a+b)/n
			} else {
				row[q] -= a * b / g.total
			}
		}
	}
}

func at(j []int, q int) int {
	if j == nil {
		return q
	}
	return j[q]
}

// Block corrects the base's.
func (g *centred) Block(dst *mat.Dense, i, j []int) {
	g.Gram.Block(dst, i, j)
	g.correct(dst, func(p int) float64 { return g.s.At(at(i, p), 0) }, j)
}

// Cross corrects the base's values, of all training rows.
func (g *centred) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	all := mat.NewDense(x.Len(), g.Len(), nil)
	if err := g.Gram.Cross(all, x, nil); err != nil {
		return err
	}
	_, c := dst.Dims()
	left := make([]float64, x.Len())
	for p := range left {
		from, to := all.RawRowView(p), dst.RawRowView(p)
		for _, v := range from {
			left[p] += v
		}
		for q := range c {
			to[q] = from[at(j, q)]
		}
	}
	g.correct(dst, func(p int) float64 { return left[p] }, j)
	return nil
}

// spread is A x for x on the rows j, n x c: x less, in every row, the sum of its rows weighed.
func (g *centred) spread(x *mat.Dense, j []int) *mat.Dense {
	r, c := x.Dims()
	out := mat.NewDense(g.Len(), c, nil)
	mean := make([]float64, c)
	for q := range r {
		to := out.RawRowView(at(j, q))
		for k, v := range x.RawRowView(q) {
			to[k] += v
			mean[k] += v * g.weigh(at(j, q))
		}
	}
	for i := range g.Len() {
		to := out.RawRowView(i)
		for k, v := range mean {
			to[k] -= v
		}
	}
	return out
}

// Pull sends the cotangent through A, which the values do not depend on to first order where it is
// the restriction (A minimises), and at all where it is the constant H.
func (g *centred) Pull(grad []float64, bar kernel.Cotangent) error {
	for _, f := range [][2]*mat.Dense{{bar.U, bar.V}, {bar.D, nil}} {
		if f[0] == nil {
			continue
		}
		v := f[1]
		if v == nil { // D = D I
			_, c := f[0].Dims()
			v = mat.NewDense(c, c, nil)
			for q := range c {
				v.Set(q, q, 1)
			}
		}
		if err := g.Gram.Pull(grad, kernel.Cotangent{U: g.spread(f[0], bar.I), V: g.spread(v, bar.J)}); err != nil {
			return err
		}
	}
	return nil
}

// Expand writes the function over the base's values, with a constant where the centring is double.
func (g *centred) Expand(alpha *mat.Dense, j []int) ([]kernel.Expansion, error) {
	coef := g.spread(alpha, j)
	list, err := g.Gram.Expand(coef, nil)
	if err != nil || !g.double {
		return list, err
	}
	// The mean of K A alpha over the rows, which double centring takes away.
	_, c := alpha.Dims()
	shift := mat.NewDense(1, c, nil)
	shift.Mul(g.s.T(), coef)
	shift.Scale(-1/float64(g.Len()), shift)
	return append(list, kernel.Expansion{Kernel: kernel.Constant{}, Centres: g.train.Select([]int{0}), Coef: shift}), nil
}

// Semidefinite says whether the base has positive semi-definite matrices, as A'KA has then.
func (g *centred) Semidefinite() bool { return kernel.Semidefinite(g.Gram) }
