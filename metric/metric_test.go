package metric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/metric"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestByHand(t *testing.T) {
	score := []float64{3, 2, 2, 1, 0}
	positive := []bool{true, false, true, false, true}
	near(t, "PRBEP", metric.PRBEP(score, positive), 2.0/3)
	near(t, "AUC", metric.AUC(score, positive), (1+1+.5+1)/6.0)
	near(t, "error", metric.Error([]int{0, 1, 2, -1}, []int{0, 2, 2, 1}), 0.5)
	near(t, "log loss", metric.LogLoss([][]float64{{.5, .5}, {.25, .75}}, []int{0, 0}), (math.Log(2)+math.Log(4))/2)
	near(t, "rmse", metric.RMSE([]float64{1, 2}, []float64{1, 4}), math.Sqrt2)
	near(t, "mae", metric.MAE([]float64{1, 2}, []float64{1, 4}), 1)
	near(t, "r2", metric.R2([]float64{1, 2, 4}, []float64{1, 2, 3}), 0.5)
	if !math.IsNaN(metric.AUC(score, make([]bool, 5))) || !math.IsNaN(metric.PRBEP(score, make([]bool, 5))) {
		t.Error("measures without positive rows must be NaN")
	}
}

func TestAUCEqualsPairCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 50 {
		n := 2 + rng.IntN(30)
		s, p := make([]float64, n), make([]bool, n)
		for i := range s {
			s[i], p[i] = float64(rng.IntN(6)), rng.IntN(2) == 0
		}
		p[0], p[1] = true, false
		var won, pairs float64
		for i := range s {
			for j := range s {
				if p[i] && !p[j] {
					pairs++
					switch {
					case s[i] > s[j]:
						won++
					case s[i] == s[j]:
						won += .5
					}
				}
			}
		}
		near(t, "AUC", metric.AUC(s, p), won/pairs)
	}
}
