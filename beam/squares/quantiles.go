package squares

import (
	"maps"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/calibrate"
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

// Residuals are the order statistics that a model keeps, each at the end of its interval away from the middle, so that
// intervals made of them hold what those of the numbers themselves would, and at most a 1024th more. Nil for fewer than two.
func (q Quantiles) Residuals() *calibrate.Residuals {
	if q.Rows < 2 {
		return nil
	}
	r := &calibrate.Residuals{Rows: q.Rows, Ranks: calibrate.RanksOf(q.Rows)}
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
