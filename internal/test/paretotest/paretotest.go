// Package paretotest is the conformance suite of producers of fronts: what every list
// of nondominated candidates promises to those who choose from it.
//
// A promise that all fronts must keep is a check that is added here.
package paretotest

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/pareto"
)

// Front is a produced front: objectives by position, and which elements are chosen.
// Chosen nil means that nothing has been chosen yet.
type Front struct {
	Risk, Complexity []float64
	Chosen           []bool
}

// Check tests that no member dominates another beyond the tolerance of a filter, that
// members come by strictly increasing complexity and strictly decreasing risk, and
// that exactly one is chosen.
func Check(t testing.TB, f Front) {
	t.Helper()
	n := len(f.Risk)
	if n == 0 || n != len(f.Complexity) {
		t.Fatalf("%d risks, %d complexities", n, len(f.Complexity))
	}
	for i := range n {
		r, q := f.Risk[i], f.Complexity[i]
		if r-r != 0 || q-q != 0 {
			t.Errorf("member %d is (%g, %g)", i, r, q)
		}
		if i > 0 && (q <= f.Complexity[i-1] || r >= f.Risk[i-1]) {
			t.Errorf("member %d, (%g, %g), after (%g, %g)", i, r, q, f.Risk[i-1], f.Complexity[i-1])
		}
	}
	if keep := pareto.Front(f.Risk, f.Complexity, pareto.Options{Log: true}); len(keep) != n {
		t.Errorf("%d members, of which %d are nondominated", n, len(keep))
	}
	if f.Chosen != nil {
		chosen := 0
		for _, c := range f.Chosen {
			if c {
				chosen++
			}
		}
		if len(f.Chosen) != n || chosen != 1 {
			t.Errorf("%d of %d members chosen, %d flags", chosen, n, len(f.Chosen))
		}
	}
}
