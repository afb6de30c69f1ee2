package report

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	pages "github.com/mercer-ml/mercer/internal/page"
	"github.com/mercer-ml/mercer/search/param"
)

type paramSpace = param.Space

// TestBestSoFarFalls: it never rises within a stage, is the least score until then, and ends
// at the least of the stage.
func TestBestSoFarFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []mercer.Evaluation
		stage := 1
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			if rapid.IntRange(0, 9).Draw(t, "new") == 0 {
				stage++
			}
			s := rapid.Float64Range(-5, 5).Draw(t, "score")
			if rapid.IntRange(0, 5).Draw(t, "fails") == 0 {
				s = math.Inf(1)
			}
			list = append(list, mercer.Evaluation{N: len(list) + 1, Stage: stage, Score: s})
		}
		best := bestSoFar(list)
		for i := range list {
			want := math.Inf(1)
			for _, e := range list[:i+1] {
				if e.Stage == list[i].Stage {
					want = min(want, e.Score)
				}
			}
			if best[i] != want {
				t.Fatalf("best until %d is %g, want %g", i+1, best[i], want)
			}
		}
	})
}

// TestProgressDrawsTheBest: the line in the figure is bestSoFar.
func TestProgressDrawsTheBest(t *testing.T) {
	list := []mercer.Evaluation{
		{N: 1, Stage: 1, Score: math.Inf(1)},
		{N: 2, Stage: 1, Score: 3},
		{N: 3, Stage: 1, Score: 5},
		{N: 4, Stage: 1, Score: 1},
	}
	f := progress(list, "loo")
	if f == nil || f.Plot.X.Min > 1 || f.Plot.X.Max < 4 || f.Plot.Y.Min > 1 || f.Plot.Y.Max < 5 {
		t.Fatal("the frame misses points")
	}
	for _, want := range []string{"1 setting could not be scored", "1 at the end"} {
		if !strings.Contains(f.Caption, want) {
			t.Errorf("caption %q lacks %q", f.Caption, want)
		}
	}
	if progress(list[:1], "loo") != nil {
		t.Error("a figure of nothing")
	}
}

func TestRanks(t *testing.T) {
	list := []mercer.Evaluation{{Score: 4}, {Score: 1}, {Score: math.Inf(1)}, {Score: 4}}
	if got, want := ranks(list), []float64{0.5, 0, 1, 0.5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSurface: the grid has the function's values, spans what was visited, and stays in
// bounds.
func TestSurface(t *testing.T) {
	space := param.Space{
		{Name: "a", Kind: param.Log, Lo: 0.25, Hi: 64, Default: 1},
		{Name: "k", Kind: param.Real, Lo: 0, Hi: 1, Default: 0.5, Fixed: true},
		{Name: "b", Kind: param.Real, Lo: -1, Hi: 9, Default: 1},
	}
	f := func(_ context.Context, x []float64) (float64, error) {
		if x[1] != 0.5 {
			t.Errorf("the fixed parameter is %g", x[1])
		}
		return math.Pow(math.Log2(x[0])-2, 2) + x[2]*x[2], nil
	}
	s, err := NewSurface(t.Context(), space, [][]float64{{0.5, 0.5, 0}, {16, 0.5, 4}}, 11, f)
	if err != nil {
		t.Fatal(err)
	}
	if s.X[0] != 0.25 || s.X[10] > 64 || s.X[10] < 16 || s.Y[0] != -1 || s.Y[10] != 5 || !s.of("a", "b") {
		t.Errorf("grid over %v, %v", s.X, s.Y)
	}
	for i, y := range s.Y {
		for j, x := range s.X {
			if want, _ := f(t.Context(), []float64{x, 0.5, y}); math.Abs(s.Z[i][j]-want) > 1e-12 {
				t.Fatalf("value at %g, %g is %g, want %g", x, y, s.Z[i][j], want)
			}
		}
	}
	lost := func(context.Context, []float64) (float64, error) { return 0, context.Canceled }
	if s, err := NewSurface(t.Context(), space, [][]float64{{0.5, 0.5, 0}, {16, 0.5, 4}}, 11, lost); s != nil ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("a score that fails: %v, %v", s, err)
	}
	if s, err := NewSurface(t.Context(), space, [][]float64{{0.5, 0.5, 0}, {16, 0.5, 0}}, 11, f); s != nil || err != nil {
		t.Errorf("a surface over one value: %v, %v", s, err)
	}
	s.Z[3][4] = math.Inf(1)
	levels, lines := s.contours()
	if len(levels) < 5 || !slices.IsSorted(levels) || lines == nil {
		t.Errorf("levels %v", levels)
	}
	space[1].Fixed = false
	if s, err := NewSurface(t.Context(), space, [][]float64{{1, 0.5, 0}, {2, 0.1, 1}}, 5, f); s != nil || err != nil {
		t.Errorf("a surface over three parameters: %v, %v", s, err)
	}
}

// TestFlatSurfaceHasNoContours and none that is infeasible everywhere.
func TestFlatSurfaceHasNoContours(t *testing.T) {
	for _, v := range []float64{2, math.Inf(1)} {
		s := &Surface{X: []float64{1, 2}, Y: []float64{1, 2}, Z: [][]float64{{v, v}, {v, v}}}
		if levels, _ := s.contours(); levels != nil {
			t.Errorf("levels %v", levels)
		}
	}
}

// TestTicks: within the range, increasing, few enough to be read, labels that are numbers.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e4, 1e4).Draw(t, "lo")
		hi := lo + math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, "width"))
		from := math.Pow(10, rapid.Float64Range(-12, 3).Draw(t, "from"))
		to := from * math.Pow(10, rapid.Float64Range(0.01, 20).Draw(t, "decades"))
		for _, c := range []struct {
			lo, hi float64
			plot.Ticker
		}{{lo, hi, linearTicks{}}, {from, to, logTicks{}}, {lo, hi, wholeTicks{}}} {
			ticks := c.Ticks(c.lo, c.hi)
			labelled := 0
			for i, k := range ticks {
				slack := 1e-6 * (c.hi - c.lo)
				if k.Value < c.lo-slack || k.Value > c.hi+slack || i > 0 && k.Value <= ticks[i-1].Value {
					t.Fatalf("%T(%g, %g): %v", c.Ticker, c.lo, c.hi, ticks)
				}
				if k.Label != "" {
					labelled++
				}
				if strings.HasPrefix(k.Label, "-0.0") && k.Value == 0 {
					t.Fatalf("a negative nought: %v", k)
				}
			}
			if labelled > 9 {
				t.Fatalf("%T(%g, %g): %d labels", c.Ticker, c.lo, c.hi, labelled)
			}
		}
	})
}

// TestVariables: colours of the style become variables, also where the writer of drawings
// rounded a channel down; those in texts do not. In the light they are those of the PNG files.
func TestVariables(t *testing.T) {
	in := `<path style="fill:#1F2328;stroke:#0071B1"/><text style="fill:#123456">#1F2328</text>`
	want := `<path style="fill:var(--ink);stroke:var(--class-0)"/><text style="fill:#123456">#1F2328</text>`
	if got := variable(in); got != want {
		t.Error(got)
	}
	light, _, _ := strings.Cut(pages.Style(), "@media")
	for c, name := range variables() {
		if want := fmt.Sprintf("%s: #%02x%02x%02x;", name, c.R, c.G, c.B); c.A != 255 || !strings.Contains(light, want) {
			t.Errorf("the style sheet lacks %q, or the colour %v is translucent", want, c)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 5: "5", 1234: "1234", 1e-6: "1e-6", 2.5e9: "2.5e9", 0.123456: "0.123", -3.25: "-3.25",
		math.Inf(1): "none", 1e100: "1e100"} {
		if got := number(v); got != want {
			t.Errorf("number(%g) = %s, want %s", v, got, want)
		}
	}
}

// TestCounts: shares and counts as people say them.
func TestCounts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{percent(0.1234), "12.3\u00a0%"}, {brief.Count(1, "row"), "1 row"},
		{brief.Count(0, "row"), "0 rows"}, {brief.Count(12, "row"), "12 rows"},
		{sentence("über"), "Über"}, {sentence(""), ""},
		{inHundred(0), "none"}, {inHundred(0.0094), "fewer than one"}, {inHundred(0.0095), "about 1"}, {inHundred(0.346), "about 35"},
		{shorter("abcd", 3), "ab…"}, {shorter("abc", 3), "abc"},
		{plainKernel("gaussian(sigma=2)"), "gaussian"}, {plainKernel("sum(a(1) + b)"), "sum(a(1) + b)"}, {plainKernel("linear"), "linear"},
		{plainKernel("(x)"), ""},
		{number(999999), "999999"}, {number(1e6), "1e6"}, {number(999.6), "1e3"}, {number(1000.4), "1000"}, {number(-2e-7), "-2e-7"},
		{number(math.NaN()), "-"}, {number(0.5), "0.5"},
		{measured("error", 0.12345), "12.35 %"}, {measured("rmse", 0.123456), "0.1235"}, {measured("mae", 12.3456), "12.35"},
		{measured("auc", 0.98765), "0.9877"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestTicksOfKnownRanges: the labels of ranges whose right ones are plain to see.
func TestTicksOfKnownRanges(t *testing.T) {
	for _, c := range []struct {
		plot.Ticker
		lo, hi float64
		want   string
	}{
		{linearTicks{}, 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"}, {linearTicks{}, 0, 100, "0 20 40 60 80 100"}, {linearTicks{}, -3, 4, "-2 0 2 4"},
		{linearTicks{}, 2, 2, "2"},
		{linearTicks{}, 0, 5, "0 1 2 3 4 5"}, {linearTicks{}, 0, 5.1, "0 2 4"}, {linearTicks{}, 0, 24, "0 5 10 15 20"},
		{linearTicks{}, 0, 26, "0 10 20"}, {linearTicks{}, 0, 3e6, "0 1e6 2e6 3e6"},
		{linearTicks{}, 0, 2e-4, "0 5e-5 0.0001 0.00015 0.0002"}, {linearTicks{}, 0, 2e-5, "0 5e-6 1e-5 1.5e-5 2e-5"},
		{wholeTicks{}, 0, 2, "0 1 2"}, {wholeTicks{}, 1, 9, "2 4 6 8"},
		{logTicks{}, 1, 100, "1 10 100"}, {logTicks{}, 1, 99, "1 2 5 10 20 50"}, {logTicks{}, 1, 2, "1.0 1.2 1.4 1.6 1.8 2.0"},
		{logTicks{}, 1e-6, 1, "1e-6 1e-5 0.0001 0.001 0.01 0.1 1"},
		{logTicks{}, 1e-7, 1, "_ 1e-6 _ 0.0001 _ 0.01 _ 1"}, {logTicks{}, -1, 1, "-1.0 -0.5 0.0 0.5 1.0"},
	} {
		var labels []string
		for _, k := range c.Ticks(c.lo, c.hi) {
			label := k.Label
			if label == "" {
				label = "_"
			}
			labels = append(labels, label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%T(%g, %g): %s, want %s", c.Ticker, c.lo, c.hi, got, c.want)
		}
	}
}

// TestRoom: a margin at both ends in the scale of the axis, and never an empty axis.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		log                     bool
		lo, hi, share, min, max float64
	}{
		{false, 0, 10, 0.1, -1, 11}, {false, 5, 5, 0.1, 4.995, 5.005}, {false, 0, 0, 0.1, -1e-12, 1e-12}, {true, 1, 100, 0.5, 0.1, 1000},
		{true, 2, 2, 0.5, 2 / 1.1, 2.2}, {true, 0, 10, 0.1, -1, 11},
	} {
		a := plot.New().X
		if c.log {
			logarithmic(&a)
		}
		room(&a, c.lo, c.hi, c.share)
		if math.Abs(a.Min-c.min) > 1e-12*math.Abs(c.min) || math.Abs(a.Max-c.max) > 1e-12*math.Abs(c.max) {
			t.Errorf("%+v: %g to %g", c, a.Min, a.Max)
		}
	}
}

func frontOf(n int) *Front {
	f := &Front{
		Risk:       "mean squared error",
		Complexity: "norm",
		Score:      "5-fold error",
		Decision:   "Cross-validation chose it.",
		Chosen:     n / 2,
	}
	for i := range n {
		s := math.Abs(float64(i-n/2)) + 1
		f.Members = append(f.Members, Member{Risk: 1 / float64(i+1), Complexity: float64(i), Score: &s, Support: i, Params: "sigma 2"})
	}
	f.Parts = []Part{
		{Name: "sigma 2", Risk: []float64{1, 0.7, 0.6}, Complexity: []float64{0, 1, 2}},
		{Name: "one", Risk: []float64{0.5}, Complexity: []float64{1}},
	}
	return f
}

func TestFront(t *testing.T) {
	for _, n := range []int{1, 9, 200} {
		if testing.Short() && n != 9 {
			continue
		}
		f := frontOf(n)
		p := &Page{Title: "front", Sections: f.Sections()}
		text := rendered(t, p)
		checkSelfContained(t, text)
		checkFigures(t, p, text)
		table := f.table()
		if len(table.Marked) != 1 || !strings.HasSuffix(table.Rows[table.Marked[0]][0], " chosen") {
			t.Errorf("%d members: marked %v", n, table.Marked)
		}
		if len(table.Rows) > mostMembers+2 || n <= mostMembers && len(table.Rows) != n {
			t.Errorf("%d members: %d rows", n, len(table.Rows))
		}
	}
	if f, open := frontOf(50).table(), frontOf(5).table(); f.Fold == "" || open.Fold != "" {
		t.Errorf("50 members under %q, 5 under %q", f.Fold, open.Fold)
	} else if text := rendered(t, &Page{Sections: frontOf(50).Sections()}); !strings.Contains(text,
		"<details><summary>"+f.Fold+"</summary><div class=\"scroll\"") {
		t.Error("the members are not folded")
	}
	none := (&Front{Chosen: -1}).Sections()
	if len(none) != 1 {
		t.Errorf("%d sections of an empty front", len(none))
	}
	f := frontOf(5)
	f.Chosen, f.Score = -1, ""
	for i := range f.Members {
		f.Members[i].Score = nil
	}
	if got := names(&Page{Sections: f.Sections()}); !slices.Equal(got, []string{"front"}) {
		t.Errorf("figures %v without scores", got)
	}
}

// TestParallelPlaces: a setting crosses an axis at its value's place, ends at 0 and 1.
func TestParallelPlaces(t *testing.T) {
	space := param.Space{{Name: "a", Kind: param.Log}, {Name: "b", Kind: param.Integer}}
	nan := math.NaN()
	list := []mercer.Evaluation{
		{Space: space, Theta: []float64{1, 2}, Score: 2},
		{Space: space, Theta: []float64{10, nan}, Score: 1},
		{Space: space, Theta: []float64{100, 4}, Score: 3},
	}
	p := newParallel(list, moved(list))
	want := [][]float64{{0, 0}, {0.5, nan}, {1, 1}}
	for i := range want {
		for k := range want[i] {
			if got := p.lines[i][k]; math.Abs(got-want[i][k]) > 1e-12 || math.IsNaN(got) != math.IsNaN(want[i][k]) {
				t.Errorf("line %d crosses axis %d at %g, want %g", i, k, got, want[i][k])
			}
		}
	}
	if p.best != 1 || !p.axes[1].absent || p.axes[0].absent {
		t.Errorf("best %d, axes %v", p.best, p.axes)
	}
}

// TestTrajectoryChoosesItsFigure by the number of parameters moved.
func TestTrajectoryChoosesItsFigure(t *testing.T) {
	eval := func(theta ...float64) mercer.Evaluation {
		space := param.Space{{Name: "a", Kind: param.Log}, {Name: "b", Kind: param.Log}, {Name: "c", Kind: param.Real}}
		return mercer.Evaluation{Stage: 1, Search: "gradient", Space: space, Theta: theta, Score: theta[0]}
	}
	for title, list := range map[string][]mercer.Evaluation{
		"Score against a":       {eval(1, 2, 3), eval(2, 2, 3)},
		"Where the search went": {eval(1, 2, 3), eval(2, 4, 3), eval(3, 1, 3)},
		"What was tried":        {eval(1, 2, 3), eval(2, 3, 4)},
	} {
		r := &Run{Result: &mercer.Result{}, Evaluations: list}
		if f := r.trajectory(); f == nil || f.Plot.Title.Text != title {
			t.Errorf("no figure %q", title)
		}
	}
	if f := (&Run{Result: &mercer.Result{}, Evaluations: []mercer.Evaluation{eval(1, 2, 3), eval(1, 2, 3)}}).trajectory(); f != nil {
		t.Error("a figure where nothing moved")
	}
}

// TestNamesAgreeWithTheTable: the weight of the norm of a machine without a graph is lambda in the
// figure of the search as in the table of what was chosen.
func TestNamesAgreeWithTheTable(t *testing.T) {
	space := param.Space{{Name: "sigma", Kind: param.Log}, {Name: "gamma_i", Kind: param.Log}, {Name: "gamma_a", Kind: param.Log}}
	list := []mercer.Evaluation{
		{Space: space, Theta: []float64{1, math.NaN(), 1}, Score: 1},
		{Space: space, Theta: []float64{2, 3, 2}, Score: 2},
	}
	for key, want := range map[string]string{"lambda": "lambda", "gamma_a": "gamma_a"} {
		r := &Run{Result: &mercer.Result{Params: map[string]any{key: 1.0}}, Evaluations: list}
		if got := r.renamed(list)[1].Space[2].Name; got != want || space[2].Name != "gamma_a" {
			t.Errorf("the table has %s, the figure %s", key, got)
		}
		if alt := r.trajectory().Alt; !strings.Contains(alt, want+" = ") {
			t.Errorf("the figure's words lack %s: %s", want, alt)
		}
	}
	run := fitted(t, "iris", 60, mercer.Recipe{Method: "rls", Budget: 8})
	if _, own := run.Result.Params["lambda"]; own && run.trajectory() != nil && strings.Contains(run.trajectory().Alt, "gamma_a") {
		t.Errorf("lambda in the table, gamma_a in %q", run.trajectory().Alt)
	}
}

// TestContours: the lines of a function lie where it has the level: on a circle, closed; on a
// plane, straight from border to border; and a saddle's do not cross.
func TestContours(t *testing.T) {
	const n = 41
	of := func(f func(x, y float64) float64) grid {
		s := &Surface{}
		for i := range n {
			v := -1 + 2*float64(i)/(n-1)
			s.X, s.Y = append(s.X, v), append(s.Y, v)
		}
		for _, y := range s.Y {
			row := make([]float64, n)
			for j, x := range s.X {
				row[j] = f(x, y)
			}
			s.Z = append(s.Z, row)
		}
		return grid{s, math.Inf(1)}
	}
	same := func(v float64) vg.Length { return vg.Length(v) }
	for _, c := range []struct {
		name   string
		f      func(x, y float64) float64
		level  float64
		lines  int
		closed bool
		off    float64
	}{
		{"circle", func(x, y float64) float64 { return x*x + y*y }, 0.5, 1, true, 1e-3},
		{"plane", func(x, y float64) float64 { return x - 0.5*y }, 0.1, 1, false, 1e-12},
		{"saddle", func(x, y float64) float64 { return x * y }, 0.03, 2, false, 2e-3},
		{"outside", func(x, y float64) float64 { return x }, 7, 0, false, 0},
	} {
		g := of(c.f)
		list := chains(g, c.level)
		if len(list) != c.lines {
			t.Fatalf("%s: %d lines", c.name, len(list))
		}
		for _, chain := range list {
			if (chain[0] == chain[len(chain)-1]) != c.closed {
				t.Errorf("%s: closed is %t", c.name, !c.closed)
			}
			for k, e := range chain {
				p := e.point(g, c.level, same, same)
				if v := c.f(float64(p.X), float64(p.Y)); math.Abs(v-c.level) > c.off {
					t.Errorf("%s: value %g on the line of %g", c.name, v, c.level)
				}
				if k > 0 {
					q := chain[k-1].point(g, c.level, same, same)
					if d := math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)); d > 2*math.Sqrt2/(n-1)+1e-12 {
						t.Errorf("%s: a step of %g", c.name, d)
					}
				}
			}
		}
	}
}

// TestAxisOfSurface: a quarter of the visited range beyond it on either side, in the scale of the parameter and within its limits.
func TestAxisOfSurface(t *testing.T) {
	for _, c := range []struct {
		dim     param.Dim
		visited []float64
		want    []float64
	}{
		{param.Dim{Kind: param.Real, Lo: -10, Hi: 10}, []float64{4, 0, 2}, []float64{-1, 2, 5}},
		{param.Dim{Kind: param.Real, Lo: -0.5, Hi: 4.5}, []float64{0, 4}, []float64{-0.5, 2, 4.5}},
		{param.Dim{Kind: param.Log, Lo: 0.25, Hi: 64}, []float64{16, 1}, []float64{0.5, 4, 32}},
		{param.Dim{Kind: param.Log, Lo: 1, Hi: 16}, []float64{16, 1}, []float64{1, 4, 16}},
		{param.Dim{Kind: param.Real, Lo: 0, Hi: 9}, []float64{3, 3}, nil},
		{param.Dim{Kind: param.Real, Lo: 0, Hi: 9}, []float64{math.NaN()}, nil},
		{param.Dim{Kind: param.Integer, Lo: 0, Hi: 9}, []float64{1, 3}, nil},
	} {
		if got := axis(c.dim, c.visited, 3); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.dim, got, c.want)
		}
	}
}

// TestFrame: a margin of 0.06 of the range, and one about a column that does not vary.
func TestFrame(t *testing.T) {
	set := &data.Set{Rows: data.Rows{Dense: mat.NewDense(2, 3, []float64{1, -500, 0, 3, -500, 0})}}
	for j, want := range [][2]float64{{0.88, 3.12}, {-500.5, -499.5}, {-1e-9, 1e-9}} {
		lo, hi := frame(set, j)
		if math.Abs(lo-want[0]) > 1e-12 || math.Abs(hi-want[1]) > 1e-12 {
			t.Errorf("column %d from %g to %g, want %v", j, lo, hi, want)
		}
	}
}

// TestFirstFinite: the first number of a list, or none.
func TestFirstFinite(t *testing.T) {
	if v := firstFinite([]float64{math.NaN(), math.Inf(1), 3, 2}); v != 3 {
		t.Errorf("%g", v)
	}
	if v := firstFinite([]float64{math.NaN()}); !math.IsNaN(v) {
		t.Errorf("%g", v)
	}
}

// TestTicksOfNames: up to 24 classes have a name each beside the confusion matrix, of more every second, third and so on.
func TestTicksOfNames(t *testing.T) {
	for classes, want := range map[int]int{1: 1, 24: 24, 25: 13, 48: 24, 49: 17} {
		ticks := named(letters(classes)).Ticks(0, 0)
		if len(ticks) != want || ticks[0].Value != 0 || !strings.HasPrefix(ticks[0].Label, "ki") {
			t.Errorf("%d classes: %d names, want %d", classes, len(ticks), want)
		}
	}
}
