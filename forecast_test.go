package mercer_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
)

// The forecast counts the kernel rows that a dual solver may keep, says them, and a
// fit is refused by them.
func TestForecastCountsKernelRows(t *testing.T) {
	const n = 12000 // kernel rows of 576 MB in all
	set := &data.Set{Source: "x", Rows: data.Rows{Dense: mat.NewDense(n, 2, nil)}, LabelName: "label", Answers: make(data.Answers, n)}
	for i := range set.Answers {
		set.Answers[i] = []string{"a", "b"}[i%2]
		set.Rows.Dense.Set(i, 0, float64(i))
	}
	in := mercer.Input{Set: set}
	svm := mercer.Recipe{Method: "svm", Tune: "none"}
	standard := mercer.ForecastFit(in, svm, mercer.Options{})
	for _, c := range []struct{ cache, kept int64 }{{0, 200 << 20}, {10 << 20, 10 << 20}, {1 << 40, 4 * n * n}} {
		f := mercer.ForecastFit(in, svm, mercer.Options{Cache: c.cache})
		if f.Cache != c.kept || f.Memory-standard.Memory != c.kept-standard.Cache {
			t.Errorf("cache %d: %d kept, memory %d; without %d, %d", c.cache, f.Cache, f.Memory, standard.Cache, standard.Memory)
		}
		if !strings.Contains(f.String(), mercer.Bytes(c.kept)+" of them kernel rows") {
			t.Errorf("%v", f)
		}
	}
	for _, r := range []mercer.Recipe{{Method: "rls"}, {Method: "logistic", Kernel: "gaussian", Tune: "none"}, {Method: "lap-svm"}} {
		if f := mercer.ForecastFit(in, r, mercer.Options{Cache: 1 << 40}); f.Cache != 0 || strings.Contains(f.String(), "kernel rows") {
			t.Errorf("%s: %v", r.Method, f)
		}
	}
	_, _, err := mercer.Fit(t.Context(), in, svm, mercer.Options{Cache: 500 << 20, Memory: standard.Memory + 100<<20})
	if err == nil || !strings.Contains(err.Error(), "of memory") {
		t.Errorf("a cache beyond the memory: %v", err)
	}
}
