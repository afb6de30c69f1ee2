package blas

import "math"

// Problem   The root of f(x) = 1/rho + sum_i z_i^2/(d_i - x) between the poles d_j and d_{j+1}, or above the
//           last of them, to full accuracy relative to its distance from the nearest pole. d ascends.
// Method    f grows from pole to pole. Its sign in the middle says which pole is near: it becomes the origin, so
//           that d_i - x = (d_i - d_origin) - tau keeps its digits. The poles up to j, and those above, are
//           each replaced by a constant and one pole that have the same value and slope; the root of the two is
//           the next point. A point outside the bracket of the root is replaced by the bracket's middle.
// Stop      |f| below the rounding of its sum, or a bracket without numbers between its ends.
// Cost      some 4 evaluations of f.
// Source    Li, "Solving secular equations stably and efficiently", LAPACK Working Note 89 (1993), the middle way;
//           Gu and Eisenstat, SIAM J. Matrix Anal. 15 (1994).

// secular is the equation.
type secular struct {
	d, z []float64
	rho  float64
}

// roundoff is half the distance of 1 from the next number.
const roundoff = 0x1p-53

// root is a solution d_origin + tau.
type root struct {
	tau    float64
	origin int
}

// secularSteps bounds the evaluations: rounding may keep an end of the bracket where it is.
const secularSteps = 100

// sums are f at a point, in two parts with their slopes, and a bound of the rounding over eps.
type sums struct{ value, left, right, noise float64 }

// at evaluates f at d_origin + tau; poles up to j are the left part.
func (s *secular) at(j, origin int, tau float64) sums {
	at := s.d[origin]
	var psi, slope1, phi, slope2, partial float64
	for i, d := range s.d[:j+1] {
		z := s.z[i]
		q := z / ((d - at) - tau)
		psi += z * q
		slope1 += q * q
		partial += psi
	}
	noise := -partial
	partial = 0
	for i := len(s.d) - 1; i > j; i-- {
		z := s.z[i]
		q := z / ((s.d[i] - at) - tau)
		phi += z * q
		slope2 += q * q
		partial += phi
	}
	noise += partial + 8*(phi-psi) + 1/s.rho + math.Abs(tau)*(slope1+slope2)
	return sums{1/s.rho + phi + psi, slope1, slope2, noise}
}

// solve finds root j.
func (s *secular) solve(j int) root {
	last := len(s.d) - 1
	if last == 0 {
		return root{tau: s.rho * s.z[0] * s.z[0]}
	}
	if j == last {
		return s.solveLast()
	}
	gap := s.d[j+1] - s.d[j]
	middle := s.at(j, j, gap/2)
	zl, zr := s.z[j]*s.z[j], s.z[j+1]*s.z[j+1]
	c := middle.value + zl/(gap/2) - zr/(gap/2) // the value without the two poles
	r, p, q, lo, hi := root{origin: j}, 0.0, gap, 0.0, gap/2
	if middle.value < 0 {
		r.origin, p, q, lo, hi = j+1, -gap, 0, -gap/2, 0
	}
	r.tau = between(p, q, zl, zr, c)
	if !(r.tau > lo && r.tau < hi) {
		r.tau = (lo + hi) / 2
	}
	s.approach(&r, j, lo, hi, between)
	return r
}

// approach moves tau, within lo and hi, to the root beside the poles j and j+1; by is the root of a model of f with these two alone.
func (s *secular) approach(r *root, j int, lo, hi float64, by func(p, q, a, b, c float64) float64) {
	for step := range secularSteps {
		f := s.at(j, r.origin, r.tau)
		if math.Abs(f.value) <= roundoff*f.noise {
			return
		}
		if f.value < 0 {
			lo = r.tau
		} else {
			hi = r.tau
		}
		p, q := (s.d[j]-s.d[r.origin])-r.tau, (s.d[j+1]-s.d[r.origin])-r.tau
		next := r.tau + by(p, q, p*p*f.left, q*q*f.right, f.value-p*f.left-q*f.right)
		if r.tau = inside(next, lo, hi, step); !(r.tau > lo && r.tau < hi) {
			r.tau = nonzero(lo, hi)
			return
		}
	}
}

// solveLast finds the root above all poles: the last pole stands as it is, those before are replaced by the
// last but one.
func (s *secular) solveLast() root {
	last := len(s.d) - 1
	r := root{origin: last}
	var square float64
	for _, z := range s.z {
		square += z * z
	}
	hi := s.rho * square
	r.tau = hi / 2
	s.approach(&r, last-1, 0, hi, above)
	return r
}

// patientSteps is the number of steps after which every other one halves the bracket.
const patientSteps = 12

// inside is the next point, or the middle of the bracket where that is better.
func inside(next, lo, hi float64, step int) float64 {
	if next > lo && next < hi && (step < patientSteps || step%2 == 0) {
		return next
	}
	return lo + (hi-lo)/2
}

// nonzero is an end of the bracket that is no pole.
func nonzero(lo, hi float64) float64 {
	if lo != 0 {
		return lo
	}
	return hi
}

// between is the x between p <= 0 and q >= 0 with c + a/(p-x) + b/(q-x) = 0.
func between(p, q, a, b, c float64) float64 {
	linear, constant := c*(p+q)+a+b, c*p*q+a*q+b*p
	d := math.Sqrt(math.Abs(linear*linear - 4*c*constant))
	if linear > 0 {
		return 2 * constant / (linear + d)
	}
	return (linear - d) / (2 * c)
}

// above is the x above q >= p with c + a/(p-x) + b/(q-x) = 0.
func above(p, q, a, b, c float64) float64 {
	c = math.Abs(c)
	linear, constant := c*(p+q)+a+b, c*p*q+a*q+b*p
	d := math.Sqrt(math.Abs(linear*linear - 4*c*constant))
	if linear >= 0 {
		return (linear + d) / (2 * c)
	}
	return 2 * constant / (linear - d)
}
