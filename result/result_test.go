package result_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// TestDecisionHasTheLeastCost: with weights that are costs of a mistake on each class, no other class costs less than that decided, and of
// equal ones it is the first.
func TestDecisionHasTheLeastCost(t *testing.T) {
	weights := []float64{1, 20, 4}
	p := mat.NewDense(6, 3, []float64{0.9, 0.02, 0.08, 0.96, 0.02, 0.02, 0.5, 0.025, 0.475, 0, 0, 1, 0.8, 0.04, 0.16, 1, 0, 0})
	got := result.Decision{Weight: weights}.Decide(p)
	cost := func(i, decided int) float64 { // of the rows of the other classes
		sum := 0.0
		for k, w := range weights {
			if k != decided {
				sum += w * p.At(i, k)
			}
		}
		return sum
	}
	for i, class := range got {
		for k := range weights {
			if a, b := cost(i, class), cost(i, k); a > b+1e-12 || math.Abs(a-b) < 1e-12 && k < class {
				t.Errorf("row %d: class %d costs %g, class %d %g", i, class, a, k, b)
			}
		}
	}
	if want := []int{0, 0, 2, 2, 0, 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
}

// TestFiniteResults: measures that are no finite numbers are left out, a score without bound is the largest number, and what was given
// stays as it was.
func TestFiniteResults(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	r := &result.Result{Metrics: map[string]result.Metric{"test": {"auc": nan, "error": 0.25, "rmse": inf}, "hidden": nil},
		Baseline: &result.Baseline{Metrics: map[string]result.Metric{"test": {"r2": -inf, "mae": 0}}},
		Tuning:   &result.Tuning{Value: inf, Evaluations: 3}}
	got := r.Finite()
	want := &result.Result{Metrics: map[string]result.Metric{"test": {"error": 0.25}, "hidden": {}},
		Baseline: &result.Baseline{Metrics: map[string]result.Metric{"test": {"mae": 0}}},
		Tuning:   &result.Tuning{Value: math.MaxFloat64, Evaluations: 3}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if len(r.Metrics["test"]) != 3 || len(r.Baseline.Metrics["test"]) != 2 || r.Tuning.Value != inf {
		t.Error("the result itself was changed")
	}
	for _, value := range []float64{0.5, -inf, nan} {
		r := &result.Result{Tuning: &result.Tuning{Value: value}}
		got := r.Finite().Tuning.Value
		if bounded := value == 0.5; bounded && got != value || !bounded && got != math.MaxFloat64 {
			t.Errorf("a score of %g is %g", value, got)
		}
	}
	if got := (&result.Result{}).Finite(); got.Baseline != nil || got.Tuning != nil || got.Metrics == nil {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestForecastLine: what is not known or not kept is not said, and one is one.
func TestForecastLine(t *testing.T) {
	for want, f := range map[string]result.Forecast{
		"1 row (1 labelled) x 1 feature; about 2 s, up to 1 MiB; none; at most 1 evaluation": {Rows: 1, Labelled: 1, Features: 1,
			Evaluations: 1, Memory: 1 << 20, Seconds: 2, BLAS: "none"},
		"20 rows (3 labelled) x 4 features; less than 0.1 s, up to 2 KiB, 1 KiB of them kernel rows (--cache); pure Go": {Rows: 20, Labelled: 3,
			Features: 4, Memory: 2048, Cache: 1024, BLAS: "pure Go"},
	} {
		if got := f.String(); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}

// TestLimitGrowsWithTheForecast: the runtime may take what the fit is forecast to take but for the engine's part and a tenth, and a small
// fit what it is not worth collecting; a forecast beyond all numbers has no limit.
func TestLimitGrowsWithTheForecast(t *testing.T) {
	small := result.Forecast{Memory: 1 << 20}.Limit()
	const more = 10 << 30
	large := result.Forecast{Memory: more}.Limit()
	if grown := large - small; grown < more*8/10 || grown > more {
		t.Errorf("10 GiB more raise the limit by %d bytes", grown)
	}
	if small < 40<<20 {
		t.Errorf("a small fit may have %d bytes", small)
	}
	if got := (result.Forecast{Memory: math.MaxInt64}).Limit(); got < math.MaxInt64/10*8 {
		t.Errorf("a fit without bound has a limit of %d bytes", got)
	}
}

// TestDefaultsOfRecipes: no seed is seed one, and kernels of histograms are not scaled unless that is asked for.
func TestDefaultsOfRecipes(t *testing.T) {
	for seed, want := range map[uint64]uint64{0: 1, 1: 1, 2: 2, 9: 9} {
		if got := (result.Recipe{Seed: seed}).Drawn(); got != want {
			t.Errorf("seed %d draws by %d", seed, got)
		}
	}
	for r, want := range map[[2]string]string{
		{"", "exp-chi2"}: data.ScaleNone, {"", "gaussian"}: "", {"standard", "exp-chi2"}: "standard", {"none", "linear"}: "none",
		{"", "sum(chi2-map+linear)"}: data.ScaleNone,
	} {
		if got := (result.Recipe{Scale: r[0], Kernel: r[1]}).ScaleKind(); got != want {
			t.Errorf("scale %q of kernel %q is %q, expected %q", r[0], r[1], got, want)
		}
	}
}

// TestChosenMember: the number of the member chosen, -1 where none is.
func TestChosenMember(t *testing.T) {
	r := &result.FrontResult{Front: make([]result.FrontMember, 3)}
	if got := r.Chosen(); got != -1 {
		t.Errorf("none is chosen, and %d is", got)
	}
	r.Front[2].Chosen = true
	if got := r.Chosen(); got != 2 {
		t.Errorf("member %d is chosen", got)
	}
}

// TestErrorsAreUnwrapped: a fault of another set is the fault itself with the set, a wrong request all its problems.
func TestErrorsAreUnwrapped(t *testing.T) {
	inner := errors.New("row 3 is empty")
	err := error(&result.SetError{Set: &data.Set{Name: "s"}, Err: inner})
	if err.Error() != inner.Error() || !errors.Is(err, inner) {
		t.Error(err)
	}
	if got := (&result.UsageError{Problems: []string{"a", "b"}}).Error(); got != "a; b" {
		t.Error(got)
	}
}
