package multiview_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
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

// simple co-trains by the words of Blum and Mitchell, one thing at a time: of the things that a view looks at, and that
// it decides to be of a class, the clearest joins the labelled ones, of equals the first.
func simple(t *testing.T, s *multiview.Stacked, g kernel.Gram, p *learn.Problem, c multiview.CoTraining) (*mat.Dense, int) {
	t.Helper()
	q := *p
	var order, pool []int
	if c.Pool > 0 {
		order = rand.New(rand.NewPCG(c.Seed, 0)).Perm(len(s.Copies))
	}
	for range c.Rounds {
		out := outputs(t, c.Learner, g, s.Problem(&q, nil), nil)
		decided := q.Coding.Decide(out)
		pool = slices.DeleteFunc(pool, func(i int) bool { return slices.Contains(q.Labelled, i) })
		for len(pool) < c.Pool && len(order) > 0 {
			if !slices.Contains(q.Labelled, order[0]) {
				pool = append(pool, order[0])
			}
			order = order[1:]
		}
		for v := range slices.Max(s.View) + 1 {
			for class, most := range c.Add {
				for range most {
					best, top := -1, math.Inf(-1)
					for r, i := range s.Thing {
						if s.View[r] != v || decided[r] != class || slices.Contains(q.Labelled, i) ||
							c.Pool > 0 && !slices.Contains(pool, i) {
							continue
						}
						rest := slices.Delete(slices.Clone(out.RawRowView(r)), class, class+1)
						if f := out.At(r, class) - slices.Max(rest); f > top {
							best, top = i, f
						}
					}
					if best >= 0 {
						q.Labelled, q.Class = append(slices.Clone(q.Labelled), best), append(slices.Clone(q.Class), class)
					}
				}
			}
		}
		q.Y = q.Coding.Code(q.Class)
	}
	return outputs(t, c.Learner, g, s.Problem(&q, nil), nil), len(q.Labelled)
}

// Three classes in three views, some of which are missing, are co-trained as the words say, whatever is looked at and
// however many join.
func TestCoTrainingOfThreeClasses(t *testing.T) {
	x, views := lacking()
	s := multiview.Stack(x, views)
	p := &learn.Problem{
		Rows: x, Task: data.Classification, Classes: []string{"a", "b", "c"}, Coding: learn.Coding{Classes: 3},
		Labelled: []int{0, 3, 4, 8, 11}, Class: []int{0, 1, 2, 1, 0},
	}
	p.Y = p.Coding.Code(p.Class)
	g, on := bind(t, several(3, 0), s.Rows), s.Problem(p, nil)
	for _, c := range []multiview.CoTraining{
		{Rounds: 1, Add: []int{1, 1, 1}},
		{Rounds: 2, Add: []int{2, 0, 1}},
		{Rounds: 9, Add: []int{1, 2, 1}}, // until nothing is left
		{Rounds: 3, Add: []int{1, 1, 1}, Pool: 4, Seed: 3},
		{Rounds: 5, Add: []int{1, 1, 1}, Pool: 3, Seed: 4},
		{Rounds: 4, Add: []int{2, 2, 2}, Pool: 13, Seed: 5},
	} {
		c.Learner, c.Stacked = rls.Learner{}, s
		want, labelled := simple(t, s, g, p, c)
		if got := outputs(t, c, g, on, nil); labelled == len(p.Labelled) || !mat.EqualApprox(got, want, 1e-10) {
			t.Errorf("%+v: %d things are labelled, the outputs differ from those by hand", c, labelled)
		}
	}
}

// A view in which nothing is labelled decides nothing, not even for things that another view has labelled meanwhile
// in the same round; then it learns from those.
func TestCoTrainingOfViewWithoutLabels(t *testing.T) {
	x, views := cloud(8, 2, 6)
	for _, i := range []int{0, 1} {
		x.Dense.Set(i, 2, math.NaN())
		x.Dense.Set(i, 3, math.NaN())
	}
	s := multiview.Stack(x, views)
	p := &learn.Problem{
		Rows: x, Task: data.Classification, Classes: []string{"a", "b"}, Coding: learn.Coding{Classes: 2}, Labelled: []int{0, 1},
		Class: []int{0, 1},
	}
	p.Y = p.Coding.Code(p.Class)
	g, on := bind(t, several(2, 0), s.Rows), s.Problem(p, nil)
	for rounds, silent := range map[int]bool{0: true, 1: false} {
		c := multiview.CoTraining{Learner: rls.Learner{}, Stacked: s, Rounds: rounds, Add: []int{1, 1}}
		out := outputs(t, c, g, on, nil)
		for r, v := range s.View {
			if zero := out.At(r, 0) == 0; zero != (silent && v == 1) {
				t.Errorf("after %d rounds the output of row %d, in view %d, is %g", rounds, r, v, out.At(r, 0))
			}
		}
	}
}

// What the views' machines cost and how exactly they are solved is joined.
func TestCoTrainingCertificate(t *testing.T) {
	s, g, p, _ := apart(t)
	c := multiview.CoTraining{Learner: counting{rls.Learner{}}, Stacked: s, Add: []int{1, 1}}
	trainer, err := c.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(t.Context(), nil, []float64{0.1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Certificate.Steps != 14 || m.Certificate.Residual != 7 {
		t.Errorf("of two machines of 7 steps each it says %+v", m.Certificate)
	}
}

// counting claims seven steps and a residual of seven.
type counting struct{ learn.Learner }

func (c counting) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	t, err := c.Learner.Bind(ctx, g, p)
	return counted{t}, err
}

type counted struct{ learn.Trainer }

func (c counted) Train(ctx context.Context, rows []int, theta []float64, from *learn.Machine) (*learn.Machine, error) {
	m, err := c.Trainer.Train(ctx, rows, theta, from)
	m.Certificate.Steps, m.Certificate.Residual = 7, 7
	return m, err
}

// Of things that a view decides as clearly, those of the first rows join.
func TestCoTrainingOfEquals(t *testing.T) {
	x, views := cloud(9, 2, 4)
	for i := 5; i < 9; i++ { // things 4 to 8 are alike in the first view
		copy(x.Dense.RawRowView(i)[:2], x.Dense.RawRowView(4)[:2])
	}
	for i := 1; i < 9; i++ { // and only the first thing has the second
		x.Dense.Set(i, 2, math.NaN())
		x.Dense.Set(i, 3, math.NaN())
	}
	s := multiview.Stack(x, views)
	p := &learn.Problem{
		Rows: x, Task: data.Classification, Classes: []string{"a", "b"}, Coding: learn.Coding{Classes: 2},
		Labelled: []int{0, 1, 2, 3}, Class: []int{0, 1, 0, 1},
	}
	p.Y = p.Coding.Code(p.Class)
	g := bind(t, several(2, 0), s.Rows)
	c := multiview.CoTraining{Learner: rls.Learner{}, Stacked: s, Rounds: 1, Add: []int{2, 2}}
	trainer, err := c.Bind(t.Context(), g, s.Problem(p, nil))
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(t.Context(), nil, []float64{0.1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := slices.DeleteFunc(slices.Clone(m.Rows), func(r int) bool { return r > 8 })
	if !slices.Equal(rows, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("the first view is trained on rows %v", rows)
	}
}

// A view labels no row of which it knows nothing, as one that is like none with a label: rounds then change nothing.
func TestCoTrainingOfRowsUnlikeAny(t *testing.T) {
	x, views := cloud(8, 2, 6)
	for i := 2; i < 8; i++ {
		clear(x.Dense.RawRowView(i))
	}
	s := multiview.Stack(x, views)
	p := &learn.Problem{
		Rows: x, Task: data.Classification, Classes: []string{"a", "b"}, Coding: learn.Coding{Classes: 2}, Labelled: []int{0, 1},
		Class: []int{0, 1},
	}
	p.Y = p.Coding.Code(p.Class)
	k := multiview.Coupled{Names: []string{"one", "two"}, Kernels: []kernel.Kernel{kernel.Linear{}, kernel.Linear{}}}
	trainer, err := multiview.CoTraining{Learner: rls.Learner{}, Stacked: s, Rounds: 5, Add: []int{1, 1}}.Bind(t.Context(), bind(t, k, s.Rows),
		s.Problem(p, nil))
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(t.Context(), nil, []float64{0.1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range m.Rows {
		if thing := s.Thing[r]; thing > 1 {
			t.Errorf("thing %d, of which nothing is known, was learned from", thing)
		}
	}
}
