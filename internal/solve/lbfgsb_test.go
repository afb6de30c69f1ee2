package solve

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

func TestLBFGSBBank(t *testing.T) {
	for _, p := range bank() {
		for _, memory := range []int{1, 3, 10} {
			n := 0
			res, err := LBFGSB(
				context.Background(),
				watched(p, &n, func(x []float64) { t.Errorf("%s: evaluated outside the box at %v", p.name, x) }),
				p.x,
				p.lo,
				p.hi,
				LBFGSBOptions{Memory: memory, Gradient: 1e-7, Decrease: -1, Step: -1},
			)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf(
				"%s, memory %d: f - min = %.2g, kkt %.2g, %d evaluations, %v",
				p.name,
				memory,
				res.F-p.min,
				res.Gradient,
				res.Evaluations,
				res.Status,
			)
			if n != res.Evaluations {
				t.Errorf("%s: %d evaluations counted, %d made", p.name, res.Evaluations, n)
			}
			if !res.Status.Converged() && res.Status != NoProgress {
				t.Errorf("%s, memory %d: %v", p.name, memory, res.Status)
			}
			if math.Abs(res.F-p.min) > 1e-6*(1+math.Abs(p.min)) {
				t.Errorf("%s, memory %d: minimum %.12g, want %.12g", p.name, memory, res.F, p.min)
			}
			for i := range p.at {
				if math.Abs(res.X[i]-p.at[i]) > 1e-4*(1+math.Abs(p.at[i])) {
					t.Errorf("%s, memory %d: x[%d] = %.8g, want %.8g", p.name, memory, i, res.X[i], p.at[i])
				}
			}
			g := make([]float64, len(res.X))
			p.f(res.X, g)
			if r := kkt(res.X, g, p.lo, p.hi); r != res.Gradient {
				t.Errorf("%s: certificate %g, projected gradient %g", p.name, res.Gradient, r)
			}
			if res.Status == GradientSmall && res.Gradient > 1e-7 {
				t.Errorf("%s: certificate %g above the tolerance", p.name, res.Gradient)
			}
		}
	}
}

func TestLBFGSBSeparableQuadraticIsCheap(t *testing.T) {
	for _, p := range bank()[:2] {
		n := 0
		f := watched(p, &n, func([]float64) {})
		res, err := LBFGSB(context.Background(), f, p.x, p.lo, p.hi, LBFGSBOptions{})
		if err != nil || res.F-p.min > 1e-8 || res.Evaluations >= 50 {
			t.Errorf("%s: f - min = %g after %d evaluations, want 1e-8 in fewer than 50 (%v)", p.name, res.F-p.min, res.Evaluations, err)
		}
	}
}

// A random strictly convex quadratic in a random box: the certificate alone
// proves the minimum.
func TestLBFGSBRandomQuadratics(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(r, "n")
		num := rapid.Float64Range(-2, 2)
		a := make([][]float64, n)
		lo, hi, x, c := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
			for j := range a[i] {
				a[i][j] = num.Draw(r, "a")
			}
			lo[i] = num.Draw(r, "lo")
			hi[i] = lo[i] + math.Abs(num.Draw(r, "width"))
			x[i], c[i] = num.Draw(r, "x"), num.Draw(r, "c")
		}
		f := func(_ context.Context, x, g []float64) (float64, error) { // |A x|^2/2 + 0.1 |x|^2/2 - c'x
			v := 0.0
			for i := range g {
				g[i] = 0.1*x[i] - c[i]
				v += 0.05*x[i]*x[i] - c[i]*x[i]
			}
			for i := range a {
				ax := floats.Dot(a[i], x)
				v += ax * ax / 2
				for j := range g {
					g[j] += a[i][j] * ax
				}
			}
			return v, nil
		}
		res, err := LBFGSB(context.Background(), f, x, lo, hi, LBFGSBOptions{Gradient: 1e-6, Decrease: -1, Step: -1, MaxEvaluations: 2000})
		if err != nil || res.Gradient > 1e-5 {
			r.Fatalf("%v after %d evaluations, projected gradient %g, %v", res.Status, res.Evaluations, res.Gradient, err)
		}
	})
}

func TestLBFGSBBacksOffFromInfinity(t *testing.T) {
	// -log x + x/2 exists for x > 0 only (minimum at 2), and beyond 6 it is NaN.
	f := func(_ context.Context, x, g []float64) (float64, error) {
		switch {
		case x[0] <= 0:
			return math.Inf(1), nil
		case x[0] > 6:
			return math.NaN(), nil
		}
		g[0] = -1/x[0] + 0.5
		return -math.Log(x[0]) + x[0]/2, nil
	}
	for _, start := range []float64{1e-3, 0.1, 2, 5.999} {
		res, err := LBFGSB(
			context.Background(),
			f,
			[]float64{start},
			[]float64{-100},
			[]float64{100},
			LBFGSBOptions{Gradient: 1e-8, Decrease: -1, Step: -1},
		)
		if err != nil || math.Abs(res.X[0]-2) > 1e-6 {
			t.Errorf("from %g: x = %v, %v, %v", start, res.X, res.Status, err)
		}
	}
	res, err := LBFGSB(context.Background(), f, []float64{-1}, []float64{-100}, []float64{100}, LBFGSBOptions{})
	if err != nil || res.Status != Infeasible || res.Evaluations != 1 {
		t.Errorf("infeasible start: %+v, %v", res, err)
	}
}

func TestLBFGSBStops(t *testing.T) {
	p := bank()[2]
	n := 0
	f := watched(p, &n, func([]float64) {})
	for budget := 1; budget < 30; budget++ {
		n = 0
		res, err := LBFGSB(context.Background(), f, p.x, p.lo, p.hi, LBFGSBOptions{MaxEvaluations: budget})
		if err != nil || n != budget || res.Status != BudgetSpent {
			t.Fatalf("budget %d: %d evaluations, %v, %v", budget, n, res.Status, err)
		}
	}
	stop := errors.New("stop")
	calls := 0
	res, err := LBFGSB(context.Background(), func(ctx context.Context, x, g []float64) (float64, error) {
		if calls++; calls > 5 {
			return 0, stop
		}
		return p.f(x, g), nil
	}, p.x, p.lo, p.hi, LBFGSBOptions{})
	if !errors.Is(err, stop) || res.F > p.f(p.x, nil) || res.Status != Unfinished {
		t.Errorf("error of f: %+v, %v", res, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := LBFGSB(ctx, f, p.x, p.lo, p.hi, LBFGSBOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	down := func(_ context.Context, x, g []float64) (float64, error) {
		g[0] = -1
		if x[0] > 50 {
			return math.Inf(-1), nil
		}
		return -x[0], nil
	}
	if res, err := LBFGSB(context.Background(), down, []float64{0}, []float64{-1}, []float64{math.Inf(1)}, LBFGSBOptions{}); err != nil ||
		res.Status != Unbounded {
		t.Errorf("unbounded: %+v, %v", res, err)
	}
}

// A linear function has no curvature: its steps leave the model as it was, and go to the corner that is lowest.
func TestLBFGSBLinear(t *testing.T) {
	slope := []float64{3, -0.5, 0.02}
	f := func(_ context.Context, x, g []float64) (float64, error) {
		copy(g, slope)
		return floats.Dot(slope, x), nil
	}
	lo, hi := []float64{-40, -40, -40}, []float64{40, 40, 40}
	l := newBoxDescent(context.Background(), f, make([]float64, 3), lo, hi, LBFGSBOptions{})
	status, err := l.run()
	if err != nil || status != GradientSmall || !slices.Equal(l.x, []float64{-40, 40, -40}) {
		t.Errorf("%v at %v, %v", status, l.x, err)
	}
	if l.k != 0 || l.theta != 1 {
		t.Errorf("%d pairs and theta %g of a function without curvature", l.k, l.theta)
	}
}

func TestLBFGSBFixedVariables(t *testing.T) {
	p := bank()[0]
	p.lo, p.hi = append([]float64(nil), p.lo...), append([]float64(nil), p.hi...)
	p.lo[2], p.hi[2] = 1, 1
	n := 0
	res, err := LBFGSB(
		context.Background(),
		watched(p, &n, func(x []float64) { t.Errorf("outside: %v", x) }),
		p.x,
		p.lo,
		p.hi,
		LBFGSBOptions{},
	)
	if want := 3 * 0.9 * 0.9; err != nil || math.Abs(res.F-want) > 1e-8 || res.X[2] != 1 {
		t.Errorf("minimum %g at %v, want %g", res.F, res.X, want)
	}
}

// valley is Rosenbrock's, above 1, in another unit: a curved valley with steps that gain little.
func valley(unit float64) Func {
	return func(_ context.Context, x, g []float64) (float64, error) {
		a, b := 1-x[0], x[1]-x[0]*x[0]
		g[0], g[1] = unit*(-2*a-400*x[0]*b), unit*200*b
		return unit * (1 + a*a + 100*b*b), nil
	}
}

// The stop by the decrease does not depend on the unit of f, and a valley is followed to its
// end although single steps in it gain less than the tolerance.
func TestLBFGSBDecreaseIsRelative(t *testing.T) {
	lo, hi := []float64{-5, -5}, []float64{5, 5}
	for _, unit := range []float64{1, 1e-6, 1e6} {
		res, err := LBFGSB(
			context.Background(),
			valley(unit),
			[]float64{-1.9, 2},
			lo,
			hi,
			LBFGSBOptions{Decrease: 1e-2, Gradient: -1, Step: -1},
		)
		if err != nil || res.Status != DecreaseSmall || res.F > unit*(1+1e-2) {
			t.Errorf("unit %g: %.6g after %d evaluations, %v, %v", unit, res.F/unit, res.Evaluations, res.Status, err)
		}
	}
}

// Told of the noise of f the method ends where it begins, without, it goes on searching in it.
func TestLBFGSBKnowsNoise(t *testing.T) {
	const noise = 1e-7
	lo, hi := []float64{-5, -5}, []float64{5, 5}
	f := func(ctx context.Context, x, g []float64) (float64, error) {
		v, err := valley(1)(ctx, x, g)
		h := math.Float64bits(x[0])*0x9e3779b97f4a7c15 ^ math.Float64bits(x[1])*0xbf58476d1ce4e5b9
		off := float64(h>>11)/0x1p52 - 1
		g[0] += 1e-3 * off
		return v + noise*off, err
	}
	run := func(o LBFGSBOptions) Result {
		o.Decrease, o.Step = -1, -1
		res, err := LBFGSB(context.Background(), f, []float64{-1.9, 2}, lo, hi, o)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	deaf, told := run(LBFGSBOptions{}), run(LBFGSBOptions{Noise: func() float64 { return noise }})
	if told.F > 1+1e-5 {
		t.Errorf("%.9g, %v", told.F, told.Status)
	}
	if told.Evaluations+20 > deaf.Evaluations {
		t.Errorf("%d evaluations told of the noise, %d not", told.Evaluations, deaf.Evaluations)
	}
}

// Where all that the gradient promises is below the noise a line search gives up at a step of
// that promise, not at the least one that there is.
func TestLineSearchStaysOutOfTheNoise(t *testing.T) {
	const noise = 1e-6
	f := func(_ context.Context, x, g []float64) (float64, error) {
		g[0] = 1e-3
		return 1 + noise*math.Abs(x[0]), nil // rises both ways, by less than the noise
	}
	run := func(o LBFGSBOptions) Result {
		res, err := LBFGSB(context.Background(), f, []float64{0}, []float64{-5}, []float64{5}, o)
		if err != nil || res.X[0] != 0 {
			t.Fatal(res, err)
		}
		return res
	}
	deaf, told := run(LBFGSBOptions{}), run(LBFGSBOptions{Noise: func() float64 { return noise }})
	if told.Evaluations > 12 || deaf.Evaluations <= told.Evaluations {
		t.Errorf("%d evaluations told of the noise, %d not", told.Evaluations, deaf.Evaluations)
	}
}
