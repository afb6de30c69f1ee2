package sparsemanifold

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/basis"
)

// The second centre has the least objective of all when its coefficient is chosen with f held and f then solved for again.
func TestPublishedScoreIsTheObjective(t *testing.T) {
	s := newTwelve(t)
	k, err := NewSlack(t.Context(), s.norm, s.labelled, s.y, gammaI, 0.8)
	if err != nil {
		t.Fatal(err)
	}
	p := k.Basis(s.gram, gammaA)
	path, err := Published{}.Choose(t.Context(), p, 4)
	if err != nil || k.Err() != nil {
		t.Fatal(err, k.Err())
	}
	for size := 1; size < 4; size++ {
		fit, err := basis.Fit(t.Context(), p, path.Centres[:size])
		if err != nil {
			t.Fatal(err)
		}
		f, _, err := k.Transductive(t.Context(), fit.Outputs)
		if err != nil {
			t.Fatal(err)
		}
		best, least := -1, fit.Objective
		for j := range 12 {
			column := mat.NewDense(12, 1, nil)
			s.gram.Block(column, nil, []int{j})
			gap := mat.NewDense(12, 1, nil)
			gap.Sub(f, fit.Outputs)
			h := gammaA*column.At(j, 0) + 0.8*mat.Dot(column.ColView(0), column.ColView(0))
			step := (0.8*mat.Dot(column.ColView(0), gap.ColView(0)) - gammaA*fit.Outputs.At(j, 0)) / h
			// R of the moved function: its quadratic form, and the norm of J and j together.
			o := mat.NewDense(12, 1, nil)
			o.Scale(step, column)
			o.Add(o, fit.Outputs)
			q := mat.NewDense(12, 1, nil)
			k.MulTo(q, o)
			norm := step*step*column.At(j, 0) + 2*step*fit.Outputs.At(j, 0)
			for a, i := range path.Centres[:size] {
				norm += fit.Beta.At(a, 0) * fit.Outputs.At(i, 0)
			}
			r := gammaA/2*norm + mat.Dot(o.ColView(0), q.ColView(0))/2 - mat.Dot(o.ColView(0), p.Target.ColView(0)) + p.Constant
			if r < least {
				best, least = j, r
			}
		}
		if best != path.Centres[size] {
			t.Errorf("centre %d is %d, the least objective %g has %d", size+1, path.Centres[size], least, best)
		}
	}
	if _, err := (Published{}).Choose(t.Context(), basis.Targets(s.gram, k.t, nil, 1), 2); err == nil {
		t.Error("a problem without slack is no error")
	}
}

// The greedy choice on the slack machine lowers its objective with every centre, and at the end is the machine's own.
func TestGreedySlack(t *testing.T) {
	s := newTwelve(t)
	k, err := NewSlack(t.Context(), s.norm, s.labelled, s.y, gammaI, 0.8)
	if err != nil {
		t.Fatal(err)
	}
	p := k.Basis(s.gram, gammaA)
	path, err := basis.Greedy{}.Choose(t.Context(), p, 6)
	if err != nil || k.Err() != nil {
		t.Fatal(err, k.Err())
	}
	for q, r := range path.Objective[1:] {
		if !(r < path.Objective[q]) {
			t.Errorf("objective %g after %g", r, path.Objective[q])
		}
	}
	p2 := s.problem(2)
	of := Learner{Norm: s.norm, Ratio: gammaI / gammaA, Repair: BySlack, Nu: 0.8 / gammaA, Chooser: basis.Greedy{}, Size: 6, Slackened: true}
	trainer, err := of.Bind(t.Context(), s.gram, p2)
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(t.Context(), nil, []float64{1 / (2 * gammaA)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := basis.Fit(t.Context(), p, m.Rows)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "objective", []float64{fit.Objective}, path.Objective[5:6], 1e-9)
}
