package model_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mercer-ml/mercer/model"
)

// exponential draws n errors of mean 0 that are skew.
func exponential(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.ExpFloat64() - 1
	}
	return v
}

func residuals(t *testing.T, errs []float64) model.Residuals {
	t.Helper()
	r, err := model.NewResiduals(errs)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// While all ranks are kept, an interval is that of the definition with whole numbers: level p/q, of
// each tail the rank (q-p)(n+1)/(2q), rounded down; where that is none, the interval is refused.
func TestIntervalsAreRanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const q = 100
	for n := 2; n <= 128; n++ {
		errs := exponential(rng, n)
		r := residuals(t, errs)
		slices.Sort(errs)
		for p := 1; p < q; p++ {
			level, k := float64(p)/q, (q-p)*(n+1)/(2*q)
			lower, upper, err := r.Interval(level)
			if needed := model.RowsFor(level); (k < 1) != (err != nil) || (k < 1) != (n < needed) {
				t.Fatalf("%d rows, level %g, rank %d: %v; %d rows are needed", n, level, k, err, needed)
			}
			if err == nil && (lower != errs[k-1] || upper != errs[n-k]) {
				t.Fatalf("%d rows, level %g: %g .. %g, not %g .. %g", n, level, lower, upper, errs[k-1], errs[n-k])
			}
		}
		if lower, upper, err := r.Interval(r.Most()); err != nil || lower != errs[0] || upper != errs[n-1] {
			t.Fatalf("%d rows, the largest level %g: %g .. %g, %v", n, r.Most(), lower, upper, err)
		}
	}
}

// Of many rows some hundred ranks are kept; an interval has that of the definition within it, and is
// not wider than the definition's for a tail smaller by a 32nd.
func TestThinnedIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{129, 1000, 4177, 40000} {
		errs := exponential(rng, n)
		r := residuals(t, errs)
		if first := slices.Index(r.Ranks, 64); first != 63 || r.Ranks[64] != 66 { // all up to 64, where a 32nd is two ranks
			t.Errorf("ranks of %d rows begin with %v", n, r.Ranks[:66])
		}
		if len(r.Ranks) > 600 {
			t.Errorf("%d ranks of %d rows", len(r.Ranks), n)
		}
		slices.Sort(errs)
		for p := 1; p < 1000; p++ {
			k := (1000 - p) * (n + 1) / 2000
			if k < 1 {
				continue
			}
			lower, upper, err := r.Interval(float64(p) / 1000)
			least := max(1, int(math.Ceil(float64(k)*31/32))) // the largest rank that may be taken instead
			if err != nil || lower > errs[k-1] || lower < errs[least-1] || upper < errs[n-k] || upper > errs[n-least] {
				t.Fatalf("%d rows, level %g: %g .. %g, not within ranks %d and %d: %v", n, float64(p)/1000, lower, upper, k, least, err)
			}
		}
	}
}

// New exchangeable errors fall beyond each end as often as is said: the numbers of misses over many
// draws of rows lie where a binomial distribution has all but 1e-6 of its probability.
func TestCoverageOfExchangeableErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const draws = 20000
	for _, n := range []int{19, 25, 200} {
		for _, level := range []float64{0.5, 0.8, 0.9} {
			below, above := 0, 0
			for range draws {
				errs := exponential(rng, n+1)
				lower, upper, err := residuals(t, errs[:n]).Interval(level)
				if err != nil {
					t.Fatal(err)
				}
				if errs[n] < lower {
					below++
				} else if errs[n] > upper {
					above++
				}
			}
			k := math.Floor((1-level)/2*float64(n+1) + 1e-9) // below 64, where no rank is left out
			miss := distuv.Binomial{N: draws, P: k / float64(n+1)}
			for side, got := range map[string]int{"below": below, "above": above} {
				if tail := min(miss.CDF(float64(got)), 1-miss.CDF(float64(got-1))); tail < 1e-6 {
					t.Errorf("%d rows, level %g: %d of %d %s, %g expected", n, level, got, draws, side, miss.Mean())
				}
			}
		}
	}
}

// What is no interval is refused with what to do.
func TestRefusedIntervals(t *testing.T) {
	r := residuals(t, []float64{3, -1, 2, 0, 1})
	for level, want := range map[float64]string{
		0: "between 0 and 1", 1: "between 0 and 1", 90: "between 0 and 1", -0.1: "between 0 and 1", math.NaN(): "between 0 and 1",
		0.9: "need 19 rows left out, and there were 5; ask for 0.6666 at most", 0.99: "need 199 rows",
	} {
		if _, _, err := r.Interval(level); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("level %g: %v, want %q", level, err, want)
		}
	}
	for _, errs := range [][]float64{nil, {1}, {1, math.NaN(), 2}, {1, math.Inf(1)}, {math.Inf(-1), 1}} {
		if r, err := model.NewResiduals(errs); err == nil {
			t.Errorf("%v are kept as %+v", errs, r)
		}
	}
}

// Residuals go through JSON unchanged, and damaged ones are seen.
func TestResidualsInJSON(t *testing.T) {
	r := residuals(t, exponential(rand.New(rand.NewPCG(4, 1)), 300))
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again model.Residuals
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(r, again) {
		t.Fatalf("%+v, %v", again, err)
	}
	for name, damage := range map[string]func(r *model.Residuals){
		"no ranks":         func(r *model.Residuals) { *r = model.Residuals{} },
		"a value less":     func(r *model.Residuals) { r.Values = r.Values[1:] },
		"other rows":       func(r *model.Residuals) { r.Rows++ },
		"ranks from 2":     func(r *model.Residuals) { r.Ranks, r.Values = r.Ranks[1:], r.Values[1:] },
		"unequal ends":     func(r *model.Residuals) { r.Ranks[3] = r.Ranks[2] },
		"values fall":      func(r *model.Residuals) { r.Values[7] = r.Values[6] - 1 },
		"infinite":         func(r *model.Residuals) { r.Values[len(r.Values)-1] = math.Inf(1) },
		"no number":        func(r *model.Residuals) { r.Values[0] = math.NaN() },
		"more than it has": func(r *model.Residuals) { r.Rows = 3 },
	} {
		one := model.Residuals{Rows: r.Rows, Ranks: slices.Clone(r.Ranks), Values: slices.Clone(r.Values)}
		damage(&one)
		if one.Check() == nil {
			t.Errorf("%s: not seen", name)
		}
	}
}
