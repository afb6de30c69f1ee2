package metric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/metric"
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
	for _, want := range [][]float64{nil, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, {1e300, 1e300}} {
		if got := metric.R2(make([]float64, len(want)), want); !math.IsNaN(got) {
			t.Errorf("of %v all of r2 is %g", want, got)
		}
	}
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

// TestTiesHaveNoOrder: with scores that tie, the break-even point is the mean over the orders of the rows of what the first n+ of them
// give, and no measure depends on the order.
func TestTiesHaveNoOrder(t *testing.T) {
	near(t, "PRBEP", metric.PRBEP([]float64{1, 2, 2, 3}, []bool{false, false, true, true}), 0.75)
	rng := rand.New(rand.NewPCG(9, 2))
	for range 30 {
		n := 2 + rng.IntN(5)
		s, p, class := make([]float64, n), make([]bool, n), make([]int, n)
		for i := range s {
			s[i], p[i] = float64(rng.IntN(3)), rng.IntN(2) == 0
		}
		p[0] = true
		var sum, orders float64
		prbep, auc, ece := metric.PRBEP(s, p), metric.AUC(s, p), metric.CalibrationError(twoColumns(s), class)
		permute(n, func(order []int) {
			score, positive, positives := make([]float64, n), make([]bool, n), 0
			for q, i := range order {
				score[q], positive[q] = s[i], p[i]
				if p[i] {
					positives++
				}
			}
			sum, orders = sum+firstByOrder(score, positive, positives), orders+1
			near(t, "PRBEP of rows in another order", metric.PRBEP(score, positive), prbep)
			near(t, "ECE of rows in another order", metric.CalibrationError(twoColumns(score), class), ece)
			if other := metric.AUC(score, positive); !math.IsNaN(auc) {
				near(t, "AUC of rows in another order", other, auc)
			}
		})
		near(t, "PRBEP and its mean over all orders", prbep, sum/orders)
	}
}

// firstByOrder is the share of positive rows among the n of the largest scores, of equal scores those that come first.
func firstByOrder(score []float64, positive []bool, n int) float64 {
	taken, hits := make([]bool, len(score)), 0.0
	for range n {
		best := -1
		for i, s := range score {
			if !taken[i] && (best < 0 || s > score[best]) {
				best = i
			}
		}
		taken[best] = true
		if positive[best] {
			hits++
		}
	}
	return hits / float64(n)
}

// permute calls f with every order of n things.
func permute(n int, f func([]int)) {
	var grow func(order []int, used int)
	grow = func(order []int, used int) {
		if len(order) == n {
			f(order)
			return
		}
		for i := range n {
			if used>>i&1 == 0 {
				grow(append(order, i), used|1<<i)
			}
		}
	}
	grow(make([]int, 0, n), 0)
}

// twoColumns are probabilities that grow with scores of 0 to 2.
func twoColumns(score []float64) [][]float64 {
	rows := make([][]float64, len(score))
	for i, s := range score {
		rows[i] = []float64{1 - s/3, s / 3}
	}
	return rows
}
