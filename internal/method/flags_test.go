package method

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/result"
)

// TestFlags: every field of a recipe that is a flag is given by its own key alone, and an empty recipe gives none.
func TestFlags(t *testing.T) {
	if given := flags(result.Recipe{}); len(given) != 0 {
		t.Errorf("an empty recipe gives %v", given)
	}
	for key, r := range map[string]result.Recipe{
		"--kernel": {Kernel: "text"}, "--groups": {Groups: "text"}, "--tune": {Tune: "text"}, "--search": {Search: "text"},
		"--decision": {Decision: "text"}, "--effort": {Effort: "text"}, "--offset": {Offset: "text"},
		"--multiclass": {Multiclass: "text"}, "--class-weight": {ClassWeight: "text"}, "--scale": {Scale: "text"},
		"--task": {Task: "text"}, "--basis": {Basis: "text"},
		"--decide": {Decide: "text"}, "--view": {Views: []result.View{{Name: "text"}}}, "--budget": {Budget: 7},
		"--tol": {Tolerance: 0.25}, "--cv": {CV: 7}, "--seed": {Seed: 7},
	} {
		want := map[string]string{"--view": "text=0..0 ", "--budget": "7", "--tol": "0.25", "--cv": "7", "--seed": "7"}[key]
		if want == "" {
			want = "text"
		}
		if given := flags(r); !maps.Equal(given, map[string]string{key: want}) {
			t.Errorf("the field of %s gives %v", key, given)
		}
	}
}

// TestSeveralValues: each of the settings of strength takes one number, two being the values of a grid.
func TestSeveralValues(t *testing.T) {
	for _, text := range []string{"rls lambda=1,2", "svm C=1,2", "lap-rls gamma_a=1,2", "lap-rls gamma_i=1,2"} {
		if _, _, err := Read(asked(t, text)); err == nil || !strings.Contains(err.Error(), "takes one number") {
			t.Errorf("%s: %v", text, err)
		}
		if _, r, err := Read(asked(t, text+" --search grid")); err != nil || r.Search() != "grid" {
			t.Errorf("%s of a grid: %v", text, err)
		}
		if _, _, err := Read(asked(t, strings.TrimSuffix(text, ",2"))); err != nil {
			t.Errorf("one value of %s: %v", text, err)
		}
	}
}

// TestToleranceIsJudged: a tolerance that is none is refused by its flag, and one that is reaches the request.
func TestToleranceIsJudged(t *testing.T) {
	r := result.Recipe{Method: "svm", Tolerance: -1}
	if _, _, err := Read(r); err == nil || !strings.Contains(err.Error(), "--tol") {
		t.Errorf("a tolerance of -1: %v", err)
	}
	for _, tolerance := range []float64{1e-3, 1e-6} {
		r.Tolerance = tolerance
		_, q, err := Read(r)
		if v, ok := q.Values["--tol"]; err != nil || !ok || v.Text != strconv.FormatFloat(tolerance, 'g', -1, 64) {
			t.Errorf("a tolerance of %g: %v, %v", tolerance, v, err)
		}
	}
}
