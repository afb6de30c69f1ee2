package design

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// TestOffsetIsChosen: rows about the origin, one in six of the second class and beyond a plane that is far from it: a
// linear machine has an offset where the score may decide, and is what it was where there may be none.
func TestOffsetIsChosen(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(4, 4))
	x := mat.NewDense(n, 2, nil)
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, n)}
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64() - 0.5, rng.NormFloat64()})
		if i%6 == 0 {
			x.Set(i, 0, x.At(i, 0)+3)
			labels.Class[i] = 1
		}
	}
	p := learn.NewProblem(data.Rows{Dense: x}, labels)
	train := func(free bool) *choose.Machine {
		b := Bench{Score: score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: p, Criterion: score.LogLoss{}}, FreeOffset: free}
		s, err := b.Run(t.Context(), []*choose.Candidate{{Method: "rls", Width: 1, Linear: true}})
		if err != nil {
			t.Fatal(err)
		}
		return s.Members[0].Machine
	}
	without, with := train(false), train(true)
	if without.B != nil || with.B == nil || with.Score >= without.Score {
		t.Errorf("offset %v with score %.3f, chosen %v with %.3f", without.B, without.Score, with.B, with.Score)
	}
	if len(with.Tried) != 2*len(without.Tried) {
		t.Errorf("%d strengths were tried, without an offset %d", len(with.Tried), len(without.Tried))
	}
}
