package squares

import (
	"maps"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/model"
)

// Quantiles count numbers in intervals whose ends are within 1/1024 of each other, so that any order statistic of any number
// of them is known to lie between two such ends.
type Quantiles struct {
	Rows  int
	Cells map[int32]int
}

// cellBits of a float are left out of the number of its interval: all but sign, exponent and ten digits of the mantissa.
const cellBits = 42

// Add takes a finite number in.
func (q *Quantiles) Add(v float64) {
	if q.Cells == nil {
		q.Cells = map[int32]int{}
	}
	q.Rows++
	q.Cells[cellOf(v)]++
}

// cellOf numbers the intervals in the order of their numbers.
func cellOf(v float64) int32 {
	at := int32(math.Float64bits(math.Abs(v)) >> cellBits)
	if v < 0 {
		return -1 - at
	}
	return at
}

// ends are the numbers between which those of an interval lie.
func ends(cell int32) (lo, hi float64) {
	size := func(at int32) float64 { return math.Float64frombits(uint64(at) << cellBits) }
	if cell < 0 {
		return -size(-cell), -size(-1 - cell)
	}
	return size(cell), size(cell + 1)
}

// Join takes in the numbers of o.
func (q *Quantiles) Join(o Quantiles) {
	if q.Cells == nil {
		q.Cells = map[int32]int{}
	}
	q.Rows += o.Rows
	for cell, n := range o.Cells {
		q.Cells[cell] += n
	}
}

// Order counts numbers as Quantiles do, and knows the least and the largest number of every interval.
type Order struct {
	Rows  int
	Cells map[int32]Span
}

// Span is what is known of the numbers in an interval.
type Span struct {
	Rows           int
	Least, Largest float64
}

// Add takes a finite number in.
func (o *Order) Add(v float64) {
	if o.Cells == nil {
		o.Cells = map[int32]Span{}
	}
	o.Rows++
	at := cellOf(v)
	o.Cells[at] = o.Cells[at].with(Span{1, v, v})
}

// Join takes in the numbers of p.
func (o *Order) Join(p *Order) {
	if o.Cells == nil {
		o.Cells = map[int32]Span{}
	}
	o.Rows += p.Rows
	for at, s := range p.Cells {
		o.Cells[at] = o.Cells[at].with(s)
	}
}

// with joins what is known of two parts of an interval.
func (s Span) with(o Span) Span {
	if s.Rows == 0 {
		return o
	}
	return Span{s.Rows + o.Rows, min(s.Least, o.Least), max(s.Largest, o.Largest)}
}

// Split is a number that so many of the numbers are above: exactly, where no more than two numbers lie in the interval between whose
// numbers it is, else as if those between the least and the largest there were evenly spaced. Of equal numbers as many are above as can
// be told apart.
func (o *Order) Split(above int) float64 {
	last := math.Inf(1)
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(o.Cells))) {
		s := o.Cells[at]
		switch {
		case above <= 0 && math.IsInf(last, 1):
			return last
		case above <= 0:
			return s.Largest + (last-s.Largest)/2
		case above < s.Rows:
			return s.Least + (s.Largest-s.Least)*(float64(s.Rows-above)-0.5)/float64(s.Rows-1)
		}
		above -= s.Rows
		last = s.Least
	}
	return math.Inf(-1)
}

// Residuals are the order statistics that a model keeps, each at the end of its interval away from the middle, so that
// intervals made of them hold what those of the numbers themselves would, and at most a 1024th more. Nil for fewer than two.
func (q Quantiles) Residuals() *model.Residuals {
	if q.Rows < 2 {
		return nil
	}
	r := &model.Residuals{Rows: q.Rows, Ranks: model.RanksOf(q.Rows)}
	cells := slices.Sorted(maps.Keys(q.Cells))
	at, below := 0, 0 // below: numbers before the cell
	for _, rank := range r.Ranks {
		for below+q.Cells[cells[at]] < rank {
			below += q.Cells[cells[at]]
			at++
		}
		lo, hi := ends(cells[at])
		if 2*rank > q.Rows+1 {
			lo = hi
		}
		r.Values = append(r.Values, lo)
	}
	return r
}
