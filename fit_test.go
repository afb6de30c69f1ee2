package mercer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/model"
)

// few returns a built-in set with n labels a class, the others hidden.
func few(t *testing.T, spec string, n int) mercer.Input {
	t.Helper()
	set, err := data.Builtin(spec)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	keep, err := data.DrawPerClass(labels, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	var in mercer.Input
	in.Set = set
	in.Set.Answers, in.Hidden = data.Hide(set.Answers, keep)
	return in
}

func fitted(t *testing.T, in mercer.Input, r mercer.Recipe) (*model.Model, *mercer.Result) {
	t.Helper()
	m, res, err := mercer.Fit(context.Background(), in, r, mercer.Options{})
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return m, res
}

func encode(t *testing.T, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Blanking the hidden labels must change nothing, bit for bit.
func TestHiddenLabelsAreNotSeen(t *testing.T) {
	for _, r := range []mercer.Recipe{{}, {Method: "lap-rls", Search: "gradient", Budget: 30}, {Method: "rls", Tune: "kfold:3"}} {
		in := few(t, "two-moons:n=120,noise=0.1,seed=3", 4)
		m, res := fitted(t, in, r)
		if _, ok := res.Metrics["hidden"]["error"]; !ok {
			t.Fatal("no hidden error")
		}
		blank := in
		blank.Hidden = nil
		m2, res2 := fitted(t, blank, r)
		if !bytes.Equal(encode(t, m), encode(t, m2)) {
			t.Errorf("%+v: blanking the hidden labels changed the model", r)
		}
		if _, ok := res2.Metrics["hidden"]; ok {
			t.Error("hidden metrics without hidden labels")
		}
		// Wrong hidden labels change the metrics and nothing else.
		wrong := in
		wrong.Hidden = make(data.Answers, len(in.Hidden))
		for i, a := range in.Hidden {
			if a != "" {
				wrong.Hidden[i] = in.Set.Answers[firstLabel(in.Set.Answers)]
			}
		}
		m3, _ := fitted(t, wrong, r)
		if !bytes.Equal(encode(t, m), encode(t, m3)) {
			t.Errorf("%+v: other hidden labels changed the model", r)
		}
	}
}

func firstLabel(a data.Answers) int {
	for i, v := range a {
		if v != "" {
			return i
		}
	}
	return -1
}

// Every method under every score and search gives a model that predicts what it
// promised and survives its file.
func TestMethodsScoresSearches(t *testing.T) {
	in := few(t, "iris", 5)
	in.Test = in.Set
	for _, method := range []string{"auto", "rls", "ls-svm", "lap-rls"} {
		for _, tune := range []string{"auto", "loo:logloss", "loo:press", "loo:error", "kfold:4", "holdout:0.3", "gcv", "cp", "bic",
			"none"} {
			for _, searching := range []string{"auto", "gradient", "grid", "random", "nelder-mead"} {
				if (method == "auto" || tune == "none") && searching != "auto" || searching == "gradient" && tune == "loo:error" {
					continue
				}
				if !slowtest.Asked() && searching != "auto" && tune != "loo:logloss" && (testing.Short() || tune != "kfold:4") {
					continue // every search of every score in the whole run alone
				}
				r := mercer.Recipe{Method: method, Tune: tune, Search: searching, Budget: 12}
				if tune == "none" {
					r.Budget = 0
				}
				name := fmt.Sprintf("%s %s %s", method, tune, searching)
				m, res := fitted(t, in, r)
				if res.Certificate.Residual > 1e-5 {
					t.Errorf("%s: residual %g", name, res.Certificate.Residual)
				}
				limit := 0.4
				if tune == "cp" || tune == "bic" {
					limit = 0.6 // training errors of 15 rows know little
				}
				if e := res.Metrics["hidden"]["error"]; !(e <= limit) {
					t.Errorf("%s: hidden error %g", name, e)
				}
				if tune == "none" && method == "lap-rls" && res.Tuning.Evaluations > 2 { // and the baseline
					t.Errorf("%s: %d machines where nothing is to be chosen", name, res.Tuning.Evaluations)
				}
				if res.Tuning.Evaluations < 1 || res.Tuning.Evaluations > 12 {
					t.Errorf("%s: %d evaluations of 12", name, res.Tuning.Evaluations)
				}
				back, err := model.Read(t.Context(), bytes.NewReader(encode(t, m)))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				a, err := m.Predict(t.Context(), in.Set.Rows)
				if err != nil {
					t.Fatal(err)
				}
				b, err := back.Predict(t.Context(), in.Set.Rows)
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range a.RawMatrix().Data {
					if v != b.RawMatrix().Data[i] {
						t.Fatalf("%s: the file predicts %g, the model %g", name, b.RawMatrix().Data[i], v)
					}
				}
				if _, err := json.Marshal(res); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// The function must give the training rows what the machine gave them.
func TestModelAgreesWithTheMachine(t *testing.T) {
	in := few(t, "two-moons:n=150,noise=0.1,seed=3", 3)
	m, res := fitted(t, in, mercer.Recipe{})
	met, n, err := mercer.Evaluate(t.Context(), m, in.Set.Rows, in.Hidden)
	if err != nil || n != 150-6 {
		t.Fatalf("%d rows, %v", n, err)
	}
	for name, want := range res.Metrics["hidden"] {
		if math.Abs(met[name]-want) > 1e-6 {
			t.Errorf("%s: %g by the model, %g by the machine", name, met[name], want)
		}
	}
}

func TestSemiSupervisedBeatsSupervised(t *testing.T) {
	_, res := fitted(t, few(t, "circles-det:n=300", 3), mercer.Recipe{})
	if res.Method != "lap-rls" || res.Metrics["hidden"]["error"] > 0.02 {
		t.Errorf("%s with error %g", res.Method, res.Metrics["hidden"]["error"])
	}
	if b := res.Baseline.Metrics["hidden"]["error"]; b < 0.05 {
		t.Errorf("baseline error %g; the set is too easy to show anything", b)
	}
}

func TestRegression(t *testing.T) {
	set, err := data.Builtin("sinc:n=200,noise=0.1,seed=2")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []mercer.Recipe{{}, {Method: "rls", Search: "gradient", Tune: "gcv"}, {Method: "lap-rls"},
		{Method: "rls", Tune: "kfold:5"}} {
		keep := []int{}
		for i := 0; i < 200; i += 4 {
			keep = append(keep, i)
		}
		in := mercer.Input{Set: new(data.Set)}
		*in.Set = *set
		in.Set.Answers, in.Hidden = data.Hide(set.Answers, keep)
		_, res := fitted(t, in, r)
		// The noise alone is 0.1.
		if e := res.Metrics["hidden"]["rmse"]; !(e < 0.14) {
			t.Errorf("%+v: rmse %g", r, e)
		}
		if res.Task != "regression" || res.Classes != nil {
			t.Errorf("task %s classes %v", res.Task, res.Classes)
		}
	}
}

func TestFixedParametersStayFixed(t *testing.T) {
	in := few(t, "iris", 4)
	set := map[string]string{"sigma": "1.5", "neighbours": "7", "degree": "1", "gamma_a": "0.01", "gamma_i": "50"}
	for _, searching := range []string{"auto", "random", "gradient"} {
		_, res := fitted(t, in, mercer.Recipe{Method: "lap-rls", Set: set, Search: searching, Budget: 5})
		for name, want := range map[string]float64{"sigma": 1.5, "gamma_a": 0.01, "gamma_i": 50} {
			if got := res.Params[name].(float64); math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s: %s = %v, fixed at %v", searching, name, got, want)
			}
		}
		if res.Params["neighbours"] != 7 || res.Params["degree"] != 1 {
			t.Errorf("%s: graph %v", searching, res.Params)
		}
	}
	// gamma is LIBSVM's name of 1/(2 sigma^2).
	_, a := fitted(t, in, mercer.Recipe{Method: "rls", Set: map[string]string{"sigma": "2", "lambda": "0.1"}})
	_, b := fitted(t, in, mercer.Recipe{Method: "rls", Set: map[string]string{"gamma": "0.125", "lambda": "0.1"}})
	if a.Tuning.Value != b.Tuning.Value {
		t.Errorf("sigma 2 scores %v, gamma 1/8 %v", a.Tuning.Value, b.Tuning.Value)
	}
	// The two conventions of gamma_I name one machine.
	n := 150.0
	set["intrinsic_scale"], set["gamma_i"] = "none", fmt.Sprint(50/(n*n))
	_, u := fitted(t, in, mercer.Recipe{Method: "lap-rls", Set: set})
	delete(set, "intrinsic_scale")
	set["gamma_i"] = "50"
	_, s := fitted(t, in, mercer.Recipe{Method: "lap-rls", Set: set})
	if math.Abs(u.Tuning.Value-s.Tuning.Value) > 1e-9 {
		t.Errorf("scores %v and %v of one machine", u.Tuning.Value, s.Tuning.Value)
	}
}

func TestUsageErrors(t *testing.T) {
	in := few(t, "iris", 4)
	for name, r := range map[string]mercer.Recipe{
		"loo:magic":          {Tune: "loo:magic"},
		"svvm":               {Method: "svvm"},
		"sigma=-1":           {Set: map[string]string{"sigma": "-1"}},
		"neighbours=2.5":     {Set: map[string]string{"neighbours": "2.5"}},
		"no such param":      {Set: map[string]string{"nu": "0.5"}},
		"Recipe.Search grid": {Search: "grid"},
		"error count":        {Method: "rls", Search: "gradient", Tune: "loo:error"},
		"gaussain":           {Kernel: "gaussain"},
	} {
		_, _, err := mercer.Fit(context.Background(), in, r, mercer.Options{})
		var u *mercer.UsageError
		if !errors.As(err, &u) {
			t.Errorf("%s: %v is no usage error", name, err)
		}
	}
	// All faults at once.
	err := mercer.Check(mercer.Recipe{Method: "x", Tune: "y", Search: "z"})
	for _, part := range []string{"Recipe.Method x", "Recipe.Tune y", "Recipe.Search z"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name %s", err, part)
		}
	}
}

func TestTooBigIsRefused(t *testing.T) {
	_, _, err := mercer.Fit(context.Background(), few(t, "iris", 4), mercer.Recipe{}, mercer.Options{Memory: 1000})
	if err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("error %v", err)
	}
}

func TestInterruptKeepsTheBest(t *testing.T) {
	in := few(t, "two-moons:n=200,noise=0.1,seed=3", 4)
	ctx, cancel := context.WithCancel(context.Background())
	done := 0
	m, res, err := mercer.Fit(ctx, in, mercer.Recipe{}, mercer.Options{Progress: func(p mercer.Progress) {
		if done = p.Done; done == 9 {
			cancel()
		}
	}})
	if err != nil || m == nil || res.Tuning.Status != "interrupted" || res.Tuning.Evaluations != 9 {
		t.Errorf("after 9 evaluations: %+v, %v", res, err)
	}
	if _, _, err = mercer.Fit(ctx, in, mercer.Recipe{}, mercer.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the start: %v", err)
	}
	_, res, err = mercer.Fit(context.Background(), in, mercer.Recipe{Method: "lap-rls", Search: "random", Budget: 1000000},
		mercer.Options{TimeLimit: time.Second})
	if err != nil || res.Tuning.Status != "time limit" {
		t.Errorf("time limit: %+v, %v", res, err)
	}
}

func TestSplits(t *testing.T) {
	set, err := data.Builtin("iris")
	if err != nil {
		t.Fatal(err)
	}
	splits := [][]int{{0, 1, 50, 51, 100, 101}, {2, 3, 60, 61, 110, 111}}
	res, err := mercer.FitSplits(context.Background(), set, splits, mercer.Recipe{}, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := res.Splits.Each
	if res.Splits.Count != 2 || len(e) != 2 || math.Abs(res.Splits.Hidden["error_mean"]-(e[0]+e[1])/2) > 1e-15 {
		t.Errorf("splits %+v", res.Splits)
	}
	if want := math.Abs(e[0]-e[1]) / math.Sqrt2; math.Abs(res.Splits.Hidden["error_std"]-want) > 1e-12 {
		t.Errorf("std %g, want %g", res.Splits.Hidden["error_std"], want)
	}
}

func TestProbabilitiesAgreeWithLabels(t *testing.T) {
	for _, spec := range []string{"iris", "breast-cancer"} {
		m, _ := fitted(t, few(t, spec, 5), mercer.Recipe{})
		set, _ := data.Builtin(spec)
		out, err := m.Predict(t.Context(), set.Rows)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Probabilities(out)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range m.Decide(out) {
			var sum float64
			for _, v := range p.RawRowView(i) {
				sum += v
				if v > p.At(i, k) {
					t.Fatalf("%s row %d: class %d decided, probabilities %v", spec, i, k, p.RawRowView(i))
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("probabilities sum to %g", sum)
			}
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	m, _ := fitted(t, few(t, "iris", 5), mercer.Recipe{})
	path := filepath.Join(t.TempDir(), "iris.mercer")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	back, err := mercer.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(t, m), encode(t, back)) {
		t.Error("a saved model changed")
	}
}
