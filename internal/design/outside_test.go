package design

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
)

// What rows are answered that the graph does not have is what the same machine answers that was trained without them: with the same
// strengths on the rows that are left, which then are all there are.
func TestOutsideIsTrainingWithoutTheRows(t *testing.T) {
	b, _ := moons(t, 2, nil, false)
	b.Score.Kernel, b.Score.Folds, b.Longest = kernel.Gaussian{Sigma: 1}, nil, 4
	p := b.Score.Problem
	recipe := graph.Recipe{Weights: graph.SelfTuned, Width: 1, Neighbours: 4, Degree: 2}
	plan := []*choose.Candidate{
		{Method: "rls", Width: 1},
		{Method: "lap-rls", Width: 0.5, Graph: recipe, Ratio: 1e2}, {Method: "lap-rls", Width: 1, Graph: recipe, Ratio: 1e4},
	}
	s, err := b.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	members := []choose.Weighted{{Candidate: plan[0], Weight: 5}, {Candidate: plan[1], Weight: 2}, {Candidate: plan[2], Weight: -3}}
	within, outside, err := s.Outside(t.Context(), members)
	if err != nil {
		t.Fatal(err)
	}
	kept, left := apart(p)
	n := p.Rows.Len()
	if len(left) != min(n/4, n-len(p.Labelled)) || len(kept)+len(left) != n {
		t.Fatalf("%d of %d rows left out, %d labelled", len(left), n, len(p.Labelled))
	}
	for _, i := range p.Labelled {
		if slices.Contains(left, i) {
			t.Errorf("labelled row %d is left out", i)
		}
	}
	want, inside := mat.NewDense(len(left), p.Outputs(), nil), mat.NewDense(len(left), p.Outputs(), nil)
	for _, m := range members[1:] {
		one := *m.Candidate
		without := &Bench{Score: b.Score, Longest: 4, Lambda: m.Lambda}
		without.Score.Problem = restricted(p, kept)
		got, err := without.Run(t.Context(), []*choose.Candidate{&one})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range got.Members[0].Expansions {
			for j, i := range left {
				for c := range p.Outputs() {
					var v float64
					for q := range e.Centres.Len() {
						v += e.Coef.At(q, c) * math.Exp(-squared(p.Rows.Dense.RawRowView(i), e.Centres.Dense.RawRowView(q))/(2*m.Width*m.Width))
					}
					want.Set(j, c, want.At(j, c)+m.Weight*v)
				}
			}
		}
		for j, i := range left {
			for c := range p.Outputs() {
				inside.Set(j, c, inside.At(j, c)+m.Weight*m.Outputs.At(i, c))
			}
		}
	}
	if !mat.EqualApprox(outside, want, 1e-9*mat.Norm(want, 2)) || !mat.EqualApprox(within, inside, 1e-12*mat.Norm(inside, 2)) {
		t.Errorf("outside %v, want %v; within %v, want %v", outside, want, within, inside)
	}
	if a, _, err := s.Outside(t.Context(), members[:1]); a != nil || err != nil {
		t.Errorf("without a graph: %v, %v", a, err)
	}
	few, _ := moons(t, 3, nil, false)
	few.Score.Folds, few.Longest = nil, 4
	if s, err = few.Run(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if a, _, err := s.Outside(t.Context(), members); a != nil || err != nil {
		t.Errorf("with more unlabelled than labelled rows: %v, %v", a, err)
	}
}

func squared(a, b []float64) (sum float64) {
	for j, v := range a {
		sum += (v - b[j]) * (v - b[j])
	}
	return sum
}

// Four members are trained again at most, those of the largest weights, of those whose graph the rows are enough for.
func TestHeaviestMembers(t *testing.T) {
	var members []choose.Weighted
	for q, weight := range []float64{1, 5, 2, 9, 4, 3, 8} {
		c := &choose.Candidate{Graph: graph.Recipe{Neighbours: 3}}
		switch q {
		case 3:
			c.Graph.Neighbours = 0 // it has no graph
		case 6:
			c.Graph.Neighbours = 10
		}
		members = append(members, choose.Weighted{Candidate: c, Weight: weight})
	}
	var got []float64
	for _, m := range heaviest(members, 10) {
		got = append(got, m.Weight)
	}
	if !slices.Equal(got, []float64{5, 4, 3, 2}) {
		t.Errorf("the weights are %v", got)
	}
}

// Rows that a graph does not have are answered by all machines, or not at all: with the error of the kernel, or of the context.
func TestOutsideThatFails(t *testing.T) {
	c := &calls{}
	b, _ := moons(t, 2, nil, false)
	b.Score.Kernel, b.Score.Folds, b.Longest = breaking{kernel.Gaussian{Sigma: 1}, c, true}, nil, 4
	recipe := graph.Recipe{Weights: graph.SelfTuned, Width: 1, Neighbours: 4, Degree: 2}
	plan := []*choose.Candidate{
		{Method: "lap-rls", Width: 0.5, Graph: recipe, Ratio: 1e2}, {Method: "lap-rls", Width: 2, Graph: recipe, Ratio: 1e4},
	}
	s, err := b.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	members := []choose.Weighted{{Candidate: plan[0], Weight: 2}, {Candidate: plan[1], Weight: -3}}
	*c = calls{}
	_, want, err := s.Outside(t.Context(), members)
	whole := c.n
	if err != nil || want == nil || whole < 2 {
		t.Fatalf("%d calls, %v", whole, err)
	}
	for i := range whole {
		*c = calls{fails: i + 1}
		if _, got, err := s.Outside(t.Context(), members); !errors.Is(err, errOther) {
			t.Errorf("a failure at call %d of %d gives %v, %v", i+1, whole, got, err)
		}
	}
	*c = calls{}
	stoptest.Whole(t, func(a, b *mat.Dense) bool { return mat.Equal(a, b) }, func(ctx context.Context) (*mat.Dense, error) {
		_, got, err := s.Outside(ctx, members)
		return got, err
	})
}
