package cli

import (
	"context"
	"fmt"
	"github.com/mercer-ml/mercer/kernel"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/test/kept"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/spectral"
	"github.com/mercer-ml/mercer/internal/reproduce"
	"gonum.org/v1/gonum/mat"
)

// keptText compares a text with a file of testdata/kept, to the letter.
func keptText(t *testing.T, folder, name, got string) {
	t.Helper()
	kept.Text(t, filepath.Join(folder, name), got)
}

// keptFolder is testdata/kept, found before a test goes elsewhere.
func keptFolder(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("testdata", "kept"))
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestHelpIsKept: every verb's help, what is listed and what is described.
func TestHelpIsKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("help is 80 columns wide there, whatever COLUMNS says")
	}
	folder := keptFolder(t)
	t.Setenv("COLUMNS", "100")
	folderWith(t, nil)
	var b strings.Builder
	for _, args := range []string{
		"-h", "fit -h", "predict -h", "evaluate -h", "label -h", "pareto -h", "cluster -h", "embed -h", "export -h", "convert -h",
		"methods -h",
		"explain -h", "serve -h", "data -h", "reproduce -h", "version -h",
		"data", "data --json", "data two-moons:n=2 --seed 4 --set labelled=1", "data sinc --rows 3 --noise 0", "methods", "methods lap-svm",
		"methods gaussian", "methods label-spreading", "methods kfold:5", "methods sqp", "methods hinge --plot", "methods svr",
		"methods quartic --json", "methods epsilon --plot", "methods rls --schema", "reproduce", "reproduce --json",
	} {
		r := run(t, "", strings.Fields(args)...)
		fmt.Fprintf(&b, "== mercer %s: %d\n%s%s", args, r.code, r.stderr, r.stdout)
	}
	keptText(t, folder, "help.txt", b.String())
}

// fullResult has all that a table of a fit can show.
func fullResult() *mercer.Result {
	score := 0.25
	r := &mercer.Result{
		Method: "lap-rls", Kernel: "gaussian(sigma=2)", Task: "classification", Classes: []string{"a", "a class of a long name", "c"},
		Support: 7,
		Rows:    result.RowCounts{Labelled: 12, Unlabelled: 88, Test: 30, Features: 1},
		Params: map[string]any{
			"sigma":      2.0,
			"gamma_i":    0.5,
			"gamma_a":    1e-5,
			"neighbours": 6,
			"degree":     "real",
			"weights":    "heat",
			"lambda":     1234.5,
			"zeta":       1e6,
			"mu":         []float64{0.25, 0.005, 0.745},
			"laplacians": []string{"knn 3", "knn 6", "heat"},
		},
		Members: []result.Member{{Weight: 1}, {Weight: 2}},
		Tuning: &result.Tuning{
			Score:       "kfold:5",
			Value:       0.125,
			Evaluations: 31,
			Search:      "gradient",
			Status:      "converged",
			Fresh:       &result.Fresh{Draws: 4, Folds: 5, Mean: 0.5, Std: 0.0625},
			Tied:        true,
		},
		Baseline: &result.Baseline{
			Method:  "rls",
			Score:   &score,
			Metrics: map[string]mercer.Metric{"labelled": {"error": 0.04, "auc": 0.5}, "hidden": {"error": 0.35, "prbep": 0.75}},
		},
		Metrics: map[string]mercer.Metric{
			"labelled": {"error": 0, "auc": 1, "log_loss": 0.1875},
			"hidden":   {"error": 0.1},
			"test":     {"error": 0.0625, "rmse": 1.23456, "mae": 12345.678, "r2": 0.5},
		},
		Certificate: &result.Certificate{
			Objective: 12.5,
			Residual:  3e-14,
		}, Graph: &result.GraphState{Components: 4, WithoutLabel: 2, RowsWithoutLabel: 9, Isolated: 1, Edges: 1234, MeanDegree: 6.25},
		Scaling: "to unit variance", Selected: []string{"length", "width"}, Balance: &result.Balance{Labelled: []float64{0.5, 0.25, 0.25},
			Unlabelled: []float64{0.25, 0.25, 0.5}},
		Seconds: result.Seconds{Total: 1.5, Tune: 1, Fit: 0.25}, Forecast: &result.Foreseen{Seconds: 2, Bytes: 3 << 20}, Model: "m.mercer",
	}
	for k := range relevant + 2 {
		r.Relevance = append(r.Relevance, kernel.Relevance{Name: fmt.Sprintf("feature %d", k+1), Share: 0.25 / float64(k+1)})
	}
	return r
}

// otherResults differ from the full one in what their tables show.
func otherResults() []*mercer.Result {
	plain := &mercer.Result{
		Method: "rls",
		Kernel: "ard-gaussian(sigma=...)",
		Task:   "regression",
		Rows:   result.RowCounts{Labelled: 3, Features: 2},
		Params: map[string]any{"sigma[a]": 2.0, "sigma[bb]": 0.5, "lambda": 0.25, "1.sigma": 4.0, "sigma[c]": 1.0},
		Tuning: &result.Tuning{
			Score: "none",
		},
		Metrics:   map[string]mercer.Metric{"labelled": {"rmse": 0.5}},
		Relevance: []kernel.Relevance{{Name: "a", Share: 1}},
		Graph:     &result.GraphState{Components: 1, Edges: 1, MeanDegree: 2},
	}
	alike := &mercer.Result{
		Method:    "rls",
		Kernel:    "gaussian",
		Task:      "regression",
		Params:    map[string]any{"sigma[a]": 2.0, "sigma[b]": 2.0, "mu": []float64{1}, "laplacians": []string{}},
		Relevance: []kernel.Relevance{{Name: "a", Share: 0.75}, {Name: "b", Share: 0.25}},
	}
	classes := &mercer.Result{
		Method:  "l2-svm",
		Kernel:  "laplacian-gaussian",
		Task:    "classification",
		Classes: letters(11),
		Members: []result.Member{{Class: "a"}, {Class: "b"}},
		Params:  map[string]any{"sigma": 2.0},
		Balance: &result.Balance{Labelled: make([]float64, 11), Unlabelled: make([]float64, 11)},
		Seconds: result.Seconds{Total: 2},
	}
	for k := range 11 {
		classes.Balance.Labelled[k], classes.Balance.Unlabelled[k] = float64(k)/55, float64(10-k*k%11)/55
	}
	ten := &mercer.Result{
		Method:  "rls",
		Kernel:  "linear",
		Task:    "classification",
		Classes: letters(10),
		Balance: &result.Balance{Labelled: classes.Balance.Labelled[:10]},
	}
	silent := &mercer.Result{
		Method:  "rls",
		Kernel:  "linear",
		Task:    "classification",
		Classes: letters(11),
		Balance: &result.Balance{Labelled: classes.Balance.Labelled},
	}
	splits := fullResult()
	splits.Splits = &result.Splits{
		Count:    3,
		Hidden:   map[string]float64{"error_mean": 0.1, "error_std": 0.02, "auc_mean": 0.875},
		Baseline: &result.SplitBaseline{Hidden: map[string]float64{"error_mean": 0.2}},
	}
	alone := &mercer.Result{
		Method: "rls",
		Kernel: "linear",
		Task:   "regression",
		Splits: &result.Splits{Count: 1, Hidden: map[string]float64{"rmse_mean": 2.5, "rmse_std": 0.5}},
	}
	unnamed := &mercer.Result{
		Method: "rls",
		Kernel: "linear",
		Task:   "regression",
		Splits: &result.Splits{
			Count:    2,
			Hidden:   map[string]float64{"rmse_mean": 2.5},
			Baseline: &result.SplitBaseline{Hidden: map[string]float64{"rmse_mean": 3}},
		},
	}
	plain.Params["mu"], plain.Params["laplacians"] = []float64{0.25, 0.75}, []string{"knn 3", "knn 6"}
	return []*mercer.Result{plain, alike, classes, ten, silent, splits, alone, unnamed}
}

// judgedResults say what to expect of new rows, and what rows without a label were worth, in every way that there is.
func judgedResults() []*mercer.Result {
	some := func(v float64) *float64 { return &v }
	stacked := &mercer.Result{
		Method: "auto", Kernel: "stack", Task: "classification", Classes: letters(6),
		Rows: result.RowCounts{Labelled: 40, Features: 3},
		Estimate: &result.Estimate{Measure: "error", Error: 0.125, Low: 0.0625, High: 0.25, Level: 0.9, Rows: 40, From: "leave-one-out",
			Trivial: some(0.75), Corrected: true},
		Members: []result.Member{{Kernel: "linear", Weight: 0.25, Error: some(0.5)}, {Kernel: "gaussian", Weight: 0.75, Error: some(0.125)}},
		Guesses: []string{"column label is the label", "3 columns of numbers"},
		Balance: &result.Balance{Labelled: []float64{0.125, 0.25, 0.25, 0.125, 0.125, 0.125}},
		Model:   "m.mercer", Seconds: result.Seconds{Total: 1, RowsPerSecond: 123456},
	}
	for k, name := range stacked.Classes {
		c := result.ClassEstimate{Class: name, Rows: 20 - 3*k, Recall: some(float64(k%4) / 4), Precision: some(float64(k) / 8)}
		if k == 4 {
			c.Recall, c.Precision = nil, nil
		}
		stacked.Estimate.Classes = append(stacked.Estimate.Classes, c)
	}
	numbers := &mercer.Result{
		Method: "auto", Kernel: "stack", Task: "regression", Rows: result.RowCounts{Labelled: 30, Unlabelled: 9, Features: 2},
		Estimate: &result.Estimate{Measure: "rmse", Error: 2.5, Low: 2, High: 3.5, Level: 0.9, Rows: 1, From: "hold-out", Trivial: some(8)},
		Members:  []result.Member{{Kernel: "linear", Weight: 0.5, Error: some(4)}, {Kernel: "gaussian", Weight: 0.5, Error: some(3)}},
		Baseline: &result.Baseline{Method: "rls", Score: some(0.5)}, Tuning: &result.Tuning{Score: "gcv", Value: 0.5},
	}
	helped, used, chosen, own, seen := *numbers, *numbers, *numbers, *numbers, *numbers
	helped.Tuning, helped.Estimate = &result.Tuning{Score: "gcv", Value: 0.25}, nil
	used.Tuning, used.Members = nil, []result.Member{{Weight: 1, Error: some(1)}}
	chosen.Baseline, chosen.Method = nil, "rls"
	own.Baseline, own.Method = nil, "lap-rls"
	seen.Metrics, seen.Estimate = map[string]mercer.Metric{"hidden": {"rmse": 2}}, nil
	seen.Baseline = &result.Baseline{Method: "rls", Metrics: map[string]mercer.Metric{"hidden": {"rmse": 2}}}
	return []*mercer.Result{stacked, numbers, &helped, &used, &chosen, &own, &seen}
}

// smallerResults have few centres, wanted shares of classes, views that do not agree and rows that have moved.
func smallerResults() []*mercer.Result {
	some := func(v float64) *float64 { return &v }
	few := &mercer.Result{
		Method: "rls", Kernel: "gaussian", Task: "classification", Classes: letters(3), Rows: result.RowCounts{Labelled: 9, Features: 2},
		Basis: &result.BasisState{Centres: 8, Choose: "greedy", Sizes: []result.BasisPoint{
			{Centres: 2, Error: 0.5, Spread: 0.0625, Front: true, Distilled: true, Apart: 0.25},
			{Centres: 4, Error: 0.375, Spread: 0.03125, Front: true, Reduced: true, Apart: 0.125},
			{Centres: 6, Error: 0.4375, Spread: 0.03125},
			{Centres: 8, Error: 0.25, Spread: 0.03125, Chosen: true},
			{Centres: 16, Error: 0.125, Spread: 0.015625, Front: true},
		}},
		Balance: &result.Balance{Labelled: []float64{0.5, 0.25, 0.25}, Unlabelled: []float64{0.25, 0.5, 0.25},
			Asked: []float64{0.25, 0.25, 0.5}, AskedError: []float64{0.0625, 0.125, 0.25}},
		Clusters: &result.ClusterState{Text: "3, as the labels have"},
		Views: &result.ViewState{Views: []result.OneView{{Name: "first", Rows: 9, Metrics: map[string]mercer.Metric{"labelled": {"error": 0.25}}},
			{Name: "a view of a long name", Rows: 4}}},
	}
	agreed := *few
	agreed.Basis, agreed.Balance, agreed.Task, agreed.Classes = &result.BasisState{Centres: 1, Choose: "random"}, nil, "regression", nil
	agreed.Views = &result.ViewState{Views: []result.OneView{{Name: "v", Rows: 2, Metrics: map[string]mercer.Metric{"hidden": {"rmse": 1.5},
		"labelled": {"rmse": 0.5}}}}, Agreement: some(0.875), Disputed: []int{3, 1}}
	return []*mercer.Result{few, &agreed}
}

func letters(n int) []string {
	names := make([]string, n)
	for k := range names {
		names[k] = strings.Repeat(string(rune('a'+k)), k+3)
	}
	return names
}

// fronts are fronts of few members, of many, of one, with and without decades of complexity.
func fronts() []*mercer.FrontResult {
	front := func(n, chosen int, of func(k int) (risk, complexity float64)) *mercer.FrontResult {
		r := &mercer.FrontResult{
			Method:   "mobj-svm",
			Task:     "classification",
			Classes:  []string{"a", "b"},
			Rows:     result.RowCounts{Labelled: 12, Unlabelled: 3, Features: 2},
			Decision: "knee",
			Assumed:  "the sharpest bend",
			Metrics: map[string]mercer.Metric{
				"labelled": {"error": 0.25, "auc": 0.5},
				"test":     {"error": 0.125},
			},
			Scaling:   "none",
			Seconds:   result.Seconds{Total: 3, Tune: 2, Fit: 1},
			Violation: 1e-6,
			Trained:   5,
			Model:     "f.mercer",
		}
		for k := range n {
			risk, complexity := of(k)
			m := result.FrontMember{
				Risk:       risk,
				Complexity: complexity,
				Support:    k,
				Chosen:     k == chosen,
				Params:     map[string]any{"C": float64(k), "kind": "x"},
			}
			if k%2 == 0 {
				s := 1 / float64(k+1)
				m.Score = &s
			}
			r.Front = append(r.Front, m)
		}
		return r
	}
	line := func(k int) (float64, float64) { return 1 / float64(k+1), float64(k) }
	steep := func(k int) (float64, float64) { return math.Pow(0.5, float64(k)), math.Pow(10, float64(k)) - 1 }
	one := front(1, 0, line)
	one.Classes, one.Violation, one.Trained, one.Model, one.Task = nil, 0, 0, "", "regression"
	return []*mercer.FrontResult{front(5, 2, line), front(6, 5, steep), front(20, 0, line), front(21, 1, line), front(60, 30, line), one}
}

// TestTablesAreKept: every line that a table can have, of made-up results.
func TestTablesAreKept(t *testing.T) {
	var b strings.Builder
	for _, r := range slices.Concat(otherResults(), []*mercer.Result{fullResult()}, judgedResults(), smallerResults()) {
		b.WriteString(table(r) + "\n")
	}
	for _, p := range []printing{{}, {repeat: outerFolds, detail: true, kept: "holds 7 rows of the data"}} {
		for _, r := range slices.Concat(judgedResults(), smallerResults(), []*mercer.Result{fullResult()}) {
			b.WriteString(p.table(r) + "\n")
		}
	}
	for _, r := range fronts() {
		b.WriteString(frontTable(r) + "\n")
	}
	rows := data.Rows{Dense: mat.NewDense(30, 1, nil)}
	for i := range 30 {
		rows.Dense.Set(i, 0, float64(i*i)/10+float64(i/15)*1000)
	}
	g, err := graph.Recipe{Neighbours: 3}.Build(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &learned{graph: g}
	views := &learned{graph: g, views: []mercer.View{{Name: "one"}, {Name: "two"}}}
	sizes := make([]int, 21)
	for k := range sizes {
		sizes[k] = k
	}
	values := []float64{0, 0.125, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4}
	for _, r := range []*clusterResult{
		{Rows: embedRows{Rows: 30, Features: 1}, Clusters: 2, Sizes: []int{10, 20}, NormalisedCut: 0.125, Eigenvalues: values[:10],
			Status: "converged", Scaling: "none"},
		{Rows: embedRows{Rows: 1, Features: 2, Test: 5}, Clusters: 21, Sizes: sizes, Kernel: "gaussian", Eigenvalues: values,
			Gaps: values[:2], Aside: 1, Status: "stopped", Certificate: embedCertificate{Residual: 1e-9},
			Metrics: map[string]any{"labelled": &agreement{12, 0.5, 0.125}, "test": &agreement{1, 0.25, 0}}},
	} {
		b.WriteString((&clusterCmd{}).table(r, l) + "\n")
	}
	for _, r := range []*embedResult{{Rows: embedRows{Rows: 30, Features: 1}, Dim: 1, Eigenvalues: values, Status: "converged",
		Scaling: "none"}, {Rows: embedRows{Rows: 30, Features: 1, Test: 2}, Dim: 3, Kernel: "linear"}} {
		b.WriteString((&embedCmd{}).table(r, views) + "\n")
	}
	for _, n := range []int{2, tableClasses, tableClasses + 1} {
		c := &confusion{classes: append(letters(n-1), "unseen")}
		for k := range n {
			row := make([]int, n-1)
			for q := range row {
				row[q] = (k + 2*q) % 4
			}
			c.counts, c.precision, c.recall, c.f1 = append(
				c.counts,
				row,
			), append(
				c.precision,
				float64(k)/16,
			), append(
				c.recall,
				math.NaN(),
			), append(
				c.f1,
				1,
			)
		}
		var s sheet
		c.table(&s)
		fmt.Fprintf(&b, "%s%+v\n", s.String(), c.object(evaluation{Rows: 3}))
	}
	for _, unseen := range []map[string]int{{"a": 1}, {"e": 1, "d": 2, "c": 1, "b": 1, "a": 1},
		{"e": 1, "d": 2, "c": 1, "b": 1, "a": 1, "f": 4}} {
		b.WriteString(unseenText("f.csv", unseen) + "\n")
	}
	for _, id := range []string{"hinge", "epsilon"} {
		v, err := learn.ParseLoss(id)
		if err != nil {
			continue
		}
		plotLoss(&b, v)
	}
	keptText(t, keptFolder(t), "tables.txt", b.String())
}

// TestProgressLines: a line of its own in a log, one that is rewritten on a terminal, with a bar.
func TestProgressLines(t *testing.T) {
	var out strings.Builder
	start := time.Now()
	p := &progress{out: &out, start: start, terminal: true, last: start.Add(-time.Hour), stop: func() {}}
	for _, c := range []struct {
		s        mercer.Progress
		terminal bool
		want     string
	}{
		{mercer.Progress{Stage: "tuning", Done: 6, Total: 24, Best: 0.125}, true,
			"tuning [======                  ] 6/24, best score 0.125, 2.5 s"},
		{mercer.Progress{Stage: "tuning", Done: 30, Total: 24, Best: math.Inf(1)}, true, "tuning [========================] 30/24, 2.5 s"},
		{mercer.Progress{Stage: "tuning", Done: 0, Total: 24, Best: 1}, false, "tuning 0/24, 2.5 s"},
		{mercer.Progress{Stage: "graph", Done: 3, Best: math.NaN()}, false, "graph 3, 2.5 s"},
		{mercer.Progress{Stage: "graph"}, true, "graph, 2.5 s"},
	} {
		p.terminal = c.terminal
		if got := p.line(c.s, start.Add(2500*time.Millisecond)); got != c.want {
			t.Errorf("%+v: %q, want %q", c.s, got, c.want)
		}
	}
	p.terminal, p.shown = true, 40
	p.step(mercer.Progress{Stage: "tuning"})
	first := out.String()
	p.step(mercer.Progress{Stage: "tuning"}) // too soon
	if !strings.HasPrefix(first, "\rtuning, 0.0 s ") || len(first) != 41 || out.String() != first || p.shown != len("tuning, 0.0 s") {
		t.Errorf("the terminal shows %q", out.String())
	}
	out.Reset()
	if _, err := p.Write([]byte("mercer: x\n")); err != nil || out.String() != "\r"+strings.Repeat(" ", 13)+"\rmercer: x\n" ||
		p.shown != 0 {
		t.Errorf("a message is %q, %v", out.String(), err)
	}
	out.Reset()
	p.end()
	p.terminal, p.last = false, start.Add(-logEvery/2)
	p.step(mercer.Progress{Stage: "tuning"})
	if out.Len() != 0 {
		t.Errorf("a log has %q after half its time", out.String())
	}
	p.last = start.Add(-2 * logEvery)
	p.step(mercer.Progress{Stage: "tuning"})
	if out.String() != "mercer: tuning, 0.0 s\n" {
		t.Errorf("a log has %q", out.String())
	}
}

// TestReproducedTables: numbers printed and ours side by side, as text, as JSON, as Markdown.
func TestReproducedTables(t *testing.T) {
	printed := 12.5
	table := &reproduce.Table{
		ID:      "becker-f3.1",
		Seconds: 1.25,
		Rows: []reproduce.Row{
			{Case: "a|b", Metric: "error", Printed: &printed, Ours: 12.25, OursStd: 0.5, Runs: 10},
			{Case: "c", Metric: "m", Ours: 1e-7},
		},
		Notes: []string{"first", "second"},
	}
	var out, md strings.Builder
	for _, asJSON := range []bool{false, true} {
		c := &reproduceCmd{}
		c.JSON = asJSON
		if err := c.print(&env{stdout: &out}, table); err != nil {
			t.Fatal(err)
		}
	}
	c := &reproduceCmd{IDs: []string{"becker-f3.1"}, DataDir: "/somewhere/else", Seed: 1}
	folder := keptFolder(t)
	folderWith(t, nil)
	c.Markdown = "t.md"
	if err := c.markdown([]*reproduce.Table{table, table}, time.Now(), ""); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("t.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "*") ||
			strings.Contains(line, "mercer reproduce") ||
			strings.Contains(line, "Took") {
			md.WriteString(line)
		}
	}
	if err := writeReproduced("pages", []*reproduce.Table{table}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("pages", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range []string{"12.5|12.2|0.5|10", "|1e-07|0|0"} {
		if !strings.Contains(string(page), "<td>"+strings.ReplaceAll(cells, "|", "</td><td>")+"</td>") {
			t.Errorf("the page has no cells %s", cells)
		}
	}
	keptText(t, folder, "reproduced.txt", out.String()+md.String())
}

// TestLinesOfParameters: cells share a line as long as they fit, and the next line begins with one that did not.
func TestLinesOfParameters(t *testing.T) {
	cell := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		cells []string
		want  string
	}{
		{[]string{cell(40), cell(40)}, "  name            " + cell(40) + ", " + cell(40) + "\n"},
		{[]string{cell(42), cell(40)}, "  name            " + cell(42) + ",\n                  " + cell(40) + "\n"},
		{[]string{cell(99), cell(1), cell(1)}, "  name            " + cell(99) + ",\n                  x, x\n"},
		{nil, ""},
	} {
		var s sheet
		s.wrapped("name", c.cells)
		if s.String() != c.want {
			t.Errorf("%q, want %q", s.String(), c.want)
		}
	}
}

// TestEndsOfFits: a fit that its time limit ended, or an interrupt, says so and what was kept.
func TestEndsOfFits(t *testing.T) {
	said := func(ctx context.Context, c *fitCmd, r *mercer.Result) (string, string, error) {
		var out, errs strings.Builder
		err := c.report(&env{ctx: ctx, stdout: &out, stderr: &errs}, r, printing{repeat: outerFolds, detail: c.Verbose})
		return out.String(), errs.String(), err
	}
	plain := &mercer.Result{
		Method:   "rls",
		Kernel:   "linear",
		Task:     "regression",
		Warnings: []string{"look", "here"},
		Tuning:   &result.Tuning{Score: "gcv", Status: "time limit", Evaluations: 3},
	}
	c := &fitCmd{}
	out, errs, err := said(t.Context(), c, plain)
	if err != nil || out != table(plain) ||
		errs != "mercer: warning: look\nmercer: warning: here\nmercer: warning: --time-limit ended the tuning after 3 "+
			"evaluations; this is "+
			"the best until then\n" {
		t.Errorf("%q, %q, %v", out, errs, err)
	}
	c.Quiet, c.JSON = true, true
	if out, errs, err = said(t.Context(), c, plain); err != nil || errs != "" || !strings.HasPrefix(out, `{"method":"rls"`) ||
		strings.Count(out, "\n") != 1 {
		t.Errorf("%q, %q, %v", out, errs, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, ended := range []struct{ model, page, want string }{{"", "", "interrupted; nothing was written"},
		{"m", "", "interrupted; the best so far is in m"}, {"", "page", "interrupted; the best so far is in page"},
		{"m", "page", "interrupted; the best so far is in m"}} {
		plain.Model, c.Report = ended.model, ended.page
		if _, _, err = said(stopped, c, plain); err == nil || err.Error() != ended.want {
			t.Errorf("%v: %v", ended, err)
		}
	}
	plain.Tuning.Status = "converged"
	if _, errs, _ = said(t.Context(), &fitCmd{}, plain); strings.Contains(errs, "time-limit") {
		t.Errorf("%q", errs)
	}
}

// TestGraphsTakeMemory: what clusters and eigenmaps are announced to take, added up on paper.
func TestGraphsTakeMemory(t *testing.T) {
	dense := func(n, d int) data.Rows { return data.Rows{Dense: mat.NewDense(n, d, nil)} }
	const fixed = 64 << 20
	kernelly := func(rank int) *plan { return &plan{regularised: &spectral.Regularised{Rank: rank}} }
	for _, c := range []struct {
		name         string
		p            *plan
		rows         data.Rows
		dims, graphs int
		want         int64
	}{
		{"rows, neighbours and vectors", &plan{graph: graph.Recipe{Neighbours: 10}}, dense(100, 5), 2, 1,
			3*4000 + 100*(120+20*52) + 8*100*10*6},
		{"many vectors", &plan{graph: graph.Recipe{Neighbours: 10}}, dense(100, 5), 20, 1, 3*4000 + 116000 + 8*100*10*30},
		{"three graphs", &plan{graph: graph.Recipe{Neighbours: 10}}, dense(100, 5), 2, 3, 3*4000 + 4*116000 + 48000},
		{"approximate", &plan{graph: graph.Recipe{Neighbours: 20, Search: graph.NeighbourSearch{Method: graph.Approximate}}}, dense(10, 1),
			2,
			1, 3*80 + 10*(240+40*52) + 10*(16*2*40*9/4+200) + 4800},
		{"few neighbours, approximate", &plan{graph: graph.Recipe{Neighbours: 10,
			Search: graph.NeighbourSearch{Method: graph.Approximate}}},
			dense(10, 1), 2, 1, 3*80 + 11600 + 10*(16*2*30*9/4+200) + 4800},
		{"all rows joined", &plan{graph: graph.Recipe{Kind: graph.Full, Neighbours: 10}}, dense(100, 5), 2, 1,
			3*4000 + 116000 + 100*100*44 +
				48000},
		{"a kernel", with(kernelly(0), 10), dense(100, 5), 2, 1, 3*4000 + 116000 + 8*(100*100+4*100*100+100*150)},
		{"a kernel of few landmarks", with(kernelly(20), 10), dense(100, 5), 2, 1, 3*4000 + 116000 + 8*(100*20+4*20*20+100*150)},
		{"a kernel of all of 3000", with(kernelly(0), 10), dense(3000, 1), 2, 1, 3*24000 + 3000*1160 + 8*(3000*3000+4*3000*3000+3000*150)},
		{"a kernel of some of 3001", with(kernelly(0), 10), dense(3001, 1), 2, 1, 3*24008 + 3001*1160 + 8*(3001*500+4*500*500+3001*150)},
		{"sparse rows", &plan{graph: graph.Recipe{Neighbours: 10}}, data.Rows{Sparse: data.CSRFromDense(mat.NewDense(2, 3,
			[]float64{1, 0, 2, 0, 3, 0}))}, 2, 1, 3*36 + 2*1160 + 8*2*10*6},
		{"50000 rows", &plan{graph: graph.Recipe{Neighbours: 10}}, dense(50_000, 1), 2, 1, 3*400_000 + 50_000*1160 + 8*50_000*60},
		{"50001 rows", &plan{graph: graph.Recipe{Neighbours: 10}}, dense(50_001, 1), 2, 1, 3*400_008 + 50_001*1160 +
			50_001*(16*2*30*9/4+200) + 8*50_001*60},
	} {
		if got := c.p.bytes(c.rows, c.dims, c.graphs); got != c.want+fixed {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want+fixed)
		}
	}
}

func with(p *plan, neighbours int) *plan {
	p.graph.Neighbours = neighbours
	return p
}
