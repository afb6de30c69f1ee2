package smooth

// Problem   minimise P(beta, b) = 1/2 beta'K beta + sum_i c_i V(y_i, (K beta)_i + b)
//           over beta in R^l (and b), K l x l positive semidefinite.
// Method    Newton on the reduced optimality condition r = beta + c V'(f) = 0 (doc.go):
//           the step solves the system of inner.go with rho = r, sigma = sum beta; it is
//           the Newton step of P itself, hence a direction of descent. The full step
//           is taken when it halves the smallest gradient so far, else an almost exact
//           search along the ray (ray.go). The former can happen a limited number of
//           times before the tolerance is met, the latter converges from anywhere.
//           For piecewise quadratic losses this is the finite Newton method on the
//           active set; B is factored again only when the set or its curvature changed.
// Cost      a step: |A|^3/3 flops for rows A with curvature, two products with K.
//           Memory: one |A| x |A| matrix beside K.
// Source    Keerthi and DeCoste, JMLR 6 (2005); Chapelle, Neural Computation 19 (2007);
//           the reduced form and free offset as in inner.go.

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/learn"
)

// machine is the state of one fit.
type machine struct {
	*terms
	p    problem
	n    *inner
	beta []float64
	b    float64 // free offset
	f    []float64
	r    []float64 // beta + g
	sumV float64   // of the losses

	factors int // made

	dir, t            []float64 // the step, and its change of f
	ones, backB, back []float64 // scratch
}

// newton solves p, which is checked, from start (zeros when nil), whose coefficients may come from another C, weights or targets. An
// error is the data's fault or the context's; the latter comes with the solution so far, if there is one. n is where B is made; the
// solution may keep it.
func newton(ctx context.Context, p problem, t *terms, o options, start *solution, n *inner, keep bool) (*solution, error) {
	l := len(p.Y)
	n.k, n.offset = p.K, p.Offset
	m := &machine{terms: t, p: p, n: n,
		beta: make([]float64, l), f: make([]float64, l), r: make([]float64, l),
		dir: make([]float64, l), t: make([]float64, l), back: make([]float64, l), backB: make([]float64, l)}
	if start != nil {
		if len(start.Beta) != l {
			panic(fmt.Sprintf("smooth: start of %d rows for %d", len(start.Beta), l))
		}
		copy(m.beta, start.Beta)
		if p.Offset == Free {
			m.b = start.B
		}
	}
	s := &solution{}
	if start == nil {
		if err := m.widen(ctx, o, s); err != nil {
			return nil, err
		}
	}
	status, err := iterate(ctx, m, o, p.Offset, &s.Steps)
	s.Factors = m.factors
	if status == unfinished && ctx.Err() == nil {
		return nil, err
	}
	s.Status = status
	m.finish(s)
	if keep && n.matches(m.d) {
		s.inner = n
	}
	return s, err
}

const (
	// A ray crosses one narrow zone of curvature at a time, and between zones a step sees
	// only slopes. widenFrom is the V'' up to which a cold start needs no help; widenBy the
	// ratio of one width to the next. On 200 rows with C = 1000, a Huber hinge of h = 1e-6
	// and a kernel matrix near I, a cold start gave up after 83 steps with a relative gap
	// of 3e3; so it ends after 130 at working precision.
	widenFrom      = 4
	widenBy        = 10
	widenTolerance = 1e-2
)

// widen solves problems with wider and wider zones of curvature first, widest first,
// roughly: continuation, as Klatzer 2014, section 2.2, suggests for small widths.
func (m *machine) widen(ctx context.Context, o options, s *solution) error {
	w, ok := m.loss.(learn.Widener)
	if !ok {
		return nil
	}
	by := 1.0
	for w.Curvature()/by > widenFrom {
		by *= widenBy
	}
	own := m.terms
	defer func() { m.terms = own }()
	for ; by > 1; by /= widenBy {
		t := *own
		t.loss = w.Widened(by)
		m.terms = &t
		if status, err := iterate(ctx, m, options{Tolerance: widenTolerance, MaxSteps: o.steps()}, m.p.Offset, &s.Steps); err != nil &&
			status == unfinished &&
			ctx.Err() == nil {
			return err
		}
	}
	return nil
}

func (m *machine) augmented() bool { return m.p.Offset == Augmented }

// refresh recomputes the outputs from the coefficients and everything from them.
func (m *machine) refresh() {
	mulRows(m.f, m.p.K, nil, m.beta, m.augmented())
	if m.b != 0 {
		for i := range m.f {
			m.f[i] += m.b
		}
	}
	m.evaluate()
}

// evaluate fills g, d and r at f.
func (m *machine) evaluate() {
	m.sumV = m.eval(m.f)
	for i, g := range m.g {
		m.r[i] = m.beta[i] + g
	}
}

// gradient is solution.Gradient of the present point.
func (m *machine) gradient() float64 {
	g := maxAbs(m.r)
	if m.p.Offset == Free {
		g = max(g, math.Abs(sum(m.g)))
	}
	if g == 0 {
		return 0
	}
	return g / max(maxAbs(m.beta), maxAbs(m.g))
}

// objective is P of the present point: beta'K beta = beta'(f - b).
func (m *machine) objective() float64 {
	var q float64
	for i, v := range m.beta {
		q += v * (m.f[i] - m.b)
	}
	return q/2 + m.sumV
}

const (
	// stallLimit steps without gain in objective or gradient, or tolerances met by updated
	// outputs but not by those of the coefficients, mean that rounding has the last word.
	stallLimit = 3
	stallGain  = 1e-14 // of the objective, some 50 units of rounding
)

// iteration is what the loop of Newton's method needs of a form of the problem.
type iteration interface {
	refresh()           // outputs anew from the coefficients
	centre()            // the best free offset for what is there
	gradient() float64  // relative
	objective() float64 // at the outputs kept up to date
	direction(ctx context.Context, gradient float64) error
	step(best float64) bool // along the direction; false if nothing moved
}

// iterate runs Newton's method, counting steps, until the gradient of freshly computed
// outputs is small, rounding allows no more, or a limit is reached.
func iterate(ctx context.Context, m iteration, o options, offset Offset, steps *int) (status, error) {
	m.refresh()
	if offset == Free && m.gradient() > o.tolerance() {
		m.centre()
	}
	best, stalled, drifted, fresh := math.Inf(1), 0, 0, true
	obj := m.objective()
	for {
		grad := m.gradient()
		if grad <= o.tolerance() {
			if fresh {
				return gradientSmall, nil
			}
			// Updates let the outputs drift: only those of the coefficients count.
			m.refresh()
			fresh = true
			drifted++
			continue
		}
		switch {
		case stalled >= stallLimit || drifted >= stallLimit:
			return noProgress, nil
		case *steps >= o.steps():
			return budgetSpent, nil
		case ctx.Err() != nil:
			return unfinished, ctx.Err()
		}
		if err := m.direction(ctx, grad); err != nil {
			return unfinished, err
		}
		best = min(best, grad)
		moved := m.step(best)
		*steps++
		fresh = false
		was := obj
		obj = m.objective()
		if !moved || was-obj <= stallGain*math.Abs(was) && m.gradient() > best/2 {
			stalled++
			m.refresh()
			fresh = true
		} else {
			stalled = 0
		}
	}
}

// direction factors the inner Hessian anew where the curvature has changed.
func (m *machine) direction(ctx context.Context, _ float64) error {
	if m.n.matches(m.d) {
		return nil
	}
	m.factors++
	return m.n.factor(ctx, m.d)
}

// step makes one Newton step; false when no step descends.
func (m *machine) step(best float64) bool {
	var sigma float64
	if m.p.Offset == Free {
		sigma = sum(m.beta)
	}
	q := m.n.direction(m.dir, m.r, sigma)
	mulRows(m.t, m.p.K, nil, m.dir, m.augmented())
	if q != 0 {
		for i := range m.t {
			m.t[i] += q
		}
	}
	// The derivative of P along the ray, from residuals so that it stays exact near the
	// minimum: sum_i r_i(x) t_i - q sum_i (beta + x dir)_i.
	s0 := -q * sigma
	sumDir, quad := sum(m.dir), 0.0
	for i, t := range m.t {
		s0 += m.r[i] * t
		quad += m.dir[i] * (t - q)
	}
	if m.full(q, best) {
		return true
	}
	if !(s0 < 0) {
		return false
	}
	x := Ray(s0, func(x float64) (s, curv float64) {
		s, curv = -q*(sigma+x*sumDir), quad
		for i, t := range m.t {
			var d1, d2 float64
			if c := m.c[i]; c > 0 {
				d1, d2 = m.loss.Derivatives(m.y[i], m.f[i]+x*t)
				d1 *= c
				d2 *= c
			}
			s += (m.beta[i] + x*m.dir[i] + d1) * t
			curv += d2 * t * t
		}
		return s, curv
	})
	m.move(x, q)
	if m.p.Offset == Free && m.n.sumV == 0 {
		m.centre()
	}
	return x > 0
}

// full takes the whole step if that halves the smallest gradient so far.
func (m *machine) full(q, best float64) bool {
	b := m.b
	copy(m.back, m.f)
	copy(m.backB, m.beta)
	m.move(1, q)
	if m.gradient() <= best/2 {
		return true
	}
	m.b = b
	copy(m.f, m.back)
	copy(m.beta, m.backB)
	m.evaluate()
	return false
}

// move goes x along the direction.
func (m *machine) move(x, q float64) {
	for i, v := range m.dir {
		m.beta[i] += x * v
		m.f[i] += x * m.t[i]
	}
	m.b += x * q
	m.evaluate()
}

// centre minimises over the free offset alone: where no row has curvature Newton's
// step cannot move it.
func (m *machine) centre() {
	s := sum(m.g)
	if s == 0 {
		return
	}
	if m.ones == nil {
		m.ones = make([]float64, len(m.f))
	}
	sign := -math.Copysign(1, s)
	for i := range m.ones {
		m.ones[i] = sign
	}
	x := Ray(-math.Abs(s), func(x float64) (float64, float64) { return m.slope(m.f, m.ones, x) })
	m.b += sign * x
	for i := range m.f {
		m.f[i] += sign * x
	}
	m.evaluate()
}

// finish fills the solution from the present point.
func (m *machine) finish(s *solution) {
	m.refresh()
	if m.p.Offset == Free {
		if shift, _ := plateau(m.terms, m.f); shift != 0 {
			m.b += shift
			m.refresh()
		}
	}
	s.Beta, s.B, s.F, s.terms = m.beta, m.b, m.f, m.terms
	if m.augmented() {
		s.B = sum(m.beta)
	}
	s.Objective, s.Gradient = m.objective(), m.gradient()
	s.problem = m.p
	s.Gap = m.gap()
}
