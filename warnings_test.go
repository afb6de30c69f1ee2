package mercer_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
)

// TestWarnings: each is there where it should be, and not beside it, and no result names a flag of the program.
func TestWarnings(t *testing.T) {
	iris, moons := func() mercer.Input { return few(t, "iris", 6) }, func() mercer.Input {
		return few(t,
			"two-moons:n=120,noise=0.1,seed=3", 6)
	}
	unknown := func(hidden, test bool) mercer.Input {
		in := iris()
		if hidden {
			for i, h := range in.Hidden {
				if h != "" {
					in.Hidden[i] = "new"
					break
				}
			}
		}
		if test {
			one := *whole(t, "iris").Set
			one.Answers = slices.Clone(one.Answers)
			one.Answers[0], one.Answers[5] = "new", "newer"
			in.Test = &one
		}
		return in
	}
	dead := mercer.Recipe{
		Method: "l2-svm",
		Tune:   "kfold:4",
		Search: "gradient",
		Budget: 40,
		Offset: "no",
		Set:    map[string]string{"sigma": "1e-4"},
	}
	alive := dead
	alive.Set = map[string]string{"sigma": "0.3"}
	folds := func(seed uint64) mercer.Recipe {
		return mercer.Recipe{Method: "rls", Tune: "kfold:5", Search: "rprop", Seed: seed, Set: map[string]string{"outer": "mse"}}
	}
	degrees := func(list string) mercer.Recipe {
		return mercer.Recipe{Method: "mobj-svm", Kernel: "polynomial", Set: map[string]string{"degree": list, "floor": "1e-12"}}
	}
	mostly := whole(t, "two-moons:n=100,noise=0.1,seed=3")
	for i, left := 0, 30; left > 0; i++ {
		if mostly.Set.Answers[i] == "-1" {
			mostly.Set.Answers[i], left = "1", left-1
		}
	}
	for _, c := range []struct {
		says      string
		in        mercer.Input
		r         mercer.Recipe
		other     mercer.Input
		otherwise mercer.Recipe
	}{
		{"Recipe.Decide cost=1:20 with Recipe.ClassWeight balanced weighs the classes twice", mostly,
			mercer.Recipe{Method: "rls", Decide: "cost=1:20", ClassWeight: "balanced"}, mostly,
			mercer.Recipe{Method: "rls", Decide: "cost=1:20"}},
		{"2 % of the rows are decided for class 1, which has 80 % of the labels; for that share of class -1 give rate=-1=0.02", mostly,
			mercer.Recipe{Method: "rls", Decide: "rate=0.02"}, mostly, mercer.Recipe{Method: "rls", Decide: "rate=-1=0.02"}},
		{"no row is unlabelled, and nothing is balanced", whole(t, "two-moons:n=60,noise=0.1,seed=3"),
			mercer.Recipe{Method: "rls", Set: map[string]string{"balance": "0.3"}}, moons(),
			mercer.Recipe{Method: "rls", Set: map[string]string{"balance": "0.3"}}},
		{"the model is dead", moons(), dead, moons(), alive},
		{"the search ended on the bound of lambda", few(t, "breast-cancer", 8),
			mercer.Recipe{Method: "rls", Tune: "kfold:4", Search: "gradient", Budget: 80}, moons(),
			mercer.Recipe{Method: "rls", Search: "gradient"}},
		{"1 hidden rows have a class that no labelled row has; they count as errors", unknown(true, false), mercer.Recipe{Method: "rls"},
			iris(), mercer.Recipe{Method: "rls"}},
		{"2 test rows have a class that no labelled row has; they count as errors", unknown(false, true), mercer.Recipe{Method: "rls"},
			unknown(true, false), mercer.Recipe{Method: "rls"}},
		{"of them (", few(t, "iris", 1), mercer.Recipe{Method: "lap-rls", Tune: "none", Set: map[string]string{"neighbours": "2"}},
			few(t, "iris", 1), mercer.Recipe{Method: "lap-rls", Tune: "none", Set: map[string]string{"neighbours": "40"}}},
		{"is not repeated by other folds", few(t, "two-moons:n=60,noise=0.2", 5), folds(8), few(t, "two-moons:n=60,noise=0.2", 5),
			folds(1)},
		{"8 members have kernels of deficient rank", few(t, "two-moons:n=120,noise=0.2,seed=3", 12), degrees("1,6"),
			few(t, "two-moons:n=120,noise=0.2,seed=3", 12), degrees("1,2")},
		{"the kernel is indefinite", moons(), mercer.Recipe{Method: "rls", Kernel: "sigmoid", Tune: "none"}, moons(),
			mercer.Recipe{Method: "rls", Tune: "none"}},
	} {
		has := func(in mercer.Input, r mercer.Recipe) (bool, string) {
			_, res := fitted(t, in, r)
			if text, err := json.Marshal(res); err != nil || regexp.MustCompile(`--[a-z]`).Match(text) {
				t.Errorf("%+v: a result that names a flag: %s, %v", r, text, err)
			}
			return slices.ContainsFunc(
					res.Warnings,
					func(w string) bool { return strings.Contains(w, c.says) },
				), fmt.Sprintf(
					"%q",
					res.Warnings,
				)
		}
		if ok, all := has(c.in, c.r); !ok {
			t.Errorf("%+v: warnings %s lack %q", c.r, all, c.says)
		}
		if ok, all := has(c.other, c.otherwise); ok {
			t.Errorf("%+v: warnings %s have %q", c.otherwise, all, c.says)
		}
	}
}
