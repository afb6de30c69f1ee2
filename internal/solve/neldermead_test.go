package solve

import (
	"context"
	"math"
	"testing"
)

func TestNelderMeadBank(t *testing.T) {
	for _, p := range bank() {
		if math.IsInf(p.lo[0], 0) || math.IsInf(p.hi[len(p.hi)-1], 0) || len(p.x) > 6 {
			continue // needs a finite box; 10 and 20 variables are beyond the method
		}
		n := 0
		res, err := NelderMead(
			context.Background(),
			watched(p, &n, func(x []float64) { t.Errorf("%s: evaluated outside the box at %v", p.name, x) }),
			p.x,
			p.lo,
			p.hi,
			NelderMeadOptions{MaxEvaluations: 5000, Diameter: 1e-7, Spread: 1e-12},
		)
		if err != nil || n != res.Evaluations {
			t.Fatalf("%s: %d evaluations counted, %d made, %v", p.name, res.Evaluations, n, err)
		}
		t.Logf("%s: f - min = %.2g, %d evaluations, %v", p.name, res.F-p.min, res.Evaluations, res.Status)
		tol := 1e-6
		if len(p.x) == 6 { // six variables along a face: slow, but not wrong
			tol = 1e-3
		}
		if res.F-p.min > tol {
			t.Errorf("%s: minimum %.10g, want %.10g (%v)", p.name, res.F, p.min, res.Status)
		}
	}
}

func TestNelderMeadSeparableQuadratic(t *testing.T) {
	p := bank()[0]
	n, reached := 0, 0
	f := func(_ context.Context, x, g []float64) (float64, error) {
		n++
		v := p.f(x, nil)
		if v-p.min < 1e-8 && reached == 0 {
			reached = n
		}
		return v, nil
	}
	if _, err := NelderMead(context.Background(), f, p.x, p.lo, p.hi, NelderMeadOptions{Diameter: 1e-6, Spread: 1e-10,
		MaxEvaluations: 1200}); err != nil ||
		reached == 0 {
		t.Errorf("1e-8 not reached in 1200 evaluations (%v)", err)
	}
}

func TestNelderMeadBudgetIsExact(t *testing.T) {
	p := bank()[3]
	for budget := 1; budget < 60; budget++ {
		n := 0
		res, err := NelderMead(
			context.Background(),
			watched(p, &n, func([]float64) {}),
			p.x,
			p.lo,
			p.hi,
			NelderMeadOptions{MaxEvaluations: budget},
		)
		if err != nil || n != budget || res.Status != BudgetSpent || p.f(res.X, nil) != res.F {
			t.Fatalf("budget %d: %d evaluations, %+v, %v", budget, n, res, err)
		}
	}
}

func TestNelderMeadRounds(t *testing.T) {
	f := func(_ context.Context, x, _ []float64) (float64, error) {
		if x[0] != math.Trunc(x[0]) {
			t.Fatalf("evaluated at %v", x)
		}
		return (x[0]-3.3)*(x[0]-3.3) + (x[1]-0.7)*(x[1]-0.7), nil
	}
	res, err := NelderMead(context.Background(), f, []float64{10, 5}, []float64{0, 0}, []float64{20, 10},
		NelderMeadOptions{Round: func(x []float64) { x[0] = math.Round(x[0]) }})
	if err != nil || res.X[0] != 3 || math.Abs(res.X[1]-0.7) > 1e-3 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestNelderMeadInfeasibleRegions(t *testing.T) {
	f := func(_ context.Context, x, _ []float64) (float64, error) {
		if x[0]+x[1] < 1 {
			return math.NaN(), nil
		}
		return x[0]*x[0] + 2*x[1]*x[1], nil
	}
	res, err := NelderMead(context.Background(), f, []float64{0, 0}, []float64{-4, -4}, []float64{4, 4}, NelderMeadOptions{})
	if err != nil || res.F > 0.7 { // the minimum on the edge is 2/3
		t.Errorf("%+v, %v", res, err)
	}
	none := func(context.Context, []float64, []float64) (float64, error) { return math.Inf(1), nil }
	if res, err = NelderMead(context.Background(), none, []float64{0}, []float64{-4}, []float64{4}, NelderMeadOptions{}); err != nil ||
		res.Status != Infeasible {
		t.Errorf("nowhere feasible: %+v, %v", res, err)
	}
}
