package columns

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// medianRows is the number of rows, evenly spaced, by which the medians of a table are known: of a thousand rows they are within
// a few hundredths of a standard deviation, and of a million a sort of each column would take seconds.
const medianRows = 10000

// Medians of the columns of dense rows: what a missing cell of a new row counts as, where the table has numbers alone.
func Medians(rows data.Rows) []float64 {
	n, d := rows.Len(), rows.Dim()
	step := max(1, n/medianRows)
	list, values := make([]float64, d), make([]float64, 0, n/step+1)
	for j := range d {
		values = values[:0]
		for i := 0; i < n; i += step {
			values = append(values, rows.Dense.At(i, j))
		}
		list[j] = Median(values)
	}
	return list
}

// Median sorts the values and returns the one in the middle, or half way between the two there; 0 of none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	return low + (high-low)/2
}

// Sentinel is a number far from all others of its column, which many rows have: it may stand for a missing value.
type Sentinel struct {
	Column string
	Value  float64
	Rows   int
}

// Sentinels finds such numbers in columns of dense rows: the least or the largest of a column, below zero where no other is or of nines
// alone, in leastSentinels rows or more and in no more than half of them, farther from the next than twice the range of the others. Numbers of which no more than a few differ have none.
// Cost: a look at sentinelRows of the rows, evenly spaced, and at all of them in columns that have such numbers.
func Sentinels(names []string, rows data.Rows, is func(name string) bool) (list []Sentinel) {
	step := max(1, rows.Len()/sentinelRows)
	n := (rows.Len() + step - 1) / step
	for j, name := range names {
		if !is(name) {
			continue
		}
		low, high := extreme{sign: 1}, extreme{sign: -1}
		for i := 0; i < rows.Len(); i += step {
			v := rows.Dense.RawRowView(i)[j]
			low.add(v)
			high.add(v)
		}
		for _, e := range []extreme{low, high} {
			far := high.value
			if e.sign < 0 {
				far = low.value
			}
			often := e.rows >= leastSentinels && 2*e.rows <= n && e.odd()
			if often && e.others() && far != e.next && math.Abs(e.next-e.value) > 2*math.Abs(far-e.next) {
				count := 0
				for i := range rows.Len() {
					if rows.Dense.RawRowView(i)[j] == e.value {
						count++
					}
				}
				list = append(list, Sentinel{name, e.value, count})
			}
		}
	}
	return list
}

const (
	leastSentinels = 3    // rows from which a number is no single mistake
	sentinelRows   = 2000 // that are looked at
)

// extreme is the least of some values, or with a sign of -1 the largest: the rows that have it, and the next values.
type extreme struct {
	sign        float64
	value, next float64
	rows, rest  int
	few         [3]float64 // different values beside it
	different   int
}

func (e *extreme) add(v float64) {
	if math.IsNaN(v) {
		return
	}
	switch {
	case e.rows == 0:
		e.value, e.rows = v, 1
	case v == e.value:
		e.rows++
	case e.sign*v < e.sign*e.value:
		e.next, e.value = e.value, v
		e.rest, e.rows = e.rest+e.rows, 1
		e.note(e.next)
	default:
		if e.rest == 0 || e.sign*v < e.sign*e.next {
			e.next = v
		}
		e.rest++
		e.note(v)
	}
}

// note keeps a few different values.
func (e *extreme) note(v float64) {
	if e.different < len(e.few) && !slices.Contains(e.few[:e.different], v) {
		e.few[e.different] = v
		e.different++
	}
}

// odd says whether the number is one that programs write for a missing one: below zero where no other is, or nines.
func (e *extreme) odd() bool {
	text := strings.TrimLeft(strconv.FormatFloat(e.value, 'f', -1, 64), "-")
	return e.sign > 0 && e.value < 0 && e.next >= 0 || len(text) > 1 && strings.Trim(text, "9") == ""
}

// others says whether there are some other values.
func (e *extreme) others() bool { return e.different == len(e.few) }

// Constant names the columns of dense rows that have one value in all of several rows, the first few of many; "" if none has.
func Constant(names []string, rows data.Rows) string {
	var list []string
	for j, name := range names {
		i := 1
		for i < rows.Len() && rows.Dense.At(i, j) == rows.Dense.At(0, j) {
			i++
		}
		if i == rows.Len() && i > 1 {
			list = append(list, name)
		}
	}
	return some(list)
}
