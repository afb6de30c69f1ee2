package manifold

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
)

// Graph is the intrinsic norm of a neighbourhood graph: R = L^p of the recipe.
// Lists of neighbours are shared through Work; Longest says for how many
// neighbours they are made, so that recipes with fewer read prefixes (0: the
// recipe's own number). First and Last, if Last is not 0, make it the graph of a view: its
// neighbours are those by the columns First to Last-1.
type Graph struct {
	Recipe      graph.Recipe
	Longest     int
	First, Last int
}

var _ Norm = Graph{}

// Space has `width`, the spread of heat weights, when the recipe sets one.
func (g Graph) Space() param.Space {
	if g.Recipe.Weights != graph.Heat || g.Recipe.Width == 0 {
		return nil
	}
	w := g.Recipe.Width
	return param.Space{{Name: "width", Kind: param.Log, Lo: w * 0x1p-6, Hi: w * 0x1p6, Default: w}}
}

// With replaces the width.
func (g Graph) With(theta []float64) (Norm, error) {
	if len(theta) != len(g.Space()) {
		panic(fmt.Sprintf("manifold: %d parameters for a graph with %d", len(theta), len(g.Space())))
	}
	if len(theta) == 1 {
		if !(theta[0] > 0) {
			return nil, fmt.Errorf("manifold: graph width = %g; it must be positive", theta[0])
		}
		g.Recipe.Width = theta[0]
	}
	return g, nil
}

// Build makes the graph on the rows, with neighbour lists shared through work. A row of which one of the columns is missing (NaN), as
// where a thing lacks a view, has no edge.
func (g Graph) Build(ctx context.Context, rows data.Rows, work *kernel.Work) (*graph.Graph, error) {
	if g.Last > 0 {
		columns := make([]int, g.Last-g.First)
		for q := range columns {
			columns[q] = g.First + q
		}
		rows = rows.SelectColumns(columns)
	}
	if have := rows.Whole(); len(have) < rows.Len() {
		some, err := g.onWhole(ctx, rows.Select(have), work)
		if err != nil {
			return nil, err
		}
		return some.Among(have, rows.Len()), nil
	}
	return g.onWhole(ctx, rows, work)
}

// onWhole is the graph on rows that lack nothing, of the columns alone that it is of.
func (g Graph) onWhole(ctx context.Context, rows data.Rows, work *kernel.Work) (*graph.Graph, error) {
	if g.Recipe.Kind != graph.NearestNeighbours {
		return g.Recipe.Build(ctx, rows, nil)
	}
	k := max(g.Longest, g.Recipe.Neighbours)
	lists, err := kernel.Shared(
		work,
		fmt.Sprintf("neighbours/%v/%d/%d-%d/%+v", g.Recipe.Metric, k, g.First, g.Last, g.Recipe.Search),
		func() (*graph.Lists, error) {
			return g.Recipe.Search.Find(ctx, rows, k, g.Recipe.Metric)
		},
	)
	if err != nil {
		return nil, err
	}
	return g.Recipe.Build(ctx, rows, lists)
}

// Bind builds the graph and returns its operator, shared through work unless its
// width is a parameter that moves.
func (g Graph) Bind(ctx context.Context, rows data.Rows, work *kernel.Work) (graph.Operator, error) {
	keep := work
	if len(g.Space()) > 0 {
		keep = nil
	}
	return kernel.Shared(keep, fmt.Sprintf("graph/%+v", g), func() (graph.Operator, error) {
		b, err := g.Build(ctx, rows, work)
		if err != nil {
			return nil, err
		}
		return b.Operator(), nil
	})
}

// power is the operator of the graph for a combination: powers of one Laplacian, as
// the same graph with another degree has, share that.
func (g Graph) power(ctx context.Context, rows data.Rows, work *kernel.Work) (graph.Operator, error) {
	degree := max(g.Recipe.Degree, 1)
	if len(g.Space()) > 0 {
		return g.Bind(ctx, rows, work)
	}
	g.Recipe.Degree = 1
	l, err := kernel.Shared(work, fmt.Sprintf("laplacian/%+v", g), func() (*data.CSR, error) {
		b, err := g.Build(ctx, rows, work)
		if err != nil {
			return nil, err
		}
		return b.Laplacian(), nil
	})
	if err != nil {
		return nil, err
	}
	return &graph.Power{L: l, P: degree}, nil
}
