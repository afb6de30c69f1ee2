package design

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// moons is a bench on the two moons, every n-th row labelled, and a plan of machines without a graph or with.
func moons(t *testing.T, every int, l learn.Learner, graphs bool) (*Bench, []*choose.Candidate) {
	t.Helper()
	set, err := data.Builtin("two-moons:n=40,noise=0.1,seed=3")
	if err != nil {
		t.Fatal(err)
	}
	for i := range set.Answers {
		if i%every > 0 {
			set.Answers[i] = ""
		}
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := learn.NewProblem(set.Rows, labels)
	base := kernel.Gaussian{Sigma: 0.5}
	d := Design{Rows: 40, Base: base, Linear: true}
	plan := d.Supervised("rls")
	if graphs {
		d.Graph.Neighbours, d.Graph.Degree = 6, 2
		plan = append(d.Graphs("lap-rls")[:2], plan...)
	}
	return &Bench{Score: score.LeaveOut{Kernel: base, Problem: p, Criterion: score.LogLoss{}, Folds: [][]int{{0, 1}, {2, 3}}},
		Learner: l, Longest: 8}, plan
}

// A bench ends with the error of its context wherever that is asked.
func TestBenchStopped(t *testing.T) {
	for name, c := range map[string]struct {
		learner learn.Learner
		graphs  bool
	}{
		"rls":          {nil, false},
		"lap-rls":      {nil, true},
		"logistic":     {smooth.Learner{Loss: learn.Logistic()}, false},
		"lap-logistic": {smooth.Learner{Loss: learn.Logistic()}, true},
	} {
		t.Run(name, func(t *testing.T) {
			stoptest.Everywhere(t, func(ctx context.Context) error {
				b, plan := moons(t, 4, c.learner, c.graphs)
				s, err := b.Run(ctx, plan)
				if err == nil && s.Tuning.Status != "complete" {
					return context.Canceled // it says so
				}
				return err
			})
		})
	}
}

// ending is a context that ends when it is told to.
type ending struct {
	context.Context
	over bool
}

func (e *ending) Err() error {
	if e.over {
		return context.Canceled
	}
	return nil
}

// The linear machine is trained first, is what remains of a bench that ends then, and has its
// place among the candidates; where columns are not fewer than labelled rows, or a graph is asked for, it waits.
func TestBenchTrainsTheCheapFirst(t *testing.T) {
	for name, c := range map[string]struct {
		every   int
		learner learn.Learner
		graphs  bool
		first   int // in the plan
	}{
		"rls":      {4, nil, false, 5},
		"logistic": {4, smooth.Learner{Loss: learn.Logistic()}, false, 5},
		"svm":      {4, svm.Classifier{}, false, 0},
		"graph":    {4, nil, true, 0},
	} {
		b, plan := moons(t, c.every, c.learner, c.graphs)
		want := slices.Clone(plan)
		ctx := &ending{Context: t.Context()}
		var told []*choose.Candidate
		b.Trained = func(one *choose.Candidate) { told = append(told, one); ctx.over = true }
		s, err := b.Run(ctx, plan)
		if err != nil || len(s.Members) != 1 || len(told) != 1 || told[0] != want[c.first] || s.Members[0] != want[c.first] {
			t.Errorf("%s: %d members after one training, %v", name, len(s.Members), err)
		}
		b, plan = moons(t, c.every, c.learner, c.graphs)
		if s, err = b.Run(t.Context(), plan); err != nil || !slices.Equal(s.Members, plan) {
			t.Errorf("%s: the candidates are not in the order of the plan, %v", name, err)
		}
		b, plan = moons(t, c.every, c.learner, c.graphs)
		b.Budget = 3
		if s, err = b.Run(t.Context(), plan); err != nil || !slices.Equal(s.Members, plan[:3]) || s.Tuning.Status != "budget spent" {
			t.Errorf("%s: a budget of 3 trains others than the first 3, %v", name, err)
		}
	}
}

// One fixed machine ends with the error of its context too.
func TestFixedStopped(t *testing.T) {
	stoptest.Everywhere(t, func(ctx context.Context) error {
		b, _ := moons(t, 4, nil, false)
		_, err := Fixed(ctx, &b.Score, []float64{0.5, 0.1})
		return err
	})
	stoptest.Everywhere(t, func(ctx context.Context) error {
		b, _ := moons(t, 4, nil, false)
		s := &score.Refit{Kernel: b.Score.Kernel, Learner: smooth.Learner{Loss: learn.Logistic()}, Problem: b.Score.Problem,
			Criterion: score.LogLoss{}, Folds: b.Score.Folds}
		_, err := FixedLearner(ctx, s, []float64{0.5, 1})
		return err
	})
	// What was computed before the context ended is no answer.
	b, _ := moons(t, 4, nil, false)
	ctx := &ending{t.Context(), true}
	if _, err := Fixed(ctx, &b.Score, []float64{0.5, 0.1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled machine: %v", err)
	}
}

// cutShort is a learner that is cut short: the context ends during its n-th training on all rows, and it gives the
// machine it has.
type cutShort struct {
	smooth.Learner
	ctx *ending
	n   *int
}

func (cutShort) Anytime() {}

func (l cutShort) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	t, err := l.Learner.Bind(ctx, g, p)
	return cutTrainer{t, l}, err
}

type cutTrainer struct {
	learn.Trainer
	l cutShort
}

func (t cutTrainer) Train(ctx context.Context, rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error) {
	m, err := t.Trainer.Train(ctx, rows, theta, warm)
	if err == nil && rows == nil {
		if *t.l.n--; *t.l.n == 0 {
			t.l.ctx.over, m.Certificate.Limited = true, "cut short"
		}
	}
	return m, err
}

// A machine that the end of the context cuts short is the answer where there is no other, with what ended it.
func TestBenchKeepsWhatWasCutShort(t *testing.T) {
	for _, crew := range []result.Crew{nil, doing{}, doing{apart: true}} {
		for _, n := range []int{1, 2} {
			ctx := &ending{Context: t.Context()}
			left := n
			b, plan := moons(t, 4, cutShort{smooth.Learner{Loss: learn.Logistic()}, ctx, &left}, false)
			b.Crew = crew
			s, err := b.Run(ctx, plan)
			if err != nil || len(s.Members) != 1 || s.Tuning.Status != "interrupted" {
				t.Fatalf("cut short at training %d: %d members, %v", n, len(s.Members), err)
			}
			m := s.Members[0].Machine
			if cut := m.Certificate.Limited != ""; cut != (n == 1) || m.Outputs == nil {
				t.Errorf("cut short at training %d: the machine kept was cut short: %v", n, cut)
			}
		}
	}
}
