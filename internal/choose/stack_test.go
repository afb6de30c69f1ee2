package choose

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/mat"
)

// stackable are candidates of a regression on n rows whose left-out errors have these deviations.
func stackable(n int, noise []float64, seed uint64) *Candidates {
	r := rand.New(rand.NewPCG(seed, 3))
	p := &learn.Problem{Task: data.Regression, Rows: data.Rows{Dense: mat.NewDense(n, 1, nil)}, Y: mat.NewDense(n, 1, nil)}
	s := &Candidates{Problem: p, Criterion: score.Press{}}
	for i := range n {
		p.Labelled = append(p.Labelled, i)
		p.Y.Set(i, 0, 3*r.NormFloat64())
	}
	for _, sd := range noise {
		o := mat.NewDense(n, 1, nil)
		for i := range n {
			o.Set(i, 0, p.Y.At(i, 0)+sd*r.NormFloat64())
		}
		m := &Machine{LeftOut: o, Score: score.Press{}.Eval(p, nil, o, nil)}
		s.Members = append(s.Members, &Candidate{Machine: m})
	}
	return s
}

// Two members: the weights are those of the least mean of squares among all, by a fine grid.
func TestStackOfTwo(t *testing.T) {
	s := stackable(100, []float64{1, 1.5}, 1)
	c, err := Stack{}.Choose(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	loss := func(v float64) (sum float64) {
		var spread float64
		for i := range 100 {
			d := v*s.Members[0].LeftOut.At(i, 0) + (1-v)*s.Members[1].LeftOut.At(i, 0) - s.Problem.Y.At(i, 0)
			sum += d * d / 100
			spread += s.Problem.Y.At(i, 0) * s.Problem.Y.At(i, 0) / 100
		}
		return sum/spread + stackRidge*(v*v+(1-v)*(1-v))
	}
	best, least := 0.0, math.Inf(1)
	for v := 0.0; v <= 1; v += 1e-4 {
		if l := loss(v); l < least {
			best, least = v, l
		}
	}
	if c.Members[0].Candidate != s.Members[0] || math.Abs(c.Members[0].Weight-best) > 2e-3 {
		t.Errorf("weights %g and %g, the best is %g", c.Members[0].Weight, c.Members[1].Weight, best)
	}
	if !(c.Score < min(s.Members[0].Score, s.Members[1].Score)) {
		t.Errorf("the stack has the score %g, its members %g and %g", c.Score, s.Members[0].Score, s.Members[1].Score)
	}
}

// Equal members share; one that only adds noise leaves; the order of the members changes nothing.
func TestStackMembers(t *testing.T) {
	s := stackable(200, []float64{1}, 2)
	s.Members = append(s.Members, &Candidate{Machine: s.Members[0].Machine})
	c, err := Stack{}.Choose(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Members) != 2 || math.Abs(c.Members[0].Weight-0.5) > 1e-6 {
		t.Errorf("two equal members have the weight %g", c.Members[0].Weight)
	}
	s = stackable(200, []float64{0.5, 50, 0.7}, 3)
	c, err = Stack{}.Choose(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for _, m := range c.Members {
		sum += m.Weight
		if m.Candidate == s.Members[1] {
			t.Errorf("noise has the weight %g", m.Weight)
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("weights of sum %g", sum)
	}
	s.Members[0], s.Members[2] = s.Members[2], s.Members[0]
	d, err := Stack{}.Choose(context.Background(), s)
	if err != nil || math.Abs(d.Members[0].Weight-c.Members[0].Weight) > 1e-4 {
		t.Errorf("in another order the first weight is %g, was %g (%v)", d.Members[0].Weight, c.Members[0].Weight, err)
	}
	if _, err := (Stack{}).Choose(context.Background(), &Candidates{Problem: s.Problem}); err == nil {
		t.Error("no member is a choice")
	}
}
