package mercer_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// fixed is a recipe with nothing to choose.
func fixed(method string, set map[string]string) mercer.Recipe {
	set["sigma"] = "1.5"
	return mercer.Recipe{Method: method, Kernel: "gaussian", Tune: "none", Set: set, Tolerance: 1e-6, Scale: "none"}
}

func predictions(t *testing.T, m *model.Model, rows data.Rows) *mat.Dense {
	t.Helper()
	out, err := m.Predict(rows)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func apart(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Max(abs(&d))
}

func abs(m *mat.Dense) *mat.Dense {
	m.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, m)
	return m
}

// Machines of every loss reach what they promise, predict as they say and survive
// their file.
func TestOtherLosses(t *testing.T) {
	classes, numbers := few(t, "wine", 12), few(t, "iris", 8)
	regression, err := data.Builtin("sinc:n=60,noise=0.1,seed=2")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in     mercer.Input
		recipe mercer.Recipe
		worst  float64 // labelled error or rmse
	}{
		{classes, mercer.Recipe{Method: "svm"}, 0.05},
		{classes, mercer.Recipe{Method: "svm", Multiclass: "one-vs-rest", ClassWeight: "balanced"}, 0.05},
		{classes, mercer.Recipe{Method: "svm", Set: map[string]string{"loss": "huber-hinge"}}, 0.05},
		{numbers, mercer.Recipe{Method: "svm", Set: map[string]string{"nu": "0.2"}}, 0.1},
		{numbers, mercer.Recipe{Method: "l2-svm", Multiclass: "one-vs-one"}, 0.1},
		{numbers, mercer.Recipe{Method: "logistic", ClassWeight: "2=3"}, 0.1},
		{numbers, mercer.Recipe{Method: "lap-svm", Set: map[string]string{"neighbours": "6"}}, 0.15},
		{numbers, mercer.Recipe{Method: "lap-logistic", Search: "random", Budget: 6, Set: map[string]string{"neighbours": "6"}}, 0.15},
		{mercer.Input{Set: regression}, mercer.Recipe{Method: "svr"}, 0.15},
		{mercer.Input{Set: regression}, mercer.Recipe{Method: "svr", Set: map[string]string{"loss": "squared-epsilon"}}, 0.15},
		{mercer.Input{Set: regression}, mercer.Recipe{Method: "svr", Tune: "none", Set: map[string]string{"nu": "0.5", "C": "10"}}, 0.3},
		{mercer.Input{Set: regression}, mercer.Recipe{Method: "lap-svr", Set: map[string]string{"neighbours": "4", "loss": "absolute"}}, 0.2},
		{numbers, mercer.Recipe{Method: "one-class"}, math.Inf(1)},
	} {
		m, res := fit(t, c.in, c.recipe)
		name := c.recipe.Method
		got := res.Metrics["labelled"]["error"]
		if res.Task == "regression" {
			got = res.Metrics["labelled"]["rmse"]
		}
		if got > c.worst {
			t.Errorf("%+v: labelled error %g", c.recipe, got)
		}
		if res.Method != name || res.Certificate == nil || res.Support == 0 {
			t.Errorf("%+v: method %s, certificate %+v, support %d", c.recipe, res.Method, res.Certificate, res.Support)
		}
		out := predictions(t, m, c.in.Set.Rows)
		loaded, err := model.Decode(encode(t, m))
		if err != nil {
			t.Fatal(err)
		}
		if d := apart(out, predictions(t, loaded, c.in.Set.Rows)); d != 0 {
			t.Errorf("%s: the file predicts differently by %g", name, d)
		}
		if !m.HasProbabilities() {
			if c.recipe.Tune != "none" && res.Task == "classification" && name != "one-class" {
				t.Errorf("%+v: no probabilities", c.recipe)
			}
			continue
		}
		p, err := loaded.Probabilities(out)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range m.Decide(out) {
			for j, v := range p.RawRowView(i) {
				if j != k && v >= p.At(i, k) {
					t.Fatalf("%+v: row %d is of class %d, its probabilities are %v", c.recipe, i, k, p.RawRowView(i))
				}
			}
		}
	}
}

// A hinge machine's C, and lap-svm's gamma_a = 1/(2 C l) without the graph, are one
// machine; so are weights and repeated rows.
func TestStrengthConventions(t *testing.T) {
	in := few(t, "iris", 10)
	l := 30.0
	svm, _ := fit(t, in, fixed("l2-svm", map[string]string{"C": "2"}))
	r := fixed("lap-svm", map[string]string{"loss": "squared-hinge", "gamma_i": "0", "gamma_a": "0.008333333333333333"}) // 1/(2 2 30)
	lap, _ := fit(t, in, r)
	if d := apart(predictions(t, svm, in.Set.Rows), predictions(t, lap, in.Set.Rows)); d > 1e-6 {
		t.Errorf("C = 2 and gamma_a = %g differ by %g", 1/(2*2*l), d)
	}
	twice := fixed("svm", map[string]string{"C": "1"})
	twice.ClassWeight = "0=2,1=2,2=2"
	a, _ := fit(t, in, twice)
	b, _ := fit(t, in, fixed("svm", map[string]string{"C": "2"}))
	if d := apart(predictions(t, a, in.Set.Rows), predictions(t, b, in.Set.Rows)); d > 1e-4 {
		t.Errorf("C = 1 with weights 2 differs from C = 2 by %g", d)
	}
}

// Hidden labels are not seen by these methods either.
func TestHiddenLabelsAreNotSeenByOtherLosses(t *testing.T) {
	for _, method := range []string{"svm", "logistic", "lap-svm"} {
		in := few(t, "two-moons:n=80,noise=0.1,seed=3", 4)
		r := mercer.Recipe{Method: method}
		m, _ := fit(t, in, r)
		in.Hidden = nil
		blank, _ := fit(t, in, r)
		if !bytes.Equal(encode(t, m), encode(t, blank)) {
			t.Errorf("%s: blanking the hidden labels changed the model", method)
		}
	}
}
