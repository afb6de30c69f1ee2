package data

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// alias draws j = 0..n-1 with given probabilities by one random number each (Walker 1977; the table is
// made as Vose 1991 does, in O(n)). Cell j of n is entered with probability 1/n; the random number's
// fraction within the cell is below keep[j] of 2^64 for j itself, and else gives other[j].
type alias struct {
	keep  []uint64
	other []int32
}

// newAlias returns the table for weights that are finite, not negative and not all zero.
func newAlias(weights []float64) *alias {
	n, sum := len(weights), 0.0
	for _, w := range weights {
		sum += w
	}
	a := &alias{keep: make([]uint64, n), other: make([]int32, n)}
	share := make([]float64, n) // of a cell that j still fills
	var less, more []int32
	for j, w := range weights {
		if share[j] = w / sum * float64(n); share[j] < 1 {
			less = append(less, int32(j))
		} else {
			more = append(more, int32(j))
		}
	}
	for len(less) > 0 && len(more) > 0 {
		s, m := less[len(less)-1], more[len(more)-1]
		less = less[:len(less)-1]
		a.keep[s], a.other[s] = uint64(share[s]*(1<<63))<<1, m
		if share[m] -= 1 - share[s]; share[m] < 1 {
			more, less = more[:len(more)-1], append(less, m)
		}
	}
	for _, j := range append(more, less...) { // full, but for rounding
		a.keep[j], a.other[j] = math.MaxUint64, j
	}
	return a
}

// draw returns a random j.
func (a *alias) draw(rng *rand.PCG) int32 {
	j, fraction := bits.Mul64(rng.Uint64(), uint64(len(a.keep)))
	if fraction < a.keep[j] {
		return int32(j)
	}
	return a.other[j]
}
