package mercer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// linear is a recipe of the linear kernel with nothing to choose.
func linear(method string, set map[string]string) mercer.Recipe {
	if set == nil {
		set = map[string]string{}
	}
	set["C"] = "0.1"
	return mercer.Recipe{Method: method, Kernel: "linear", Tune: "none", Set: set, Scale: "standard"}
}

// With the linear kernel and more rows than columns machines with smooth losses are
// trained on the columns: the same machine as on a kernel matrix, in less memory, and a
// model of one row of weights an output.
func TestLinearForm(t *testing.T) {
	for _, set := range []string{"breast-cancer", "wine"} {
		full, err := data.Builtin(set)
		if err != nil {
			t.Fatal(err)
		}
		in := mercer.Input{Set: full}
		for _, method := range []string{"logistic", "l2-svm"} {
			r := linear(method, nil)
			m, res := fitted(t, in, r)
			dual := r
			dual.Kernel = "polynomial(degree=1,scale=1,offset=0.000000000001)" // no feature is told
			other, slow := fitted(t, in, dual)
			if d := apart(predictions(t, m, full.Rows), predictions(t, other, full.Rows)); d > 1e-4 {
				t.Errorf("%s %s: outputs %g apart", set, method, d)
			}
			outputs := max(1, len(res.Classes)*(len(res.Classes)-1)/2)
			if w, ok := m.Parts[0].Functions[0].(model.Linear); !ok {
				t.Errorf("%s %s: the model is %T, not linear weights", set, method, m.Parts[0].Functions[0])
			} else if _, c := w.Weights.Dims(); c != outputs && c != len(res.Classes) {
				t.Errorf("%s %s: weights of %d outputs", set, method, c)
			}
			if res.Memory >= slow.Memory {
				t.Errorf("%s %s: %d bytes of memory, %d with a kernel matrix", set, method, res.Memory, slow.Memory)
			}
			tuned := linear(method, map[string]string{})
			delete(tuned.Set, "C")
			for _, scored := range []string{"loo:logloss", "kfold:3"} {
				tuned.Tune = scored
				_, res := fitted(t, in, tuned)
				if res.Metrics["labelled"]["error"] > 0.03 {
					t.Errorf("%s %s %s: labelled error %g", set, method, scored, res.Metrics["labelled"]["error"])
				}
			}
		}
	}
}

// The offset as a constant feature is the linear kernel plus one without an offset, and
// gradient descent goes where Newton's method goes.
func TestTreatmentsOfTheLecture(t *testing.T) {
	in := few(t, "breast-cancer", 60)
	with := linear("logistic", map[string]string{"offset": "augmented"})
	m, _ := fitted(t, in, with)
	plus := linear("logistic", nil)
	plus.Kernel, plus.Offset = "polynomial(degree=1,scale=1,offset=1)", "no"
	other, _ := fitted(t, in, plus)
	if d := apart(predictions(t, m, in.Set.Rows), predictions(t, other, in.Set.Rows)); d > 1e-5 {
		t.Errorf("augmented: outputs %g apart from the kernel plus one", d)
	}
	down := linear("logistic", map[string]string{"solver": "gradient"})
	down.Set["C"] = "0.001"
	slow, res := fitted(t, in, down)
	delete(down.Set, "solver")
	fast, quick := fitted(t, in, down)
	if d := apart(predictions(t, slow, in.Set.Rows), predictions(t, fast, in.Set.Rows)); d > 1e-4 {
		t.Errorf("gradient descent: outputs %g apart; certificate %+v", d, res.Certificate)
	}
	if res.Certificate.Steps <= quick.Certificate.Steps {
		t.Errorf("gradient descent in %d steps, Newton's method in %d", res.Certificate.Steps, quick.Certificate.Steps)
	}
}

// Bounds of the leave-one-out error are scores that choose C and the width.
func TestBoundsAsScores(t *testing.T) {
	in := few(t, "wine", 12)
	two := few(t, "breast-cancer", 30)
	for _, r := range []mercer.Recipe{
		{Method: "svm", Tune: "bound:sv"},
		{Method: "svm", Tune: "bound:span"},
		{Method: "svm", Tune: "bound:xi-alpha"},
		{Method: "svm", Tune: "bound:jaakkola-haussler", Offset: "no"},
		{Method: "l2-svm", Tune: "bound:span"},
		{Method: "l2-svm", Tune: "bound:radius-margin", Search: "gradient"},
		{Method: "l2-svm", Tune: "bound:jaakkola-haussler", Set: map[string]string{"offset": "augmented"}},
		{Method: "svm", Tune: "bound:radius-margin", Search: "random", Budget: 10},
		{Method: "lap-svm", Tune: "bound:span", Set: map[string]string{"neighbours": "6", "degree": "1"}},
	} {
		for _, in := range []mercer.Input{in, two} {
			_, res := fitted(t, in, r)
			if e := res.Metrics["labelled"]["error"]; e > 0.1 {
				t.Errorf("%s %s: labelled error %g", r.Method, r.Tune, e)
			}
			if res.Tuning.Score != r.Tune || !(res.Tuning.Value >= 0) || res.Tuning.Evaluations < 1 {
				t.Errorf("%s %s: tuning %+v", r.Method, r.Tune, res.Tuning)
			}
			if r.Tune != "bound:radius-margin" && res.Tuning.Value > 1 {
				t.Errorf("%s %s: %g of the rows", r.Method, r.Tune, res.Tuning.Value)
			}
		}
	}
}

func TestPrimalUsage(t *testing.T) {
	for want, r := range map[string]mercer.Recipe{
		"bound:sv, bound:jaakkola-haussler":         {Method: "svm", Tune: "bound:best"},
		"it is for two classes":                     {Method: "logistic", Tune: "bound:span"},
		"choose Recipe.Method svm, l2-svm, lap-svm": {Tune: "bound:span"},
		"in terms of C":                             {Method: "svm", Tune: "bound:span", Set: map[string]string{"nu": "0.2"}},
		"add Recipe.Offset no":                      {Method: "svm", Tune: "bound:jaakkola-haussler"},
		"leave Recipe.Search out":                   {Method: "lap-svm", Tune: "bound:span", Search: "random"},
		"solved in the primal":                      {Method: "svm", Set: map[string]string{"offset": "augmented"}},
		"leave one of them out":                     {Method: "l2-svm", Offset: "no", Set: map[string]string{"offset": "augmented"}},
		"add Recipe.Kernel linear":                  {Method: "logistic", Set: map[string]string{"solver": "gradient"}},
		"choose gradient, fista or fista-restart":   {Method: "logistic", Set: map[string]string{"solver": "simplex"}},
	} {
		var usage *mercer.UsageError
		if err := mercer.Check(r); !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v; want %q", r, err, want)
		}
	}
}
