package kernel

import (
	"cmp"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/blas/blas32"
)

// The rows of rowsSingle in single precision: centred, scaled, rounded, with half their
// squared norms and the mark of those that are far. O(nd) or O(entries).

// entriesOf returns the number of entries that are not zero, of all rows and of the
// fullest.
func entriesOf(p *points) (all, most int) {
	if p.csr != nil {
		for i := range p.len() {
			most = max(most, p.csr.Start[i+1]-p.csr.Start[i])
		}
		return p.csr.NNZ(), most
	}
	for i := range p.len() {
		one := 0
		for _, v := range row(p.dense, i) {
			if v != 0 {
				one++
			}
		}
		all += one
		most = max(most, one)
	}
	return all, most
}

// meanOf is the mean row of p.
func meanOf(p *points) []float64 {
	n, d := p.len(), p.dim()
	mean := make([]float64, d)
	for i := range n {
		if p.dense != nil {
			for k, v := range row(p.dense, i) {
				mean[k] += v
			}
			continue
		}
		idx, val := p.csr.Row(i)
		for q, k := range idx {
			mean[k] += val[q]
		}
	}
	for k := range mean {
		mean[k] /= float64(n)
	}
	return mean
}

// fullColumns returns the origin of sparse rows: 0, except in the columns that are not zero
// in most rows. There it is the value that most rows have, if one value does, so that
// these rows lose an entry, as of a category that nearly all have; else the mean, to which
// rows lie nearer: norms, and with them the rounding of distances (see rowsSingle), are
// those of the spread. more is the number of such columns, entries that a row may gain;
// nil without any. O(entries).
func fullColumns(p *points) (origin []float64, more int) {
	x := p.csr
	if x == nil {
		x = data.CSRFromDense(p.dense)
	}
	n, d := p.len(), p.dim()
	count, sum := make([]int, d), make([]float64, d)
	// Boyer and Moore's vote: the only value that can be that of most rows.
	candidate, votes := make([]float64, d), make([]int, d)
	for q, k := range x.Index {
		v := x.Value[q]
		count[k]++
		sum[k] += v
		switch {
		case votes[k] == 0:
			candidate[k], votes[k] = v, 1
		case v == candidate[k]:
			votes[k]++
		default:
			votes[k]--
		}
	}
	same := make([]int, d)
	for q, k := range x.Index {
		if x.Value[q] == candidate[k] {
			same[k]++
		}
	}
	for k, c := range count {
		if 2*c <= n {
			continue
		}
		if origin == nil {
			origin = make([]float64, d)
		}
		more++
		if origin[k] = sum[k] / float64(n); 2*same[k] > n {
			origin[k] = candidate[k]
		}
	}
	return origin, more
}

// moved returns the rows less the origin, x itself where that is nil.
func moved(x *data.CSR, origin []float64) *data.CSR {
	var columns []int32
	for k, v := range origin {
		if v != 0 {
			columns = append(columns, int32(k))
		}
	}
	if columns == nil {
		return x
	}
	to := &data.CSR{
		R:     x.R,
		C:     x.C,
		Start: make([]int, 1, x.R+1),
		Index: make([]int32, 0, len(x.Index)),
		Value: make([]float64, 0, len(x.Value)),
	}
	for i := range x.R {
		idx, val := x.Row(i)
		add := func(k int32, v float64) {
			if v != 0 {
				to.Index, to.Value = append(to.Index, k), append(to.Value, v)
			}
		}
		next := 0
		for q, k := range idx {
			for ; next < len(columns) && columns[next] < k; next++ {
				add(columns[next], -origin[columns[next]])
			}
			if next < len(columns) && columns[next] == k {
				next++
			}
			add(k, val[q]-origin[k])
		}
		for ; next < len(columns); next++ {
			add(columns[next], -origin[columns[next]])
		}
		to.Start = append(to.Start, len(to.Index))
	}
	return to
}

// orderRows is the number of rows from which the order of columns is taken.
const orderRows = 1024 // no result depends on it

// ascending lists the columns of p, moved by mean, from the least mean square to the
// largest. Inner products summed in that order lose less: behind a large sum,
// the many small and equal products of columns that are nearly constant, as of rare
// categories, would all be rounded the same way, and that of a sum of thousands of kernel
// values does not average out (1e-5 of the dual objective on covtype, C 10, gamma 4).
func ascending(p *points, mean []float64) []int {
	n, d := p.len(), p.dim()
	square := make([]float64, d)
	for i := 0; i < n; i += max(n/orderRows, 1) {
		if p.dense != nil {
			for k, v := range row(p.dense, i) {
				square[k] += (v - mean[k]) * (v - mean[k])
			}
			continue
		}
		for k, m := range mean {
			square[k] += m * m
		}
		idx, val := p.csr.Row(i)
		for q, k := range idx {
			square[k] += val[q] * (val[q] - 2*mean[k]) // (v - m)^2 - m^2
		}
	}
	order := indices.To(d)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(square[a], square[b]) })
	return order
}

// convert makes the rows in single precision.
func (s *rowsSingle) convert(p *points) singleRows {
	n, d := p.len(), p.dim()
	t := singleRows{half: make([]float32, n), far: make([]bool, n)}
	var start []int
	var value []float32
	if s.sparse {
		x := p.csr
		if x == nil {
			x = data.CSRFromDense(p.dense)
		}
		x = moved(x, s.mean)
		value, start = make([]float32, len(x.Value)), x.Start
		for q, v := range x.Value {
			value[q] = float32(v * s.factor)
		}
		t.sparse = vec.NewEntries32(start, x.Index, value, d)
	} else {
		value = make([]float32, n*d)
		t.dense = blas32.General{Rows: n, Cols: d, Stride: d, Data: value}
		parallel.Pieces(n, chunk, func(lo, hi int) {
			work := make([]float64, d)
			for i := lo; i < hi; i++ {
				if p.dense != nil {
					copy(work, row(p.dense, i))
				} else {
					clear(work)
					idx, val := p.csr.Row(i)
					for q, k := range idx {
						work[k] = val[q]
					}
				}
				for k, m := range s.mean {
					work[k] -= m
				}
				to := value[i*d : (i+1)*d]
				if s.order == nil {
					for k, v := range work {
						to[k] = float32(v * s.factor)
					}
					continue
				}
				for k, from := range s.order {
					to[k] = float32(work[from] * s.factor)
				}
			}
		})
	}
	if s.gram.k.compares() == innerProduct {
		return t
	}
	for i := range n {
		lo, hi := i*d, (i+1)*d
		if s.sparse {
			lo, hi = start[i], start[i+1]
		}
		var h float64
		for _, v := range value[lo:hi] {
			h += float64(v) * float64(v)
		}
		h /= 2
		if t.far[i] = !(h <= s.limit); t.far[i] && !(h <= farAway) {
			// Apart from all rows that are not far; its product must stay finite.
			clear(value[lo:hi])
			h = farAway
		}
		t.half[i] = float32(h)
	}
	if s.sparse {
		t.productNorms()
	}
	return t
}

// productNorms makes half the squared norms of sparse rows that are not far those that
// the products themselves give, summed in single precision in the same order. Rounding,
// which has a sign where columns have few values, is then nearly the same in <u,v> and in
// both norms of a close pair, and falls out of the distance: with norms from sums in
// double precision the dual objective on 4000 rows of covtype (C 10, gamma 4) is 6e-6 off,
// with these 3e-7. (Dense rows have ascending for that, and these norms add noise: 1.4e-6
// where theirs give 5e-7.)
func (t *singleRows) productNorms() {
	x := t.sparse
	parallel.Pieces(len(t.half), 32*normRows, func(first, last int) {
		panel, out := make([]float32, x.Columns()*normRows), make([]float32, normRows*normRows)
		for lo := first; lo < last; lo += normRows {
			hi := min(lo+normRows, last)
			for a := range hi - lo {
				for p := x.Start[lo+a]; p < x.Start[lo+a+1]; p++ {
					panel[int(x.Index[p])*normRows+a] = x.Value[p]
				}
			}
			x.MulPanel(out, normRows, normRows, lo, hi, panel)
			for a := range hi - lo {
				if !t.far[lo+a] {
					t.half[lo+a] = out[a*normRows+a] / 2
				}
				for _, k := range x.Index[x.Start[lo+a]:x.Start[lo+a+1]] {
					panel[int(k)*normRows+a] = 0
				}
			}
		}
	})
}

// normRows is the number of rows whose products give their norms at a time, the width of
// a narrow panel.
const normRows = 32 // no result depends on it

func (t *singleRows) farRows() int {
	n := 0
	for _, f := range t.far {
		if f {
			n++
		}
	}
	return n
}

// farAway is a half squared norm so large that 2^-farAway is 0 with room for the norms
// of rows that are not far, below 839 log2 e / 3.
const farAway = 1e6
