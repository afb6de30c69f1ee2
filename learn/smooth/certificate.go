package smooth

// Duality gap. The dual of the problem (Fenchel) is
//
//	maximise  -1/2 a'K a - sum_i c_i V*(y_i, -a_i/c_i)   (sum a = 0 with a free offset)
//
// and the gap of any feasible a to the primal at (beta, b) is
//
//	gap = 1/2 (beta - a)'K (beta - a) + sum_i c_i (V + V* - u_i f_i),   u_i = -a_i/c_i.
//
// Two points are tried and the better one counts. a = -c V'(f) is in the domain of V*
// whatever f is and makes the second sum zero term by term, so that nothing cancels: the
// gap is half the squared norm of the gradient. a = beta, where it is in the domain, makes
// the first term zero: sharp at large C, where the rounding of f is multiplied by c V''.
// A free offset needs sum a = 0: the side, positive or negative, with the larger sum is
// scaled down to the other, which stays in the domain since that is convex and contains 0.

import "math"

// feasible makes a feasible by scaling and returns the second sum; a_i = -g_i adds nothing.
func (t *terms) feasible(a, f []float64, free bool) (slack float64) {
	var plus, minus float64
	for _, v := range a {
		plus += max(v, 0)
		minus += max(-v, 0)
	}
	for i, c := range t.c {
		switch {
		case free && a[i] > 0 && plus > minus:
			a[i] *= minus / plus
		case free && a[i] < 0 && plus < minus:
			a[i] *= plus / minus
		}
		if c > 0 && a[i] != -t.g[i] {
			u := -a[i] / c
			slack += max(0, c*(t.loss.Value(t.y[i], f[i])+t.loss.Conjugate(t.y[i], u)-u*f[i]))
		}
	}
	return slack
}

// gap is the certificate of the present point. Cost: two products with K.
func (m *machine) gap() float64 {
	best := math.Inf(1)
	a := m.back
	for _, own := range []bool{false, true} {
		for i, g := range m.g {
			a[i] = -g
			if c := m.c[i]; own && c > 0 && !math.IsInf(m.loss.Conjugate(m.y[i], -m.beta[i]/c), 1) {
				a[i] = m.beta[i]
			}
		}
		slack := m.feasible(a, m.f, m.p.Offset == Free)
		for i, b := range m.beta {
			a[i] = b - a[i]
		}
		mulRows(m.t, m.p.K, nil, a, m.augmented())
		var q float64
		for i, e := range a {
			q += e * m.t[i]
		}
		best = min(best, max(q, 0)/2+slack)
	}
	return best
}
