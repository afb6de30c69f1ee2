package mercer_test

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/model"
)

// fixed is a recipe with nothing to choose.
func fixed(method string, set map[string]string) mercer.Recipe {
	set["sigma"] = "1.5"
	return mercer.Recipe{Method: method, Kernel: "gaussian", Tune: "none", Set: set, Tolerance: 1e-6, Scale: "none"}
}

func predictions(t *testing.T, m *model.Model, rows data.Rows) *mat.Dense {
	t.Helper()
	out, err := m.Predict(t.Context(), rows)
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
	slowtest.Only(t, "some fifty fits")
	classes, numbers := few(t, "wine", 12), few(t, "iris", 8)
	regression, err := data.Builtin("sinc:n=30,noise=0.1,seed=2")
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
		{mercer.Input{Set: regression}, mercer.Recipe{Method: "lap-svr", Budget: 8,
			Set: map[string]string{"neighbours": "4", "loss": "absolute"}}, 0.2},
		{numbers, mercer.Recipe{Method: "one-class"}, math.Inf(1)},
	} {
		m, res := fitted(t, c.in, c.recipe)
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
		loaded, err := model.Read(t.Context(), bytes.NewReader(encode(t, m)))
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
	svm, _ := fitted(t, in, fixed("l2-svm", map[string]string{"C": "2"}))
	r := fixed("lap-svm", map[string]string{"loss": "squared-hinge", "gamma_i": "0", "gamma_a": "0.008333333333333333"}) // 1/(2 2 30)
	lap, _ := fitted(t, in, r)
	if d := apart(predictions(t, svm, in.Set.Rows), predictions(t, lap, in.Set.Rows)); d > 1e-6 {
		t.Errorf("C = 2 and gamma_a = %g differ by %g", 1/(2*2*l), d)
	}
	twice := fixed("svm", map[string]string{"C": "1"})
	twice.ClassWeight = "0=2,1=2,2=2"
	a, _ := fitted(t, in, twice)
	b, _ := fitted(t, in, fixed("svm", map[string]string{"C": "2"}))
	if d := apart(predictions(t, a, in.Set.Rows), predictions(t, b, in.Set.Rows)); d > 1e-4 {
		t.Errorf("C = 1 with weights 2 differs from C = 2 by %g", d)
	}
}

// Hidden labels are not seen by these methods either.
func TestHiddenLabelsAreNotSeenByOtherLosses(t *testing.T) {
	for _, method := range []string{"svm", "logistic", "lap-svm"} {
		in := few(t, "two-moons:n=80,noise=0.1,seed=3", 4)
		r := mercer.Recipe{Method: method}
		m, _ := fitted(t, in, r)
		in.Hidden = nil
		blank, _ := fitted(t, in, r)
		if !bytes.Equal(encode(t, m), encode(t, blank)) {
			t.Errorf("%s: blanking the hidden labels changed the model", method)
		}
	}
}

// The eight points of Sindhwani's golden case, two of them labelled.
func goldenPoints() mercer.Input {
	x := mat.NewDense(8, 2, []float64{0, 0, 2, 1, 0.5, 0.2, 1.1, 0.1, 2.4, 0.7, 1.6, 1.3, 0.3, 0.9, 2.9, 1.4})
	return mercer.Input{
		Set: &data.Set{
			Source:    "golden",
			Rows:      data.Rows{Dense: x},
			LabelName: "label",
			Answers:   data.Answers{"1", "-1", "", "", "", "", "", ""},
		},
	}
}

// Laplacian SVM against values made with an independent solver, and RLS beside it.
func TestGoldenLaplacianSVM(t *testing.T) {
	set := map[string]string{"neighbours": "2", "degree": "1", "weights": "binary", "gamma_a": "0.01", "gamma_i": "1", "sigma": "1"}
	fresh := data.Rows{Dense: mat.NewDense(1, 2, []float64{1, 0.6})}
	for _, c := range []struct {
		method string
		want   []float64
		at     float64
	}{
		{"lap-svm", []float64{1, -1, 0.859386237295, 0.38880994854, -0.949764949916, -0.791509267798, 0.597969850857, -0.79195550538},
			0.197509930585},
		{"lap-rls", []float64{0.975000201685, -0.973869472499, 0.838344410282, 0.383598705281, -0.922455221333, -0.766924933063,
			0.589594664869, -0.762132281252}, 0.19535676089},
	} {
		in := goldenPoints()
		r := mercer.Recipe{Method: c.method, Kernel: "gaussian", Tune: "none", Scale: "none", Set: set}
		if c.method == "lap-svm" {
			r.Tolerance = 1e-12
		}
		m, _ := fitted(t, in, r)
		out := predictions(t, m, in.Set.Rows)
		for i, want := range c.want {
			if got := out.At(i, 0); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: point %d has %.12f, want %.12f", c.method, i, got, want)
			}
		}
		if got := predictions(t, m, fresh).At(0, 0); math.Abs(got-c.at) > 1e-9 {
			t.Errorf("%s: the new point has %.12f, want %.12f", c.method, got, c.at)
		}
	}
}

// Moons with one label a class: the graph leads all rows to the right class, for
// both machines (spec T1, ratio 1e4).
func TestMoonsOneLabelAClass(t *testing.T) {
	set, err := data.Builtin("moons-det")
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]int{{10, 110}, {50, 150}, {5, 190}, {25, 125}, {90, 105}} {
		for _, method := range []string{"lap-rls", "lap-svm"} {
			shown := *set
			in := mercer.Input{Set: &shown}
			in.Set.Answers, in.Hidden = data.Hide(set.Answers, pair[:])
			_, res := fitted(t, in, mercer.Recipe{Method: method, Kernel: "gaussian", Tune: "none", Scale: "none", Set: map[string]string{
				"sigma": "0.25", "neighbours": "6", "degree": "1", "weights": "binary", "gamma_a": "1e-3", "gamma_i": "10",
				"intrinsic_scale": "none",
			}})
			if e := res.Metrics["hidden"]["error"]; e != 0 {
				t.Errorf("%s, labels %v: hidden error %g", method, pair, e)
			}
		}
	}
}

// Conjugate gradients over all rows and the warped kernel are one machine.
func TestConjugateGradientsEqualTheWarpedKernel(t *testing.T) {
	in := few(t, "two-moons:n=300,noise=0.12,seed=3", 5)
	for method, word := range map[string]string{"lap-svm": "squared-hinge", "lap-logistic": "", "lap-rls": ""} {
		set := map[string]string{
			"sigma":           "0.4",
			"neighbours":      "6",
			"degree":          "1",
			"gamma_a":         "1e-3",
			"gamma_i":         "1e-2",
			"intrinsic_scale": "none",
		}
		if word != "" {
			set["loss"] = word
		}
		r := mercer.Recipe{Method: method, Kernel: "gaussian", Tune: "none", Set: set}
		a, _ := fitted(t, in, r)
		set["solver"] = "cg"
		b, res := fitted(t, in, r)
		want, got := predictions(t, a, in.Set.Rows), predictions(t, b, in.Set.Rows)
		if d := apart(want, got); d > 0.02 {
			t.Errorf("%s: outputs differ by %g", method, d)
		}
		if res.Certificate.Gap > 1e-2 || res.Certificate.Steps == 0 {
			t.Errorf("%s: certificate %+v", method, res.Certificate)
		}
	}
}

// The score of few labels is flat where the machine knows nothing: a search that began there
// alone ended there, at log 2.
func TestSearchLeavesTheFlat(t *testing.T) {
	in := few(t, "two-moons:n=150,seed=4", 3)
	for _, r := range []mercer.Recipe{
		{Method: "lap-logistic", Search: "gradient", Budget: 60},
		{Method: "lap-logistic", Search: "rprop", Budget: 60},
		{Method: "lap-svm", Search: "gradient", Budget: 60, Set: map[string]string{"loss": "quartic"}},
		{Method: "lap-rls", Search: "gradient", Budget: 60},
	} {
		if _, res := fitted(t, in, r); res.Tuning.Value > 0.6 || math.IsNaN(res.Tuning.Value) {
			t.Errorf("%s by %s: score %g", r.Method, r.Search, res.Tuning.Value)
		}
	}
}
