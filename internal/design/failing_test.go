package design

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// calls counts what is asked of a kernel, and makes one of them fail, or all from it on.
type calls struct {
	n, fails int
	on       bool
}

func (c *calls) next() error {
	if c.n++; c.n == c.fails || c.on && c.n > c.fails {
		return errOther
	}
	return nil
}

// breaking is a Gaussian that fails at one of its calls.
type breaking struct {
	kernel.Gaussian
	calls *calls
	with  bool // With counts too
}

func (b breaking) With(theta []float64) (kernel.Kernel, error) {
	if b.with {
		if err := b.calls.next(); err != nil {
			return nil, err
		}
	}
	k, err := b.Gaussian.With(theta)
	if err == nil {
		b.Gaussian = k.(kernel.Gaussian)
	}
	return b, err
}

func (b breaking) Bind(ctx context.Context, train data.Rows, _ *kernel.Work) (kernel.Gram, error) {
	if err := b.calls.next(); err != nil {
		return nil, err
	}
	g, err := b.Gaussian.Bind(ctx, train, nil)
	return breakingGram{g, b.calls}, err
}

type breakingGram struct {
	kernel.Gram
	calls *calls
}

func (g breakingGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if err := g.calls.next(); err != nil {
		return err
	}
	return g.Gram.Cross(dst, x, j)
}

func (g breakingGram) Expand(alpha *mat.Dense, j []int) ([]kernel.Expansion, error) {
	if err := g.calls.next(); err != nil {
		return nil, err
	}
	return g.Gram.Expand(alpha, j)
}

func (breakingGram) Semidefinite() bool { return true }

// blobs is a problem of two classes about two points.
func blobs(n int) *learn.Problem {
	draw := rand.New(rand.NewPCG(8, 1))
	x := mat.NewDense(n, 2, nil)
	l := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, n)}
	for i := range n {
		l.Class[i] = i % 2
		x.SetRow(i, []float64{draw.NormFloat64(), 2*float64(i%2) + draw.NormFloat64()})
	}
	return learn.NewProblem(data.Rows{Dense: x}, l)
}

// Whatever of a kernel fails ends a bench, a fixed machine and a race with that failure.
func TestFailuresOfKernels(t *testing.T) {
	squares := func(c *calls, r Race) error {
		var list []*Entrant
		for _, sigma := range []float64{1, 0.1} {
			list = append(list, &Entrant{Method: "rls", Kernel: breaking{kernel.Gaussian{Sigma: sigma}, c, false}, Offset: true})
		}
		r.Problem, r.First = blobs(90), 30
		_, err := r.Run(context.Background(), list)
		return err
	}
	for name, run := range map[string]func(c *calls) error{
		"plan": func(c *calls) error {
			b, _ := moons(t, 4, nil, false)
			b.Score.Folds, b.Views, b.Score.Kernel = nil, [][2]int{{0, 1}, {1, 2}}, breaking{kernel.Gaussian{Sigma: 0.5}, c, true}
			_, err := b.Run(t.Context(), graphs())
			return err
		},
		"plan on landmarks": func(c *calls) error {
			b, _ := moons(t, 4, nil, false)
			b.Score.Folds, b.Views, b.Score.Kernel = nil, [][2]int{{0, 1}, {1, 2}}, breaking{kernel.Gaussian{Sigma: 0.5}, c, true}
			b.Landmarks = &kernel.Landmarks{Count: 10, Choice: kernel.PlusPlus}
			_, err := b.Run(t.Context(), graphs())
			return err
		},
		"learner": func(c *calls) error {
			b, _ := moons(t, 4, smooth.Learner{Loss: learn.Logistic()}, false)
			b.Score.Kernel = breaking{kernel.Gaussian{Sigma: 0.5}, c, true}
			_, err := b.Run(t.Context(), []*choose.Candidate{{Width: 2}})
			return err
		},
		"fixed": func(c *calls) error {
			b, _ := moons(t, 4, nil, false)
			b.Score.Kernel = breaking{kernel.Gaussian{Sigma: 0.5}, c, true}
			_, err := Fixed(t.Context(), &b.Score, []float64{0.5, 0.1})
			return err
		},
		"fixed learner": func(c *calls) error {
			b, _ := moons(t, 4, nil, false)
			s := &score.Refit{Kernel: breaking{kernel.Gaussian{Sigma: 0.5}, c, true}, Learner: smooth.Learner{Loss: learn.Logistic()},
				Problem: b.Score.Problem, Criterion: score.LogLoss{}, Folds: b.Score.Folds}
			_, err := FixedLearner(t.Context(), s, []float64{0.5, 1})
			return err
		},
		"race":              func(c *calls) error { return squares(c, Race{}) },
		"race on landmarks": func(c *calls) error { return squares(c, Race{Exact: 20, Landmarks: Landmarks{Most: 10, Flops: 1e9}}) },
		"race and beyond": func(c *calls) error {
			return squares(c, Race{Last: 40, Exact: 20, Landmarks: Landmarks{Most: 10, Flops: 1e9}})
		},
		"race of machines": func(c *calls) error {
			var list []*Entrant
			for _, sigma := range []float64{1, 0.1} {
				list = append(list, &Entrant{Method: "logistic", Kernel: breaking{kernel.Gaussian{Sigma: sigma}, c, false},
					Learner: smooth.Learner{Loss: learn.Logistic()}, Theta: []float64{1}})
			}
			_, err := (&Race{Problem: blobs(90), First: 30}).Run(context.Background(), list)
			return err
		},
		"race of a crew": func(c *calls) error { return squares(c, Race{Crew: result.Crew(doing{})}) },
	} {
		whole := &calls{}
		if err := run(whole); err != nil || whole.n < 2 {
			t.Errorf("%s: %d calls, %v", name, whole.n, err)
			continue
		}
		again := 0
		for i := range whole.n {
			err := run(&calls{fails: i + 1})
			if err == nil { // the training of the winner of the round before, which is done again if it wins again
				again++
				err = run(&calls{fails: i + 1, on: true})
			}
			if !errors.Is(err, errOther) {
				t.Errorf("%s: a failure at call %d of %d gives %v", name, i+1, whole.n, err)
			}
		}
		want := map[string]int{"race": 1, "race on landmarks": 1, "race and beyond": 2, "race of machines": 1}[name]
		if again != want {
			t.Errorf("%s: after %d failures a machine was trained again, not %d", name, again, want)
		}
	}
}

// A kernel that fails while a crew trains a candidate, or where its machine comes back, ends the bench.
func TestFailuresOfKernelsOfCrews(t *testing.T) {
	run := func(c *calls) error {
		b, _ := moons(t, 4, nil, false)
		b.Score.Folds, b.Score.Kernel, b.Crew = nil, breaking{kernel.Gaussian{Sigma: 0.5}, c, true}, doing{}
		_, err := b.Run(t.Context(), []*choose.Candidate{{Width: 2}, {Width: 3}})
		return err
	}
	whole := &calls{}
	if err := run(whole); err != nil || whole.n < 4 {
		t.Fatalf("%d calls, %v", whole.n, err)
	}
	for i := range whole.n {
		if err := run(&calls{fails: i + 1}); !errors.Is(err, errOther) {
			t.Errorf("a failure at call %d of %d gives %v", i+1, whole.n, err)
		}
	}
}
