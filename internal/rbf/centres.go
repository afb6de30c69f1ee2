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
			if d := math.Sqrt(norm[i]) - math.Sqrt(norm[j]); math.Abs(d) <= eps*(1+1e-9)+1e-9*math.Sqrt(norm[i]) &&
				distance2(rows, norm, i, j) <= eps*eps {
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
	n := rows.Len()
	switch {
	case rows.IsSparse():
		return data.Rows{}, errors.New("rbf: k-means centres are for dense rows; use distinct rows as centres")
	case k > n || k < 1:
		return data.Rows{}, fmt.Errorf("rbf: %d k-means centres of %d rows", k, n)
	}
	m := &means{x: rows.Dense, centres: mat.NewDense(k, rows.Dim(), nil), of: make([]int, n), size: make([]int, k)}
	if made, rest := m.spread(rand.New(rand.NewPCG(seed, 1))); !rest {
		return data.Rows{Dense: mat.DenseCopyOf(m.centres.Slice(0, made, 0, rows.Dim()))}, nil
	}
	for i := range m.of {
		m.of[i] = -1
	}
	for range 100 {
		if err := ctx.Err(); err != nil {
			return data.Rows{}, err
		}
		if !m.assign() {
			break
		}
		m.average()
	}
	return data.Rows{Dense: m.centres}, nil
}

// means is the state of k-means.
type means struct {
	x, centres *mat.Dense
	of         []int // centre of a row
	size       []int // rows of a centre
}

// away is the squared distance of row i and centre j.
func (m *means) away(i, j int) float64 {
	var s float64
	z := m.centres.RawRowView(j)
	for q, v := range m.x.RawRowView(i) {
		s += (v - z[q]) * (v - z[q])
	}
	return s
}

// spread draws the first centres from the rows, each with a probability proportional to its
// squared distance from those drawn before, and returns how many there are, and whether some
// row is none of them: without a rest nothing more can be drawn.
func (m *means) spread(rng *rand.Rand) (made int, rest bool) {
	n, _ := m.x.Dims()
	k, _ := m.centres.Dims()
	near := make([]float64, n)
	for i := range near {
		near[i] = math.Inf(1)
	}
	next := rng.IntN(n)
	for j := range k {
		m.centres.SetRow(j, m.x.RawRowView(next))
		var sum float64
		for i := range near {
			near[i] = min(near[i], m.away(i, j))
			sum += near[i]
		}
		if sum == 0 {
			return j + 1, false
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
	return k, true
}

// assign gives each row to its nearest centre and says whether one moved.
func (m *means) assign() (moved bool) {
	clear(m.size)
	for i := range m.of {
		best, least := 0, math.Inf(1)
		for j := range m.size {
			if v := m.away(i, j); v < least {
				best, least = j, v
			}
		}
		moved = moved || m.of[i] != best
		m.of[i] = best
		m.size[best]++
	}
	return moved
}

// average takes each centre to the mean of its rows.
func (m *means) average() {
	for j, size := range m.size {
		if size > 0 {
			clear(m.centres.RawRowView(j))
		}
	}
	for i, j := range m.of {
		row := m.centres.RawRowView(j)
		for q, v := range m.x.RawRowView(i) {
			row[q] += v / float64(m.size[j])
		}
	}
}
