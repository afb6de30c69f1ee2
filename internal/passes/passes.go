// Package passes multiplies with the rows of a set in passes over their entries: what solvers of linear machines need of
// millions of rows, and nothing is stored beside the rows. No product depends on the number of processors.
//
// Products are of one class. Those of all classes in one pass were tried: most rows count for few classes, and one class a processor
// took half the time.
//
// Change here how rows are multiplied without a matrix.
package passes

import (
	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
)

// Rows are some rows of a set, n x d, with a constant feature 1 behind the others if there is an offset. Its methods
// share scratch memory and are not for concurrent use.
type Rows struct {
	x        data.Rows
	among    []int // the rows of x; nil: all
	n, d     int   // d with the constant
	constant bool
	stored   float64     // entries of a row, in the mean
	partial  [][]float64 // of products with X'
	Products int         // so far, with X, X' or both in one pass
}

// New is the rows of x that are listed (nil: all), of which nothing is copied.
func New(x data.Rows, among []int) *Rows {
	r := &Rows{x: x, among: among, n: x.Len(), d: x.Dim(), stored: float64(x.Dim())}
	if x.IsSparse() {
		r.stored = float64(x.Sparse.NNZ()) / float64(max(r.n, 1))
	}
	if among != nil {
		r.n = len(among)
	}
	return r
}

// WithConstant is the same rows with a constant feature behind the others.
func (r *Rows) WithConstant() *Rows {
	with := New(r.x, r.among)
	with.constant, with.d = true, with.d+1
	return with
}

// Dims are the numbers of rows and of features with the constant.
func (r *Rows) Dims() (n, d int) { return r.n, r.d }

const (
	// piece is about how many entries a processor takes at a time: some 30 microseconds.
	piece = 1 << 14
	// pieces is how many sums of a product with X' there are at most, each of d numbers.
	pieces = 16
	// share is how many entries a sum has at least for each of its d numbers, which are added at the end.
	share = 4
)

// list is the rows of a product: nil stands for all.
func (r *Rows) list(on []int) int {
	if on == nil {
		return r.n
	}
	return len(on)
}

// number is the row of the set that is place k of a product.
func (r *Rows) number(on []int, k int) int {
	if on != nil {
		k = on[k]
	}
	if r.among != nil {
		k = r.among[k]
	}
	return k
}

// Mul stores x_k'w of the rows on (nil: all) in dst, in their order.
func (r *Rows) Mul(dst, w []float64, on []int) {
	r.Products++
	size := max(int(piece/(r.stored+1)), 1)
	parallel.Pieces(r.list(on), size, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			dst[k] = r.dot(r.number(on, k), w)
		}
	})
}

// MulT stores sum_k z_k x_k over the rows on (nil: all) in dst.
func (r *Rows) MulT(dst, z []float64, on []int) {
	r.Products++
	r.sum(dst, r.list(on), func(to []float64, k int) {
		if z[k] != 0 {
			r.add(to, z[k], r.number(on, k))
		}
	})
}

// MulHessian stores sum_k c_k x_k (x_k'p) over the rows on (nil: all) in dst, in one pass: each row is multiplied while it
// is at hand.
func (r *Rows) MulHessian(dst, p, c []float64, on []int) {
	r.Products++
	r.sum(dst, r.list(on), func(to []float64, k int) {
		if c[k] != 0 {
			i := r.number(on, k)
			r.add(to, c[k]*r.dot(i, p), i)
		}
	})
}

// Diagonal stores sum_k c_k x_kj^2 over the rows on (nil: all) in dst.
func (r *Rows) Diagonal(dst, c []float64, on []int) {
	r.sum(dst, r.list(on), func(to []float64, k int) {
		if c[k] != 0 {
			r.addSquares(to, c[k], r.number(on, k))
		}
	})
}

// sum adds what the n places of a product have, so many in each of a few sums, which are then added.
func (r *Rows) sum(dst []float64, n int, each func(to []float64, k int)) {
	entries := r.stored * float64(n)
	count := min(max(int(entries/max(share*float64(r.d), 2*piece)), 1), pieces)
	size := max((n+count-1)/count, 1)
	count = max((n+size-1)/size, 1)
	for len(r.partial) < count-1 {
		r.partial = append(r.partial, make([]float64, r.d))
	}
	if n == 0 {
		clear(dst)
	}
	parallel.Pieces(n, size, func(lo, hi int) {
		to := dst
		if lo > 0 {
			to = r.partial[lo/size-1]
		}
		clear(to)
		for k := lo; k < hi; k++ {
			each(to, k)
		}
	})
	for _, p := range r.partial[:count-1] {
		floats.Add(dst, p)
	}
}

// Dot is x_k'w of row k of these.
func (r *Rows) Dot(k int, w []float64) float64 { return r.dot(r.number(nil, k), w) }

// AddTo adds c x_k to dst.
func (r *Rows) AddTo(dst []float64, c float64, k int) { r.add(dst, c, r.number(nil, k)) }

// Square is x_k'x_k.
func (r *Rows) Square(k int) float64 {
	i, sum := r.number(nil, k), 0.0
	if r.constant {
		sum = 1
	}
	if r.x.Sparse == nil {
		x := r.x.Dense.RawRowView(i)
		return sum + floats.Dot(x, x)
	}
	_, values := r.x.Sparse.Row(i)
	return sum + floats.Dot(values, values)
}

// dot is x_i'w.
func (r *Rows) dot(i int, w []float64) float64 {
	sum := 0.0
	if r.constant {
		sum = w[r.d-1]
	}
	if r.x.Sparse == nil {
		return sum + floats.Dot(r.x.Dense.RawRowView(i), w[:r.x.Dim()])
	}
	columns, values := r.x.Sparse.Row(i)
	values = values[:len(columns)]
	var odd float64 // two sums, so that an addition need not wait for the one before
	q := 0
	for ; q+1 < len(columns); q += 2 {
		sum += values[q] * w[columns[q]]
		odd += values[q+1] * w[columns[q+1]]
	}
	if q < len(columns) {
		sum += values[q] * w[columns[q]]
	}
	return sum + odd
}

// add adds c x_i to dst.
func (r *Rows) add(dst []float64, c float64, i int) {
	if r.constant {
		dst[r.d-1] += c
	}
	if r.x.Sparse == nil {
		floats.AddScaled(dst[:r.x.Dim()], c, r.x.Dense.RawRowView(i))
		return
	}
	columns, values := r.x.Sparse.Row(i)
	values = values[:len(columns)]
	for q, j := range columns {
		dst[j] += c * values[q]
	}
}

// addSquares adds c x_ij^2 to dst.
func (r *Rows) addSquares(dst []float64, c float64, i int) {
	if r.constant {
		dst[r.d-1] += c
	}
	if r.x.Sparse == nil {
		for j, v := range r.x.Dense.RawRowView(i) {
			dst[j] += c * v * v
		}
		return
	}
	columns, values := r.x.Sparse.Row(i)
	for q, j := range columns {
		dst[j] += c * values[q] * values[q]
	}
}
