package reproduce

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
)

// moonPairs and circlePairs are labelled points, one of each class, on the moons and circles
// by formula: the figures show one pair, which is not printed.
var (
	moonPairs   = [][2]int{{10, 110}, {50, 150}, {5, 190}, {25, 125}, {90, 105}}
	circlePairs = [][2]int{{0, 150}, {0, 225}, {10, 260}}
)

// toyRidge is l gamma_A of the figures, gamma_A = 1e-3: C = 250.
const toyRidge = 2e-3

// pairToy labels the points of a pair of a built-in set.
func pairToy(name string, pair [2]int) (*toy, error) {
	set, err := data.Builtin(name)
	if err != nil {
		return nil, err
	}
	return labelToy(set, pair[:])
}

// toyWarp is a Gaussian kernel warped by the graph of the figures: six neighbours, weights 1.
func toyWarp(sigma, ratio float64) manifold.Warp {
	return manifold.Warp{Base: kernel.Gaussian{Sigma: sigma}, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 6}}, Ratio: ratio}
}

// train trains a learner with a parameter of its own.
func (t *toy) train(ctx context.Context, k kernel.Kernel, learner learn.Learner, own float64) (kernel.Gram, *learn.Machine, error) {
	g, err := k.Bind(ctx, t.problem.Rows, t.work)
	if err != nil {
		return nil, nil, err
	}
	trainer, err := learner.Bind(ctx, g, t.problem)
	if err != nil {
		return nil, nil, err
	}
	m, err := trainer.Train(ctx, nil, []float64{own}, nil)
	return g, m, err
}

// wrongOf counts the errors of a machine on unlabelled points in percent.
func (t *toy) wrongOf(ctx context.Context, g kernel.Gram, m *learn.Machine) (float64, error) {
	out, err := t.outputs(ctx, g, m)
	if err != nil {
		return 0, err
	}
	return t.wrong(out), nil
}

// boundary is the line on which a machine is undecided.
func (t *toy) boundary(ctx context.Context, name string, g kernel.Gram, m *learn.Machine) (Level, error) {
	p := around(t.problem.Rows)
	out := mat.NewDense(p.rows.Len(), 1, nil)
	if err := m.Predict(ctx, out, g, p.rows); err != nil {
		return Level{}, err
	}
	return p.level(name, out, 0), nil
}

// picture is a figure of the points with their labels.
func (t *toy) picture(name, title string) *Figure {
	return &Figure{Name: name, Title: title, X: Axis{Name: "x1"}, Y: Axis{Name: "x2"},
		Curves: append(dots(t.problem.Rows, t.class, "class -1", "class 1"), selectedDots("labelled", t.problem.Rows, t.problem.Labelled))}
}

// sindhwaniPlane are the figures on points in the plane with one label a class: the boundary
// follows the classes as gamma_I grows.
func sindhwaniPlane(set string, pairs [][2]int) protocol {
	sigmas := []float64{0.25, 0.5, 1}
	return func(ctx context.Context, l *lab) error {
		pictures := map[string]*Figure{}
		for _, sigma := range sigmas {
			for _, ratio := range []float64{0, 100, 1e4} {
				for q, pair := range pairs {
					t, err := pairToy(set, pair)
					if err != nil {
						return err
					}
					for _, m := range []struct {
						name    string
						learner learn.Learner
						own     float64
					}{{"LapRLS", rls.Learner{}, toyRidge}, {"LapSVM", svm.Classifier{Options: svm.Options{Tolerance: 1e-8}}, 1 / (2 * toyRidge)}} {
						g, trained, err := t.train(ctx, toyWarp(sigma, ratio), m.learner, m.own)
						if err != nil {
							return err
						}
						e, err := t.wrongOf(ctx, g, trained)
						if err != nil {
							return err
						}
						l.add(fmt.Sprintf("%s sigma %g, gamma_I/gamma_A %g", m.name, sigma, ratio), unlabelledError, e)
						if q > 0 || sigma != sigmas[0] {
							continue // the pictures are of one pair and one width
						}
						v, err := t.boundary(ctx, fmt.Sprintf("gamma_I/gamma_A %g", ratio), g, trained)
						if err != nil {
							return err
						}
						if pictures[m.name] == nil {
							pictures[m.name] = t.picture(strings.ToLower(m.name),
								fmt.Sprintf("Boundary of %s, sigma %g", m.name, sigma))
						}
						pictures[m.name].Levels = append(pictures[m.name].Levels, v)
					}
				}
			}
		}
		l.draw(*pictures["LapSVM"])
		l.draw(*pictures["LapRLS"])
		return nil
	}
}

// sindhwaniF25 is the best of a grid on the moons, by the errors themselves.
func sindhwaniF25(ctx context.Context, l *lab) error {
	for q, pair := range moonPairs {
		t, err := pairToy("moons-det", pair)
		if err != nil {
			return err
		}
		picture := t.picture("best", "The best SVM and the best LapSVM of the grid")
		for _, m := range []struct {
			name   string
			ratios []float64
		}{{"SVM", []float64{0}}, {"LapSVM", []float64{1, 100, 1e4}}} {
			best := math.Inf(1)
			var line Level
			for _, sigma := range []float64{0.0625, 0.125, 0.25, 0.5, 1, 2} {
				for _, ratio := range m.ratios {
					for _, strength := range []float64{1, 250, 1e5} {
						g, trained, err := t.train(ctx, toyWarp(sigma, ratio), svm.Classifier{}, strength)
						if err != nil {
							return err
						}
						e, err := t.wrongOf(ctx, g, trained)
						if err != nil {
							return err
						}
						if e >= best {
							continue
						}
						best = e
						if line, err = t.boundary(ctx, m.name, g, trained); err != nil {
							return err
						}
					}
				}
			}
			l.add(m.name+", best of the grid", unlabelledError, best)
			picture.Levels = append(picture.Levels, line)
		}
		if q == 0 {
			l.draw(*picture)
		}
	}
	return nil
}
