package squares

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every order statistic lies within its interval, and the intervals are narrow.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var q Quantiles
	var list []float64
	for range 5000 {
		v := r.NormFloat64() * math.Exp(3*r.NormFloat64())
		list = append(list, v)
		q.Add(v)
	}
	slices.Sort(list)
	kept := q.Residuals()
	for i, k := range kept.Ranks {
		v, exact := kept.Values[i], list[k-1]
		outwards := v <= exact
		if 2*k > len(list)+1 {
			outwards = v >= exact
		}
		if !outwards || math.Abs(v-exact) > math.Abs(exact)/1000 {
			t.Errorf("rank %d is %g, not %g", k, v, exact)
		}
	}
	if err := kept.Check(); err != nil {
		t.Error(err)
	}
}
