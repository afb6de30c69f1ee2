package mercer_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// drawn are n rows of a linear function of ten features with skew noise.
func drawn(rng *rand.Rand, n int) *data.Set {
	x, answers := mat.NewDense(n, 10, nil), make(data.Answers, n)
	for i := range n {
		y := rng.ExpFloat64()
		for j := range 10 {
			x.Set(i, j, rng.NormFloat64())
			y += x.At(i, j)
		}
		answers[i] = strconv.FormatFloat(y, 'g', -1, 64)
	}
	return &data.Set{Rows: data.Rows{Dense: x}, Answers: answers, LabelName: "y", Source: "drawn"}
}

// Of fits to independent draws, one new row each, as many lie beyond either end as a binomial distribution allows
// for. Errors of training rows would not do: ten coefficients of 40 rows make them too small.
func TestIntervalsOfFits(t *testing.T) {
	const draws = 400
	rng := rand.New(rand.NewPCG(6, 1))
	r := mercer.Recipe{Method: "rls", Kernel: "linear", Task: "regression", Set: map[string]string{"lambda": "0.001"}}
	below, above, fooled := 0, 0, 0
	for range draws {
		all := drawn(rng, 41)
		part, test := *all, *all
		part.Rows, part.Answers = all.Rows.Select(order(0, 40)), all.Answers[:40]
		test.Rows, test.Answers = all.Rows.Select([]int{40}), all.Answers[40:]
		m, res := fitted(t, mercer.Input{Set: &part, Test: &test}, r)
		e := errorsOn(t, m, &test)[0]
		lower, upper, err := m.Interval(0.8)
		if err != nil {
			t.Fatal(err)
		}
		if e < lower {
			below++
		} else if e > upper {
			above++
		}
		trained := errorsOn(t, m, &part)
		slices.Sort(trained)
		if e < trained[3] || e > trained[36] {
			fooled++
		}
		i := res.Interval
		if i == nil || i.Rows != 40 || i.From != "leave-one-out" || (res.Metrics["test"]["coverage_90"] == 1) != (i.Lower <= e && e <= i.Upper) {
			t.Fatalf("interval %+v, error %g, metrics %v", i, e, res.Metrics)
		}
	}
	beyond := distuv.Binomial{N: draws, P: 4. / 41}
	for side, n := range map[string]int{"below": below, "above": above} {
		if tail := min(beyond.CDF(float64(n)), 1-beyond.CDF(float64(n-1))); tail < 1e-4 {
			t.Errorf("%d of %d %s, about %.0f expected", n, draws, side, beyond.Mean())
		}
	}
	if twice := (distuv.Binomial{N: draws, P: 8. / 41}); 1-twice.CDF(float64(fooled-1)) > 1e-4 {
		t.Errorf("errors of training rows do as well (%d of %d beyond): the test cannot fail", fooled, draws)
	}
}

// order lists the numbers from lo to hi-1.
func order(lo, hi int) []int {
	list := make([]int, hi-lo)
	for i := range list {
		list[i] = lo + i
	}
	return list
}

// errorsOn are answers less outputs.
func errorsOn(t *testing.T, m *model.Model, set *data.Set) []float64 {
	t.Helper()
	out, err := m.Predict(context.Background(), set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	errs := make([]float64, set.Rows.Len())
	for i, a := range set.Answers {
		y, err := strconv.ParseFloat(a, 64)
		if err != nil {
			t.Fatal(err)
		}
		errs[i] = y - out.At(i, 0)
	}
	return errs
}

// The errors are those of fits without the row, also where they are computed in closed form, and those of rows
// held out where only these were left out.
func TestIntervalsAreOfRowsLeftOut(t *testing.T) {
	all := drawn(rand.New(rand.NewPCG(7, 1)), 25)
	set := map[string]string{"lambda": "0.01"}
	m, _ := fitted(t, mercer.Input{Set: all}, mercer.Recipe{Method: "rls", Kernel: "linear", Task: "regression", Scale: "none", Set: set})
	var errs []float64
	for i := range 25 {
		part := *all
		part.Answers = slices.Clone(all.Answers)
		part.Answers[i] = ""
		set["lambda"] = strconv.FormatFloat(0.01*25/24, 'g', -1, 64) // of the averaged loss
		one, _ := fitted(t, mercer.Input{Set: &part},
			mercer.Recipe{Method: "rls", Kernel: "linear", Task: "regression", Scale: "none", Set: set})
		errs = append(errs, errorsOn(t, one, &data.Set{Rows: all.Rows.Select([]int{i}), Answers: all.Answers[i : i+1]})[0])
	}
	slices.Sort(errs)
	for i, v := range m.Residuals.Values {
		if math.Abs(v-errs[i]) > 1e-8 {
			t.Fatalf("error %d is %g, of a fit without the row %g", i, v, errs[i])
		}
	}
	m, res := fitted(t, mercer.Input{Set: all}, mercer.Recipe{Method: "rls", Kernel: "linear", Task: "regression", Tune: "holdout:0.8"})
	if i := res.Interval; m.Residuals.Rows != 20 || i == nil || i.Rows != 20 || i.From != "hold-out" {
		t.Errorf("held out: %d errors, %+v", m.Residuals.Rows, i)
	}
}
