package spectral

// How far two partitions of the same rows agree, from their table n_ab:
//
//	adjusted Rand  (sum_ab C(n_ab,2) - E) / (1/2 (sum_a C(n_a,2) + sum_b C(n_b,2)) - E),   E = sum_a C(n_a,2) sum_b C(n_b,2)/C(n,2)
//	matching       1 - max over one-to-one maps pi of sum_a n_{a,pi(a)}/n
//
// (Hubert and Arabie, J. Classification 2 (1985), eq. 5; the map by the shortest
// augmenting path method of Jonker and Volgenant, Computing 38 (1987).) Cost: O(n), and
// O(k^3) for the map.

import (
	"fmt"
	"math"
)

// Rand is the adjusted Rand index of two numberings from 0: 1 for equal
// partitions, 0 on average for random ones.
func Rand(a, b []int) float64 {
	t := table(a, b)
	pairs := func(n float64) float64 { return n * (n - 1) / 2 }
	var both, left, right, n float64
	columns := make([]float64, len(t[0]))
	for _, row := range t {
		sum := 0.0
		for j, v := range row {
			both += pairs(v)
			columns[j] += v
			sum += v
		}
		left += pairs(sum)
		n += sum
	}
	for _, v := range columns {
		right += pairs(v)
	}
	expected := 0.0
	if n > 1 {
		expected = left * right / pairs(n)
	}
	most := (left + right) / 2
	if most == expected { // one part, or all rows apart, in both
		return 1
	}
	return (both - expected) / (most - expected)
}

// Matching is the error of a as a prediction of b after the best one-to-one
// naming of a's parts; rows of parts without a name are errors.
func Matching(a, b []int) float64 {
	t := table(a, b)
	k := max(len(t), len(t[0]))
	cost := func(i, j int) float64 {
		if i < len(t) && j < len(t[0]) {
			return -t[i][j]
		}
		return 0
	}
	// Row and column 0 are the method's own; mate[j] is the row of column j.
	u, v := make([]float64, k+1), make([]float64, k+1)
	mate, way := make([]int, k+1), make([]int, k+1)
	for i := 1; i <= k; i++ {
		mate[0] = i
		at := 0
		slack, used := make([]float64, k+1), make([]bool, k+1)
		for j := range slack {
			slack[j] = math.Inf(1)
		}
		for mate[at] != 0 {
			used[at] = true
			row, next, delta := mate[at], 0, math.Inf(1)
			for j := 1; j <= k; j++ {
				if used[j] {
					continue
				}
				if d := cost(row-1, j-1) - u[row] - v[j]; d < slack[j] {
					slack[j], way[j] = d, at
				}
				if slack[j] < delta {
					delta, next = slack[j], j
				}
			}
			for j := range k + 1 {
				if used[j] {
					u[mate[j]] += delta
					v[j] -= delta
				} else {
					slack[j] -= delta
				}
			}
			at = next
		}
		for at != 0 {
			mate[at] = mate[way[at]]
			at = way[at]
		}
	}
	right := 0.0
	for j := 1; j <= k; j++ {
		right -= cost(mate[j]-1, j-1)
	}
	return 1 - right/float64(len(a))
}

func table(a, b []int) [][]float64 {
	if len(a) != len(b) || len(a) == 0 {
		panic(fmt.Sprintf("spectral: partitions of %d and %d rows", len(a), len(b)))
	}
	rows, cols := 0, 0
	for i := range a {
		rows, cols = max(rows, a[i]+1), max(cols, b[i]+1)
	}
	t := make([][]float64, rows)
	for i := range t {
		t[i] = make([]float64, cols)
	}
	for i := range a {
		t[a[i]][b[i]]++
	}
	return t
}
