package pareto

import "math"

// Decomposition: the nondominated set of a union is that of the union of the
// nondominated sets (Kokshenev 2010, lemma 3.2.1, for finite sets; infinite ones need
// that every dominated element is dominated by a nondominated one of its own set).

// Member is a point of a merged front: which part it came from, and its place there.
type Member struct{ Part, Index int }

// Part is a set of points of two objectives.
type Part struct{ Risk, Complexity []float64 }

// Merge returns the front of the union of the parts, by increasing complexity; of
// equal points the one of the first part stays, unless ties are kept.
func Merge(parts []Part, o Options) []Member {
	var risk, complexity []float64
	var from []Member
	for p, part := range parts {
		for i := range part.Risk {
			from = append(from, Member{p, i})
		}
		risk = append(risk, part.Risk...)
		complexity = append(complexity, part.Complexity...)
	}
	keep := Front(risk, complexity, o)
	out := make([]Member, len(keep))
	for k, i := range keep {
		out[k] = from[i]
	}
	return out
}

// Ideal is the point of the least risk and the least complexity, each by itself.
func Ideal(risk, complexity []float64) (r, q float64) {
	r, q = math.Inf(1), math.Inf(1)
	for i := range risk {
		r, q = min(r, risk[i]), min(q, complexity[i])
	}
	return r, q
}

// Nadir is the point (risk at the least complexity, complexity at the least risk):
// with two objectives the greatest values of the front.
func Nadir(risk, complexity []float64) (r, q float64) {
	lowQ, lowR := Extremes(risk, complexity)
	return risk[lowQ], complexity[lowR]
}

// Extremes returns the member of least complexity (ties: least risk) and that of
// least risk (ties: least complexity).
func Extremes(risk, complexity []float64) (simplest, best int) {
	for i := range risk {
		if complexity[i] < complexity[simplest] || complexity[i] == complexity[simplest] && risk[i] < risk[simplest] {
			simplest = i
		}
		if risk[i] < risk[best] || risk[i] == risk[best] && complexity[i] < complexity[best] {
			best = i
		}
	}
	return simplest, best
}

// WeightedSum returns the minimiser of w risk + (1-w) complexity over a finite set,
// 0 <= w <= 1 (Kokshenev 2010, 3.3); ties go to the smaller complexity, then the
// smaller risk. With 0 < w < 1 it is nondominated; every member of the front is found
// by some w only where the front is convex.
func WeightedSum(risk, complexity []float64, w float64) int {
	return least(risk, complexity, func(i int) float64 { return w*risk[i] + (1-w)*complexity[i] })
}

// AtMost returns the minimiser of the risk among the members of complexity at most
// eps (Kokshenev 2010, 3.4), ties to the smaller complexity; -1 if there is none. It
// reaches every member of any front.
func AtMost(risk, complexity []float64, eps float64) int {
	return least(risk, complexity, func(i int) float64 {
		if complexity[i] > eps {
			return math.Inf(1)
		}
		return risk[i]
	})
}

func least(risk, complexity []float64, f func(i int) float64) int {
	best, value := -1, math.Inf(1)
	for i := range risk {
		v := f(i)
		if v < value ||
			best >= 0 && v == value && (complexity[i] < complexity[best] || complexity[i] == complexity[best] && risk[i] < risk[best]) {
			if !math.IsInf(v, 1) {
				best, value = i, v
			}
		}
	}
	return best
}
