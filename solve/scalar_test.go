package solve

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestBrent(t *testing.T) {
	for _, p := range []struct {
		name     string
		f        func(float64) float64
		a, b, at float64
	}{
		{"parabola", func(x float64) float64 { return (x - 0.3) * (x - 0.3) }, -5, 7, 0.3},
		{"minimum at the left end", func(x float64) float64 { return x }, 2, 3, 2},
		{"minimum at the right end", func(x float64) float64 { return -x }, 2, 3, 3},
		{"kink", func(x float64) float64 { return math.Abs(x - 1) }, -3, 4, 1},
		{"quartic", func(x float64) float64 { return math.Pow(x-2, 4) }, -1, 9, 2},
		{"half line", func(x float64) float64 { return x - math.Log(x) }, -6, 9, 1}, // NaN below 0
		{"large scale", func(x float64) float64 { return math.Cosh((x - 1e6) / 1e5) }, 0, 3e6, 1e6},
	} {
		n := 0
		res, err := Brent(context.Background(), func(x float64) float64 {
			n++
			if x < p.a || x > p.b {
				t.Errorf("%s: evaluated at %g", p.name, x)
			}
			return p.f(x)
		}, p.a, p.b, ScalarOptions{})
		tol := 3e-8 * max(1, math.Abs(p.at))
		if p.name == "quartic" { // flat: f is 0 to its precision well around the minimum
			tol = 1e-3
		}
		if err != nil || math.Abs(res.X-p.at) > tol || res.Status != StepSmall || n != res.Evaluations {
			t.Errorf("%s: %+v (%d calls), want %g, %v", p.name, res, n, p.at, err)
		}
	}
	if res, _ := Brent(context.Background(), math.Cos, 0, 6, ScalarOptions{MaxEvaluations: 4}); res.Evaluations != 4 ||
		res.Status != BudgetSpent {
		t.Errorf("limit: %+v", res)
	}
}

func TestRoot(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := rapid.Float64Range(-3, 3).Draw(r, "root")
		k := rapid.Float64Range(0.01, 50).Draw(r, "steepness")
		if rapid.Bool().Draw(r, "falling") {
			k = -k
		}
		f := func(x float64) (float64, float64) {
			u := math.Tanh(k * (x - c))
			return u, k * (1 - u*u)
		}
		a, b := c-rapid.Float64Range(1e-3, 20).Draw(r, "left"), c+rapid.Float64Range(1e-3, 20).Draw(r, "right")
		res, err := Root(context.Background(), f, a, b, ScalarOptions{})
		if err != nil || !res.Status.Converged() || math.Abs(res.X-c) > 5e-8 || res.Lo > c || res.Hi < c-1e-15*math.Abs(c) {
			r.Fatalf("%+v, %v", res, err)
		}
	})
	// No useful derivative: bisection.
	res, err := Root(context.Background(), func(x float64) (float64, float64) { return math.Cbrt(x - 1), 0 }, -2, 9, ScalarOptions{})
	if err != nil || math.Abs(res.X-1) > 2e-8 {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := Root(context.Background(), func(x float64) (float64, float64) { return x*x + 1, 2 * x }, -2, 9, ScalarOptions{}); err == nil {
		t.Error("no change of sign accepted")
	}
	if res, err := Root(context.Background(), func(x float64) (float64, float64) { return x, 1 }, 0, 9, ScalarOptions{}); err != nil ||
		res.X != 0 {
		t.Errorf("root at the end: %+v, %v", res, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Root(ctx, func(x float64) (float64, float64) { return math.Tanh(x - 1), 0 }, -6, 9, ScalarOptions{}); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Errorf("cancelled: %v", err)
	}
}
