package s3vm

// Rows as points of the space that their kernel makes, for algorithms that move a vector w.
//
//	K = U diag(lambda) U',   Z = U diag(lambda)^1/2  (n x p),   f = Z w + b,   ||f||^2 = w'w
//
// Symbols   row i of Z are the coordinates of row i on the kernel's principal axes, not centred; only
//           lambda above 1e-10 of the largest count. What is left out of a semi-definite K is rounding,
//           of an indefinite one also its negative part.
// New rows  f(x) = k_x'alpha + b with alpha = U diag(lambda)^-1/2 w = Z diag(lambda)^-1 w, for x as for
//           the rows themselves: K alpha = Z w.
// Method    One eigendecomposition of K; where the kernel has q < n features X with K = X X', of X'X =
//           V diag(lambda) V', and Z = X V. A kernel that knows its coordinates, as one that was made by
//           classical scaling does, gives them itself.
// Cost      some 9 n^3 flops and 2 n^2 numbers, or 2 n q^2 + 9 q^3 and n q: once for a table of kernel
//           values, for all outputs, folds and strengths on it.
// Source    Schoelkopf, Smola and Mueller, Neural Computation 10 (1998); Chapelle and Zien, AISTATS
//           2005, section 3.1, drop the same share.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// smallestEigenvalue is the share of the largest eigenvalue below which one counts as rounding.
const smallestEigenvalue = 1e-10

// Coordinates are those of the n rows of a table of kernel values.
type Coordinates struct {
	Z *mat.Dense // n x p
	// Least is the smallest eigenvalue where it is negative beyond rounding, else 0.
	Least float64

	lambda []float64 // Z'Z = diag(lambda)
}

// NewCoordinates takes those of all rows of a table k. g, which may be nil, is the bound kernel that
// the table is of. k is left as it is.
func NewCoordinates(ctx context.Context, g kernel.Gram, k *mat.Dense) (*Coordinates, error) {
	n, _ := k.Dims()
	if g != nil {
		if known, ok := g.(interface{ Coordinates() *mat.Dense }); ok && known.Coordinates() != nil {
			return ofColumns(known.Coordinates()), nil
		}
		if x, ok := kernel.Features(g); ok && x.Dim() < n {
			dense := x.Dense
			if dense == nil {
				dense = x.Sparse.ToDense()
			}
			return ofFeatures(ctx, dense)
		}
	}
	on := blas.Within(ctx)
	vectors, values := mat.DenseCopyOf(k), make([]float64, n)
	if err := on.SymEigenInPlace(vectors, values); err != nil {
		return nil, failed(err, n)
	}
	first, err := significant(values)
	if err != nil {
		return nil, err
	}
	c := &Coordinates{Z: mat.DenseCopyOf(vectors.Slice(0, n, first, n)), lambda: values[first:]}
	if least := values[0]; least < -kernel.Rounding(n, math.Max(values[n-1], -least)) {
		c.Least = least
	}
	for i := range n {
		for j, v := range c.lambda {
			c.Z.RawRowView(i)[j] *= math.Sqrt(v)
		}
	}
	return c, nil
}

// ofColumns takes coordinates that are known: columns that are orthogonal and not zero.
func ofColumns(z *mat.Dense) *Coordinates {
	n, p := z.Dims()
	c := &Coordinates{Z: z, lambda: make([]float64, p)}
	for i := range n {
		for j, v := range z.RawRowView(i) {
			c.lambda[j] += v * v
		}
	}
	return c
}

// ofFeatures turns rows of fewer columns to their principal axes.
func ofFeatures(ctx context.Context, x *mat.Dense) (*Coordinates, error) {
	n, q := x.Dims()
	on := blas.Within(ctx)
	vectors, values := mat.NewDense(q, q, nil), make([]float64, q)
	on.Syrk(1, blas.T(x), 0, vectors)
	if err := on.Stopped(); err != nil {
		return nil, err
	}
	if err := on.SymEigenInPlace(vectors, values); err != nil {
		return nil, failed(err, q)
	}
	first, err := significant(values)
	if err != nil {
		return nil, err
	}
	c := &Coordinates{Z: mat.NewDense(n, q-first, nil), lambda: values[first:]}
	on.Gemm(1, blas.N(x), blas.N(vectors.Slice(0, q, first, q).(*mat.Dense)), 0, c.Z)
	return c, on.Stopped()
}

func failed(err error, n int) error {
	return fmt.Errorf("s3vm: eigenvalues of the %dx%d table of kernel values: %w", n, n, err)
}

// significant is the place of the first of ascending eigenvalues that counts.
func significant(values []float64) (int, error) {
	n := len(values)
	if n == 0 || !(values[n-1] > 0) {
		return 0, errors.New("s3vm: the kernel has no positive eigenvalue on these rows; take another kernel")
	}
	first := n - 1
	for first > 0 && values[first-1] > smallestEigenvalue*values[n-1] {
		first--
	}
	return first, nil
}

// Alpha are the coefficients over all rows of the function with the weights w.
func (c *Coordinates) Alpha(w []float64) []float64 {
	scaled := make([]float64, len(w))
	for j, v := range w {
		scaled[j] = v / c.lambda[j]
	}
	n, _ := c.Z.Dims()
	alpha := mat.NewVecDense(n, nil)
	alpha.MulVec(c.Z, mat.NewVecDense(len(w), scaled))
	return alpha.RawVector().Data
}

// Weights are w of the function with these coefficients over all rows, Z'alpha.
func (c *Coordinates) Weights(alpha []float64) []float64 {
	w := make([]float64, len(c.lambda))
	mat.NewVecDense(len(w), w).MulVec(c.Z.T(), mat.NewVecDense(len(alpha), alpha))
	return w
}

// coordinateTable are coordinates that stand ready for problems on one table of kernel values.
type coordinateTable struct {
	k *mat.Dense
	c *Coordinates
}

// newCoordinateTable computes them.
func newCoordinateTable(ctx context.Context, g kernel.Gram, k *mat.Dense) (*coordinateTable, error) {
	c, err := NewCoordinates(ctx, g, k)
	return &coordinateTable{k, c}, err
}

// of are the coordinates of a problem and the row of Z of each of its rows: those of the table if the problem
// has all of its rows, else those of the problem's own block.
func (t *coordinateTable) of(ctx context.Context, p *Problem) (*Coordinates, []int, error) {
	n, _ := p.K.Dims()
	if t != nil && t.k == p.K && len(p.Rows) == n {
		return t.c, p.Rows, nil
	}
	block := mat.NewDense(len(p.Rows), len(p.Rows), nil)
	own := make([]int, len(p.Rows))
	for a, i := range p.Rows {
		own[a] = a
		row := p.K.RawRowView(i)
		for b, j := range p.Rows {
			block.Set(a, b, row[j])
		}
	}
	c, err := NewCoordinates(ctx, nil, block)
	return c, own, err
}
