package svm

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
// examples, nil for 0..l-1; a row with c_i = 0 takes no part. offset false leaves out
// the threshold b and with it the equality constraint.

// SVC is C-support vector classification, y = +1 or -1:
//
//	minimise 1/2 |w|^2 + sum_i c_i (1 - y_i f(x_i))+       f = <w, phi(x)> + b
//	dual:    p = -1, s = y, 0 <= a_i <= c_i, y'a = 0
func SVC(rows []int, y, c []float64, offset bool) Problem {
	l := len(y)
	mustLengths("SVC", rows, l, c)
	p := Problem{Row: rowNumbers(rows, l), Sign: append([]float64(nil), y...), Upper: append([]float64(nil), c...), Linear: make([]float64, l), Offset: offset}
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
func SVR(rows []int, z, c []float64, epsilon float64, offset bool) Problem {
	l := len(z)
	mustLengths("SVR", rows, l, c)
	row := rowNumbers(rows, l)
	p := Problem{
		Row: append(row, row...), Upper: append(append([]float64(nil), c...), c...),
		Sign: make([]float64, 2*l), Linear: make([]float64, 2*l), Offset: offset,
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
	if half > least {
		return Problem{}, fmt.Errorf("svm: nu = %g is infeasible: at most %.6g with weights %g of class +1 and %g of class -1", nu, 2*least/total[0], class[0], class[1])
	}
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
	p := SVR(rows, z, c, 0, true)
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

// Machine reads a solution of p on a matrix of n rows. Variables that share a row
// are added. A nu-SVC of scale 0 or less (nu too small for data that cannot be
// separated at that margin) is an error.
func (p Problem) Machine(s *Solution, n int) (Machine, error) {
	scale := 1.0
	if p.Form == NuClasses {
		if scale = s.Scale; !(scale > 0) {
			return Machine{}, fmt.Errorf("svm: the margin of nu-SVC is %g; the classes coincide at this nu: choose a larger nu or another kernel", scale)
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
	// In beta = s a the constraint is a plain sum.
	var beta, lo, hi []float64
	var index []int
	var target, least, most, reach float64
	for u, s := range p.Sign {
		if !belongs(u) {
			continue
		}
		if p.Start != nil {
			target += s * p.Start[u]
		}
		l, h := 0.0, p.Upper[u]
		if s < 0 {
			l, h = -p.Upper[u], 0
		}
		index = append(index, u)
		beta, lo, hi = append(beta, s*x[u]), append(lo, l), append(hi, h)
		least += l
		most += h
		reach = max(reach, math.Abs(x[u]))
		if !math.IsInf(p.Upper[u], 0) {
			reach = max(reach, p.Upper[u])
		}
	}
	slack := 1e-9 * (math.Abs(target) + 1)
	if target < least-slack || target > most+slack {
		return fmt.Errorf("svm: no feasible point: the sum is to be %g, the bounds allow %g to %g", target, least, most)
	}
	moved := func(t float64) (sum float64) {
		for i, b := range beta {
			sum += min(max(b+t, lo[i]), hi[i])
		}
		return sum
	}
	var size float64
	for _, b := range beta {
		size += math.Abs(b)
	}
	if math.Abs(moved(0)-target) <= 1e-12*(size+math.Abs(target)) {
		return nil // no variable may leave its bound for a rounding error
	}
	span := 2*reach + math.Abs(target) + math.Abs(moved(0)) + 1
	a, b := -span, span
	for range 200 {
		t := a + (b-a)/2
		if t == a || t == b {
			break
		}
		if moved(t) < target {
			a = t
		} else {
			b = t
		}
	}
	// What rounding leaves goes to a variable with room for it.
	t := b
	rest := target
	for i, v := range beta {
		beta[i] = min(max(v+t, lo[i]), hi[i])
		rest -= beta[i]
	}
	for i := range beta {
		if rest == 0 {
			break
		}
		old := beta[i]
		beta[i] = min(max(old+rest, lo[i]), hi[i])
		rest -= beta[i] - old
	}
	for i, u := range index {
		x[u] = math.Abs(beta[i])
	}
	return nil
}
