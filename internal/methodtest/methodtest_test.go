package methodtest

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/method"
)

// Every setting that a method declares is tried.
func TestEverySettingIsProbed(t *testing.T) {
	all := probes()
	for _, m := range method.All() {
		for _, s := range m.All() {
			if all[s.Key()] == nil {
				t.Errorf("%s: no value to try of %s", m.ID, s.Key())
			}
		}
	}
}

// A setting without effect is found: a seed where nothing is drawn is one, were it not excused.
func TestSilenceIsHeard(t *testing.T) {
	m, _ := method.Find("rls")
	a := newAnswers(t, m)
	if !a.silent([]probe{{value: "7", on: flowers}}, "--seed", mercer.Recipe{Method: "rls"}) {
		t.Error("a seed where nothing is drawn was not found to be without effect")
	}
	if a.silent([]probe{{value: "none", on: flowers}}, "--tune", mercer.Recipe{Method: "rls"}) {
		t.Error("no tuning was found to be without effect")
	}
}

// A certificate that is not true is found: a parameter printed one per cent too large, a
// coefficient moved by a thousandth of the largest.
func TestFalseCertificates(t *testing.T) {
	for id, strength := range map[string]string{"rls": "lambda", "lap-rls": "gamma_a", "svm": "C", "lap-svm": "gamma_a", "logistic": "C"} {
		in := sample(t, moons)
		w := newWitness(t, in, one(t, in, with(mercer.Recipe{Method: id, Tune: "none", Tolerance: 1e-6}, given{strength: "0.1"})))
		if f := w.faults(); len(f) > 0 {
			t.Fatalf("%s: %v", id, f)
		}
		w.ridge *= 1.01
		if len(w.faults()) == 0 {
			t.Errorf("%s: a weight that is wrong by one per cent was not found", id)
		}
		w.ridge /= 1.01
		w.alpha[w.labelled[0]] += 1e-3 * largest(w.alpha)
		w.f = times(w.k, w.alpha)
		if len(w.faults()) == 0 {
			t.Errorf("%s: a coefficient that is wrong by a thousandth was not found", id)
		}
	}
}

// largest is the largest magnitude.
func largest(v []float64) float64 {
	top := 0.0
	for _, x := range v {
		top = max(top, math.Abs(x))
	}
	return top
}
