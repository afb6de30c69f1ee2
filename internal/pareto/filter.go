// Package pareto finds and measures nondominated sets: filters, merges,
// scalarisations, lower envelopes of parametric curves, hypervolume and knees. All
// objectives are minimised. It knows nothing of learning; where two objectives
// are meant they are called risk and complexity.
//
// Change here what it means that one point is better than another.
package pareto

// u dominates v if u_i <= v_i for every objective and u_i < v_i for one: the
// componentwise order, no lexicographic one. A set's nondominated members are those
// that no member dominates (Kokshenev 2010, section 3.1.1; his (3.1) asks that they
// dominate all others, which only a single ideal point does).
//
// Two objectives: sort by risk, then keep what lowers the least complexity so far,
// O(n log n). More: every pair, O(n^2 r).

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Options tunes a filter. The zero value keeps one member of each equal pair.
type Options struct {
	// Tolerance below which objectives count as equal, as a share of the spread of
	// the finite values of each; default 1e-12, negative for none. It keeps the last
	// digits of solvers from making members.
	Tolerance float64
	// Risk is a difference below which risks count as equal whatever their spread: that to
	// which a solver knows them.
	Risk float64
	// Log compares complexities by their logarithms: where they span decades, a share of their
	// spread would make all small ones equal. Those not above zero count as the least positive number.
	Log bool
	// KeepTies keeps all members equal in every objective; else the first stays.
	KeepTies bool
}

func (o Options) share() float64 {
	switch {
	case o.Tolerance == 0:
		return 1e-12
	case o.Tolerance < 0:
		return 0
	}
	return o.Tolerance
}

// spread is the range of the finite values.
func spread(x []float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		if v-v == 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return max(hi-lo, 0)
}

// typical is the range of the finite values, or where some are far above the others what the better half of them spans: a machine that
// failed does not make all others equal.
func typical(x []float64) float64 {
	finite := slices.DeleteFunc(slices.Clone(x), func(v float64) bool { return v-v != 0 })
	if len(finite) == 0 {
		return 0
	}
	slices.Sort(finite)
	least, last := finite[0], len(finite)-1
	return min(finite[last]-least, math.Abs(least)+finite[last/2]-least)
}

// Front returns the members of the nondominated set of points (risk_i,
// complexity_i), by increasing complexity. Points that are not finite are never
// members.
func Front(risk, complexity []float64, o Options) []int {
	if len(risk) != len(complexity) {
		panic(fmt.Sprintf("pareto: %d risks, %d complexities", len(risk), len(complexity)))
	}
	if o.Log {
		complexity = logs(complexity)
	}
	tr, tq := max(o.Risk, o.share()*typical(risk)), o.share()*spread(complexity)
	var order []int
	for i := range risk {
		if risk[i]-risk[i] == 0 && complexity[i]-complexity[i] == 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(complexity[a], complexity[b]), cmp.Compare(risk[a], risk[b]), cmp.Compare(a, b))
	})
	var keep []int
	least := math.Inf(1)
	for lo := 0; lo < len(order); {
		// Complexities that count as equal to the first of them compete by risk alone.
		hi, best := lo, math.Inf(1)
		for ; hi < len(order) && complexity[order[hi]] <= complexity[order[lo]]+tq; hi++ {
			best = min(best, risk[order[hi]])
		}
		if best < least-tr {
			for _, i := range order[lo:hi] {
				if risk[i] <= best+tr {
					keep = append(keep, i)
					if !o.KeepTies {
						break
					}
				}
			}
			least = best
		}
		lo = hi
	}
	return keep
}

// logs are the logarithms of q.
func logs(q []float64) []float64 {
	out := make([]float64, len(q))
	for i, v := range q {
		out[i] = math.Log(max(v, math.SmallestNonzeroFloat64))
	}
	return out
}
