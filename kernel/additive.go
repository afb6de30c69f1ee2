package kernel

import (
	"fmt"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/mat"
)

// Sums over the features of a term of two numbers, by blocks: chi-square terms or absolute differences.
//
// Dense rows: panels of eight rows, as package vec takes them; half of the cost for a symmetric block. Sparse rows: a term for each pair
// of entries in a common column, since
//
//	distance = |x|_1 + |z|_1 - 2 product,
//
// where pairs nearer than closePair times the first two, which cancel, are summed term
// by term; their relative error is then that of dense rows, elsewhere eps/closePair.
type additive struct {
	terms
	n, d int

	panels []float64 // of dense rows: see vec.ChiDistance; nil for sparse ones
	padded int       // features of a panel, d rounded up to a multiple of 4

	csr *data.CSR
	sum []float64 // of the distances of a sparse row's features from zero

	once sync.Once
	t    *data.CSR // transpose of csr
}

// terms are the terms of a sum.
type terms struct {
	// distance and product add the terms of one row with a panel, see vec.ChiDistance; product may be nil.
	distance, product func(out, x, z []float64, features int)
	// common is half of |v| + |w| - d(v, w), apart is d(v, w).
	common, apart func(v, w float64) float64
}

// sums is which of two sums is asked for, and what dense ones are multiplied by.
type sums struct {
	of     comparison
	factor float64
}

// Features of a panel are taken 256 at a time: a panel of x and one of z are then
// 32 kB, the first-level cache.
const panelFeatures = 256

// newAdditive prepares rows. The features of dense rows are multiplied by the factors of their columns.
func newAdditive(t terms, rows data.Rows, factor func(column int) float64) *additive {
	h := &additive{terms: t, n: rows.Len(), d: rows.Dim()}
	if rows.Sparse != nil {
		h.csr = rows.Sparse
		h.sums()
		return h
	}
	h.pack(rows.Dense, factor)
	return h
}

// columns reports rows of another number of columns.
func (h *additive) columns(x data.Rows) error {
	if x.Dim() != h.d {
		return fmt.Errorf("kernel: the new rows have %d columns, the training rows %d; give both the same features", x.Dim(), h.d)
	}
	return nil
}

// like prepares new rows in the form of h.
func (h *additive) like(x data.Rows, factor func(column int) float64) *additive {
	p := &additive{terms: h.terms, n: x.Len(), d: h.d}
	if h.csr != nil {
		if p.csr = x.Sparse; p.csr == nil {
			p.csr = data.CSRFromDense(x.Dense)
		}
		p.sums()
		return p
	}
	dense := x.Dense
	if dense == nil {
		dense = x.Sparse.ToDense()
	}
	p.pack(dense, factor)
	return p
}

// times is h with all features of dense rows multiplied by a factor.
func (h *additive) times(factor float64) *additive {
	p := &additive{terms: h.terms, n: h.n, d: h.d, padded: h.padded, panels: make([]float64, len(h.panels))}
	for q, v := range h.panels {
		p.panels[q] = v * factor
	}
	return p
}

// pack makes the panels of dense rows.
func (h *additive) pack(x *mat.Dense, factor func(column int) float64) {
	h.padded = (h.d + 3) &^ 3
	h.panels = make([]float64, (h.n+vec.ChiRows-1)/vec.ChiRows*h.padded*vec.ChiRows)
	by := make([]float64, h.d)
	for k := range by {
		by[k] = factor(k)
	}
	parallel.Pieces(h.n, chunk, func(lo, hi int) { // whole panels: chunk is a multiple of ChiRows
		for i := lo; i < hi; i++ {
			to := h.row(i)
			for k, v := range row(x, i) {
				to[k*vec.ChiRows] = v * by[k]
			}
		}
	})
}

func (h *additive) sums() {
	h.sum = make([]float64, h.n)
	for i := range h.sum {
		_, v := h.csr.Row(i)
		for _, f := range v {
			h.sum[i] += h.apart(f, 0)
		}
	}
}

// row is row i from its first feature on; the others follow at a distance of ChiRows.
func (h *additive) row(i int) []float64 {
	return h.panels[i/vec.ChiRows*vec.ChiRows*h.padded+i%vec.ChiRows:]
}

// panel is the panel of rows 8b to 8b+7.
func (h *additive) panel(b int) []float64 {
	size := vec.ChiRows * h.padded
	return h.panels[b*size : (b+1)*size]
}

// take returns the rows of the given numbers.
func (h *additive) take(idx []int) *additive {
	q := &additive{terms: h.terms, n: len(idx), d: h.d, padded: h.padded}
	if h.csr != nil {
		q.csr = h.csr.SelectRows(idx)
		q.sums()
		return q
	}
	q.panels = make([]float64, (q.n+vec.ChiRows-1)/vec.ChiRows*q.padded*vec.ChiRows)
	parallel.Pieces(q.n, chunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			from, to := h.row(idx[a]), q.row(a)
			for k := 0; k < h.d*vec.ChiRows; k += vec.ChiRows {
				to[k] = from[k]
			}
		}
	})
	return q
}

// pairs stores the sums of rows [lo, hi) of h with the rows of z in those rows of dst;
// lo is a multiple of chunk. If z is h only the part below and on the diagonal counts;
// what is stored beyond it stays left of column lo + chunk.
func (h *additive) pairs(dst *mat.Dense, z *additive, lo, hi int, want sums) {
	if h.csr != nil {
		h.sparsePairs(dst, z, lo, hi, want.of)
		return
	}
	sum := h.distance
	if want.of == innerProduct {
		sum = h.product
	}
	width := z.n
	if z == h {
		width = hi
	}
	for a := lo; a < hi; a++ {
		clear(row(dst, a)[:width])
	}
	var rest [vec.ChiRows]float64
	for k := 0; k < h.padded; k += panelFeatures {
		features := min(panelFeatures, h.padded-k)
		from := k * vec.ChiRows
		for b := 0; b < width; b += vec.ChiRows {
			panel := z.panel(b / vec.ChiRows)[from:]
			first := lo
			if z == h {
				first = max(lo, b) // panels above the diagonal are left out
			}
			for a := first; a < hi; a++ {
				to := row(dst, a)[b:min(b+vec.ChiRows, width)]
				if len(to) == vec.ChiRows {
					sum(to, h.row(a)[from:], panel, features)
					continue
				}
				copy(rest[:], to)
				sum(rest[:], h.row(a)[from:], panel, features)
				copy(to, rest[:])
			}
		}
	}
	if want.factor == 1 {
		return
	}
	for a := lo; a < hi; a++ {
		to := row(dst, a)[:width]
		for b := range to {
			to[b] *= want.factor
		}
	}
}

func (h *additive) sparsePairs(dst *mat.Dense, z *additive, lo, hi int, of comparison) {
	t := z.transpose()
	for a := lo; a < hi; a++ {
		last := z.n - 1
		if z == h {
			last = a
		}
		s := row(dst, a)[:last+1]
		clear(s)
		idx, val := h.csr.Row(a)
		for q, k := range idx {
			v := val[q]
			cols, values := t.Row(int(k))
			for p, b := range cols {
				if int(b) > last {
					break
				}
				s[b] += h.common(v, values[p])
			}
		}
		if of == innerProduct {
			continue
		}
		for b, product := range s {
			sum := h.sum[a] + z.sum[b]
			d := sum - 2*product
			if d < closePair*sum {
				d = h.between(a, z, b)
			}
			s[b] = d
		}
	}
}

// transpose returns the transpose of sparse rows, computed once.
func (h *additive) transpose() *data.CSR {
	h.once.Do(func() { h.t = h.csr.T() })
	return h.t
}

// between is the distance of sparse row a and row b of z, term by term.
func (h *additive) between(a int, z *additive, b int) float64 {
	xi, xv := h.csr.Row(a)
	zi, zv := z.csr.Row(b)
	var s float64
	var i, j int
	for i < len(xi) || j < len(zi) {
		switch {
		case j == len(zi) || i < len(xi) && xi[i] < zi[j]:
			s += h.apart(xv[i], 0)
			i++
		case i == len(xi) || zi[j] < xi[i]:
			s += h.apart(0, zv[j])
			j++
		default:
			s += h.apart(xv[i], zv[j])
			i++
			j++
		}
	}
	return s
}
