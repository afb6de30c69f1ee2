package kernel

// Products with the matrix of n rows and m centres, which is never stored.
//
//	out = K V (n x c),   G = K'Y (m x c),   G = K' diag(w) K V (m x c),   S = K'K (m x m)
//
// Symbols   K_ij = k(x_i, z_j) for rows X (n x d) and centres Z (m x d).
// Method    One pass over the rows: a panel of rows of K is computed, used for all columns of V and
//           Y, and forgotten. Gaussian kernels (one width or one a column, and multiples of them)
//           on dense rows are computed in single precision, products_single.go; all others by
//           Gram.Cross in double precision, and multiplied by gemm and syrk.
// Precision sums are in double precision in both ways: a product is that of one fixed matrix,
//           linear to 1e-15 as iterative solvers expect, whose entries are off by no more than NewSingle says.
//           What must be divided by small pivots of K_ZZ asks for panels in double (Panels, Syrk): their entries
//           are off by 2^-24, which pivots of 1e-12 would make 0.06.
// Floor     an entry of K costs 2d flops in single precision and one exponential, used 2c flops in double
//           precision a product, 4c for K' diag(w) K V; d = 50, c = 10, on one processor at 100 and 50 billion flops a
//           second 1 + 0.2 + 0.4 nanoseconds. S costs n m^2 flops in double precision, beside which all else is small.
// Memory    a panel a processor (half a megabyte, or 8 MB for all in double precision), 8 to 64 sums of m x c numbers,
//           64 MB of them where that is more than 8, and Z in single precision twice.
// Source    Meanti, Carratino, Rosasco and Rudi, NeurIPS 2020, for products on the fly at this size.

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Products are those of a kernel bound to its centres with rows. Their methods may be called
// concurrently, use all processors, and look at the context before each panel: its error is
// returned, and what was to be computed is then arbitrary. In pure Go results do not depend on the
// number of processors.
type Products struct {
	g    Gram
	x    data.Rows
	fast *fastProducts // nil: panels in double precision
}

// Precision says in what precision products compute the entries of K.
type Precision int

const (
	// Mixed is single precision where that is fast, see above, with sums in double precision.
	Mixed Precision = iota
	// Double is double precision.
	Double
)

// NewProducts returns the products of the rows x with the centres to which g is bound.
func NewProducts(g Gram, x data.Rows, p Precision) (*Products, error) {
	if x.Len() == 0 || g.Len() == 0 {
		return nil, fmt.Errorf("kernel: products of %d rows and %d centres; there must be some of both", x.Len(), g.Len())
	}
	// The first row shows whether the kernel takes such rows at all.
	if err := g.Cross(mat.NewDense(1, g.Len(), nil), run(x, 0, 1), nil); err != nil {
		return nil, err
	}
	t := &Products{g: g, x: x}
	if p == Mixed {
		t.fast = newFastProducts(g, x)
	}
	return t, nil
}

// Dims are the numbers of rows and centres.
func (p *Products) Dims() (n, m int) { return p.x.Len(), p.g.Len() }

// Centres is the kernel bound to its centres.
func (p *Products) Centres() Gram { return p.g }

// Rows are the rows.
func (p *Products) Rows() data.Rows { return p.x }

// InSingle says whether the entries of K are computed in single precision.
func (p *Products) InSingle() bool { return p.fast != nil }

// Mul stores K V in dst (n x c) for v of m x c.
func (p *Products) Mul(ctx context.Context, dst, v *mat.Dense) error {
	p.check(dst, v, false)
	if p.fast != nil {
		return p.fast.pass(ctx, fastPass{v: v, out: dst})
	}
	_, c := v.Dims()
	return p.Panels(ctx, func(lo int, k *mat.Dense) error {
		r, _ := k.Dims()
		blas.Gemm(false, false, 1, k, v, 0, dst.Slice(lo, lo+r, 0, c).(*mat.Dense))
		return nil
	})
}

// MulT stores K'Y in dst (m x c) for y of n x c.
func (p *Products) MulT(ctx context.Context, dst, y *mat.Dense) error {
	p.check(y, dst, false)
	if p.fast != nil {
		return p.fast.pass(ctx, fastPass{y: y, sum: dst})
	}
	_, c := y.Dims()
	dst.Zero()
	return p.Panels(ctx, func(lo int, k *mat.Dense) error {
		r, _ := k.Dims()
		blas.Gemm(true, false, 1, k, y.Slice(lo, lo+r, 0, c).(*mat.Dense), 1, dst)
		return nil
	})
}

// Normal stores K' diag(w) (K V - 1 less') in dst (m x c) for v of m x c; nil w means ones, nil less
// zeros: the means of the columns of K V taken off here cost no digits, where the product of
// means taken off K' K V would. dst and v must not overlap.
func (p *Products) Normal(ctx context.Context, dst *mat.Dense, w []float64, v *mat.Dense, less []float64) error {
	p.check(dst, v, true)
	_, c := v.Dims()
	if n := p.x.Len(); w != nil && len(w) != n || less != nil && len(less) != c {
		panic(fmt.Sprintf("kernel: %d weights of %d rows, %d means of %d columns", len(w), n, len(less), c))
	}
	if p.fast != nil {
		less = slices.Clone(less)
		for j := range less {
			less[j] /= p.fast.weight
		}
		return p.fast.pass(ctx, fastPass{v: v, w: w, less: less, sum: dst})
	}
	dst.Zero()
	var work *mat.Dense
	return p.Panels(ctx, func(lo int, k *mat.Dense) error {
		r, _ := k.Dims()
		kv := panelOf(&work, r, c)
		blas.Gemm(false, false, 1, k, v, 0, kv)
		for a := range r {
			to := row(kv, a)
			for j, v := range less {
				to[j] -= v
			}
			if w != nil {
				floats.Scale(w[lo+a], to)
			}
		}
		blas.Gemm(true, false, 1, k, kv, 1, dst)
		return nil
	})
}

// Syrk stores K'K in dst (m x m), computed in double precision.
func (p *Products) Syrk(ctx context.Context, dst *mat.Dense) error {
	dst.Zero()
	err := p.Panels(ctx, func(_ int, k *mat.Dense) error {
		blas.SyrkLower(true, 1, k, 1, dst)
		return nil
	})
	m := p.g.Len()
	parallel.Pieces(m, m, func(lo, hi int) { mirrorUp(dst, lo, hi) })
	return err
}

// Panels calls f with the rows lo, lo+1, ... of K in double precision, one panel after another. f
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

// check panics where tall is not n x c and v not m x c, or neither is m x c where both should be.
func (p *Products) check(tall, v *mat.Dense, square bool) {
	n, m := p.Dims()
	if square {
		n = m
	}
	tr, tc := tall.Dims()
	if vr, vc := v.Dims(); tr != n || vr != m || tc != vc {
		panic(fmt.Sprintf("kernel: products of %d rows and %d centres between %dx%d and %dx%d", p.x.Len(), m, tr, tc, vr, vc))
	}
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
