package method

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

func TestTied(t *testing.T) {
	k := kernel.Sum{Terms: []kernel.Kernel{
		kernel.Scaled{Weight: 1, Base: kernel.Columns{Base: kernel.Gaussian{Sigma: 1}, Columns: []int{0}}},
		kernel.Scaled{Weight: 2, Base: kernel.Columns{Base: kernel.Gaussian{Sigma: 3}, Columns: []int{1, 2}}},
	}}
	space := append(k.Space(), param.Dim{Name: "C", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1})
	g := tied(space)
	if len(g) != 1 || len(g[0]) != 2 || space[g[0][0]].Default != 1 || space[g[0][1]].Default != 3 {
		t.Errorf("%v of %v", g, space.Names())
	}
	if g := tied(kernel.Gaussian{Sigma: 1}.Space()); len(g) != 0 {
		t.Errorf("one width: %v", g)
	}
}

// TestGain: nats a row as they are, squares by their logarithms.
func TestGain(t *testing.T) {
	for _, c := range []struct {
		by   score.Criterion
		want float64
	}{{score.LogLoss{}, 20 * 0.3}, {score.Risk{Loss: learn.Logistic()}, 20 * 0.3}, {score.Press{}, 10 * math.Log(0.5/0.2)},
		{score.Risk{Loss: learn.Square()}, 10 * math.Log(0.5/0.2)}} {
		if got := gain(c.by, 20, 0.5, 0.2); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%#v: %g, want %g", c.by, got, c.want)
		}
	}
}

// TestBestTied: the best point whose widths keep the ratios of the start; a better one that does
// not is passed over.
func TestBestTied(t *testing.T) {
	start := []float64{1, 2, 9}
	trace := []search.Record{
		{
			Theta: []float64{2, 4, 1},
			F:     0.5,
		}, {Theta: []float64{3, 6, 5}, F: 0.3}, {Theta: []float64{3, 6.1, 5}, F: 0.1}, {Theta: []float64{5, 10, 2}, F: 0.3},
	}
	if got := bestTied(trace, [][]int{{0, 1}}, start); !slices.Equal(got, []float64{3, 6, 5}) {
		t.Errorf("%v", got)
	}
	if got := bestTied(trace[2:3], [][]int{{0, 1}}, start); got != nil {
		t.Errorf("no tied point, but %v", got)
	}
}

// TestSummary: mean and standard deviation of three numbers by hand.
func TestSummary(t *testing.T) {
	if s := summary([]float64{1, 2, 6}); s.Draws != 3 || math.Abs(s.Mean-3) > 1e-15 || math.Abs(s.Std-math.Sqrt(7)) > 1e-15 {
		t.Errorf("%+v", s)
	}
}

// TestWiderStart: free widths start eight times wider, as far as their range goes, and nothing else moves.
func TestWiderStart(t *testing.T) {
	space := param.Space{
		{Name: "sigma[a]", Kind: param.Log, Lo: 0.1, Hi: 100, Default: 2}, {Name: "1.sigma", Kind: param.Log, Lo: 0.1, Hi: 10, Default: 2},
		{
			Name:    "sigma",
			Kind:    param.Log,
			Lo:      0.1,
			Hi:      100,
			Default: 2,
			Fixed:   true,
		}, {Name: "C", Kind: param.Log, Lo: 0.1, Hi: 100, Default: 2},
	}
	wider, ok := widerStart(space)
	if got := wider.Defaults(); !ok || !slices.Equal(got, []float64{16, 10, 2, 2}) || space[0].Default != 2 {
		t.Errorf("%v, %v", got, ok)
	}
	if _, ok := widerStart(space[2:]); ok {
		t.Error("no width is free, but some start wider")
	}
	space[1].Default = 10
	if _, ok := widerStart(space[1:2]); ok {
		t.Error("a width at its bound starts wider")
	}
}

// TestDead: outputs that do not differ are dead, and one column that does is not.
func TestDead(t *testing.T) {
	for _, c := range []struct {
		out  []float64
		want bool
	}{{[]float64{0, 5, 0, 5, 0, 5}, true}, {[]float64{0, 5, 0, 5.004, 0, 5}, true}, {[]float64{0, 5, 0, 5.006, 0, 5}, false},
		{[]float64{0, 5, 0.002, 5, 0, 5}, false}, {[]float64{0.0005, 0, 0, 0, 0, 0}, true}, {[]float64{-1, -1, 0, 0, 0, 0}, false}} {
		if got := dead(mat.NewDense(3, 2, c.out)); got != c.want {
			t.Errorf("%v: %v", c.out, got)
		}
	}
}

// elsewhere is a score that other folds value differently.
type elsewhere struct{ param.Objective }

func (e elsewhere) OnFolds([][]int) param.Objective { return e.Objective }

// constant is a score that is the same everywhere.
type constant struct {
	bowl
	f float64
}

func (c constant) Eval(context.Context, []float64, param.Want) (param.Value, error) {
	return param.Value{F: c.f}, nil
}

// TestConfirmTells: parameters are kept as found, and where other folds cannot be trained with them, or value them much worse,
// the fit says so.
func TestConfirmTells(t *testing.T) {
	m, r, err := Read(asked(t, "rls --tune kfold:3"))
	if err != nil {
		t.Fatal(err)
	}
	space := param.Space{{Name: "lambda", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1}}
	found := search.Result{Theta: []float64{2}, F: 0.25}
	for _, c := range []struct {
		other float64
		fresh bool
		warns string
	}{{0.25, true, ""}, {0.75, true, "is not repeated by other folds"}, {math.Inf(1), false, "no machine can be trained"}} {
		p, err := task.Prepare(t.Context(), inputs()["two"], r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		tuning, before := result.Tuning{Value: found.F}, len(p.Warnings)
		theta, err := searching{t: p}.confirm(t.Context(), elsewhere{constant{f: c.other}}, space, found, &tuning)
		if err != nil || !slices.Equal(theta, found.Theta) || (tuning.Fresh != nil) != c.fresh {
			t.Errorf("%g elsewhere: %v, %+v, %v", c.other, theta, tuning.Fresh, err)
		}
		now := strings.Join(p.Warnings[before:], "; ")
		if (now == "") != (c.warns == "") || !strings.Contains(now, c.warns) {
			t.Errorf("%g elsewhere: warnings %q, want %q", c.other, now, c.warns)
		}
	}
}

// stubborn are machines that cannot be trained beyond 1.
type stubborn struct {
	constant
	fails error
}

func (s stubborn) Train(_ context.Context, theta []float64) (*choose.Candidates, error) {
	if theta[0] > 1 {
		return nil, s.fails
	}
	return new(choose.Candidates), nil
}

// TestMachinesThatFailAtTheEnd: where the best point fails for its numbers the next best is the answer, with its score; else the fit fails.
func TestMachinesThatFailAtTheEnd(t *testing.T) {
	found := search.Result{Theta: []float64{4}, F: 1, Trace: []search.Record{
		{Theta: []float64{0.5}, F: 3}, {Theta: []float64{4}, F: 1}, {Theta: []float64{0.25}, F: 2}, {Theta: []float64{0.1}, F: math.Inf(1)},
	}}
	s := searching{word: "random", t: new(task.Task)}
	gone := errors.New("gone")
	if _, err := s.finish(t.Context(), stubborn{fails: gone}, nil, found); !errors.Is(err, gone) {
		t.Errorf("what is no matter of numbers: %v", err)
	}
	c, err := s.finish(t.Context(), stubborn{fails: rls.ErrLeverage}, nil, found)
	if err != nil || c.Tuning.Value != 2 {
		t.Errorf("the next best: %+v, %v", c, err)
	}
}

// TestFreshScores: four other draws of the folds judge what was found, draws of five folds where the score leaves single rows out, and a
// score of folds that the others miss by more than a quarter of it is told of.
func TestFreshScores(t *testing.T) {
	space := param.Space{
		{Name: "sigma[a]", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1}, {Name: "sigma[b]", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1},
	}
	found := search.Result{Theta: []float64{1, 2}, F: 0.25, Trace: []search.Record{
		{Theta: []float64{2, 2}, F: 0.25}, {Theta: []float64{1, 2}, F: 0.25},
	}}
	for _, c := range []struct {
		text  string
		other float64
		folds int
		warns bool
	}{{"rls --tune kfold:3", 0.3125, 3, false}, {"rls --tune kfold:3", 0.32, 3, true}, {"rls", 0.75, 5, false}} {
		m, r, err := Read(asked(t, c.text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Prepare(t.Context(), inputs()["two"], r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		tuning, before := result.Tuning{Value: found.F}, len(p.Warnings)
		_, err = searching{t: p}.confirm(t.Context(), elsewhere{constant{f: c.other}}, space, found, &tuning)
		if err != nil || tuning.Fresh == nil || tuning.Fresh.Draws != 4 || tuning.Fresh.Folds != c.folds {
			t.Errorf("%s, %g elsewhere: %+v, %v", c.text, c.other, tuning.Fresh, err)
		}
		if warned := len(p.Warnings) > before; warned != c.warns {
			t.Errorf("%s, %g elsewhere: warnings %q", c.text, c.other, p.Warnings[before:])
		}
	}
}

// TestWiderKernelsAreTried: a search that ends with a dead model begins again with a kernel eight times as wide, and once more, and then
// says that the model is dead. Rows stand a unit apart: of a width of a half one sees the next, of a sixteenth it sees nothing.
func TestWiderKernelsAreTried(t *testing.T) {
	x, answers := mat.NewDense(12, 1, nil), make(data.Answers, 12)
	for i := range answers {
		x.Set(i, 0, float64(i))
		answers[i] = []string{"high", "low"}[i/6]
	}
	in := result.Input{Set: &data.Set{Source: "line", Features: []string{"a"}, Rows: data.Rows{Dense: x}, Answers: answers}}
	m, r, err := Read(asked(t, "l2-svm outer=mse --tune kfold:3 --search gradient --scale none --offset no"))
	if err != nil {
		t.Fatal(err)
	}
	k := machine{id: l2ID, losses: []string{"squared-hinge"}}
	for end, dead := range map[float64]bool{1. / 2: false, 1. / 16: true} { // the width of the third search
		p, err := task.Prepare(t.Context(), in, r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		f, err := k.tunable(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		space := f.Space()
		space[0].Lo, space[0].Hi, space[0].Default = 1e-6, 100, end/64
		before := len(p.Warnings)
		_, last, err := searching{machine: k, t: p, word: "gradient"}.run(t.Context(), f, space, 8)
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Contains(strings.Join(p.Warnings[before:], "\n"), "the model is dead")
		if told != dead || last[0].Default != end {
			t.Errorf("the last search began at %g, want %g; warnings %q", last[0].Default, end, p.Warnings[before:])
		}
	}
}

// TestHowManyPointsAreTriedAtTheEnd: where no machine can be trained at the best point, the twenty best are tried, and then the fit fails.
func TestHowManyPointsAreTriedAtTheEnd(t *testing.T) {
	of := &task.Task{Base: kernel.Gaussian{Sigma: 1}, Input: result.Input{Set: &data.Set{Source: "rows"}}}
	for failing, trained := range map[int]bool{19: true, 20: false} {
		found := search.Result{Theta: []float64{4}, F: 0.5}
		for q := range failing {
			found.Trace = append(found.Trace, search.Record{Theta: []float64{2}, F: float64(q + 1)})
		}
		found.Trace = append(found.Trace, search.Record{Theta: []float64{0.5}, F: 100})
		c, err := searching{word: "random", t: of}.finish(t.Context(), stubborn{fails: rls.ErrLeverage}, nil, found)
		if (err == nil) != trained || trained && c.Tuning.Value != 100 {
			t.Errorf("%d points fail before one that does not: %+v, %v", failing, c, err)
		}
	}
}

// unrepeated are machines whose score on other folds cannot be had.
type unrepeated struct {
	stubborn
	err error
}

func (u unrepeated) OnFolds([][]int) param.Objective { return u }

func (u unrepeated) Eval(context.Context, []float64, param.Want) (param.Value, error) {
	return param.Value{}, u.err
}

// choosy are machines that some values cannot be trained with.
type choosy struct {
	constant
	fails map[float64]error
}

func (c choosy) Train(_ context.Context, theta []float64) (*choose.Candidates, error) {
	if err := c.fails[theta[0]]; err != nil {
		return nil, err
	}
	return new(choose.Candidates), nil
}

// TestSearchesThatFailAtTheEnd: where what was found cannot be judged by other folds, and where the next best point fails for other reasons
// than its numbers, the fit fails: it takes no point that nothing speaks for.
func TestSearchesThatFailAtTheEnd(t *testing.T) {
	m, r, err := Read(asked(t, "rls --tune kfold:3"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := task.Prepare(t.Context(), inputs()["two"], r, result.Options{}, m.Coding, 0)
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	space := param.Space{{Name: "lambda", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1}}
	found := search.Result{Theta: []float64{0.5}, F: 1}
	if c, err := (searching{word: "gradient", t: p}).finish(t.Context(), unrepeated{err: gone}, space, found); !errors.Is(err, gone) {
		t.Errorf("not judged by other folds: %+v, %v", c, err)
	}
	found = search.Result{Theta: []float64{4}, F: 1, Trace: []search.Record{
		{Theta: []float64{0.5}, F: 3}, {Theta: []float64{4}, F: 1}, {Theta: []float64{2}, F: 2},
	}}
	f := choosy{fails: map[float64]error{4: rls.ErrLeverage, 2: gone}}
	if c, err := (searching{word: "random", t: new(task.Task)}).finish(t.Context(), f, nil, found); !errors.Is(err, gone) {
		t.Errorf("the next best cannot be trained: %+v, %v", c, err)
	}
}
