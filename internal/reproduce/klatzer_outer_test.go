package reproduce

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// smallTask is eight training rows and five of validation.
func smallTask() *task {
	x := mat.NewDense(
		13,
		2,
		[]float64{.2, .7, .9, .4, .5, .1, .3, .9, .8, .8, .1, .3, .6, .5, .7, .2, .4, .6, .7, .3, .2, .2, .9, .9, .55, .45},
	)
	positive := []bool{true, false, false, true, true, false, false, true, true, false, false, true, false}
	return heldOut(data.Rows{Dense: x}, positive, indices.To(8), []int{8, 9, 10, 11, 12}, nil)
}

// H, and its derivatives by the source's own parameters, of values verified to an inner
// residual of 1e-12: quartic eps = 0.4 and modified logistic mu = 7.5.
func TestOuterGolden(t *testing.T) {
	for _, c := range []struct {
		model           model
		theta           []float64
		quartic, modlog []float64
	}{
		{linearModel(), []float64{.1}, []float64{.107435407373, .0583355464644}, []float64{.108571098837, .0558562002679}},
		{linearModels(2), []float64{.1, .3}, []float64{.149942973554, .007948029202, .162924851279},
			[]float64{.148517751835, .013526011127, .160944695213}},
		{gaussianModel(), []float64{.1, 2}, []float64{.122297356011, -.793808037947, .060879075637},
			[]float64{.117344039803, -.850690998558, .066446244387}},
		{chiSquareModel(), []float64{.1, 2}, []float64{.138851139552, -.941153353866, .0556450185},
			[]float64{.134357648584, -1.073126203393, .065918625071}},
		{gaussianModels(2), []float64{.1, 2, 1}, []float64{.0890575468705, .111649420826, .010487800131, -.040648601105},
			[]float64{.0891695728575, .127045781237, .010515701486, -.038893331411}},
		{groupModel([][]int{{0}, {1}}), []float64{.1, 2, 1, .6, .4},
			[]float64{.103219441955, .305068714579, .000937631225, -.040528009001, .000661853426, -.077259958784},
			[]float64{.103261321711, .285606251355, .000655748121, -.038802962949, .000473465349, -.072111760862}},
	} {
		for _, v := range []struct {
			loss learn.Loss
			want []float64
		}{{learn.Quartic(0.4), c.quartic}, {learn.ModLogistic(7.5), c.modlog}} {
			b := c.model.outer(smallTask(), v.loss)
			got, err := b.Eval(context.Background(), c.theta, param.WithGradient)
			if err != nil {
				t.Fatal(err)
			}
			for k, w := range v.want {
				g := append([]float64{got.F}, got.Grad...)[k]
				if math.Abs(g-w) > 1e-7*max(1, math.Abs(w)) { // the inner tolerance is 1e-8
					t.Errorf("%s, %s, %d: %.10g, want %.10g", c.model.name, v.loss.Name(), k, g, w)
				}
			}
		}
	}
}

// The derivatives are those of H as computed, by differences, over several folds.
func TestOuterGradient(t *testing.T) {
	ctx := context.Background()
	for _, m := range []model{linearModel(), linearModels(2), gaussianModel(), chiSquareModel(), gaussianModels(2),
		groupModel([][]int{{0}, {1}})} {
		s := smallTask()
		full := crossValidated(
			s.problem.Rows,
			[]bool{true, false, false, true, true, false, false, true, true, false, false, true, false},
			indices.To(13),
			nil,
			3,
			new(kernel.Work),
		)
		b := m.outer(full, learn.ModLogistic(7.5))
		theta := make([]float64, len(m.settings))
		for k := range theta {
			theta[k] = 0.4 + 0.3*float64(k)
		}
		v, err := b.Eval(ctx, theta, param.WithGradient)
		if err != nil {
			t.Fatal(err)
		}
		for k := range theta {
			at := func(x float64) float64 {
				moved := append([]float64(nil), theta...)
				moved[k] = x
				v, err := b.Eval(ctx, moved, param.ValueOnly)
				if err != nil {
					t.Fatal(err)
				}
				return v.F
			}
			const h = 1e-4
			if d := (at(theta[k]+h) - at(theta[k]-h)) / (2 * h); math.Abs(d-v.Grad[k]) > 1e-6*max(1, math.Abs(d)) {
				t.Errorf("%s, %s: derivative %g, by differences %g", m.name, m.settings[k].name, v.Grad[k], d)
			}
		}
	}
}

// A machine without weights has H = 1/2; so has one whose kernel sees nothing.
func TestDeadMachine(t *testing.T) {
	b := gaussianModel().outer(smallTask(), learn.Quartic(0))
	v, err := b.Eval(context.Background(), []float64{1, 1e4}, param.WithGradient)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(v.F-0.5) > 1e-6 || math.Abs(v.Grad[1]) > 1e-6 {
		t.Errorf("H = %g, dH/dgamma = %g", v.F, v.Grad[1])
	}
}

// Inner solutions that begin at the last ones are the same solutions, and the problem
// itself keeps nothing.
func TestWarmProblem(t *testing.T) {
	ctx := context.Background()
	b := gaussianModel().outer(smallTask(), learn.Quartic(0))
	w := b.warm()
	for _, theta := range [][]float64{{1, 1}, {0.9, 1.2}, {3, 0.5}, {0.02, 7}} {
		cold, err := b.Eval(ctx, theta, param.WithGradient)
		if err != nil {
			t.Fatal(err)
		}
		warm, err := w.Eval(ctx, theta, param.WithGradient)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(cold.F-warm.F) > 1e-7 {
			t.Errorf("at %g: %.12g cold, %.12g warm", theta, cold.F, warm.F)
		}
	}
	if b.refit.Warm || !w.refit.Warm {
		t.Error("the wrong problem is warm")
	}
}

func TestWithin(t *testing.T) {
	trace := func(v ...float64) []search.Record { // theta and F = (theta - 2)^2
		var r []search.Record
		for i, x := range v {
			r = append(r, search.Record{N: i + 1, Theta: []float64{x}, F: (x - 2) * (x - 2)})
		}
		return r
	}
	for _, c := range []struct {
		trace []search.Record
		want  int
	}{
		{trace(9, 4, 2.05, 3, 2.01), 3}, // 3 is not the best so far
		{trace(9, 4, 3), 0},
		{trace(2), 1},
		{nil, 0},
	} {
		if got := within(c.trace, []float64{2}, 0.1); got != c.want {
			t.Errorf("%d, want %d", got, c.want)
		}
	}
	// The goal is where F is least, but not for a trace that ends elsewhere.
	away := []search.Record{{N: 1, Theta: []float64{1}, F: 1}, {N: 2, Theta: []float64{5}, F: 0}}
	if got := within(away, []float64{1}, 0.1); got != 0 {
		t.Errorf("left the goal, yet %d", got)
	}
	if n := turns(trace(1, 2, 3, 2, 2, 3)); n != 1 {
		t.Errorf("%d turns, want 1: a stop is none", n)
	}
	if n := reached(trace(9, 4, 3), 4); n != 2 {
		t.Errorf("reached at %d, want 2", n)
	}
}

// TestGridsOfStarts: the grid and the starts are the source's, a level has the value of each of its points, and what ends at its least
// evaluation is reached there.
func TestGridsOfStarts(t *testing.T) {
	c, gamma := fourclassGrid().Values["c"], fourclassGrid().Values["gamma"]
	if len(c) != 21 || c[0] != 0.1 || c[20] != 4.1 || len(gamma) != 21 || gamma[0] != 0.2 || gamma[20] != 4.2 || !near(gamma[1], 0.4, 1e-12) {
		t.Errorf("%v, %v", c, gamma)
	}
	if v := steps(1, 2.2, 0.5); !slices.Equal(v, []float64{1, 1.5, 2}) {
		t.Errorf("steps %v", v)
	}
	for q, want := range []string{"x from (3, 3)", "x from (1, 2.8)", "x from (0.5, 0.5)", "x from (2.5, 0.5)"} {
		if got := startName("x", q); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var trace []search.Record
	for n, p := range [][]float64{{3, 20}, {1, 20}, {1, 10}, {3, 10}, {2, 20}, {2, 10}} {
		trace = append(trace, search.Record{N: n + 1, Theta: p, F: p[0] + p[1]})
	}
	level := levelOf(trace)
	if !slices.Equal(level.X, []float64{1, 2, 3}) || !slices.Equal(level.Y, []float64{10, 20}) {
		t.Fatalf("%+v", level)
	}
	for i, y := range level.Y {
		for j, x := range level.X {
			if level.Z[i][j] != x+y {
				t.Errorf("%g at %g, %g", level.Z[i][j], x, y)
			}
		}
	}
	if n := reached(trace, 1); n != 6 {
		t.Errorf("what is never reached counts all evaluations, not %d", n)
	}
	if keep := counting([]float64{0, lowest, 1.0005 * lowest, 1.002 * lowest, 1}); !slices.Equal(keep, []int{2, 3}) {
		t.Errorf("features off their bound: %v", keep)
	}
}

// TestLossNames: the width is that which the loss was made with.
func TestLossNames(t *testing.T) {
	for want, loss := range map[string]learn.Loss{
		"modified logistic mu=12": learn.ModLogistic(12), "quartic eps=0.4": learn.Quartic(0.4), "logistic": learn.Logistic(),
	} {
		if got := lossName(loss); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRangesOfOuterProblems: each parameter of the source is searched from 0.01 to 1e4, as the notes of its tables say, and begins at 1.
func TestRangesOfOuterProblems(t *testing.T) {
	for _, m := range []model{linearModel(), linearModels(2), gaussianModel(), chiSquareModel(), gaussianModels(2),
		groupModel([][]int{{0}, {1}})} {
		space := (&bilevel{model: m}).Space()
		if len(space) != len(m.settings) || len(space) == 0 {
			t.Errorf("%s: %d parameters of %d", m.name, len(space), len(m.settings))
		}
		for _, d := range space {
			if d.Kind != param.Log || d.Lo != 0.01 || d.Hi != 1e4 || d.Default != 1 {
				t.Errorf("%s: %+v", m.name, d)
			}
		}
	}
}
