package solve

import (
	"context"
	"errors"
	"math"
	"testing"
)

func TestRPROPBank(t *testing.T) {
	for _, p := range bank() {
		if p.name == "Brown badly scaled (MGH 4)" {
			continue // its minimum is at 1e6, 20000 of the largest steps away
		}
		n := 0
		res, err := RPROP(
			context.Background(),
			watched(p, &n, func(x []float64) { t.Errorf("%s: evaluated outside the box at %v", p.name, x) }),
			p.x,
			p.lo,
			p.hi,
			RPROPOptions{MaxEvaluations: 20000, Step: -1},
		)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: f - min = %.2g, kkt %.2g, %d evaluations, %v", p.name, res.F-p.min, res.Gradient, res.Evaluations, res.Status)
		if n != res.Evaluations {
			t.Errorf("%s: %d evaluations counted, %d made", p.name, res.Evaluations, n)
		}
		if math.Abs(res.F-p.min) > 1e-3*(1+math.Abs(p.min)) {
			t.Errorf("%s: minimum %.9g, want %.9g", p.name, res.F, p.min)
		}
	}
}

// The rule itself on f = x^2 from 1 with first step 0.1: steps 0.1, 0.12, 0.144, ..., halved
// when the sign changes.
func TestRPROPSteps(t *testing.T) {
	var at []float64
	f := func(_ context.Context, x, g []float64) (float64, error) {
		at = append(at, x[0])
		g[0] = 2 * x[0]
		return x[0] * x[0], nil
	}
	res, err := RPROP(context.Background(), f, []float64{1}, []float64{-9}, []float64{9}, RPROPOptions{MaxEvaluations: 12})
	if err != nil || res.Status != BudgetSpent {
		t.Fatal(res.Status, err)
	}
	x, d, last := 1.0, 0.1, 0.0
	for i, got := range at {
		if math.Abs(got-x) > 1e-12 {
			t.Fatalf("evaluation %d at %g, want %g", i+1, got, x)
		}
		switch s := x * last; {
		case s > 0:
			d *= 1.2
		case s < 0:
			d /= 2
		}
		last = x
		x -= math.Copysign(d, x)
	}
}

func TestRPROPLeavesWhatDoesNotExist(t *testing.T) {
	f := func(_ context.Context, x, g []float64) (float64, error) {
		if x[0] > 0.5 {
			return math.Inf(1), nil
		}
		g[0] = -1
		return -x[0], nil
	}
	res, err := RPROP(context.Background(), f, []float64{0}, []float64{-9}, []float64{9}, RPROPOptions{})
	if err != nil || math.Abs(res.X[0]-0.5) > 1e-4 {
		t.Errorf("%g, %v", res.X[0], err)
	}
	broken := errors.New("broken")
	if _, err := RPROP(context.Background(), func(context.Context, []float64, []float64) (float64, error) { return 0, broken },
		[]float64{0}, []float64{-1}, []float64{1}, RPROPOptions{}); !errors.Is(
		err,
		broken,
	) {
		t.Errorf("error %v", err)
	}
}
