package fit

import (
	"context"
	"testing"

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
