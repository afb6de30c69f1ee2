package solve

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

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
