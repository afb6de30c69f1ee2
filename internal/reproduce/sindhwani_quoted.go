package reproduce

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/propagate"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

// The columns of table 2.6 that are quoted from Chapelle and Zien 2005, with the printed errors in the order of the
// sets. Two machines stand for the first.
const (
	graphTrans    = "Graph-Trans (regularised)"
	graphSpectral = "Graph-Trans (spectral)"
	labelSwitches = "TSVM"
	graphDensity  = "Graph-density"
	gradientTSVM  = "grad-TSVM"
	lowDensity    = "LDS"
)

var quoted26 = []struct {
	name    string
	printed [len(collections)]float64
}{
	{graphTrans, [...]float64{17.3, 6.2, 21.3, 11.7}},
	{graphSpectral, [...]float64{17.3, 6.2, 21.3, 11.7}},
	{labelSwitches, [...]float64{6.9, 26.3, 26.5, 7.4}},
	{graphDensity, [...]float64{8.3, 6.4, 16.9, 10.5}},
	{gradientTSVM, [...]float64{5.8, 17.6, 17.6, 5.7}},
	{lowDensity, [...]float64{5.6, 4.9, 15.8, 5.1}},
}

// quotedGrid is what these machines are chosen from.
var quotedGrid = struct {
	neighbours []int     // of graphs
	penalties  []float64 // of the regularised graph
	joined     []int     // neighbours of the graph that paths are on
	softness   []float64 // of paths
	widths     []float64 // of the median distance, or path
	strengths  []float64
}{[]int{2, 5, 10, 50}, []float64{1e-6, 1e-3, 1}, []int{10, 200}, []float64{0, 1, 4}, []float64{0.25, 0.5, 1, 2}, []float64{1, 10, 100}}

// quoted are the errors of all draws on a set, by method, draw and point of its grid; those of LDS are in the draws.
type quoted struct {
	*cloud
	errors map[string][][]float64
}

// each calls f for every draw and keeps the errors that it adds for methods.
func (q *quoted) each(f func(d *labelling, add func(method string, wrong float64))) {
	for _, m := range quoted26 {
		if q.errors[m.name] == nil {
			q.errors[m.name] = make([][]float64, len(q.draws))
		}
	}
	each(len(q.draws), func(i int) {
		f(q.draws[i], func(method string, wrong float64) { q.errors[method][i] = append(q.errors[method][i], wrong) })
	})
}

// machines adds the errors of a learner on a kernel for all strengths.
func (q *quoted) machines(ctx context.Context, d *labelling, g kernel.Gram, learner learn.Learner, add func(wrong float64)) {
	trainer := must(learner.Bind(ctx, g, d.problem))
	for _, c := range thin(ctx, "strengths", 1, quotedGrid.strengths) {
		m := must(trainer.Train(ctx, nil, []float64{c}, nil))
		wrong, _ := q.cloud.errors(ctx, d, g, m)
		add(wrong)
	}
}

// kernels are the machines on Gaussian kernels.
func (q *quoted) kernels(ctx context.Context, l *lab, set string) {
	n := q.rows.Len()
	gram, sigma0 := mat.NewDense(n, n, nil), medianWidth(q.rows)
	for _, width := range thin(ctx, "widths", 1, quotedGrid.widths) {
		base := must(kernel.Gaussian{Sigma: width * sigma0}.Bind(ctx, q.rows, nil))
		check(kernel.Fill(ctx, gram, base, nil, nil))
		g := must(kernel.Precomputed{K: gram}.Bind(ctx, data.Rows{Dense: mat.NewDense(n, 1, nil)}, nil))
		for _, r := range []rival{{name: labelSwitches, solver: s3vm.Switching{}}, {name: gradientTSVM, solver: s3vm.Gradient{}}} {
			l.say("%s: %s, sigma %g of the median distance", set, r.name, width)
			during(r.name, func() {
				q.each(func(d *labelling, add func(string, float64)) {
					q.machines(ctx, d, g, s3vm.Learner{Solver: r.solver, Offset: true}, func(wrong float64) { add(r.name, wrong) })
				})
			})
		}
	}
}

// graphs are the machines on graphs of neighbours.
func (q *quoted) graphs(ctx context.Context) {
	for _, k := range thin(ctx, "neighbours", 1, quotedGrid.neighbours) {
		g := must(graph.Recipe{Neighbours: k}.Build(ctx, q.rows, nil))
		q.each(func(d *labelling, add func(string, float64)) {
			spread := func(name string, a propagate.Algorithm) {
				during(name, func() {
					add(name, d.wrong(must(must(a.Bind(ctx, propagate.Label(g, d.problem))).Train(ctx, nil, nil)).F))
				})
			}
			for _, degree := range []int{1, 2} {
				for _, gamma := range thin(ctx, "penalties", 1, quotedGrid.penalties) {
					spread(graphTrans, propagate.Regularised{Gamma: gamma, Degree: degree})
				}
			}
			spread(graphSpectral, propagate.Spectral{}.Defaults(q.rows.Len()))
		})
	}
}

// paths are the machines on path lengths.
func (q *quoted) paths(ctx context.Context, l *lab, set string) {
	for _, joined := range thin(ctx, "neighbours of paths", 1, quotedGrid.joined) {
		for _, softness := range thin(ctx, "softness", 1, quotedGrid.softness) {
			l.say("%s: paths of %d neighbours, softness %g", set, joined, softness)
			survey := must(manifold.NewSurvey(ctx, q.rows, graph.Recipe{Neighbours: joined}, softness))
			q.alongPaths(ctx, survey)
		}
	}
}

// alongPaths are the machines on the paths of a survey.
func (q *quoted) alongPaths(ctx context.Context, survey *manifold.Survey) {
	for _, width := range thin(ctx, "widths", 1, quotedGrid.widths) {
		g := must(manifold.Paths{Survey: survey, Sigma: width * survey.Median}.Bind(ctx, q.rows, nil))
		during(graphDensity, func() {
			q.each(func(d *labelling, add func(string, float64)) {
				q.machines(ctx, d, g, svm.Classifier{}, func(wrong float64) { add(graphDensity, wrong) })
			})
		})
	}
	g := must(manifold.Paths{Survey: survey, Scaled: true, Sigma: math.Inf(1)}.Bind(ctx, q.rows, nil))
	theta := fmt.Sprintf("%d neighbours, softness %g", survey.Recipe.Neighbours, survey.Softness)
	during(lowDensity, func() {
		q.each(func(d *labelling, _ func(string, float64)) { q.scaled(ctx, d, g, theta) })
	})
}

// scaled considers gradients on the coordinates of paths, by cross-validation.
func (q *quoted) scaled(ctx context.Context, d *labelling, g kernel.Gram, theta string) {
	trainer := must(s3vm.Learner{Solver: s3vm.Gradient{}, Offset: true}.Bind(ctx, g, d.problem))
	for _, c := range thin(ctx, "strengths", 1, quotedGrid.strengths) {
		out, _ := must2(score.LeftOut(ctx, g, trainer, d.problem, d.folds, []float64{c}, nil))
		if best := d.better(lowDensity, fmt.Sprintf("%s, C %g", theta, c), out); best != nil {
			best.unlabelled, best.unseen = q.cloud.errors(ctx, d, g, must(trainer.Train(ctx, nil, []float64{c}, nil)))
		}
	}
}

// sindhwaniT26Quoted are the columns of table 2.6 that the source quotes.
func sindhwaniT26Quoted(ctx context.Context, l *lab) {
	declare(ctx, "printed", quoted26)
	for k, c := range wanted(l, thin(ctx, "sets", 1, collections[:])) {
		q := &quoted{cloud: l.drawn(ctx, c), errors: map[string][][]float64{}}
		q.graphs(ctx)
		q.paths(ctx, l, c.name)
		q.kernels(ctx, l, c.name)
		for _, m := range quoted26 {
			q.report(l, c.name+" "+m.name, m.name, m.printed[k])
		}
	}
}

// drawn is a set with all its published draws of labels.
func (l *lab) drawn(ctx context.Context, c collection) *cloud {
	set, labels := l.collect(ctx, c)
	splits := l.publishedSplits(ctx, c)
	cl := &cloud{rows: set.Rows}
	for run, rows := range splits {
		cl.draw(labels.Classes, labels.Class, rows, l.seed+uint64(run))
	}
	l.say("%s: %d splits", c.name, len(splits))
	return cl
}

// report adds the row of a method.
func (q *quoted) report(l *lab, name, method string, printed float64) {
	l.printed(name, unlabelledError, printed)
	errors := q.errors[method]
	best := -1
	if method != lowDensity {
		best = leastMean(errors)
	}
	for i, d := range q.draws {
		if best < 0 {
			l.add(name, unlabelledError, d.best[lowDensity].unlabelled)
		} else {
			l.add(name, unlabelledError, errors[i][best])
		}
	}
	l.interim(name, unlabelledError)
}
