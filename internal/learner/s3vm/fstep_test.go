package s3vm

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/learn"
)

func losses() []learn.Loss { return []learn.Loss{learn.Square(), learn.SquaredHinge(), learn.Hinge()} }

// minimised is the function of an f-step.
func minimised(t testing.TB, p *Problem, v learn.Loss, y []float64, tolerance float64) (*system, fstep, *function) {
	t.Helper()
	s := newSystem(p)
	step, err := newStep(t.Context(), s, p.Labelled(), v)
	if err != nil {
		t.Fatal(err)
	}
	at := newFunction(len(s.rows))
	if _, err := step.minimise(t.Context(), at, y, tolerance, 0); err != nil {
		t.Fatal(err)
	}
	return s, step, at
}

// The golden values are those of the specification, G4: eight points in the plane, the first two labelled.
func TestSquareGolden(t *testing.T) {
	x := mat.NewDense(8, 2, []float64{0, 0, 2, 1, 0.5, 0.2, 1.1, 0.1, 2.4, 0.7, 1.6, 1.3, 0.3, 0.9, 2.9, 1.4})
	const lambda = 0.1
	p := &Problem{K: gaussian(x, 1), Rows: []int{0, 1, 2, 3, 4, 5, 6, 7}, Y: []float64{1, -1}, C: 1 / (2 * 2 * lambda), Unlabelled: 1}
	y := []float64{1, -1}
	for _, v := range []float64{.9, .8, .1, .2, .7, .05} {
		y = append(y, 2*v-1)
	}
	_, _, at := minimised(t, p, learn.Square(), y, 0)
	want := []float64{
		0.862259644923, -0.812248169868, 0.740853380489, 0.376772862837, -0.794812661374, -0.63322504557, 0.439262837862, -0.759031463917,
	}
	if !near(at.f, want, 1e-11) {
		t.Errorf("%v, not %v", at.f, want)
	}
}

// Steps of smooth losses agree with L-BFGS on the objective in the coordinates of alpha, and the function with
// its coefficients. C = 1000 leaves rows outside the margin, where the curvature is made anew.
func TestStepEqualsDescent(t *testing.T) {
	for _, v := range losses()[:2] {
		for _, offset := range []bool{false, true} {
			for _, c := range []float64{0.01, 3, 1000} {
				p := clouds(14, 6, 1, offset)
				p.C = c
				y := means(p, 2)
				s, step, at := minimised(t, p, v, y, 1e-10)
				if c < 1000 { // where L-BFGS is slow the residual has to do
					if got, want := s.value(v, at, y), descended(t, s, v, y); !(math.Abs(got-want) <= 1e-7*want) {
						t.Errorf("%s, offset %v, C %g: the objective is %.10g, by L-BFGS %.10g", v.Name(), offset, c, got, want)
					}
				}
				if r := step.residual(at, y); r > 1e-9 {
					t.Errorf("%s, offset %v, C %g: residual %g", v.Name(), offset, c, r)
				}
				own := newFunction(len(at.f))
				own.set(at)
				s.outputs(own)
				if !near(own.f, at.f, 1e-8) {
					t.Errorf("%s, offset %v, C %g: outputs are not those of the coefficients", v.Name(), offset, c)
				}
			}
		}
	}
}

// descended is the least objective that L-BFGS finds.
func descended(t *testing.T, s *system, v learn.Loss, y []float64) float64 {
	t.Helper()
	n := len(s.rows)
	at := newFunction(n)
	f := func(_ context.Context, x, grad []float64) (float64, error) {
		copy(at.alpha, x[:n])
		at.b = x[n]
		s.outputs(at)
		if grad != nil {
			pull := newFunction(n)
			grad[n] = 0
			for i, a := range at.alpha {
				g := s.cost[i] * slope(v, y[i], at.f[i])
				pull.alpha[i] = a + g
				grad[n] += g
			}
			s.outputs(pull)
			copy(grad, pull.f)
		}
		return s.value(v, at, y), nil
	}
	lo, hi := make([]float64, n+1), make([]float64, n+1)
	for i := range lo {
		lo[i], hi[i] = -1e6, 1e6
	}
	if !s.offset {
		lo[n], hi[n] = 0, 0
	}
	options := solve.LBFGSBOptions{MaxEvaluations: 5000, Gradient: 1e-9, Step: 1e-12, Decrease: 1e-15}
	r, err := solve.LBFGSB(t.Context(), f, make([]float64, n+1), lo, hi, options)
	if err != nil {
		t.Fatal(err)
	}
	return r.F
}

// The hinge's dual at its coefficients bounds the objective from below: of row i with beta = a - a', a <= c (1 + y)/2,
// a' <= c (1 - y)/2, at most beta + 2 min(c (1 - y)/2, c (1 + y)/2 - beta).
func TestHingeGap(t *testing.T) {
	for _, n := range []int{30, 700} { // in double and in single precision
		for _, offset := range []bool{false, true} {
			p := clouds(n, 6, 3, offset)
			y := means(p, 4)
			s, step, at := minimised(t, p, learn.Hinge(), y, 1e-5)
			dual, sum, size := -at.norm()/2, 0.0, 0.0
			for i, beta := range at.alpha {
				plus, minus := s.cost[i]*(1+y[i])/2, s.cost[i]*(1-y[i])/2
				if beta > plus*(1+1e-9) || beta < -minus*(1+1e-9) {
					t.Fatalf("row %d: coefficient %g outside [%g, %g]", i, beta, -minus, plus)
				}
				dual += beta + 2*min(minus, plus-beta)
				sum += beta
				size += math.Abs(beta)
			}
			if offset && math.Abs(sum) > 1e-9*size {
				t.Errorf("%d rows: coefficients sum to %g", n, sum)
			}
			primal := s.value(learn.Hinge(), at, y)
			if gap := primal - dual; gap < -1e-5*primal || gap > 1e-4*primal {
				t.Errorf("%d rows, offset %v: primal %g, dual %g", n, offset, primal, dual)
			}
			if r := step.residual(at, y); r > 1e-4 {
				t.Errorf("%d rows, offset %v: residual %g", n, offset, r)
			}
			at.f[0] += 0.3
			if r := step.residual(at, y); r < 0.1 {
				t.Errorf("%d rows, offset %v: a residual of %g where an output is off by 0.3", n, offset, r)
			}
		}
	}
}

// A step from the solution of other labels is that from zero.
func TestStepStartsWarm(t *testing.T) {
	for _, v := range losses() {
		p := clouds(40, 6, 5, true)
		s, step, at := minimised(t, p, v, means(p, 6), 1e-6)
		y := means(p, 7)
		if _, err := step.minimise(t.Context(), at, y, 1e-6, 0); err != nil {
			t.Fatal(err)
		}
		_, _, cold := minimised(t, p, v, y, 1e-6)
		if a, b := s.value(v, at, y), s.value(v, cold, y); math.Abs(a-b) > 1e-6*b || !near(at.f, cold.f, 1e-3) {
			t.Errorf("%s: %g from other labels, %g from zero", v.Name(), a, b)
		}
	}
}

// slope is the derivative of expected, and hinged that of the squared hinge.
func TestSlope(t *testing.T) {
	for _, v := range losses() {
		for _, y := range []float64{-1, -0.3, 0.8, 1} {
			for _, f := range []float64{-1.7, -0.4, 0.9, 2.2} {
				const h = 1e-6
				want := (expected(v, y, f+h) - expected(v, y, f-h)) / (2 * h)
				if got := slope(v, y, f); math.Abs(got-want) > 1e-6 {
					t.Errorf("%s at y %g, f %g: %g, not %g", v.Name(), y, f, got, want)
				}
				if v == learn.SquaredHinge() {
					first, second := hinged(y, f)
					up, _ := hinged(y, f+h)
					if math.Abs(first-want) > 1e-6 || math.Abs(second-(up-first)/h) > 1e-6 {
						t.Errorf("at y %g, f %g: %g and %g", y, f, first, second)
					}
				}
			}
		}
	}
}

func TestStepStops(t *testing.T) {
	for _, v := range losses() {
		p := clouds(40, 6, 9, true)
		p.C = 1000
		stoptest.Everywhere(t, func(ctx context.Context) error {
			s := newSystem(p)
			step, err := newStep(ctx, s, p.Labelled(), v)
			if err != nil {
				return err
			}
			_, err = step.minimise(ctx, newFunction(len(s.rows)), means(p, 1), 1e-9, 0)
			return err
		}, "dual.undivide", "s3vm.(*hinge).minimise")
	}
}

// Where no step lowers the objective an f-step says so, unless the kernel sees no coefficient: then they are those
// that the function asks for.
func TestSquaredHingeStuck(t *testing.T) {
	for _, c := range []struct {
		scale float64
		stuck bool
	}{{0, false}, {1, false}, {-0.02, true}} {
		p := clouds(24, 8, 3, true)
		p.K.Apply(func(_, _ int, v float64) float64 {
			if c.stuck {
				return c.scale * v
			}
			return c.scale // all rows are one point
		}, p.K)
		s := solved(t, Annealing{}, p)
		if stuck := s.Certificate.Limited != ""; stuck != c.stuck || (s.Certificate.Residual > unnoticed) != c.stuck {
			t.Errorf("a kernel times %g: residual %g, limited by %q", c.scale, s.Certificate.Residual, s.Certificate.Limited)
		}
	}
}
