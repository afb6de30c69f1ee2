package dual

import (
	"fmt"
	"math"
)

// Form says how Machine reads a solution.
type Form int

const (
	// Plain problems are read as they are.
	Plain Form = iota
	// NuClasses is nu-SVC: coefficients and threshold are divided by Scale, so that
	// the margin is 1 and the machine that of C-SVC with bounds c/Scale.
	NuClasses
	// NuTube is nu-SVR: -Scale is the half width of the tube.
	NuTube
)

// The forms of Chang and Lin, "LIBSVM" (2011), section 2, with a bound c_i for each
// row where LIBSVM has C, or C times a weight. rows are the kernel rows of the l
// examples, nil for 0..l-1; a row with c_i = 0 takes no part. Without Offset the
// threshold b is left out, and with it the equality constraint.

// SVC is C-support vector classification, y = +1 or -1:
//
//	minimise 1/2 |w|^2 + sum_i c_i (1 - y_i f(x_i))+       f = <w, phi(x)> + b
//	dual:    p = -1, s = y, 0 <= a_i <= c_i, y'a = 0
func SVC(rows []int, y, c []float64) Problem {
	l := len(y)
	mustLengths("SVC", rows, l, c)
	p := Problem{
		Row:    rowNumbers(rows, l),
		Sign:   append([]float64(nil), y...),
		Upper:  append([]float64(nil), c...),
		Linear: make([]float64, l),
		Offset: true,
	}
	for i := range p.Linear {
		p.Linear[i] = -1
	}
	return p
}

// SVR is epsilon-support vector regression:
//
//	minimise 1/2 |w|^2 + sum_i c_i (|z_i - f(x_i)| - epsilon)+
//	dual:    2 l variables on l rows: a_i with s = +1, p = epsilon - z_i, and
//	         a*_i with s = -1, p = epsilon + z_i; sum (a - a*) = 0
func SVR(rows []int, z, c []float64, epsilon float64) Problem {
	l := len(z)
	mustLengths("SVR", rows, l, c)
	row := rowNumbers(rows, l)
	p := Problem{
		Row: append(row, row...), Upper: append(append([]float64(nil), c...), c...),
		Sign: make([]float64, 2*l), Linear: make([]float64, 2*l), Offset: true,
	}
	for i, v := range z {
		p.Sign[i], p.Sign[l+i] = 1, -1
		p.Linear[i], p.Linear[l+i] = epsilon-v, epsilon+v
	}
	return p
}

// NuSVC is nu-support vector classification:
//
//	minimise 1/2 |w|^2 - nu rho sum c + sum_i c_i (rho - y_i f(x_i))+
//	dual:    p = 0, s = y, 0 <= a_i <= c_i, sum over each class = nu sum(c)/2
//
// With c = 1 it is LIBSVM's. At most nu of the total weight are margin errors, and
// at least nu support vectors. A nu for which a class has too little weight is an error.
func NuSVC(rows []int, y, c []float64, nu float64) (Problem, error) {
	l := len(y)
	mustLengths("NuSVC", rows, l, c)
	var total, class [2]float64
	for i, v := range c {
		q := 0
		if y[i] < 0 {
			q = 1
		}
		class[q] += v
		total[0] += v
	}
	if !(nu > 0 && nu <= 1) {
		return Problem{}, fmt.Errorf("svm: nu is %g; it must be in (0, 1]", nu)
	}
	half, least := nu*total[0]/2, min(class[0], class[1])
	if half > least*(1+1e-9) { // weights that are equal but for rounding allow nu = 1
		return Problem{}, fmt.Errorf(
			"svm: nu = %g is infeasible: at most %.6g with weights %g of class +1 and %g of class -1",
			nu,
			2*least/total[0],
			class[0],
			class[1],
		)
	}
	half = min(half, least)
	p := Problem{Row: rowNumbers(rows, l), Sign: append([]float64(nil), y...), Upper: append([]float64(nil), c...),
		Linear: make([]float64, l), Start: make([]float64, l), Offset: true, Nu: true, Form: NuClasses}
	rest := [2]float64{half, half}
	for i, v := range c {
		q := 0
		if y[i] < 0 {
			q = 1
		}
		p.Start[i] = min(v, rest[q])
		rest[q] -= p.Start[i]
	}
	return p, nil
}

// NuSVR is nu-support vector regression:
//
//	minimise 1/2 |w|^2 + nu epsilon sum c + sum_i c_i (|z_i - f(x_i)| - epsilon)+   also over epsilon
//	dual:    as SVR with epsilon = 0; the sums of a and a* are each nu sum(c)/2
//
// With c = C it is LIBSVM's.
func NuSVR(rows []int, z, c []float64, nu float64) (Problem, error) {
	if !(nu > 0 && nu <= 1) {
		return Problem{}, fmt.Errorf("svm: nu is %g; it must be in (0, 1]", nu)
	}
	p := SVR(rows, z, c, 0)
	p.Nu, p.Form, p.Start = true, NuTube, make([]float64, len(p.Row))
	var total float64
	for _, v := range c {
		total += v
	}
	rest := nu * total / 2
	for i, v := range c {
		a := min(v, rest)
		p.Start[i], p.Start[len(z)+i] = a, a
		rest -= a
	}
	return p, nil
}

// OneClass is the one-class machine of Schoelkopf et al. (2001):
//
//	minimise 1/2 |w|^2 - nu rho sum c + sum_i c_i (rho - <w, phi(x_i)>)+
//	dual:    p = 0, s = +1, 0 <= a_i <= c_i, sum a = nu sum c
//
// With c = 1 it is LIBSVM's.
func OneClass(rows []int, c []float64, nu float64) (Problem, error) {
	l := len(c)
	mustLengths("OneClass", rows, l, c)
	if !(nu > 0 && nu <= 1) {
		return Problem{}, fmt.Errorf("svm: nu is %g; it must be in (0, 1]", nu)
	}
	p := Problem{Row: rowNumbers(rows, l), Sign: make([]float64, l), Upper: append([]float64(nil), c...),
		Linear: make([]float64, l), Start: make([]float64, l), Offset: true}
	var rest float64
	for _, v := range c {
		rest += nu * v
	}
	for i, v := range c {
		p.Sign[i] = 1
		p.Start[i] = min(v, rest)
		rest -= p.Start[i]
	}
	return p, nil
}

// Machine is a solution in the terms of its form: f(x) = sum_r Coef_r k(x, r) + B.
type Machine struct {
	Coef      []float64 // one a kernel row
	B         float64
	Epsilon   float64 // of nu-SVR: half width of the tube
	Objective float64 // of the dual problem, with LIBSVM's sign and scale
}

// primal is the objective of the primal problem at the outputs: by as much above the dual's as the gap, of which Solution says how far
// every variable falls short. Where a bound is infinite the gap may be, and the dual's stands for both.
func (m Machine) primal(s *Solution) float64 {
	if s.Objective == 0 || math.IsInf(s.Gap, 0) {
		return -m.Objective
	}
	return s.Gap*(m.Objective/s.Objective) - m.Objective
}

// Machine reads a solution of p on a matrix of n rows. Variables that share a row
// are added. A nu-SVC of scale 0 or less (nu too small for data that cannot be
// separated at that margin) is an error.
func (p Problem) Machine(s *Solution, n int) (Machine, error) {
	scale := 1.0
	if p.Form == NuClasses {
		if scale = s.Scale; !(scale > 0) {
			return Machine{}, fmt.Errorf(
				"svm: the margin of nu-SVC is %g; the classes coincide at this nu: choose a larger nu or another kernel",
				scale,
			)
		}
	}
	m := Machine{Coef: make([]float64, n), B: -s.Rho / scale, Objective: s.Objective / (scale * scale)}
	for u, r := range p.Row {
		m.Coef[r] += p.Sign[u] * s.A[u] / scale
	}
	if p.Form == NuTube {
		m.Epsilon = -s.Scale
	}
	return m, nil
}

func rowNumbers(rows []int, l int) []int {
	out := make([]int, l, 2*l)
	for i := range out {
		out[i] = i
	}
	if rows != nil {
		copy(out, rows)
	}
	return out[:l]
}

func mustLengths(name string, rows []int, l int, c []float64) {
	if rows != nil && len(rows) != l || len(c) != l {
		panic(fmt.Sprintf("svm: %s of %d examples with %d rows and %d bounds", name, l, len(rows), len(c)))
	}
}

// Warm returns p with the feasible point nearest to a as its start: the minimiser of
// |x - a|^2 over the box and, with Offset, over s'x = s'p.Start (with Nu each sign's sum).
// So a may be the solution for other bounds, or other labels' rows. a_u that is not
// finite counts as 0. If no point is feasible the returned error says by how much.
//
// With one multiplier t for each constraint, x = clip(a + s t, 0, c), and the sum grows
// with t: bisection. Cost: some 100 passes.
func (p Problem) Warm(a []float64) (Problem, error) {
	m := len(p.Row)
	if len(a) != m {
		panic(fmt.Sprintf("svm: a start of %d values for %d variables", len(a), m))
	}
	x := make([]float64, m)
	for u, v := range a {
		if v-v != 0 {
			v = 0
		}
		x[u] = min(max(v, 0), p.Upper[u])
	}
	switch {
	case p.Nu:
		for _, sign := range []float64{1, -1} {
			if err := p.project(x, func(u int) bool { return p.Sign[u] == sign }); err != nil {
				return p, err
			}
		}
	case p.Offset:
		if err := p.project(x, func(int) bool { return true }); err != nil {
			return p, err
		}
	}
	p.Start = x
	return p, nil
}

// project moves x, within the box, to the sum that Start has over the variables
// that belong.
func (p Problem) project(x []float64, belongs func(u int) bool) error {
	c := p.constraint(x, belongs)
	slack := 1e-9 * (math.Abs(c.target) + 1)
	if c.target < c.least-slack || c.target > c.most+slack {
		return fmt.Errorf("svm: no feasible point: the sum is to be %g, the bounds allow %g to %g", c.target, c.least, c.most)
	}
	var size float64
	for _, b := range c.beta {
		size += math.Abs(b)
	}
	if math.Abs(c.moved(0)-c.target) <= 1e-12*(size+math.Abs(c.target)) {
		return nil // no variable may leave its bound for a rounding error
	}
	c.move(c.multiplier())
	for i, u := range c.index {
		x[u] = math.Abs(c.beta[i])
	}
	return nil
}

// constraint is sum beta = target over some variables, lo <= beta <= hi, in beta = s a.
type constraint struct {
	index        []int // u of the variables
	beta, lo, hi []float64
	target       float64
	least, most  float64 // sums that the bounds allow
	reach        float64 // greatest |beta| and finite bound
}

func (p Problem) constraint(x []float64, belongs func(u int) bool) *constraint {
	c := &constraint{}
	for u, s := range p.Sign {
		if !belongs(u) {
			continue
		}
		if p.Start != nil {
			c.target += s * p.Start[u]
		}
		l, h := 0.0, p.Upper[u]
		if s < 0 {
			l, h = -p.Upper[u], 0
		}
		c.index = append(c.index, u)
		c.beta, c.lo, c.hi = append(c.beta, s*x[u]), append(c.lo, l), append(c.hi, h)
		c.least += l
		c.most += h
		c.reach = max(c.reach, math.Abs(x[u]))
		if !math.IsInf(p.Upper[u], 0) {
			c.reach = max(c.reach, p.Upper[u])
		}
	}
	return c
}

// moved is the sum of clip(beta + t, lo, hi).
func (c *constraint) moved(t float64) (sum float64) {
	for i, b := range c.beta {
		sum += min(max(b+t, c.lo[i]), c.hi[i])
	}
	return sum
}

// multiplier is the least t, to rounding, that moves the sum to the target.
func (c *constraint) multiplier() float64 {
	span := 2*c.reach + math.Abs(c.target) + math.Abs(c.moved(0)) + 1
	a, b := -span, span
	for range 200 {
		t := a + (b-a)/2
		if t == a || t == b {
			break
		}
		if c.moved(t) < c.target {
			a = t
		} else {
			b = t
		}
	}
	return b
}

// move takes beta to clip(beta + t, lo, hi). What rounding leaves of the sum goes to a
// variable with room for it.
func (c *constraint) move(t float64) {
	rest := c.target
	for i, v := range c.beta {
		c.beta[i] = min(max(v+t, c.lo[i]), c.hi[i])
		rest -= c.beta[i]
	}
	for i, old := range c.beta {
		if rest == 0 {
			break
		}
		c.beta[i] = min(max(old+rest, c.lo[i]), c.hi[i])
		rest -= c.beta[i] - old
	}
}
