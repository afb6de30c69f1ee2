package mercer_test

import (
	"errors"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// TestParametersOfOneView: VIEW.NAME is the parameter of that view alone and counts above NAME, a weight before a view's kernel is its
// VIEW.weight, and what no view has is refused with the names that there are.
func TestParametersOfOneView(t *testing.T) {
	set, err := data.Builtin("moons-lines")
	if err != nil {
		t.Fatal(err)
	}
	in := mercer.Input{Set: set}
	fitted := func(moons string, settings map[string]string) map[string]any {
		_, r := fitted(t, in, mercer.Recipe{Method: "co-rls", Tune: "none", Set: settings, Views: []mercer.View{
			{Name: "moons", First: 1, Last: 2, Kernel: moons}, {Name: "lines", First: 3, Last: 4, Kernel: "linear"}}})
		return r.Params
	}
	usual := fitted("gaussian", nil)
	for _, c := range []struct {
		kernel   string
		settings map[string]string
		want     map[string]float64
	}{
		{"gaussian", map[string]string{"moons.sigma": "3"}, map[string]float64{"moons.sigma": 3}},
		{"gaussian", map[string]string{"moons.sigma": "3", "sigma": "1"}, map[string]float64{"moons.sigma": 3}},
		{"gaussian", map[string]string{"moons.weight": "2", "lines.weight": "7"}, map[string]float64{"moons.weight": 2, "lines.weight": 7}},
		{"2*gaussian", nil, map[string]float64{"moons.weight": 2}},
		{"2*gaussian", map[string]string{"weight": "5"}, map[string]float64{"moons.weight": 5, "lines.weight": 5}},
	} {
		got := fitted(c.kernel, c.settings)
		for name, v := range usual {
			want, set := c.want[name]
			if !set {
				want, _ = v.(float64)
			}
			if got[name] != want {
				t.Errorf("%s, %v: %s is %v, want %v", c.kernel, c.settings, name, got[name], want)
			}
		}
	}
	_, _, err = mercer.Fit(t.Context(), in, mercer.Recipe{Method: "co-rls", Set: map[string]string{"lines.sigma": "2"},
		Views: []mercer.View{
			{Name: "moons", First: 1, Last: 2}, {Name: "lines", First: 3, Last: 4, Kernel: "linear"}}}, mercer.Options{})
	var usage *mercer.UsageError
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "the kernels have moons.weight, moons.sigma, lines.weight;") {
		t.Errorf("a width of a linear kernel: %v", err)
	}
}

// twelve are the rows of the specification's G12, of which the first four have answers.
func twelve() mercer.Input {
	const n, l = 12, 4
	x := mat.NewDense(n, 4, nil)
	answers := make(data.Answers, n)
	for i := range n {
		v := float64(i + 1)
		x.SetRow(i, []float64{math.Sin(v), math.Cos(v / 2), math.Cos(1.3 * v), math.Sin(0.7 * v)})
		if i < l {
			answers[i] = []string{"1", "-1"}[i%2]
		}
	}
	return mercer.Input{Set: &data.Set{Source: "G12", Rows: data.Rows{Dense: x}, Answers: answers}}
}

// TestLossWeights: with a weight for each view's loss the fit is the specification's co-regularised least squares (G12: mu = 0.7, gamma_1 =
// 0.05, gamma_2 = 0.03, gamma_C = 2, so lambda is gamma_1, the second kernel counts gamma_1/gamma_2 times and coupling is gamma_C/gamma_1).
func TestLossWeights(t *testing.T) {
	in := twelve()
	r := mercer.Recipe{Method: "co-rls", Tune: "none", Scale: "none", Offset: "no", Task: "regression",
		Set: map[string]string{"lambda": "0.05", "coupling": "40", "loss_weights": "1,0.7"},
		Views: []mercer.View{
			{Name: "first", First: 1, Last: 2, Kernel: "gaussian(sigma=1)"},
			{Name: "second", First: 3, Last: 4, Kernel: "1.6666666666666667*gaussian(sigma=1)"}}}
	m, res := fitted(t, in, r)
	if q := res.Certificate.Objective; math.Abs(q-1.39826535) > 1e-8 {
		t.Errorf("objective %.10f", q)
	}
	out, err := m.Predict(t.Context(), in.Set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range map[int][2]float64{0: {.2390784137, .1695685328}, 1: {-.0327350352, .0394568406}, 2: {.2092310967, .1450412686},
		3: {-.4449152631, -.126245312}, 11: {.3347195581, .0471754419}} {
		if want := (f[0] + f[1]) / 2; math.Abs(out.At(i, 0)-want) > 1e-8 {
			t.Errorf("row %d is %.10f, the mean of both views %.10f", i+1, out.At(i, 0), want)
		}
	}
	for weights, want := range map[string]string{"1": "there are 2 views", "1,2,3": "there are 2 views", "1,0": "must be positive"} {
		r.Set["loss_weights"] = weights
		if _, _, err := mercer.Fit(t.Context(), in, r, mercer.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("weights %s: %v", weights, err)
		}
	}
}

// TestMixture: with weights of the views' graphs the first view's function is the specification's on half of each Laplacian (G12: gamma_A =
// 0.05, gamma_I = 0.02), and with all weight on its own graph it is lap-rls on its columns.
func TestMixture(t *testing.T) {
	in := twelve()
	r := mercer.Recipe{Method: "co-lap-rls", Tune: "none", Scale: "none", Offset: "no", Task: "regression",
		Set: map[string]string{"gamma_a": "0.05", "gamma_i": "0.02", "intrinsic_scale": "none", "graphs": "views", "mu": "0.5,0.5",
			"neighbours": "3", "degree": "1", "weights": "binary", "laplacian": "combinatorial"},
		Views: []mercer.View{
			{Name: "first", First: 1, Last: 2, Kernel: "gaussian(sigma=1)"},
			{Name: "second", First: 3, Last: 4, Kernel: "gaussian(sigma=1)"}}}
	lacking := data.Rows{Dense: mat.DenseCopyOf(in.Set.Rows.Dense)} // rows without the second view have the first's output
	for i := range lacking.Len() {
		lacking.Dense.Set(i, 2, math.NaN())
		lacking.Dense.Set(i, 3, math.NaN())
	}
	first := func(mu string) *mat.Dense {
		r.Set["mu"] = mu
		m, _ := fitted(t, in, r)
		out, err := m.Predict(t.Context(), lacking)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := first("0.5,0.5")
	for i, want := range map[int]float64{0: .2389471197, 1: -.0022613856, 2: .2958457427, 3: -.4729054925, 11: .3192716205} {
		if math.Abs(out.At(i, 0)-want) > 1e-8 {
			t.Errorf("row %d is %.10f, the specification has %.10f", i+1, out.At(i, 0), want)
		}
	}
	out = first("1,0")
	own := twelve()
	own.Set.Rows = own.Set.Rows.SelectColumns([]int{0, 1})
	alone := r
	alone.Method, alone.Views, alone.Kernel = "lap-rls", nil, "gaussian(sigma=1)"
	alone.Set = maps.Clone(r.Set)
	delete(alone.Set, "graphs")
	delete(alone.Set, "mu")
	m, _ := fitted(t, own, alone)
	want, err := m.Predict(t.Context(), own.Set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(out, want, 1e-9) {
		t.Errorf("with all weight on its graph the first view has %v, lap-rls %v", mat.Formatted(out.T()), mat.Formatted(want.T()))
	}
}
