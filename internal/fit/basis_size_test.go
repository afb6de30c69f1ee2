package fit

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// expansions are those of a model.
func expansions(m *model.Model) (all []model.Expansion) {
	for _, p := range m.Parts {
		for _, f := range p.Functions {
			if e, ok := f.(model.Expansion); ok {
				all = append(all, e)
			}
		}
	}
	return all
}

// Machines of every kind have no more centres than --basis asks for, by every choice, and say how many.
func TestBasis(t *testing.T) {
	in := few(t, "two-moons:n=120", 15)
	for _, method := range []string{"rls", "svm", "logistic", "lap-rls", "lap-svm", "auto"} {
		for _, choose := range []string{"", "greedy-ridge", "random", "uniform", "lasso", "lars", "leverage"} {
			if choose != "" && method != "rls" && method != "lap-rls" {
				continue
			}
			r := result.Recipe{Method: method, Basis: "12", Tune: "none", Set: map[string]string{}}
			if choose != "" {
				r.Set["choose"] = choose
			}
			m, res, err := Fit(context.Background(), in, r, result.Options{})
			if err != nil {
				t.Fatalf("%s %s: %v", method, choose, err)
			}
			for _, e := range expansions(m) {
				if n, _ := e.Coef.Dims(); n > 12 {
					t.Errorf("%s %s: %d centres", method, choose, n)
				}
			}
			if res.Basis == nil || res.Basis.Centres > 12 || res.Basis.Centres < 5 {
				t.Errorf("%s %s: basis %+v", method, choose, res.Basis)
			}
		}
	}
}

// The size that is chosen is the smallest within a standard error of the best, and its machine is that of the number.
func TestBasisAuto(t *testing.T) {
	in := few(t, "two-moons:n=120", 30)
	r := result.Recipe{Method: "rls", Basis: "auto", Set: map[string]string{"choose": "greedy"}}
	heard := 0
	m, res, err := Fit(context.Background(), in, r,
		result.Options{Listen: result.Listener{Evaluation: func(result.Evaluation) { heard++ }}})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(res.Basis.Sizes, func(p result.BasisPoint) bool { return p.Chosen })
	var near []result.BasisPoint
	for _, p := range res.Basis.Sizes {
		if p.Apart <= alike {
			near = append(near, p)
		}
	}
	least := slices.MinFunc(near, func(a, b result.BasisPoint) int { return cmp.Compare(a.Error, b.Error) })
	if !slices.ContainsFunc(res.Basis.Sizes, func(p result.BasisPoint) bool { return !p.Reduced && p.Centres == 5 }) {
		t.Errorf("the centres asked for were not fitted: %+v", res.Basis.Sizes)
	}
	for _, p := range res.Basis.Sizes {
		if !p.Reduced && p.Error <= least.Error+least.Spread && p.Apart <= alike && p.Centres < res.Basis.Sizes[at].Centres {
			t.Errorf("%+v is smaller than the one chosen, %+v", p, res.Basis.Sizes[at])
		}
	}
	if res.Basis.Sizes[at].Apart > alike {
		t.Errorf("the one chosen is not alike: %+v", res.Basis.Sizes[at])
	}
	if heard == 0 || res.Basis.Centres != res.Basis.Sizes[at].Centres {
		t.Errorf("%d evaluations heard, basis %+v", heard, res.Basis)
	}
	r.Basis = "5"
	if at == 0 {
		same, _, err := Fit(context.Background(), in, r, result.Options{})
		if err != nil || expansions(same)[0].Coef.At(0, 0) != expansions(m)[0].Coef.At(0, 0) {
			t.Errorf("not the machine of the number: %v", err)
		}
	}
}

// With few labels the sizes cannot be told apart by errors, and a reduction of the whole machine is kept that decides all but
// one row in 200 as it does, hidden ones too.
func TestBasisAutoReduces(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	for _, method := range []string{"auto", "rls"} {
		in := few(t, "two-moons:n=200,noise=0.15", 10)
		if method == "rls" {
			set, err := data.Builtin("sinc:n=200")
			if err != nil {
				t.Fatal(err)
			}
			in = result.Input{Set: set}
		}
		whole, _, err := Fit(context.Background(), in, result.Recipe{Method: method}, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, res, err := Fit(context.Background(), in, result.Recipe{Method: method, Basis: "auto"}, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(res.Basis.Sizes, func(p result.BasisPoint) bool { return p.Chosen })
		p := res.Basis.Sizes[at]
		if answer.Centres(m) != p.Centres || 5*p.Centres > answer.Centres(whole) {
			t.Errorf("%s: %d centres of %d, %+v", method, answer.Centres(m), answer.Centres(whole), res.Basis.Sizes)
		}
		before, err := whole.Predict(context.Background(), in.Set.Rows)
		if err != nil {
			t.Fatal(err)
		}
		now, err := m.Predict(context.Background(), in.Set.Rows)
		if err != nil {
			t.Fatal(err)
		}
		if some := slices.ContainsFunc(res.Basis.Sizes, func(p result.BasisPoint) bool { return p.Distilled }); some == (method == "rls") ||
			m.HasProbabilities() != whole.HasProbabilities() {
			t.Errorf("%s: distilled %v, probabilities %v", method, some, m.HasProbabilities())
		}
		of := slices.IndexFunc(res.Basis.Sizes, func(p result.BasisPoint) bool { return p.Centres == answer.Centres(whole) })
		if d := apart(whole, before, m, now, res.Basis.Sizes[of].Error); d > alike || p.Reduced && d != p.Apart {
			t.Errorf("%s: %v apart, %+v", method, d, p)
		}
	}
}

// A linear machine has no centre, and nothing is smaller.
func TestBasisAutoOfALinearMachine(t *testing.T) {
	in := few(t, "two-moons:n=120", 15)
	_, res, err := Fit(context.Background(), in, result.Recipe{Method: "rls", Kernel: "linear", Basis: "auto"}, result.Options{})
	if err != nil || len(res.Basis.Sizes) != 1 || res.Basis.Centres != 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

// What cannot be honoured is refused in one line with a remedy.
func TestBasisRefusals(t *testing.T) {
	in := few(t, "two-moons:n=60", 10)
	for _, c := range []struct {
		r    result.Recipe
		want string
	}{
		{result.Recipe{Method: "rls", Basis: "61"}, "--basis 61 of 60 rows; ask for at most 60"},
		{result.Recipe{Method: "lap-rls", Basis: "100"}, "of 60 rows"},
		{result.Recipe{Method: "rls", Basis: "5", Kernel: "linear"}, "has no centres; leave it out, or choose --kernel gaussian"},
		{result.Recipe{Method: "linear-svm", Basis: "5"}, "--basis"},
		{result.Recipe{Method: "harmonic", Basis: "5"}, "--basis"},
		{result.Recipe{Basis: "none"}, "give a number from 1, or auto"},
		{result.Recipe{Basis: "0"}, "give a number from 1, or auto"},
		{result.Recipe{Method: "rls", Set: map[string]string{"choose": "lasso"}}, "add --basis 100"},
		{result.Recipe{Method: "rls", Basis: "5", Set: map[string]string{"choose": "sup"}},
			"by the labels of all rows, which a fit does not have; use greedy"},
		{result.Recipe{Method: "rls", Basis: "5", Set: map[string]string{"choose": "greedy-ms"}}, "of no common kernel"},
		{result.Recipe{Method: "rls", Basis: "5", Set: map[string]string{"choose": "random", "candidates": "9"}}, "of a greedy choice"},
		{result.Recipe{Method: "lap-rls", Basis: "5", Set: map[string]string{"per_class": "yes"}, Search: "gradient"},
			"all rows as its centres"},
		{result.Recipe{Method: "svm", Basis: "auto", Tune: "none"}, "leaves no row out"},
	} {
		_, _, err := Fit(context.Background(), in, c.r, result.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %q", c.r, err, c.want)
		}
	}
}

// Where no row left out is decided wrongly a standard error is zero, and a smaller model that is alike is taken all the same; one that
// is not alike never is, however few its centres.
func TestFewest(t *testing.T) {
	points := []result.BasisPoint{
		{Centres: 100}, {Centres: 5, Error: 0.2, Apart: 0.2, Reduced: true}, {Centres: 20, Error: 0.004, Apart: 0.004, Reduced: true},
		{Centres: 10, Error: 0.05, Apart: 0.003},
	}
	if best := fewest(points); best != 2 {
		t.Errorf("place %d", best)
	}
	points[0].Spread = 0.06
	if best := fewest(points); best != 3 {
		t.Errorf("with a standard error of 0.06 place %d", best)
	}
	for i, p := range points {
		if !p.Front {
			t.Errorf("place %d is a member of the front", i)
		}
	}
}

// TestTrialsOfSizes: of the numbers of centres that --basis auto tries nobody has asked for one, so that it is not told where fewer rows
// differ; where a number was asked for it is.
func TestTrialsOfSizes(t *testing.T) {
	set := cells(slices.Repeat([]string{"yes", "no", "no"}, 20)...)
	for i := range set.Answers {
		set.Rows.Dense.Set(i, 0, float64(i%6))
	}
	in, r := result.Input{Set: set}, result.Recipe{Method: "rls", Basis: "10", Set: map[string]string{"sigma": "1", "lambda": "0.1"}}
	_, res, err := Fit(context.Background(), in, r, result.Options{})
	if err != nil || !slices.Contains(res.Warnings, "--basis 10: 6 centres are all that differ, or help") {
		t.Fatalf("asked for: %+v, %v", res, err)
	}
	one := trials{in: in}
	if _, err := one.fit(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if w := one.answers[0].Task.Warnings; strings.Contains(strings.Join(w, "; "), "--basis") || one.points[0].Centres != 6 {
		t.Errorf("tried: %q, %+v", w, one.points)
	}
}

// A smaller model is alike where it decides one row in 200 otherwise, and not where it decides more.
func TestFewestOfThoseAlike(t *testing.T) {
	points := []result.BasisPoint{
		{Centres: 100, Error: 0.1, Spread: 0.05}, {Centres: 20, Error: 0.105, Apart: 0.005, Reduced: true},
		{Centres: 10, Error: 0.1051, Apart: 0.0051, Reduced: true},
	}
	if best := fewest(points); best != 1 {
		t.Errorf("place %d", best)
	}
}
