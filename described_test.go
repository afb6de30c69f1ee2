package mercer_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// moons are rows of which few labels are seen, and others for test.
func moons(t *testing.T, task string) mercer.Input {
	t.Helper()
	name, test := "two-moons:n=60,seed=4", "two-moons:n=20,seed=9"
	if task == "regression" {
		name, test = "sinc:n=60,seed=4", "sinc:n=20,seed=9"
	}
	set, err := data.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	other, err := data.Builtin(test)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, "", data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	keep, err := data.DrawTotal(labels, 14, 3)
	if err != nil {
		t.Fatal(err)
	}
	in := mercer.Input{Test: other}
	seen := *set
	seen.Answers, in.Hidden = data.Hide(set.Answers, keep)
	in.Set = &seen
	return in
}

// agreesWithModel compares measures with those of the model itself.
func agreesWithModel(t *testing.T, what string, got mercer.Metric, m *model.Model, rows data.Rows, answers data.Answers) {
	t.Helper()
	want, n, err := mercer.Evaluate(t.Context(), m, rows, answers)
	if err != nil || n == 0 || len(got) != len(want) {
		t.Errorf("%s: %v of %d rows, result has %v (%v)", what, want, n, got, err)
	}
	for name, v := range want {
		if math.Abs(got[name]-v) > 1e-6*(1+math.Abs(v)) {
			t.Errorf("%s: %s is %g, the model's %g", what, name, got[name], v)
		}
	}
}

// TestResultDescribesTheModel: counts, measures, the balance of the classes and what listeners hear are those
// of the rows and of the model that is returned, for each kind of answer.
func TestResultDescribesTheModel(t *testing.T) {
	for name, c := range map[string]struct {
		task string
		r    mercer.Recipe
	}{
		"design":     {"", mercer.Recipe{Budget: 6}},
		"graph":      {"", mercer.Recipe{Method: "lap-rls", Tune: "none", Set: map[string]string{"neighbours": "6"}}},
		"margin":     {"", mercer.Recipe{Method: "svm", Tune: "none", Set: map[string]string{"C": "1", "sigma": "0.5"}}},
		"left out":   {"", mercer.Recipe{Method: "rls", Tune: "loo:logloss", Search: "random", Budget: 3}},
		"front":      {"", mercer.Recipe{Method: "mobj-svm", Set: map[string]string{"C": "1,4", "sigma": "0.5,1"}}},
		"regression": {"regression", mercer.Recipe{Method: "rls", Search: "random", Budget: 3}},
		"mean":       {"regression", mercer.Recipe{Method: "nadaraya-watson"}},
		"path":       {"regression", mercer.Recipe{Method: "mobj-rbf", Set: map[string]string{"joint": "no"}}},
	} {
		t.Run(name, func(t *testing.T) {
			in := moons(t, c.task)
			var heard []int
			var left *mat.Dense
			o := mercer.Options{Listen: mercer.Listener{LeftOut: func(rows []int, out *mat.Dense) { heard, left = rows, out }}}
			m, res, err := mercer.Fit(t.Context(), in, c.r, o)
			if err != nil {
				t.Fatal(err)
			}
			if want := (result.RowCounts{Labelled: 14, Unlabelled: 46, Test: 20, Features: in.Set.Rows.Dim()}); res.Rows != want {
				t.Errorf("rows %+v, want %+v", res.Rows, want)
			}
			agreesWithModel(t, "labelled", res.Metrics["labelled"], m, in.Set.Rows, in.Set.Answers)
			agreesWithModel(t, "hidden", res.Metrics["hidden"], m, in.Set.Rows, in.Hidden)
			agreesWithModel(t, "test", res.Metrics["test"], m, in.Test.Rows, in.Test.Answers)
			if b := res.Baseline; b != nil && (len(b.Metrics["hidden"]) != len(res.Metrics["hidden"]) || len(b.Metrics["test"]) == 0) {
				t.Errorf("baseline %+v", b.Metrics)
			}
			if res.Seconds.Total < res.Seconds.Tune || res.Tuning == nil {
				t.Errorf("%+v, %+v", res.Seconds, res.Tuning)
			}
			balanced(t, in, m, res)
			var labelled []int
			for i, a := range in.Set.Answers {
				if !data.IsUnlabelled(a) {
					labelled = append(labelled, i)
				}
			}
			if heard != nil {
				if n, k := left.Dims(); !slices.Equal(heard, labelled) || n != 14 || k != m.Outputs() {
					t.Errorf("left out are %v, %d x %d", heard, n, k)
				}
			}
			if name == "regression" && heard == nil {
				t.Error("nothing of the left-out rows is heard")
			}
		})
	}
}

// balanced compares the shares of the classes with counts.
func balanced(t *testing.T, in mercer.Input, m *model.Model, res *mercer.Result) {
	t.Helper()
	b := res.Balance
	if b == nil {
		return
	}
	out, err := m.Predict(t.Context(), in.Set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	seen, given := make([]float64, len(m.Classes)), make([]float64, len(m.Classes))
	for i, k := range m.Decide(out) {
		if a := in.Set.Answers[i]; data.IsUnlabelled(a) {
			given[k] += 1. / 46
		} else {
			seen[slices.Index(m.Classes, a)] += 1. / 14
		}
	}
	for k := range seen {
		if math.Abs(seen[k]-b.Labelled[k]) > 1e-12 || math.Abs(given[k]-b.Unlabelled[k]) > 1e-12 {
			t.Errorf("balance %+v, counted %v and %v", b, seen, given)
		}
	}
}

// islands are rows on three lines far apart, of which two have labels.
func islands() mercer.Input {
	set := &data.Set{Rows: data.Rows{Dense: mat.NewDense(24, 1, nil)}, LabelName: "y", Source: "islands", Answers: make(data.Answers, 24)}
	for i := range 24 {
		set.Rows.Dense.Set(i, 0, float64(i%8)/10+float64(100*(i/8)))
	}
	for i, a := range map[int]string{0: "a", 3: "a", 8: "b", 12: "b"} {
		set.Answers[i] = a
	}
	return mercer.Input{Set: set}
}

// TestPiecesWithoutLabels: the pieces of a graph are counted, and those that no label reaches are told of.
func TestPiecesWithoutLabels(t *testing.T) {
	in := islands()
	_, res, err := mercer.Fit(
		t.Context(),
		in,
		mercer.Recipe{Method: "lap-rls", Tune: "none", Set: map[string]string{"neighbours": "2"}},
		mercer.Options{},
	)
	if err != nil {
		t.Fatal(err)
	}
	g := res.Graph
	if g == nil || g.Components != 3 || g.WithoutLabel != 1 || g.RowsWithoutLabel != 8 || g.Isolated != 0 || g.Edges < 21 ||
		math.Abs(g.MeanDegree-2*float64(g.Edges)/24) > 1e-12 ||
		g.MeanEdge < 0.1-1e-9 ||
		g.MeanEdge > 0.2 {
		t.Fatalf("graph %+v", g)
	}
	const warning = "the graph falls into 3 pieces, 1 of them (8 rows) without a label: there only the base kernel decides; " +
		"label a row in " +
		"them or ask for more neighbours"
	if !slices.Contains(res.Warnings, warning) {
		t.Errorf("warnings %q", res.Warnings)
	}
	in.Set.Answers[20] = "a"
	if _, res, err = mercer.Fit(t.Context(), in, mercer.Recipe{Method: "lap-rls", Tune: "none", Set: map[string]string{"neighbours": "2"}},
		mercer.Options{}); err != nil ||
		res.Graph.WithoutLabel != 0 ||
		strings.Contains(fmt.Sprint(res.Warnings), "pieces") {
		t.Errorf("with a label in each: %+v, %q, %v", res.Graph, res.Warnings, err)
	}
}

// TestClassesNeverSeen: rows of a class that no label has are counted as errors, and told of.
func TestClassesNeverSeen(t *testing.T) {
	in := islands()
	in.Hidden = make(data.Answers, 24)
	in.Hidden[1], in.Hidden[9], in.Hidden[17] = "a", "c", "c"
	in.Test = &data.Set{Rows: data.Rows{Dense: mat.NewDense(2, 1, []float64{0.1, 100.1})}, Answers: data.Answers{"a", "d"}, Source: "test"}
	_, res, err := mercer.Fit(
		t.Context(),
		in,
		mercer.Recipe{Method: "rls", Tune: "none", Set: map[string]string{"sigma": "1", "lambda": "0.01"}},
		mercer.Options{},
	)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(res.Metrics["hidden"]["error"]-2./3) > 1e-12 || res.Metrics["test"]["error"] != 0.5 || len(res.Metrics["test"]) != 1 {
		t.Errorf("measures %+v", res.Metrics)
	}
	for _, want := range []string{"2 hidden rows have a class that no labelled row has; they count as errors",
		"1 test rows have a class that no labelled row has; they count as errors"} {
		if !slices.Contains(res.Warnings, want) {
			t.Errorf("warnings %q", res.Warnings)
		}
	}
	_, _, err = mercer.Pareto(
		t.Context(),
		moons(t, ""),
		mercer.Recipe{Method: "mobj-svm", Set: map[string]string{"C": "1,4", "sigma": "0.5"}},
		mercer.Options{},
		9,
	)
	if err == nil || !strings.HasPrefix(err.Error(), "pick 9: the front has ") {
		t.Errorf("a member that is none: %v", err)
	}
}

// TestSplitsByHand: means and deviations over splits are those of fits one by one.
func TestSplitsByHand(t *testing.T) {
	set, err := data.Builtin("two-moons:n=40,seed=2")
	if err != nil {
		t.Fatal(err)
	}
	r := mercer.Recipe{Method: "rls", Tune: "none", Set: map[string]string{"sigma": "0.5", "lambda": "0.01"}}
	splits := [][]int{{0, 5, 21, 30}, {1, 7, 25, 39}, {2, 3, 22, 23, 24}}
	res, err := mercer.FitSplits(t.Context(), set, splits, r, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var errs []float64
	var parts []fit.SplitMetrics
	for _, keep := range splits {
		part, err := fit.Split(t.Context(), set, keep, r, mercer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, fit.SplitMetricsOf(part))
		in := mercer.Input{Set: new(data.Set)}
		*in.Set = *set
		in.Set.Answers, in.Hidden = data.Hide(set.Answers, keep)
		_, one, err := mercer.Fit(t.Context(), in, r, mercer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		errs = append(errs, one.Metrics["hidden"]["error"])
	}
	mean := (errs[0] + errs[1] + errs[2]) / 3
	std := math.Sqrt((math.Pow(errs[0]-mean, 2) + math.Pow(errs[1]-mean, 2) + math.Pow(errs[2]-mean, 2)) / 2)
	s := res.Splits
	if s.Count != 3 || !slices.Equal(s.Each, errs) || math.Abs(s.Hidden["error_mean"]-mean) > 1e-14 ||
		math.Abs(s.Hidden["error_std"]-std) > 1e-14 ||
		res.Rows.Labelled != 4 ||
		s.Baseline != nil {
		t.Errorf("%+v of %v", s, errs)
	}
	joined := *res
	joined.Splits = nil
	if fit.Summarise(&joined, parts); !reflect.DeepEqual(joined.Splits, s) {
		t.Errorf("%+v, of parts %+v", s, joined.Splits)
	}
	if one, err := mercer.FitSplits(t.Context(), set, splits[:1], r, mercer.Options{}); err != nil || len(one.Splits.Each) != 1 {
		t.Errorf("%v", err)
	} else if _, ok := one.Splits.Hidden["error_std"]; ok {
		t.Error("one split has a deviation")
	}
	if _, err := mercer.FitSplits(t.Context(), set, nil, r, mercer.Options{}); err == nil ||
		err.Error() != "two-moons:n=40,seed=2: no split to run" {
		t.Error(err)
	}
	if _, err := mercer.FitSplits(t.Context(), set, [][]int{{0, 1, 22}, {0, 1}}, r, mercer.Options{}); err == nil ||
		!strings.HasPrefix(err.Error(), "split 2: ") {
		t.Error(err)
	}
}
