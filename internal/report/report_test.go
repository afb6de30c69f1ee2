package report

import (
	"bytes"
	"context"
	"github.com/mercer-ml/mercer/kernel"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// fitted fits a built-in set of which some labels are kept, and listens.
func fitted(t *testing.T, spec string, labels int, r mercer.Recipe) *Run {
	t.Helper()
	set, err := data.Builtin(spec)
	if err != nil {
		t.Fatal(err)
	}
	all, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	keep, err := data.DrawTotal(all, labels, 1)
	if err != nil {
		t.Fatal(err)
	}
	in := mercer.Input{Set: set}
	seen := *set
	seen.Answers, in.Hidden = data.Hide(set.Answers, keep)
	in.Set = &seen
	run := &Run{Recipe: r, Data: set.Source, Set: in.Set, Command: "mercer fit " + spec, Version: "v1"}
	var visited [][]float64
	o := mercer.Options{Listen: mercer.Listener{
		Evaluation: func(e mercer.Evaluation) {
			run.Evaluations, visited = append(run.Evaluations, e), append(visited, e.Theta)
		},
		Surface: func(ctx context.Context, space paramSpace, score func(context.Context, []float64) (float64, error)) error {
			run.Surface, err = NewSurface(ctx, space, visited, 9, score)
			return err
		},
	}}
	if run.Model, run.Result, err = mercer.Fit(t.Context(), in, r, o); err != nil {
		t.Fatal(err)
	}
	run.Result.Seconds = result.Seconds{}
	if run.Judged, err = Judge(t.Context(), "hidden", run.Model, in.Set.Rows, in.Hidden); err != nil {
		t.Fatal(err)
	}
	return run
}

func rendered(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Render(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func page(t *testing.T, r *Run) *Page {
	t.Helper()
	p, err := r.Page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ids(p *Page) []string {
	var list []string
	for _, s := range p.Sections {
		list = append(list, s.ID)
	}
	return list
}

func names(p *Page) []string {
	var list []string
	for _, f := range p.figures() {
		list = append(list, f.Name)
	}
	return list
}

// TestPageOfFits: the sections and figures of each kind of run, every figure drawn twice, with
// words, and nothing from outside.
func TestPageOfFits(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		labels     int
		recipe     mercer.Recipe
		ids, names []string
	}{
		{"two parameters", "two-moons:n=120", 12, mercer.Recipe{Method: "rls", Search: "gradient"},
			[]string{"quality", "relevance", "data", "asked", "parameters", "search", "certificate", "limits"},
			[]string{"confusion", "roc", "precision-recall", "calibration", "map", "effect-1", "effect-2", "score", "trajectory"}},
		{"graph and design", "two-moons:n=120", 10, mercer.Recipe{},
			[]string{"quality", "relevance", "data", "graph", "clusters", "asked", "parameters", "search", "certificate", "limits"},
			[]string{"confusion", "roc", "precision-recall", "calibration", "map", "effect-1", "effect-2", "score", "trajectory"}},
		{"regression", "sinc:n=60", 30, mercer.Recipe{Method: "rls", Set: map[string]string{"sigma": "1"}, Search: "random", Budget: 9},
			[]string{"quality", "data", "asked", "parameters", "search", "certificate", "limits"},
			[]string{"residuals", "fitted", "function", "score", "trajectory"}},
		{"many parameters", "wine", 40, mercer.Recipe{Method: "rls", Kernel: "ard-gaussian", Scale: "standard", Search: "gradient",
			Budget: 20},
			[]string{"quality", "relevance", "data", "asked", "parameters", "search", "certificate", "limits"},
			[]string{"confusion", "roc", "precision-recall", "calibration", "effect-1", "effect-2", "effect-3", "score", "trajectory"}},
		{"nothing tuned", "iris", 30, mercer.Recipe{Method: "rls", Tune: "none", Set: map[string]string{"sigma": "1", "lambda": "0.01"}},
			[]string{"quality", "data", "asked", "parameters", "search", "certificate", "limits"},
			[]string{"confusion", "roc", "precision-recall", "calibration", "effect-1", "effect-2", "effect-3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "two parameters" {
				t.Skip("figures are slow under the race detector")
			}
			run := fitted(t, c.spec, c.labels, c.recipe)
			p := page(t, run)
			// Whether the features' shares are known depends on the kernel; the rest is fixed.
			drop := func(list []string) []string {
				return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "relevance" })
			}
			if diff := cmp.Diff(drop(c.ids), drop(ids(p))); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.names, names(p)); diff != "" {
				t.Error(diff)
			}
			if len(p.Answer) != 2 {
				t.Errorf("the answer has %d sentences", len(p.Answer))
			}
			text := rendered(t, p)
			checkSelfContained(t, text)
			checkFigures(t, p, text)
			again := page(t, fitted(t, c.spec, c.labels, c.recipe))
			if rendered(t, again) != text {
				t.Error("the same run gives another page")
			}
		})
	}
}

// checkSelfContained looks for whatever would make a page load or run something.
func checkSelfContained(t *testing.T, text string) {
	t.Helper()
	low := strings.ToLower(text)
	for _, bad := range []string{"http:", "https:", "<script", "javascript:", "src=", "@import", "url(", "<link", "<iframe", "<object",
		"zgotmplz", "xmlns"} {
		if strings.Contains(low, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(text, "<h1>"); n != 1 {
		t.Errorf("%d first headings", n)
	}
}

var (
	figureTag = regexp.MustCompile(`(?s)<figure .*?</figure>`)
	svgAlt    = regexp.MustCompile(`<svg viewBox="0 0 \d+ [\d.]+" role="img" aria-label="([^"]+)">`)
	captionOf = regexp.MustCompile(`<figcaption>([^<]+)</figcaption>`)
)

func checkFigures(t *testing.T, p *Page, text string) {
	t.Helper()
	tags := figureTag.FindAllString(text, -1)
	if len(tags) != len(p.figures()) {
		t.Fatalf("%d figures in the page, %d in the report", len(tags), len(p.figures()))
	}
	for i, f := range p.figures() {
		tag := tags[i]
		if !svgAlt.MatchString(tag) || !captionOf.MatchString(tag) || strings.Count(tag, "</svg>") != 1 {
			t.Errorf("figure %s lacks its drawing, alternative text or caption", f.Name)
		}
		if !strings.Contains(tag, f.Plot.Title.Text) {
			t.Errorf("figure %s does not show its title %q", f.Name, f.Plot.Title.Text)
		}
		if strings.Contains(tag, "NaN") || strings.Contains(tag, "Inf") {
			t.Errorf("figure %s has coordinates that are no numbers", f.Name)
		}
		if testing.Short() && i > 0 {
			continue
		}
		var b bytes.Buffer
		if err := f.PNG(&b); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		if n := colours(img); n < 5 {
			t.Errorf("%s.png has %d colours: nothing is drawn", f.Name, n)
		}
	}
}

// colours counts the colours of an image, up to 100.
func colours(img image.Image) int {
	seen := map[[3]uint32]bool{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 2 {
		for x := b.Min.X; x < b.Max.X && len(seen) < 100; x += 2 {
			r, g, bl, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r, g, bl}] = true
		}
	}
	return len(seen)
}

// TestFactsOfTheRun: what it takes to repeat and to tell two pages apart stands in them.
func TestFactsOfTheRun(t *testing.T) {
	r := &Run{
		Result:   &mercer.Result{Seconds: result.Seconds{Total: 12.345}},
		Data:     "rows.csv",
		Version:  "v1.2.3",
		Time:     "2026-01-02",
		Checksum: "abc123",
	}
	got := map[string]string{}
	for _, b := range r.request().Blocks {
		for _, table := range b.Tables {
			for _, row := range table.Rows {
				got[row[0]] = row[1]
			}
		}
	}
	for name, want := range map[string]string{"version": "v1.2.3", "date": "2026-01-02", "duration": "12.3 s",
		"checksum of the data": "abc123"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

// TestHostileNames: whatever stands in a file's header or labels is text on the page.
func TestHostileNames(t *testing.T) {
	for _, evil := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</style><b>`, `{{.}}`,
		`javascript:alert(1)`, `a&b`, `</svg>`, `fill:#1F2328`, "ü✓\u202e"} {
		run := fitted(t, "two-moons:n=40", 10, mercer.Recipe{Method: "rls", Set: map[string]string{"sigma": "1"}})
		run.Set.Features = []string{evil, "y" + evil}
		run.Model.Features = run.Set.Features
		run.Result.Classes = []string{evil, "b"}
		run.Data, run.Command = evil, evil
		run.Result.Warnings = []string{evil}
		run.Result.Relevance = []kernel.Relevance{{Name: evil, Share: 0.7}, {Name: "y", Share: 0.3}}
		for i := range run.Evaluations {
			run.Evaluations[i].Space = slices.Clone(run.Evaluations[i].Space)
			for k := range run.Evaluations[i].Space {
				run.Evaluations[i].Space[k].Name += evil
			}
		}
		text := rendered(t, page(t, run))
		for _, bad := range []string{"<script", "<img", "<b>", `href="javascript`} {
			if strings.Contains(text, bad) {
				t.Errorf("%q comes through as %q", evil, bad)
			}
		}
		if strings.Count(text, "<svg") != strings.Count(text, "</svg>") || strings.Count(text, "<style>") != 1 ||
			strings.Count(text, "</style>") != 1 {
			t.Errorf("%q breaks the page's structure", evil)
		}
	}
}

func TestWrite(t *testing.T) {
	p := &Page{Title: "t", Sections: frontOf(3).Sections()}
	dir := filepath.Join(t.TempDir(), "r")
	for range 2 { // again into the same folder
		if err := p.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff([]string{"front-score.png", "front.png", Index}, got); diff != "" {
		t.Error(diff)
	}
	file := filepath.Join(dir, Index)
	for _, bad := range []string{file, filepath.Join(file, "x"), filepath.Join(dir, "no", "x")} {
		if err := Check(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
		if err := p.Write(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	for _, right := range []string{filepath.Join(dir, "new"), t.TempDir(), dir} {
		if err := Check(right); err != nil {
			t.Error(err)
		}
	}
	if err := Check(filepath.Join(dir, "no", "x")); err == nil ||
		!strings.HasSuffix(err.Error(), "the folder it is to be in does not exist; make it, or name another") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("Check leaves a folder behind")
	}
}

// TestForeignPageIsKept: an index.html that was not written here is refused before anything is
// written, and a report may take the place of a report.
func TestForeignPageIsKept(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, Index)
	for _, text := range []string{"", "<!DOCTYPE html><title>my site</title>"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p := &Page{Title: "t", Sections: frontOf(3).Sections()}
		if err := p.Write(dir); err == nil || !strings.Contains(err.Error(), "no report of mercer") {
			t.Errorf("%q: %v", text, err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
			t.Errorf("%d files beside a foreign page (%v)", len(list), err)
		}
	}
}

// TestPageThatCannotBeOpened: what stands in the place of the page and cannot be read is told by its name.
func TestPageThatCannotBeOpened(t *testing.T) {
	loop, folder := t.TempDir(), t.TempDir()
	if err := os.Symlink(Index, filepath.Join(loop, Index)); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(filepath.Join(folder, Index), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{loop, folder} {
		if err := Check(dir); err == nil || !strings.Contains(err.Error(), Index) {
			t.Errorf("%v", err)
		}
	}
}

// TestFailureLeavesNoFigures: where the last file cannot be written none is, as on a full disk.
func TestFailureLeavesNoFigures(t *testing.T) {
	broken := newPlot("broken", "x", "y")
	logarithmic(&broken.X)
	broken.X.Min, broken.X.Max = -1, 1 // the logarithm of -1: the plotting library gives up
	p := &Page{
		Title:    "t",
		Sections: append(frontOf(3).Sections(), Section{Blocks: []Block{{Figures: []*Figure{{Name: "zz", Plot: broken}}}}}),
	}
	dir := t.TempDir()
	if err := p.Write(dir); err == nil {
		t.Fatal("a figure that cannot be drawn was written")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("%d files are left (%v)", len(list), err)
	}
	fresh := filepath.Join(dir, "new")
	if err := p.Write(fresh); err == nil {
		t.Fatal("no error")
	}
	if _, err := os.Stat(fresh); err == nil {
		t.Error("an empty folder is left")
	}
}

// TestWorstCellIsTheFirstOfTies, and right answers are no confusions.
func TestWorstCellIsTheFirstOfTies(t *testing.T) {
	for _, c := range []struct {
		counts [][]int
		at     [2]int
	}{{[][]int{{9, 1}, {1, 9}}, [2]int{0, 1}}, {[][]int{{9, 0}, {0, 9}}, [2]int{-1, -1}},
		{[][]int{{0, 2, 2}, {0, 0, 3}, {3, 0, 0}}, [2]int{1, 2}}} {
		if r, k := worst(c.counts); [2]int{r, k} != c.at {
			t.Errorf("%v: %d %d, want %v", c.counts, r, k, c.at)
		}
	}
}

// TestBalanceOfPredictions: the distance of two distributions is half the sum of the differences, and
// a large one is said.
func TestBalanceOfPredictions(t *testing.T) {
	for _, c := range []struct {
		predicted []float64
		says      string
		warns     bool
	}{{[]float64{0.3, 0.3, 0.4}, "by 20.0\u00a0% of the rows.", true}, {[]float64{0.5, 0.2, 0.3}, "by 10.0\u00a0% of the rows.", false}} {
		r := &Run{Result: &mercer.Result{Classes: []string{"a", "b", "c"}, Rows: result.RowCounts{Labelled: 10, Unlabelled: 100},
			Balance: &result.Balance{Labelled: []float64{0.5, 0.3, 0.2}, Unlabelled: c.predicted}}}
		blocks := r.rows().Blocks
		text := blocks[len(blocks)-1].Text
		if !strings.Contains(text, c.says) || strings.Contains(text, "look at the classes") != c.warns {
			t.Errorf("%v: %q", c.predicted, text)
		}
	}
}

// TestCutShortIsSaid: every word for an end that a search did not choose is told among the limits.
func TestCutShortIsSaid(t *testing.T) {
	for status, says := range map[string]string{"budget spent": "by its budget", "budget": "by its budget",
		"time limit": "by its time limit", "interrupted": "by an interrupt", "converged": "", "complete": "", "failed": ""} {
		r := &Run{Result: &mercer.Result{Tuning: &result.Tuning{Status: status}}}
		text := strings.Join(r.limits().Blocks[0].List, " ")
		if strings.Contains(text, "The search ended") != (says != "") || !strings.Contains(text, says) {
			t.Errorf("%q: %s", status, text)
		}
	}
	run := fitted(t, "iris", 30, mercer.Recipe{Method: "rls", Search: "random", Budget: 4})
	if run.Result.Tuning.Status == "budget spent" && !strings.Contains(rendered(t, page(t, run)), "ended by its budget") {
		t.Error("a search that spent its budget is shown as one that ended by itself")
	}
}

// TestLimitsKnowTheEstimate: where the error to expect is corrected, the page does not say that nothing was done about it.
func TestLimitsKnowTheEstimate(t *testing.T) {
	for _, corrected := range []bool{true, false} {
		r := &Run{Result: &mercer.Result{Estimate: &result.Estimate{Corrected: corrected}}, Judged: &Judged{Kind: "left out"}}
		text := strings.Join(r.limits().Blocks[0].List, " ")
		if strings.Contains(text, "is corrected") != corrected || !strings.Contains(text, "little too good") {
			t.Errorf("corrected %v: %s", corrected, text)
		}
	}
}

// TestPressIsASum: the score that the page explains as half a sum of squares is one.
func TestPressIsASum(t *testing.T) {
	set, err := data.Builtin("sinc:n=40")
	if err != nil {
		t.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var half float64
	o := mercer.Options{Listen: mercer.Listener{LeftOut: func(rows []int, out *mat.Dense) {
		for q, i := range rows {
			half += math.Pow(out.At(q, 0)-labels.Value[i], 2) / 2
		}
	}}}
	_, res, err := mercer.Fit(
		t.Context(),
		mercer.Input{Set: set},
		mercer.Recipe{Method: "rls", Tune: "loo:press", Search: "random", Budget: 5},
		o,
	)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(half-res.Tuning.Value) > 1e-9*half {
		t.Errorf("half the sum is %g, the score %g", half, res.Tuning.Value)
	}
	if what := scoreMeaning(res.Tuning.Score); !strings.Contains(what, "half the sum") || strings.Contains(what, "mean") {
		t.Errorf("PRESS is called %q", what)
	}
}

func TestConfusionCountsEveryRow(t *testing.T) {
	j := &Judged{Kind: "test", Class: []int{0, 0, 1, 2, data.Unseen, 2}, Given: []int{0, 1, 1, 0, 2, 0}}
	want := [][]int{{1, 1, 0}, {0, 1, 0}, {2, 0, 0}, {0, 0, 1}}
	if diff := cmp.Diff(want, j.confusion(3)); diff != "" {
		t.Error(diff)
	}
	if j.errors() != 4 {
		t.Errorf("%d errors", j.errors())
	}
	if r, k := worst(want); r != 2 || k != 0 {
		t.Errorf("worst cell %d %d", r, k)
	}
	f := confusionFigure(j, []string{"a", "b", "c"})
	if len(f.Data.Rows) != 4 || f.Data.Rows[3][0] != "never seen" || f.Data.Rows[2][1] != "2" {
		t.Errorf("table %v", f.Data.Rows)
	}
}

// TestJudgedAgreesWithMetrics: the page's error is that of the result.
func TestJudgedAgreesWithMetrics(t *testing.T) {
	run := fitted(t, "iris", 12, mercer.Recipe{Method: "rls"})
	if got, want := float64(run.Judged.errors())/float64(run.Judged.Len()), run.Result.Metrics["hidden"]["error"]; math.Abs(
		got-want,
	) > 1e-12 {
		t.Errorf("error %g, result has %g", got, want)
	}
	run = fitted(t, "sinc:n=60", 20, mercer.Recipe{Method: "rls"})
	if got, want := rootMeanSquare(run.Judged), run.Result.Metrics["hidden"]["rmse"]; math.Abs(got-want) > 1e-12 {
		t.Errorf("rmse %g, result has %g", got, want)
	}
}

// TestMapIsTheModel: the ground of a map has the class that the model gives its cells.
func TestMapIsTheModel(t *testing.T) {
	run := fitted(t, "two-moons:n=60", 10, mercer.Recipe{Method: "rls"})
	f, err := newField(t.Context(), run.Model, run.Set)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range [][2]int{{0, 0}, {50, 20}, {131, 98}, {70, 60}} {
		one := mat.NewDense(1, 2, []float64{f.X(at[0]), f.Y(at[1])})
		out, err := run.Model.Predict(t.Context(), data.Rows{Dense: one})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := f.kind[at[1]*f.columns+at[0]], run.Model.Decide(out)[0]; got != want {
			t.Errorf("cell %v is of class %d, the model says %d", at, got, want)
		}
	}
	lo, hi := frame(run.Set, 0)
	for i := range run.Set.Rows.Len() {
		if x := run.Set.Rows.Dense.At(i, 0); x < lo || x > hi {
			t.Errorf("row %d is outside the map", i)
		}
	}
}

// TestWilson: both ends solve (p^ - p)^2 = z^2 p (1 - p)/n.
func TestWilson(t *testing.T) {
	for _, c := range [][2]int{{0, 8}, {3, 40}, {75, 1777}, {10, 10}} {
		k, n := float64(c[0]), float64(c[1])
		lo, hi := wilson(c[0], c[1])
		for _, p := range []float64{lo, hi} {
			if got, want := (k/n-p)*(k/n-p), 1.6448536269514722*1.6448536269514722*p*(1-p)/n; math.Abs(got-want) > 1e-12 {
				t.Errorf("%v: %g is no end: %g, %g", c, p, got, want)
			}
		}
		if lo > k/n || hi < k/n || lo < 0 || hi > 1 {
			t.Errorf("%v: [%g, %g]", c, lo, hi)
		}
	}
}

func TestSplitsPage(t *testing.T) {
	res := &mercer.Result{
		Method: "lap-rls", Kernel: "gaussian", Task: "classification", Classes: []string{"a", "b"},
		Rows: result.RowCounts{Labelled: 4, Unlabelled: 96, Features: 2},
		Splits: &result.Splits{Count: 3, Hidden: map[string]float64{"error_mean": 0.1, "error_std": 0.02}, Each: []float64{0.08, 0.1, 0.12},
			Baseline: &result.SplitBaseline{Hidden: map[string]float64{"error_mean": 0.2, "error_std": 0.05}}},
	}
	p := page(t, &Run{Result: res, Data: "d"})
	text := rendered(t, p)
	checkSelfContained(t, text)
	checkFigures(t, p, text)
	for _, want := range []string{"10.00 ± 2.00", "20.00 ± 5.00", "12.00", "Over 3 splits", "helped"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The page of a model of several views shows each of them, and what they decide of disputed rows.
func TestViewsAreShown(t *testing.T) {
	run := fitted(t, "moons-lines:n=60", 6, mercer.Recipe{Method: "co-rls", Tune: "none", Views: []mercer.View{
		{Name: "moons", First: 1, Last: 2}, {Name: "lines", First: 3, Last: 4},
	}})
	run.Result.Views.Disputed = []int{3, 5} // whether there are any is the machine's business
	text := rendered(t, page(t, run))
	for _, want := range []string{"Each view by itself", "all these decide the same class", "Disputed rows", "class by lines", "error, " +
		"hidden rows"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page is without %q", want)
		}
	}
	outs, err := run.Model.Views(t.Context(), run.Set.Rows.Select([]int{3, 5}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := run.disputed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for v, out := range outs {
		for q, class := range run.Model.Decide(out) {
			if got.Rows[q][v+1] != run.Model.Classes[class] {
				t.Errorf("view %d, row %d: %v", v, q, got.Rows)
			}
		}
	}
}

// TestCheckUnreadable: where the page of a folder cannot be opened, as it is a link to itself, or not be read, as it is a folder, the error
// says why.
func TestCheckUnreadable(t *testing.T) {
	for name, place := range map[string]func(page string) error{
		"link":   func(page string) error { return os.Symlink(Index, page) },
		"folder": func(page string) error { return os.Mkdir(page, 0o700) },
	} {
		dir := t.TempDir()
		page := filepath.Join(dir, Index)
		if err := place(page); err != nil {
			t.Logf("no %s here: %v", name, err)
			continue
		}
		_, want := os.ReadFile(page)
		if err := Check(dir); want == nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%s: the error is %v, want %v", name, err, want)
		}
	}
}
