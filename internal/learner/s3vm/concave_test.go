package s3vm

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/learn"
)

// For each mean the objective falls, the mean is kept, and the function on K is that on the kernel with the
// constraint.
func TestConcaveDescends(t *testing.T) {
	longest := 0
	for try := range 8 {
		p := clouds(40, 6, uint64(try), try%2 == 0)
		c := &clipped{Concave: Concave{Clip: []float64{0, -0.4}[try/2%2]}, problem: p, costs: p.Costs(),
			free: newWeighted(p, learn.Hinge())}
		if err := c.supervised(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := c.constrain(); err != nil {
			t.Fatal(err)
		}
		for _, m := range []float64{-0.5, 0, 0.7} {
			objectives, err := c.descend(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			longest = max(longest, len(objectives))
			for i, o := range objectives[1:] {
				if o > objectives[i]*(1+1e-5) {
					t.Errorf("problem %d, mean %g: objectives %v", try, m, objectives)
				}
			}
			var mean float64
			for _, j := range c.unlabelled() {
				mean += c.tied.at.f[j] / 34
			}
			if math.Abs(mean-m) > 1e-9 {
				t.Errorf("problem %d: mean %g, want %g", try, mean, m)
			}
			c.untie(m)
			if !floats.EqualApprox(c.free.at.f, c.tied.at.f, 1e-9) {
				t.Errorf("problem %d, mean %g: outputs %v and %v", try, m, c.free.at.f, c.tied.at.f)
			}
			norm := c.free.at.norm() / 2
			sum := norm
			for i, r := range p.Rows {
				f := c.free.at.f[r]
				switch {
				case i < 6:
					sum += c.costs[i] * max(0, 1-p.Y[i]*f)
				default: // for s = 0 the cheaper label; else flat where |f| < -s
					sum += c.costs[i] * max(0, 1-max(math.Abs(f), -c.Clip))
				}
			}
			if last := objectives[len(objectives)-1]; math.Abs(sum-last) > 1e-9*sum {
				t.Errorf("problem %d, mean %g: objective %g, by its formula %g", try, m, last, sum)
			}
		}
	}
	if longest < 4 {
		t.Errorf("at most %d tangents", longest)
	}
}

// As many rows have positive outputs as were asked for, or one more or less where the labels of two change at once
// with the mean.
func TestConcaveBalance(t *testing.T) {
	kept := 0
	for try := range 10 {
		p := clouds(40, 6, uint64(try), try%2 == 0)
		s, err := Concave{Decisions: true}.Solve(t.Context(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		plus := 0
		for _, f := range s.Fitted[6:] {
			if f >= 0 {
				plus++
			}
		}
		off := max(plus-p.Count(), p.Count()-plus)
		if off > 1 || (off == 0) != (s.Certificate.Limited == "") {
			t.Errorf("problem %d: %d rows are positive, want %d: %q", try, plus, p.Count(), s.Certificate.Limited)
		}
		if off == 0 {
			kept++
		}
	}
	if kept < 7 {
		t.Errorf("the balance was kept %d times of 10", kept)
	}
}

// Without unlabelled rows every algorithm is the machine of the labels.
func TestNothingUnlabelled(t *testing.T) {
	p := clouds(20, 20, 1, true)
	for _, v := range []learn.Loss{learn.Hinge(), learn.SquaredHinge()} {
		m := newWeighted(p, v)
		m.tolerance = 1e-6
		for i, y := range p.Y {
			m.label(p.Rows[i], y, p.Costs()[i])
		}
		if err := m.train(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := m.objective()
		solvers := []Solver{Switching{Loss: v, Tolerance: 1e-6}, Branch{Loss: v, Seeds: []Solver{Switching{}}}}
		if v == learn.Hinge() {
			solvers = append(solvers, Concave{Tolerance: 1e-6})
		}
		for q, solver := range solvers {
			s, err := solver.Solve(t.Context(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Certificate.Objective; math.Abs(got-want) > 1e-6*want || s.Certificate.Limited != "" {
				t.Errorf("%s, solver %d: objective %g, want %g; %s", v.Name(), q, got, want, s.Certificate.Limited)
			}
		}
	}
}
