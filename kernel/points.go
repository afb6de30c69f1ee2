package kernel

import (
	"fmt"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/mat"
)

// inner products and squared distances of rows, by blocks.
//
//	s_ab = <x_a, z_b>   or   s_ab = |x_a|^2 + |z_b|^2 - 2<x_a, z_b>
//
// Dense rows: one matrix product, 2nmd flops (half for a symmetric block).
// Sparse rows: for each entry (a, k) of X the list of the entries of column k of
// Z, as many multiplications as there are pairs of entries in a common column.
//
// The difference of norms cancels for close pairs: its error is about
// eps (|x|^2+|z|^2). Pairs nearer than closePair times that sum are recomputed
// as sum_k (x_k-z_k)^2, which makes equal rows exactly 0 apart and bounds the
// relative error by eps/closePair, about 2e-13. Dense rows far from the origin
// are moved to their mean first: distances do not change and fewer pairs cancel.
const closePair = 1.0 / 1024

// points are rows prepared for inner products and distances.
type points struct {
	dense *mat.Dense // exactly one of dense and csr
	csr   *data.CSR
	norm  []float64 // squared norms of the prepared rows

	// The preparation, to be repeated on new rows: (x - shift) * factor by
	// column; nil for none.
	shift, factor []float64

	once sync.Once
	t    *data.CSR // transpose of csr
}

// newPoints prepares rows for inner products or for distances.
// factor, where not nil, multiplies the columns.
func newPoints(rows data.Rows, of comparison, factor []float64) *points {
	p := &points{factor: factor}
	if of == distance && rows.Dense != nil {
		mean, far := farMean(rows.Dense)
		if far || factor != nil { // scaled rows are a copy anyway
			p.shift = mean
		}
	}
	p.fill(rows)
	return p
}

// like prepares new rows in the form of p: dense or sparse, shifted and scaled.
func (p *points) like(x data.Rows) (*points, error) {
	d := p.dim()
	if x.Dim() != d {
		return nil, fmt.Errorf("kernel: the new rows have %d columns, the training rows %d; give both the same features", x.Dim(), d)
	}
	switch {
	case p.dense != nil && x.Sparse != nil:
		x = data.Rows{Dense: x.Sparse.ToDense()}
	case p.csr != nil && x.Dense != nil:
		x = data.Rows{Sparse: data.CSRFromDense(x.Dense)}
	}
	q := &points{shift: p.shift, factor: p.factor}
	q.fill(x)
	return q, nil
}

func (p *points) fill(rows data.Rows) {
	if rows.Dense != nil {
		p.dense = rows.Dense
		n, d := rows.Dense.Dims()
		if p.shift != nil || p.factor != nil {
			p.dense = mat.NewDense(n, d, nil)
			parallel.Pieces(n, chunk, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					to := row(p.dense, i)
					copy(to, row(rows.Dense, i))
					for k, m := range p.shift {
						to[k] -= m
					}
					for k, f := range p.factor {
						to[k] *= f
					}
				}
			})
		}
		p.norm = make([]float64, n)
		parallel.Pieces(n, chunk, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				p.norm[i] = square(row(p.dense, i))
			}
		})
		return
	}
	p.csr = rows.Sparse
	if p.factor != nil {
		a := *rows.Sparse
		a.Value = make([]float64, len(rows.Sparse.Value))
		for q, k := range a.Index {
			a.Value[q] = rows.Sparse.Value[q] * p.factor[k]
		}
		p.csr = &a
	}
	p.norm = make([]float64, p.csr.R)
	for i := range p.norm {
		_, v := p.csr.Row(i)
		p.norm[i] = square(v)
	}
}

func (p *points) len() int { return len(p.norm) }

func (p *points) dim() int {
	if p.dense != nil {
		_, d := p.dense.Dims()
		return d
	}
	return p.csr.C
}

// take returns the points of the given numbers; nil means all. A run of
// consecutive dense rows is a view.
func (p *points) take(idx []int) *points {
	if idx == nil {
		return p
	}
	q := &points{shift: p.shift, factor: p.factor, norm: make([]float64, len(idx))}
	for a, i := range idx {
		q.norm[a] = p.norm[i]
	}
	switch {
	case p.csr != nil:
		q.csr = p.csr.SelectRows(idx)
	case len(idx) > 0 && consecutive(idx):
		q.dense = p.dense.Slice(idx[0], idx[0]+len(idx), 0, p.dim()).(*mat.Dense)
	default:
		q.dense = mat.NewDense(len(idx), p.dim(), nil)
		for a, i := range idx {
			copy(row(q.dense, a), row(p.dense, i))
		}
	}
	return q
}

// products stores <x_a, z_b> in dst for x in p and z in q. If q is p, it fills
// the lower triangle only.
func (p *points) products(dst *mat.Dense, q *points) {
	if p.dense != nil {
		if p == q {
			blas.SyrkLower(1, blas.N(p.dense), 0, dst)
		} else {
			blas.Gemm(1, blas.N(p.dense), blas.T(q.dense), 0, dst)
		}
		return
	}
	t := q.transpose()
	parallel.Pieces(p.len(), chunk, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			last := q.len() - 1
			if p == q {
				last = i
			}
			idx, val := p.csr.Row(i)
			sparseProducts(row(dst, i), idx, val, t, last)
		}
	})
}

// transpose returns the transpose of sparse points, computed once.
func (p *points) transpose() *data.CSR {
	p.once.Do(func() { p.t = p.csr.T() })
	return p.t
}

// distances turns the inner products s of point a of p with the first len(s)
// points of q into squared distances.
func (p *points) distances(s []float64, a int, q *points) {
	na, norm := p.norm[a], q.norm[:len(s)]
	for b := vec.SquaredDistances(s, norm, na, closePair); b < len(s); {
		s[b] = p.apart(a, q, b)
		b++
		b += vec.SquaredDistances(s[b:], norm[b:], na, closePair)
	}
}

// apart is the squared distance of point a of p and point b of q, by differences.
func (p *points) apart(a int, q *points, b int) float64 {
	var s float64
	if p.dense != nil {
		x, z := row(p.dense, a), row(q.dense, b)
		for k, v := range x {
			t := v - z[k]
			s += t * t
		}
		return s
	}
	xi, xv := p.csr.Row(a)
	zi, zv := q.csr.Row(b)
	var i, j int
	for i < len(xi) || j < len(zi) {
		var t float64
		switch {
		case j == len(zi) || i < len(xi) && xi[i] < zi[j]:
			t = xv[i]
			i++
		case i == len(xi) || zi[j] < xi[i]:
			t = zv[j]
			j++
		default:
			t = xv[i] - zv[j]
			i++
			j++
		}
		s += t * t
	}
	return s
}

// sparseProducts stores in dst[0..last] the inner products of a sparse row with
// the columns 0..last of t, the transpose of the other rows.
func sparseProducts(dst []float64, idx []int32, val []float64, t *data.CSR, last int) {
	clear(dst[:last+1])
	for q, k := range idx {
		v := val[q]
		cols, values := t.Row(int(k))
		for p, b := range cols {
			if int(b) > last {
				break
			}
			dst[b] += v * values[p]
		}
	}
}

// farMean returns the column means and whether moving the rows there at least
// halves the mean squared norm: a smaller gain is not worth a copy of the rows.
func farMean(x *mat.Dense) (mean []float64, far bool) {
	n, d := x.Dims()
	mean = make([]float64, d)
	var norm float64
	for i := range n {
		r := row(x, i)
		norm += square(r) / float64(n)
		for k, v := range r {
			mean[k] += v / float64(n)
		}
	}
	m := square(mean)
	return mean, m > 0 && m >= norm/2
}

func square(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v * v
	}
	return s
}

func consecutive(idx []int) bool {
	for a, i := range idx {
		if i != idx[0]+a {
			return false
		}
	}
	return true
}

// euclidean is points for the s of squared distances and inner products.
type euclidean struct{ *points }

func (e euclidean) table(of comparison) string {
	if of == distance {
		return "squared distances"
	}
	return "inner products"
}

func (e euclidean) take(idx []int) pairing { return euclidean{e.points.take(idx)} }

func (e euclidean) like(x data.Rows) (fresh, own pairing, err error) {
	px, err := e.points.like(x)
	return euclidean{px}, e, err
}

func (e euclidean) sums(dst *mat.Dense, z pairing, of comparison) func(lo, hi int) {
	q := z.(euclidean).points
	e.products(dst, q)
	return func(lo, hi int) {
		if of == innerProduct {
			return
		}
		for a := lo; a < hi; a++ {
			s := row(dst, a)
			if q == e.points {
				s = s[:a+1]
			}
			e.distances(s, a, q)
		}
	}
}
