package kernel

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
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
	idx := sampled(rows.Len())
	if len(idx) < 2 {
		return 1
	}
	p := newPoints(rows.Select(idx), distance, nil)
	return medianOfPairs(len(idx), func(s *mat.Dense) {
		p.products(s, p)
		parallel.Pieces(len(idx), chunk, func(lo, hi int) {
			for a := lo; a < hi; a++ {
				p.distances(row(s, a)[:a], a, p)
			}
		})
	})
}

// sampled are the numbers of at most 1000 evenly strided rows of n.
func sampled(n int) []int {
	idx := make([]int, min(n, sampleRows))
	for a := range idx {
		idx[a] = a * n / len(idx)
	}
	return idx
}

// medianOfPairs is medianDistance for m rows whose squared distances fill stores below
// the diagonal.
func medianOfPairs(m int, fill func(s *mat.Dense)) float64 {
	s := mat.NewDense(m, m, nil)
	fill(s)
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
	p := newPoints(rows, innerProduct, nil)
	var s float64
	for _, v := range p.norm {
		s += v / float64(len(p.norm))
	}
	if s == 0 {
		return 1
	}
	return s
}
