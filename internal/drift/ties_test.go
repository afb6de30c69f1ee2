package drift

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSketchOfTies: of values that tie, and with missing ones, the points increase, each is a value, and its share is that of the values
// up to it by counting.
func TestSketchOfTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for range 200 {
		values := make([]float64, 1+rng.IntN(60))
		for i := range values {
			values[i] = float64(rng.IntN(1 + rng.IntN(9)))
			if rng.IntN(7) == 0 {
				values[i] = math.NaN()
			}
		}
		s := New(values)
		missing := 0.0
		for _, v := range values {
			if math.IsNaN(v) {
				missing++
			}
		}
		for k, at := range s.At {
			if k > 0 && !(at > s.At[k-1]) {
				t.Fatalf("%v: the points %v do not increase", values, s.At)
			}
			upTo, there := missing, false
			for _, v := range values {
				if v <= at {
					upTo++
				}
				there = there || v == at
			}
			if !there || math.Abs(s.Share[k]-upTo/float64(len(values))) > 1e-4 {
				t.Fatalf("%v: the share up to %g is %g, counted %g", values, at, s.Share[k], upTo/float64(len(values)))
			}
		}
		if math.Abs(s.Missing-missing/float64(len(values))) > 1e-4 {
			t.Fatalf("%v: %g missing", values, s.Missing)
		}
	}
}

// TestSameButForRounding: values that were rounded on the way are the same ones, and others by more are not.
func TestSameButForRounding(t *testing.T) {
	var values []float64
	for i := range 50 {
		values = append(values, float64(i*i+1))
	}
	s := New(values)
	for factor, want := range map[float64]bool{1: true, 1 + 2e-6: true, 1 - 2e-6: true, 1 + 3e-5: false, 1 - 3e-5: false} {
		others := slices.Clone(values)
		for i := range others {
			others[i] *= factor
		}
		if s.Same(others) != want {
			t.Errorf("values times %v are the same: %v", factor, !want)
		}
	}
	for v, want := range map[float64]float64{
		math.MaxFloat64: 1.79769e308, -math.MaxFloat64: -1.79769e308, 1.2345678: 1.23457, math.Inf(-1): math.Inf(-1), 0: 0,
	} {
		if got := rounded(v, 6); got != want {
			t.Errorf("%g is rounded to %g", v, got)
		}
	}
	if s.Same(values[1:]) || s.Same(append(slices.Clone(values[1:]), math.NaN())) || New([]float64{1, 2}).Same([]float64{1, 1}) {
		t.Error("other values are the same")
	}
}
