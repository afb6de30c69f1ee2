package data

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// CSR is an r x c matrix in compressed sparse row form. Row i occupies
// Index[Start[i]:Start[i+1]] (column numbers from 0, strictly increasing) and
// the same range of Value. A CSR is not changed after it is built.
type CSR struct {
	R, C  int
	Start []int
	Index []int32
	Value []float64
}

// NewCSR returns the r x c matrix with these parts, which it keeps, or an error
// that names the first fault of their structure: lengths, starts that do not
// increase, column numbers out of range or not strictly increasing in a row.
// Values are not looked at. Cost: one pass.
func NewCSR(r, c int, start []int, index []int32, value []float64) (*CSR, error) {
	switch {
	case r < 0 || c < 0 || c > math.MaxInt32:
		return nil, fmt.Errorf("data: a %d x %d matrix; at most 2^31 - 1 columns", r, c)
	case len(start) != r+1:
		return nil, fmt.Errorf("data: %d row starts for %d rows; one more than rows is needed", len(start), r)
	case len(index) != len(value):
		return nil, fmt.Errorf("data: %d column numbers, %d values", len(index), len(value))
	case start[0] != 0 || start[r] != len(index):
		return nil, fmt.Errorf("data: row starts run from %d to %d, not from 0 to %d", start[0], start[r], len(index))
	}
	for i := range r {
		if start[i] > start[i+1] || start[i+1] > len(index) {
			return nil, fmt.Errorf("data: row %d runs from %d to %d of %d entries", i, start[i], start[i+1], len(index))
		}
		last := int32(-1)
		for _, j := range index[start[i]:start[i+1]] {
			if j <= last || int(j) >= c {
				return nil, fmt.Errorf("data: row %d has column %d after %d of %d; column numbers must increase strictly", i, j, last, c)
			}
			last = j
		}
	}
	return &CSR{R: r, C: c, Start: start, Index: index, Value: value}, nil
}

// CSRFromDense returns the non-zero entries of m.
func CSRFromDense(m mat.Matrix) *CSR {
	r, c := m.Dims()
	a := &CSR{R: r, C: c, Start: make([]int, r+1)}
	for i := range r {
		for j := range c {
			if v := m.At(i, j); v != 0 {
				a.Index = append(a.Index, int32(j))
				a.Value = append(a.Value, v)
			}
		}
		a.Start[i+1] = len(a.Index)
	}
	return a
}

// ToDense returns a as a dense matrix of R C values.
func (a *CSR) ToDense() *mat.Dense {
	if a.R == 0 || a.C == 0 {
		return new(mat.Dense)
	}
	m := mat.NewDense(a.R, a.C, nil)
	for i := range a.R {
		row := m.RawRowView(i)
		idx, val := a.Row(i)
		for p, j := range idx {
			row[j] = val[p]
		}
	}
	return m
}

// Dims returns the numbers of rows and columns.
func (a *CSR) Dims() (r, c int) { return a.R, a.C }

// NNZ returns the number of stored entries.
func (a *CSR) NNZ() int { return len(a.Index) }

// Row returns views of the column numbers and the values of row i.
func (a *CSR) Row(i int) ([]int32, []float64) {
	lo, hi := a.Start[i], a.Start[i+1]
	return a.Index[lo:hi], a.Value[lo:hi]
}

// T returns the transpose, by a counting sort of the column numbers.
// Cost: O(NNZ + R + C).
func (a *CSR) T() *CSR {
	t := &CSR{R: a.C, C: a.R, Start: make([]int, a.C+1),
		Index: make([]int32, a.NNZ()), Value: make([]float64, a.NNZ())}
	for _, j := range a.Index {
		t.Start[j+1]++
	}
	for j := range a.C {
		t.Start[j+1] += t.Start[j]
	}
	next := append([]int(nil), t.Start[:a.C]...)
	for i := range a.R {
		idx, val := a.Row(i)
		for p, j := range idx {
			q := next[j]
			t.Index[q], t.Value[q] = int32(i), val[p]
			next[j]++
		}
	}
	return t
}

// Frequent returns the rows with the columns renumbered by how many rows have them, the most frequent first and equal ones
// in their order: products with X and X' then find most of a vector's numbers in the cache. Inner products of rows stay as
// they are. Column numbers of a row do not increase any more. It shares the values; cost: 4 bytes and two passes an entry.
func (a *CSR) Frequent() *CSR {
	count, order := make([]int, a.C), make([]int, a.C)
	for _, j := range a.Index {
		count[j]++
	}
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return count[j] - count[i] })
	place := make([]int32, a.C)
	for k, j := range order {
		place[j] = int32(k)
	}
	b := &CSR{R: a.R, C: a.C, Start: a.Start, Index: make([]int32, len(a.Index)), Value: a.Value}
	for q, j := range a.Index {
		b.Index[q] = place[j]
	}
	return b
}

// SelectRows returns a copy of the rows idx, in that order; repeats are allowed.
func (a *CSR) SelectRows(idx []int) *CSR {
	nnz := 0
	for _, i := range idx {
		nnz += a.Start[i+1] - a.Start[i]
	}
	s := &CSR{R: len(idx), C: a.C, Start: make([]int, len(idx)+1),
		Index: make([]int32, 0, nnz), Value: make([]float64, 0, nnz)}
	for k, i := range idx {
		ri, rv := a.Row(i)
		s.Index = append(s.Index, ri...)
		s.Value = append(s.Value, rv...)
		s.Start[k+1] = len(s.Index)
	}
	return s
}

// SelectColumns returns a copy of the columns idx, in that order; a column may
// be taken once only. Cost: O(NNZ + C) and a sort of each row where idx does not
// increase.
func (a *CSR) SelectColumns(idx []int) *CSR {
	to := make([]int32, a.C)
	for j := range to {
		to[j] = -1
	}
	sorted := true
	for k, j := range idx {
		if to[j] >= 0 {
			panic(fmt.Sprintf("data: column %d selected twice", j))
		}
		to[j] = int32(k)
		sorted = sorted && (k == 0 || idx[k-1] < j)
	}
	s := &CSR{R: a.R, C: len(idx), Start: make([]int, a.R+1)}
	for i := range a.R {
		ri, rv := a.Row(i)
		for p, j := range ri {
			if to[j] >= 0 {
				s.Index = append(s.Index, to[j])
				s.Value = append(s.Value, rv[p])
			}
		}
		s.Start[i+1] = len(s.Index)
	}
	if !sorted {
		// Transposing twice sorts every row in linear time.
		return s.T().T()
	}
	return s
}

// NarrowCSR returns a and b, of as many columns, with the columns in which neither has an entry left
// out, all but one if there is no entry: products and distances of rows stay the same to the bit. Cost: O(N log N) for N entries in
// both, however many columns there are.
func NarrowCSR(a, b *CSR) (*CSR, *CSR) {
	if a.C != b.C {
		panic(fmt.Sprintf("data: %d and %d columns made narrow together", a.C, b.C))
	}
	used := slices.Concat(a.Index, b.Index)
	slices.Sort(used)
	used = slices.Compact(used)
	narrow := func(m *CSR) *CSR {
		out := &CSR{R: m.R, C: max(1, len(used)), Start: m.Start, Index: make([]int32, len(m.Index)), Value: m.Value}
		for q, j := range m.Index {
			at, _ := slices.BinarySearch(used, j)
			out.Index[q] = int32(at)
		}
		return out
	}
	return narrow(a), narrow(b)
}

// ConcatCSR returns the rows of a followed by those of b, as wide as the wider.
func ConcatCSR(a, b *CSR) *CSR {
	s := &CSR{R: a.R + b.R, C: max(a.C, b.C), Start: make([]int, 0, a.R+b.R+1),
		Index: make([]int32, 0, a.NNZ()+b.NNZ()), Value: make([]float64, 0, a.NNZ()+b.NNZ())}
	s.Index = append(append(s.Index, a.Index...), b.Index...)
	s.Value = append(append(s.Value, a.Value...), b.Value...)
	s.Start = append(s.Start, a.Start...)
	for _, p := range b.Start[1:] {
		s.Start = append(s.Start, a.NNZ()+p)
	}
	return s
}

// BesideCSR returns the columns of a followed by those of b, which has as many rows.
func BesideCSR(a, b *CSR) *CSR {
	if a.R != b.R {
		panic(fmt.Sprintf("data: %d rows beside %d", b.R, a.R))
	}
	out := &CSR{R: a.R, C: a.C + b.C, Start: make([]int, 1, a.R+1)}
	out.Index, out.Value = make([]int32, 0, a.NNZ()+b.NNZ()), make([]float64, 0, a.NNZ()+b.NNZ())
	for i := range a.R {
		index, value := a.Row(i)
		out.Index, out.Value = append(out.Index, index...), append(out.Value, value...)
		index, value = b.Row(i)
		for _, c := range index {
			out.Index = append(out.Index, c+int32(a.C))
		}
		out.Value = append(out.Value, value...)
		out.Start = append(out.Start, len(out.Index))
	}
	return out
}

// RowDot returns the inner product of row i of a and row j of b, by merging.
// Rows of different width are as if padded with zeros.
func (a *CSR) RowDot(i int, b *CSR, j int) float64 {
	ai, av := a.Row(i)
	bi, bv := b.Row(j)
	var s float64
	for p, q := 0, 0; p < len(ai) && q < len(bi); {
		switch {
		case ai[p] < bi[q]:
			p++
		case ai[p] > bi[q]:
			q++
		default:
			s += av[p] * bv[q]
			p++
			q++
		}
	}
	return s
}

// norms2 returns the squared Euclidean norm of every row.
func (a *CSR) norms2() []float64 {
	out := make([]float64, a.R)
	for i := range out {
		_, val := a.Row(i)
		var s float64
		for _, v := range val {
			s += v * v
		}
		out[i] = s
	}
	return out
}

// MeanCSR returns the entry-wise mean of matrices of one shape, on the union of their
// patterns. Time and memory O(total nnz).
func MeanCSR(list []*CSR) *CSR {
	if len(list) == 1 {
		return list[0]
	}
	r, c := list[0].Dims()
	out := &CSR{R: r, C: c, Start: make([]int, r+1)}
	sum := make([]float64, c)
	last := make([]int, c) // one more than the last row that had the column
	var touched []int32
	for i := range r {
		touched = touched[:0]
		for _, a := range list {
			if a.R != r || a.C != c {
				panic(fmt.Sprintf("data: mean of a %d x %d and a %d x %d matrix", r, c, a.R, a.C))
			}
			idx, val := a.Row(i)
			for p, j := range idx {
				if last[j] != i+1 {
					last[j], sum[j] = i+1, 0
					touched = append(touched, j)
				}
				sum[j] += val[p]
			}
		}
		slices.Sort(touched)
		for _, j := range touched {
			out.Index, out.Value = append(out.Index, j), append(out.Value, sum[j]/float64(len(list)))
		}
		out.Start[i+1] = len(out.Index)
	}
	return out
}
