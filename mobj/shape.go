package mobj

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/pareto"
)

// Knee chooses the member furthest below the line between the ends of the front, in
// coordinates scaled to its ranges (pareto.Knee; ours). Log takes logarithms of both
// objectives first, members where one is zero left out.
type Knee struct{ Log bool }

// Name is knee or knee-log.
func (d Knee) Name() string {
	if d.Log {
		return "knee-log"
	}
	return "knee"
}

// Decide scores members by minus their depth; only the chosen one's score is finite,
// as a knee is a property of the front.
func (d Knee) Decide(f Front) (Decision, error) {
	var risk, complexity []float64
	var at []int
	for i, m := range f.Members {
		r, q := m.SSE, m.Complexity
		if d.Log {
			r, q = math.Log(r), math.Log(q)
		}
		if r-r == 0 && q-q == 0 {
			risk, complexity, at = append(risk, r), append(complexity, q), append(at, i)
		}
	}
	k := pareto.Knee(risk, complexity)
	if k < 0 {
		return Decision{}, fmt.Errorf("mobj: no knee among %d members", len(at))
	}
	return single(f, at[k], "the front bends once; no assumption about noise"), nil
}

// single is a decision for one member.
func single(f Front, chosen int, assumed string) Decision {
	scored := make([]float64, len(f.Members))
	for i := range scored {
		scored[i] = math.Inf(1)
	}
	scored[chosen] = 0
	return Decision{Score: scored, Chosen: chosen, Assumed: assumed}
}

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
		return Decision{}, errors.New("mobj: an L-curve needs three members of positive error and complexity")
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
	d2 := Choose(f, scored, "the front in logarithms has one corner")
	return d2, nil
}

// VCBound is the bound of Vapnik on the expected error,
//
//	R + e/2 (1 + sqrt(1 + 4R/e)),  e = A1 [h (ln(A2 N/h) + 1) - ln(eta/4)]/N
//
// R the share of training rows classified wrongly, h = DF + 1 in the place of the
// dimension, 1-eta the confidence, 0 < A1 <= 4, 0 < A2 <= 2 (section 2.2.4).
type VCBound struct {
	A1, A2, Eta float64 // default 4, 2 (the worst case) and 0.05
}

// Name is vc-bound.
func (VCBound) Name() string { return "vc-bound" }

// Decide scores the front.
func (d VCBound) Decide(f Front) (Decision, error) {
	a1, a2, eta := d.A1, d.A2, d.Eta
	if a1 == 0 {
		a1 = 4
	}
	if a2 == 0 {
		a2 = 2
	}
	if eta == 0 {
		eta = 0.05
	}
	if !(a1 > 0 && a1 <= 4 && a2 > 0 && a2 <= 2 && eta > 0 && eta < 1) {
		return Decision{}, fmt.Errorf("mobj: vc-bound with a1 %g, a2 %g, eta %g; give 0 < a1 <= 4, 0 < a2 <= 2, 0 < eta < 1", a1, a2, eta)
	}
	n := float64(f.N)
	for _, m := range f.Members {
		if m.Errors < 0 {
			return Decision{}, errors.New("mobj: vc-bound is for classifiers; use gcv or bic for regressions")
		}
	}
	return each(f, "dimension = units + 1, which is no bound of it", func(m Member) float64 {
		r, h := float64(m.Errors)/n, m.DF+1
		e := a1 * (h*(math.Log(a2*n/h)+1) - math.Log(eta/4)) / n
		if !(e > 0) {
			return math.Inf(1)
		}
		return r + e/2*(1+math.Sqrt(1+4*r/e))
	})
}

// Held scores members by their loss on rows held out: a separate validation set (mve,
// 2.47) or folds (cv, 2.48; cv-lasso, 4.26). Loss is a sum or a mean, over the same
// rows for every member.
type Held struct {
	Word string // mve, cv, cv-lasso
	Loss []float64
	Says string // how the rows were held out
}

// Name is the word given.
func (d Held) Name() string { return d.Word }

// Decide scores the front.
func (d Held) Decide(f Front) (Decision, error) {
	if len(d.Loss) != len(f.Members) {
		return Decision{}, fmt.Errorf("mobj: %d held-out losses for %d members", len(d.Loss), len(f.Members))
	}
	return Choose(f, append([]float64(nil), d.Loss...), "held-out rows are like new ones: "+d.Says), nil
}
