package reproduce

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/spectral"
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
func pairToy(name string, pair [2]int) *toy {
	set := must(data.Builtin(name))
	return labelToy(set, pair[:])
}

// toyWarp is a Gaussian kernel warped by the graph of the figures: six neighbours, weights 1.
func toyWarp(sigma, ratio float64) manifold.Warp {
	return manifold.Warp{Base: kernel.Gaussian{Sigma: sigma}, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 6}}, Ratio: ratio}
}

// train trains a learner with a parameter of its own.
func (t *toy) train(ctx context.Context, k kernel.Kernel, learner learn.Learner, own float64) (kernel.Gram, *learn.Machine) {
	g := must(k.Bind(ctx, t.problem.Rows, t.work))
	return g, trained(ctx, g, learner, t.problem, own)
}

// wrongOf counts the errors of a machine on unlabelled points in percent.
func (t *toy) wrongOf(ctx context.Context, g kernel.Gram, m *learn.Machine) float64 {
	return t.wrong(t.outputs(ctx, g, m))
}

// boundary is the line on which a machine is undecided.
func (t *toy) boundary(ctx context.Context, name string, g kernel.Gram, m *learn.Machine) Level {
	p := around(t.problem.Rows)
	return p.level(name, predicted(ctx, g, m, p.rows, 1), 0)
}

// picture is a figure of the points with their labels.
func (t *toy) picture(name, title string) *Figure {
	return &Figure{Name: name, Title: title, X: Axis{Name: "x1"}, Y: Axis{Name: "x2"},
		Curves: append(dots(t.problem.Rows, t.class, "class -1", "class 1"), selectedDots("labelled", t.problem.Rows, t.problem.Labelled))}
}

// ownLearner is a learner with its own parameter.
type ownLearner struct {
	name    string
	learner learn.Learner
	own     float64
}

// squareAndHinge are Laplacian machines of a ridge.
func squareAndHinge(ridge float64) []ownLearner {
	return []ownLearner{{"LapRLS", rls.Learner{}, ridge},
		{"LapSVM", svm.Classifier{Options: svm.Options{Tolerance: 1e-8}}, 1 / (2 * ridge)}}
}

// sindhwaniPlane are the figures on points in the plane with one label a class: the boundary follows the classes as gamma_I grows.
func sindhwaniPlane(set string, pairs [][2]int) protocol {
	sigmas := []float64{0.25, 0.5, 1}
	return func(ctx context.Context, l *lab) {
		pictures := map[string]*Figure{}
		for _, sigma := range sigmas {
			for _, ratio := range []float64{0, 100, 1e4} {
				for q, pair := range pairs {
					t := pairToy(set, pair)
					for _, m := range squareAndHinge(toyRidge) {
						g, trained := t.train(ctx, toyWarp(sigma, ratio), m.learner, m.own)
						name := fmt.Sprintf("%s sigma %g, gamma_I/gamma_A %g", m.name, sigma, ratio)
						l.add(name, unlabelledError, t.wrongOf(ctx, g, trained))
						if q > 0 || sigma != sigmas[0] {
							continue // the pictures are of one pair and one width
						}
						v := t.boundary(ctx, fmt.Sprintf("gamma_I/gamma_A %g", ratio), g, trained)
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
	}
}

// sindhwaniF25 is the best of a grid on the moons, by the errors themselves.
func sindhwaniF25(ctx context.Context, l *lab) {
	for q, pair := range moonPairs {
		t := pairToy("moons-det", pair)
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
						g, trained := t.train(ctx, toyWarp(sigma, ratio), svm.Classifier{}, strength)
						if e := t.wrongOf(ctx, g, trained); e < best {
							best, line = e, t.boundary(ctx, m.name, g, trained)
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
}

const matchingError = "error % after the best naming"

// sindhwaniClusters parts two classes in the plane by the sign of the smoothest function of a
// kernel space, for several gamma = gamma_A/gamma_I.
func sindhwaniClusters(set string, neighbours int, sigmas ...float64) protocol {
	return func(ctx context.Context, l *lab) {
		points := must(data.Builtin(set))
		labels := classesOf(points)
		g := must(graph.Recipe{Neighbours: neighbours, Laplacian: graph.Combinatorial}.Build(ctx, points.Rows, nil))
		picture := Figure{Name: "gamma", Title: "Error of the clusters as gamma grows, " + set, X: Axis{"gamma", true},
			Y: Axis{Name: matchingError}}
		sigmas, gammas := thin(ctx, "sigma", 1, sigmas), thin(ctx, "gamma", 3, []float64{1e-6, 1e-4, 1e-2, 1, 100})
		for _, sigma := range sigmas {
			for _, gamma := range gammas {
				e := must(spectral.Regularised{Kernel: kernel.Gaussian{Sigma: sigma}, Gamma: gamma}.Fit(ctx, g, points.Rows, 1))
				part := make([]int, points.Rows.Len())
				for i := range part {
					if e.Coordinates.At(i, 0) < 0 {
						part[i] = 1
					}
				}
				l.add(fmt.Sprintf("sigma %g, gamma %g", sigma, gamma), matchingError, 100*spectral.Matching(part, labels.Class))
			}
		}
		for _, sigma := range sigmas {
			row := func(k int) string { return fmt.Sprintf("sigma %g, gamma %g", sigma, gammas[k]) }
			picture.Curves = append(picture.Curves, l.means(fmt.Sprintf("sigma %g", sigma), matchingError, gammas, row))
		}
		l.draw(picture)
	}
}
