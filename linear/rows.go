package linear

import (
	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
)

// rows are the rows of a problem, with a constant feature behind the others where there is an offset. Its products do
// not depend on the number of processors.
type rows struct {
	x       data.Rows
	n, d    int // d with the constant
	offset  bool
	partial [][]float64 // of products with X'
}

func newRows(x data.Rows, offset bool) *rows {
	r := &rows{x: x, n: x.Len(), d: x.Dim(), offset: offset}
	if offset {
		r.d++
	}
	return r
}

// piece is the number of rows that a processor takes at a time, and pieces how many sums of a product with X' there are
// at most, each of d numbers.
const (
	piece  = 512
	pieces = 8
)

// mul stores x_i'w of the rows on in dst.
func (r *rows) mul(dst, w []float64, on []int) {
	parallel.Pieces(len(on), piece, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			dst[k] = r.dot(on[k], w)
		}
	})
}

func (r *rows) dot(i int, w []float64) float64 {
	sum := 0.0
	if r.offset {
		sum = w[r.d-1]
	}
	if r.x.Sparse == nil {
		return sum + floats.Dot(r.x.Dense.RawRowView(i), w[:r.x.Dim()])
	}
	columns, values := r.x.Sparse.Row(i)
	for q, j := range columns {
		sum += values[q] * w[j]
	}
	return sum
}

// mulT stores sum_k z_k x_on[k] in dst: so many rows in each of a few sums, which are then added.
func (r *rows) mulT(dst, z []float64, on []int) {
	size := max((len(on)+pieces-1)/pieces, 4*piece)
	count := max((len(on)+size-1)/size, 1)
	for len(r.partial) < count-1 {
		r.partial = append(r.partial, make([]float64, r.d))
	}
	parallel.Pieces(len(on), size, func(lo, hi int) {
		to := dst
		if lo > 0 {
			to = r.partial[lo/size-1]
		}
		clear(to)
		for k := lo; k < hi; k++ {
			if z[k] != 0 {
				r.add(to, z[k], on[k])
			}
		}
	})
	if len(on) == 0 {
		clear(dst)
	}
	for _, p := range r.partial[:count-1] {
		floats.Add(dst, p)
	}
}

// add adds c x_i to dst.
func (r *rows) add(dst []float64, c float64, i int) {
	if r.offset {
		dst[r.d-1] += c
	}
	if r.x.Sparse == nil {
		floats.AddScaled(dst[:r.x.Dim()], c, r.x.Dense.RawRowView(i))
		return
	}
	columns, values := r.x.Sparse.Row(i)
	for q, j := range columns {
		dst[j] += c * values[q]
	}
}
