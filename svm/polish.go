package svm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Doubles is a Matrix that also has its values in double precision: small
// problems are then finished on those, so that coefficients far larger than the outputs
// that they make, as with large C under a warped kernel, cost no digits.
type Doubles interface {
	Matrix
	Double() *mat.Dense
}

// polish goes on from the solution in single precision with the same steps (see
// block) on the double values, from f computed anew. Cost: a pass over the variables
// a step; few are needed, for the solution is near.
func (s *solver) polish(ctx context.Context, k *mat.Dense) {
	clear(s.f)
	for t, v := range s.beta {
		if v != 0 {
			s.addRow(k, s.col[t], v)
		}
	}
	for i, r := range s.rows {
		s.diag[i] = k.At(r, r)
	}
	for step := 0; ; step++ {
		violation, most, least := s.extremes()
		s.violation = violation
		switch {
		case violation <= s.o.Tolerance:
			s.status = Optimal
			return
		case step%checkEvery == checkEvery-1 && ctx.Err() != nil:
			s.status = Cancelled
			return
		case s.iterations >= s.o.MaxIterations:
			s.status = LimitReached
			return
		}
		if !s.polishStep(k, most, least) {
			s.status = Stalled
			return
		}
		s.iterations++
	}
}

// addRow adds v times the kernel row at place c to f.
func (s *solver) addRow(k *mat.Dense, c int32, v float64) {
	row := k.RawRowView(s.rows[c])
	for i, r := range s.rows {
		s.f[i] += v * row[r]
	}
}

// polishStep makes one step; false if it changes nothing.
func (s *solver) polishStep(k *mat.Dense, most, least [2]float64) bool {
	if !s.p.Offset && !s.p.Nu {
		return s.polishOne(k)
	}
	part := 0
	if s.parts == 2 && most[1]-least[1] > most[0]-least[0] {
		part = 1
	}
	first, second, gain := -1, -1, 0.0
	for t, b := range s.beta {
		if s.partOf(t) == part && b < s.hi[t] && s.h[t]-s.f[s.col[t]] == most[part] {
			first = t
			break
		}
	}
	if first < 0 {
		return false
	}
	c := s.col[first]
	row := k.RawRowView(s.rows[c])
	for t, b := range s.beta {
		if s.partOf(t) != part || !(b > s.lo[t]) {
			continue
		}
		d := most[part] - (s.h[t] - s.f[s.col[t]])
		if curvature := s.diag[c] + s.diag[s.col[t]] - 2*row[s.rows[s.col[t]]]; d > 0 && d*d/max(curvature, tau) > gain {
			gain, second = d*d/max(curvature, tau), t
		}
	}
	if second < 0 {
		return false
	}
	j := s.col[second]
	d := (most[part] - (s.h[second] - s.f[j])) / max(s.diag[c]+s.diag[j]-2*row[s.rows[j]], tau)
	d = min(d, s.hi[first]-s.beta[first], s.beta[second]-s.lo[second])
	up, down := move(s.beta[first], d, s.lo[first], s.hi[first]), move(s.beta[second], -d, s.lo[second], s.hi[second])
	if up == s.beta[first] && down == s.beta[second] {
		return false
	}
	s.addRow(k, c, up-s.beta[first])
	s.addRow(k, j, down-s.beta[second])
	s.beta[first], s.beta[second] = up, down
	return true
}

// polishOne moves the variable with the largest gain.
func (s *solver) polishOne(k *mat.Dense) bool {
	best, gain := -1, 0.0
	for t, b := range s.beta {
		g := s.h[t] - s.f[s.col[t]]
		if g > 0 && !(b < s.hi[t]) || g < 0 && !(b > s.lo[t]) {
			continue
		}
		if v := g * g / max(s.diag[s.col[t]], tau); v > gain {
			best, gain = t, v
		}
	}
	if best < 0 {
		return false
	}
	c := s.col[best]
	to := move(s.beta[best], (s.h[best]-s.f[c])/max(s.diag[c], tau), s.lo[best], s.hi[best])
	if to == s.beta[best] {
		return false
	}
	s.addRow(k, c, to-s.beta[best])
	s.beta[best] = to
	return true
}

// move is beta + d within the bounds; a bound that d reaches is reached exactly.
func move(beta, d, lo, hi float64) float64 {
	switch {
	case d >= hi-beta:
		return hi
	case d <= lo-beta:
		return lo
	}
	return math.Min(math.Max(beta+d, lo), hi)
}

// partOf is the part of variable t.
func (s *solver) partOf(t int) int {
	if s.parts == 2 && s.second[t] {
		return 1
	}
	return 0
}
