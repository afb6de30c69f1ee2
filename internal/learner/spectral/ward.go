package spectral

// Ward's joining of components by their means: the pair (a, b) with the smallest
// n_a n_b/(n_a + n_b) |mean_a - mean_b|^2, what joining them adds to the variance
// within, until k are left. Cost: q^3 + q^2 d for q components.

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/vec"
)

// ward returns the joined component of each row. With the cosine metric rows
// count at length one.
func ward(rows data.Rows, metric graph.Metric, of []int, count, k int) []int {
	mean := make([][]float64, count)
	size := make([]float64, count)
	for c := range mean {
		mean[c] = make([]float64, rows.Dim())
	}
	var norm []float64
	if metric == graph.Cosine {
		norm = rows.SquaredNorms()
	}
	for i, c := range of {
		scale := 1.0
		if norm != nil && norm[i] > 0 {
			scale = 1 / math.Sqrt(norm[i])
		}
		size[c]++
		if rows.IsSparse() {
			idx, val := rows.Sparse.Row(i)
			for p, j := range idx {
				mean[c][j] += scale * val[p]
			}
			continue
		}
		for j, v := range rows.Dense.RawRowView(i) {
			mean[c][j] += scale * v
		}
	}
	for c := range mean {
		for j := range mean[c] {
			mean[c][j] /= size[c]
		}
	}
	into := make([]int, count)
	left := make([]int, count)
	for c := range into {
		into[c], left[c] = c, c
	}
	for len(left) > k {
		best, pa, pb := math.Inf(1), 0, 1
		for p, a := range left {
			for q := range p {
				b := left[q]
				if v := size[a] * size[b] / (size[a] + size[b]) * vec.SquaredDistance(mean[a], mean[b]); v < best {
					best, pa, pb = v, q, p
				}
			}
		}
		a, b := left[pa], left[pb]
		for j, v := range mean[b] {
			mean[a][j] = (size[a]*mean[a][j] + size[b]*v) / (size[a] + size[b])
		}
		size[a] += size[b]
		for c, v := range into {
			if v == b {
				into[c] = a
			}
		}
		left = slices.Delete(left, pb, pb+1)
	}
	out := make([]int, len(of))
	for i, c := range of {
		out[i] = slices.Index(left, into[c])
	}
	return out
}

// median is a threshold in the gap between two values that is nearest to the middle of all, so that no value stands at it.
func median(v []float64) float64 {
	s := slices.Clone(v)
	slices.Sort(s)
	n := len(s)
	apart := 1e-9 * (s[n-1] - s[0]) // equal but for rounding
	for away := range n {
		for _, at := range [2]int{n/2 - away, n/2 + away} {
			if at > 0 && at < n && s[at]-s[at-1] > apart {
				return s[at-1] + (s[at]-s[at-1])/2
			}
		}
	}
	return s[n/2]
}
