package design

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/learn"
)

// TestRare: a class is rare below a tenth of the labels, not at it, whichever of the two it is; of three classes none is.
func TestRare(t *testing.T) {
	for _, c := range []struct {
		ones, of, classes int
		want              bool
	}{{10, 100, 2, false}, {9, 100, 2, true}, {90, 100, 2, false}, {91, 100, 2, true}, {1, 10, 2, false}, {0, 10, 2, true},
		{1, 11, 2, true},
		{1, 100, 3, false}} {
		p := &learn.Problem{Task: data.Classification, Classes: make([]string, c.classes), Class: make([]int, c.of)}
		for i := range c.ones {
			p.Class[i] = 1
		}
		if got := Rare(p); got != c.want {
			t.Errorf("%d of %d: rare %v", c.ones, c.of, got)
		}
	}
}

// TestWeightsOfRareClasses: a row of weight 2 counts as two rows, for whether its class is rare, and for the loss by which models are
// then compared and the sigmoid that it is of.
func TestWeightsOfRareClasses(t *testing.T) {
	p := &learn.Problem{Task: data.Classification, Classes: make([]string, 2), Class: make([]int, 100), Weight: make([]float64, 100)}
	for i := range p.Class {
		if p.Weight[i] = 1; i < 9 {
			p.Class[i] = 1
		}
	}
	if !Rare(p) {
		t.Error("9 of 100 are not rare")
	}
	p.Weight[0] = 3 // 11 of 102
	if Rare(p) {
		t.Error("11 of 102 are rare")
	}
	out := mat.NewDense(100, 1, nil)
	for i := range 100 {
		out.Set(i, 0, float64(i%7)-3)
	}
	some := []int{0, 3, 4, 20, 30, 40}
	even := *p
	even.Weight = nil
	one := make([]float64, 100)
	for i := range one {
		one[i] = 2
	}
	equal := *p
	equal.Weight = one
	if a, b := plattLoss(&even, some, out), plattLoss(&equal, some, out); math.Abs(a-b) > 1e-12 {
		t.Errorf("weights that are equal make %g of %g", b, a)
	}
	scores, second := make([]float64, len(some)), make([]bool, len(some))
	for q, i := range some {
		scores[q], second[q] = out.At(i, 0), p.Class[i] == 1
	}
	sigmoid, err := calibrate.FitSigmoid(scores, second, p.WeightOf(some))
	if err != nil {
		t.Fatal(err)
	}
	var want, total float64
	for q, i := range some {
		of := sigmoid.Probability(scores[q])
		if !second[q] {
			of = 1 - of
		}
		want -= p.Weight[i] * math.Log(of)
		total += p.Weight[i]
	}
	if got := plattLoss(p, some, out); math.Abs(got-want/total) > 1e-12 {
		t.Errorf("the loss is %g, expected %g", got, want/total)
	}
}
