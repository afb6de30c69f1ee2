package mercer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
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
