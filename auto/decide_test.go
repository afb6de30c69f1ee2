package auto

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/sparse"
)

// task is a Task on n dense rows, the first l labelled, in two classes by turns.
func task(n, l int) Task {
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, n)}
	for i := range n {
		labels.Class[i] = data.Unlabelled
		if i < l {
			labels.Class[i] = i % 2
		}
	}
	return Task{
		Score: score.LeaveOut{
			Kernel: kernel.Gaussian{}, Criterion: score.LogLoss{},
			Problem: learn.NewProblem(data.Rows{Dense: mat.NewDense(n, 1, nil)}, labels),
		},
		Graph:      graph.Recipe{Weights: graph.SelfTuned},
		Supervised: true, Semi: true, Linear: true, Mutual: true, Average: true,
	}
}

// No machine may be trained twice: it would count twice in the average.
func TestDesignHasNoDuplicates(t *testing.T) {
	for _, r := range []graph.Recipe{
		{}, {Neighbours: 4}, {Neighbours: 16}, {Degree: 2}, {Degree: 5}, {Degree: 1, Neighbours: 10},
	} {
		for _, linear := range []bool{true, false} {
			task := task(200, 20)
			r.Weights = graph.SelfTuned
			task.Graph, task.Linear = r, linear
			seen := map[Candidate]bool{}
			for _, c := range task.design() {
				if seen[*c] {
					t.Errorf("graph %+v, linear %v: twice %+v", r, linear, *c)
				}
				seen[*c] = true
				if !c.Supervised() && (r.Degree > 0 && c.Graph.Degree != r.Degree || r.Neighbours > 0 && c.Graph.Neighbours != r.Neighbours) {
					t.Errorf("graph %+v: not as given: %+v", r, c.Graph)
				}
			}
		}
	}
}

// The average gives way to the baseline only if it is worse by more than chance.
func TestFallbackNeedsAStandardError(t *testing.T) {
	const l = 20
	k := task(l, l)
	base := mat.NewDense(l, 1, nil)
	for i := range l {
		base.Set(i, 0, 2*k.Score.Problem.Y.At(i, 0))
	}
	base.Set(0, 0, -base.At(0, 0))
	other := func(wrong ...int) *mat.Dense {
		o := mat.DenseCopyOf(base)
		for _, i := range wrong {
			o.Set(i, 0, -o.At(i, 0))
		}
		return o
	}
	for _, c := range []struct {
		name string
		a    *mat.Dense
		want bool
	}{
		{"equal", base, false},
		{"better", other(0), false},
		{"other rows wrong, as many and one more", other(0, 1, 2), false},
		{"a third of the rows wrong", other(2, 4, 6, 8, 10, 12), true},
	} {
		if got := k.clearlyWorse(c.a, base); got != c.want {
			t.Errorf("%s: clearlyWorse = %v", c.name, got)
		}
	}
}

// A linear machine's prior does not depend on its graph; that of a graph under a
// Gaussian kernel has its mode at few neighbours, on sparse rows at more.
func TestPrior(t *testing.T) {
	k := task(10, 4)
	if a, b := k.logPrior(&Candidate{Linear: true}), k.logPrior(&Candidate{Linear: true, Graph: graph.Recipe{Neighbours: 50}}); a != b {
		t.Errorf("linear: %g without a graph, %g with one", a, b)
	}
	at := func(n int) float64 { return k.logPrior(&Candidate{Ratio: 1e6, Graph: graph.Recipe{Neighbours: n}}) }
	if !(at(5) > at(3) && at(5) > at(20)) {
		t.Errorf("dense: %g, %g, %g at 3, 5, 20 neighbours", at(3), at(5), at(20))
	}
	k.Score.Problem.Rows = data.Rows{Sparse: new(sparse.CSR)}
	if !(at(20) > at(5) && at(20) > at(80)) {
		t.Errorf("sparse: %g, %g, %g at 5, 20, 80 neighbours", at(5), at(20), at(80))
	}
}
