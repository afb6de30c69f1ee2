package smooth_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/mat"
)

// irisTraining is setosa against the rest on rows i%4 in {0, 1}, raw features.
func irisTraining(t *testing.T, c float64, v learn.Loss) smooth.LinearProblem {
	t.Helper()
	set, err := data.Builtin("iris")
	if err != nil {
		t.Fatal(err)
	}
	var rows []int
	var y []float64
	for i := range set.Rows.Len() {
		if i%4 < 2 {
			rows = append(rows, i)
			sign := -1.0
			if set.Answers[i] == set.Answers[0] {
				sign = 1
			}
			y = append(y, sign)
		}
	}
	return smooth.LinearProblem{X: set.Rows.Select(rows), Y: y, C: 1 / c, Loss: v, Offset: smooth.Free}
}

// FISTA, with and without restart, agrees with Newton's method to 2e-7 in w at stop 1e-8,
// the specification's check, and restarting takes far fewer steps.
func TestFISTAIris(t *testing.T) {
	ctx := context.Background()
	for _, v := range []learn.Loss{learn.ModLogistic(12), learn.Quartic(0.125)} {
		for _, c := range []float64{10, 182.6665} {
			p := irisTraining(t, c, v)
			exact := fitLinear(t, p, smooth.Options{Tolerance: 1e-12})
			var steps [2]int
			for q, restart := range []bool{false, true} {
				s, err := smooth.FISTALinear(ctx, p, smooth.FISTAOptions{MaxSteps: 200000, Restart: restart}, nil)
				if err != nil || s.Status != smooth.GradientSmall {
					t.Fatalf("%s c %g: %v after %d steps, %v", v.Name(), c, s.Status, s.Steps, err)
				}
				steps[q] = s.Steps
				for j, w := range exact.W {
					near(t, v.Name()+" w", s.W[j], w, 2e-7)
				}
				near(t, v.Name()+" b", s.B, exact.B, 2e-6)
				near(t, v.Name()+" objective", s.Objective, exact.Objective, 1e-12)
			}
			t.Logf("%s c %g: %d and with restart %d steps, Newton %d", v.Name(), c, steps[0], steps[1], exact.Steps)
			if 3*steps[1] >= steps[0] || exact.Steps*5 > steps[1] {
				t.Errorf("%s c %g: %d and with restart %d steps, Newton %d", v.Name(), c, steps[0], steps[1], exact.Steps)
			}
		}
	}
}

// The kernel form finds the outputs, and its projected coefficients are those of Newton.
func TestFISTAKernel(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(3, 1))
	const n = 30
	x := mat.NewDense(n, 2, nil)
	y := make([]float64, n)
	for i := range n {
		y[i] = float64(2*(i%2) - 1)
		x.SetRow(i, []float64{rng.NormFloat64() + y[i], rng.NormFloat64()})
	}
	g, err := kernel.Gaussian{Sigma: 1}.Bind(ctx, data.Rows{Dense: x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := mat.NewDense(n, n, nil)
	g.Block(k, nil, nil)
	for _, off := range []smooth.Offset{smooth.None, smooth.Free, smooth.Augmented} {
		for _, v := range []learn.Loss{learn.Logistic(), learn.SquaredHinge(), learn.ModLogistic(7.5)} {
			p := smooth.Problem{K: k, Y: y, C: 0.8, Loss: v, Offset: off}
			exact := fit(t, p, smooth.Options{Tolerance: 1e-12})
			s, err := smooth.FISTA(ctx, p, smooth.FISTAOptions{Tolerance: 1e-5, MaxSteps: 50000, Restart: true}, nil)
			if err != nil || s.Status != smooth.GradientSmall {
				t.Fatalf("%s %v: %v after %d steps, %v", v.Name(), off, s.Status, s.Steps, err)
			}
			for i, b := range exact.Beta {
				near(t, v.Name()+" coefficient", s.Beta[i], b, 1e-3)
				near(t, v.Name()+" output", s.F[i], exact.F[i], 1e-3)
			}
			near(t, v.Name()+" objective", s.Objective, exact.Objective, 1e-9)
			again, err := smooth.FISTA(ctx, p, smooth.FISTAOptions{Tolerance: 1e-5, Restart: true}, s)
			if err != nil || again.Steps*4 > s.Steps {
				t.Errorf("%s %v: %d steps, from the solution %d, %v", v.Name(), off, s.Steps, again.Steps, err)
			}
		}
	}
}

// Limits and the context end it with a status and a point.
func TestFISTALimits(t *testing.T) {
	p := irisTraining(t, 10, learn.ModLogistic(12))
	s, err := smooth.FISTALinear(context.Background(), p, smooth.FISTAOptions{MaxSteps: 7}, nil)
	if err != nil || s.Status != smooth.BudgetSpent || s.Steps != 7 || !(s.Gap > 0) {
		t.Errorf("%v after %d steps, gap %g, %v", s.Status, s.Steps, s.Gap, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s, err := smooth.FISTALinear(ctx, p, smooth.FISTAOptions{}, nil); !errors.Is(err, context.Canceled) || s == nil ||
		s.Status != smooth.Unfinished {
		t.Errorf("cancelled: %v", err)
	}
	if s, err := smooth.FISTA(ctx, kernelForm(p), smooth.FISTAOptions{}, nil); !errors.Is(err, context.Canceled) || s == nil ||
		s.Status != smooth.Unfinished {
		t.Errorf("cancelled: %v", err)
	}
}

// The learner's solvers end at one machine, in both forms, and pull back the same
// derivatives; a limit is said.
func TestLearnerSolver(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(4, 1))
	const n = 40
	x := mat.NewDense(n, 3, nil)
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b"}, Coding: learn.Coding{Classes: 2}}
	for i := range n {
		p.Labelled, p.Class = append(p.Labelled, i), append(p.Class, i%2)
		for j := range 3 {
			x.Set(i, j, rng.NormFloat64()+0.8*float64(i%2))
		}
	}
	p.Rows, p.Y = data.Rows{Dense: x}, p.Coding.Code(p.Class)
	judged, bar := []int{0, 1, 2}, mat.NewDense(3, 1, []float64{1, -0.5, 0.25})
	for _, c := range []struct {
		k              kernel.Kernel
		tolerance, off float64
	}{{kernel.Linear{}, 1e-8, 1e-6}, {kernel.Gaussian{Sigma: 2}, 1e-5, 1e-3}} {
		k := c.k
		g, err := k.Bind(ctx, p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		var grads []float64
		var coefs []*mat.Dense
		for _, solver := range []smooth.Solver{smooth.ByNewton, smooth.ByFISTA, smooth.ByFISTARestart} {
			tr, err := smooth.Learner{Loss: learn.Logistic(), Offset: smooth.Free, Tolerance: c.tolerance, Solver: solver}.Bind(ctx, g, p)
			if err != nil {
				t.Fatal(err)
			}
			rows := learn.Others(n, judged)
			m, err := tr.Train(ctx, rows, []float64{0.7}, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _, grad, err := tr.(learn.Sensitive).Pull(ctx, m, rows, []float64{0.7}, judged, bar)
			if err != nil {
				t.Fatal(err)
			}
			grads, coefs = append(grads, grad[0]), append(coefs, m.Coef)
			near(t, solver.String()+" derivative", grad[0], grads[0], c.off)
			if !mat.EqualApprox(m.Coef, coefs[0], c.off) {
				t.Errorf("%v: other coefficients", solver)
			}
			if m.Certificate.Limited != "" {
				t.Errorf("%v: %s", solver, m.Certificate.Limited)
			}
		}
		if k == (kernel.Linear{}) {
			continue
		}
		tr, err := smooth.Learner{Loss: learn.ModLogistic(64), Tolerance: 1e-15, Solver: smooth.ByFISTA}.Bind(ctx, g, p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := tr.Train(ctx, nil, []float64{1e4}, nil)
		if err != nil || !strings.Contains(m.Certificate.Limited, "8000") || math.IsNaN(m.Certificate.Residual) {
			t.Errorf("limit: %q, %v", m.Certificate.Limited, err)
		}
	}
}
