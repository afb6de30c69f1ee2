package columns

import (
	"slices"

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
