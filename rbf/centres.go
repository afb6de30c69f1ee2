package rbf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// Centres say which candidates the units may have. The zero value takes the
// epsilon-distinct training rows (Kokshenev 2010, section 4.3.4).
type Centres struct {
	// Given, where it has rows, are the centres.
	Given data.Rows `json:"-"`
	// Means, if positive, is the number of k-means centres, for dense rows only.
	Means int    `json:"means,omitempty"`
	Seed  uint64 `json:"seed,omitempty"` // of k-means
	// Overlap is the tolerance l of distinct rows: any two units of the greatest width
	// overlap by at most 1-l. Default 1e-6, negative: only equal rows are merged.
	Overlap float64 `json:"overlap,omitempty"`
}

// find returns the centres among rows for units of width sigma at most.
func (c Centres) find(ctx context.Context, rows data.Rows, sigma float64) (data.Rows, error) {
	switch {
	case c.Given.Len() > 0:
		if c.Given.Dim() != rows.Dim() {
			return data.Rows{}, fmt.Errorf("rbf: centres of %d columns for rows of %d", c.Given.Dim(), rows.Dim())
		}
		return c.Given, nil
	case c.Means > 0:
		return Means(ctx, rows, c.Means, c.Seed)
	}
	l := c.Overlap
	switch {
	case l == 0:
		l = 1e-6
	case l < 0:
		l = 0
	case l >= 1:
		return data.Rows{}, fmt.Errorf("rbf: overlap tolerance %g; it must be below 1", l)
	}
	return rows.Select(Distinct(rows, sigma*math.Sqrt(-2*math.Log1p(-l)))), nil
}

// Distinct returns the rows, in their order, that are further than eps from all kept
// before them. Cost: O(n m d), m rows kept.
func Distinct(rows data.Rows, eps float64) []int {
	var keep []int
	norm := rows.SquaredNorms()
	for i := range rows.Len() {
		near := false
		for _, j := range keep {
			// Norms exclude most pairs: ||x|-|z|| > eps is enough.
			if d := math.Sqrt(norm[i]) - math.Sqrt(norm[j]); math.Abs(d) <= eps*(1+1e-9)+1e-9*math.Sqrt(norm[i]) && distance2(rows, norm, i, j) <= eps*eps {
				near = true
				break
			}
		}
		if !near {
			keep = append(keep, i)
		}
	}
	return keep
}

func distance2(rows data.Rows, norm []float64, i, j int) float64 {
	if s := rows.Sparse; s != nil {
		// Inner products cancel for close rows; below 1e-12 of the norms they are equal.
		d := norm[i] + norm[j] - 2*s.RowDot(i, s, j)
		if d <= 1e-12*(norm[i]+norm[j]) {
			return 0
		}
		return d
	}
	var sum float64
	z := rows.Dense.RawRowView(j)
	for k, v := range rows.Dense.RawRowView(i) {
		sum += (v - z[k]) * (v - z[k])
	}
	return sum
}

// Means returns k centres of dense rows by k-means: seeded k-means++ start (Arthur and
// Vassilvitskii, SODA 2007), then Lloyd's iterations until no row moves, 100 at most. A
// cluster that empties keeps its centre. Cost: O(n k d) an iteration.
func Means(ctx context.Context, rows data.Rows, k int, seed uint64) (data.Rows, error) {
	n, d := rows.Len(), rows.Dim()
	switch {
	case rows.IsSparse():
		return data.Rows{}, errors.New("rbf: k-means centres are for dense rows; use distinct rows as centres")
	case k > n || k < 1:
		return data.Rows{}, fmt.Errorf("rbf: %d k-means centres of %d rows", k, n)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	c := mat.NewDense(k, d, nil)
	away := func(i, j int) float64 {
		var s float64
		z := c.RawRowView(j)
		for q, v := range rows.Dense.RawRowView(i) {
			s += (v - z[q]) * (v - z[q])
		}
		return s
	}
	near := make([]float64, n)
	for i := range near {
		near[i] = math.Inf(1)
	}
	next := rng.IntN(n)
	for j := range k {
		c.SetRow(j, rows.Dense.RawRowView(next))
		var sum float64
		for i := range near {
			near[i] = min(near[i], away(i, j))
			sum += near[i]
		}
		if sum == 0 { // fewer distinct rows than centres
			return data.Rows{Dense: mat.DenseCopyOf(c.Slice(0, j+1, 0, d))}, nil
		}
		u := rng.Float64() * sum
		for i, v := range near {
			if v > 0 {
				next = i
			}
			if u -= v; u < 0 {
				break
			}
		}
	}
	of, size := make([]int, n), make([]int, k)
	for i := range of {
		of[i] = -1
	}
	for range 100 {
		if err := ctx.Err(); err != nil {
			return data.Rows{}, err
		}
		moved := false
		clear(size)
		for i := range of {
			best, least := 0, math.Inf(1)
			for j := range k {
				if v := away(i, j); v < least {
					best, least = j, v
				}
			}
			moved = moved || of[i] != best
			of[i] = best
			size[best]++
		}
		if !moved {
			break
		}
		for j := range k {
			if size[j] > 0 {
				clear(c.RawRowView(j))
			}
		}
		for i, j := range of {
			row := c.RawRowView(j)
			for q, v := range rows.Dense.RawRowView(i) {
				row[q] += v / float64(size[j])
			}
		}
	}
	return data.Rows{Dense: c}, nil
}
