package reproduce

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/rls"
	"github.com/mercer-ml/mercer/svm"
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
	all, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		return nil, err
	}
	visible, _ := data.Hide(set.Answers, pair[:])
	labels, _, err := all.Of(visible)
	if err != nil {
		return nil, err
	}
	return &toy{learn.NewProblem(set.Rows, labels), all.Class, new(kernel.Work)}, nil
}

// toyWarp is a Gaussian kernel warped by the graph of the figures: six neighbours, weights 1.
func toyWarp(sigma, ratio float64) manifold.Warp {
	return manifold.Warp{Base: kernel.Gaussian{Sigma: sigma}, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 6}}, Ratio: ratio}
}

// wrongOf trains a learner with a parameter of its own and counts the errors on unlabelled points in
// percent.
func (t *toy) wrongOf(ctx context.Context, k kernel.Kernel, learner learn.Learner, own float64) (float64, error) {
	g, err := k.Bind(ctx, t.problem.Rows, t.work)
	if err != nil {
		return 0, err
	}
	trainer, err := learner.Bind(ctx, g, t.problem)
	if err != nil {
		return 0, err
	}
	m, err := trainer.Train(ctx, nil, []float64{own}, nil)
	if err != nil {
		return 0, err
	}
	out := mat.NewDense(g.Len(), 1, nil)
	m.Evaluate(out, g, nil)
	wrong := 0
	for i, c := range t.problem.Coding.Decide(out) {
		if c != t.class[i] && !slices.Contains(t.problem.Labelled, i) {
			wrong++
		}
	}
	return 100 * float64(wrong) / float64(g.Len()-len(t.problem.Labelled)), nil
}

// sindhwaniPlane are the figures on points in the plane with one label a class: the boundary
// follows the classes as gamma_I grows.
func sindhwaniPlane(id, title, figure, set string, pairs [][2]int, sigmas []float64) experiment {
	return experiment{
		Experiment: Experiment{ID: id, Title: title, Source: "Sindhwani 2007, " + figure, Data: "built in", Expected: "2 s"},
		runs:       1,
		run: func(ctx context.Context, l *lab) error {
			for _, sigma := range sigmas {
				for _, ratio := range []float64{0, 100, 1e4} {
					for _, pair := range pairs {
						t, err := pairToy(set, pair)
						if err != nil {
							return err
						}
						for _, m := range []struct {
							name    string
							learner learn.Learner
							own     float64
						}{{"LapRLS", rls.Learner{}, toyRidge}, {"LapSVM", svm.Classifier{Options: svm.Options{Tolerance: 1e-8}}, 1 / (2 * toyRidge)}} {
							e, err := t.wrongOf(ctx, toyWarp(sigma, ratio), m.learner, m.own)
							if err != nil {
								return err
							}
							l.add(fmt.Sprintf("%s sigma %g, gamma_I/gamma_A %g", m.name, sigma, ratio), unlabelledError, e)
						}
					}
				}
			}
			l.note("the figure shows surfaces and its values are lost with its image; points by formula (%s), %d pairs of labelled points, six neighbours, normalised Laplacian, gamma_A = 1e-3; "+
				"gamma_I/gamma_A without 1/(l+u)^2, 0 is the supervised machine", set, len(pairs))
			return nil
		},
	}
}

func sindhwaniF23() experiment {
	return sindhwaniPlane("sindhwani-f2.3", "two circles, one label a class: Gaussian against warped kernel", "figs 2.1 to 2.3, section 2.5",
		"circles-det", circlePairs, []float64{0.25, 0.5, 1})
}

func sindhwaniF24() experiment {
	return sindhwaniPlane("sindhwani-f2.4", "two moons, one label a class: LapSVM and LapRLS for growing gamma_I", "fig. 2.4, section 2.7.1",
		"moons-det", moonPairs, []float64{0.25, 0.5, 1})
}

// sindhwaniF25 is the best of a grid on the moons, by the errors themselves.
func sindhwaniF25() experiment {
	return experiment{
		Experiment: Experiment{ID: "sindhwani-f2.5", Title: "two moons, one label a class: the best SVM against the best LapSVM",
			Source: "Sindhwani 2007, fig. 2.5, section 2.7.1", Data: "built in", Expected: "5 s"},
		runs: 1,
		run: func(ctx context.Context, l *lab) error {
			for _, pair := range moonPairs {
				t, err := pairToy("moons-det", pair)
				if err != nil {
					return err
				}
				for _, m := range []struct {
					name   string
					ratios []float64
				}{{"SVM", []float64{0}}, {"LapSVM", []float64{1, 100, 1e4}}} {
					best := 100.
					for _, sigma := range []float64{0.0625, 0.125, 0.25, 0.5, 1, 2} {
						for _, ratio := range m.ratios {
							for _, strength := range []float64{1, 250, 1e5} {
								e, err := t.wrongOf(ctx, toyWarp(sigma, ratio), svm.Classifier{}, strength)
								if err != nil {
									return err
								}
								best = min(best, e)
							}
						}
					}
					l.add(m.name+", best of the grid", unlabelledError, best)
				}
			}
			l.note("an oracle, as in the source ('best decision surfaces across a wide range of parameter settings'): sigma 1/16 to 2, C 1, 250, 1e5, gamma_I/gamma_A 1, 100, 1e4; five pairs of labelled points")
			l.note("the transductive SVM of the figure is not here")
			return nil
		},
	}
}
