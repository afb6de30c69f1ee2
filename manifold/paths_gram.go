package manifold

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// paths is a kernel of path lengths on its rows: the table, and the kernel that carries functions to other rows.
type paths struct {
	kernel.Gram // the Laplacian kernel
	k           Paths
	survey      *Survey
	table       *mat.Dense // K~
	altered     bool       // the table is not that of k itself
	z           *mat.Dense // of a scaling: K~ = Z Z'

	once sync.Once
	over *mat.Dense // (E + r I)^-1 K~, made when first asked for
}

// clip makes the table of exp(-D/(2 sigma^2)) without its negative part.
func (g *paths) clip(ctx context.Context) (Clipping, error) {
	g.table = g.k.values(g.survey.length)
	n, _ := g.table.Dims()
	factored := mat.DenseCopyOf(g.table)
	slack := kernel.Rounding(n, kernel.Bound(g.table))
	shift(factored, slack)
	chol := blas.Cholesky{Backend: blas.Within(ctx)}
	if err := chol.Factor(factored); err == nil || ctx.Err() != nil {
		return Clipping{}, ctx.Err()
	}
	vectors, values, err := decomposed(ctx, g.table)
	if err != nil {
		return Clipping{}, err
	}
	c := Clipping{Least: values[0], Largest: values[n-1]}
	for c.Count < n && values[c.Count] < 0 {
		c.Count++
	}
	u := vectors.Slice(0, n, c.Count, n).(*mat.Dense)
	roots(u, values[c.Count:])
	return c, g.product(ctx, u)
}

// scale makes the table of the coordinates.
func (g *paths) scale(ctx context.Context) (Clipping, error) {
	b := g.k.values(g.survey.length)
	kernel.Centre(b)
	n, _ := b.Dims()
	vectors, values, err := decomposed(ctx, b)
	if err != nil {
		return Clipping{}, err
	}
	if !(values[n-1] > 0) {
		return Clipping{}, errors.New("manifold: all paths have length 0, for every row is the same point; give columns whose " +
			"values differ")
	}
	delta := g.k.Delta
	if delta == 0 {
		delta = usualDelta
	}
	c := Clipping{Least: math.Min(values[0], 0), Largest: values[n-1], Kept: components(values, delta)}
	for c.Count < n && values[c.Count] < -kernel.Rounding(n, c.Largest) {
		c.Count++
	}
	g.z = mat.DenseCopyOf(vectors.Slice(0, n, n-c.Kept, n))
	kept := values[n-c.Kept:]
	floats.Scale(float64(n)/floats.Sum(kept), kept)
	roots(g.z, kept)
	return c, g.product(ctx, g.z)
}

// components is how many of ascending eigenvalues a scaling keeps.
func components(values []float64, delta float64) int {
	n := len(values)
	var sum, left float64
	for _, v := range values {
		sum += max(v, 0)
	}
	left = sum
	for p := 1; p < n; p++ {
		left -= values[n-p]
		next := values[n-p-1]
		if left < delta*sum && next < delta*values[n-1] || next <= 0 {
			return p
		}
	}
	return n
}

// decomposed are the eigenvectors, in columns, and the ascending eigenvalues of a symmetric matrix, which is used up.
func decomposed(ctx context.Context, a *mat.Dense) (*mat.Dense, []float64, error) {
	n, _ := a.Dims()
	values := make([]float64, n)
	if err := blas.Within(ctx).SymEigenInPlace(a, values); err != nil {
		return nil, nil, fmt.Errorf("manifold: eigenvalues of the kernel of %d paths: %w", n, err)
	}
	return a, values, nil
}

// roots multiplies the columns by the roots of the values.
func roots(u *mat.Dense, values []float64) {
	n, _ := u.Dims()
	for i := range n {
		row := u.RawRowView(i)
		for j, v := range values {
			row[j] *= math.Sqrt(v)
		}
	}
}

// product makes the table U U'.
func (g *paths) product(ctx context.Context, u *mat.Dense) error {
	n, _ := u.Dims()
	on := blas.Within(ctx)
	g.altered = true
	g.table = mat.NewDense(n, n, nil)
	on.Syrk(1, blas.N(u), 0, g.table)
	return on.Stopped()
}

// Coordinates are Z with K~ = Z Z', whose columns are orthogonal; nil where there are none but by another
// eigendecomposition.
func (g *paths) Coordinates() *mat.Dense { return g.z }

// Semidefinite says that what was negative is left out.
func (g *paths) Semidefinite() bool { return true }

// Block copies values of the table.
func (g *paths) Block(dst *mat.Dense, i, j []int) {
	r, c := dst.Dims()
	n := g.Len()
	if r != count(i, n) || c != count(j, n) {
		panic(fmt.Sprintf("manifold: block of %d x %d for %d x %d rows", r, c, count(i, n), count(j, n)))
	}
	for a := range r {
		to, from := dst.RawRowView(a), g.table.RawRowView(place(i, a))
		for b := range to {
			to[b] = from[place(j, b)]
		}
	}
}

func count(list []int, n int) int {
	if list == nil {
		return n
	}
	return len(list)
}

func place(list []int, a int) int {
	if list == nil {
		return a
	}
	return list[a]
}

// Cross carries the columns j of the table to other rows.
func (g *paths) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	g.once.Do(func() {
		g.over = mat.DenseCopyOf(g.table)
		g.survey.carry.solve(g.over)
	})
	n := g.Len()
	base, over := mat.NewDense(x.Len(), n, nil), g.over
	if err := g.Gram.Cross(base, x, nil); err != nil {
		return err
	}
	if j != nil {
		over = mat.NewDense(n, len(j), nil)
		for i := range n {
			to, from := over.RawRowView(i), g.over.RawRowView(i)
			for b, q := range j {
				to[b] = from[q]
			}
		}
	}
	blas.Gemm(1, blas.N(base), blas.N(over), 0, dst)
	return nil
}

// Expand writes a function over the Laplacian kernel on all n rows.
func (g *paths) Expand(alpha *mat.Dense, j []int) ([]kernel.Expansion, error) {
	n := g.Len()
	_, c := alpha.Dims()
	over := mat.NewDense(n, c, nil)
	if j == nil {
		blas.Gemm(1, blas.N(g.table), blas.N(alpha), 0, over)
	} else {
		chosen := mat.NewDense(n, len(j), nil)
		g.Block(chosen, nil, j)
		blas.Gemm(1, blas.N(chosen), blas.N(alpha), 0, over)
	}
	g.survey.carry.solve(over)
	return g.Gram.Expand(over, nil)
}

// Pull is the derivative by the width, dk/dsigma = k D/sigma^3, where the table is that of k itself. Where
// eigenvalues were set to zero it is an error: searches that need no derivative move the width.
func (g *paths) Pull(grad []float64, bar kernel.Cotangent) error {
	if len(grad) != len(g.k.Space()) {
		panic(fmt.Sprintf("manifold: gradient of length %d, %d parameters", len(grad), len(g.k.Space())))
	}
	switch {
	case len(grad) == 0:
		return nil
	case g.altered:
		return errors.New("manifold: a kernel of paths with negative eigenvalues, or scaled, has no derivative by its width; " +
			"search without gradients")
	}
	n := g.Len()
	for a := range count(bar.I, n) {
		i := place(bar.I, a)
		values, lengths := g.table.RawRowView(i), g.survey.length.RawRowView(i)
		for b := range count(bar.J, n) {
			j := place(bar.J, b)
			var v float64
			if bar.D != nil {
				v = bar.D.At(a, b)
			}
			if bar.U != nil {
				v += floats.Dot(bar.U.RawRowView(a), bar.V.RawRowView(b))
			}
			grad[0] += v * values[j] * lengths[j] * lengths[j] / (g.k.Sigma * g.k.Sigma * g.k.Sigma)
		}
	}
	return nil
}

// carrier is the Laplacian kernel bound to rows, and its factor.
type carrier struct {
	base   kernel.Gram
	factor *kernel.Nystrom
}

func newCarrier(ctx context.Context, rows data.Rows) (*carrier, error) {
	base, err := kernel.Laplacian{}.Adapt(rows).Bind(ctx, rows, nil)
	if err != nil {
		return nil, err
	}
	c := &carrier{base: base}
	if c.factor, err = kernel.NewProjection(kernel.Within(ctx, base), 0); err != nil {
		return nil, err
	}
	return c, ctx.Err()
}

// solve replaces values at the rows by coefficients.
func (c *carrier) solve(v *mat.Dense) {
	c.factor.Project(v)
	c.factor.Coefficients(v)
}
