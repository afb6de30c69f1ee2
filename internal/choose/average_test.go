package choose

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// candidates are none yet, for n dense rows, the first l labelled, in two classes by turns.
func candidates(n, l int) *Candidates {
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, n)}
	for i := range n {
		labels.Class[i] = data.Unlabelled
		if i < l {
			labels.Class[i] = i % 2
		}
	}
	return &Candidates{Criterion: score.LogLoss{}, Problem: learn.NewProblem(data.Rows{Dense: mat.NewDense(n, 1, nil)}, labels), Safe: true}
}

// The average gives way to the baseline only if it is worse by more than chance.
func TestFallbackNeedsAStandardError(t *testing.T) {
	const l = 20
	k := candidates(l, l)
	base := mat.NewDense(l, 1, nil)
	for i := range l {
		base.Set(i, 0, 2*k.Problem.Y.At(i, 0))
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

// Least takes the machine with a graph only where it is ahead in both merit and score; candidates that are
// not safe give it in any case.
func TestLeastFallsBack(t *testing.T) {
	base := &Candidate{Width: 1, Machine: &Machine{Score: 0.5}}
	warped := func(score, prior float64) *Candidate {
		c := &Candidate{Width: 1, Prior: prior, Machine: &Machine{Score: score}}
		c.Graph.Neighbours = 5
		return c
	}
	for _, c := range []struct {
		name       string
		graph      *Candidate
		safe       bool
		graphTaken bool
	}{
		{"better", warped(0.4, 0), true, true},
		{"worse score, better prior", warped(0.51, 10), true, false},
		{"better score, worse prior", warped(0.49, -10), true, false},
		{"worse, but a graph is asked for", warped(0.9, -10), false, true},
	} {
		s := candidates(30, 20)
		s.Members, s.Safe = []*Candidate{base, c.graph}, c.safe
		got, err := Least{}.Choose(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if taken := got.Members[0].Candidate == c.graph; taken != c.graphTaken || got.Baseline != base {
			t.Errorf("%s: graph taken %v, baseline %v", c.name, taken, got.Baseline)
		}
	}
	if _, err := (Least{}).Choose(t.Context(), candidates(5, 2)); err == nil {
		t.Error("nothing to choose from")
	}
}

// TestAverageWeighs: of two classes a member's weight is exp(prior - 15 score/log 2), times its temperature,
// which members of the same left-out outputs share; one of less than a ten-thousandth is dropped.
func TestAverageWeighs(t *testing.T) {
	const l = 20
	s := candidates(l, l)
	out := mat.NewDense(l, 1, nil)
	for i := range l {
		out.Set(i, 0, 2*s.Problem.Y.At(i, 0))
	}
	out.Set(0, 0, -out.At(0, 0))
	member := func(score, prior float64) *Candidate {
		return &Candidate{Width: 1, Prior: prior, Machine: &Machine{Score: score, LeftOut: out, Outputs: out}}
	}
	last := math.Log(1e4) * math.Ln2 / 15 // the score that makes a ten-thousandth
	s.Members = []*Candidate{member(0.3, 0), member(0.4, 0), member(0.3, -2), member(0.3+0.999*last, 0), member(0.3+1.001*last, 0)}
	c, _ := s.average()
	if len(c.Members) != 4 {
		t.Fatalf("%d members", len(c.Members))
	}
	for i, want := range []float64{1, math.Exp(-1.5 / math.Ln2), math.Exp(-2)} {
		if got := c.Members[i].Weight / c.Members[0].Weight; math.Abs(got/want-1) > 1e-9 {
			t.Errorf("member %d has the weight %g of the first, want %g", i, got, want)
		}
	}
}
