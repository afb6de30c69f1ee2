package manifold

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
)

// Joint is the intrinsic norm of several views of the same rows,
//
//	R = (1/q sum_v L_v)^p
//
// over the graph by all columns and those by the columns v[0] to v[1]-1 of each view v: the joint Laplacian of Sindhwani 2007, table
// 2.7 ("mean" in its text, "sum" in its caption). A row that lacks a view has no edge in its graph, nor in that of all columns
// (Graph.Build). Apart leaves out the graph by all columns. Its parameter, if the recipe sets one, is the `width` of heat weights, one
// for all views.
type Joint struct {
	Graph Graph
	Views [][2]int
	Apart bool
}

var _ Norm = Joint{}

// graphs are one by all columns, unless that is left out, and one a view.
func (j Joint) graphs() []Graph {
	var list []Graph
	if !j.Apart {
		list = append(list, j.Graph)
	}
	for _, v := range j.Views {
		g := j.Graph
		g.First, g.Last = v[0], v[1]
		list = append(list, g)
	}
	return list
}

// Weighted is the norm whose graphs have weights of their own, R = sum_v mu_v L_v^p, at first equal: that of Joint where p is 1.
func (j Joint) Weighted() Combined { return Combined{Terms: j.graphs()} }

// Space is that of the graph.
func (j Joint) Space() param.Space { return j.Graph.Space() }

// With replaces the width.
func (j Joint) With(theta []float64) (Norm, error) {
	g, err := j.Graph.With(theta)
	if err != nil {
		return nil, err
	}
	j.Graph = g.(Graph)
	return j, nil
}

// Bind builds the graphs. The operator is shared through work unless its width is a parameter
// that moves.
func (j Joint) Bind(ctx context.Context, rows data.Rows, work *kernel.Work) (graph.Operator, error) {
	keep := work
	if len(j.Space()) > 0 {
		keep = nil
	}
	return kernel.Shared(keep, fmt.Sprintf("joint/%+v", j), func() (graph.Operator, error) {
		return j.build(ctx, rows, work)
	})
}

func (j Joint) build(ctx context.Context, rows data.Rows, work *kernel.Work) (graph.Operator, error) {
	var built []*graph.Graph
	for _, g := range j.graphs() {
		b, err := g.Build(ctx, rows, work)
		if err != nil {
			return nil, err
		}
		built = append(built, b)
	}
	return graph.JointOperator(built), nil
}
