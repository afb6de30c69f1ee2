package task

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// some is a set of rows on a line with these answers.
func some(answers ...string) result.Input {
	x := mat.NewDense(len(answers), 2, nil)
	for i := range answers {
		x.Set(i, 0, float64(i))
		x.Set(i, 1, float64(i*i%7))
	}
	return result.Input{
		Set: &data.Set{Source: "some", LabelName: "label", Features: []string{"a", "b"}, Rows: data.Rows{Dense: x}, Answers: answers},
	}
}

// turns are n answers, the words by turns.
func turns(n int, words ...string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = words[i%len(words)]
	}
	return list
}

// prepared is a task with no settings but the recipe's scoring.
func prepared(t *testing.T, in result.Input, r result.Recipe, c Coding) (*Task, error) {
	t.Helper()
	scoring, err := ParseScoring(r.Tune)
	if err != nil {
		t.Fatal(err)
	}
	return Prepare(t.Context(), in, Request{Recipe: r, Values: setting.Values{}, Scoring: scoring}, result.Options{}, c, 0)
}

func must(t *testing.T, in result.Input, r result.Recipe, c Coding) *Task {
	t.Helper()
	p, err := prepared(t, in, r, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDefaultScore: leave-one-out where it is closed or rows are few, folds else.
func TestDefaultScore(t *testing.T) {
	for _, c := range []struct {
		rows   int
		words  []string
		coding Coding
		want   string
	}{
		{60, []string{"x", "y"}, Coding{Classes: true}, "loo:logloss"},
		{61, []string{"x", "y"}, Coding{Classes: true}, "kfold:5"},
		{61, []string{"x", "y"}, Coding{}, "loo:logloss"},
		{12, []string{"x", "y"}, Coding{OneClass: true}, "none"},
		{12, []string{"1.5", "2.5", "3.25"}, Coding{}, "loo:press"},
		{61, []string{"1.5", "2.5", "3.25"}, Coding{Classes: true}, "kfold:5"},
	} {
		p := must(t, some(turns(c.rows, c.words...)...), result.Recipe{}, c.coding)
		if p.Scoring.Name != c.want {
			t.Errorf("%d rows of %v, %+v: %s, want %s", c.rows, c.words, c.coding, p.Scoring.Name, c.want)
		}
		if n := len(p.Folds); (c.want == "kfold:5") != (n == 5) {
			t.Errorf("%s has %d folds", c.want, n)
		}
	}
}

// TestFolds: k-fold leaves every labelled row out once, a hold-out the share; another seed draws
// others and the same seed the same.
func TestFolds(t *testing.T) {
	in := some(append([]string{"", ""}, turns(20, "x", "y")...)...)
	folds := must(t, in, result.Recipe{Tune: "kfold:4"}, Coding{}).Folds
	seen := make([]int, 20)
	for _, fold := range folds {
		for _, i := range fold {
			seen[i]++
		}
	}
	if len(folds) != 4 || slices.Min(seen) != 1 || slices.Max(seen) != 1 {
		t.Errorf("folds %v", folds)
	}
	for _, tune := range []string{"kfold:4", "holdout:0.3"} {
		one, again := must(t, in, result.Recipe{Tune: tune}, Coding{}), must(t, in, result.Recipe{Tune: tune, Seed: 1}, Coding{})
		other := must(t, in, result.Recipe{Tune: tune, Seed: 2}, Coding{})
		if !reflect.DeepEqual(one.Folds, again.Folds) || reflect.DeepEqual(one.Folds, other.Folds) {
			t.Errorf("%s: seed 1 %v, again %v, seed 2 %v", tune, one.Folds, again.Folds, other.Folds)
		}
	}
	held := must(t, in, result.Recipe{Tune: "holdout:0.3"}, Coding{})
	if len(held.Folds) != 1 || len(held.Folds[0]) != 6 || !slices.Equal(held.Judged(), slices.Sorted(slices.Values(held.Folds[0]))) {
		t.Errorf("hold-out %v, judged %v", held.Folds, held.Judged())
	}
	ordered := some(turns(20, "x", "y")...)
	for i := range 20 {
		ordered.Set.Order = append(ordered.Set.Order, float64(i))
	}
	last := must(t, ordered, result.Recipe{Tune: "none"}, Coding{})
	if !slices.Equal(last.Judged(), []int{16, 17, 18, 19}) || len(last.Folds) != 1 {
		t.Errorf("of rows in order without a score %v are judged, and not the last fifth", last.Folds)
	}
	if all := must(t, in, result.Recipe{}, Coding{}).Judged(); len(all) != 20 || all[0] != 0 || all[19] != 19 {
		t.Errorf("leave-one-out judges %v", all)
	}
	if _, err := prepared(t, in, result.Recipe{Tune: "kfold:20"}, Coding{}); err != nil {
		t.Errorf("as many folds as rows: %v", err)
	}
	if _, err := prepared(t, in, result.Recipe{Tune: "kfold:21"}, Coding{}); err == nil ||
		!strings.Contains(err.Error(), "some: --tune kfold:21 asks 21 folds of 20 labelled rows") {
		t.Errorf("more folds than rows: %v", err)
	}
}

// TestShortClasses: a class that misses from a fold is told, and one that does not is not.
func TestShortClasses(t *testing.T) {
	lone := append([]string{"z"}, turns(20, "x", "y")...)
	for tune, says := range map[string]string{
		"kfold:4":     "class z has 1 labelled rows and misses from 3 of 4 folds",
		"holdout:0.3": "class z has 1 labelled row, which trains and is not judged",
	} {
		if p := must(t, some(lone...), result.Recipe{Tune: tune}, Coding{}); !slices.Contains(p.Warnings, says) {
			t.Errorf("%s: warnings %q, want %q", tune, p.Warnings, says)
		}
		if p := must(t, some(lone[1:]...), result.Recipe{Tune: tune}, Coding{}); len(p.Warnings) > 0 {
			t.Errorf("%s without the class: warnings %q", tune, p.Warnings)
		}
	}
}

// TestCriteria: what judges left-out rows, by the task and by what is set.
func TestCriteria(t *testing.T) {
	classes, numbers := some(turns(20, "x", "x", "x", "y")...), some(turns(20, "1.5", "2.5", "3.25")...)
	for _, c := range []struct {
		in   result.Input
		tune string
		want score.Criterion
	}{
		{classes, "kfold:3", score.LogLoss{}}, {numbers, "kfold:3", score.Press{}}, {classes, "loo:press", score.Press{}},
		{classes, "loo:error", score.Error{}}, {classes, "loo:smooth-error", score.SmoothError{}},
		{classes, "loo:smooth-f", score.SmoothF{}},
		{classes, "loo:smooth-wer", score.SmoothWeighted{Eta: 5. / 15}}, // n+/n- for a negative
	} {
		if got := must(t, c.in, result.Recipe{Tune: c.tune}, Coding{}).Scoring.Criterion; got != c.want {
			t.Errorf("%s: %#v, want %#v", c.tune, got, c.want)
		}
	}
	for word, want := range map[string]score.Criterion{"logloss": score.LogLoss{}, "mse": score.Risk{Loss: learn.Square()},
		"logistic": score.Risk{Loss: learn.Logistic()}} {
		if got := outer(word); got != want {
			t.Errorf("outer=%s: %#v", word, got)
		}
	}
	for tune, in := range map[string]result.Input{"loo:logloss": numbers, "loo:error": numbers, "loo:smooth-f": numbers,
		"loo:smooth-wer": some(turns(20, "x", "y", "z")...)} {
		if _, err := prepared(t, in, result.Recipe{Tune: tune}, Coding{}); err == nil {
			t.Errorf("%s is taken for what it is not for", tune)
		}
	}
}

// TestOuter: another loss takes the criterion's place where rows are left out, and is refused
// elsewhere.
func TestOuter(t *testing.T) {
	ask := func(in result.Input, tune, word string) (*Task, error) {
		scoring, err := ParseScoring(tune)
		if err != nil {
			t.Fatal(err)
		}
		v := setting.Values{Outer.Key(): {Text: word, Words: []string{word}}}
		return Prepare(t.Context(), in, Request{Values: v, Scoring: scoring}, result.Options{}, Coding{}, 0)
	}
	classes, numbers := some(turns(20, "x", "y")...), some(turns(20, "1.5", "2.5", "3.25")...)
	for _, tune := range []string{"", "kfold:4", "holdout:0.3", "loo:logloss"} {
		if p, err := ask(classes, tune, "mse"); err != nil || p.Scoring.Criterion != (score.Risk{Loss: learn.Square()}) {
			t.Errorf("%q: %v", tune, err)
		}
	}
	if _, err := ask(classes, "gcv", "mse"); err == nil || !strings.Contains(err.Error(), "it judges left-out rows") {
		t.Errorf("gcv: %v", err)
	}
	if _, err := ask(numbers, "kfold:4", "mse"); err != nil {
		t.Errorf("a regression's mean square: %v", err)
	}
	if _, err := ask(numbers, "kfold:4", "logloss"); err == nil || !strings.Contains(err.Error(), "outer=logloss is for classes") {
		t.Errorf("a regression's log loss: %v", err)
	}
}

// TestPrice: aic and cp charge twice the noise a degree of freedom, bic ln l times.
func TestPrice(t *testing.T) {
	answers := make([]string, 40)
	for i := range answers {
		answers[i] = fmt.Sprint(math.Sin(float64(i)/5) + 0.1*float64(i*7919%13))
	}
	charge := func(tune string) float64 {
		return must(t, some(answers...), result.Recipe{Tune: tune}, Coding{}).Scoring.charge
	}
	if a, c, b := charge("aic"), charge("cp"), charge("bic"); !(a > 0) || a != c || math.Abs(b/a-math.Log(40)/2) > 1e-12 {
		t.Errorf("charges aic %g, cp %g, bic %g", a, c, b)
	}
}

// TestParseScoring: every word of --tune, and what is refused.
func TestParseScoring(t *testing.T) {
	for text, want := range map[string]Scoring{
		"": {}, "auto": {}, "none": {Name: "none", None: true}, "gcv": {Name: "gcv", GCV: true},
		"cp": {Name: "cp", Penalty: "cp"}, "aic": {Name: "aic", Penalty: "aic"}, "bic": {Name: "bic", Penalty: "bic"},
		"kfold:2": {Name: "kfold:2", Folds: 2}, "holdout:0.25": {Name: "holdout:0.25", Share: 0.25},
		"kfold:5:inductive":     {Name: "kfold:5:inductive", Folds: 5, Inductive: true},
		"holdout:0.5:inductive": {Name: "holdout:0.5:inductive", Share: 0.5, Inductive: true},
		"bound:span":            {Name: "bound:span", Bound: svm.Span},
		"bound:radius-margin":   {Name: "bound:radius-margin", Bound: svm.RadiusMargin},
	} {
		if got, err := ParseScoring(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"kfold:1", "kfold:x", "kfold", "holdout:0", "holdout:1", "holdout:x", "loo", "loo:x", "gcv:2", "none:x",
		"bound:x", "x", "loo:press:inductive", "gcv:inductive"} {
		if got, err := ParseScoring(text); err == nil || !strings.Contains(err.Error(), "--tune "+text+": ") {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string][2]bool{"gcv": {false, true}, "bic": {false, true}, "loo:press": {true, false},
		"none": {false, false}} {
		if s, _ := ParseScoring(text); s.Drawn() != want[0] || s.Closed() != want[1] {
			t.Errorf("%s: drawn %v, closed %v", text, s.Drawn(), s.Closed())
		}
	}
	for search, want := range map[string]bool{"gradient": true, "rprop": true, "sqp": true, "grid": false, "random": false,
		"nelder-mead": false, "auto": false} {
		if Differentiates(search) != want {
			t.Errorf("%s differentiates: %v", search, !want)
		}
	}
	k := Scoring{Criterion: score.LogLoss{}, Folds: 5}
	if inductive, held := k, k; k.Drawn() {
		inductive.Inductive, held.Share = true, 0.2
		if inductive.Drawn() || held.Drawn() {
			t.Error("other folds of an inductive score or of a hold-out")
		}
	} else {
		t.Error("k-fold is not drawn again")
	}
}

// TestClassWeights: balanced classes weigh the same in all, l/2 each of two; named ones as said.
func TestClassWeights(t *testing.T) {
	in := some("x", "y", "x", "x", "", "x", "y", "x") // 5 of x, 2 of y
	for text, want := range map[string][2]float64{"balanced": {7. / 10, 7. / 4}, "y=3": {1, 3}, "x=0.5,y=2": {0.5, 2}} {
		p := must(t, in, result.Recipe{ClassWeight: text}, Coding{})
		sum := [2]float64{}
		for i, k := range p.Problem.Class {
			if p.Problem.Weight[i] != want[k] {
				t.Errorf("%s: row %d of class %d weighs %g, want %g", text, i, k, p.Problem.Weight[i], want[k])
			}
			sum[k] += p.Problem.Weight[i]
		}
		if text == "balanced" && (math.Abs(sum[0]-3.5) > 1e-12 || math.Abs(sum[1]-3.5) > 1e-12) {
			t.Errorf("classes weigh %v", sum)
		}
	}
	if p := must(t, in, result.Recipe{}, Coding{}); p.Problem.Weight != nil {
		t.Errorf("weights %v where none are asked for", p.Problem.Weight)
	}
	if _, err := prepared(t, in, result.Recipe{ClassWeight: "z=2"}, Coding{}); err == nil ||
		!strings.Contains(err.Error(), "no labelled row has class z; the classes are x, y") {
		t.Errorf("an unknown class: %v", err)
	}
	for text, good := range map[string]bool{"balanced": true, "x=2": true, "x=2,y=1": true, "x": false, "=2": false, "x=0": false,
		"x=-1": false, "x=inf": false, "x=1,x=2": false} {
		if err := checkClassWeight(text); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestDegrees: whole powers, fractions up to eight, and the word for a learned one.
func TestDegrees(t *testing.T) {
	for text, good := range map[string]bool{"1": true, "2,5": true, "0.5": true, "8.0": true, "real": true, "0": false, "8.5": false,
		"0.0": false, "-1": false, "1000000": true, "1000001": false, "x": false, "1,x": false} {
		if err := checkDegree(text); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]bool{"real": true, "0.5": true, "2": false, "1.5,2": false, "": false} {
		if got := RealDegree(setting.Values{Degree.Key(): {Text: text}}); got != want {
			t.Errorf("%s is real: %v", text, got)
		}
	}
}

// TestSample: every labelled row is kept, others are drawn by the seed, in order, hidden answers with them.
func TestSample(t *testing.T) {
	in := some(turns(60, "x", "", "", "", "", "y")...)
	in.Hidden = make(data.Answers, 60)
	for i := range in.Hidden {
		in.Hidden[i] = fmt.Sprint(i)
	}
	part := Sample(in, 30, 1)
	labelled, last := 0, -1.0
	for i, a := range part.Set.Answers {
		at := part.Set.Rows.Dense.At(i, 0)
		if a != "" {
			labelled++
		}
		if at <= last || a != in.Set.Answers[int(at)] || part.Hidden[i] != fmt.Sprint(at) {
			t.Errorf("row %d is row %g, answer %q, hidden %q", i, at, a, part.Hidden[i])
		}
		last = at
	}
	if part.Set.Rows.Len() != 30 || labelled != 20 {
		t.Errorf("%d rows, %d labelled", part.Set.Rows.Len(), labelled)
	}
	same := func(a, b result.Input) bool { return mat.Equal(a.Set.Rows.Dense, b.Set.Rows.Dense) }
	if !same(part, Sample(in, 30, 1)) || same(part, Sample(in, 30, 2)) {
		t.Error("the seed does not draw")
	}
	if got := Sample(in, 5, 1).Set.Rows.Len(); got != 20 {
		t.Errorf("%d rows of a sample smaller than the labels", got)
	}
	whole := must(t, in, result.Recipe{}, Coding{})
	small, err := Prepare(t.Context(), in, Request{Values: setting.Values{}}, result.Options{}, Coding{}, 30)
	if err != nil || whole.Sampled() || !small.Sampled() || small.Problem.Rows.Len() != 30 || small.Whole.Set != in.Set {
		t.Errorf("sampled %v and %v, %v", whole.Sampled(), small.Sampled(), err)
	}
}

// TestGraphOfSettings: what is set of the graph, and the cosine of sparse rows.
func TestGraphOfSettings(t *testing.T) {
	p := must(t, some(turns(12, "x", "y")...), result.Recipe{}, Coding{})
	if g := p.Graph(); g != (graph.Recipe{Weights: graph.SelfTuned}) {
		t.Errorf("nothing set: %+v", g)
	}
	p.Values = setting.Values{
		"neighbours": {
			Numbers: []float64{7},
		}, "degree": {Text: "3", Numbers: []float64{3}}, "width": {Numbers: []float64{0.5}}, "metric": {Words: []string{"cosine"}},
		"weights": {Words: []string{"heat"}}, "symmetry": {Words: []string{"mutual"}}, "laplacian": {Words: []string{"combinatorial"}},
	}
	want := graph.Recipe{
		Neighbours: 7,
		Degree:     3,
		Width:      0.5,
		Metric:     graph.Cosine,
		Weights:    graph.Heat,
		Symmetry:   graph.Mutual,
		Laplacian:  graph.Combinatorial,
	}
	if g := p.Graph(); g != want {
		t.Errorf("%+v, want %+v", g, want)
	}
	p.Values = setting.Values{"degree": {Text: "0.5", Numbers: []float64{0.5}}, "neighbours": {Numbers: []float64{3, 4}}}
	if g := p.Graph(); g.Degree != 0 || g.Neighbours != 0 {
		t.Errorf("a real degree and a list: %+v", g)
	}
	p.Values = setting.Values{"degree": {Text: "1.5", Numbers: []float64{1.5}}}
	if g := p.Graph(); g.Degree != 0 {
		t.Errorf("a real degree above one: %+v", g)
	}
	p.Recipe.Views = []result.View{{Name: "v", First: 2, Last: 5}}
	if v := p.ViewColumns(); len(v) != 1 || v[0] != [2]int{1, 5} {
		t.Errorf("view columns %v", v)
	}
}

// TestOffset: regressions and linear kernels have a constant, others as the method says, and the
// recipe before all.
func TestOffset(t *testing.T) {
	classes, numbers := some(turns(12, "x", "y")...), some(turns(12, "1.5", "2.5", "3.25")...)
	for _, c := range []struct {
		in     result.Input
		r      result.Recipe
		coding Coding
		want   bool
	}{
		{classes, result.Recipe{}, Coding{}, false}, {classes, result.Recipe{}, Coding{Offset: true}, true},
		{classes, result.Recipe{Kernel: "linear"}, Coding{}, true},
		{numbers, result.Recipe{}, Coding{}, true}, {numbers, result.Recipe{Offset: "no"}, Coding{}, false},
		{classes, result.Recipe{Offset: "yes"}, Coding{}, true},
		{classes, result.Recipe{Offset: "no"}, Coding{Offset: true}, false},
		{classes, result.Recipe{Kernel: "polynomial"}, Coding{}, false},
	} {
		if p := must(t, c.in, c.r, c.coding); p.Offset != c.want {
			t.Errorf("%+v, %+v: offset %v", c.r, c.coding, p.Offset)
		}
	}
}

// TestKernelSettings: parameters fixed by name, LIBSVM's names, and what is refused.
func TestKernelSettings(t *testing.T) {
	ask := func(spec string, set ...string) (*Task, error) {
		r := Request{Recipe: result.Recipe{Kernel: spec, Scale: "none"}, Values: setting.Values{}}
		for _, s := range set {
			name, value, _ := strings.Cut(s, "=")
			if err := r.ReadKernel(name, value); err != nil {
				return nil, err
			}
		}
		return Prepare(t.Context(), some(turns(12, "x", "y")...), r, result.Options{}, Coding{Method: "rls"}, 0)
	}
	for _, s := range []string{"sigma=2", "gamma=0.125"} {
		if p, err := ask("gaussian", s); err != nil || math.Abs(p.Base.(kernel.Gaussian).Sigma-2) > 1e-15 || len(p.Fixed) != 1 {
			t.Errorf("%s: %v", s, err)
		}
	}
	if p, err := ask("ard-gaussian", "sigma=2,3"); err != nil || !slices.Equal(p.Base.(kernel.ARDGaussian).Sigma, []float64{2, 3}) ||
		!slices.Equal(p.Fixed, []int{0, 1}) {
		t.Errorf("two widths: %v", err)
	}
	if p, err := ask("ard-gaussian", "sigma=2"); err != nil || !slices.Equal(p.Base.(kernel.ARDGaussian).Sigma, []float64{2, 2}) {
		t.Errorf("one width for all: %v", err)
	}
	for set, says := range map[string]string{"sigma=1,2,3": "with 3 values",
		"scale=2": "neither method rls nor kernel gaussian has such a parameter; the kernel has sigma", "sigma=0": "must be positive",
		"sigma=x": "not a number"} {
		if _, err := ask("gaussian", set); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", set, err)
		}
	}
}

// TestSpec: Gaussian unless sparse rows and nothing that speaks for a width.
func TestSpec(t *testing.T) {
	width := map[string][]float64{"sigma": {1}}
	for _, c := range []struct {
		r      Request
		sparse bool
		want   string
	}{
		{Request{}, false, "gaussian"}, {Request{}, true, "gaussian"}, {Request{Recipe: result.Recipe{Method: "auto"}}, true, "gaussian"},
		{Request{Recipe: result.Recipe{Method: "rls"}}, true, "linear"}, {Request{Recipe: result.Recipe{Method: "rls"}}, false, "gaussian"},
		{Request{Recipe: result.Recipe{Method: "rls"}, Kernel: width}, true, "gaussian"},
		{Request{Scoring: Scoring{None: true}}, true, "linear"},
		{Request{Recipe: result.Recipe{Kernel: "polynomial"}}, true, "polynomial"},
	} {
		if got := c.r.Spec(c.sparse); got != c.want {
			t.Errorf("%+v, sparse %v: %s", c.r, c.sparse, got)
		}
	}
}

// TestRefusals: values and columns that a request cannot mean, at their borders.
func TestRefusals(t *testing.T) {
	numbers := func(v string) result.Input { return some("1.5", "2.5", v, "4.25") }
	if _, err := prepared(t, numbers("1e150"), result.Recipe{}, Coding{}); err != nil {
		t.Errorf("1e150: %v", err)
	}
	if _, err := prepared(t, numbers("-1.1e150"), result.Recipe{}, Coding{}); err == nil ||
		!strings.Contains(err.Error(), "its square overflows") {
		t.Errorf("-1.1e150: %v", err)
	}
	view := func(last int) error {
		_, err := prepared(t, some(turns(8, "x", "y")...), result.Recipe{Views: []result.View{{Name: "v", First: 1, Last: last}}}, Coding{})
		return err
	}
	if view(2) != nil || view(3) == nil {
		t.Errorf("views of two columns: %v, %v", view(2), view(3))
	}
	near := func(k float64) error {
		_, err := Prepare(
			t.Context(),
			some(turns(8, "x", "y")...),
			Request{Values: setting.Values{"neighbours": {Numbers: []float64{k}}}},
			result.Options{},
			Coding{},
			0,
		)
		return err
	}
	if err := near(8); near(7) != nil || err == nil || !strings.Contains(err.Error(), "neighbours=8 of 8 rows; ask for at most 7") {
		t.Errorf("neighbours of eight rows: %v, %v", near(7), err)
	}
	uneven := some(turns(8, "x", "y")...)
	for i := range 8 {
		uneven.Set.Rows.Dense.Set(i, 1, 1e6*float64(i%3))
	}
	p := must(t, uneven, result.Recipe{Scale: "none"}, Coding{})
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "different scales") {
		t.Errorf("warnings %q", p.Warnings)
	}
	if p := must(t, uneven, result.Recipe{Scale: "standard"}, Coding{}); len(p.Warnings) != 0 {
		t.Errorf("scaled: warnings %q", p.Warnings)
	}
}

// TestSizeOf: what a form's cost depends on.
func TestSizeOf(t *testing.T) {
	in := some("x", "y", "", "x", "z", "?")
	s := SizeOf(in, result.Recipe{}, result.Options{Cache: 7}, false)
	if s.Rows != 6 || s.Labelled != 4 || s.Features != 2 || s.Outputs != 3 || s.Stored != 12 || s.Sparse || s.Cache != 7 ||
		s.One.Len() != 1 ||
		len(s.Names) != 2 {
		t.Errorf("%+v", s)
	}
	if got := s.String(); got != "6 rows (4 labelled) x 2 features" {
		t.Error(got)
	}
	if one := SizeOf(in, result.Recipe{}, result.Options{}, true); one.Labelled != 6 {
		t.Errorf("one class: %d labelled", one.Labelled)
	}
	thin := some("x", "y", "z", "y", "z")
	thin.Set.Rows = data.Rows{
		Sparse: &data.CSR{R: 5, C: 7, Start: []int{0, 1, 1, 3, 4, 4}, Index: []int32{0, 2, 6, 1}, Value: []float64{1, 2, 3, 4}},
	}
	s = SizeOf(thin, result.Recipe{}, result.Options{}, false)
	if !s.Sparse || s.Stored != 6 || s.Features != 7 || s.Pair != 4 || s.One.Len() != 1 {
		t.Errorf("four values of sparse rows, two classes of two: %+v", s)
	}
	for _, kind := range []string{"classification", "regression"} { // distinct numbers are one output
		in.Set.Answers = data.Answers{"0.5", "1", "", "2", "0.25", "?"}
		want := map[string]int{"classification": 4, "regression": 1}[kind]
		if s := SizeOf(in, result.Recipe{Task: kind}, result.Options{}, false); s.Outputs != want || s.Labelled != 4 {
			t.Errorf("%s: %+v", kind, s)
		}
	}
}

// TestOneClassRows: rows labelled -1 are left out, all others are the class.
func TestOneClassRows(t *testing.T) {
	l, err := Interpret(some("-1", "", "1", "odd").Set, result.Recipe{}, true)
	if err != nil || !slices.Equal(l.Class, []int{data.Unlabelled, 1, 1, 1}) {
		t.Errorf("%v, %v", l.Class, err)
	}
	if _, err := Interpret(some("-1", "-1").Set, result.Recipe{}, true); err == nil {
		t.Error("no row is left to learn from, and no error says so")
	}
}

// TestWritten: words that ask for what is so without them.
func TestWritten(t *testing.T) {
	for _, c := range []struct {
		key, text string
		want      bool
	}{{"--tune", "auto", true}, {"--search", "auto", true}, {"--offset", "auto", true}, {"--tune", "gcv", false},
		{"--multiclass", "one-vs-rest", true}, {"--multiclass", "one-vs-one", false}, {"--kernel", "auto", false}} {
		if got := IsDefault(c.key, c.text); got != c.want {
			t.Errorf("%s %s: %v", c.key, c.text, got)
		}
	}
	if (result.Recipe{}).Drawn() != 1 || (result.Recipe{Seed: 9}).Drawn() != 9 {
		t.Error("seeds")
	}
}

// TestSparseGraph: sparse rows are joined by the cosine, and only where they share a column, unless a
// metric is set.
func TestSparseGraph(t *testing.T) {
	in := some(turns(12, "x", "y")...)
	dense := in.Set.Rows.Dense
	index, ptr, value := []int32{}, []int{0}, []float64{}
	for i := range 12 {
		for k := range 2 {
			if v := dense.At(i, k); v != 0 {
				index, value = append(index, int32(k)), append(value, v)
			}
		}
		ptr = append(ptr, len(index))
	}
	in.Set.Rows = data.Rows{Sparse: &data.CSR{R: 12, C: 2, Start: ptr, Index: index, Value: value}}
	p := must(t, in, result.Recipe{Scale: "none"}, Coding{})
	if g := p.Graph(); g.Metric != graph.Cosine || g.Radius != unrelated {
		t.Errorf("%+v", g)
	}
	p.Values = setting.Values{Metric.Key(): {Text: "euclidean", Words: []string{"euclidean"}}}
	if g := p.Graph(); g.Metric != graph.Euclidean || g.Radius != 0 {
		t.Errorf("euclidean: %+v", g)
	}
	if _, err := prepared(t, in, result.Recipe{}, Coding{Dense: true, Method: "rofs"}); err == nil ||
		!strings.Contains(err.Error(), "method rofs is for dense rows") {
		t.Errorf("a method for dense rows: %v", err)
	}
}

// TestEqualWeightsWeighNothing: a weight that all rows have says nothing of any, and leaves the problem as it is without.
func TestEqualWeightsWeighNothing(t *testing.T) {
	for _, of := range [][]float64{nil, {0.5, 2, 1}} { // of classes
		for _, weight := range []float64{1, 0.1, 3e50} {
			p := &learn.Problem{Labelled: []int{0, 2, 3}, Weight: slices.Clone(of)}
			if err := weighRows(p, []float64{weight, 7, weight, weight}); err != nil || !slices.Equal(p.Weight, of) || p.Weight != nil && of == nil {
				t.Errorf("weights of %g beside %v: %v, %v", weight, of, p.Weight, err)
			}
		}
	}
}

// TestFoldsOfGroups: without a score rows in groups are judged by five folds, or by as many as there are groups.
func TestFoldsOfGroups(t *testing.T) {
	for _, c := range []struct {
		groups []string
		want   int
	}{{[]string{"a", "b", "c"}, 3}, {[]string{"a", "b", "c", "d", "e"}, 5}, {[]string{"a", "b", "c", "d", "e", "f", "g"}, 5}} {
		p := must(t, grouped(some(turns(28, "x", "y")...), turns(28, c.groups...)...), result.Recipe{Tune: "none"}, Coding{})
		if len(p.Folds) != c.want || len(p.Judged()) != 28 {
			t.Errorf("%d groups: folds %v", len(c.groups), p.Folds)
		}
	}
}
