package pareto

import "math"

// Knee returns the member of a front, given by increasing complexity, that lies
// furthest below the straight line between its ends, in the coordinates given, each
// scaled by the range between the ends. This is our rule; the literature has several.
// Ties go to the smaller complexity; a front of fewer than three members, or one
// nowhere below the line, has no knee: -1. Callers pass logarithms where objectives
// range over decades.
func Knee(risk, complexity []float64) int {
	n := len(risk)
	if n < 3 {
		return -1
	}
	dr, dq := risk[0]-risk[n-1], complexity[n-1]-complexity[0]
	best, depth := -1, 1e-12
	for i := range risk {
		if d := (risk[0]-risk[i])/dr - (complexity[i]-complexity[0])/dq; d > depth && !math.IsInf(d, 0) {
			best, depth = i, d
		}
	}
	return best
}
