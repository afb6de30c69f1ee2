package linear

// Problem   the least of the objective on the ray w + delta (w' - w), delta >= 0.
// Method    its derivative is piecewise linear, A + delta (B - A), and bends where an output passes +1 or -1: the bends
//           are sorted, and A and B kept from one to the next, until the derivative is zero.
// Cost      one pass over the rows, and a sort of those that bend.
// Source    Sindhwani 2007, section 6.2.2; Keerthi and DeCoste 2005, section 3.2.

import (
	"cmp"
	"slices"
)

// bend is where a price begins or ends to count.
type bend struct {
	at   float64
	a, b float64 // what is added to A and B there
}

// ray returns delta for outputs that go from o to to, and the derivative of the penalty at both ends, a and b.
func (m *machine) ray(o, to []float64, a, b float64) float64 {
	bends := m.bends[:0]
	for i, v := range o {
		move := to[i] - v
		if move == 0 {
			continue
		}
		if c := m.up[i]; c > 0 {
			da, db, on := c*(v-1)*move, c*(to[i]-1)*move, v < 1
			if on {
				a, b = a+da, b+db
			}
			if on == (move > 0) {
				bends = append(bends, turn((1-v)/move, da, db, on))
			}
		}
		if c := m.down[i]; c > 0 {
			da, db, on := c*(v+1)*move, c*(to[i]+1)*move, v > -1
			if on {
				a, b = a+da, b+db
			}
			if on == (move < 0) {
				bends = append(bends, turn((-1-v)/move, da, db, on))
			}
		}
	}
	m.bends = bends
	slices.SortFunc(bends, func(x, y bend) int { return cmp.Compare(x.at, y.at) })
	for _, e := range bends {
		if a+e.at*(b-a) >= 0 {
			break
		}
		a, b = a+e.a, b+e.b
	}
	if !(b > a) {
		return 0
	}
	return max(-a/(b-a), 0)
}

// turn is the bend of a price that counted, and ends there, or begins.
func turn(at, da, db float64, counted bool) bend {
	if counted {
		return bend{at, -da, -db}
	}
	return bend{at, da, db}
}
