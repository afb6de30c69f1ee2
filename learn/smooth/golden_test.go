package smooth_test

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/mat"
)

// The fixture of eight points whose solutions were found by independent solvers; lambda is
// of the averaged objective (1/n) sum V + lambda ||w||^2.
const fixtureLambda = 0.05

func fixture(v learn.Loss, o smooth.Offset, lambda float64) smooth.LinearProblem {
	x := mat.NewDense(8, 2, []float64{.2, .7, .9, .4, .5, .1, .3, .9, .8, .8, .1, .3, .6, .5, .7, .2})
	return smooth.LinearProblem{X: data.Rows{Dense: x}, Y: []float64{1, -1, -1, 1, 1, -1, -1, 1},
		C: 1 / (2 * 8 * lambda), Loss: v, Offset: o}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s = %.13g, want %.13g (off by %.2g)", what, got, want, got-want)
	}
}

func fitLinear(t *testing.T, p smooth.LinearProblem, o smooth.Options) *smooth.LinearSolution {
	t.Helper()
	s, err := smooth.NewtonLinear(context.Background(), p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Status != smooth.GradientSmall {
		t.Fatalf(
			"%s offset %v method %v: %v after %d steps, gradient %g, gap %g",
			p.Loss.Name(),
			p.Offset,
			s.Method,
			s.Status,
			s.Steps,
			s.Gradient,
			s.Gap,
		)
	}
	return s
}

func fit(t *testing.T, p smooth.Problem, o smooth.Options) *smooth.Solution {
	t.Helper()
	s, err := smooth.Newton(context.Background(), p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Status != smooth.GradientSmall {
		t.Fatalf(
			"%s offset %v C %g: %v after %d steps, gradient %g, gap %g",
			p.Loss.Name(),
			p.Offset,
			p.C,
			s.Status,
			s.Steps,
			s.Gradient,
			s.Gap,
		)
	}
	return s
}

// kernelForm is the same problem by its Gram matrix.
func kernelForm(p smooth.LinearProblem) smooth.Problem {
	n := p.X.Len()
	k := mat.NewDense(n, n, nil)
	k.Mul(p.X.Dense, p.X.Dense.T())
	return smooth.Problem{K: k, Y: p.Y, C: p.C, Weight: p.Weight, Loss: p.Loss, Offset: p.Offset}
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name      string
		loss      learn.Loss
		offset    smooth.Offset
		w         [2]float64
		b         float64
		objective float64 // averaged; 0: not known
		tol       float64
	}{
		{"RLS", learn.Square(), smooth.None, [2]float64{-.537539383693, .808806578037}, 0, .861849688773, 1e-11},
		{"RLS free", learn.Square(), smooth.Free, [2]float64{-.009764621235, 1.314112447322}, -.635625449687, .786334669545, 1e-11},
		{"RLS augmented", learn.Square(), smooth.Augmented, [2]float64{-.121152161925, 1.207466995362}, -.501475883097, 0, 1e-11},
		{"logistic", learn.Logistic(), smooth.None, [2]float64{-.206518489764, .528499235366}, 0, .671060991299, 1e-11},
		{"logistic free", learn.Logistic(), smooth.Free, [2]float64{-.0404502399, .686025643465}, -.313623644642, .665161598883, 1e-9},
		// The support vector machine is the limit of the Huber hinge; without any curvature
		// left b is the middle of the interval [-1.1, -.425].
		{"SVM by Huber", learn.HuberHinge(1e-5), smooth.None, [2]float64{-4. / 15, 1.2}, 0, .877222222222, 1e-4},
		{"SVM free by Huber", learn.HuberHinge(1e-3), smooth.Free, [2]float64{-.125, 1.625}, -.7625, .8671875, 1e-11},
	} {
		for _, method := range []smooth.Method{smooth.Cholesky, smooth.CG, smooth.Gram} {
			p := fixture(c.loss, c.offset, fixtureLambda)
			s := fitLinear(t, p, smooth.Options{Tolerance: 1e-11, Method: method})
			what := c.name + " by " + method.String()
			near(t, what+" w1", s.W[0], c.w[0], c.tol)
			near(t, what+" w2", s.W[1], c.w[1], c.tol)
			near(t, what+" b", s.B, c.b, c.tol)
			if c.objective != 0 {
				near(t, what+" objective", s.Objective*2*fixtureLambda, c.objective, c.tol)
			}
		}
		p := kernelForm(fixture(c.loss, c.offset, fixtureLambda))
		s := fit(t, p, smooth.Options{Tolerance: 1e-11})
		near(t, c.name+" kernel b", s.B, c.b, c.tol)
	}
}

// Two machines of the lecture at lambda = 0.005 are not all bound: the Huber hinge
// tends to them as h goes to 0.
func TestGoldenHuberLimit(t *testing.T) {
	p := fixture(learn.HuberHinge(1e-6), smooth.None, .005)
	s := fitLinear(t, p, smooth.Options{})
	near(t, "w1", s.W[0], -2, 1e-4)
	near(t, "w2", s.W[1], 2, 1e-4)
	near(t, "objective", s.Objective*2*.005, .715, 1e-5)
	p.Offset = smooth.Free
	s = fitLinear(t, p, smooth.Options{})
	near(t, "free w1", s.W[0], -.606059, 1e-4)
	near(t, "free w2", s.W[1], 4.848480, 1e-4)
	near(t, "free b", s.B, -2.393938, 1e-4)
	near(t, "free objective", s.Objective*2*.005, .573921, 1e-5)
}

func TestGoldenDescent(t *testing.T) {
	ctx := context.Background()
	p := fixture(learn.Logistic(), smooth.None, fixtureLambda)
	l, err := smooth.Lipschitz(p)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the lecture's constant", 2*fixtureLambda*l, .241330904286, 1e-11)
	// A unit step of the lecture is 2 lambda here.
	s, err := smooth.Descent(
		ctx,
		p,
		smooth.DescentOptions{Step: 2 * fixtureLambda / (2 * fixtureLambda) / (1 / (2 * fixtureLambda)), MaxSteps: 1},
		nil,
	)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "first step w1", s.W[0], -.00625, 1e-13)
	near(t, "first step w2", s.W[1], .08125, 1e-13)
	if s, err = smooth.Descent(ctx, p, smooth.DescentOptions{MaxSteps: 10}, nil); err != nil {
		t.Fatal(err)
	}
	near(t, "ten steps w1", s.W[0], -.206153435978, 1e-11)
	near(t, "ten steps w2", s.W[1], .528110307409, 1e-11)
	if s.Status != smooth.BudgetSpent || s.Steps != 10 {
		t.Errorf("%v after %d steps", s.Status, s.Steps)
	}
}

// The slow twin: gradient descent ends where Newton does, for every loss and offset.
func TestDescentIsNewtonsTwin(t *testing.T) {
	for _, v := range smoothLosses() {
		for _, o := range offsets {
			p := fixture(v, o, fixtureLambda)
			want := fitLinear(t, p, smooth.Options{Tolerance: 1e-12})
			s, err := smooth.Descent(context.Background(), p, smooth.DescentOptions{Tolerance: 1e-10, MaxSteps: 200000}, nil)
			if err != nil || s.Status != smooth.GradientSmall {
				t.Fatalf("%s %v: %v, %v after %d steps, gradient %g", v.Name(), o, err, s.Status, s.Steps, s.Gradient)
			}
			near(t, v.Name()+" objective", s.Objective, want.Objective, 1e-13)
			for j := range s.W {
				near(t, v.Name()+" w", s.W[j], want.W[j], 1e-7)
			}
		}
	}
}

// The gap bounds the distance to the minimum far from it too, where a free offset leaves
// the dual point infeasible before it is scaled.
func TestGapOfDescent(t *testing.T) {
	for _, v := range smoothLosses() {
		for _, o := range offsets {
			p := fixture(v, o, fixtureLambda)
			p.Y = []float64{1, 1, -1, 1, 1, -1, 1, 1}
			best := fitLinear(t, p, smooth.Options{Tolerance: 1e-12})
			for steps := range 30 {
				s, err := smooth.Descent(context.Background(), p, smooth.DescentOptions{MaxSteps: steps + 1}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if d := s.Objective - best.Objective; d > s.Gap*(1+1e-9)+1e-12 || d < -1e-12 {
					t.Errorf("%s %v step %d: %g above the minimum, gap %g", v.Name(), o, steps+1, d, s.Gap)
				}
			}
		}
	}
}

// The square loss is one quadratic: one Newton step from anywhere, but for rounding.
func TestSquareTakesOneStep(t *testing.T) {
	for _, o := range offsets {
		p := fixture(learn.Square(), o, fixtureLambda)
		start := &smooth.LinearSolution{W: []float64{3, -5}, B: 7}
		s, err := smooth.NewtonLinear(context.Background(), p, smooth.Options{Method: smooth.Cholesky}, start)
		if err != nil || s.Steps != 1 || s.Gradient > 1e-12 {
			t.Errorf("linear %v: %d steps, gradient %g, %v", o, s.Steps, s.Gradient, err)
		}
		k, err := smooth.Newton(
			context.Background(),
			kernelForm(p),
			smooth.Options{},
			&smooth.Solution{Beta: []float64{1, 2, 3, 4, 5, 6, 7, 8}, B: 9},
		)
		if err != nil || k.Steps != 1 || k.Gradient > 1e-12 {
			t.Errorf("kernel %v: %d steps, gradient %g, %v", o, k.Steps, k.Gradient, err)
		}
		near(t, o.String()+" offset", k.B, s.B, 1e-11)
	}
}

// The square loss is package rls with the ridge 1/(2C), leave-one-out included.
func TestSquareIsRLS(t *testing.T) {
	for _, offset := range []smooth.Offset{smooth.None, smooth.Free} {
		p := kernelForm(fixture(learn.Square(), offset, fixtureLambda))
		s := fit(t, p, smooth.Options{Tolerance: 1e-12})
		path, err := rls.NewPath(context.Background(), p.K, mat.NewDense(8, 1, p.Y), nil, offset == smooth.Free)
		if err != nil {
			t.Fatal(err)
		}
		want, err := path.At(1 / (2 * p.C))
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range s.Beta {
			near(t, "beta", b, want.Alpha.At(i, 0), 1e-11)
		}
		if want.B != nil {
			near(t, "b", s.B, want.B[0], 1e-11)
		}
		loo, err := s.LeaveOneOut(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		exact, err := want.LeaveOut(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var ms float64
		for i, o := range loo {
			near(t, "left-out output", o, exact.At(i, 0), 1e-10)
			ms += (p.Y[i] - o) * (p.Y[i] - o) / 8
		}
		golden := map[smooth.Offset]float64{smooth.None: 1.187940602034, smooth.Free: 1.263791045227}
		near(t, "leave-one-out mean square", ms, golden[offset], 1e-11)
	}
}
