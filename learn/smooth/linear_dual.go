package smooth

// Problem   a point near the minimum of the linear form of the squared hinge, for Newton's method to begin at, where there
//           is no matrix of the features.
// Method    coordinate descent in the dual. For the losses c_i max(0, 1 - y_i o_i)^2 it is
//
//	minimise over a >= 0   1/2 |w|^2 + sum_i (a_i^2/(4 c_i) - a_i),   w = sum_i a_i y_i x_i,
//
//           whose coordinates are solved one by one, in an order that is drawn anew for every pass. A row at zero whose
//           slope is above the largest of the last pass is left out of the following ones.
// Stop      the slopes of a pass lie within a tenth of the tolerance, at which the gradient of the primal is about
//           within it, or after dualPasses. Newton's method decides, and does the rest.
// Cost      a product with each row that takes part and one with its transpose for a pass, on one processor.
// Source    Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008, algorithm 3.

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/passes"
	"github.com/mercer-ml/mercer/learn"
)

// dualPasses is how many passes there are at most: some twenty are usual for rows of length 1 and C = 1, and large C take
// more than it is worth.
const dualPasses = 30

// descends says whether coordinate descent knows the problem: its dual is of the squared hinge, has no equality, and is
// descended on row by row.
func (p linearProblem) descends() bool {
	return p.Loss == learn.SquaredHinge() && p.X.IsSparse() && p.Offset != Free
}

// approach moves w and b to where coordinate descent ends, or to where a context ends it.
func (m *linear) approach(ctx context.Context, tolerance float64) {
	rows := m.x.Rows
	if m.offset == Augmented {
		rows = m.x.withOnes()
	}
	dual := newDual(rows, m.y, m.c)
	visits := 0
	for range dualPasses {
		if ctx.Err() != nil {
			break
		}
		visits += len(dual.active)
		if dual.pass() <= tolerance/10 {
			break
		}
	}
	m.x.Products += 2 * visits / max(m.x.n, 1)
	if copy(m.w, dual.w); m.offset == Augmented {
		m.b = dual.w[m.x.d]
	}
}

// dual is coordinate descent and where it stands.
type dual struct {
	x       *passes.Rows
	y       []float64
	half    []float64 // 1/(2 c)
	curve   []float64 // x'x + 1/(2 c)
	a, w    []float64
	active  []int
	bound   float64 // slopes above it leave
	shuffle *rand.Rand
}

// newDual begins at a = 0; rows without weight take no part.
func newDual(x *passes.Rows, y, c []float64) *dual {
	n, d := x.Dims()
	m := &dual{x: x, y: y, half: make([]float64, n), curve: make([]float64, n), a: make([]float64, n), w: make([]float64, d),
		bound: math.Inf(1), shuffle: rand.New(rand.NewPCG(uint64(n), uint64(d)))} //nolint:gosec // an order, not a secret
	for k, v := range c {
		if v > 0 {
			m.half[k] = 1 / (2 * v)
			m.curve[k] = x.Square(k) + m.half[k]
			m.active = append(m.active, k)
		}
	}
	return m
}

// pass solves the coordinates once, and returns the span of their slopes.
func (m *dual) pass() float64 {
	m.shuffle.Shuffle(len(m.active), func(i, j int) { m.active[i], m.active[j] = m.active[j], m.active[i] })
	most, least := math.Inf(-1), math.Inf(1)
	kept := m.active[:0]
	for _, k := range m.active {
		slope := m.y[k]*m.x.Dot(k, m.w) - 1 + m.a[k]*m.half[k]
		if m.a[k] == 0 && slope > m.bound {
			continue
		}
		kept = append(kept, k)
		if m.a[k] == 0 && slope > 0 {
			most, least = max(most, 0), min(least, 0)
			continue
		}
		most, least = max(most, slope), min(least, slope)
		before := m.a[k]
		m.a[k] = max(before-slope/m.curve[k], 0)
		m.x.AddTo(m.w, (m.a[k]-before)*m.y[k], k)
	}
	m.active = kept
	if m.bound = most; most <= 0 {
		m.bound = math.Inf(1)
	}
	return most - least
}
