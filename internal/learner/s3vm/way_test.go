package s3vm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/learn"
)

// Every algorithm ends where it ended before, after as many steps, and says the same of it.
func TestWayOfAlgorithms(t *testing.T) {
	var path pathtest.Path
	for _, s := range []Solver{
		Switching{}, Switching{Loss: learn.SquaredHinge(), Switches: 3}, Concave{Clip: -0.3}, Concave{Decisions: true},
		Annealing{}, Annealing{Loss: learn.Square()}, Annealing{Loss: learn.Hinge()}, Annealing{Temperature: 0.3},
		Annealing{Loss: learn.Hinge(), Temperature: 2},
		Gradient{}, Gradient{Decisions: true}, Gradient{Tolerance: 1e-2}, Continuation{}, Continuation{Decisions: true},
		Branch{}, Branch{DepthFirst: true}, Branch{Nodes: 1}, Branch{Nodes: 6, DepthFirst: true}, Branch{Loss: learn.Hinge()},
		Branch{Loss: learn.Hinge(), Nodes: 6}, Branch{Nodes: 2, Gap: 0.05, Seeds: []Solver{Switching{Loss: learn.SquaredHinge()}}},
	} {
		for seed := range uint64(3) {
			p := clouds(26, 5, 40+seed, seed != 1)
			p.C, p.Unlabelled = []float64{1, 8, 60}[seed], []float64{1, 0.5, 3}[seed]
			a, err := s.Solve(t.Context(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := a.Certificate
			path.Add(fmt.Sprintf("%T %+v, problem %d", s, s, seed), c.Objective, c.Steps, c.Gap, c.Limited)
		}
	}
	path.Compare(t, "algorithms")
}

// The rows that join and leave the factor of Newton's method, and when it is computed as a whole, are those that were.
func TestWayOfNewton(t *testing.T) {
	var path pathtest.Path
	rnd := rand.New(rand.NewPCG(11, 2))
	const n = 90
	for _, offset := range []bool{false, true} {
		p := &Problem{K: gaussian(cloud(rnd, n), 0.7), Offset: offset}
		m := newWeighted(p, learn.SquaredHinge())
		for i := range n {
			m.label(i, float64(1-2*(i%2)), 5)
		}
		for step := range 25 {
			for range 1 + step%6 {
				i := rnd.IntN(n)
				m.label(i, float64(2*rnd.IntN(2)-1), 5*float64(rnd.IntN(3)))
			}
			if err := m.train(t.Context()); err != nil {
				t.Fatal(err)
			}
			path.Add(
				fmt.Sprintf("offset %v, %d", offset, step),
				m.objective(),
				m.at.b,
				m.steps,
				len(m.newton.active),
				m.newton.met,
				m.newton.active,
			)
		}
	}
	path.Compare(t, "newton")
}

// What a row gains at least by either label, and the children of a node, are what they were.
func TestWayOfBounds(t *testing.T) {
	var path pathtest.Path
	for _, v := range []learn.Loss{learn.SquaredHinge(), learn.Hinge()} {
		for seed := range uint64(4) {
			p := clouds(30, 4, 70+seed, seed%2 == 1)
			p.C, p.Unlabelled = []float64{2, 30, 400, 0.3}[seed], 1
			tr := newTree(Branch{Loss: v}, p)
			q := tr.slots[0]
			q.label = make([]int8, len(tr.rows))
			for j := range q.label {
				if j%3 == 0 {
					q.label[j] = int8(1 - 2*(j/3%2))
				}
			}
			if _, err := q.train(t.Context()); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s, problem %d", v.Name(), seed)
			q.gains.compute(q.label)
			plus, minus := tr.remaining(q.label)
			path.Add(name, q.gains.base, q.gains.least(q.label, plus, minus), plus, minus)
			path.Add(name+", up", q.gains.up)
			path.Add(name+", down", q.gains.down)
			for _, c := range q.split(1.5) {
				path.Add(name+", child", c.bound, fmt.Sprint(c.label))
			}
			q.gains.estimate(q.label)
			path.Add(name+", estimated up", q.gains.up)
			path.Add(name+", estimated down", q.gains.down)
			q.surest()
			path.Add(name+", surest", fmt.Sprint(q.label))
		}
	}
	path.Compare(t, "bounds")
}

// The stages of the continuation, and the start that a schedule takes, are those that were.
func TestWayOfDescent(t *testing.T) {
	var path pathtest.Path
	for _, offset := range []bool{false, true} {
		p := small(t, offset)
		d, err := newDescent(t.Context(), nil, p)
		if err != nil {
			t.Fatal(err)
		}
		stages, err := d.widths(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range stages {
			path.Add(fmt.Sprintf("offset %v, stage %d", offset, i), s.weight, s.width)
		}
		for _, s := range []Solver{Gradient{}, Gradient{Decisions: true}, Continuation{}, Continuation{Decisions: true}} {
			cold, err := s.Solve(t.Context(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			near := *p
			near.C *= 1.05
			warm, err := s.Solve(t.Context(), &near, &cold)
			if err != nil {
				t.Fatal(err)
			}
			path.Add(
				fmt.Sprintf("offset %v, %T %+v", offset, s, s),
				cold.Certificate.Objective,
				cold.Certificate.Steps,
				cold.Certificate.Limited,
				warm.Certificate.Objective,
				warm.Certificate.Steps,
				warm.Certificate.Limited,
			)
		}
	}
	path.Compare(t, "descent")
}

// The steps of an f-step, from zero and from what other labels left, are as many as they were.
func TestWayOfSteps(t *testing.T) {
	var path pathtest.Path
	for _, v := range losses() {
		for _, c := range []float64{0.1, 5, 800} {
			for _, offset := range []bool{false, true} {
				p := clouds(60, 8, 21, offset)
				p.C = c
				s := newSystem(p)
				step, err := newStep(t.Context(), s, p.Labelled(), v)
				if err != nil {
					t.Fatal(err)
				}
				at, steps := newFunction(60), []int(nil)
				for turn, tolerance := range []float64{1e-3, 1e-6, 1e-6, 1e-6} {
					n, err := step.minimise(t.Context(), at, means(p, uint64(turn/2)), tolerance, []float64{0, 0, 0.1, 0}[turn])
					if err != nil {
						t.Fatal(err)
					}
					steps = append(steps, n)
				}
				path.Add(fmt.Sprintf("%s, C %g, offset %v", v.Name(), c, offset), steps, s.value(v, at, means(p, 1)), step.limited())
			}
		}
	}
	// All rows but one are one point.
	p := clouds(20, 4, 5, true)
	p.K = mat.NewDense(20, 20, nil)
	p.K.Apply(func(i, j int, _ float64) float64 {
		if i == 7 || j == 7 {
			return 0.5
		}
		return 1
	}, p.K)
	a, err := Annealing{}.Solve(t.Context(), p, nil)
	path.Add("one point", a.Certificate.Objective, a.Certificate.Steps, a.Certificate.Limited, err)
	path.Compare(t, "steps")
}
