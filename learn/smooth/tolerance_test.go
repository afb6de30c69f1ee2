package smooth_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/mat"
)

// twoClouds are two classes of n rows that overlap.
func twoClouds(n, d int) *learn.Problem {
	rng := rand.New(rand.NewPCG(9, 1))
	x := mat.NewDense(n, d, nil)
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b"}, Coding: learn.Coding{Classes: 2}}
	for i := range n {
		p.Labelled, p.Class = append(p.Labelled, i), append(p.Class, i%2)
		for j := range d {
			x.Set(i, j, rng.NormFloat64()+0.7*float64(i%2))
		}
	}
	p.Rows, p.Y = data.Rows{Dense: x}, p.Coding.Code(p.Class)
	return p
}

// Every solver of the package stops at the learner's tolerance: a looser one takes fewer steps,
// the gradient is below it where it is one, and zero is 1e-8.
func TestToleranceIsHonoured(t *testing.T) {
	ctx := context.Background()
	p := twoClouds(60, 4)
	for _, k := range []kernel.Kernel{kernel.Gaussian{Sigma: 2}, kernel.Linear{}} {
		g, err := k.Bind(ctx, p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, linear := k.(kernel.Linear)
		for _, v := range []learn.Loss{learn.Logistic(), learn.SquaredHinge(), learn.HuberHinge(0.5), learn.Quartic(0.5)} {
			for name, l := range map[string]smooth.Learner{
				"newton": {}, "fista": {Solver: smooth.ByFISTA}, "restart": {Solver: smooth.ByFISTARestart}, "descent": {Descent: true},
			} {
				if l.Descent && !linear {
					continue
				}
				l.Loss, l.Offset = v, smooth.Augmented
				train := func(tol float64) *learn.Machine {
					l.Tolerance = tol
					tr, err := l.Bind(ctx, g, p)
					if err != nil {
						t.Fatal(err)
					}
					m, err := tr.Train(ctx, nil, []float64{0.5}, nil)
					if err != nil {
						t.Fatal(err)
					}
					return m
				}
				at := fmt.Sprintf("%T, %s, %s", k, v.Name(), name)
				rough, fine, usual, zero := train(0.3), train(1e-4), train(1e-8), train(0)
				if rough.Certificate.Steps >= usual.Certificate.Steps || fine.Certificate.Steps > usual.Certificate.Steps {
					t.Errorf(
						"%s: %d, %d, %d steps at 0.3, 1e-4, 1e-8",
						at,
						rough.Certificate.Steps,
						fine.Certificate.Steps,
						usual.Certificate.Steps,
					)
				}
				if zero.Certificate != usual.Certificate {
					t.Errorf("%s: zero gives %+v, 1e-8 %+v", at, zero.Certificate, usual.Certificate)
				}
				if l.Solver == smooth.ByNewton &&
					(rough.Certificate.Residual > 0.3 || fine.Certificate.Residual > 1e-4 || usual.Certificate.Residual > 1e-8) {
					t.Errorf(
						"%s: residuals %g, %g, %g",
						at,
						rough.Certificate.Residual,
						fine.Certificate.Residual,
						usual.Certificate.Residual,
					)
				}
			}
		}
	}
}

// A loose machine is differentiated nonetheless, at a tolerance that allows it.
func TestLooseMachinesHaveDerivatives(t *testing.T) {
	ctx := context.Background()
	p := twoClouds(60, 4)
	for _, k := range []kernel.Kernel{kernel.Gaussian{Sigma: 2}, kernel.Linear{}} {
		g, err := k.Bind(ctx, p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		pull := func(tol float64) float64 {
			tr, err := smooth.Learner{Loss: learn.Quartic(0.25), Offset: smooth.Free, Tolerance: tol}.Bind(ctx, g, p)
			if err != nil {
				t.Fatal(err)
			}
			rows, fold := learn.Others(60, []int{0, 1, 2, 3}), []int{0, 1, 2, 3}
			m, err := tr.Train(ctx, rows, []float64{3}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if tol > 1e-3 && m.Certificate.Residual < 1e-3 {
				t.Fatalf("%T: residual %g at tolerance %g: nothing is tested", k, m.Certificate.Residual, tol)
			}
			bar := mat.NewDense(4, 1, []float64{1, -2, 0.5, 1})
			_, _, grad, err := tr.(learn.Sensitive).Pull(ctx, m, rows, []float64{3}, fold, bar)
			if err != nil {
				t.Fatalf("%T, tolerance %g: %v", k, tol, err)
			}
			return grad[0]
		}
		if rough, fine := pull(0.5), pull(1e-10); math.Abs(rough-fine) > 0.2*math.Abs(fine) {
			t.Errorf("%T: derivative %g, exact %g", k, rough, fine)
		}
	}
}
