package dual

import (
	"context"
	"math"
)

// extremes returns the violation and for each part the largest F over U and the
// smallest over L, from f; parts without such a variable give -Inf and +Inf.
func (s *solver) extremes() (violation float64, most, least [2]float64) {
	for part := range 2 {
		most[part], least[part] = math.Inf(-1), math.Inf(1)
	}
	for t, b := range s.beta {
		part := 0
		if s.parts == 2 && s.second[t] {
			part = 1
		}
		v := s.h[t] - s.f[s.col[t]]
		if b < s.hi[t] {
			most[part] = max(most[part], v)
		}
		if b > s.lo[t] {
			least[part] = min(least[part], v)
		}
	}
	return s.measure(most, least), most, least
}

// measure is the violation given the extremes.
func (s *solver) measure(most, least [2]float64) float64 {
	if !s.p.Offset && !s.p.Nu {
		return max(most[0], -least[0], 0)
	}
	v := 0.0
	for part := range s.parts {
		v = max(v, most[part]-least[part])
	}
	return v
}

// thresholds returns b for each part: the mean of F over the variables inside
// their bounds; without any the middle of [max over U, min over L] (an infinite
// side gives the other one, two infinite ones 0).
func (s *solver) thresholds() (b [2]float64) {
	if !s.p.Offset && !s.p.Nu {
		return b
	}
	var sum, count [2]float64
	_, most, least := s.extremes()
	for t, v := range s.beta {
		if v > s.lo[t] && v < s.hi[t] {
			part := 0
			if s.parts == 2 && s.second[t] {
				part = 1
			}
			sum[part] += s.h[t] - s.f[s.col[t]]
			count[part]++
		}
	}
	for part := range s.parts {
		up, low := math.IsInf(most[part], 0), math.IsInf(least[part], 0)
		switch {
		case count[part] > 0:
			b[part] = sum[part] / count[part]
		case !up && !low:
			b[part] = most[part]/2 + least[part]/2
		case !up:
			b[part] = most[part]
		case !low:
			b[part] = least[part]
		}
	}
	return b
}

// solution writes the answer in the terms of the problem.
func (s *solver) solution() *Solution {
	m := len(s.p.Row)
	out := &Solution{
		A: make([]float64, m), Gradient: make([]float64, m), Scale: 1, Drift: s.drift,
		Status: s.status, Iterations: s.iterations, Sets: s.sets, Entries: s.entries,
	}
	if s.store != nil {
		out.RowsRead, out.RowsKept = s.store.computed, s.store.found
		out.Entries += s.store.entries
	}
	b := s.thresholds()
	out.Rho = -b[0]
	if s.parts == 2 {
		out.Rho, out.Scale = -(b[0]+b[1])/2, (b[1]-b[0])/2
	}
	out.Violation, _, _ = s.extremes()
	f := make([]float64, s.k.Len())
	known := make([]bool, s.k.Len())
	for i, r := range s.rows {
		f[r], known[r] = s.f[i], true
	}
	s.others(f, known)
	for u, r := range s.p.Row {
		out.Gradient[u] = s.p.Sign[u]*f[r] + s.p.Linear[u]
	}
	for t, v := range s.beta {
		u := s.orig[t]
		out.A[u] = math.Abs(v)
		part := 0
		if s.parts == 2 && s.second[t] {
			part = 1
		}
		// 1/2 beta'K beta - h'beta, and each variable's part of the gap.
		fv := s.f[s.col[t]]
		out.Objective += v * (fv/2 - s.h[t])
		switch over := s.h[t] - fv - b[part]; {
		case over > 0 && v < s.hi[t]:
			out.Gap += over * (s.hi[t] - v)
		case over < 0 && v > s.lo[t]:
			out.Gap -= over * (v - s.lo[t])
		}
	}
	if k, ok := s.k.(finer); ok && s.o.Tolerance <= fineTolerance && s.status == Optimal {
		out.Objective += s.refinement(k)
	}
	return out
}

// refinement is what double precision changes of the objective.
func (s *solver) refinement(k finer) float64 {
	sum := make([]float64, s.n)
	for t, v := range s.beta {
		sum[s.col[t]] += v
	}
	var rows []int
	var beta, f []float64
	for i, v := range sum {
		if v != 0 {
			rows, beta, f = append(rows, s.rows[i]), append(beta, v), append(f, s.f[i])
		}
	}
	return k.refine(rows, beta, f)
}

// others computes f at the kernel rows that only variables with bound 0 have.
func (s *solver) others(f []float64, known []bool) {
	var rows []int
	for _, r := range s.p.Row {
		if !known[r] {
			known[r] = true
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return
	}
	v := make([]float64, len(rows))
	sv, coef := s.support(func(t int) float64 { return s.beta[t] })
	// No limit of time may leave the gradient half made.
	_ = s.accumulate(context.Background(), v, rows, sv, coef)
	for i, r := range rows {
		f[r] = v[i]
	}
}
