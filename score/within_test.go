package score_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/graphtest"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// Labels drawn without regard to the rows cannot be predicted. The class-wise norm knows those that are
// left out, so that the closed score says they can; folds whose rows leave the graph say they cannot.
func TestClassWiseScoresAreHonestWithoutTheRows(t *testing.T) {
	const n = 120
	rng := rand.New(rand.NewPCG(5, 8))
	l := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}}
	for range n {
		l.Class = append(l.Class, rng.IntN(2))
	}
	p := learn.NewProblem(data.Rows{Dense: graphtest.Normal(3, n, 2)}, l)
	norm := manifold.Within{Graph: manifold.Graph{Recipe: graph.Recipe{Neighbours: 8}}, Class: p.Class}
	w := manifold.Warp{Base: kernel.Gaussian{Sigma: 0.5}, Norm: norm, Ratio: 1}
	var folds [][]int
	for i := range n {
		if i < 10 {
			folds = append(folds, nil)
		}
		folds[i%10] = append(folds[i%10], i)
	}
	theta := []float64{0.5, 1e5, 0.01} // sigma, ratio, lambda
	inside := &score.LeaveOut{Kernel: w, Problem: p, Criterion: score.Error{}, Folds: folds}
	closed, err := inside.Eval(context.Background(), theta, param.ValueOnly)
	if err != nil {
		t.Fatal(err)
	}
	honest, err := (&score.Refit{Kernel: w, Learner: rls.Learner{}, Problem: p, Criterion: score.Error{}, Folds: folds,
		Inductive: true}).Eval(
		context.Background(),
		theta,
		param.ValueOnly,
	)
	if err != nil {
		t.Fatal(err)
	}
	// Chance is 0.5 with a standard deviation of 0.046: 0.35 is three of them below.
	if closed.F > 0.35 || honest.F < 0.4 {
		t.Errorf(
			"error of random labels: %g with the rows in the graph, want far below 0.5; %g without, want about 0.5",
			closed.F,
			honest.F,
		)
	}
	t.Logf("closed %g, rows left out %g", closed.F, honest.F)
}

// The factors of the classes have derivatives, as the width beside them.
func TestClassWiseFactors(t *testing.T) {
	p := learntest.Clusters(36, 3, 3, 8)
	class := make([]int, 36) // of all rows, the unlabelled ones anyhow
	for i := range class {
		class[i] = i % 3
	}
	for q, i := range p.Labelled {
		class[i] = p.Class[q]
	}
	norm := manifold.Within{
		Graph: manifold.Graph{Recipe: graph.Recipe{Neighbours: 6, Degree: 2, Weights: graph.Heat, Width: 2}},
		Class: class,
		Phi:   []float64{1, 1, 1},
	}
	o := &score.Laplacian{Base: kernel.Gaussian{Sigma: 1.2}, Problem: p, Criterion: score.LogLoss{}, Norm: norm, Work: new(kernel.Work)}
	checkGradient(t, "class-wise", o, []float64{1.2, 0.5, 2, 3, 1.7, 3, 0.02})
}
