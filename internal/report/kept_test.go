package report

import (
	"fmt"
	"github.com/mercer-ml/mercer/kernel"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"
	"github.com/mercer-ml/mercer/result"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/search/param"
)

// value is a number of a drawing or a page, a sign before it only where it is no hyphen of a word.
var value = regexp.MustCompile(`#[0-9a-fA-F]{6}|[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`)

// same compares with a file of testdata: words to the letter, numbers as far as processors agree
// on them in a drawing, which is far below what an eye can tell.
func same(t *testing.T, name, got string) {
	t.Helper()
	kept.Text(t, filepath.Join("testdata", name), got, sameLine)
}

func sameLine(a, b string) bool {
	if a == b {
		return true
	}
	if value.ReplaceAllString(a, "%") != value.ReplaceAllString(b, "%") {
		return false
	}
	x, y := value.FindAllString(a, -1), value.FindAllString(b, -1)
	for i := range x {
		v, err := strconv.ParseFloat(x[i], 64)
		w, other := strconv.ParseFloat(y[i], 64)
		if x[i] != y[i] && (err != nil || other != nil || math.Abs(v-w) > 2e-3+1e-5*math.Abs(v)) {
			return false
		}
	}
	return true
}

// drawn is a figure with the words and the table around it, an element a line.
func drawn(t *testing.T, f *Figure) string {
	t.Helper()
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%s, wide %t: %s\n%s\n", f.Name, f.Wide, f.Caption, strings.ReplaceAll(string(svg), "> <", ">\n<"))
	if d := f.Data; d != nil {
		text += fmt.Sprintf("%s %v\n", d.Caption, d.Head)
		for i, row := range d.Rows {
			text += fmt.Sprint(row)
			if d.Shades != nil {
				text += fmt.Sprintf(" %.3f", d.Shades[i])
			}
			text += "\n"
		}
	}
	return text
}

// judgedOf are rows judged of two, three or seven classes, with scores and probabilities that are
// simple functions of the row's number.
func judgedOf(kind string, classes, rows int, probable bool) *Judged {
	j := &Judged{Kind: kind}
	columns := classes
	if classes == 2 {
		columns = 1
	}
	j.Score = mat.NewDense(rows, columns, nil)
	if probable {
		j.Probability = mat.NewDense(rows, classes, nil)
	}
	for i := range rows {
		j.Class, j.Given = append(j.Class, i%classes), append(j.Given, (i+i/5%2)%classes)
		for c := range columns {
			j.Score.Set(i, c, float64((i*7+c*3)%10)-4.5+3*float64(i%classes))
		}
		if probable {
			top := 0.4 + 0.5*float64(i%6)/5
			for c := range classes {
				j.Probability.Set(i, c, (1-top)/float64(classes-1))
			}
			j.Probability.Set(i, j.Given[i], top)
		}
	}
	return j
}

// numbersOf are rows judged of a regression, one of them without a finite output.
func numbersOf() *Judged {
	j := &Judged{Kind: "test"}
	for i := range 8 {
		v := float64(i*i)/4 - 3
		j.Value, j.Output = append(j.Value, v), append(j.Output, 0.8*v+0.3*float64(i%3))
	}
	j.Value, j.Output = append(j.Value, 1), append(j.Output, math.NaN())
	return j
}

// letters are names of classes.
func letters(n int) []string {
	names := make([]string, n)
	for k := range names {
		names[k] = "kind " + string(rune('A'+k)) + " of many"
	}
	return names
}

// setOf are rows of two features; every third, and those from a place on, have no answer.
func setOf(rows, columns int, answer func(x []float64) string) *data.Set {
	s := &data.Set{
		Rows:      data.Rows{Dense: mat.NewDense(rows, columns, nil)},
		Features:  []string{"length", "a feature with a long name of its own"}[:columns],
		LabelName: "kind",
	}
	for i := range rows {
		row := s.Rows.Dense.RawRowView(i)
		for k := range row {
			row[k] = float64((i*(3+2*k)+k)%11) - 5 + 0.5*float64(k)
		}
		a := answer(row)
		if i%3 == 2 {
			a = ""
		}
		s.Answers = append(s.Answers, a)
	}
	return s
}

// linearModel is a model of weights.
func linearModel(what data.Task, classes []string, weights *mat.Dense, offset ...float64) *model.Model {
	d, _ := weights.Dims()
	return &model.Model{Task: what, Classes: classes, Columns: d, Scaling: data.Scaling{Kind: "none"},
		Parts: []model.Part{{Functions: []model.Function{model.Linear{Weights: weights}}, Offset: offset}}}
}

func evaluations(search string, names []string, of func(i, k int) float64, score func(i int) float64) []mercer.Evaluation {
	var space param.Space
	for k, name := range names {
		kind := param.Log
		if k%2 == 1 {
			kind = param.Real
		}
		space = append(space, param.Dim{Name: name, Kind: kind, Lo: 1e-6, Hi: 1e6})
	}
	var list []mercer.Evaluation
	for i := range 9 {
		e := mercer.Evaluation{N: i + 1, Stage: 1 + i/7, Search: search, Space: space, Score: score(i)}
		for k := range names {
			e.Theta = append(e.Theta, of(i, k))
		}
		list = append(list, e)
	}
	return list
}

// judgedFigures are those of rows that were judged.
func judgedFigures(all map[string]*Figure) {
	left := judgedOf("left out", 2, 30, true)
	three := judgedOf("hidden", 3, 31, true)
	three.Class[4], three.Class[9] = data.Unseen, data.Unseen
	seven := judgedOf("test", 7, 40, false)
	many := judgedOf("test", 13, 40, false)
	for name, j := range map[string]*Judged{"two": left, "three": three, "seven": seven, "many": many} {
		n := map[string]int{"two": 2, "three": 3, "seven": 7, "many": 13}[name]
		for _, f := range j.figures(letters(n)) {
			all[f.Name+"-"+name] = f
		}
	}
	for _, f := range numbersOf().figures(nil) {
		all[f.Name] = f
	}
}

// frontFigures are those of fronts: on plain axes, on logarithmic ones, of one member.
func frontFigures(all map[string]*Figure) {
	plain := frontOf(9)
	steep := frontOf(7)
	for i := range steep.Members {
		s := math.Pow(3, float64(i))
		steep.Members[i].Complexity, steep.Members[i].Risk, steep.Members[i].Score = math.Pow(
			10,
			float64(i-2),
		), math.Pow(
			0.5,
			float64(i),
		), &s
	}
	steep.Parts = nil
	one := frontOf(1)
	for name, f := range map[string]*Front{"plain": plain, "steep": steep, "one": one} {
		all["front-"+name], all["front-score-"+name] = f.plane(), f.scores()
	}
}

// searchFigures are those of searches.
func searchFigures(t *testing.T, all map[string]*Figure) {
	fall := func(i int) float64 {
		if i == 2 {
			return math.Inf(1)
		}
		return math.Abs(float64(i)-4.5) + 0.25
	}
	steep := func(i int) float64 { return math.Pow(4, math.Abs(float64(i)-3)) }
	way := func(i, k int) float64 {
		if k%2 == 0 {
			return math.Pow(2, float64((i*(k+3))%13-6))
		}
		return float64((i*(k+2))%13) - 1
	}
	all["score-plain"] = progress(evaluations("grid", []string{"sigma"}, way, fall), "loo")
	all["score-steep"] = progress(evaluations("grid", []string{"sigma"}, way, steep), "loo")
	result := &mercer.Result{Tuning: &result.Tuning{Score: "kfold:5"}}
	surface := &Surface{XName: "sigma", YName: "b", X: []float64{0.125, 0.5, 1, 4, 8}, Y: []float64{-2, 0, 1.5, 4}}
	for _, y := range surface.Y {
		var row []float64
		for _, x := range surface.X {
			row = append(row, math.Pow(math.Log2(x), 2)+y*y)
		}
		surface.Z = append(surface.Z, row)
	}
	surface.Z[3][0] = math.Inf(1)
	names := []string{"sigma", "b", "lambda", "offset", "gamma", "k", "a name that is too long", "d", "C", "last"}
	sometimes := func(i, k int) float64 {
		if k == 1 && i < 7 && i%2 == 0 {
			return math.NaN()
		}
		return way(i, k)
	}
	for name, r := range map[string]*Run{
		"along-log": {Result: result, Evaluations: evaluations("grid", names[:1], way, fall)},
		"along-steep": {Result: result, Evaluations: evaluations("grid", []string{"x", "b"},
			func(i, k int) float64 { return float64(k * i) }, steep)},
		"over-two":       {Result: result, Evaluations: evaluations("gradient", names[:2], way, fall), Surface: surface},
		"over-two-grid":  {Result: result, Evaluations: evaluations("grid", names[:2], way, fall)},
		"parallel":       {Result: result, Evaluations: evaluations("grid", names[:4], sometimes, fall)},
		"parallel-many":  {Result: result, Evaluations: evaluations("random", names, way, fall)},
		"parallel-ended": {Result: result, Evaluations: evaluations("random", names[:3], sometimes, steep)},
	} {
		for i := range r.Evaluations {
			r.Evaluations[i].Stage = 1
		}
		f := r.trajectory()
		if f == nil {
			t.Fatalf("%s: no figure", name)
		}
		all[name] = f
	}
}

// planeFigures are what models predict over their features.
func planeFigures(t *testing.T, all map[string]*Figure) {
	side := func(x []float64) string {
		if x[0] > 0.5 {
			return "b"
		}
		return "a"
	}
	sum := func(x []float64) string {
		s := 0.0
		for _, v := range x {
			s += v
		}
		return fmt.Sprint(s)
	}
	named := setOf(17, 1, sum)
	named.LabelName = ""
	for name, c := range map[string]struct {
		m *model.Model
		s *data.Set
	}{
		"map-two": {linearModel(data.Classification, []string{"a", "b"}, mat.NewDense(2, 1, []float64{1, 0.25}), -0.5), setOf(12, 2, side)},
		"map-three": {linearModel(data.Classification, []string{"a", "b", "c"}, mat.NewDense(2, 3, []float64{-1, 1, 0, 0, 0, 0.5}), 0, 0,
			-0.3), setOf(9, 2, side)},
		"map-value": {linearModel(data.Regression, nil, mat.NewDense(2, 1, []float64{1, -0.5}), 0.7), setOf(8, 2, sum)},
		"function":  {linearModel(data.Regression, nil, mat.NewDense(1, 1, []float64{1.5}), 0.5), named},
	} {
		f, err := predictions(t.Context(), c.m, c.s)
		if err != nil || f == nil {
			t.Fatalf("%s: no figure (%v)", name, err)
		}
		all[name] = f
	}
}

// TestFiguresAreKept: figures of small inputs are drawn as the files in testdata;
// a change of them is a change of what people see.
func TestFiguresAreKept(t *testing.T) {
	all := map[string]*Figure{}
	judgedFigures(all)
	frontFigures(all)
	searchFigures(t, all)
	planeFigures(t, all)
	split := &result.Splits{Hidden: map[string]float64{"error_mean": 0.1, "rmse_mean": 2.5}, Each: []float64{0.08, 0.1, 0.12}}
	all["splits-alone"] = (&Run{Result: &mercer.Result{Splits: split, Task: "regression"}}).splitsFigure()
	both := *split
	both.Baseline = &result.SplitBaseline{Hidden: map[string]float64{"error_mean": 0.2}}
	all["splits"] = (&Run{Result: &mercer.Result{Splits: &both, Task: "classification"}}).splitsFigure()
	wide := frontOf(3).plane()
	wide.Wide = true
	all["front-wide"] = wide
	drawings(all)
	for name, f := range all {
		if f == nil {
			t.Fatalf("%s: no figure", name)
		}
		same(t, filepath.Join("figures", name+".txt"), drawn(t, f))
	}
}

// drawings are those made of curves and levels.
func drawings(all map[string]*Figure) {
	z := [][]float64{{0, 1, 2}, {1, math.Inf(1), 3}, {2, 3, 4}}
	over := Surface{X: []float64{1, 10, 100}, Y: []float64{0, 1, 2}, Z: z}
	long := Curve{Name: "long"}
	for i := range mostMarked + 1 {
		long.X, long.Y = append(long.X, float64(i+1)), append(long.Y, math.Sqrt(float64(i+1)))
	}
	loose := long
	loose.Name, loose.Loose = "loose", true
	marked := Curve{Name: "marked", X: long.X[:mostMarked], Y: long.X[:mostMarked]}
	all["drawing-levels"] = (&Drawing{Name: "d", Title: "All kinds", Caption: "c", XName: "x", YName: "y", XLog: true,
		Curves: []Curve{{Name: "way", X: []float64{1, 10, 100, 1000}, Y: []float64{1, 2, math.NaN(), 3}},
			{Name: "rows", X: []float64{5}, Y: []float64{-1}, Loose: true},
			{Name: "six", X: long.X[:6], Y: long.Y[:6], Loose: true}, {Name: "five", X: long.X[:5], Y: long.Y[:5], Loose: true}},
		Levels: []Level{{Name: "H", Surface: over}, {Name: "boundary", Surface: over, At: []float64{1.5, 2.5}}}}).Figure()
	all["drawing-curves"] = (&Drawing{Name: "d", Title: "Curves", XName: "x", YName: "y", YLog: true,
		Curves: []Curve{long, loose, marked, {Name: "dot", X: []float64{3}, Y: []float64{2}}}}).Figure()
	var ten []Curve
	for k := range 10 {
		ten = append(ten, Curve{Name: "curve " + strconv.Itoa(k), X: []float64{0, 1}, Y: []float64{float64(k), float64(k * k)}})
	}
	all["drawing-ten"] = (&Drawing{Name: "d", Title: "Ten curves", XName: "x", YName: "y", XLog: true, Curves: ten}).Figure()
}

// head is what pages have in common before their body, and svg their figures, which are kept singly.
var (
	head = regexp.MustCompile(`(?s)^.*</head>`)
	svg  = regexp.MustCompile(`(?s)<svg .*?</svg>`)
)

// fullRun has whatever a run can have: a graph, machines that are averaged, a baseline, rows that were
// hidden, parameters one a feature, warnings.
func fullRun() *Run {
	score := 0.25
	res := &mercer.Result{
		Method: "lap-rls", Kernel: "gaussian(sigma=2)", Task: "classification", Classes: letters(3), Support: 17,
		Rows:   result.RowCounts{Labelled: 48, Unlabelled: 352, Test: 31, Features: 24},
		Params: map[string]any{"sigma": 1.5, "neighbours": 6, "set": []string{"a", "b"}, "few[1]": 0.5, "few[2]": 1.25, "word": "heat"},
		Tuning: &result.Tuning{Score: "loo:logloss", Value: 0.125, Evaluations: 31, Search: "auto", Status: "budget"},
		Baseline: &result.Baseline{Method: "rls", Kernel: "linear", Score: &score, Metrics: map[string]mercer.Metric{
			"labelled": {"error": 0.04, "auc": 0.5}, "hidden": {"error": 0.35, "prbep": 0.75}}},
		Metrics: map[string]mercer.Metric{
			"labelled": {"error": 0, "auc": 1, "log_loss": 0.1875},
			"hidden":   {"error": 0.1, "prbep": math.NaN()},
			"test":     {"error": 0.0625, "auc": 0.96875},
		},
		Certificate: &result.Certificate{Objective: 12.5, Residual: 3e-14, Gap: 1e-9, Steps: 7},
		Graph: &result.GraphState{
			Components:       4,
			WithoutLabel:     2,
			RowsWithoutLabel: 9,
			Isolated:         1,
			Edges:            1234,
			MeanDegree:       6.25,
			MeanEdge:         0.375,
		},
		Scaling: "to unit variance", Selected: []string{"length", "width"}, Warnings: []string{"first", "second <of> two"},
		Balance: &result.Balance{Labelled: []float64{0.5, 0.25, 0.25}, Unlabelled: []float64{0.25, 0.25, 0.5}},
		Seconds: result.Seconds{Total: 1.5},
	}
	for k := range fewValues + 1 {
		res.Params[fmt.Sprintf("sigma[%d]", k+1)], res.Params[fmt.Sprintf("alike[%d]", k+1)] = float64(k+1)/4, 2.0
	}
	for k := range 40 {
		res.Params[fmt.Sprintf("parameter_%02d", k)] = float64(k)
	}
	for k := range 12 {
		res.Members = append(
			res.Members,
			result.Member{
				Weight: float64(1 + k*5%12),
				Score:  float64(k) / 16,
				Params: map[string]any{"sigma": float64(k) + 0.5, "neighbours": k, "degree": "real"},
			},
		)
	}
	for k := range mostRelevant + 2 {
		res.Relevance = append(res.Relevance, kernel.Relevance{Name: fmt.Sprintf("feature %d", k+1), Share: 0.25 / float64(k+1)})
	}
	judged := judgedOf("hidden", 3, 31, true)
	judged.Class[4] = data.Unseen
	r := &Run{
		Result:   res,
		Data:     "rows.csv",
		Command:  "mercer fit rows.csv --seed 3",
		Version:  "v1",
		Time:     "noon",
		Checksum: "abc",
		Recipe:   mercer.Recipe{Seed: 3, Method: "lap-rls"},
		Judged:   judged,
	}
	r.Evaluations = evaluations(
		"grid",
		[]string{"sigma", "lambda"},
		func(i, k int) float64 { return float64(1 + i + k*i%3) },
		func(i int) float64 { return float64(9 - i) },
	)
	return r
}

// plainRun is a run of a method with as little as there may be.
func plainRun(method, task string) *Run {
	return &Run{
		Result: &mercer.Result{
			Method: method,
			Kernel: "linear",
			Task:   task,
			Rows:   result.RowCounts{Labelled: 60, Unlabelled: 7, Features: 1},
		},
		Data: "d",
	}
}

// splitsRun is a run over splits.
func splitsRun(task string, baseline bool) *Run {
	r := plainRun("lap-rls", task)
	r.Result.Splits = &result.Splits{
		Count:  openRows + 1,
		Hidden: map[string]float64{"error_mean": 0.1, "error_std": 0.02, "rmse_mean": 2.5, "auc_mean": 0.875},
	}
	for k := range openRows + 1 {
		r.Result.Splits.Each = append(r.Result.Splits.Each, 0.08+float64(k)/100)
	}
	if baseline {
		r.Result.Splits.Baseline = &result.SplitBaseline{
			Hidden: map[string]float64{"error_mean": 0.2, "error_std": 0.05, "rmse_mean": 2.25},
		}
	}
	return r
}

// otherRuns differ from the full one in what their pages say.
func otherRuns() map[string]*Run {
	score, value := 0.25, 0.5
	left := plainRun("rls", "regression")
	left.Judged = numbersOf()
	left.Judged.Kind, left.Judged.Value, left.Judged.Output = "left out", left.Judged.Value[:8], left.Judged.Output[:8]
	left.Result.Tuning = &result.Tuning{
		Score:       "gcv",
		Value:       value,
		Evaluations: 1,
		Search:      "gradient",
		Fresh:       &result.Fresh{Draws: 3, Folds: 5, Mean: 0.5, Std: 0.0625},
	}
	tested := plainRun("lap-rls", "regression")
	tested.Judged = &Judged{Kind: "test", Value: []float64{1, 2, 3, 6}, Output: []float64{1.5, 2, 3, 5}}
	tested.Result.Baseline = &result.Baseline{Method: "rls", Metrics: map[string]mercer.Metric{"test": {"rmse": 0.25}}}
	tested.Result.Metrics = map[string]mercer.Metric{"test": {"rmse": 0.559, "mae": 0.375, "r2": 0.91}}
	scored := plainRun("lap-rls", "classification")
	scored.Result.Classes, scored.Judged = letters(2), judgedOf("left out", 2, 120, false)
	scored.Result.Baseline, scored.Result.Tuning = &result.Baseline{
		Method: "rls",
		Score:  &score,
	}, &result.Tuning{
		Score:       "kfold:5",
		Value:       value,
		Evaluations: 12,
		Search:      "grid",
		Status:      "time limit",
	}
	equal := plainRun("lap-rls", "classification")
	equal.Result.Classes, equal.Judged = letters(2), judgedOf("test", 2, 20, false)
	equal.Result.Baseline = &result.Baseline{
		Method:  "rls",
		Metrics: map[string]mercer.Metric{"test": {"error": float64(equal.Judged.errors()) / 20}},
	}
	equal.Result.Balance = &result.Balance{Labelled: []float64{0.5, 0.5}}
	better := plainRun("lap-rls", "classification")
	better.Result.Classes, better.Judged, better.Result.Baseline = equal.Result.Classes, equal.Judged, &result.Baseline{
		Method:  "rls",
		Metrics: map[string]mercer.Metric{"test": {"error": 0.98}},
	}
	better.Result.Graph = &result.GraphState{Components: 1, Edges: 3}
	classes := plainRun("l2-svm", "classification")
	classes.Recipe.Method, classes.Result.Classes = "l2-svm", letters(2)
	classes.Result.Members = []result.Member{
		{Class: "a", Weight: 1, Score: 0.5, Params: map[string]any{"sigma": 2.0}},
		{Class: "b", Weight: 3, Score: 0.25},
	}
	all := plainRun("rls", "classification")
	all.Result.Rows.Unlabelled, all.Result.Rows.Labelled = 0, 50
	all.Result.Tuning = &result.Tuning{Score: "none"}
	used := plainRun("lap-svm", "classification")
	used.Result.Rows.Labelled, used.Result.Rows.Unlabelled = 49, 1
	return map[string]*Run{
		"left-out":     left,
		"tested":       tested,
		"scored":       scored,
		"equal":        equal,
		"better":       better,
		"per-class":    classes,
		"all-labelled": all,
		"untold":       used,
		"splits": splitsRun(
			"classification",
			true,
		),
		"splits-numbers": splitsRun("regression", true),
		"splits-alone":   splitsRun("classification", false),
	}
}

// TestPagesAreKept: what pages of small made-up runs say stays what the files in testdata have.
func TestPagesAreKept(t *testing.T) {
	runs := otherRuns()
	runs["full"] = fullRun()
	for name, r := range runs {
		text := head.ReplaceAllString(rendered(t, page(t, r)), "")
		same(t, filepath.Join("pages", name+".html"), svg.ReplaceAllString(text, ""))
	}
	partial := frontOf(mostMembers + 3)
	partial.Partial = true
	for name, f := range map[string]*Front{"front": frontOf(openRows), "front-partial": partial, "front-empty": {Chosen: -1}} {
		text := head.ReplaceAllString(rendered(t, &Page{Title: "t", Sections: f.Sections()}), "")
		same(t, filepath.Join("pages", name+".html"), svg.ReplaceAllString(text, ""))
	}
}
