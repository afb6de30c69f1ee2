package solve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/failtest"
	"gonum.org/v1/gonum/mat"
)

// Settings that say nothing have the defaults that their comments promise.
func TestDefaults(t *testing.T) {
	x, lo, hi := []float64{1, 2}, []float64{0, 0}, []float64{3, 3}
	l := newBoxDescent(t.Context(), nil, x, lo, hi, LBFGSBOptions{})
	if got := fmt.Sprint(l.m, l.ev.left, l.gradTol, l.stepTol, l.decreaseTol); got != "10 1000 1e-05 1e-06 1e-09" {
		t.Errorf("L-BFGS-B: %s", got)
	}
	l = newBoxDescent(t.Context(), nil, x, lo, hi, LBFGSBOptions{MaxEvaluations: 1, Memory: 2, Gradient: 3, Step: 4, Decrease: 5})
	if got := fmt.Sprint(l.m, l.ev.left, l.gradTol, l.stepTol, l.decreaseTol); got != "2 1 3 4 5" {
		t.Errorf("L-BFGS-B as asked: %s", got)
	}
	s := newSimplex(nil, x, lo, hi, NelderMeadOptions{})
	if got := fmt.Sprint(s.size, s.diameter, s.spread, s.budget); got != "0.25 0.0001 1e-06 1000" {
		t.Errorf("Nelder-Mead: %s", got)
	}
	s = newSimplex(nil, x, lo, hi, NelderMeadOptions{Size: 1, Diameter: 2, Spread: 3, MaxEvaluations: 4})
	if got := fmt.Sprint(s.size, s.diameter, s.spread, s.budget); got != "1 2 3 4" {
		t.Errorf("Nelder-Mead as asked: %s", got)
	}
}

// What ended a method is said in its words, and only a tolerance that is met is convergence.
func TestStatuses(t *testing.T) {
	for i, want := range []string{"unfinished", "converged: projected gradient", "converged: decrease", "converged: step",
		"converged: residual", "converged: what is left to gain", "stopped: no further decrease", "stopped: budget",
		"failed: the start", "failed: the function is unbounded", "failed: the operator", "Status(11)"} {
		if s := Status(i); !strings.HasPrefix(s.String(), want) || s.Converged() != strings.HasPrefix(want, "converged") {
			t.Errorf("%d: %v, converged %v, want %s", i, s, s.Converged(), want)
		}
	}
	if s := Status(-1); s.String() != "Status(-1)" || s.Converged() {
		t.Errorf("%v, converged %v", s, s.Converged())
	}
	for i, want := range []string{"unfinished", "complete", "limit of |alpha|_1", "limit of SSE", "limit of steps",
		"stopped: the rest", "stopped: no further step"} {
		if e := LassoEnd(i); !strings.HasPrefix(e.String(), want) {
			t.Errorf("%d: %v, want %s", i, e, want)
		}
	}
}

// A caller's mistakes end in a panic that says what is wrong.
func TestCallersMistakes(t *testing.T) {
	line := func(x float64) (float64, float64) { return x, 1 }
	two, three, ctx := make([]float64, 2), make([]float64, 3), context.Background()
	square := func(dst, x *mat.Dense) { dst.Copy(x) }
	for words, f := range map[string]func(){
		"start has 2 values, bounds 3 and 2":              func() { mustBox(two, three, two) },
		"start has 2 values, bounds 2 and 3":              func() { mustBox(two, two, three) },
		"bounds 1..0 of variable 1 are not an interval":   func() { mustBox(two, []float64{0, 1}, two) },
		"bounds NaN..0 of variable 0 are not an interval": func() { mustBox(two, []float64{math.NaN(), 0}, two) },
		"solve: 3..2 is not a bounded interval":           func() { _, _ = Root(ctx, line, 3, 2, ScalarOptions{}) },
		"solve: -Inf..2 is not a bounded interval":        func() { _, _ = Root(ctx, line, math.Inf(-1), 2, ScalarOptions{}) },
		"solve: 2..+Inf is not a bounded interval":        func() { _, _ = Root(ctx, line, 2, math.Inf(1), ScalarOptions{}) },
		"X is 3 x 2, B 2 x 2": func() {
			_, _ = CG(ctx, square, mat.NewDense(3, 2, nil), mat.NewDense(2, 2, nil), CGOptions{})
		},
		"X is 2 x 3, B 2 x 2": func() {
			_, _ = CG(ctx, square, mat.NewDense(2, 3, nil), mat.NewDense(2, 2, nil), CGOptions{})
		},
		"0 eigenpairs of an operator of order 2": func() { _, _ = Eigen(ctx, square, 2, 0, EigenOptions{}) },
		"3 eigenpairs of an operator of order 2": func() { _, _ = Eigen(ctx, square, 2, 3, EigenOptions{}) },
		"solve: 2 targets for 1 columns of 3 values": func() {
			_, _ = Lasso(ctx, StoredColumns{mat.NewDense(1, 3, nil)}, two, LassoOptions{})
		},
		"solve: |alpha|_1 of -1": func() { (&LassoPath{Nodes: make([]LassoNode, 2)}).At(-1) },
	} {
		failtest.Names(t, words, f)
	}
	mustBox(two, two, two) // an interval of one point is one
}

// The answer of Root says where the zero is, what the function is there and why it ended.
func TestRootAnswers(t *testing.T) {
	line := func(x float64) (float64, float64) { return x - 1, 1 }
	for _, c := range []struct {
		name  string
		f     func(x float64) (float64, float64)
		a, b  float64
		o     ScalarOptions
		want  ScalarResult
		words string
	}{
		{"at the lower end", line, 1, 4, ScalarOptions{}, ScalarResult{1, 0, 1, 1, 2, ResidualSmall}, ""},
		{"at the upper end", line, -2, 1, ScalarOptions{}, ScalarResult{1, 0, 1, 1, 2, ResidualSmall}, ""},
		{"in the middle", line, -2, 4, ScalarOptions{}, ScalarResult{1, 0, 1, 1, 3, ResidualSmall}, ""},
		{"one step away", line, -3, 4, ScalarOptions{}, ScalarResult{1, 0, 1, 1, 4, ResidualSmall}, ""},
		{"no change of sign", line, 2, 4, ScalarOptions{}, ScalarResult{2, 1, 2, 4, 2, Infeasible}, "between f(2) = 1 and f(4) = 3"},
		{"all below", line, -4, 0, ScalarOptions{}, ScalarResult{-4, -5, -4, 0, 2, Infeasible}, "between f(-4) = -5 and f(0) = -1"},
		{"the limit", func(x float64) (float64, float64) { return x - 1, 0 }, 0, 8, ScalarOptions{MaxEvaluations: 4},
			ScalarResult{2, 1, 0, 2, 4, BudgetSpent}, ""},
		{"a wide tolerance", func(x float64) (float64, float64) { return x - 0.75, 0 }, 0, 4, ScalarOptions{Tolerance: 1},
			ScalarResult{2, 1.25, 0, 2, 3, StepSmall}, ""},
	} {
		got, err := Root(t.Context(), c.f, c.a, c.b, c.o)
		if got != c.want || (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
	got, err := Root(t.Context(), func(x float64) (float64, float64) {
		if x == 1 {
			return math.NaN(), 0
		}
		return x - 0.5, 1
	}, -2, 4, ScalarOptions{})
	if err == nil || err.Error() != "f(1) is not a number" || got.X != 1 || !math.IsNaN(got.F) || got.Status != Unfinished {
		t.Errorf("not a number: %+v, %v", got, err)
	}
	// Halving alone: 9 by 2^-30 is the first below 1e-8, and the limit of a hundred is far.
	got, err = Root(t.Context(), func(x float64) (float64, float64) { return x - 1.0/3, 0 }, 0, 9, ScalarOptions{})
	if err != nil || got.Hi-got.Lo > 1e-8 || got.Hi-got.Lo <= 5e-9 || got.Evaluations != 32 || got.Status != StepSmall {
		t.Errorf("by halves: %+v, %v", got, err)
	}
	got, err = Root(t.Context(), func(x float64) (float64, float64) { return x - 1.0/3, 0 }, 0, 1, ScalarOptions{Tolerance: -1})
	if err != nil || got.Evaluations > 100 || got.Status == Unfinished {
		t.Errorf("without a tolerance: %+v, %v", got, err)
	}
}

// A step of a line search goes to the minimiser of the cubic through both ends, no nearer than a tenth to either.
func TestInterpolate(t *testing.T) {
	// at is (t - c)^2 at t.
	at := func(t, c float64) trial { return trial{t, (t - c) * (t - c), 2 * (t - c)} }
	cubic := func(t float64) trial { return trial{t, t*t*t - 3*t, 3*t*t - 3} } // least at 1
	for _, c := range []struct {
		name string
		a, b trial
		want float64
	}{
		{"a parabola", at(0, 1), at(3, 1), 1}, {"backwards", at(3, 1), at(0, 1), 1}, {"near the first", at(0, 0.125), at(4, 0.125), 0.4},
		{"near the second", at(0, 3.875), at(4, 3.875), 3.6}, {"a cubic", cubic(0.5), cubic(2), 1},
		{"a cubic backwards", cubic(2), cubic(0.5), 1},
		{"where the other does not exist", at(1, 0), trial{t: 5, f: math.Inf(1)}, 2}, {"a line", trial{1, 3, 0}, trial{2, 3, 0}, 1.5},
	} {
		if got := interpolate(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

// The next point of a search for a zero is Newton's, where that halves the bracket's hopes and stays inside, else the middle.
func TestNewtonInside(t *testing.T) {
	for _, c := range []struct {
		name                                string
		x, change, a, b, width, scale, want float64
	}{
		{"inside", 1, -0.5, 1, 5, 8, 1e-3, 1.5},
		{"beyond the upper end", 1, -4, 1, 5, 8, 1e-3, 3},
		{"beyond the lower end", 4, 3, 1, 4, 8, 1e-3, 2.5},
		{"a bracket that did not halve", 1, -2, 1, 5.5, 8, 1e-3, 3.25},
		{"a short step of it", 1, -1.5, 1, 5.5, 8, 1e-3, 2.5},
		{"within the tolerance, upwards", 1, -0.25, 1, 5, 8, 1, 1.75},
		{"within the tolerance, downwards", 5, 0.25, 1, 5, 8, 1, 4.25},
		{"no farther than the end", 1, -0.5, 1, 1.75, 8, 1, 1.75},
		{"not a number", 1, math.NaN(), 1, 5, 8, 1, 3},
	} {
		if got := newtonInside(c.x, c.change, c.a, c.b, c.width, c.scale); got != c.want {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

// A descent ends where the model promises no more than the noise, or the last step and the model no more than a small part.
func TestGained(t *testing.T) {
	for _, c := range []struct {
		last, promise, noise, small float64
		want                        Status
	}{
		{9, 1, 1, 0, NoiseReached}, {9, 1.5, 1, 0, Unfinished}, {2, 2, 1, 2, DecreaseSmall}, {2.5, 2, 1, 2, Unfinished},
		{2, 2.5, 1, 2, Unfinished},
	} {
		if got := Gained(c.last, c.promise, c.noise, c.small); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Steps of RPROP grow to 50 at most where the slope keeps its sign, and shrink to a millionth where it does not.
func TestRPROPBounds(t *testing.T) {
	run := func(slope func(x float64) float64, o RPROPOptions) (steps []float64, r Result) {
		var at []float64
		r, err := RPROP(t.Context(), func(_ context.Context, x, g []float64) (float64, error) {
			at = append(at, x[0])
			g[0] = slope(x[0])
			return -x[0], nil
		}, []float64{0.75}, []float64{math.Inf(-1)}, []float64{math.Inf(1)}, o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range at[1:] {
			steps = append(steps, math.Abs(at[i+1]-at[i]))
		}
		return steps, r
	}
	down := func(float64) float64 { return -1 }
	steps, r := run(down, RPROPOptions{})
	if last := steps[len(steps)-1]; last != 50 || r.Evaluations != 1000 || r.Status != BudgetSpent {
		t.Errorf("a last step of %g after %d evaluations, %v", last, r.Evaluations, r.Status)
	}
	if steps, _ = run(down, RPROPOptions{MaxEvaluations: 40, First: 2, Most: 3}); steps[0] != 2 || math.Abs(steps[38]-3) > 1e-12 {
		t.Errorf("steps from %g to %g, asked for 2 to 3", steps[0], steps[38])
	}
	turn := 1.0
	zigzag := func(float64) float64 { turn = -turn; return turn }
	if steps, _ = run(zigzag, RPROPOptions{Step: -1, MaxEvaluations: 60}); math.Abs(steps[58]-1e-6) > 1e-12 {
		t.Errorf("a last step of %g", steps[58])
	}
	if steps, r = run(zigzag, RPROPOptions{}); r.Status != StepSmall || len(steps) != 14 { // 0.1 by 2^-14 is below 1e-5
		t.Errorf("%v after %d steps", r.Status, len(steps))
	}
	for slope, want := range map[float64]Status{1e-5: GradientSmall, 1.01e-5: BudgetSpent} {
		if _, r = run(func(float64) float64 { return slope }, RPROPOptions{MaxEvaluations: 5}); r.Status != want {
			t.Errorf("a slope of %g: %v, want %v", slope, r.Status, want)
		}
	}
}

// A function that does not exist at the start, falls without end or fails says so, by every minimiser.
func TestMinimisersRefuse(t *testing.T) {
	failed := errors.New("failed")
	for name, run := range map[string]func(f Func) (Result, error){
		"L-BFGS-B": func(f Func) (Result, error) {
			return LBFGSB(t.Context(), f, []float64{1}, []float64{0}, []float64{2}, LBFGSBOptions{})
		},
		"RPROP": func(f Func) (Result, error) {
			return RPROP(t.Context(), f, []float64{1}, []float64{0}, []float64{2}, RPROPOptions{})
		},
		"Nelder-Mead": func(f Func) (Result, error) {
			return NelderMead(t.Context(), f, []float64{1}, []float64{0}, []float64{2}, NelderMeadOptions{})
		},
	} {
		for _, c := range []struct {
			value float64
			err   error
			want  Status
		}{
			{math.NaN(), nil, Infeasible}, {math.Inf(1), nil, Infeasible}, {math.Inf(-1), nil, Unbounded}, {0, failed, Unfinished},
		} {
			r, err := run(func(_ context.Context, _, g []float64) (float64, error) {
				for i := range g {
					g[i] = 1
				}
				return c.value, c.err
			})
			if !errors.Is(err, c.err) || r.Status != c.want || len(r.X) != 1 || r.X[0] < 0 || r.X[0] > 2 {
				t.Errorf("%s of %g: %+v, %v, want %v", name, c.value, r, err, c.want)
			}
		}
	}
}

// A function that fails at any of its evaluations ends the method with its error, and the best point before it is the answer.
func TestFailuresAreToldWithTheBestPoint(t *testing.T) {
	p, failed := bank()[3], errors.New("failed")
	for name, run := range map[string]func(f Func) (Result, error){
		"L-BFGS-B":    func(f Func) (Result, error) { return LBFGSB(t.Context(), f, p.x, p.lo, p.hi, LBFGSBOptions{}) },
		"RPROP":       func(f Func) (Result, error) { return RPROP(t.Context(), f, p.x, p.lo, p.hi, RPROPOptions{}) },
		"Nelder-Mead": func(f Func) (Result, error) { return NelderMead(t.Context(), f, p.x, p.lo, p.hi, NelderMeadOptions{}) },
	} {
		for last := 1; last <= 90; last++ {
			n, best := 0, math.Inf(1)
			r, err := run(func(_ context.Context, x, g []float64) (float64, error) {
				if n++; n >= last {
					return -1e9, failed
				}
				v := p.f(x, g)
				best = min(best, v)
				return v, nil
			})
			if errors.Is(err, failed) != (n == last) || n > last || n == last && (r.Status != Unfinished || r.F != best) {
				t.Errorf("%s failing at evaluation %d: %g after %d, best %g, %v, %v", name, last, r.F, n, best, r.Status, err)
			}
		}
	}
}

// Every method of a singular or an unfinished system says so, with the residual of what it returns.
func TestCGAnswers(t *testing.T) {
	a, b := spd(8, 2, 1)
	for i := range 8 { // columns of unlike sizes, the second of nothing
		b.Set(i, 0, 1e3*b.At(i, 0))
		b.Set(i, 1, 0)
	}
	x := mat.NewDense(8, 2, nil)
	check := func(r CGResult) {
		t.Helper()
		var left mat.Dense
		left.Mul(a, x)
		left.Sub(b, &left)
		for j, scale := range []float64{mat.Norm(b.ColView(0), 2), 1} {
			if want := mat.Norm(left.ColView(j), 2) / scale; math.Abs(r.Residual[j]-want) > 1e-14+1e-12*want {
				t.Errorf("residual %g of column %d, want %g", r.Residual[j], j, want)
			}
		}
	}
	r, err := CG(t.Context(), operator(a), x, b, CGOptions{MaxIterations: 2})
	if check(r); err != nil || r.Status != BudgetSpent || r.Iterations != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = CG(t.Context(), operator(a), x, b, CGOptions{}) // from where that ended
	if check(r); err != nil || r.Status != ResidualSmall || r.Residual[0] > 1e-10 || mat.Norm(x.ColView(1), 2) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = CG(t.Context(), operator(a), x, b, CGOptions{}); err != nil || r.Iterations != 0 || r.Status != ResidualSmall {
		t.Errorf("from the answer: %+v, %v", r, err)
	}
	x.Zero()
	none := func(dst, _ *mat.Dense) { dst.Zero() }
	if r, err = CG(t.Context(), operator(a), x, b, CGOptions{Precondition: none}); err != nil || r.Status != Indefinite || r.Residual[0] != 1 {
		t.Errorf("without a preconditioner's definiteness: %+v, %v", r, err)
	}
	if r, err = CG(t.Context(), none, x, b, CGOptions{}); err != nil || r.Status != Indefinite || r.Iterations != 1 {
		t.Errorf("an operator of zero: %+v, %v", r, err)
	}
}

// Few eigenpairs of a large operator come by iteration, of a small one, or where many are asked for, by its whole matrix.
func TestEigenOfTheWholeMatrix(t *testing.T) {
	for _, c := range []struct {
		n, k  int
		o     EigenOptions
		whole bool
	}{{300, 1, EigenOptions{}, true}, {301, 1, EigenOptions{}, false}, {414, 46, EigenOptions{}, true}, {415, 46, EigenOptions{}, false},
		{306, 1, EigenOptions{Guard: 50}, true}, {307, 1, EigenOptions{Guard: 50}, false}} {
		n, ring, _ := rings(c.n)
		r, err := Eigen(t.Context(), ring, n, c.k, c.o)
		if err != nil || (r.Products == n+c.k) != c.whole {
			t.Errorf("%d pairs of order %d, guard %d: %d products, %v", c.k, n, c.o.Guard, r.Products, err)
		}
	}
}

// The certificate of a path is the greatest violation, over every column outside and by every coefficient that is not zero.
func TestCertify(t *testing.T) {
	for _, c := range []struct {
		name            string
		c               [3]float64
		state           int8 // of the last column
		alpha           float64
		violation, skew float64
	}{
		{"none", [3]float64{2, -1, 1.5}, colFree, 0.5, 0, 0.25},
		{"the last column", [3]float64{2, -1, -5}, colFree, 0.5, 1.5, 0.25},
		{"one set aside", [3]float64{2, -3, 1}, colAside, 0.5, 0.5, 0.25},
		{"an active one", [3]float64{1.5, -1, 1}, colFree, 0.5, 0.25, 0.25},
		{"an active one that has just joined", [3]float64{1.5, -1, 1}, colFree, 0, 0, 0.25},
	} {
		h := &homotopy{
			ids: []int32{4, 5, 6}, c: append(c.c[:], 99), v: []float64{0.75, 0, 0, 0}, state: []int8{colActive, colFree, c.state},
			act: []lassoUnit{{id: 4, sign: 1, alpha: c.alpha}}, bound: 2, bound0: 2,
		}
		h.certify()
		if h.violation != c.violation || h.skew != c.skew {
			t.Errorf("%s: a violation of %g, want %g; skew %g", c.name, h.violation, c.violation, h.skew)
		}
	}
}

// TestEndsOfALineSearch: a fall that just suffices and is flat enough ends a search on a line at once, another has 30 evaluations.
func TestEndsOfALineSearch(t *testing.T) {
	lo, hi := []float64{math.Inf(-1)}, []float64{math.Inf(1)}
	for _, c := range []struct {
		share       float64 // of the slope at the beginning, 1, by which the function falls everywhere else
		evaluations int
		best        float64
	}{{1e-4, 1, -1e-4}, {0.9e-4, 30, 0}, {0.9, 1, -0.9}, {0.95, 30, -0.95 * 0x1p29}} {
		f := func(_ context.Context, x, g []float64) (float64, error) {
			g[0] = -c.share
			return -c.share * x[0], nil
		}
		l := lineSearch{f: newCounted(t.Context(), f, []float64{0}, lo, hi, 0), x: make([]float64, 1), g: make([]float64, 1)}
		from := ray{x: []float64{0}, d: []float64{1}, lo: lo, hi: hi, slope: -1}
		best, err := l.run(from, 1, math.Inf(1), make([]float64, 1), make([]float64, 1))
		if err != nil || best != c.best || l.f.n != c.evaluations {
			t.Errorf("share %g: %g after %d evaluations, %v, want %g after %d", c.share, best, l.f.n, err, c.best, c.evaluations)
		}
	}
}

// A simplex that finds nothing outside its first points can only shrink; a function that fails meanwhile ends it at once.
func TestFailureWhileTheSimplexShrinks(t *testing.T) {
	failed := errors.New("failed")
	for last := 4; last <= 11; last++ {
		n := 0
		r, err := NelderMead(t.Context(), func(context.Context, []float64, []float64) (float64, error) {
			switch n++; {
			case n == last:
				return 0, failed
			case n > 3:
				return math.Inf(1), nil
			}
			return float64(n), nil
		}, []float64{0.5, 0.5}, []float64{0, 0}, []float64{1, 1}, NelderMeadOptions{})
		if !errors.Is(err, failed) || n != last || r.F != 1 {
			t.Errorf("failing at evaluation %d: %g after %d, %v", last, r.F, n, err)
		}
	}
}

// A value may be off by some roundings of it, and by more where the function says so.
func TestNoiseOfAValue(t *testing.T) {
	f := func(context.Context, []float64, []float64) (float64, error) { return -8, nil }
	c := newCounted(t.Context(), f, []float64{0}, []float64{-1}, []float64{1}, 0)
	if _, err := c.at([]float64{0}, []float64{0}); err != nil || !(c.noise >= 8*0x1p-52 && c.noise <= 16*8*0x1p-52) {
		t.Errorf("of -8: %g, %v", c.noise, err)
	}
	c.noiseOf = func() float64 { return 1e-3 }
	if _, err := c.at([]float64{0}, []float64{0}); err != nil || c.noise != 1e-3 {
		t.Errorf("as the function says: %g, %v", c.noise, err)
	}
}
