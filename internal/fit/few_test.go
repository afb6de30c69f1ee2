package fit

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/result"
)

// TestGradientsOfFewLabels: what a search by gradients found is judged by as many folds as there are labels, where these are few.
func TestGradientsOfFewLabels(t *testing.T) {
	for _, perClass := range []int{1, 2} {
		in := few(t, "two-moons", perClass)
		_, res, err := Fit(context.Background(), in,
			result.Recipe{Method: "rls", Kernel: "ard-gaussian", Search: "gradient", Tune: "loo:press"}, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", res.Tuning.Fresh)
	}
}

// TestFrontsOfFewLabels: two labels a class are enough for a front, whose folds are then fewer than five; more folds that are asked for
// are refused in the words of every front.
func TestFrontsOfFewLabels(t *testing.T) {
	for _, method := range []string{"mobj-rbf", "mobj-svm", "mobj-grn", "grn"} {
		in := few(t, "two-moons:n=20", 2)
		_, res, err := Fit(context.Background(), in, result.Recipe{Method: method}, result.Options{})
		if err != nil || res.Tuning.Score != "cv:4" {
			t.Errorf("%s: %v", method, err)
		}
		_, _, err = Fit(context.Background(), in, result.Recipe{Method: method, Decision: "cv:7"}, result.Options{})
		failtest.Refused(t, err, in.Set.Source+": --decision cv:7 asks 7 folds of 4 labelled rows; ask for fewer")
	}
}
