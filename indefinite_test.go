package mercer_test

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
)

// TestSmoothLossesOnAnIndefiniteKernel: machines of smooth losses have a minimum on the sigmoid kernel where its matrix is nearly
// definite or C is small; tries that have none do not end a search, and where nothing can be trained the remedy exists.
func TestSmoothLossesOnAnIndefiniteKernel(t *testing.T) {
	set, err := data.Builtin("breast-cancer")
	if err != nil {
		t.Fatal(err)
	}
	in := mercer.Input{Set: set.Select(numbers(150))}
	for _, r := range []mercer.Recipe{
		{Method: "l2-svm"},
		{Method: "l2-svm", Search: "gradient", Budget: 60},
		{Method: "l2-svm", Search: "sqp", Budget: 60},
		{Method: "logistic", Search: "gradient", Budget: 60},
	} {
		r.Kernel = "sigmoid"
		_, res := fitted(t, in, r)
		if got := res.Tuning.Value; !(got < 0.3) { // log loss; log 2 is chance
			t.Errorf("%s by %q: score %g after %d evaluations", r.Method, r.Search, got, res.Tuning.Evaluations)
		}
	}
	r := mercer.Recipe{Method: "l2-svm", Kernel: "sigmoid", Tune: "none", Set: map[string]string{"C": "1000", "scale": "0.1"}}
	_, _, err = mercer.Fit(t.Context(), in, r, mercer.Options{})
	if err == nil || !strings.Contains(err.Error(), "choose Recipe.Method svm or rls, set a smaller C") {
		t.Errorf("nothing can be trained: %v", err)
	}
	r.Set["C"] = "1e-4"
	if _, res := fitted(t, in, r); res.Certificate == nil {
		t.Error("with a smaller C, as the message says, there is no certificate")
	}
}

// TestNewtonStuckIsSaid: where Newton's method finds no way down on an indefinite kernel the machine is no minimum, which is said.
func TestNewtonStuckIsSaid(t *testing.T) {
	for _, name := range []string{"iris", "wine"} {
		set, err := data.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		_, res := fitted(t, mercer.Input{Set: set}, mercer.Recipe{Method: "logistic", Kernel: "sigmoid", Tune: "none"})
		said := strings.Contains(strings.Join(res.Warnings, "\n"), "finds no way down")
		if stuck := res.Certificate.Residual > 1e-3; stuck != said {
			t.Errorf("%s: residual %g, warnings %q", name, res.Certificate.Residual, res.Warnings)
		} else if name == "wine" && !stuck {
			t.Error("wine: the method is not stuck, so that this test shows nothing")
		}
	}
}

// numbers are those below n.
func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
