package methodtest

import (
	"slices"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/method"
)

// weightless is the check that a method whose unlabelled rows weigh nothing is the supervised one that stands beside it, and that the
// outputs go there as the weight goes to nothing, but for methods that hold the mean output at the shares of the classes, whatever
// the weight is.
func weightless(t *testing.T, m method.Method) {
	if !m.Has("unlabelled_weight") || !m.Has("--kernel") {
		return // it has its own kernel
	}
	in := sample(t, binary(m))
	recipe := with(mercer.Recipe{Method: m.ID, Tolerance: 1e-8}, and(alone, given{"C": "0.7", "--offset": "yes"}))
	twin := recipe
	twin.Method = m.Baseline
	none := one(t, in, with(recipe, given{"unlabelled_weight": "0"}))
	if d := apart(t, in, none, one(t, in, twin)); d > 1e-6 {
		t.Errorf("%s: without a weight of the unlabelled rows the outputs differ by %g from those of %s", m.ID, d, m.Baseline)
	}
	if slices.Contains([]string{"cccp-tsvm", "grad-tsvm", "cs3vm"}, m.ID) {
		return
	}
	little := with(recipe, given{"unlabelled_weight": "1e-9"})
	if m.Has("nodes") {
		little.Set["nodes"] = "20"
	}
	if d := apart(t, in, none, one(t, in, little)); d > 1e-4 {
		t.Errorf("%s: with a weight of 1e-9 the outputs differ by %g from those without one", m.ID, d)
	}
}
