package multiview_test

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/multiview"
	"github.com/mercer-ml/mercer/rls"
)

// apart are the golden rows as two classes, with the kernel of views that are not coupled.
func apart(t *testing.T) (*multiview.Stacked, kernel.Gram, *learn.Problem, *learn.Problem) {
	t.Helper()
	x, views, p := golden()
	p.Task, p.Classes, p.Coding, p.Class = data.Classification, []string{"a", "b"}, learn.Coding{Classes: 2}, []int{1, 0, 1, 0}
	s := multiview.Stack(x, views)
	k := multiview.Coupled{Names: []string{"one", "two"}, Kernels: []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Gaussian{Sigma: 1}}}
	return s, bind(t, k, s.Rows), s.Problem(p, nil), p
}

// outputs are those of a trained machine on all stacked rows.
func outputs(t *testing.T, l learn.Learner, g kernel.Gram, p *learn.Problem, rows []int) *mat.Dense {
	t.Helper()
	trainer, err := l.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(t.Context(), rows, []float64{0.1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := mat.NewDense(g.Len(), p.Outputs(), nil)
	if err := m.Evaluate(t.Context(), out, g, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// Without rounds, and where nothing is to be moved, co-training is the views' learner.
func TestCoTrainingWithoutRounds(t *testing.T) {
	s, g, p, _ := apart(t)
	for _, c := range []multiview.CoTraining{{Add: []int{1, 1}}, {Add: []int{0, 0}, Rounds: 3}} {
		c.Learner, c.Stacked = rls.Learner{}, s
		for _, rows := range [][]int{nil, {0, 1, 4, 5}} { // both descriptions of two things
			a, b := outputs(t, c, g, p, rows), outputs(t, c.Learner, g, p, rows)
			if !mat.EqualApprox(a, b, 1e-12) {
				t.Errorf("%+v, rows %v: outputs differ from supervised ones", c, rows)
			}
		}
	}
}

// Each round is what its words say, done by hand.
func TestCoTrainingByHand(t *testing.T) {
	s, g, on, p := apart(t)
	const rounds = 3
	add := []int{2, 1}
	q := *p
	for range rounds {
		out := outputs(t, rls.Learner{}, g, s.Problem(&q, nil), nil)
		for v := range 2 {
			for class := range 2 {
				for range add[class] {
					best, top := -1, 0.0
					for r, i := range s.Thing {
						f := out.At(r, 0) * float64(2*class-1)
						if s.View[r] == v && !slices.Contains(q.Labelled, i) && f > top {
							best, top = i, f
						}
					}
					if best < 0 {
						continue
					}
					q.Labelled, q.Class = append(slices.Clone(q.Labelled), best), append(slices.Clone(q.Class), class)
				}
			}
		}
		q.Y = q.Coding.Code(q.Class)
	}
	want := outputs(t, rls.Learner{}, g, s.Problem(&q, nil), nil)
	got := outputs(t, multiview.CoTraining{Learner: rls.Learner{}, Stacked: s, Rounds: rounds, Add: add}, g, on, nil)
	if len(q.Labelled) < 8 || !mat.EqualApprox(got, want, 1e-10) {
		t.Errorf("%d things in the pool; the outputs differ from those by "+
			"hand:\n%v\n%v", len(q.Labelled), mat.Formatted(got.T()), mat.Formatted(want.T()))
	}
}

// A pool of all rows is no pool, a small one changes what is labelled, and a draw is repeated by its seed.
func TestCoTrainingPool(t *testing.T) {
	s, g, p, _ := apart(t)
	c := multiview.CoTraining{Learner: rls.Learner{}, Stacked: s, Rounds: 2, Add: []int{1, 1}, Seed: 1}
	all := outputs(t, c, g, p, nil)
	for pool, same := range map[int]bool{12: true, 2: false} {
		c.Pool = pool
		got := outputs(t, c, g, p, nil)
		if mat.Equal(got, all) != same {
			t.Errorf("with a pool of %d of 8 unlabelled rows the outputs are the same: %v", pool, !same)
		}
		if !mat.Equal(got, outputs(t, c, g, p, nil)) {
			t.Errorf("with a pool of %d the same seed gives other outputs", pool)
		}
	}
}
