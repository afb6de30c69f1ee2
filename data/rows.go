// Package data holds sets of rows: features dense or sparse, answers known for
// some rows and unknown for others, splits, scaling, the built-in sets and the
// generators. Readers of files are in data/read.
//
// Change here what rows, answers, splits and scalings are; a new built-in set or generator is
// an entry of the list in builtin.go.
package data

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Rows are the features of n rows of d columns: exactly one of Dense and Sparse
// is set. ID is the row's number in the set it came from, -1 for rows that are
// in no set; identity survives Select, so that precomputed kernels know their
// rows. A nil ID means 0..n-1.
type Rows struct {
	Dense  *mat.Dense
	Sparse *CSR
	ID     []int
}

// Len returns the number of rows, 0 for the zero Rows.
func (r Rows) Len() int {
	n, _ := r.dims()
	return n
}

// Dim returns the number of columns, 0 for the zero Rows.
func (r Rows) Dim() int {
	_, d := r.dims()
	return d
}

// IsSparse says whether the rows are in compressed sparse form.
func (r Rows) IsSparse() bool { return r.Sparse != nil }

func (r Rows) dims() (n, d int) {
	switch {
	case r.Dense != nil && r.Sparse != nil:
		panic("data: rows both dense and sparse")
	case r.Dense != nil:
		return r.Dense.Dims()
	case r.Sparse != nil:
		return r.Sparse.Dims()
	}
	return 0, 0
}

// RowID returns the identity of row i: ID[i], or i when ID is nil.
func (r Rows) RowID(i int) int {
	if r.ID == nil {
		return i
	}
	return r.ID[i]
}

// Select returns a copy of the rows idx, in that order; repeats are allowed.
// Identity is kept: row k of the result has the ID of row idx[k].
func (r Rows) Select(idx []int) Rows {
	out := Rows{ID: make([]int, len(idx))}
	for k, i := range idx {
		out.ID[k] = r.RowID(i)
	}
	switch {
	case r.Sparse != nil:
		out.Sparse = r.Sparse.SelectRows(idx)
	case r.Dense != nil:
		if len(idx) == 0 {
			out.Dense = new(mat.Dense)
			break
		}
		out.Dense = mat.NewDense(len(idx), r.Dim(), nil)
		for k, i := range idx {
			copy(out.Dense.RawRowView(k), r.Dense.RawRowView(i))
		}
	}
	return out
}

// SelectColumns returns a copy of the columns idx, in that order; the rows keep
// their identity.
func (r Rows) SelectColumns(idx []int) Rows {
	out := Rows{ID: r.ID}
	switch {
	case r.Sparse != nil:
		out.Sparse = r.Sparse.SelectColumns(idx)
	case r.Dense != nil:
		if len(idx) == 0 {
			panic("data: no column selected")
		}
		n := r.Len()
		out.Dense = mat.NewDense(n, len(idx), nil)
		for i := range n {
			to, from := out.Dense.RawRowView(i), r.Dense.RawRowView(i)
			for k, j := range idx {
				to[k] = from[j]
			}
		}
	}
	return out
}

// Lacks says whether row i, of the columns of one view, says nothing: all its values are NaN, or, of sparse rows,
// none is stored.
func (r Rows) Lacks(i int) bool {
	if r.IsSparse() {
		return r.Sparse.Start[i] == r.Sparse.Start[i+1]
	}
	for _, v := range r.Dense.RawRowView(i) {
		if !math.IsNaN(v) {
			return false
		}
	}
	return true
}

// Whole are the rows that lack nothing, ascending: those without NaN, and all sparse rows, whose entries that are not stored are zeros.
// Cost n d.
func (r Rows) Whole() []int {
	n, _ := r.dims()
	list := make([]int, 0, n)
	for i := range n {
		if r.IsSparse() || !slices.ContainsFunc(r.Dense.RawRowView(i), math.IsNaN) {
			list = append(list, i)
		}
	}
	return list
}

// Among returns rows of dim columns that have those of r at the places listed, which must ascend, and zeros
// elsewhere: what SelectColumns took apart.
func (r Rows) Among(columns []int, dim int) Rows {
	out := Rows{ID: r.ID}
	if r.IsSparse() {
		a := *r.Sparse
		a.C, a.Index = dim, make([]int32, len(a.Index))
		for q, c := range r.Sparse.Index {
			a.Index[q] = int32(columns[c])
		}
		out.Sparse = &a
		return out
	}
	n := r.Len()
	out.Dense = mat.NewDense(n, dim, nil)
	for i := range n {
		to := out.Dense.RawRowView(i)
		for q, v := range r.Dense.RawRowView(i) {
			to[columns[q]] = v
		}
	}
	return out
}

// Beside returns the columns of r followed by those of b, of as many rows and the same form.
func (r Rows) Beside(b Rows) Rows {
	if r.Len() != b.Len() || r.IsSparse() != b.IsSparse() {
		panic(fmt.Sprintf("data: %d rows beside %d, sparse %v and %v", b.Len(), r.Len(), b.IsSparse(), r.IsSparse()))
	}
	out := Rows{ID: r.ID}
	if r.IsSparse() {
		out.Sparse = BesideCSR(r.Sparse, b.Sparse)
		return out
	}
	n, d := r.Dense.Dims()
	out.Dense = mat.NewDense(n, d+b.Dim(), nil)
	for i := range n {
		row := out.Dense.RawRowView(i)
		copy(row[copy(row, r.Dense.RawRowView(i)):], b.Dense.RawRowView(i))
	}
	return out
}

// SquaredNorms returns ||x_i||^2 of every row.
func (r Rows) SquaredNorms() []float64 {
	if r.Sparse != nil {
		return r.Sparse.norms2()
	}
	out := make([]float64, r.Len())
	for i := range out {
		var s float64
		for _, v := range r.Dense.RawRowView(i) {
			s += v * v
		}
		out[i] = s
	}
	return out
}

// Append returns the rows of r followed by those of b as one new set, numbered
// from 0 (ID nil). Dense rows must agree in width. Of two sparse sets the wider
// decides, since an absent column of sparse rows is zero. When one is sparse and
// the other dense, the result has the form of r.
func (r Rows) Append(b Rows) (Rows, error) {
	switch {
	case r.Len() == 0:
		return Rows{Dense: b.Dense, Sparse: b.Sparse}, nil
	case b.Len() == 0:
		return Rows{Dense: r.Dense, Sparse: r.Sparse}, nil
	case r.IsSparse() && b.IsSparse():
		return Rows{Sparse: ConcatCSR(r.Sparse, b.Sparse)}, nil
	case r.Dim() != b.Dim():
		return Rows{}, fmt.Errorf("rows of %d columns cannot follow rows of %d; give both sets the same columns", b.Dim(), r.Dim())
	case r.IsSparse():
		return Rows{Sparse: ConcatCSR(r.Sparse, CSRFromDense(b.Dense))}, nil
	}
	n, d := r.dims()
	out := mat.NewDense(n+b.Len(), d, nil)
	for i := range n {
		copy(out.RawRowView(i), r.Dense.RawRowView(i))
	}
	for i := range b.Len() {
		b.copyRow(out.RawRowView(n+i), i)
	}
	return Rows{Dense: out}, nil
}

// copyRow writes row i in dense form to dst, of length Dim.
func (r Rows) copyRow(dst []float64, i int) {
	if r.Sparse == nil {
		copy(dst, r.Dense.RawRowView(i))
		return
	}
	clear(dst)
	idx, val := r.Sparse.Row(i)
	for p, j := range idx {
		dst[j] = val[p]
	}
}

// row is row i as it is stored: its values, and their columns where they are sparse.
func (r Rows) row(i int) (index []int32, value []float64) {
	if r.Sparse != nil {
		return r.Sparse.Row(i)
	}
	return nil, r.Dense.RawRowView(i)
}

// Zero counts the rows of which every value is zero.
func (r Rows) Zero() int {
	n := 0
	for i := range r.Len() {
		if _, row := r.row(i); !slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) {
			n++
		}
	}
	return n
}

// Check returns an error that names the first row and column (from 0) whose
// value is NaN or infinite.
func (r Rows) Check() error {
	for i := range r.Len() {
		idx, val := r.row(i)
		for p, v := range val {
			// v-v is NaN exactly for NaN and the infinities.
			if v-v == 0 {
				continue
			}
			j := p
			if idx != nil {
				j = int(idx[p])
			}
			return fmt.Errorf("row %d, column %d is %v; every feature must be a finite number", i, j, v)
		}
	}
	return nil
}

// ColumnStats accumulates mean, spread and range of d columns row by row, so
// that a stream needs no second pass (Welford 1962). N rows were added; M2 is
// the sum of squared deviations from the mean, NonZero counts the cells that are not zero. Missing counts the cells of each
// column that were NaN; nil: none.
type ColumnStats struct {
	N                  int
	Mean, M2, Min, Max []float64
	NonZero            []int
	Missing            []int
}

// NewColumnStats returns an empty accumulator for d columns.
func NewColumnStats(d int) *ColumnStats {
	s := &ColumnStats{
		Mean: make([]float64, d), M2: make([]float64, d), Min: make([]float64, d), Max: make([]float64, d), NonZero: make([]int, d),
	}
	for j := range d {
		s.Min[j], s.Max[j] = math.Inf(1), math.Inf(-1)
	}
	return s
}

// Add takes one row in. Cost: 6 d flops. Cells that are NaN are missing, and count for nothing.
func (s *ColumnStats) Add(row []float64) {
	if len(row) != len(s.Mean) {
		panic(fmt.Sprintf("data: row of %d values for %d columns", len(row), len(s.Mean)))
	}
	s.N++
	w := 1 / float64(s.N)
	for j, v := range row {
		if math.IsNaN(v) {
			if s.Missing == nil {
				s.Missing = make([]int, len(s.Mean))
			}
			s.Missing[j]++
			continue
		}
		if s.Missing != nil {
			w = 1 / float64(s.N-s.Missing[j])
		}
		dev := v - s.Mean[j]
		s.Mean[j] += dev * w
		s.M2[j] += dev * (v - s.Mean[j])
		s.Min[j] = min(s.Min[j], v)
		s.Max[j] = max(s.Max[j], v)
		if v != 0 {
			s.NonZero[j]++
		}
	}
}

// Merge takes in the rows of o, as if they had been added after those of s but for rounding (Chan, Golub and LeVeque 1983).
// Columns that one of them lacks, as sparse rows may, are zero in its rows. Missing cells are not for Merge: it panics.
func (s *ColumnStats) Merge(o *ColumnStats) {
	if s.Missing != nil || o.Missing != nil {
		panic("data: statistics of columns with missing cells are not merged")
	}
	if o.N == 0 {
		return
	}
	if s.N == 0 {
		s.Mean, s.M2, s.Min, s.Max, s.NonZero = s.Mean[:0], s.M2[:0], s.Min[:0], s.Max[:0], s.NonZero[:0]
	}
	at := func(v []float64, j int) float64 {
		if j < len(v) {
			return v[j]
		}
		return 0
	}
	n, share := float64(s.N), float64(o.N)/float64(s.N+o.N)
	for j := range max(len(s.Mean), len(o.Mean)) {
		if j == len(s.NonZero) {
			s.NonZero = append(s.NonZero, 0)
		}
		if j < len(o.NonZero) {
			s.NonZero[j] += o.NonZero[j]
		}
		if s.N == 0 {
			s.Mean, s.M2 = append(s.Mean, o.Mean[j]), append(s.M2, o.M2[j])
			s.Min, s.Max = append(s.Min, o.Min[j]), append(s.Max, o.Max[j])
			continue
		}
		if j == len(s.Mean) {
			s.Mean, s.M2, s.Min, s.Max = append(s.Mean, 0), append(s.M2, 0), append(s.Min, 0), append(s.Max, 0)
		}
		dev := at(o.Mean, j) - s.Mean[j]
		s.Mean[j] += dev * share
		s.M2[j] += at(o.M2, j) + dev*dev*n*share
		s.Min[j] = min(s.Min[j], at(o.Min, j))
		s.Max[j] = max(s.Max[j], at(o.Max, j))
	}
	s.N += o.N
}

// SD returns the standard deviation (divisor N) of column j, exactly 0 for a
// constant column.
func (s *ColumnStats) SD(j int) float64 {
	if s.Constant(j) {
		return 0
	}
	return math.Sqrt(s.M2[j] / float64(s.count(j)))
}

// count is the number of values of column j.
func (s *ColumnStats) count(j int) int {
	if s.Missing == nil {
		return s.N
	}
	return s.N - s.Missing[j]
}

// Constant says whether column j took one value only.
func (s *ColumnStats) Constant(j int) bool { return s.count(j) == 0 || s.Min[j] == s.Max[j] }

// ColumnStats returns the statistics of every column, zeros of sparse rows
// included. Cost: one pass over the stored values.
func (r Rows) ColumnStats() *ColumnStats {
	s := NewColumnStats(r.Dim())
	if r.Sparse == nil {
		for i := range r.Len() {
			s.Add(r.Dense.RawRowView(i))
		}
		return s
	}
	// Column by column: Welford over the stored entries, then the n - count zeros
	// joined by Chan's formula with mean and spread 0.
	n := r.Len()
	count := make([]int, r.Dim())
	for i := range n {
		idx, val := r.Sparse.Row(i)
		for p, j := range idx {
			v := val[p]
			count[j]++
			dev := v - s.Mean[j]
			s.Mean[j] += dev / float64(count[j])
			s.M2[j] += dev * (v - s.Mean[j])
			s.Min[j] = min(s.Min[j], v)
			s.Max[j] = max(s.Max[j], v)
			if v != 0 {
				s.NonZero[j]++
			}
		}
	}
	s.N = n
	for j, c := range count {
		if c == n {
			continue
		}
		m, share := s.Mean[j], float64(c)/float64(n)
		s.M2[j] += m * m * share * float64(n-c)
		s.Mean[j] = m * share
		s.Min[j] = min(s.Min[j], 0)
		s.Max[j] = max(s.Max[j], 0)
	}
	return s
}
