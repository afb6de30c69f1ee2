package reproduce

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/parallel"
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
		{"JTSVM (l2)", s3vm.Switching{Loss: learn.SquaredHinge{}}, true},
		{"JTSVM (l1)", s3vm.Switching{}, false},
		{"grad-TSVM", s3vm.Gradient{}, true},
		{"DA (l2)", s3vm.Annealing{Loss: learn.SquaredHinge{}}, true},
		{"DA (l1)", s3vm.Annealing{Loss: learn.Hinge{}}, false},
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
func sindhwaniT34(ctx context.Context, l *lab) error {
	for _, s := range thin(ctx, "sets", 1, toySets) {
		set, err := data.Builtin(s.spec)
		if err != nil {
			return err
		}
		all, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Classification})
		if err != nil {
			return err
		}
		wrong := make([][][]float64, l.runs) // by draw, algorithm and point of the grid
		err = parallel.Each(0, l.runs, func(run int) error {
			labelled, err := drawAtLeast(all.Class, 2, 2, 1, l.stream(run))
			if err != nil {
				return err
			}
			t, err := labelToy(set, labelled)
			if err != nil {
				return err
			}
			wrong[run], err = t.gridded(ctx, toyRivals())
			return err
		})
		if err != nil {
			return err
		}
		for q, r := range toyRivals() {
			name := s.name + " " + r.name
			l.printed(name, solvedMetric, 10*s.printed[q])
			for _, e := range solvedMost(wrong, q) {
				l.add(name, solvedMetric, percentIf(e == 0))
				l.add(name, unlabelledError, e)
			}
			l.interim(name, solvedMetric, unlabelledError)
		}
	}
	return nil
}

// gridded are the errors of algorithms at all points of the grid.
func (t *toy) gridded(ctx context.Context, rivals []rival) ([][]float64, error) {
	wrong := make([][]float64, len(rivals))
	for _, sigma := range thin(ctx, "sigma", 1, toyGrid.sigmas) {
		g, err := kernel.Gaussian{Sigma: sigma}.Bind(ctx, t.problem.Rows, t.work)
		if err != nil {
			return nil, err
		}
		for q, r := range rivals {
			trainer, err := s3vm.Learner{Solver: r.solver, Shares: t.shares()}.Bind(ctx, g, t.problem)
			if err != nil {
				return nil, err
			}
			for _, lambda := range thin(ctx, "lambda", 1, toyGrid.lambdas) {
				m, err := trainer.Train(ctx, nil, []float64{strengthOfMeans(lambda, len(t.problem.Labelled), r.halved)}, nil)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", r.name, err)
				}
				out, err := t.outputs(ctx, g, m)
				if err != nil {
					return nil, err
				}
				wrong[q] = append(wrong[q], t.wrong(out))
			}
		}
	}
	return wrong, nil
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

// percentIf is a share of one: 0 or 100 %.
func percentIf(is bool) float64 {
	if is {
		return 100
	}
	return 0
}
