package mercer

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/model"
)

// untuned is a recipe of a transductive machine with nothing left to choose.
func untuned(loss string, more map[string]string) Recipe {
	r := Recipe{Method: "da-s3vm", Tune: "none", Scale: "standard", Set: map[string]string{"sigma": "1.5", "C": "2", "loss": loss}}
	for k, v := range more {
		r.Set[k] = v
	}
	return r
}

// One label of a class is enough where the classes are clusters: the classes of moons that a formula makes, and of
// rows that were not there.
func TestTransductiveMoons(t *testing.T) {
	for _, loss := range []string{"hinge", "squared-hinge", "square"} {
		in := few(t, "moons-det", 0)
		set := builtin(t, "moons-det")
		in.Set.Answers[10], in.Set.Answers[110] = set.Answers[10], set.Answers[110]
		r := Recipe{
			Method: "da-s3vm", Tune: "none", Offset: "yes", Scale: "none",
			Set: map[string]string{"sigma": "0.15", "C": "2.5", "loss": loss},
		}
		if loss == "hinge" {
			r.Set["C"] = "50"
		}
		m, res, err := Fit(context.Background(), in, r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if e := res.Metrics["hidden"]["error"]; e > 0 {
			t.Errorf("%s: hidden error %g", loss, e)
		}
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			t.Fatal(err)
		}
		back, err := model.Read(t.Context(), &file)
		if err != nil {
			t.Fatal(err)
		}
		fresh := builtin(t, "moons-det:n=150")
		out, err := back.Predict(t.Context(), fresh.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range back.Decide(out) {
			if back.Classes[k] != fresh.Answers[i] {
				t.Errorf("%s: new row %d is decided %s", loss, i, back.Classes[k])
			}
		}
	}
}

// Without unlabelled rows, or where they weigh nothing, the machine is the supervised one of its loss, and the former is
// said; beside a transductive machine that one is trained.
func TestTransductiveTwin(t *testing.T) {
	for loss, twin := range map[string]string{"hinge": "svm", "squared-hinge": "l2-svm", "square": "rls"} {
		whole, part := Input{Set: builtin(t, "breast-cancer")}, few(t, "breast-cancer", 10)
		for _, in := range []Input{whole, part} {
			r := untuned(loss, nil)
			r.Tolerance = 1e-9
			l := in.Set.Rows.Len()
			if in.Hidden != nil {
				r.Set["unlabelled_weight"], l = "0", 20
			}
			m, res, err := Fit(context.Background(), in, r, Options{})
			if err != nil {
				t.Fatal(err)
			}
			said := slices.Contains(res.Warnings, "no row is unlabelled: the machine is that of Recipe.Method "+twin)
			if said != (in.Hidden == nil) || (res.Balance.Asked != nil) != (in.Hidden != nil) {
				t.Errorf("%s: warnings %v, shares %v", loss, res.Warnings, res.Balance.Asked)
			}
			s := Recipe{
				Method: twin, Tune: "none", Scale: "standard", Offset: "no", Tolerance: 1e-9,
				Set: map[string]string{"sigma": "1.5", "C": "2"},
			}
			if twin == "rls" {
				delete(s.Set, "C")
				s.Set["lambda"] = strconv.FormatFloat(1/(4*float64(l)), 'g', -1, 64)
			}
			other, _, err := Fit(context.Background(), in, s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := differ(t, in, m, other); d > 1e-5 {
				t.Errorf("%s: outputs differ by %g from those of %s", loss, d, twin)
			}
		}
		_, res, err := Fit(context.Background(), whole, untuned(loss, map[string]string{"positive": "0.3", "temperature": "2"}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if w := "no row is unlabelled: the machine is that of Recipe.Method " + twin +
			", for which Recipe.Set positive, Recipe.Set temperature means nothing"; !slices.Contains(res.Warnings, w) {
			t.Errorf("%s: what is set and means nothing is not said: %v", loss, res.Warnings)
		}
		if _, res, err = Fit(context.Background(), part, untuned(loss, nil), Options{}); err != nil {
			t.Fatal(err)
		}
		if res.Baseline == nil || res.Baseline.Method != twin || res.Baseline.Metrics["hidden"] == nil {
			t.Errorf("%s: the baseline is %+v", loss, res.Baseline)
		}
	}
}

// differ is the largest difference of two models' outputs.
func differ(t *testing.T, in Input, a, b *model.Model) float64 {
	t.Helper()
	x, err := a.Predict(t.Context(), in.Set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Predict(t.Context(), in.Set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	x.Sub(x, y)
	x.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, x)
	return mat.Max(x)
}

// The shares asked, and how uncertain those of labels are, stand in the result; what makes no sense is refused.
func TestTransductiveShares(t *testing.T) {
	in := few(t, "breast-cancer", 8)
	for text, want := range map[string]float64{"": 0.5, "labels": 0.5, "0.3": 0.3, "0.7,0.3": 0.3} {
		more := map[string]string{}
		if text != "" {
			more["positive"] = text
		}
		_, res, err := Fit(context.Background(), in, untuned("squared-hinge", more), Options{})
		if err != nil {
			t.Fatal(err)
		}
		b := res.Balance
		if len(b.Asked) != 2 || math.Abs(b.Asked[1]-want) > 1e-12 || math.Abs(b.Unlabelled[1]-want) > 0.1 {
			t.Errorf("positive=%s: asked %v, predicted %v", text, b.Asked, b.Unlabelled)
		}
		uncertain := text == "" || text == "labels"
		if uncertain != (b.AskedError != nil) || uncertain && math.Abs(b.AskedError[0]-0.125) > 1e-12 {
			t.Errorf("positive=%s: standard errors %v", text, b.AskedError)
		}
	}
	var u *UsageError
	for _, text := range []string{"1.5", "0.5,0.6", "-0.1", "some"} {
		if _, _, err := Fit(context.Background(), in, untuned("hinge", map[string]string{"positive": text}), Options{}); !errors.As(err,
			&u) {
			t.Errorf("positive=%s: %v", text, err)
		}
	}
	_, _, err := Fit(context.Background(), few(t, "iris", 3), untuned("hinge", map[string]string{"positive": "0.3"}), Options{})
	said := "Recipe.Set positive=0.3 has 2 shares, and there are 3 classes; give one share for each, in the order "
	if err == nil || !strings.Contains(err.Error(), said) {
		t.Errorf("two shares of three classes: %v", err)
	}
}

// Each class may be searched for itself, and unlabelled rows be decided anew afterwards.
func TestTransductiveSearches(t *testing.T) {
	slowtest.Only(t, "searches of machines that are trained in many steps")
	in := few(t, "iris", 6)
	for name, r := range map[string]Recipe{
		"design":    {Method: "da-s3vm", Budget: 1},
		"grid":      {Method: "da-s3vm", Search: "grid", Set: map[string]string{"C": "1,10", "sigma": "0.5,1"}},
		"per class": {Method: "da-s3vm", Search: "random", Budget: 2, Set: map[string]string{"per_class": "yes", "loss": "square"}},
		"balance":   {Method: "da-s3vm", Tune: "none", Set: map[string]string{"balance": "0.2,0.3,0.5"}},
		"columns":   {Method: "da-s3vm", Kernel: "ard-gaussian", Tune: "none"},
		"groups":    {Method: "da-s3vm", Groups: "auto", Tune: "none"},
	} {
		r.Scale = "standard"
		_, res, err := Fit(context.Background(), in, r, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e := res.Metrics["hidden"]["error"]; e > 0.3 || name != "per class" && res.Baseline == nil {
			t.Errorf("%s: hidden error %g, baseline %+v", name, e, res.Baseline)
		}
		// Five folds are asked of 18 labels, where leave-one-out would train as many machines.
		if want := map[bool]string{true: "none", false: "kfold:5"}[r.Tune == "none"]; res.Tuning.Score != want {
			t.Errorf("%s: tuned by %s", name, res.Tuning.Score)
		}
	}
}
