package kernel

// Products with the matrix of n rows and m centres, which is never stored.
//
//	out = K V (n x c),   K_ij = k(x_i, z_j) for rows X (n x d) and centres Z (m x d)
//
// Method    One pass over the rows: a panel of rows of K is computed by Gram.Cross, used for all columns of V, and
//           forgotten. Sums over rows, of which K'K and K'Y are made, are computed by the caller of Panels.
// Cost      n m kernel values and 2 n m c flops. Memory: a panel of 8 MB.

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

// Products are those of a kernel bound to its centres with rows. Their methods may be called
// concurrently, use all processors, and look at the context before each panel: its error is
// returned, and what was to be computed is then arbitrary. In pure Go results do not depend on the
// number of processors.
type Products struct {
	g Gram
	x data.Rows
}

// NewProducts returns the products of the rows x with the centres to which g is bound.
func NewProducts(g Gram, x data.Rows) (*Products, error) {
	if x.Len() == 0 || g.Len() == 0 {
		return nil, fmt.Errorf("kernel: products of %d rows and %d centres; there must be some of both", x.Len(), g.Len())
	}
	// The first row shows whether the kernel takes such rows at all.
	if err := g.Cross(mat.NewDense(1, g.Len(), nil), run(x, 0, 1), nil); err != nil {
		return nil, err
	}
	return &Products{g: g, x: x}, nil
}

// Dims are the numbers of rows and centres.
func (p *Products) Dims() (n, m int) { return p.x.Len(), p.g.Len() }

// Centres is the kernel bound to its centres.
func (p *Products) Centres() Gram { return p.g }

// Rows are the rows.
func (p *Products) Rows() data.Rows { return p.x }

// Mul stores K V in dst (n x c) for v of m x c.
func (p *Products) Mul(ctx context.Context, dst, v *mat.Dense) error {
	n, m := p.Dims()
	r, c := dst.Dims()
	if vr, vc := v.Dims(); r != n || vr != m || c != vc {
		panic(fmt.Sprintf("kernel: products of %d rows and %d centres between %dx%d and %dx%d", n, m, r, c, vr, vc))
	}
	return p.Panels(ctx, func(lo int, k *mat.Dense) error {
		r, _ := k.Dims()
		blas.Gemm(1, blas.N(k), blas.N(v), 0, dst.Slice(lo, lo+r, 0, c).(*mat.Dense))
		return nil
	})
}

// Panels calls f with the rows lo, lo+1, ... of K, one panel after another. f
// may overwrite the panel.
func (p *Products) Panels(ctx context.Context, f func(lo int, k *mat.Dense) error) error {
	n, m := p.Dims()
	size := min(panelRows(m), n)
	var work *mat.Dense
	for lo := 0; lo < n; lo += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+size, n)
		k := panelOf(&work, hi-lo, m)
		if err := p.g.Cross(k, run(p.x, lo, hi), nil); err != nil {
			return err
		}
		if err := f(lo, k); err != nil {
			return err
		}
	}
	return nil
}

// run returns the rows lo to hi-1, dense ones as a view, with their identity.
func run(x data.Rows, lo, hi int) data.Rows {
	idx := make([]int, hi-lo)
	for a := range idx {
		idx[a] = lo + a
	}
	if x.Dense == nil {
		return x.Select(idx)
	}
	if x.ID != nil {
		idx = x.ID[lo:hi]
	}
	return data.Rows{Dense: x.Dense.Slice(lo, hi, 0, x.Dim()).(*mat.Dense), ID: idx}
}
