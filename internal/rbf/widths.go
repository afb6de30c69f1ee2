package rbf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
)

// WidthRule says how a range of widths follows from the distances of all pairs of rows.
type WidthRule int

const (
	// Tails takes d_5/3 to 3 d_95: what the source uses on real data.
	Tails WidthRule = iota
	// Percentiles takes d_10 to d_90.
	Percentiles
	// Extremes takes the least non-zero to the greatest distance.
	Extremes
	// Asked is of bounds that are both given, as they were asked for: they do not grow where a network lies at them.
	Asked
)

// Widths are a grid of Steps+1 widths, logarithms evenly spaced from Lo to Hi
// (Kokshenev 2010, eq. 4.25). A bound that is zero comes from the rows by Rule.
type Widths struct {
	Lo    float64   `json:"lo,omitempty"`
	Hi    float64   `json:"hi,omitempty"`
	Steps int       `json:"steps,omitempty"` // R_sigma, default 50, negative for the single width Hi
	Rule  WidthRule `json:"rule,omitempty"`
	Seed  uint64    `json:"seed,omitempty"` // of the rows looked at where there are many
}

// Grid returns the widths, increasing.
func (w Widths) Grid(ctx context.Context, rows data.Rows) ([]float64, error) {
	lo, hi := w.Lo, w.Hi
	if lo == 0 && w.Steps >= 0 || hi == 0 {
		a, b, err := w.Rule.Range(ctx, rows, w.Seed)
		if err != nil {
			return nil, err
		}
		if lo == 0 {
			lo = a
		}
		if hi == 0 {
			hi = b
		}
	}
	steps := w.Steps
	switch {
	case steps < 0:
		if !(hi > 0) || math.IsInf(hi, 1) {
			return nil, fmt.Errorf("rbf: width %g; it must be positive", hi)
		}
		return []float64{hi}, nil
	case steps == 0:
		steps = 50
	}
	if !(lo > 0 && lo < hi) || math.IsInf(hi, 1) {
		return nil, fmt.Errorf("rbf: widths from %g to %g; give 0 < lo < hi", lo, hi)
	}
	out := make([]float64, steps+1)
	for j := range out {
		t := float64(j) / float64(steps)
		out[j] = math.Exp2((1-t)*math.Log2(lo) + t*math.Log2(hi))
	}
	return out, nil
}

// pairRows is the number of rows all pairs of which are looked at: 12 million.
const pairRows = 5000

// Range is the rule on rows; beyond 5000 rows on as many drawn by the seed. Percentiles
// interpolate linearly between order statistics of the non-zero distances.
func (r WidthRule) Range(ctx context.Context, rows data.Rows, seed uint64) (lo, hi float64, err error) {
	if rows.Len() > pairRows {
		pick := rand.New(rand.NewPCG(seed, 2)).Perm(rows.Len())[:pairRows]
		slices.Sort(pick)
		rows = rows.Select(pick)
	}
	g, err := kernel.Linear{}.Bind(ctx, rows, nil)
	if err != nil {
		return 0, 0, err
	}
	n := rows.Len()
	norm := rows.SquaredNorms()
	d := make([]float64, 0, n*(n-1)/2)
	block := mat.NewDense(min(n, panelRows), max(n, 1), nil)
	for from := 0; from < n; from += panelRows {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		idx := indices.To(min(panelRows, n-from))
		for a := range idx {
			idx[a] += from
		}
		s := block.Slice(0, len(idx), 0, n).(*mat.Dense)
		g.Block(s, idx, nil)
		for a, i := range idx {
			for j, v := range s.RawRowView(a)[:i] {
				d2 := norm[i] + norm[j] - 2*v
				if d2 < 1e-6*(norm[i]+norm[j]) { // cancelled
					d2 = distance2(rows, norm, i, j)
				}
				if d2 > 0 {
					d = append(d, d2)
				}
			}
		}
	}
	if len(d) == 0 {
		return 0, 0, errors.New("rbf: all rows are equal, no width follows from them; give the widths")
	}
	slices.Sort(d)
	at := func(p float64) float64 {
		x := p * float64(len(d)-1)
		k := min(int(x), len(d)-1)
		v := math.Sqrt(d[k])
		if k+1 < len(d) {
			v += (x - float64(k)) * (math.Sqrt(d[k+1]) - v)
		}
		return v
	}
	switch r {
	case Percentiles:
		return at(0.1), at(0.9), nil
	case Extremes:
		return at(0), at(1), nil
	}
	return at(0.05) / 3, 3 * at(0.95), nil
}
