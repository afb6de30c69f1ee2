package primal

// K x for the iterations of Machine.CG, x n x c.
//
//	stored   doubles, 8 n^2 bytes: 2 n^2 c flops, at the speed of memory for few columns
//	single   floats, the lower triangle, 2 n^2 bytes, sums in double precision
//	panels   nothing stored: the kernel anew each time, n^2/2 (2d flops + an
//	         exponential) in single precision, by kernel.MulSingle
//
// Single precision makes K a fixed matrix that is a little different (kernel.NewSingle
// says by how much), not a noise that changes from product to product.

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Product is the Gram matrix K of n rows known by its products.
type Product interface {
	// Len is n.
	Len() int
	// MulTo stores K x in dst, both n x c and apart. The error is the context's.
	MulTo(ctx context.Context, dst, x *mat.Dense) error
	// Block stores K[i,j] in dst, in double precision; nil lists mean all rows.
	Block(dst *mat.Dense, i, j []int)
	// Unit is the relative rounding error of the elements K x is made of.
	Unit() float64
}

const (
	unitDouble = 0x1p-53
	unitSingle = 0x1p-24
)

// NewProduct chooses how K x is computed: stored in floats if that takes at most
// `memory` bytes, else by panels; in doubles where floats cannot hold the values and
// memory allows. Zero means a quarter of the machine's memory. Storing costs one Gram
// matrix.
func NewProduct(ctx context.Context, g kernel.Gram, memory int64) (Product, error) {
	if memory == 0 {
		if memory = machine.Memory() / 4; memory == 0 {
			memory = 1 << 31 // not known: 2 GB
		}
	}
	n := int64(g.Len())
	if triangleBytes(n) > memory {
		return PanelProduct(g), nil
	}
	p, err := SingleProduct(ctx, g)
	if err != nil && ctx.Err() == nil && 8*n*n <= memory {
		return StoredProduct(ctx, g)
	}
	return p, err
}

// stored is K kept in doubles.
type stored struct{ k *mat.Dense }

// StoredProduct computes and keeps K in double precision.
func StoredProduct(ctx context.Context, g kernel.Gram) (Product, error) {
	n := g.Len()
	k := mat.NewDense(n, n, nil)
	return DenseProduct(k), kernel.Fill(ctx, k, g, nil, nil)
}

// DenseProduct is the symmetric matrix k, which is not copied.
func DenseProduct(k *mat.Dense) Product {
	if r, c := k.Dims(); r != c {
		panic(fmt.Sprintf("manifold: Gram matrix %dx%d", r, c))
	}
	return stored{k}
}

func (p stored) Len() int      { return p.k.RawMatrix().Rows }
func (p stored) Unit() float64 { return unitDouble }

func (p stored) Block(dst *mat.Dense, i, j []int) {
	r, m := dst.Dims()
	for a := range r {
		from, to := p.k.RawRowView(at(i, a)), dst.RawRowView(a)
		for b := range m {
			to[b] = from[at(j, b)]
		}
	}
}

// fewColumns is the number of columns up to which reading K once a column beats the
// packed product.
const fewColumns = 3 // no result depends on it

func (p stored) MulTo(ctx context.Context, dst, x *mat.Dense) error {
	_, c := x.Dims()
	if c > fewColumns {
		blas.Gemm(1, blas.N(p.k), blas.N(x), 0, dst)
		return ctx.Err()
	}
	for q := range c {
		col := mat.Col(nil, q, x)
		parallel.Pieces(p.Len(), productRows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				dst.Set(i, q, floats.Dot(p.k.RawRowView(i), col))
			}
		})
	}
	return ctx.Err()
}

// productRows is the number of rows a goroutine takes at a time.
const productRows = 64 // no result depends on it

// panels is K computed at each product.
type panels struct {
	g kernel.Gram
	s kernel.Single
}

// PanelProduct computes K anew at each product, in single precision.
func PanelProduct(g kernel.Gram) Product { return panels{g, kernel.NewSingle(g)} }

func (p panels) Len() int                         { return p.s.Len() }
func (p panels) Unit() float64                    { return unitSingle }
func (p panels) Block(dst *mat.Dense, i, j []int) { p.g.Block(dst, i, j) }

func (p panels) MulTo(ctx context.Context, dst, x *mat.Dense) error {
	return kernel.MulSingle(ctx, dst, p.s, nil, nil, x)
}

// at is the row that entry a of the list means; nil lists all.
func at(list []int, a int) int {
	if list == nil {
		return a
	}
	return list[a]
}
