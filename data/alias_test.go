package data

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What the table's cells give to j is j's probability; a weight of zero is never drawn.
func TestAlias(t *testing.T) {
	for _, weights := range [][]float64{{1}, {0, 3}, {1, 1, 1}, {5, 0, 1e-12, 2, 0.5}, zipfWeights(1000)} {
		a, sum, got := newAlias(weights), 0.0, make([]float64, len(weights))
		for j, w := range weights {
			sum += w
			keep := float64(a.keep[j]) / (1 << 64)
			got[j] += keep
			got[a.other[j]] += 1 - keep
		}
		for j, w := range weights {
			if want := w / sum; math.Abs(got[j]/float64(len(weights))-want) > 1e-14 {
				t.Errorf("%d of %d: probability %g, want %g", j, len(weights), got[j]/float64(len(weights)), want)
			}
		}
	}
	a, rng := newAlias([]float64{0, 3, 0, 1}), rand.NewPCG(1, 2)
	count := [4]int{}
	for range 40000 {
		count[a.draw(rng)]++
	}
	if count[0] != 0 || count[2] != 0 || math.Abs(float64(count[1])-30000) > 500 {
		t.Errorf("drawn %v times", count)
	}
}

func zipfWeights(n int) []float64 {
	w := make([]float64, n)
	for j := range w {
		w[j] = 1 / float64(j+1)
	}
	return w
}
