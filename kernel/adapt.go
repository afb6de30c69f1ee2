package kernel

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// sampleRows bounds the rows a default is computed from: 1000 rows make half a
// million pairs, whose median is known to about 0.1 %.
const sampleRows = 1000

// medianDistance is the median Euclidean distance of the pairs of at most 1000
// evenly strided rows: row floor(a n/m) for a < m = min(n, 1000). If half of the
// pairs coincide it is the median of those that do not; if all do, or there is
// no pair, it is 1. It is exact and uses no labels. Cost: m^2 d/2 + m^2 log m.
func medianDistance(rows data.Rows) float64 {
	n := rows.Len()
	m := min(n, sampleRows)
	if m < 2 {
		return 1
	}
	idx := make([]int, m)
	for a := range idx {
		idx[a] = a * n / m
	}
	p := newPoints(rows.Select(idx), true, nil)
	s := mat.NewDense(m, m, nil)
	p.products(s, p)
	parallel(m, chunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			p.distances(row(s, a)[:a], a, p)
		}
	})
	d2 := make([]float64, 0, m*(m-1)/2)
	for a := range m {
		d2 = append(d2, row(s, a)[:a]...)
	}
	slices.Sort(d2)
	if median(d2) == 0 {
		apart, _ := slices.BinarySearch(d2, math.SmallestNonzeroFloat64)
		if d2 = d2[apart:]; len(d2) == 0 {
			return 1
		}
	}
	return median(d2)
}

// median is the median distance of sorted squared distances.
func median(d2 []float64) float64 {
	h := len(d2) / 2
	if len(d2)%2 == 1 {
		return math.Sqrt(d2[h])
	}
	return (math.Sqrt(d2[h-1]) + math.Sqrt(d2[h])) / 2
}

// meanSquare is the mean squared norm of all rows, 1 if that is zero.
func meanSquare(rows data.Rows) float64 {
	p := newPoints(rows, false, nil)
	var s float64
	for _, v := range p.norm {
		s += v / float64(len(p.norm))
	}
	if s == 0 {
		return 1
	}
	return s
}
