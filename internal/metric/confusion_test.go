package metric_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/mercer-ml/mercer/internal/metric"
)

func TestConfusionByHand(t *testing.T) {
	// Class 2 is never predicted and class 3 is not known.
	got, want := []int{0, 0, 1, 1, 1, 0, 0}, []int{0, 0, 0, 1, 1, 1, 3}
	c := metric.Confusion(got, want, 3)
	if w := [][]int{{2, 1, 0}, {1, 2, 0}, {0, 0, 0}, {1, 0, 0}}; !reflect.DeepEqual(c, w) {
		t.Fatalf("%v, want %v", c, w)
	}
	precision, recall, f1 := metric.PerClass(c)
	near(t, "precision 0", precision[0], 2.0/4)
	near(t, "precision 1", precision[1], 2.0/3)
	near(t, "recall 0", recall[0], 2.0/3)
	near(t, "recall 1", recall[1], 2.0/3)
	near(t, "recall 3", recall[3], 0)
	near(t, "f1 0", f1[0], 4.0/7)
	near(t, "f1 3", f1[3], 0)
	for _, v := range []float64{precision[2], recall[2], f1[2], precision[3]} {
		if !math.IsNaN(v) {
			t.Errorf("%v of no row", v)
		}
	}
}

// Against counting, row by row; the trace is what is right.
func TestConfusionAgreesWithCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 40 {
		n, k := 1+rng.IntN(40), 2+rng.IntN(4)
		got, want := make([]int, n), make([]int, n)
		for i := range got {
			got[i], want[i] = rng.IntN(k), rng.IntN(k)
		}
		c := metric.Confusion(got, want, k)
		precision, recall, f1 := metric.PerClass(c)
		right := 0
		for a := range k {
			right += c[a][a]
			var both, taken, there float64
			for i := range got {
				if got[i] == a {
					taken++
				}
				if want[i] == a {
					there++
				}
				if got[i] == a && want[i] == a {
					both++
				}
			}
			if taken > 0 {
				near(t, "precision", precision[a], both/taken)
			}
			if there > 0 {
				near(t, "recall", recall[a], both/there)
			}
			if both > 0 {
				near(t, "f1", f1[a], 2/(1/precision[a]+1/recall[a]))
			}
		}
		near(t, "error", metric.Error(got, want), 1-float64(right)/float64(n))
	}
}
