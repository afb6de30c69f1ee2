package reproduce

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
)

// The figures on two moons beside two lines: one label a class, drawn at random; the source prints no number.

var moonsLinesViews = [][]int{{0, 1}, {2, 3}}

var moonsLinesNames = [2]string{"moons", "lines"}

// drawnToys are a built-in set with one label a class, a draw a run.
func (l *lab) drawnToys(spec string) ([]*toy, error) {
	set, err := data.Builtin(spec)
	if err != nil {
		return nil, err
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		return nil, err
	}
	var list []*toy
	for run := range l.runs {
		keep, err := data.DrawPerClass(labels, 1, l.seed+uint64(run)) //nolint:gosec // a number of runs
		if err != nil {
			return nil, err
		}
		t, err := labelToy(set, keep)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// machine42 is a machine on the stacked rows.
type machine42 struct {
	name     string
	coupling float64
	rounds   int
}

// The recipe: gamma_1 = gamma_2 = 0.01, gamma_C = 10, mu = 1, sigma 0.35 of the moons.
const (
	norm42  = 0.01
	sigma42 = 0.35
)

var machines42 = []machine42{{name: "RLS"}, {name: "Co-trained RLS", rounds: 1}, {name: "Co-RLS", coupling: 10}}

// kernel is that of both views with the weights of their norms in it, so that the ridge is l.
func (m machine42) kernel() multiview.Coupled {
	return multiview.Coupled{Names: moonsLinesNames[:], Coupling: m.coupling, Kernels: []kernel.Kernel{
		kernel.Scaled{Weight: 1 / norm42, Base: kernel.Gaussian{Sigma: sigma42}}, kernel.Scaled{Weight: 1 / norm42, Base: kernel.Linear{}},
	}}
}

// sindhwaniF42 is co-regularisation against co-training and each view alone.
func sindhwaniF42(ctx context.Context, l *lab) error {
	toys, err := l.drawnToys("moons-lines")
	if err != nil {
		return err
	}
	var pictures [2]*Figure
	for run, t := range toys {
		s := multiview.Stack(t.problem.Rows, moonsLinesViews)
		for _, m := range machines42 {
			g, trained, err := t.trained42(ctx, s, m)
			if err != nil {
				return err
			}
			out := mat.NewDense(s.Rows.Len(), 1, nil)
			if err := trained.Evaluate(ctx, out, g, nil); err != nil {
				return err
			}
			for v, view := range moonsLinesNames {
				own := mat.NewDense(len(t.class), 1, nil)
				for i, copies := range s.Copies {
					own.Set(i, 0, out.At(copies[v], 0))
				}
				l.add(m.name+", "+view, unlabelledError, t.wrong(own))
				if run > 0 {
					continue // the pictures are of one draw
				}
				if pictures[v] == nil {
					shown := toy{problem: &learn.Problem{Rows: t.problem.Rows.SelectColumns(moonsLinesViews[v]), Labelled: t.problem.Labelled},
						class: t.class}
					pictures[v] = shown.picture(view, "Boundaries in the view of the "+view)
				}
				level, err := t.boundary42(ctx, m.name, g, trained, v)
				if err != nil {
					return err
				}
				pictures[v].Levels = append(pictures[v].Levels, level)
			}
		}
	}
	l.draw(*pictures[0])
	l.draw(*pictures[1])
	return nil
}

// trained42 trains a machine on the rows of both views.
func (t *toy) trained42(ctx context.Context, s *multiview.Stacked, m machine42) (kernel.Gram, *learn.Machine, error) {
	g, err := m.kernel().Bind(ctx, s.Rows, nil)
	if err != nil {
		return nil, nil, err
	}
	trainer, err := multiview.CoTraining{Learner: rls.Learner{}, Stacked: s, Rounds: m.rounds, Add: []int{1, 1}}.
		Bind(ctx, g, s.Problem(t.problem, nil))
	if err != nil {
		return nil, nil, err
	}
	trained, err := trainer.Train(ctx, nil, []float64{float64(len(t.problem.Labelled))}, nil)
	return g, trained, err
}

// boundary42 is the line in the plane of a view on which its function is undecided.
func (t *toy) boundary42(ctx context.Context, name string, g kernel.Gram, m *learn.Machine, view int) (Level, error) {
	p := around(t.problem.Rows.SelectColumns(moonsLinesViews[view]))
	n := p.rows.Len()
	at := mat.NewDense(n, 3+1, nil) // stacked rows: a column a view, and the features
	for i := range n {
		at.Set(i, view, 1)
		at.Set(i, 2, p.rows.Dense.At(i, 0))
		at.Set(i, 3, p.rows.Dense.At(i, 1))
	}
	out := mat.NewDense(n, 1, nil)
	if err := m.Predict(ctx, out, g, data.Rows{Dense: at}); err != nil {
		return Level{}, err
	}
	return p.level(name, out, 0), nil
}

// The recipe of joint graphs: gamma_A = 1e-6, gamma_I = 1 without 1/(l+u)^2, ten neighbours, sigma 0.2.
const (
	ridge43 = 2e-6 // l gamma_A
	ratio43 = 1e6
	sigma43 = 0.2
)

// sindhwaniF43 is the joint Laplacian on moons that noise has run into each other.
func sindhwaniF43(ctx context.Context, l *lab) error {
	shares := thin(ctx, "a_L", 1, []float64{0.5, 0.8, 0.9, 1})
	for _, blur := range []float64{0, 0.25} {
		toys, err := l.drawnToys(fmt.Sprintf("moons-lines:noise=0.05,blur=%g", blur))
		if err != nil {
			return err
		}
		if blur == 0 {
			for v, view := range moonsLinesNames {
				if err := l.joint43(ctx, toys, v, float64(v), "clean "+view, nil); err != nil {
					return err
				}
			}
			continue
		}
		picture := new(Figure)
		if err := l.joint43(ctx, toys, 0, 0, "noisy moons", picture); err != nil {
			return err
		}
		for _, share := range shares {
			if err := l.joint43(ctx, toys, 0, share, fmt.Sprintf("noisy moons, a_L %g", share), picture); err != nil {
				return err
			}
		}
		l.draw(*picture)
	}
	return nil
}

// joint43 trains in a view along the graphs of both, of which that of the lines has a share.
func (l *lab) joint43(ctx context.Context, toys []*toy, view int, share float64, name string, picture *Figure) error {
	l.say("%s", name)
	first := *toys[0]
	n := first.problem.Rows.Len()
	sum := mat.NewDense(n, n, nil)
	for v, weight := range []float64{1 - share, share} {
		g, err := graph.Recipe{Neighbours: 10}.Build(ctx, first.problem.Rows.SelectColumns(moonsLinesViews[v]), nil)
		if err != nil {
			return err
		}
		own := g.Laplacian().ToDense()
		own.Scale(weight, own)
		sum.Add(sum, own)
	}
	base := []kernel.Kernel{kernel.Gaussian{Sigma: sigma43}, kernel.Linear{}}[view]
	rows := first.problem.Rows.SelectColumns(moonsLinesViews[view])
	bound, err := base.Bind(ctx, rows, nil)
	if err != nil {
		return err
	}
	table := mat.NewDense(n, n, nil)
	bound.Block(table, nil, nil)
	g, err := manifold.Parts{Base: bound, K: table, Norm: denseNorm{r: sum}}.
		Warp(ctx, manifold.Warp{Base: base, Ratio: ratio43}, mat.NewDense(n, n, nil))
	if err != nil {
		return err
	}
	for run, t := range toys {
		own := *t.problem
		own.Rows = rows
		shown := &toy{problem: &own, class: t.class}
		for _, m := range []struct {
			name    string
			learner learn.Learner
			own     float64
		}{{"LapRLS", rls.Learner{}, ridge43}, {"LapSVM", svm.Classifier{Options: svm.Options{Tolerance: 1e-8}}, 1 / (2 * ridge43)}} {
			trainer, err := m.learner.Bind(ctx, g, &own)
			if err != nil {
				return err
			}
			trained, err := trainer.Train(ctx, nil, []float64{m.own}, nil)
			if err != nil {
				return err
			}
			wrong, err := shown.wrongOf(ctx, g, trained)
			if err != nil {
				return err
			}
			l.add(m.name+", "+name, unlabelledError, wrong)
			if run > 0 || picture == nil || m.name != "LapSVM" {
				continue
			}
			if picture.Curves == nil {
				*picture = *shown.picture("noisy", "Boundary of LapSVM in the view of the noisy moons")
			}
			level, err := shown.boundary(ctx, name, g, trained)
			if err != nil {
				return err
			}
			picture.Levels = append(picture.Levels, level)
		}
	}
	return nil
}
