package mercer

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// few hides all but some labels of a built-in set: of every class the first ones.
func few(t *testing.T, name string, perClass int) Input {
	t.Helper()
	set := builtin(t, name)
	count := map[string]int{}
	var keep []int
	for i, a := range set.Answers {
		if count[a]++; count[a] <= perClass {
			keep = append(keep, i)
		}
	}
	in := Input{Set: set}
	set.Answers, in.Hidden = data.Hide(set.Answers, keep)
	return in
}

func TestFitCombined(t *testing.T) {
	in := few(t, "wine", 5)
	views := []View{{Name: "first", First: 1, Last: 6}, {Name: "second", First: 7, Last: 13}}
	for name, r := range map[string]Recipe{
		"least squares": {Method: "c-lap-rls"},
		"views":         {Method: "c-lap-rls", Views: views, Set: map[string]string{"neighbours": "4,8", "degree": "1"}},
		"hinge":         {Method: "lap-svm", Tune: "kfold:3", Set: map[string]string{"combine": "yes", "neighbours": "4,8"}},
		"joint":         {Method: "lap-rls", Views: views},
		"joint, auto":   {Views: views},
		"untuned":       {Method: "c-lap-rls", Tune: "none"},
		"words": {Method: "c-lap-rls", Set: map[string]string{"laplacian": "normalised,combinatorial", "weights": "binary,self-tuned",
			"neighbours": "5"}},
	} {
		if r.Scale = "standard"; r.Tune != "none" {
			r.Budget = 40
		}
		m, res, err := Fit(context.Background(), in, r, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e := res.Metrics["hidden"]["error"]; e > 0.3 || m == nil {
			t.Errorf("%s: hidden error %g", name, e)
		}
		if res.Baseline == nil || r.Method != "" && res.Graph == nil {
			t.Errorf("%s: baseline %v, graph %v", name, res.Baseline, res.Graph)
		}
		mu, _ := res.Params["mu"].([]float64)
		sum := 0.0
		for _, v := range mu {
			sum += v
		}
		want := map[string]int{"least squares": 8, "views": 6, "hinge": 4, "untuned": 8, "words": 8}[name]
		if want > 0 && (math.Abs(sum-1) > 1e-12 || len(mu) != want) {
			t.Errorf("%s: weights %v, want %d", name, mu, want)
		}
		if joint, _ := res.Params["views"].([]string); name == "joint" && !slices.Equal(joint, []string{"first", "second"}) {
			t.Errorf("%s: views %v", name, joint)
		}
	}
}

// A real power and the semigroup: learned, or as set.
func TestFitFiltered(t *testing.T) {
	in := few(t, "wine", 5)
	for name, c := range map[string]struct {
		r    Recipe
		want float64
	}{
		"degree":      {Recipe{Method: "lap-rls", Set: map[string]string{"degree": "real"}}, 0},
		"semigroup":   {Recipe{Method: "lap-svm", Set: map[string]string{"semigroup": "real"}}, 0},
		"degree 1.5":  {Recipe{Method: "lap-rls", Set: map[string]string{"degree": "1.5"}}, 1.5},
		"semigroup 2": {Recipe{Method: "lap-rls", Tune: "none", Set: map[string]string{"semigroup": "2"}}, 2},
	} {
		if c.r.Scale = "standard"; c.r.Tune != "none" {
			c.r.Budget = 30
		}
		_, res, err := Fit(context.Background(), in, c.r, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, ok := res.Params[strings.Fields(name)[0]].(float64)
		if !ok || c.want > 0 && got != c.want || res.Metrics["hidden"]["error"] > 0.35 {
			t.Errorf("%s: %v, hidden error %g", name, res.Params, res.Metrics["hidden"]["error"])
		}
	}
	var u *UsageError
	if _, _, err := Fit(context.Background(), in, Recipe{Method: "rls", Set: map[string]string{"degree": "real"}}, Options{}); !errors.As(
		err,
		&u,
	) {
		t.Errorf("without a graph: %v", err)
	}
}

func TestCombinedUsage(t *testing.T) {
	in := few(t, "iris", 3)
	for name, c := range map[string]struct {
		r    Recipe
		want string
	}{
		"list":       {Recipe{Method: "lap-rls", Set: map[string]string{"neighbours": "4,8"}}, "combines several"},
		"supervised": {Recipe{Method: "svm", Set: map[string]string{"combine": "yes"}}, "it is of lap-rls"},
		"views":      {Recipe{Method: "rls", Views: []View{{Name: "a", First: 1, Last: 2}}}, "it is of auto, lap-rls"},
		"backwards":  {Recipe{Method: "lap-rls", Views: []View{{Name: "a", First: 3, Last: 2}}}, "the first column and the last"},
		"twice": {Recipe{Method: "lap-rls", Views: []View{{Name: "a", First: 1, Last: 2}, {Name: "a", First: 3, Last: 4}}},
			"a name of its own"},
	} {
		var u *UsageError
		if _, _, err := Fit(context.Background(), in, c.r, Options{}); !errors.As(err, &u) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, r := range []Recipe{
		{Method: "lap-rls", Views: []View{{Name: "a", First: 1, Last: 9}}},
		{Method: "c-lap-rls", Set: map[string]string{"neighbours": "4,200"}},
	} {
		var u *UsageError
		if _, _, err := Fit(context.Background(), in, r, Options{}); err == nil || errors.As(err, &u) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// Unlabelled rows are decided in the shares asked for.
func TestBalancedShares(t *testing.T) {
	in := few(t, "breast-cancer", 6)
	for text, want := range map[string]float64{"0.3": 0.3, "labels": 0.5, "0.1,0.9": 0.9} {
		_, res, err := Fit(
			context.Background(),
			in,
			Recipe{Method: "lap-svm", Tune: "none", Scale: "standard", Set: map[string]string{"balance": text}},
			Options{},
		)
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Balance.Unlabelled[1]; math.Abs(got-want) > 1e-3 {
			t.Errorf("balance=%s: %g of the rows", text, got)
		}
	}
	// The estimate is that of the balanced machine: where no unlabelled row is decided for the second class, it errs on those of the
	// class.
	_, res, err := Fit(context.Background(), in, Recipe{Method: "rls", Scale: "standard", Set: map[string]string{"balance": "0"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e := res.Estimate; e == nil || !e.Corrected || math.Abs(e.Error-0.5) > 1e-12 || res.Balance.Unlabelled[1] != 0 {
		t.Errorf("no row of the second class: %+v, %+v", e, res.Balance)
	}
	var u *UsageError
	for _, text := range []string{"1.5", "0.5,0.6", "some"} {
		if _, _, err := Fit(context.Background(), in, Recipe{Set: map[string]string{"balance": text}}, Options{}); !errors.As(err, &u) {
			t.Errorf("balance=%s: %v", text, err)
		}
	}
	if _, _, err := Fit(context.Background(), in, Recipe{Set: map[string]string{"balance": "0.2,0.3,0.5"}}, Options{}); err == nil ||
		errors.As(err, &u) {
		t.Errorf("three shares of two classes: %v", err)
	}
}
