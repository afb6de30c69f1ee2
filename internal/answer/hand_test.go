package answer

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/mixture"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// sixRows is an answer on six rows of one feature, of which four are labelled, by one machine with weight 2 and an offset. Its outputs
// on left-out rows are 2 left + 0.5.
func sixRows(classes []string, folds [][]int, left ...float64) *Answer {
	rows := column(0, 1, 2, 3, 4, 5)
	set := &data.Set{Source: "six", Rows: rows}
	p := &learn.Problem{Rows: rows, Task: data.Regression, Labelled: []int{0, 2, 3, 5}, Y: mat.NewDense(4, 1, []float64{1, -2, 3, 4})}
	if classes != nil {
		p.Task, p.Classes, p.Class, p.Coding = data.Classification, classes, []int{0, 1, 1, 1}, learn.Coding{Classes: len(classes)}
		p.Y = mat.NewDense(4, 1, []float64{-1, 1, 1, 1})
	}
	one := &choose.Candidate{Machine: &choose.Machine{Kernel: kernel.Linear{}, Expansions: []kernel.Expansion{
		{Kernel: kernel.Gaussian{Sigma: 1}, Centres: column(1, 2), Coef: mat.NewDense(2, 1, []float64{1, 3})},
	}}}
	if left != nil {
		one.LeftOut = mat.NewDense(4, 1, left)
	}
	in := result.Input{Set: set}
	t := &task.Task{Problem: p, Input: in, Whole: in, Folds: folds, Scaling: data.Scaling{Kind: data.ScaleNone}}
	rls, _ := method.Find("rls")
	return &Answer{
		Method: rls, Task: t, Candidates: &choose.Candidates{Problem: p},
		Choice: &choose.Choice{Members: []choose.Weighted{{Candidate: one, Weight: 2}}, Offset: []float64{0.5}},
	}
}

func close(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

// TestLeftOutRows: what is made of left-out outputs, of all labelled rows and of those that folds leave out, by hand.
func TestLeftOutRows(t *testing.T) {
	for _, c := range []struct {
		name    string
		classes []string
		folds   [][]int
		left    []float64
		rows    []int
		out     []float64
		errors  float64
	}{
		{"numbers", nil, nil, []float64{1, -1, 1, 0}, []int{0, 2, 3, 5}, []float64{2.5, -1.5, 2.5, 0.5}, (2.25 + 0.25 + 0.25 + 12.25) / 4},
		{"numbers in a fold", nil, [][]int{{3, 1}}, []float64{1, -1, 1, 0}, []int{2, 5}, []float64{-1.5, 0.5}, (0.25 + 12.25) / 2},
		{"classes", []string{"a", "b"}, nil, []float64{1, -1, 1, 0}, []int{0, 2, 3, 5}, []float64{2.5, -1.5, 2.5, 0.5}, 0.5},
		{"classes in folds", []string{"a", "b"}, [][]int{{3}, {2, 0}}, []float64{-1, -1, 1, -1}, []int{0, 3, 5},
			[]float64{-1.5, 2.5, -1.5}, 1. / 3},
	} {
		a := sixRows(c.classes, c.folds, c.left...)
		var rows []int
		var out []float64
		a.Task.Options.Listen.LeftOut = func(r []int, o *mat.Dense) { rows, out = r, mat.Col(nil, 0, o) }
		a.TellLeftOut()
		if !slices.Equal(rows, c.rows) || !slices.Equal(out, c.out) {
			t.Errorf("%s: rows %v, outputs %v", c.name, rows, out)
		}
		point, ok := a.BasisPoint()
		if !ok || point.Centres != 2 {
			t.Errorf("%s: %+v, %v", c.name, point, ok)
		}
		close(t, c.name+", error", point.Error, c.errors)
		m := a.Model(false)
		judged, outputs := a.leftOut(a.Choice)
		each := a.losses(m, judged, outputs).Each
		var square, mean float64
		for _, v := range each {
			mean += v / float64(len(each))
			square += (v - c.errors) * (v - c.errors) / float64(len(each)-1)
		}
		close(t, c.name+", mean loss", mean, c.errors)
		close(t, c.name+", spread", point.Spread, math.Sqrt(square/float64(len(each))))
		losses, _ := a.LeftOutLosses()
		if len(losses) != len(each) {
			t.Fatalf("%s: %d losses", c.name, len(losses))
		}
		for q := range each {
			want := each[q]
			if c.classes != nil {
				p, err := m.Probabilities(outputs)
				if err != nil {
					t.Fatal(err)
				}
				want = -math.Log(p.At(q, a.Task.Problem.Class[judged[q]]))
			} else {
				errs := []float64{}
				for r, i := range judged {
					errs = append(errs, a.Task.Problem.Y.At(i, 0)-outputs.At(r, 0))
				}
				if r, err := model.NewResiduals(errs); err != nil || !reflect.DeepEqual(m.Residuals, &r) {
					t.Errorf("%s: residuals %v, %v", c.name, m.Residuals, err)
				}
			}
			close(t, c.name+", loss", losses[q], want)
		}
	}
	weighed := sixRows([]string{"a", "b"}, nil, 1, -1, 1, 0)
	plain, _ := weighed.BasisPoint()
	for i, w := range []float64{1, 0.5, 2, 0.5} {
		weighed.Task.Problem.Weight = []float64{1, 1, 1, 1}
		if same, _ := weighed.BasisPoint(); same != plain {
			t.Errorf("equal weights: %+v, want %+v", same, plain)
		}
		weighed.Task.Problem.Weight[i] = w
		judged, out := weighed.leftOut(weighed.Choice)
		each := weighed.losses(weighed.Model(false), judged, out).Each
		point, _ := weighed.BasisPoint()
		close(t, "weighed error", point.Error, (floats.Sum(each)+(w-1)*each[i])/(3+w))
	}
	none := sixRows(nil, nil)
	none.Task.Options.Listen.LeftOut = func([]int, *mat.Dense) { t.Error("left-out outputs of nothing are told") }
	none.TellLeftOut()
	if losses, _ := none.LeftOutLosses(); losses != nil {
		t.Errorf("losses %v of nothing left out", losses)
	}
	if _, ok := none.BasisPoint(); ok || none.Model(false).Residuals != nil {
		t.Error("something is made of no left-out outputs")
	}
	unsure := sixRows([]string{"a", "b", "c"}, nil)
	unsure.Choice.Members[0].LeftOut, unsure.Choice.Offset = mat.NewDense(4, 3, nil), nil
	if losses, _ := unsure.LeftOutLosses(); losses != nil {
		t.Errorf("losses without probabilities: %v", losses)
	}
	front := sixRows(nil, nil, 1, 1, 1, 1)
	front.Candidates.Front = &choose.Tradeoff{}
	if judged, out := front.leftOut(front.Choice); judged != nil || out != nil {
		t.Error("a front has left-out outputs")
	}
}

// TestPick: members of a front are counted from 1, and one that is not there is refused.
func TestPick(t *testing.T) {
	for member, want := range map[int]int{0: 1, 1: 0, 2: 1, 3: 2, 4: -1} {
		a := sixRows(nil, nil)
		before := len(a.Choice.Members)
		if err := a.Pick(member); err != nil || len(a.Choice.Members) != before || a.Choice.Rule != "" {
			t.Errorf("what is no front is changed: %+v, %v", a.Choice, err)
		}
		a.Candidates.Front = &choose.Tradeoff{Points: []choose.Point{{Offset: []float64{10}}, {Offset: []float64{11}},
			{Offset: []float64{12}}}}
		a.Choice = &choose.Choice{Point: 1, Rule: "knee", Assumed: "nothing"}
		err := a.Pick(member)
		if want < 0 {
			if err == nil || err.Error() != "--pick 4: the front has 3 members" {
				t.Errorf("pick %d: %v", member, err)
			}
			continue
		}
		c := a.Choice
		if err != nil || c.Point != want || c.Members[0].B[0] != float64(10+want) || c.Members[0].Method != "rls" || c.Members[0].Weight != 1 ||
			(c.Rule == "pick") != (member > 0) || (c.Assumed == "the member asked for") != (member > 0) {
			t.Errorf("pick %d: %+v, %v", member, c, err)
		}
	}
}

// TestKeep: a model keeps the recipe and what was printed, without what differs between equal fits, and nothing that is not finite.
func TestKeep(t *testing.T) {
	a := sixRows(nil, nil)
	a.Task.Warnings, a.Asked = []string{"of the task"}, result.Recipe{Method: "rls", Seed: 7}
	res := &result.Result{
		Method: "rls", Seconds: result.Seconds{Total: 1, Tune: 2, Fit: 3}, Forecast: &result.Foreseen{Seconds: 4}, Memory: 5,
		Metrics:  map[string]result.Metric{"test": {"rmse": 1}},
		Baseline: &result.Baseline{Method: "svr"}, Views: &result.ViewState{Disputed: []int{1}},
		Warnings: []string{"of the task", "of measuring"},
	}
	front := &result.FrontResult{
		Method: "rls", Seconds: result.Seconds{Total: 1, Tune: 2, Fit: 3}, Forecast: &result.Foreseen{Seconds: 4},
		Metrics: map[string]result.Metric{"test": {"rmse": 1}},
	}
	for _, c := range []struct{ printed, want any }{
		{res, &result.Result{Method: "rls", Warnings: []string{"of the task"}}}, {front, &result.FrontResult{Method: "rls"}},
	} {
		before, _ := json.Marshal(c.printed)
		m := &model.Model{}
		err := a.Keep(m, c.printed)
		want, _ := json.Marshal(c.want)
		if after, _ := json.Marshal(c.printed); err != nil || string(m.Result) != string(want) || string(after) != string(before) {
			t.Errorf("kept %s, %v, want %s", m.Result, err, want)
		}
		var r result.Recipe
		if err := json.Unmarshal(m.Recipe, &r); err != nil || r.Method != "rls" || r.Seed != 7 {
			t.Errorf("the recipe became %s", m.Recipe)
		}
	}
	err := a.Keep(&model.Model{}, &result.Result{Interval: &result.Interval{Lower: math.Inf(-1)}})
	want := "six: the fit has no finite result, its features or parameters are too small or too large; use --scale standard"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestUndecided: a fit without left-out rows cannot decide as asked, and says for which file and what to do.
func TestUndecided(t *testing.T) {
	a := sixRows([]string{"a", "b"}, nil)
	want := "six: --decide balanced: the fit left no row out, so that there are no probabilities to decide by; " +
		"add --tune kfold:5 or --method rls"
	for decide, refused := range map[string]bool{"": false, "default": false, "balanced": true} {
		a.Task.Recipe.Decide = decide
		m := a.Model(false)
		if err := a.Undecided(m); (err != nil) != refused || refused && err.Error() != want || m.Decision != nil {
			t.Errorf("--decide %s: %v", decide, err)
		}
		m.Decision = &result.Decision{}
		if err := a.Undecided(m); err != nil {
			t.Errorf("--decide %s with a decision: %v", decide, err)
		}
	}
	known := sixRows([]string{"a", "b"}, nil, -1, 1, 1, 2)
	for decide, want := range map[string][]float64{"balanced": {2, 2. / 3}, "cost=b=3": {1, 3}} {
		known.Task.Recipe.Decide = decide
		if d := known.Model(false).Decision; d == nil || d.Rule != decide || !slices.Equal(d.Weight, want) {
			t.Errorf("--decide %s: %+v", decide, d)
		}
	}
	known.Task.Recipe.Decide, known.Task.Input.Set.Weight = "balanced", []float64{9, 7, 1, 1, 7, 1} // rows 1 and 4 are unlabelled
	if d := known.Model(false).Decision; d == nil || !slices.Equal(d.Weight, []float64{2. / 3, 2}) {
		t.Errorf("a row of weight 9 against three: %+v", d)
	}
}

// TestBasisInWords: how few centres were chosen, and how many there are; parts add up, kernels on the same rows count once.
func TestBasisInWords(t *testing.T) {
	reduced := plain()
	two := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: column(1, 2, 3), Coef: mat.NewDense(3, 1, nil)}
	reduced.Parts = append(model.Single([]kernel.Expansion{two}, nil), model.Single([]kernel.Expansion{two, two}, nil)...)
	reduced.Parts[0].Functions = append(reduced.Parts[0].Functions, model.Linear{})
	if n := Centres(reduced); n != 6 {
		t.Errorf("%d centres, want 6", n)
	}
	chosen, other := result.BasisPoint{Centres: 6, Chosen: true}, result.BasisPoint{Centres: 9, Distilled: true}
	distilled := chosen
	distilled.Distilled = true
	for name, c := range map[string]struct {
		basis, word, own string
		sizes            []result.BasisPoint
		reduced          *model.Model
		want             *result.BasisState
		support          int
	}{
		"none":  {"", "", "", nil, nil, nil, 7},
		"asked": {"5", "", "", nil, nil, &result.BasisState{Centres: 2, Choose: task.Choose.Default}, 7},
		"given": {"5", "random", "lars", nil, nil, &result.BasisState{Centres: 2, Choose: "random"}, 7},
		"own":   {"5", "", "lars", nil, nil, &result.BasisState{Centres: 2, Choose: "lars"}, 7},
		"no limit": {"", "", "", []result.BasisPoint{chosen}, nil,
			&result.BasisState{Centres: 2, Choose: "the full model", Sizes: []result.BasisPoint{chosen}}, 7},
		"reduction": {"auto", "", "", []result.BasisPoint{chosen, other}, reduced,
			&result.BasisState{Centres: 6, Choose: "reduction of the full model", Sizes: []result.BasisPoint{chosen, other}},
			6},
		"distilling": {"auto", "", "", []result.BasisPoint{other, distilled}, reduced,
			&result.BasisState{Centres: 6, Choose: "distillation of the full model",
				Sizes: []result.BasisPoint{other, distilled}}, 6},
	} {
		a := sixRows(nil, nil)
		a.Task.Recipe.Basis, a.Sizes, a.Reduced = c.basis, c.sizes, c.reduced
		if c.word != "" {
			a.Task.Values = setting.Values{task.Choose.Key(): {Words: []string{c.word}}}
		}
		res := &result.Result{Params: map[string]any{}, Support: 7}
		if c.own != "" {
			res.Params[task.Choose.Name] = c.own
		}
		a.describeBasis(res, a.Model(false))
		if !reflect.DeepEqual(res.Basis, c.want) || res.Support != c.support {
			t.Errorf("%s: %+v, support %d", name, res.Basis, res.Support)
		}
	}
}

// TestClustersInWords: what the rows showed of clusters, and how many labels agree with them.
func TestClustersInWords(t *testing.T) {
	clusters := &mixture.Clusters{
		Cut: mixture.Cut{Middle: []float64{0}, Reach: 100, Mean: []float64{0}}, Share: []float64{0.5, 0.3, 0.2},
		Means: [][]float64{{0}, {4}, {50}}, Variance: 0.1,
	}
	for _, c := range []struct {
		e           mixture.Evidence
		tried, used bool
		want        *result.ClusterState
	}{
		{mixture.Evidence{Above: 2, Clusters: clusters}, true, true, nil},
		{mixture.Evidence{Spiked: true, Above: 1}, true, true,
			&result.ClusterState{Directions: 1, Used: true, Text: "the rows vary beyond their noise in one direction"}},
		{mixture.Evidence{Spiked: true, Above: 2}, false, false, &result.ClusterState{
			Directions: 2, Text: "the rows vary beyond their noise in 2 directions; the labels are too few to tell what these are",
		}},
		// The labelled rows 0 and 2 are in the cluster of 0, with two classes, 3 and 5 in that of 4, with one.
		{mixture.Evidence{Clustered: true, Clusters: clusters}, true, false, &result.ClusterState{
			Clusters: 3, Shared: 4, Agree: 3,
			Text: "the rows form 3 clusters (3 of the 4 labels that share one agree); models on them did no better",
		}},
		{mixture.Evidence{Spiked: true, Above: 3, Clustered: true, Clusters: clusters}, true, true, &result.ClusterState{
			Directions: 3, Clusters: 3, Shared: 4, Agree: 3, Used: true,
			Text: "the rows vary beyond their noise in 3 directions and form 3 clusters (3 of the 4 labels that share one agree)",
		}},
	} {
		a := sixRows([]string{"a", "b"}, nil)
		a.Task.Problem.Rows = column(0, 1, 0.5, 3.9, 4, 4.1)
		a.Candidates.Evidence = &c.e
		if c.used {
			a.Choice.Members[0].Own = kernel.Linear{}
		}
		a.Candidates.Members = []*choose.Candidate{{}}
		if c.tried {
			a.Candidates.Members = append(a.Candidates.Members, &choose.Candidate{Own: kernel.Linear{}})
		}
		res := &result.Result{}
		a.describeClusters(res)
		if !reflect.DeepEqual(res.Clusters, c.want) {
			t.Errorf("%+v, want %+v", res.Clusters, c.want)
		}
	}
	alone := sixRows([]string{"a", "b"}, nil)
	alone.Task.Problem.Rows = column(0, 1, 4, 50, 4, 4.1) // labelled: 0; 4 and 4.1; 50
	if shared, agree := alone.agree(clusters); shared != 2 || agree != 2 {
		t.Errorf("%d labels share a cluster, %d agree", shared, agree)
	}
}

// TestNames: machines of a weight that matters, each once, and the baseline behind them.
func TestNames(t *testing.T) {
	member := func(name string, weight float64) choose.Weighted {
		return choose.Weighted{Candidate: &choose.Candidate{Name: name}, Weight: weight}
	}
	for _, c := range []struct {
		members  []choose.Weighted
		baseline *choose.Candidate
		want     []string
	}{
		{[]choose.Weighted{member("a", 0.5), member("b", -1), member("a", 0.3)}, nil, []string{"a", "b"}},
		{[]choose.Weighted{member("a", 0.01), member("b", -1), member("c", 0.0099)}, &choose.Candidate{Name: "d"}, []string{"a", "b", "d"}},
		{[]choose.Weighted{member("", 1), member("b", 1)}, &choose.Candidate{Name: "b"}, []string{"b"}},
		{[]choose.Weighted{member("b", 1)}, &choose.Candidate{}, []string{"b"}},
		{[]choose.Weighted{member("", 1)}, &choose.Candidate{Name: "b"}, nil},
	} {
		if got := names(&choose.Choice{Members: c.members, Baseline: c.baseline}); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}

// TestCertify: the worst of all machines, with a warning of each that was ended early or is of an indefinite kernel.
func TestCertify(t *testing.T) {
	a := sixRows(nil, nil)
	a.Choice.Members = nil
	for _, c := range []learn.Certificate{
		{Residual: 0.1, Gap: 0.5, Steps: 3, Least: -0.25}, {Residual: 0.4, Gap: 0.2, Steps: 5, Limited: "steps"},
		{Residual: 0.3, Gap: 0.3, Least: -0.5},
	} {
		one := &choose.Candidate{Machine: &choose.Machine{Kernel: kernel.Linear{}, Certificate: c}}
		a.Choice.Members = append(a.Choice.Members, choose.Weighted{Candidate: one, Weight: 1})
	}
	res := &result.Result{}
	a.certify(res, a.Choice.Members[0])
	objective := a.Method.Objective(a.Task, a.Choice.Members[0].Candidate)
	if *res.Certificate != (result.Certificate{Objective: objective, Residual: 0.4, Gap: 0.5, Least: -0.5, Steps: 3}) ||
		len(res.Warnings) != 2 ||
		res.Warnings[0] != "steps" || !strings.Contains(res.Warnings[1], "-0.25") {
		t.Errorf("%+v, %v", res.Certificate, res.Warnings)
	}
}

// TestGraphs: the graph of the best machine that has one is described, and that of the most neighbours warns of rows without a label.
func TestGraphs(t *testing.T) {
	member := func(score float64, neighbours int) choose.Weighted {
		m := &choose.Machine{Kernel: kernel.Linear{}, Score: score}
		if neighbours > 0 {
			m.Kernel = manifold.Warp{Base: kernel.Linear{}, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: neighbours}}}
		}
		return choose.Weighted{Candidate: &choose.Candidate{Machine: m}}
	}
	for _, c := range []struct {
		members      []choose.Weighted
		best, widest int
	}{
		{[]choose.Weighted{member(1, 0)}, 0, 0}, {[]choose.Weighted{member(0, 0), member(3, 1), member(2, 2), member(2, 3), member(4, 2)},
			2, 3},
		{[]choose.Weighted{member(2, 3), member(1, 1)}, 1, 3}, {[]choose.Weighted{member(2, 3), member(2, 1)}, 3, 3},
	} {
		best, widest, ok := graphsOf(&choose.Choice{Members: c.members})
		if ok != (c.best > 0) || best.Recipe.Neighbours != c.best || widest.Recipe.Neighbours != c.widest {
			t.Errorf("best %d, widest %d, %v; want %d and %d", best.Recipe.Neighbours, widest.Recipe.Neighbours, ok, c.best, c.widest)
		}
	}
	// Rows 0 and 1 have labels, the pairs 10 and 11, 20 and 21 none; with five neighbours all are one piece.
	for _, c := range []struct {
		members []choose.Weighted
		pieces  int
		warning string
	}{
		{[]choose.Weighted{member(1, 1)}, 3, "the graph falls into 3 pieces, 2 of them (4 rows) without a label: there only the " +
			"base kernel " +
			"decides; label a row in them or ask for more neighbours"},
		{[]choose.Weighted{member(1, 1), member(2, 5)}, 3, ""}, {[]choose.Weighted{member(1, 5), member(2, 1)}, 1, ""},
	} {
		a := sixRows([]string{"a", "b"}, nil)
		a.Task.Problem.Rows, a.Task.Problem.Labelled, a.Task.Problem.Class = column(0, 1, 10, 11, 20, 21), []int{0, 1}, []int{0, 1}
		a.Choice.Members = c.members
		res := &result.Result{}
		if err := a.describeGraph(res); err != nil || res.Graph.Components != c.pieces || strings.Join(res.Warnings, "") != c.warning {
			t.Errorf("%+v, %q, %v", res.Graph, res.Warnings, err)
		}
	}
}

// TestDisputed: the ten rows without a label on which the views differ most surely, the surest first, ties in their order.
func TestDisputed(t *testing.T) {
	nan := math.NaN()
	one := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, nan, 5, 9}
	two := []float64{-9, -9, -3, -9, -9, -3, -9, -9, -9, -9, -9, -9, 1, 5, -9}
	outs := []*mat.Dense{mat.NewDense(15, 1, one), mat.NewDense(15, 1, two)}
	labelled := data.Labels{Task: data.Classification, Class: slices.Repeat([]int{data.Unlabelled}, 15)}
	labelled.Class[14] = 1
	for _, c := range []struct {
		labels data.Labels
		want   []int
	}{{labelled, []int{8, 9, 10, 11, 7, 6, 4, 3, 2, 5}}, {data.Labels{}, []int{8, 9, 10, 11, 14, 7, 6, 4, 3, 2}}} {
		s := &result.ViewState{}
		agree(s, plain("a", "b"), outs, c.labels)
		if s.Agreement == nil || math.Abs(*s.Agreement-1./14) > 1e-15 || !slices.Equal(s.Disputed, c.want) {
			t.Errorf("%v, want %v", s.Disputed, c.want)
		}
	}
	s := &result.ViewState{}
	agree(s, plain("a", "b"), []*mat.Dense{mat.NewDense(1, 1, []float64{nan}), mat.NewDense(1, 1, []float64{1})}, data.Labels{})
	if s.Agreement != nil {
		t.Errorf("one view agrees with itself: %v", *s.Agreement)
	}
}

// TestEstimateOfNothing: where all are wrong the upper bound is 1, losses of zero have an interval of no width, and a mean of squares has
// the factor of its degrees of freedom.
func TestEstimateOfNothing(t *testing.T) {
	wrong := Moments{data.Classification, 5, 1, 0}.Estimate(0.9, "", true)
	if wrong.Error != 1 || wrong.High != 1 || math.Abs(wrong.Low-math.Pow(0.05, 1./5)) > 1e-9 {
		t.Errorf("all of 5 are wrong: %+v", wrong)
	}
	zero := Moments{data.Regression, 10, 0, 0}.Estimate(0.9, "hold-out", true)
	if zero == nil || zero.Error != 0 || zero.Low != 0 || zero.High != 0 || !zero.Corrected || zero.From != "hold-out" {
		t.Errorf("%+v", zero)
	}
	// nu = min(2 n mean^2/variance, n)/2 = min(2 10 4/20, 10)/2 = 2, of which chi-squared has the quantiles -2 log(1-p) sums.
	e := Moments{data.Regression, 10, 2, 20}.Estimate(0.9, "5 folds", false)
	close(t, "error", e.Error, math.Sqrt2*(1+1./8))
	for bound, tail := range map[float64]float64{e.Low: 0.95, e.High: 0.05} {
		q := 2 * 2 / (bound * bound)
		if p := 1 - math.Exp(-q/2); math.Abs(p-tail) > 1e-9 {
			t.Errorf("bound %g has tail %g, want %g", bound, p, tail)
		}
	}
	limited := Moments{data.Regression, 4, 2, 1}.Estimate(0.9, "", false) // 2 n mean^2/variance = 32, more than n
	close(t, "error", limited.Error, math.Sqrt2*(1+1./8))
}

// failing is a rule that chooses nothing.
type failing struct{ err error }

func (f failing) Choose(context.Context, *choose.Candidates) (*choose.Choice, error) {
	return nil, f.err
}

// TestFailuresAreHandedOn: what cannot be computed of a result is the error of the result, of all that is asked on the way.
func TestFailuresAreHandedOn(t *testing.T) {
	words := data.Answers{"1", "x", "2", "3", "4", "5"}
	numbers := data.Labels{Task: data.Regression, Value: []float64{0, 1, 2, 3, 4, 5}}
	warped := func(neighbours int) choose.Weighted {
		k := manifold.Warp{Base: kernel.Linear{}, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: neighbours}}}
		return choose.Weighted{Candidate: &choose.Candidate{Machine: &choose.Machine{Kernel: k, Score: float64(neighbours)}}, Weight: 1}
	}
	for name, change := range map[string]func(a *Answer){
		"a graph of more neighbours than rows": func(a *Answer) { a.Choice.Members = []choose.Weighted{warped(9)} },
		"the widest graph": func(a *Answer) {
			rows := column(0, 1, 10, 11, 20, 21)
			a.Task.Problem.Rows, a.Task.Problem.Labelled = rows, []int{0, 1}
			a.Task.Problem.Y = mat.NewDense(2, 1, []float64{1, 2})
			a.Choice.Members = []choose.Weighted{warped(1), warped(9)}
		},
		"rows without a finite prediction": func(a *Answer) {
			a.Task.Input.Set.Rows = column(0, 1, math.MaxFloat64, 3, 4, 5)
		},
		"hidden answers that are none": func(a *Answer) { a.Task.Whole.Hidden = words },
		"hidden answers of views":      func(a *Answer) { a.Task.Input.Hidden = words },
		"a rule that fails": func(a *Answer) {
			a.Candidates.Criterion, a.Candidates.Rule = score.Press{}, failing{context.Canceled}
			for range 2 {
				m := &choose.Machine{LeftOut: mat.NewDense(4, 1, []float64{1, -1, 1, 0})}
				a.Candidates.Members = append(a.Candidates.Members, &choose.Candidate{Machine: m})
			}
			a.Choice.Members[0].LeftOut = mat.NewDense(4, 1, []float64{1, -1, 1, 0})
		},
	} {
		a := sixRows(nil, nil)
		a.Task.Labels = numbers
		if _, err := a.Result(t.Context(), steep(10)); err != nil {
			t.Fatal(err)
		}
		change(a)
		if res, err := a.Result(t.Context(), steep(10)); err == nil || res != nil {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
	front := sixRows(nil, nil)
	front.Task.Labels, front.Task.Input.Set.Rows = numbers, column(0, 1, math.MaxFloat64, 3, 4, 5)
	front.Candidates.Front = &choose.Tradeoff{Points: []choose.Point{{}}}
	front.Choice = &choose.Choice{Scores: []float64{1}}
	if err := front.Pick(0); err != nil {
		t.Fatal(err)
	}
	if res, err := front.FrontResult(t.Context(), steep(10)); err == nil || res != nil {
		t.Errorf("a front: %+v, %v", res, err)
	}
	if _, err := LossesOn(t.Context(), plain(), &data.Set{Rows: column(1, 2), Answers: data.Answers{"1", "x"}}); err == nil {
		t.Error("losses on a word")
	}
	if _, err := ViewsOf(t.Context(), plain(), column(1, 2), data.Answers{"1", "x"}); err == nil {
		t.Error("views of a word")
	}
	sure := plain("a", "b")
	sure.Calibration = calibrate.Sigmoid{Slope: 1}
	known := data.Labels{Task: data.Classification, Classes: sure.Classes, Class: []int{0, 1}}
	if met, err := measure(sure, mat.NewDense(2, 1, []float64{1, math.NaN()}), known, []int{0, 1}); err == nil {
		t.Errorf("measures of an output that is no number: %v", met)
	}
}

// TestStoppedMeasures: what measures rows says that it was stopped.
func TestStoppedMeasures(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := plain("a", "b")
	set := &data.Set{Rows: column(1, 2), Answers: data.Answers{"a", "b"}}
	_, _, evaluated := Evaluate(ctx, m, set.Rows, set.Answers)
	_, losses := LossesOn(ctx, m, set)
	a := sixRows([]string{"a", "b"}, nil)
	a.Task.Labels = data.Labels{Task: data.Classification, Classes: m.Classes, Class: []int{0, 1, 0, 1, 0, 1}}
	_, rows := a.onRows(ctx, m, nil, a.Task.Labels)
	near := a.Model(false).Remember(ctx, set.Rows, nil)
	for what, err := range map[string]error{"evaluate": evaluated, "losses": losses, "rows": rows, "what is remembered": near} {
		if err == nil {
			t.Errorf("%s: stopped without an error", what)
		}
	}
	if each, err := LossesOn(t.Context(), m, set); err != nil || !slices.Equal(each, []float64{1, 0}) {
		t.Errorf("%v, %v", each, err)
	}
	if each, err := LossesOn(t.Context(), plain(), &data.Set{Rows: column(1, 2), Answers: data.Answers{"3", "-1"}}); err != nil ||
		!slices.Equal(each, []float64{4, 9}) {
		t.Errorf("%v, %v", each, err)
	}
	none := data.Labels{Task: data.Classification, Class: slices.Repeat([]int{data.Unlabelled}, 6)}
	if met, err := a.onRows(t.Context(), m, nil, none); met != nil || err != nil {
		t.Errorf("no labels: %v, %v", met, err)
	}
}

// TestWhatIsNotMeasured: answers that are not one a row are refused, and a row without a label whose prediction is not finite fails the
// count of what is decided, though all rows with a label have one.
func TestWhatIsNotMeasured(t *testing.T) {
	if met, n, err := Evaluate(t.Context(), plain(), column(1, 2), data.Answers{"1"}); err == nil ||
		!strings.Contains(err.Error(), "1 answers of 2 rows; give one for each row") {
		t.Errorf("%v of %d rows, %v", met, n, err)
	}
	a := sixRows([]string{"a", "b"}, nil)
	a.Task.Labels = data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: []int{0, -1, 1, 1, -1, 1}}
	if _, err := a.Result(t.Context(), steep(10, "a", "b")); err != nil {
		t.Fatal(err)
	}
	a.Task.Input.Set.Rows = column(0, math.MaxFloat64, 2, 3, 4, 5)
	if res, err := a.Result(t.Context(), steep(10, "a", "b")); err == nil {
		t.Errorf("decided of a row without a finite prediction: %+v", res.Balance)
	}
}
