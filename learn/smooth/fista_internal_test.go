package smooth

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Every step ends below the model bound, F(p) <= Q_M(p, y) <= F(y), and M stays below zeta
// times the Lipschitz constant, also long after rounding hides the decrease.
func TestFISTAModelBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	const n, d = 40, 4
	x := mat.NewDense(n, d, nil)
	y := make([]float64, n)
	for i := range n {
		y[i] = float64(2*(i%2) - 1)
		for j := range d {
			x.Set(i, j, rng.NormFloat64()+0.3*y[i])
		}
	}
	k := mat.NewDense(n, n, nil)
	k.Mul(x, x.T())
	for _, v := range []learn.Loss{learn.Logistic(), learn.SquaredHinge(), learn.Quartic(0.2), learn.ModLogistic(12)} {
		for _, off := range []Offset{None, Free, Augmented} {
			for _, restart := range []bool{false, true} {
				const c = 2.5
				o := fistaOptions{Restart: restart}.withDefaults()
				p := linearProblem{X: data.Rows{Dense: x}, Y: y, C: c, Loss: v, Offset: off}
				terms, err := p.check()
				if err != nil {
					t.Fatal(err)
				}
				m := newLinear(p, terms, nil)
				dim := d
				if off != None {
					dim++
				}
				top, err := newLinear(p, terms, nil).largest()
				if err != nil {
					t.Fatal(err)
				}
				bounded(t, newAccelerated(terms, linearForm{m}, make([]float64, dim), c, o), func(p []float64) float64 {
					w := linearForm{m}.penalised(p)
					return floats.Dot(w, w) / 2
				}, max(c, o.Growth*v.Curvature()*top)) // centring can only make it smaller

				form := &kernelForm{p: problem{K: k, Y: y, C: c, Loss: v, Offset: off}, l: n, at: make([]float64, n)}
				dim = n
				if off == Free {
					dim++
				}
				kt, err := newTerms(v, y, c, nil, off)
				if err != nil {
					t.Fatal(err)
				}
				norm := mat.Norm(k, 1) + n // row sums, with 11'
				bounded(t, newAccelerated(kt, form, make([]float64, dim), c, o), func([]float64) float64 { return 0 },
					o.Growth*(norm+c*v.Curvature()*(norm*norm+n)))
			}
		}
	}
}

// flat is a smooth part without a quadratic.
type flat struct{ composite }

func (flat) quadratic(_, _ []float64) float64 { return 0 }

// TestExcess: what the logistic loss exceeds its tangent by keeps three digits for steps of any length, although the difference of two
// values loses them all in a short one.
func TestExcess(t *testing.T) {
	for _, f := range []float64{-3, -0.5, 0, 0.7, 4} {
		for step := 1.0; step > 1e-7; step /= 2 {
			terms, err := newTerms(learn.Logistic(), []float64{1}, 2, nil, None)
			if err != nil {
				t.Fatal(err)
			}
			a := &accelerated{terms: terms, composite: flat{}, fp: []float64{f + step}, df: []float64{f + step - f}, vy: make([]float64, 1)}
			a.eval([]float64{f})
			a.vy[0] = 2 * terms.loss.Value(1, f)
			s := 1 / (1 + math.Exp(f))
			want := 2 * (math.Log1p(s*math.Expm1(-a.df[0])) + s*a.df[0])
			if got := a.excess(); math.Abs(got-want) > 5e-4*want {
				t.Errorf("from %g by %g: %g, want %g", f, step, got, want)
			}
		}
	}
}

// parabola is l (x-1)^2/2 of one variable, without outputs.
type parabola struct{ l float64 }

func (parabola) outputs(dst, _ []float64)            { clear(dst) }
func (f parabola) gradient(dst, x, _ []float64)      { dst[0] = f.l * (x[0] - 1) }
func (f parabola) quadratic(dx, _ []float64) float64 { return f.l / 2 * dx[0] * dx[0] }
func (parabola) prox([]float64, float64)             {}

// A step of a billionth of the point is no rounding yet: M grows to what bounds the function, so that the step ends nearer the minimum.
func TestFISTABoundsShortSteps(t *testing.T) {
	for _, away := range []float64{1e-2, 1e-6, 1e-10, 1e-11} {
		none := &terms{loss: learn.Logistic(), y: []float64{1}, c: []float64{0}, g: []float64{0}, d: []float64{0}}
		a := newAccelerated(none, parabola{l: 10}, []float64{1 + away}, 1, fistaOptions{}.withDefaults())
		a.step()
		if left := math.Abs(a.p[0] - 1); a.m < 10 || a.m > 20 || !(left < away) {
			t.Errorf("from %g beside the minimum: M = %g, %g beside it after a step", away, a.m, left)
		}
	}
}

func bounded(t *testing.T, a *accelerated, penalty func([]float64) float64, limit float64) {
	t.Helper()
	value := func(x []float64) (smooth, all float64) {
		f := make([]float64, len(a.fy))
		a.outputs(f, x)
		var s float64
		for i, c := range a.c {
			s += c * a.loss.Value(a.terms.y[i], f[i])
		}
		s += a.quadratic(x, f)
		return s, s + penalty(x)
	}
	for k := range 400 {
		a.step()
		fy, allY := value(a.y)
		_, allP := value(a.p)
		q := fy + floats.Dot(a.grad, a.d) + a.m/2*floats.Dot(a.d, a.d) + penalty(a.p)
		rounding := 1e-12 * (1 + math.Abs(allY))
		if allP > q+rounding || q > allY+rounding {
			t.Fatalf("step %d: F(p) = %.15g, Q = %.15g, F(y) = %.15g", k, allP, q, allY)
		}
		if a.m > limit {
			t.Fatalf("step %d: M = %g above %g", k, a.m, limit)
		}
		a.advance()
	}
}

// The projection at the end finds coefficients that the steps do not: where K has small
// eigenvalues its error is a hundredth of theirs and less.
func TestFISTAProjection(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	const n = 40
	x, y := make([]float64, n), make([]float64, n)
	k := mat.NewDense(n, n, nil)
	for i := range n {
		y[i] = float64(2*(i%2) - 1)
		x[i] = rng.NormFloat64() + y[i]
	}
	for i := range n {
		for j := range n {
			k.Set(i, j, math.Exp(-(x[i]-x[j])*(x[i]-x[j])/2))
		}
	}
	p := problem{K: k, Y: y, C: 1, Loss: learn.ModLogistic(7.5), Offset: Free}
	exact, err := Newton(t.Context(), p, options{Tolerance: 1e-12}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := fistaOptions{Tolerance: 1e-4, Restart: true}
	terms, err := newTerms(p.Loss, y, p.C, nil, p.Offset)
	if err != nil {
		t.Fatal(err)
	}
	a := newAccelerated(terms, &kernelForm{p: p, l: n, at: make([]float64, n)}, make([]float64, n+1), p.C, o.withDefaults())
	if _, _, err := a.run(t.Context(), p.C); err != nil {
		t.Fatal(err)
	}
	s, err := FISTA(t.Context(), p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, projected := floats.Distance(a.x[:n], exact.Beta, math.Inf(1)), floats.Distance(s.Beta, exact.Beta, math.Inf(1))
	t.Logf("off by %.2g, projected %.2g", raw, projected)
	if projected > raw/100 {
		t.Errorf("coefficients off by %.2g, projected by %.2g", raw, projected)
	}
}
