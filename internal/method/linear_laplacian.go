package method

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/linear"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/floats"
)

// linearLaplacian is a linear machine for sparse rows that is smooth along a graph of all rows, in passes over their
// entries.
func linearLaplacian(id, loss, baseline string, m Method) Method {
	k := machine{id: id, family: WarpedLinear, losses: []string{loss}, baseline: baseline}
	m = k.declare(m)
	m.Cost = "graph n^2 d of dense rows, else the products of the entries that meet; the rows, the graph and some twenty " +
		"vectors; some ten " +
		"systems of some fifty steps of two passes over the entries and the edges for each graph, strength and fold"
	m.Source = cite.Sindhwani + ", 6.1, item 4, which promises them; 2.3 for the objective"
	m.SciKit = "none"
	m.Settings = slices.Concat([]setting.Setting{task.GammaA, task.GammaI, task.Scaled}, task.Whole(task.NeighbourSettings()),
		[]setting.Setting{task.Outer, k.offset(), task.Kernel, task.Tune, task.Budget, k.tolerance(), task.Weight})
	m.Params, m.Certificate = k.params, k.certificate()
	m.Rules = []rule{k.gridded, k.outerJudged, k.oneGraph, k.lengths}
	m.Forms = []Form{{Name: "columns", Bytes: k.columnGraphBytes, Work: k.columnGraphWork, Produce: k.columnGraphs}}
	return m
}

// columnGrid are the graphs that are tried, of many neighbours as the literature on text has and of fewer, and the ratios
// of the two norms, in units of a kernel whose mean diagonal is one. A stronger graph, or a higher degree, has systems of
// some thousand steps.
func columnGrid() (graphs []graph.Recipe, ratios []float64) {
	return []graph.Recipe{{Neighbours: 50, Degree: 2}, {Neighbours: 16, Degree: 1}}, []float64{0.01, 1, 100}
}

// columnDecades are the values of C that are tried, in units of 1 over the mean diagonal of the kernel.
func columnDecades() []float64 { return []float64{0.1, 1, 10, 100} }

// columnGraphs trains the machines of the graphs and ratios that the request leaves free.
func (k machine) columnGraphs(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	if err := k.hasColumns(ctx, t); err != nil {
		return nil, err
	}
	gram, err := t.Base.Bind(ctx, t.Problem.Rows, nil)
	if err != nil {
		return nil, err
	}
	s := k.strengths(t)
	scale := score.MeanDiagonal(gram, nil)
	graphs, ratios := k.columnChoices(t, &s, scale)
	b := benchOf(t)
	b.Lambda = s.lambda
	work, kernels := new(kernel.Work), []manifold.Warp{}
	var plan []*choose.Candidate
	for _, g := range graphs {
		norm := manifold.Graph{Recipe: g, Longest: longestOf(graphs)}
		r, err := norm.Bind(ctx, t.Problem.Rows, work)
		if err != nil {
			return nil, err
		}
		for _, ratio := range ratios {
			trial := &choose.Trial{
				Learner: linear.Laplacian{Loss: k.lossSet(t.Values), Norm: r, Ratio: ratio, Offset: t.Offset,
					Free:      t.Labels.Task == data.Regression,
					Tolerance: t.Recipe.Tolerance},
				Folds: t.Folds,
			}
			switch {
			case s.lambda == 0 && s.lambdaOf == nil:
				trial.Strengths = columnDecades()
				floats.Scale(1/scale, trial.Strengths)
			case s.lambdaOf != nil:
				trial.Strengths = []float64{score.Strength(s.lambdaOf(ratio))}
			}
			plan = append(plan, &choose.Candidate{Method: k.id, Width: 1, Linear: true, Graph: g, Ratio: ratio * scale, Trial: trial})
			kernels = append(kernels, manifold.Warp{Base: t.Base, Norm: norm, Ratio: ratio})
		}
	}
	candidates, err := trainPlan(ctx, t, b, plan)
	if err != nil {
		return nil, err
	}
	for i, c := range plan {
		if c.Machine != nil {
			c.Kernel = kernels[i]
		}
	}
	candidates.Baseline, err = baseline(ctx, t, machine{family: Linear, losses: k.losses}.solver(t))
	return candidates, err
}

// columnChoices are the graphs and the ratios of the norms to try, of which the request may fix any.
func (k machine) columnChoices(t *task.Task, s *strengths, scale float64) (graphs []graph.Recipe, ratios []float64) {
	if t.Scoring.None {
		var g graph.Recipe
		*s, g = k.literature(t, *s, t.Graph())
		return []graph.Recipe{g}, []float64{s.ratio}
	}
	asked, most := t.Graph(), t.Problem.Rows.Len()-1
	tried, ratios := columnGrid()
	for i, r := range ratios {
		ratios[i] = r / scale
	}
	switch {
	case s.noGraph:
		ratios = []float64{0}
	case s.ratio > 0:
		ratios = []float64{s.ratio}
	}
	return completed(asked, tried, most), ratios
}

// completed are the graphs that were asked for, each with the number of neighbours, most of them, and the degree of one that
// is tried where these were not set.
func completed(asked graph.Recipe, tried []graph.Recipe, most int) (graphs []graph.Recipe) {
	for _, one := range tried {
		g := asked
		if g.Neighbours == 0 {
			g.Neighbours = min(one.Neighbours, most)
		}
		if g.Degree == 0 {
			g.Degree = one.Degree
		}
		if g.Width == 0 && g.Weights == graph.SelfTuned {
			g.Width = 1
		}
		if !slices.Contains(graphs, g) {
			graphs = append(graphs, g)
		}
	}
	return graphs
}

// longestOf is the largest number of neighbours.
func longestOf(graphs []graph.Recipe) (most int) {
	for _, g := range graphs {
		most = max(most, g.Neighbours)
	}
	return most
}

// columnGraphBytes are those of the rows, of lists of neighbours and two graphs, and of the machines.
func (k machine) columnGraphBytes(s task.Size, r task.Request) float64 {
	n, d, c := float64(s.Rows), float64(s.Features), float64(s.Outputs)
	together := 1.0
	if !r.Scoring.None {
		together = float64(max(s.Processors, 1))
	}
	kept := 8 * 2 * n * c
	return 8 * (2*s.Stored + kept + 600*n + together*(40*d+20*n) + columnNumbers(s, r)*d)
}

// columnGraphWork is that of a design: graphs, ratios, strengths and folds. Conjugate gradients end after as many steps as there are
// columns; of many columns a machine takes some four systems of fifty.
func (k machine) columnGraphWork(s task.Size, r task.Request) Work {
	const most, edges = 4 * 50, 60
	z, trainings := sizeOf(s), 2.0
	if !r.Scoring.None {
		graphs, ratios := columnGrid()
		folds := max(float64(r.Scoring.Folds), 1)
		trainings = float64(len(graphs)*len(ratios)*len(columnDecades())) * folds
	}
	pass := 8 * (4*s.Stored + 3*2*edges*z.n)
	return z.rowWork().Plus(z.graphWork(), Work{Passes: pass * min(most, float64(s.Features)) * trainings * z.machines()})
}
