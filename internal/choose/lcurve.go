package choose

import (
	"errors"
	"math"
)

// LCurve chooses the point of greatest curvature of (ln Q, ln SSE), turning to the
// left, by the circle through neighbouring members (Hansen, SIAM Review 34 (1992); the
// source mentions it in section 2.5.2). Score: minus the curvature; the ends and
// members with a zero objective have none. Members closer than Apart in both
// logarithms are passed over: their differences are rounding.
type LCurve struct {
	Apart float64 // default 1e-3
}

// Name is lcurve.
func (LCurve) Name() string { return "lcurve" }

// Decide scores the front.
func (d LCurve) Decide(f Front) (Decision, error) {
	apart := d.Apart
	if apart == 0 {
		apart = 1e-3
	}
	type point struct {
		x, y float64
		i    int
	}
	var p []point
	for i, m := range f.Members {
		if !(m.SSE > 0) || !(m.Complexity > 0) {
			continue
		}
		q := point{math.Log(m.Complexity), math.Log(m.SSE), i}
		if n := len(p); n == 0 || math.Abs(q.x-p[n-1].x) > apart || math.Abs(q.y-p[n-1].y) > apart {
			p = append(p, q)
		}
	}
	if len(p) < 3 {
		return Decision{}, errors.New("an L-curve needs three members of positive error and complexity; choose cv or bic")
	}
	scored := make([]float64, len(f.Members))
	for i := range scored {
		scored[i] = math.Inf(1)
	}
	for k := 1; k+1 < len(p); k++ {
		a, b, c := p[k-1], p[k], p[k+1]
		ux, uy, vx, vy := b.x-a.x, b.y-a.y, c.x-b.x, c.y-b.y
		sides := math.Hypot(ux, uy) * math.Hypot(vx, vy) * math.Hypot(ux+vx, uy+vy)
		scored[b.i] = -2 * (ux*vy - uy*vx) / sides
	}
	d2 := leastOf(f, scored, "the front in logarithms has one corner")
	return d2, nil
}
