package kernel

import (
	"fmt"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/mat"
)

// Chi-square sums of rows whose features are not negative, by blocks, 0/0 = 0:
//
//	distance   s_ab = sum_k (x_ak - z_bk)^2 / (x_ak + z_bk)
//	product    s_ab = sum_k 2 x_ak z_bk / (x_ak + z_bk)
//
// Dense rows: panels of eight rows, four fractions a division (vec.ChiDistance): about
// 0.4 cycles a feature of a pair, half of that for a symmetric block. Sparse rows: one
// division for each pair of entries in a common column, since
//
//	distance = |x|_1 + |z|_1 - 2 product,
//
// where pairs nearer than closePair times the first two, which cancel, are summed term
// by term; their relative error is then that of dense rows, elsewhere eps/closePair.
//
// Both sums are homogeneous: dense rows are divided by a power of two that brings their
// largest feature below one. Features below 2^-100 (8e-31) of that count as zero.
type histograms struct {
	n, d int

	panels []float64 // of dense rows: see vec.ChiDistance; nil for sparse ones
	padded int       // features of a panel, d rounded up to a multiple of 4
	power  int       // panels are the rows over 2^power

	csr *data.CSR
	sum []float64 // of the features of a sparse row

	once sync.Once
	t    *data.CSR // transpose of csr
}

// Features of a panel are taken 256 at a time: a panel of x and one of z are then
// 32 kB, the first-level cache.
const chiFeatures = 256

// newHistograms prepares the rows for a kernel of the given name, or reports the first
// that is no histogram.
func newHistograms(name string, rows data.Rows) (*histograms, error) {
	largest, err := checkHistograms(name, rows)
	if err != nil {
		return nil, err
	}
	h := &histograms{n: rows.Len(), d: rows.Dim()}
	if rows.Sparse != nil {
		h.csr = rows.Sparse
		h.sums()
		return h, nil
	}
	h.power = powerOf(largest)
	h.pack(rows.Dense)
	return h, nil
}

// checkHistograms returns the largest feature.
func checkHistograms(name string, rows data.Rows) (largest float64, err error) {
	for i := range rows.Len() {
		var idx []int32
		var val []float64
		if rows.Sparse != nil {
			idx, val = rows.Sparse.Row(i)
		} else {
			val = row(rows.Dense, i)
		}
		var sum float64
		for q, v := range val {
			if !(v >= 0) {
				if idx != nil {
					q = int(idx[q])
				}
				return 0, fmt.Errorf(
					"kernel: %s: row %d, column %d is %g; features must not be negative: leave counts and frequencies unscaled, scale other columns to "+
						"[0, 1]",
					name,
					i,
					q,
					v,
				)
			}
			sum += v
			largest = max(largest, v)
		}
		if sum > math.MaxFloat64/4 {
			return 0, fmt.Errorf("kernel: %s: row %d sums to %g; measure the features in larger units", name, i, sum)
		}
	}
	return largest, nil
}

// powerOf is the power of two just above v, within the range where 2^power and
// 2^-power are normal numbers.
func powerOf(v float64) int {
	_, e := math.Frexp(v)
	return min(max(e, -1000), 1000)
}

// pack makes the panels of dense rows.
func (h *histograms) pack(x *mat.Dense) {
	h.padded = (h.d + 3) &^ 3
	h.panels = make([]float64, (h.n+vec.ChiRows-1)/vec.ChiRows*h.padded*vec.ChiRows)
	factor := math.Ldexp(1, -h.power)
	parallel.Pieces(h.n, chunk, func(lo, hi int) { // whole panels: chunk is a multiple of ChiRows
		for i := lo; i < hi; i++ {
			to := h.row(i)
			for k, v := range row(x, i) {
				to[k*vec.ChiRows] = v * factor
			}
		}
	})
}

func (h *histograms) sums() {
	h.sum = make([]float64, h.n)
	for i := range h.sum {
		_, v := h.csr.Row(i)
		for _, f := range v {
			h.sum[i] += f
		}
	}
}

// row is row i from its first feature on; the others follow at a distance of ChiRows.
func (h *histograms) row(i int) []float64 {
	return h.panels[i/vec.ChiRows*vec.ChiRows*h.padded+i%vec.ChiRows:]
}

// panel is the panel of rows 8b to 8b+7.
func (h *histograms) panel(b int) []float64 {
	size := vec.ChiRows * h.padded
	return h.panels[b*size : (b+1)*size]
}

// like prepares new rows in the form of h, and h in their scale if that is larger.
func (h *histograms) like(name string, x data.Rows) (px, own *histograms, err error) {
	if x.Dim() != h.d {
		return nil, nil, fmt.Errorf("kernel: the new rows have %d columns, the training rows %d; give both the same features", x.Dim(), h.d)
	}
	largest, err := checkHistograms(name, x)
	if err != nil {
		return nil, nil, err
	}
	px = &histograms{n: x.Len(), d: h.d}
	if h.csr != nil {
		if px.csr = x.Sparse; px.csr == nil {
			px.csr = data.CSRFromDense(x.Dense)
		}
		px.sums()
		return px, h, nil
	}
	dense := x.Dense
	if dense == nil {
		dense = x.Sparse.ToDense()
	}
	own = h
	if p := powerOf(largest); p > h.power {
		own = &histograms{n: h.n, d: h.d, padded: h.padded, power: p, panels: make([]float64, len(h.panels))}
		factor := math.Ldexp(1, h.power-p)
		for q, v := range h.panels {
			own.panels[q] = v * factor
		}
	}
	px.power = own.power
	px.pack(dense)
	return px, own, nil
}

// take returns the rows of the given numbers; nil means all.
func (h *histograms) take(idx []int) *histograms {
	if idx == nil {
		return h
	}
	q := &histograms{n: len(idx), d: h.d, padded: h.padded, power: h.power}
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
func (h *histograms) pairs(dst *mat.Dense, z *histograms, lo, hi int, of comparison) {
	if h.csr != nil {
		h.sparsePairs(dst, z, lo, hi, of)
		return
	}
	sum, factor := vec.ChiDistance, math.Ldexp(1, h.power)
	if of == innerProduct {
		sum, factor = vec.ChiProduct, 2*factor
	}
	width := z.n
	if z == h {
		width = hi
	}
	for a := lo; a < hi; a++ {
		clear(row(dst, a)[:width])
	}
	var rest [vec.ChiRows]float64
	for k := 0; k < h.padded; k += chiFeatures {
		features := min(chiFeatures, h.padded-k)
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
	for a := lo; a < hi; a++ {
		to := row(dst, a)[:width]
		for b := range to {
			to[b] *= factor
		}
	}
}

func (h *histograms) sparsePairs(dst *mat.Dense, z *histograms, lo, hi int, of comparison) {
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
				if w := values[p]; v+w > 0 { // stored zeros
					s[b] += v * (2 * w / (v + w))
				}
			}
		}
		if of == innerProduct {
			continue
		}
		for b, product := range s {
			sum := h.sum[a] + z.sum[b]
			d := sum - 2*product
			if d < closePair*sum {
				d = h.apart(a, z, b)
			}
			s[b] = d
		}
	}
}

// transpose returns the transpose of sparse rows, computed once.
func (h *histograms) transpose() *data.CSR {
	h.once.Do(func() { h.t = h.csr.T() })
	return h.t
}

// apart is the distance of sparse row a and row b of z, term by term.
func (h *histograms) apart(a int, z *histograms, b int) float64 {
	xi, xv := h.csr.Row(a)
	zi, zv := z.csr.Row(b)
	var s float64
	var i, j int
	for i < len(xi) || j < len(zi) {
		switch {
		case j == len(zi) || i < len(xi) && xi[i] < zi[j]:
			s += xv[i]
			i++
		case i == len(xi) || zi[j] < xi[i]:
			s += zv[j]
			j++
		default:
			if both := xv[i] + zv[j]; both > 0 {
				d := xv[i] - zv[j]
				s += d * (d / both)
			}
			i++
			j++
		}
	}
	return s
}
