package data

import (
	"math"
	"slices"
	"strconv"
)

// Copies of rows. A machine that has seen a row knows its copy, so that a copy on the other side of a fold is judged too well. Rows are
// copies if all features and the answer are equal. Where numbers take few values rows are equal by chance, and are none.
//
// Chance    n^2/2 prod_j sum_v p_jv^2 pairs of n rows are expected to be equal if the features, with shares p_jv of their values, are
//           independent. If these are a quarter of those that are, rows are equal by chance.
// Cost      A look at every value of the labelled rows; the shares are counted of no more than 2000 of them, if there are copies.

const (
	// copiesFrom says how many labelled rows must have a copy before folds heed copies: one in so many. Fewer came out alike by nature, as
	// new rows will (of mammography 30 % are copies, and folds that kept them together chose worse machines).
	copiesFrom   = 2
	copiesEach   = 4    // rows that are alike, on average, at most
	copiesSample = 2000 // rows of which shares are counted
)

// Copies groups labelled rows that are copies of one another, for folds to keep together, and counts those that an earlier row has: rows
// without a copy are in no group, which is "". The groups are nil where there are few copies, or where rows are equal by chance.
func (s *Set) Copies() (group []string, copies int) {
	rows := s.Answers.Answered()
	first := map[uint64]int{}
	like := make([]int, len(rows)) // the first row that each is equal to
	size := map[int]int{}
	for q, i := range rows {
		h := s.hash(i)
		f, known := first[h]
		switch {
		case !known:
			f, first[h] = i, i
		case !s.equal(f, i): // by chance, once in 2^64
			f = i
		}
		like[q] = f
		size[f]++
	}
	copies = len(rows) - len(size)
	alike := 0
	for _, n := range size {
		if n > 1 {
			alike += n
		}
	}
	if copiesFrom*alike < len(rows) || copies == 0 || copiesEach*len(size) < len(rows) {
		return nil, copies
	}
	pairs := 0.0
	for _, n := range size {
		pairs += float64(n) * float64(n-1) / 2
	}
	if 4*s.chance(rows) >= pairs {
		return nil, copies
	}
	group = make([]string, s.Rows.Len())
	for q, i := range rows {
		if size[like[q]] > 1 {
			group[i] = "row " + strconv.Itoa(like[q])
		}
	}
	return group, copies
}

// hash is one of the features and the answer of a row.
func (s *Set) hash(i int) uint64 {
	h := uint64(14695981039346656037)
	mix := func(v uint64) {
		h ^= v
		h *= 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	for _, c := range []byte(ClassName(s.Answers[i])) {
		mix(uint64(c))
	}
	if s.Rows.Sparse != nil {
		index, value := s.Rows.Sparse.Row(i)
		for q, j := range index {
			mix(uint64(j) + 1)
			mix(math.Float64bits(value[q]))
		}
		return h
	}
	for _, v := range s.Rows.Dense.RawRowView(i) {
		mix(math.Float64bits(v + 0)) // -0 is 0
	}
	return h
}

// equal says whether two rows are copies.
func (s *Set) equal(a, b int) bool {
	if ClassName(s.Answers[a]) != ClassName(s.Answers[b]) {
		return false
	}
	if s.Rows.Sparse != nil {
		i, v := s.Rows.Sparse.Row(a)
		j, w := s.Rows.Sparse.Row(b)
		return slices.Equal(i, j) && slices.Equal(v, w)
	}
	return slices.Equal(s.Rows.Dense.RawRowView(a), s.Rows.Dense.RawRowView(b))
}

// chance is the number of pairs among rows that are expected to be equal.
func (s *Set) chance(rows []int) float64 {
	n := float64(len(rows))
	if s.Rows.Dense == nil {
		return 0
	}
	step := max(1, len(rows)/copiesSample)
	share := 1.0
	count := map[float64]float64{}
	for j := range s.Rows.Dim() {
		clear(count)
		seen := 0.0
		for q := 0; q < len(rows); q += step {
			count[s.Rows.Dense.At(rows[q], j)]++
			seen++
		}
		sum := 0.0
		for _, c := range count {
			sum += c * c
		}
		share *= sum / (seen * seen)
	}
	return n * n / 2 * share
}
