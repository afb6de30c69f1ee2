package cost

import (
	"math"
	"testing"
	"time"

	host "github.com/mercer-ml/mercer/internal/machine"
)

// TestTime: each kind of work at its own speed, and no time beyond a year.
func TestTime(t *testing.T) {
	s := host.Speed{Products: 2, Values: 5, Passes: 10}
	for _, c := range []struct {
		w    Work
		want time.Duration
	}{
		{Work{}, 0},
		{Work{Products: 3}, 1500 * time.Millisecond},
		{Work{Values: 10}, 2 * time.Second},
		{Work{Passes: 30}, 3 * time.Second},
		{Work{Products: 3, Values: 10, Passes: 30}, 6500 * time.Millisecond},
		{Work{Products: math.Inf(1)}, Longest},
	} {
		if got := c.w.Time(s); got != c.want {
			t.Errorf("%v takes %v, want %v", c.w, got, c.want)
		}
	}
}

// TestFloor: the slower of operations and bytes, exponentials being operations.
func TestFloor(t *testing.T) {
	for _, c := range []struct {
		w    Work
		want float64
	}{
		{Work{Products: 6, Passes: 10}, 3},
		{Work{Products: 6, Passes: 100}, 20},
		{Work{Products: 6, Values: 1}, 20},
	} {
		if got := c.w.Floor(2, 5); got != c.want {
			t.Errorf("%v takes %g s at the least, want %g", c.w, got, c.want)
		}
	}
}

// TestCounts: those of textbooks.
func TestCounts(t *testing.T) {
	for name, c := range map[string]struct{ got, want Work }{
		"kernel values":        {Gram(10, 20, 3), Work{Products: 1200, Values: 200, Passes: 3200}},
		"absolute differences": {Absolute(10, 20, 3), Work{Products: 2400, Values: 200, Passes: 3200}},
		"eigendecomposition":   {Eigen(30), Work{Products: 126000, Passes: 378900}},
		"Cholesky":             {Cholesky(6), Work{Products: 72, Passes: 576}},
		"product":              {Product(2, 3, 4), Work{Products: 48, Passes: 48}},
		"neighbours":           {Neighbours(10, 2), Work{Products: 400, Passes: 1600}},
		"a sum":                {Work{1, 2, 3}.Plus(Work{4, 5, 6}, Work{7, 8, 9}), Work{12, 15, 18}},
		"a multiple":           {Work{1, 2, 3}.Times(3), Work{3, 6, 9}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}
