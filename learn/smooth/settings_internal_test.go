package smooth

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Settings that say nothing have the defaults that their comments promise, others are kept.
func TestDefaults(t *testing.T) {
	for _, c := range []struct{ given, want options }{
		{options{}, options{Tolerance: 1e-8, MaxSteps: 200}},
		{options{MaxSteps: -1}, options{Tolerance: 1e-8, MaxSteps: 200}},
		{options{Tolerance: 1e-3, MaxSteps: 1}, options{Tolerance: 1e-3, MaxSteps: 1}},
	} {
		if got := (options{Tolerance: c.given.tolerance(), MaxSteps: c.given.steps()}); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.given, got, c.want)
		}
	}
	for _, c := range []struct{ given, want fistaOptions }{
		{fistaOptions{}, fistaOptions{Tolerance: 1e-8, MaxSteps: 8000, First: 1, Growth: 2}},
		{fistaOptions{MaxSteps: -1, First: -1, Growth: 1}, fistaOptions{Tolerance: 1e-8, MaxSteps: 8000, First: 1, Growth: 2}},
		{fistaOptions{Tolerance: 1e-3, MaxSteps: 1, Restart: true, First: 0.5, Growth: 1.5},
			fistaOptions{Tolerance: 1e-3, MaxSteps: 1, Restart: true, First: 0.5, Growth: 1.5}},
	} {
		if got := c.given.withDefaults(); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.given, got, c.want)
		}
	}
}

// What can be chosen is named, and a number that is none says so.
func TestNames(t *testing.T) {
	for v, want := range map[fmt.Stringer]string{
		None: "none", Free: "free", Augmented: "augmented", Offset(3): "Offset(3)", Offset(-1): "Offset(-1)",
		ByNewton: "newton", ByFISTA: "fista", ByFISTARestart: "fista-restart", Solver(3): "Solver(3)",
		auto: "auto", byCholesky: "cholesky", byCG: "cg", byGram: "gram", algebra(4): "Method(4)", algebra(-1): "Method(-1)",
	} {
		if v.String() != want {
			t.Errorf("%v, want %s", v, want)
		}
	}
	if a, b, c := ByNewton.named(), ByFISTA.named(), ByFISTARestart.named(); a != "Newton's method" || b != "FISTA" || c != "FISTA" {
		t.Errorf("%s, %s, %s", a, b, c)
	}
}

// A learner has C, and epsilon where its loss has a tube; its tolerance is loosened and tightened as is asked.
func TestLearnerSettings(t *testing.T) {
	strength := param.Dim{Name: "C", Kind: param.Log, Lo: 0.0025, Hi: 2500, Default: 0.25}
	tube := param.Dim{Name: "epsilon", Kind: param.Log, Lo: 0.008, Hi: 8, Default: 0.8}
	fixed := tube
	fixed.Default, fixed.Fixed = 0.7, true
	for _, c := range []struct {
		learner Learner
		want    param.Space
		loss    learn.Loss
	}{
		{Learner{Loss: learn.Logistic()}, param.Space{strength}, learn.Logistic()},
		{Learner{Loss: learn.SquaredEpsilon(0.3)}, param.Space{strength, tube}, learn.SquaredEpsilon(0.5)},
		{Learner{Loss: learn.SquaredEpsilon(0.3), Epsilon: 0.7}, param.Space{strength, fixed}, learn.SquaredEpsilon(0.5)},
	} {
		if got := c.learner.Space(4, 8); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.learner.Loss.Name(), got, c.want)
		}
		if got := c.learner.lossAt([]float64{3, 0.5}); !reflect.DeepEqual(got, c.loss) {
			t.Errorf("%s: %+v, want %+v", c.learner.Loss.Name(), got, c.loss)
		}
	}
	for _, c := range []struct{ own, loose, differentiable float64 }{{0, 1e-4, 1e-8}, {1e-2, 1e-2, 1e-3}, {1e-5, 1e-4, 1e-5}} {
		s := Learner{Tolerance: c.own}
		if got := s.Loose(1e-4).(Learner).Tolerance; got != c.loose {
			t.Errorf("%g loosened: %g, want %g", c.own, got, c.loose)
		}
		if got := s.differentiable().Tolerance; got != c.differentiable {
			t.Errorf("%g to be differentiated: %g, want %g", c.own, got, c.differentiable)
		}
	}
	for solver, restart := range map[Solver]bool{ByFISTA: false, ByFISTARestart: true} {
		want := fistaOptions{Tolerance: 0.25, Restart: restart}
		if got := (Learner{Solver: solver, Tolerance: 0.25}).accelerated(); got != want {
			t.Errorf("%v: %+v, want %+v", solver, got, want)
		}
	}
	for _, c := range []struct {
		l, features int
		want        bool
	}{{10, 9, true}, {10, 10, false}, {4096, 4096, false}, {4097, 4097, true}} {
		if InColumns(c.l, c.features) != c.want {
			t.Errorf("%d rows of %d features in columns: %v", c.l, c.features, !c.want)
		}
	}
}

// The terms are those of the loss, times C and the weights, and a row that weighs nothing has none whatever its loss is.
func TestTerms(t *testing.T) {
	y, w, f, dir := []float64{1, -2, 0.5, 4}, []float64{2, 0.5, 1, 0}, []float64{0.5, 1, 2, math.Inf(1)}, []float64{1, -3, 2, 5}
	terms, err := newTerms(learn.Square(), y, 3, w, Free)
	if err != nil {
		t.Fatal(err)
	}
	var value, slope, bend float64
	const x = 0.25
	for i := range 3 {
		c := 3 * w[i]
		d1, d2 := learn.Square().Derivatives(y[i], f[i])
		if terms.c[i] != c {
			t.Errorf("row %d weighs %g, want %g", i, terms.c[i], c)
		}
		value += c * learn.Square().Value(y[i], f[i])
		_ = terms.eval(f)
		if terms.g[i] != c*d1 || terms.d[i] != c*d2 {
			t.Errorf("row %d: derivatives %g and %g, want %g and %g", i, terms.g[i], terms.d[i], c*d1, c*d2)
		}
		d1, d2 = learn.Square().Derivatives(y[i], f[i]+x*dir[i])
		slope, bend = slope+c*d1*dir[i], bend+c*d2*dir[i]*dir[i]
	}
	if got := terms.eval(f); got != value || terms.g[3] != 0 || terms.d[3] != 0 {
		t.Errorf("a sum of %g, want %g; %v, %v", got, value, terms.g, terms.d)
	}
	if s, c := terms.slope(f, dir, x); math.Abs(s-slope) > 1e-12 || math.Abs(c-bend) > 1e-12 {
		t.Errorf("slope %g and %g, want %g and %g", s, c, slope, bend)
	}
	if terms, _ = newTerms(learn.Square(), y, 0, nil, None); terms.c[1] != 1 {
		t.Errorf("without C and weights a row weighs %g", terms.c[1])
	}
}

// A caller's mistakes end in a panic that says what is wrong.
func TestCallersMistakes(t *testing.T) {
	y := []float64{1, -1}
	for words, f := range map[string]func(){
		"no loss":                    func() { _, _ = newTerms(nil, y, 1, nil, None) },
		"no Lipschitz derivative":    func() { _, _ = newTerms(learn.Hinge(), y, 1, nil, None) },
		"2 targets, 1 weights":       func() { _, _ = newTerms(learn.Square(), y, 1, y[1:], None) },
		"Offset(3)":                  func() { _, _ = newTerms(learn.Square(), y, 1, nil, 3) },
		"Offset(-1)":                 func() { _, _ = newTerms(learn.Square(), y, 1, nil, -1) },
		"Gram matrix 2x3, 2 targets": func() { _ = checkGram(mat.NewDense(2, 3, nil), 2) },
		"Gram matrix 3x2, 2 targets": func() { _ = checkGram(mat.NewDense(3, 2, nil), 2) },
	} {
		failtest.Names(t, words, f)
	}
}

// A step along a ray is where the slope is small beside the first one: found by Newton's method, by growth that is tenfold at
// most, or by bisection, and 0 where every trial goes up.
func TestRay(t *testing.T) {
	line := func(root float64) func(x float64) (float64, float64) {
		return func(x float64) (float64, float64) { return x - root, 1 }
	}
	for _, c := range []struct {
		name   string
		s0     float64
		slope  func(x float64) (float64, float64)
		want   float64
		trials []float64
	}{
		{"the full step", -1, line(1), 1, []float64{1}},
		{"within the tolerance above", -1, line(0.9921875), 1, []float64{1}},
		{"within the tolerance below", -1, line(1.0078125), 1, []float64{1}},
		{"a shorter step", -0.25, line(0.25), 0.25, []float64{1, 0.25}},
		{"a longer step", -4, line(4), 4, []float64{1, 4}},
		{"tenfold growth", -64, line(64), 64, []float64{1, 10, 64}},
		{"growth without curvature", -1, func(x float64) (float64, float64) { return min(max(x-50, -1), 0), 0 }, 100, []float64{1, 10, 100}},
		{"bisection", -1, func(x float64) (float64, float64) { return x*8 - 1, 0 }, 0.125, []float64{1, 0.5, 0.25, 0.125}},
	} {
		var trials []float64
		got := Ray(c.s0, func(x float64) (float64, float64) { trials = append(trials, x); return c.slope(x) })
		if got != c.want || !reflect.DeepEqual(trials, c.trials) {
			t.Errorf("%s: %g by %v, want %g by %v", c.name, got, trials, c.want, c.trials)
		}
	}
	trials := 0
	if got := Ray(-1, func(float64) (float64, float64) { trials++; return 1, 0 }); got != 0 || trials != 100 {
		t.Errorf("uphill: %g after %d trials", got, trials)
	}
	if got := Ray(-1, func(float64) (float64, float64) { return math.NaN(), 0 }); got != 0 {
		t.Errorf("not a number: %g", got)
	}
}

// TestRayEndsAtAHundredth: a step is good enough where the slope is a hundredth of the first one, on either side of the minimum.
func TestRayEndsAtAHundredth(t *testing.T) {
	for root, want := range map[float64]int{1 - 0.0099: 1, 1 + 0.0099: 1, 1 - 0.0101: 2, 1 + 0.0101: 2} {
		trials := 0
		Ray(-1, func(x float64) (float64, float64) { trials++; return x - root, 1 })
		if trials != want {
			t.Errorf("a minimum at %g: %d trials, want %d", root, trials, want)
		}
	}
}

// walk is a solver on a way laid out before: every step gains as much and leaves such a share of the gradient.
type walk struct {
	gain, share float64
	moves       bool
	fresh       float64 // the gradient by outputs of the coefficients; 0: that of the updated ones
	value, at   float64 // objective and gradient
}

func (w *walk) refresh() {
	if w.fresh > 0 {
		w.at = w.fresh
	}
}
func (*walk) centre()                                  {}
func (w *walk) gradient() float64                      { return w.at }
func (w *walk) objective() float64                     { return w.value }
func (*walk) direction(context.Context, float64) error { return nil }
func (w *walk) step(float64) bool {
	w.value -= w.gain
	w.at *= w.share
	return w.moves
}

// Three steps end it that gain no more than rounding and do not halve the gradient, that do not move, or after which the outputs of the
// coefficients do not confirm the gradient; a little more gain does not.
func TestNoProgressAfterThreeSteps(t *testing.T) {
	for name, c := range map[string]struct {
		way  walk
		want status
	}{
		"a gain of rounding":         {walk{gain: 0.8e-14, share: 1, moves: true}, noProgress},
		"a little more":              {walk{gain: 1.2e-14, share: 1, moves: true}, budgetSpent},
		"a gradient that is halved":  {walk{share: 0.5, moves: true}, budgetSpent},
		"no move":                    {walk{gain: 0.125, share: 1}, noProgress},
		"updated outputs that drift": {walk{gain: 1, moves: true, fresh: 0.5}, noProgress},
	} {
		w, steps := c.way, 0
		w.value, w.at = 1, 0.5
		got, err := iterate(t.Context(), &w, options{MaxSteps: 10}, None, &steps)
		want := map[status]int{noProgress: 3, budgetSpent: 10}[c.want]
		if err != nil || got != c.want || steps != want {
			t.Errorf("%s: %v after %d steps, want %v after %d; %v", name, got, steps, c.want, want, err)
		}
	}
}
