package method

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/search/param"
)

// TestDescribeTerm: a graph of a combination is named by what it differs in, and by the view whose columns it has, first and last.
func TestDescribeTerm(t *testing.T) {
	views := []result.View{{Name: "a", First: 1, Last: 3}, {Name: "b", First: 4, Last: 6}, {Name: "c", First: 4, Last: 5}}
	for want, g := range map[string]manifold.Graph{
		"neighbours=3 degree=2 view=a":                    {Recipe: graph.Recipe{Neighbours: 3, Degree: 2}, Last: 3},
		"neighbours=3 degree=1 view=b":                    {Recipe: graph.Recipe{Neighbours: 3}, First: 3, Last: 6},
		"neighbours=3 degree=1 view=c":                    {Recipe: graph.Recipe{Neighbours: 3}, First: 3, Last: 5},
		"neighbours=3 degree=1":                           {Recipe: graph.Recipe{Neighbours: 3}, Last: 6},
		"neighbours=1 degree=1 weights=heat width=2":      {Recipe: graph.Recipe{Weights: graph.Heat, Width: 2}},
		"neighbours=1 degree=1 symmetry=mutual":           {Recipe: graph.Recipe{Symmetry: graph.Mutual}},
		"neighbours=1 degree=1 metric=cosine":             {Recipe: graph.Recipe{Metric: graph.Cosine}},
		"neighbours=1 degree=1 laplacian=combinatorial":   {Recipe: graph.Recipe{Laplacian: graph.Combinatorial}},
		"neighbours=9 degree=3 laplacian=combinatorial":   {Recipe: graph.Recipe{Neighbours: 9, Degree: 3, Laplacian: graph.Combinatorial}},
		"neighbours=1 degree=1 symmetry=mutual view=b":    {Recipe: graph.Recipe{Symmetry: graph.Mutual}, First: 3, Last: 6},
		"neighbours=1 degree=1 metric=cosine view=c":      {Recipe: graph.Recipe{Metric: graph.Cosine}, First: 3, Last: 5},
		"neighbours=1 degree=1 weights=self-tuned view=a": {Recipe: graph.Recipe{Weights: graph.SelfTuned}, Last: 3},
	} {
		if got := describeTerm(g, views); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestKernelParameter: names of a kernel's parameters are known alone, in a term of a sum and of a column.
func TestKernelParameter(t *testing.T) {
	for name, want := range map[string]bool{
		"sigma": true, "2.sigma": true, "1.2.sigma": true, "sigma[3]": true, "sigma[a.b]": true, "2.sigma[3]": true, "degree": true,
		"igma": false, "sigma.2": false, "": false, "nothing": false, "2.nothing": false, "[sigma": false,
	} {
		if got := kernelParameter(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if !Known("sigma[2]") || !Known("neighbours") || Known("nothing") {
		t.Error("a name of a kernel's parameter or of a setting is known, and nothing else")
	}
}

// TestMeaning: a parameter is told by the method's own setting, or by the kernel that has it, and a flag is no parameter.
func TestMeaning(t *testing.T) {
	m, _ := Find("lap-rls")
	own, _ := m.Setting("neighbours")
	if got := Meaning("lap-rls", "neighbours"); got != own.About || got == "" {
		t.Errorf("neighbours: %q, want %q", got, own.About)
	}
	for name, part := range map[string]string{"sigma": "width", "gamma_a": "ambient weight"} {
		if got := Meaning("lap-rls", name); !strings.Contains(got, part) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := Meaning("lap-rls", "nothing"); got != "" {
		t.Errorf("nothing: %q", got)
	}
}

// TestClassWise: graphs inside classes are for classes, every row of which has a label.
func TestClassWise(t *testing.T) {
	_, r, err := Read(asked(t, "lap-rls within=yes --tune none"))
	if err != nil {
		t.Fatal(err)
	}
	sets := inputs()
	for name, says := range map[string]string{"numbers": "the targets are numbers", "two": "4 of 24 rows are not"} {
		p, err := task.Prepare(t.Context(), sets[name], r, result.Options{}, task.Coding{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := classWise(p); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
	in := sets["two"]
	for i, a := range in.Set.Answers {
		if a == "" {
			in.Set.Answers[i] = "yes"
		}
	}
	p, err := task.Prepare(t.Context(), in, r, result.Options{}, task.Coding{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	norm, err := classWise(p)
	if w, ok := norm.(manifold.Within); err != nil || !ok || w.Graph.Recipe.Neighbours != 10 || w.Graph.Recipe.Degree != 2 ||
		len(w.Class) != 24 {
		t.Errorf("%+v, %v", norm, err)
	}
	if _, r, err = Read(asked(t, "lap-rls within=yes --tune none degree=3 neighbours=4")); err != nil {
		t.Fatal(err)
	}
	if p, err = task.Prepare(t.Context(), in, r, result.Options{}, task.Coding{}, 0); err != nil {
		t.Fatal(err)
	}
	norm, err = classWise(p)
	if w, ok := norm.(manifold.Within); err != nil || !ok || w.Graph.Recipe.Neighbours != 4 || w.Graph.Recipe.Degree != 3 {
		t.Errorf("as asked: %+v, %v", norm, err)
	}
}

// TestStart: where a free parameter begins, inside its range.
func TestStart(t *testing.T) {
	for _, c := range []struct {
		d    param.Dim
		want float64
	}{
		{param.Dim{Name: "gamma_a", Kind: param.Log, Lo: 1e-9, Hi: 1e9, Default: 1}, 0.25},
		{param.Dim{Name: "gamma_i", Kind: param.Log, Lo: 1e-9, Hi: 1e9, Default: 1}, 0.125},
		{param.Dim{Name: "gamma_i", Kind: param.Log, Lo: 0.5, Hi: 1e9, Default: 1}, 0.5},
		{param.Dim{Name: "sigma", Kind: param.Log, Lo: 1e-9, Hi: 1e9, Default: 3}, 6},
		{param.Dim{Name: "sigma[a]", Kind: param.Log, Lo: 1e-9, Hi: 1e9, Default: 3}, 6},
		{param.Dim{Name: "1.sigma", Kind: param.Log, Lo: 1e-9, Hi: 5, Default: 3}, 5},
		{param.Dim{Name: "neighbours", Kind: param.Integer, Lo: 1, Hi: 50, Default: 3}, 8},
		{param.Dim{Name: "neighbours", Kind: param.Integer, Lo: 1, Hi: 5, Default: 3}, 5},
		{param.Dim{Name: "degree", Kind: param.Integer, Lo: 1, Hi: 4, Default: 1}, 2},
		{param.Dim{Name: "degree", Kind: param.Real, Lo: 1, Hi: 4, Default: 1}, 1},
		{param.Dim{Name: "epsilon", Kind: param.Log, Lo: 1e-9, Hi: 1e9, Default: 3}, 3},
	} {
		if got := start(c.d, 2, 0.25, 0.125); got != c.want {
			t.Errorf("%+v begins at %g, want %g", c.d, got, c.want)
		}
	}
}

// TestPathWork: of 14 rows a search with a heap over all edges takes log2(16) = 4 of its steps for each.
func TestPathWork(t *testing.T) {
	z := size{n: 14, l: 5, d: 3, c: 2}
	want := z.graphWork().Plus(Work{Passes: 5 * 14 * 1.5 * usualPathNeighbours * 14 * 4}, cost.Gram(14, 14, 3), cost.Cholesky(14))
	if got := new(pathSpace).work(z); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	for text, want := range map[string]float64{"lds": 5, "lds --tune none": 1, "lds sigma=2": 1} {
		_, r, err := Read(asked(t, text))
		if err != nil {
			t.Fatal(err)
		}
		if got := new(pathSpace).widths(r); got != want {
			t.Errorf("%s: %g widths, want %g", text, got, want)
		}
	}
	if got := (&pathSpace{scaled: true}).widths(task.Request{Values: setting.Values{}}); got != 1 {
		t.Errorf("%g widths of one scale", got)
	}
}

// produced are the candidates of a recipe for the numbers, and the task that they were made for.
func produced(t *testing.T, text string) (*task.Task, *choose.Candidates) {
	t.Helper()
	return producedFrom(t, inputs()["numbers"], text)
}

// producedFrom is what a request makes of rows.
func producedFrom(t *testing.T, in result.Input, text string) (*task.Task, *choose.Candidates) {
	t.Helper()
	m, r, err := Read(asked(t, text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := task.Prepare(t.Context(), in, r, result.Options{}, m.Coding, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Form(task.SizeOf(in, r.Recipe, result.Options{}, false), r).Produce(t.Context(), p)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p, c
}

// TestPartsOfFronts: a front has the risk of the parts that it was merged from, a mean over the labelled rows, and its decision by
// folds is refused where these are more than the labels.
func TestPartsOfFronts(t *testing.T) {
	for _, text := range []string{"mobj-rbf --decision gcv", "mobj-grn --decision gcv"} {
		p, c := produced(t, text)
		of, least := math.Inf(1), math.Inf(1)
		for _, part := range c.Front.Parts {
			for _, v := range part.Risk {
				of = min(of, v)
			}
		}
		for _, v := range c.Front.Points {
			least = min(least, v.Risk)
			if math.Abs(v.Risk-v.SSE/float64(p.Labelled())) > 1e-12*v.Risk {
				t.Errorf("%s: risk %g of the sum %g of %d rows", text, v.Risk, v.SSE, p.Labelled())
			}
		}
		if c.Front.Parts != nil && math.Abs(of-least) > 1e-9*least {
			t.Errorf("%s: the least risk is %g, of the parts %g", text, least, of)
		}
	}
}

// TestOffsetOfARareClass: one row in six is of the second class, beyond a plane that is far from the origin, so that a linear machine of
// a design is better with an offset; it has one where the score may decide, and none where the recipe says no.
func TestOffsetOfARareClass(t *testing.T) {
	x := mat.NewDense(60, 2, nil)
	answers := make(data.Answers, 60)
	for i := range answers {
		x.SetRow(i, []float64{math.Sin(float64(i)) - 0.5, math.Cos(float64(3 * i))})
		answers[i] = "usual"
		if i%6 == 0 {
			x.Set(i, 0, x.At(i, 0)+3)
			answers[i] = "rare"
		}
	}
	in := result.Input{Set: &data.Set{Source: "set", Features: []string{"a", "b"}, Rows: data.Rows{Dense: x}, Answers: answers}}
	for text, want := range map[string]bool{"rls": true, "rls --offset auto": true, "rls --offset no": false} {
		_, c := producedFrom(t, in, text)
		linear := 0
		for _, m := range c.Members {
			if !m.Linear {
				continue
			}
			linear++
			if has := m.Machine.B != nil; has != want {
				t.Errorf("%s: %s has an offset: %v, want %v", text, m.Name, has, want)
			}
		}
		if linear == 0 {
			t.Errorf("%s: no linear machine among %d", text, len(c.Members))
		}
	}
}

// endless are fronts whose ranges are never wide enough.
type endless struct{ rbf.MOBJ }

func (e endless) Enlarged([]*rbf.Front, []int) (rbf.Enlargeable, string) { return e, "a range ends" }

// TestEnlargedRanges: ranges that nobody gave are enlarged three times at most, each time with its reason; those that were asked for stay.
func TestEnlargedRanges(t *testing.T) {
	for text, times := range map[string]int{"mobj-rbf --decision gcv sigma=2": 3, "mobj-rbf --decision gcv sigma=2 max_q=2": 0} {
		m, r, err := Read(asked(t, text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Prepare(t.Context(), inputs()["numbers"], r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		rows := p.Problem.Rows.Select(p.Problem.Labelled)
		n, err := enlarged(t.Context(), p, rows, endless{rbf.MOBJ{Widths: widthsOf(p), Steps: 20}})
		if err != nil {
			t.Fatal(err)
		}
		if says := n.made.Front.Decided.Assumed; strings.Count(says, "a range ends") != times {
			t.Errorf("%s: %q, want %d enlargements", text, says, times)
		}
	}
}

// TestPiecesThatRefuse: features that do not vary, weights that are none or do not add up to one, two kernels at a time, and a kernel that
// is not definite where a machine needs one, are told with what to do.
func TestPiecesThatRefuse(t *testing.T) {
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: []int{0, 1, 0, 1}}
	p := &task.Task{Input: result.Input{Set: &data.Set{Source: "few.csv"}}}
	p.Problem = learn.NewProblem(data.Rows{Dense: mat.NewDense(4, 2, nil)}, labels)
	on := func(k kernel.Kernel) *task.Task { return &task.Task{Base: k, Input: p.Input} }
	_, constant := keep(t.Context(), p, kernel.ARDGaussian{Sigma: []float64{1, 1}}, 0.5)
	_, _, two := Read(result.Recipe{Method: "rls", Kernel: "linear", KernelValue: kernel.Gaussian{Sigma: 2}})
	for _, c := range []struct {
		err  error
		says string
	}{
		{constant, "--set select: no feature varies; give features that differ from row to row"},
		{two, "--kernel linear: the recipe has a kernel of its own, "},
		{checkMu("0.5,x"), "give weights from 0, as in 0.25,0.75"}, {checkMu("1.5,-0.5"), "give weights from 0, as in 0.25,0.75"},
		{checkMu("0.5,0.6"), "the weights sum to 1.1, and must to 1"},
		{untrained(on(kernel.Sigmoid{Scale: 1}), rls.ErrLeverage), "few.csv: "},
		{untrained(on(kernel.Sigmoid{Scale: 1}), rls.ErrLeverage), "has negative eigenvalues"},
		{untrained(on(kernel.Gaussian{Sigma: 1}), rls.ErrLeverage), "set a smaller C, or a larger lambda or gamma_a"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%v, want %q", c.err, c.says)
		}
	}
	if err := checkMu("0.25,0.75"); err != nil {
		t.Error(err)
	}
}
