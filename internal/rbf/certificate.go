package rbf

// Problem   How far may an element lie above the least SSE that its widths allow at its Q?
// Method    Duality. With r = y - H beta the least SSE of |beta|_1 <= Q is at least
//           |y|^2 - |y-r|^2 - 2 Q max_j |h_j'r|, so the element is above it by at most
//             2 (Q max_j |h_j'r| - beta'H'r),
//           whatever made it: a bound of the elements themselves, not of the knots of a
//           path, of which those at lambda -> 0 are far from any condition relative to lambda
//           and on no front.
// Cost      the columns of the widths used once more, and a matrix product of elements x
//           N x columns. Memory: elements x N and a block of columns.
// Source    Osborne, Presnell and Turlach, IMA J. Numer. Anal. 20 (2000), section 3.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
)

// certify is the certificate of networks of one width each, bar the targets that the columns fit.
func (f *Front) certify(ctx context.Context, p *points, bar []float64) (float64, error) {
	var worst float64
	for w := range f.Widths {
		var which []int
		for i := range f.Elements {
			if e := &f.Elements[i]; len(e.Units) > 0 && int(e.Units[0].Width) == w {
				which = append(which, i)
			}
		}
		if len(which) == 0 {
			continue
		}
		d, err := p.newDictionary(ctx, f.Widths[w:w+1], f.Order, nil, true)
		if err != nil {
			return 0, err
		}
		worst = max(worst, f.gap(d, w, bar, which))
	}
	return worst, nil
}

// gap is the greatest bound of the elements which, as a share of |bar|^2. All their units are columns
// of d, whose first width is number first of the front.
func (f *Front) gap(d *dictionary, first int, bar []float64, which []int) float64 {
	yy := blas64.Dot(vec(bar), vec(bar))
	if yy == 0 {
		return 0
	}
	n, m := d.Dims()
	r := mat.NewDense(len(which), n, nil)
	for k := range which {
		copy(r.RawRowView(k), bar)
	}
	buf, out := mat.NewDense(min(checkColumns, m), n, nil), mat.NewDense(min(checkColumns, m), len(which), nil)
	for lo := 0; lo < m; lo += checkColumns {
		hi := min(lo+checkColumns, m)
		x := d.Block(lo, hi, buf)
		f.units(d, first, which, lo, hi, func(k, column int, beta float64) {
			blas64.Axpy(-beta, vec(x.RawRowView(column)), vec(r.RawRowView(k)))
		})
	}
	most, inner := make([]float64, len(which)), make([]float64, len(which))
	for lo := 0; lo < m; lo += checkColumns {
		hi := min(lo+checkColumns, m)
		c := out.Slice(0, hi-lo, 0, len(which)).(*mat.Dense)
		blas.Gemm(1, blas.N(d.Block(lo, hi, buf)), blas.T(r), 0, c)
		for j := range hi - lo {
			for k, v := range c.RawRowView(j) {
				most[k] = max(most[k], math.Abs(v))
			}
		}
		f.units(d, first, which, lo, hi, func(k, column int, beta float64) { inner[k] += beta * c.At(column, k) })
	}
	var worst float64
	for k, i := range which {
		worst = max(worst, 2*(f.Elements[i].Q*most[k]-inner[k]))
	}
	return worst / yy
}

// checkColumns are the columns of one product.
const checkColumns = 1024

// units visits the units of the elements which that are columns lo to hi-1 of d, with beta.
func (f *Front) units(d *dictionary, first int, which []int, lo, hi int, visit func(k, column int, beta float64)) {
	for k, i := range which {
		e := &f.Elements[i]
		for q, u := range e.Units {
			if j := (int(u.Width)-first)*d.p.m + int(u.Centre); lo <= j && j < hi {
				visit(k, j-lo, e.Coef[q]/math.Pow(f.Widths[u.Width], f.Order))
			}
		}
	}
}
