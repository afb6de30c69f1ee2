package reproduce

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// toyGrid is the grid of table 3.4, which the source does not print: widths in the units of the plane, lambdas
// those of tables 3.6 and 3.7.
var toyGrid = struct{ sigmas, lambdas []float64 }{
	[]float64{0.1, 0.15, 0.2, 0.3, 0.5, 1},
	meansLambdas,
}

// toyRivals are the algorithms of table 3.4.
func toyRivals() []rival {
	return []rival{
		{"JTSVM (l2)", s3vm.Switching{Loss: learn.SquaredHinge()}, true},
		{"JTSVM (l1)", s3vm.Switching{}, false},
		{"grad-TSVM", s3vm.Gradient{}, true},
		{"DA (l2)", s3vm.Annealing{Loss: learn.SquaredHinge()}, true},
		{"DA (l1)", s3vm.Annealing{Loss: learn.Hinge()}, false},
	}
}

// toySets are those of fig. 3.6, by formula, with the successes in ten draws of table 3.4 in the order of the algorithms.
var toySets = []struct {
	name, spec string
	printed    []float64
}{
	{"2moons", "moons-det:n=200", []float64{0, 0, 3, 6, 10}},
	{"2circles", "circles-det:n=200", []float64{1, 1, 2, 3, 10}},
}

const solvedMetric = "draws solved %"

// sindhwaniT34 counts the draws of labels in which algorithms decide every row right.
func sindhwaniT34(ctx context.Context, l *lab) {
	for _, s := range thin(ctx, "sets", 1, toySets) {
		set := must(data.Builtin(s.spec))
		class := classesOf(set).Class
		wrong := make([][][]float64, l.runs) // by draw, algorithm and point of the grid
		each(l.runs, func(run int) {
			wrong[run] = labelToy(set, drawAtLeast(class, 2, 2, 1, l.stream(run))).gridded(ctx, toyRivals())
		})
		for q, r := range toyRivals() {
			name := s.name + " " + r.name
			l.printed(name, solvedMetric, 10*s.printed[q])
			for _, e := range solvedMost(wrong, q) {
				l.add(name, solvedMetric, 100*indicator(e == 0))
				l.add(name, unlabelledError, e)
			}
			l.interim(name, solvedMetric, unlabelledError)
		}
	}
}

// gridded are the errors of algorithms at all points of the grid.
func (t *toy) gridded(ctx context.Context, rivals []rival) [][]float64 {
	wrong := make([][]float64, len(rivals))
	for _, sigma := range thin(ctx, "sigma", 1, toyGrid.sigmas) {
		g := must(kernel.Gaussian{Sigma: sigma}.Bind(ctx, t.problem.Rows, t.work))
		for q, r := range rivals {
			trainer := must(s3vm.Learner{Solver: r.solver, Shares: t.shares()}.Bind(ctx, g, t.problem))
			for _, lambda := range thin(ctx, "lambda", 1, toyGrid.lambdas) {
				own := []float64{strengthOfMeans(lambda, len(t.problem.Labelled), r.halved)}
				during(r.name, func() {
					wrong[q] = append(wrong[q], t.wrongOf(ctx, g, must(trainer.Train(ctx, nil, own, nil))))
				})
			}
		}
	}
	return wrong
}

// solvedMost are the errors of the draws at the point of the grid where most of them are zero, and of several such
// points where their sum is least.
func solvedMost(wrong [][][]float64, algorithm int) []float64 {
	var best []float64
	most, least := 0, 0.0
	for j := range wrong[0][algorithm] {
		var at []float64
		solved, sum := 0, 0.0
		for _, draw := range wrong {
			e := draw[algorithm][j]
			at, sum = append(at, e), sum+e
			if e == 0 {
				solved++
			}
		}
		if best == nil || solved > most || solved == most && sum < least {
			best, most, least = at, solved, sum
		}
	}
	return best
}

// sindhwaniF36 draws the toy sets with the boundaries of the algorithms of table 3.4.
func sindhwaniF36(ctx context.Context, l *lab) {
	for q, pair := range [][2]int{{10, 110}, {0, 150}} {
		s := toySets[q]
		t := pairToy(s.spec, pair)
		wrong := t.gridded(ctx, toyRivals())
		picture := t.picture(s.name, s.name+": the boundary of each algorithm with its best parameters of the grid")
		lambdas := len(thin(ctx, "lambda", 1, toyGrid.lambdas))
		for k, r := range toyRivals() {
			best := slices.Index(wrong[k], slices.Min(wrong[k]))
			sigma, lambda := toyGrid.sigmas[best/lambdas], toyGrid.lambdas[best%lambdas]
			learner := s3vm.Learner{Solver: r.solver, Shares: t.shares()}
			g, m := t.train(ctx, kernel.Gaussian{Sigma: sigma}, learner, strengthOfMeans(lambda, len(t.problem.Labelled), r.halved))
			name := s.name + " " + r.name
			l.add(name, unlabelledError, wrong[k][best])
			l.add(name, "sigma", sigma)
			l.add(name, "lambda", lambda)
			picture.Levels = append(picture.Levels, t.boundary(ctx, r.name, g, m))
		}
		l.draw(*picture)
	}
}
