package rounding_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/rounding"
)

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		v, best float64
		want    bool
	}{
		{1, 2, true},
		{2, 1, false},
		{1 - 1e-12, 1, false},
		{1 - 1e-8, 1, true},
		{-1, 0, true},
		{-1 - 1e-12, -1, false},
		{-1 - 1e-8, -1, true},
		{0, 0, false},
		{0, 1e-300, true},
		{5, math.Inf(1), true},
		{math.Inf(1), math.Inf(1), false},
		{math.NaN(), 1, false},
		{math.NaN(), math.Inf(1), false},
	} {
		if got := rounding.Below(c.v, c.best); got != c.want {
			t.Errorf("Below(%v, %v) is %v", c.v, c.best, got)
		}
	}
}
