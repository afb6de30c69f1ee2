package dual_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/dual"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// The folds of a small problem, which train on all rows with those of the fold weighing
// nothing, are trainings without these rows; from other machines, too. One fold has all
// rows of the third class, some rows are not labelled, some weigh more.
func TestSmallFolds(t *testing.T) {
	const n = 61 // no multiple of 8
	rng := rand.New(rand.NewPCG(9, 9))
	x := mat.NewDense(n, 2, nil)
	classes := data.Labels{Task: data.Classification, Classes: []string{"a", "b", "c"}, Class: make([]int, n)}
	two := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, n)}
	values := data.Labels{Task: data.Regression, Value: make([]float64, n)}
	folds := [][]int{{}, {}, {}, {}}
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		values.Value[i] = math.Sin(2*x.At(i, 0)) + 0.2*rng.NormFloat64()
		if x.At(i, 0)+0.5*rng.NormFloat64() > 0 {
			classes.Class[i], two.Class[i] = 1, 1
		}
		if i >= n-6 {
			classes.Class[i] = 2
		}
		fold := min(i/(n/3), 2)
		if i >= n-6 {
			fold = 3
		}
		folds[fold] = append(folds[fold], i)
	}
	classes.Class[0], folds[0] = data.Unlabelled, folds[0][1:]
	for _, f := range folds { // numbers among the labelled, in the problem of three classes
		for q := range f {
			f[q]--
		}
	}
	rows := data.Rows{Dense: x}
	ctx := context.Background()
	g, err := kernel.Gaussian{Sigma: 0.8}.Bind(ctx, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	weighted := learn.NewProblem(rows, two)
	for i := range n {
		weighted.Weight = append(weighted.Weight, 1+float64(i%3))
	}
	o := dual.Options{Tolerance: 1e-9, MaxIterations: 1e7}
	for name, c := range map[string]struct {
		learner learn.Learner
		problem *learn.Problem
		theta   [][]float64
	}{
		"classes":   {dual.Classifier{Options: o}, learn.NewProblem(rows, classes), [][]float64{{1}, {30}, {5}}},
		"no offset": {dual.Classifier{NoOffset: true, Options: o}, learn.NewProblem(rows, two), [][]float64{{1}, {30}}},
		"weights":   {dual.Classifier{Options: o}, weighted, [][]float64{{1}, {30}}},
		"nu":        {dual.Classifier{Nu: 0.4, Options: o}, learn.NewProblem(rows, two), [][]float64{{0.4}, {0.3}}},
		"values":    {dual.Regressor{Options: o}, learn.NewProblem(rows, values), [][]float64{{1, 0.1}, {10, 0.1}}},
		"nu tube":   {dual.Regressor{Nu: 0.4, Options: o}, learn.NewProblem(rows, values), [][]float64{{1, 0.4}, {10, 0.4}}},
	} {
		t.Run(name, func(t *testing.T) {
			trainer, err := c.learner.Bind(ctx, g, c.problem)
			if err != nil {
				t.Fatal(err)
			}
			var warm []*learn.Machine
			for _, theta := range c.theta {
				out, machines, ok, err := trainer.(learn.Folder).Folds(ctx, folds, theta, warm)
				if err != nil || !ok {
					t.Fatalf("ok %v, %v", ok, err)
				}
				warm = machines
				for q, fold := range folds {
					one, err := trainer.Train(ctx, learn.Others(len(c.problem.Labelled), fold), theta, nil)
					if err != nil {
						t.Fatal(err)
					}
					want := mat.NewDense(len(fold), c.problem.Outputs(), nil)
					if err := one.Evaluate(context.Background(), want, g, c.problem.Subset(fold)); err != nil {
						t.Fatal(err)
					}
					same(t, fmt.Sprintf("theta %v, fold %d, objective", theta, q), machines[q].Certificate.Objective,
						one.Certificate.Objective, 1e-6)
					if m := machines[q]; m.Certificate.Limited != "" || len(m.Rows) != len(one.Rows) {
						t.Errorf("fold %d: %q, %d rows", q, m.Certificate.Limited, len(m.Rows))
					}
					for a, i := range fold {
						for j := range c.problem.Outputs() {
							same(t, fmt.Sprintf("theta %v, fold %d, row %d, output %d", theta, q, i, j), out.At(i, j), want.At(a, j), 1e-6)
						}
					}
				}
			}
		})
	}
}

func same(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s: %.12g, want %.12g", what, got, want)
	}
}
