package mercer_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
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
		if !strings.Contains(f.String(), brief.Bytes(c.kept)+" of them kernel rows") {
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

// TestForecastOfOuterFolds: the fit is repeated for each of them.
func TestForecastOfOuterFolds(t *testing.T) {
	set := &data.Set{Source: "x", Rows: data.Rows{Dense: mat.NewDense(300, 2, nil)}, LabelName: "label", Answers: make(data.Answers, 300)}
	for i := range 300 {
		set.Answers[i] = []string{"a", "b"}[i%2]
		set.Rows.Dense.Set(i, 0, float64(i))
	}
	of := func(k int) mercer.Forecast {
		return mercer.ForecastFit(mercer.Input{Set: set}, mercer.Recipe{Method: "rls", CV: k}, mercer.Options{})
	}
	if one, five := of(0), of(4); five.Seconds != 5*one.Seconds || five.Memory != one.Memory || !(one.Seconds > 0) {
		t.Errorf("%v, and with four folds %v", one, five)
	}
}

// TestForecastOfTime: more rows take longer, a year is the longest, and the line says the time no finer than it is known.
func TestForecastOfTime(t *testing.T) {
	forecast := func(n, labelled int, r mercer.Recipe) mercer.Forecast {
		set := &data.Set{Source: "x", Rows: data.Rows{Dense: mat.NewDense(n, 2, nil)}, LabelName: "label", Answers: make(data.Answers, n)}
		for i := range labelled {
			set.Answers[i] = []string{"a", "b"}[i%2]
		}
		return mercer.ForecastFit(mercer.Input{Set: set}, r, mercer.Options{})
	}
	before := 0.0
	for _, n := range []int{500, 1000, 2000, 4000} {
		f := forecast(n, 20, mercer.Recipe{})
		if !(f.Seconds > before) || !strings.Contains(f.String(), brief.Duration(f.Seconds)+", up to "+brief.Bytes(f.Memory)) {
			t.Errorf("%d rows: %v, %g s, of fewer rows %g", n, f, f.Seconds, before)
		}
		before = f.Seconds
	}
	// One search point against four: the work is that of the points.
	one, four := forecast(
		2000,
		20,
		mercer.Recipe{Method: "lap-rls", Search: "random", Budget: 1},
	), forecast(
		2000,
		20,
		mercer.Recipe{Method: "lap-rls", Search: "random", Budget: 4},
	)
	if r := four.Seconds / one.Seconds; r < 2 || r > 4 {
		t.Errorf("four points take %g times as long as one", r)
	}
	for seconds, want := range map[float64]string{0.05: "less than 0.1 s", 0.1: "about 0.1 s", 3.26: "about 3.3 s", 99: "about 99 s",
		100: "about 1.7 min", 5900: "about 98 min", 6000: "about 1.7 h", 4e5: "about 4.63 days"} {
		if got := brief.Duration(seconds); got != want {
			t.Errorf("%g s are %q, want %q", seconds, got, want)
		}
	}
}
