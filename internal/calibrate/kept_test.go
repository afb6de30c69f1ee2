package calibrate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/model"
)

// TestCalibrationsAreAsTheyWere: what every calibration makes of outputs of many shapes, few rows, one class, ties and extremes among
// them.
func TestCalibrationsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	draw := func(n, c int, seed uint64, spread float64) (*mat.Dense, []int) {
		r := rand.New(rand.NewPCG(seed, 9))
		x, class := mat.NewDense(n, c, nil), make([]int, n)
		for i := range n {
			class[i] = r.IntN(max(c, 2))
			for j := range c {
				x.Set(i, j, spread*r.NormFloat64())
			}
			if c == 1 {
				x.Set(i, 0, x.At(i, 0)+spread*float64(2*class[i]-1))
			} else {
				x.Set(i, class[i], x.At(i, class[i])+spread)
			}
		}
		return x, class
	}
	asked := mat.NewDense(5, 1, []float64{-30, -0.4, 0, 0.7, 1e4})
	for _, n := range []int{1, 2, 5, 40, 300} {
		for seed, spread := range []float64{1e-6, 0.3, 1, 50} {
			x, class := draw(n, 1, uint64(seed), spread)
			scores, second := make([]float64, n), make([]bool, n)
			for i := range scores {
				scores[i], second[i] = x.At(i, 0), class[i] == 1
			}
			what := fmt.Sprintf("%d rows, spread %g", n, spread)
			s, err := calibrate.FitSigmoid(scores, second, nil)
			p.Add(what+", sigmoid", fmt.Sprint(err, s.Check()))
			p.Object("  is", s, 9)
			for _, f := range asked.RawMatrix().Data {
				p.Add("  at", f, s.Probability(f*spread))
			}
			res, err := model.NewResiduals(scores)
			p.Add(what+", residuals", fmt.Sprint(err, res.Check()), res.Most())
			for _, level := range []float64{-1, 0.1, 0.5, 0.9, 0.99, 1} {
				lower, upper, err := res.Interval(level)
				p.Add("  interval", level, lower, upper, fmt.Sprint(err))
			}
		}
	}
	for _, c := range []int{2, 3, 5} {
		for _, n := range []int{4, 60} {
			x, class := draw(n, c, uint64(n), 1)
			what := fmt.Sprintf("%d classes, %d rows", c, n)
			winner := make([]int, n)
			for i := range winner {
				for j := range c {
					if x.At(i, j) > x.At(i, winner[i]) {
						winner[i] = j
					}
				}
			}
			out := mat.NewDense(n, c, nil)
			soft, err := calibrate.FitSoftmax(x, class, nil)
			p.Add(
				what+", softmax",
				fmt.Sprint(err, soft.Check(), soft.Probabilities(out, x, winner)),
				out.RawRowView(0),
				out.RawRowView(n-1),
			)
			p.Object("  is", soft, 9)
			pairs := mat.NewDense(n, c*(c-1)/2, nil)
			for i := range n {
				k := 0
				for a := range c {
					for b := a + 1; b < c; b++ {
						pairs.Set(i, k, x.At(i, b)-x.At(i, a))
						k++
					}
				}
			}
			two, err := calibrate.FitPairs(pairs, class, c, nil)
			p.Add(what+", pairs", fmt.Sprint(err))
			if err == nil {
				p.Add("  power", fmt.Sprint(two.FitPower(pairs, class, nil)))
				p.Add("  gives", fmt.Sprint(two.Check(), two.Probabilities(out, pairs, winner)), out.RawRowView(0), out.RawRowView(n-1))
				p.Object("  is", two, 9)
			}
			match := calibrate.FitMatching(x, out)
			p.Add("  matching", fmt.Sprint(match.Check(), match.Probabilities(out, x, winner)), out.RawRowView(0), out.RawRowView(n-1))
		}
	}
	for _, v := range [][]float64{{0.2, 0.3, 0.5}, {0.5, 0.5}, {0, 1}, {1, 0, 0}, {0.4, 0.1, 0.4, 0.1}, {-1, 2}, {0, 0}, {math.NaN(), 1}} {
		for w := range v {
			q := append([]float64{}, v...)
			err := calibrate.Agree(q, w)
			p.Add(fmt.Sprintf("agree %v with %d", v, w), fmt.Sprint(err), q)
		}
	}
	p.Add(
		"ranks",
		fmt.Sprint(model.RanksOf(1), model.RanksOf(7), len(model.RanksOf(1000)), model.RanksOf(1000)[:9]),
		model.RowsFor(0.5),
		model.RowsFor(0.9),
		model.RowsFor(0.99),
		calibrate.Unseen(1),
		calibrate.Unseen(100),
	)
	for k := 2; k < 5; k++ {
		c := calibrate.NewCoupling(k)
		for a := range k {
			for b := a + 1; b < k; b++ {
				c.Set(a, b, 0.2+0.15*float64(a+b))
			}
		}
		exact, steps, work := make([]float64, k), make([]float64, k), make([]float64, k)
		c.Solve(exact)
		c.Iterate(steps, work, 1e-9, 100)
		p.Add(fmt.Sprintf("coupled %d", k), exact, steps)
		c.Iterate(steps, work, 1e-2, 2)
		p.Add("  stopped early", steps)
	}
	p.Compare(t, "calibrations")
}
