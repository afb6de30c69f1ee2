package linear

// Problem   that of the package.
// Method    at w the rows whose price counts, o_i < 1 of a_i and o_i > -1 of b_i, make a least-squares problem with costs
//           and targets c_i, t_i: a_i and 1, b_i and -1, or a_i + b_i and (a_i - b_i)/(a_i + b_i) between the two. Its
//           solution (cgls.go) is the minimum where the same prices count there; else w goes to the least of the
//           objective on the way (ray.go).
// Start     from nothing the first system has ten steps at most, and all have the tolerance 1e-2 until that is met; then
//           1e-6. A start that is given has 1e-6 at once.
// Cost      two passes over the entries of the active rows for every step of conjugate gradients, one over the others'
//           for every system.
// Source    Keerthi and DeCoste 2005; Sindhwani 2007, section 6.2, eq. 6.4, and 6.4.1, whose test for rows beyond the
//           margin takes a row for settled that has jumped from one side to the other.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/internal/passes"
)

const (
	// tolerance is that of systems and of margins unless another is asked for.
	tolerance = 1e-6
	// rough is the tolerance from a cold start, roughSteps the steps of its first system.
	rough, roughSteps = 1e-2, 10
	// mostSystems is where the machine is left as it is; some ten are usual.
	mostSystems = 50
	// unchanged is the relative change of the objective that counts as none.
	unchanged = 1e-9
)

// machine is one problem and where it stands.
type machine struct {
	x        *passes.Rows
	lambda   float64
	fine     float64   // the tolerance
	up, down []float64 // a and b

	w, o []float64 // the present point and its outputs on all rows

	f       float64 // the objective there
	steps   int     // of conjugate gradients, of all problems so far
	systems int

	inner        cgls
	to, next     []float64 // outputs and weights of a system's solution
	cost, target []float64
	on, off      []int
	part         []float64
	bends        []bend
}

// newMachine begins at w = 0.
func newMachine(x *passes.Rows, lambda float64) *machine {
	m := &machine{x: x, lambda: lambda, fine: tolerance}
	n, d := x.Dims()
	for _, v := range []*[]float64{&m.up, &m.down, &m.o, &m.to, &m.cost, &m.target, &m.part} {
		*v = make([]float64, n)
	}
	m.w, m.next = make([]float64, d), make([]float64, d)
	m.on, m.off = make([]int, 0, n), make([]int, 0, n)
	return m
}

// objective is that of outputs o and weights w.
func (m *machine) objective(w, o []float64) float64 {
	sum := m.lambda * floats.Dot(w, w)
	for i, v := range o {
		if c := m.up[i]; c > 0 && v < 1 {
			sum += c * (1 - v) * (1 - v)
		}
		if c := m.down[i]; c > 0 && v > -1 {
			sum += c * (1 + v) * (1 + v)
		}
	}
	return sum / 2
}

// train minimises the problem with the present prices from the present point; warm says that this is near. limited says
// that the solver stopped at its limit, err that the context ended.
func (m *machine) train(ctx context.Context, warm bool) (limited bool, err error) {
	eps, most := m.fine, mostSteps
	if !warm {
		eps, most = max(rough, m.fine), roughSteps
	}
	m.f = m.objective(m.w, m.o)
	for range mostSystems {
		m.systems++
		m.activate()
		copy(m.next, m.w)
		part := m.part[:len(m.on)]
		for k, i := range m.on {
			part[k] = m.o[i]
		}
		steps, done := m.inner.solve(ctx, system{m.x, m.on, m.cost, m.target, m.lambda}, eps, most, m.next, part)
		m.steps += steps
		most = mostSteps
		if err := ctx.Err(); err != nil {
			return false, err
		}
		for k, i := range m.on {
			m.to[i] = part[k]
		}
		rest := m.part[:len(m.off)]
		m.x.Mul(rest, m.next, m.off)
		for k, i := range m.off {
			m.to[i] = rest[k]
		}
		if done && m.settled(eps) {
			m.w, m.next = m.next, m.w
			m.o, m.to = m.to, m.o
			m.f = m.objective(m.w, m.o)
			if eps == m.fine {
				return false, nil
			}
			eps = m.fine
			continue
		}
		before := m.f
		m.step()
		if math.Abs(before-m.f) <= unchanged*math.Abs(before) {
			if eps == m.fine {
				return false, nil
			}
			eps = m.fine
		}
	}
	return true, nil
}

// activate makes the least-squares problem at the present outputs.
func (m *machine) activate() {
	m.on, m.off = m.on[:0], m.off[:0]
	for i, v := range m.o {
		var a, b float64
		if v < 1 {
			a = m.up[i]
		}
		if v > -1 {
			b = m.down[i]
		}
		m.cost[i] = a + b
		if a+b == 0 {
			m.off = append(m.off, i)
			continue
		}
		m.target[i] = (a - b) / (a + b)
		m.on = append(m.on, i)
	}
}

// settled says whether the same prices count at the solution of the system.
func (m *machine) settled(eps float64) bool {
	for i, v := range m.o {
		to := m.to[i]
		if m.up[i] > 0 && (v < 1 && to > 1+eps || v >= 1 && to < 1-eps) {
			return false
		}
		if m.down[i] > 0 && (v > -1 && to < -1-eps || v <= -1 && to > -1+eps) {
			return false
		}
	}
	return true
}

// step goes to the least of the objective on the way to the system's solution.
func (m *machine) step() {
	a := m.lambda * (floats.Dot(m.w, m.next) - floats.Dot(m.w, m.w))
	b := m.lambda * (floats.Dot(m.next, m.next) - floats.Dot(m.w, m.next))
	delta := m.ray(m.o, m.to, a, b)
	for j, v := range m.next {
		m.w[j] += delta * (v - m.w[j])
	}
	for i, v := range m.to {
		m.o[i] += delta * (v - m.o[i])
	}
	m.f = m.objective(m.w, m.o)
}

// residual is the length of the gradient over that of its two parts.
func (m *machine) residual() float64 {
	m.activate()
	z := m.part[:len(m.on)]
	for k, i := range m.on {
		z[k] = m.cost[i] * (m.target[i] - m.o[i])
	}
	g := make([]float64, len(m.w))
	m.x.MulT(g, z, m.on)
	size := max(floats.Norm(g, 2), m.lambda*floats.Norm(m.w, 2))
	floats.AddScaled(g, -m.lambda, m.w)
	if size == 0 {
		return 0
	}
	return floats.Norm(g, 2) / size
}
