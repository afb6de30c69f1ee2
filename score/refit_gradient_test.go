package score_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// blobs makes n rows of d features in c classes that overlap, of which the first l
// are labelled.
func blobs(n, l, d, c int, seed uint64) *learn.Problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	class := make([]int, n)
	for i := range n {
		class[i] = i % c
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		x.Set(i, class[i]%d, x.At(i, class[i]%d)+1.5)
	}
	rows := data.Rows{Dense: x}
	p := &learn.Problem{Rows: rows, Task: data.Classification, Coding: learn.Coding{Classes: c}}
	for i := range l {
		p.Labelled = append(p.Labelled, i)
		p.Class = append(p.Class, class[i])
	}
	for k := range c {
		p.Classes = append(p.Classes, fmt.Sprint(k))
	}
	p.Y = p.Coding.Code(p.Class)
	return p
}

func folds(l, t int) [][]int {
	f := make([][]int, t)
	for i := range l {
		f[i*t/l] = append(f[i*t/l], i)
	}
	return f
}

// TestRefitGradient compares the gradient with central differences for learners, kernels
// and criteria in turn.
func TestRefitGradient(t *testing.T) {
	ard := kernel.ARDGaussian{Sigma: []float64{1.5, 2, 3, 1}}
	sum := kernel.Sum{Terms: []kernel.Kernel{
		kernel.Scaled{Base: kernel.Columns{Base: kernel.Gaussian{Sigma: 1.5}, Columns: []int{0, 1}}, Weight: 0.6},
		kernel.Scaled{Base: kernel.Columns{Base: kernel.Gaussian{Sigma: 2}, Columns: []int{2, 3}}, Weight: 0.4},
	}}
	warp := manifold.Warp{
		Base:  kernel.Gaussian{Sigma: 2},
		Norm:  manifold.Graph{Recipe: graph.Recipe{Neighbours: 5, Degree: 1, Weights: graph.Heat, Width: 2}},
		Ratio: 3,
	}
	kernels := []struct {
		name string
		kernel.Kernel
	}{{"gaussian", kernel.Gaussian{Sigma: 2}}, {"ard", ard}, {"sum", sum}, {"warped", warp}}
	losses := []learn.Loss{learn.Logistic(), learn.SquaredHinge(), learn.HuberHinge(0), learn.Square()}
	criteria := []score.Criterion{
		score.Risk{Loss: learn.Square()},
		score.Risk{Loss: learn.SquaredHinge()},
		score.Risk{Loss: learn.Logistic()},
		score.LogLoss{},
		score.SmoothError{},
	}
	n := 0
	for _, k := range kernels {
		for _, v := range losses {
			for _, off := range []smooth.Offset{smooth.None, smooth.Free, smooth.Augmented} {
				c := criteria[n%len(criteria)]
				classes := 2 + n%2
				n++
				t.Run(fmt.Sprintf("%s/%s/%v/%v/%d", k.name, v.Name(), off, c, classes), func(t *testing.T) {
					s := &score.Refit{
						Kernel:    k.Kernel,
						Learner:   smooth.Learner{Loss: v, Offset: off, Tolerance: 1e-12},
						Problem:   blobs(40, 30, 4, classes, 3),
						Criterion: c,
						Folds:     folds(30, 3),
					}
					theta := s.Space().Defaults()
					theta[len(theta)-1] = 0.7
					gradientAgrees(t, s, theta)
				})
			}
		}
	}
}

// TestRefitGradientOnAPlateau: where no row of a fold bends the offset is in the middle of an interval that moves with the parameters.
func TestRefitGradientOnAPlateau(t *testing.T) {
	for _, v := range []learn.Loss{learn.Quartic(0), learn.HuberHinge(0)} {
		s := &score.Refit{
			Kernel:    kernel.Gaussian{Sigma: 2},
			Learner:   smooth.Learner{Loss: v, Offset: smooth.Free, Tolerance: 1e-12},
			Problem:   blobs(16, 13, 4, 2, 3),
			Criterion: score.Risk{Loss: learn.Square()},
		}
		theta := s.Space().Defaults()
		theta[len(theta)-1] = 0.02
		gradientAgrees(t, s, theta)
	}
}

// TestLapRefitGradient checks the chain from the sources' parameters.
func TestLapRefitGradient(t *testing.T) {
	s := &score.Laplacian{
		Learner: smooth.Learner{Loss: learn.Logistic(), Offset: smooth.Free, Tolerance: 1e-12},
		Base:    kernel.Gaussian{Sigma: 2},
		Graph: graph.Recipe{
			Neighbours: 5,
			Degree:     1,
			Weights:    graph.Heat,
			Width:      2,
		},
		Problem:   blobs(40, 30, 4, 2, 3),
		Criterion: score.LogLoss{},
		Folds:     folds(30, 3),
	}
	theta := s.Space().Defaults()
	n := len(theta)
	theta[n-1], theta[n-2] = 0.02, 100
	gradientAgrees(t, s, theta)
}

// gradientAgrees compares the gradient by parameters that have one with differences of
// order four, to 1e-6 of the largest component.
func gradientAgrees(t *testing.T, s param.Objective, theta []float64) {
	t.Helper()
	ctx := context.Background()
	v, err := s.Eval(ctx, theta, param.WithGradient)
	if err != nil {
		t.Fatal(err)
	}
	if v.Grad == nil {
		t.Fatal("no gradient")
	}
	var largest float64
	for _, g := range v.Grad {
		if !math.IsNaN(g) {
			largest = max(largest, math.Abs(g))
		}
	}
	if largest == 0 {
		t.Fatal("the gradient is zero: nothing is tested")
	}
	for k, g := range v.Grad {
		if math.IsNaN(g) {
			continue
		}
		// Small, so that few rows pass a kink of a piecewise quadratic loss.
		h := 5e-5 * max(math.Abs(theta[k]), 1e-3)
		at := func(x float64) float64 {
			moved := append([]float64(nil), theta...)
			moved[k] += x
			w, err := s.Eval(ctx, moved, param.ValueOnly)
			if err != nil {
				t.Fatal(err)
			}
			return w.F
		}
		want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
		if math.Abs(g-want) > 1e-6*largest {
			t.Errorf("%s: gradient %.9g, differences %.9g", s.Space()[k].Name, g, want)
		}
	}
}
