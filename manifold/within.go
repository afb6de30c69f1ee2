package manifold

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
)

// Within is the class-wise intrinsic norm of rows that all have a label (Sindhwani 2007,
// section 2.8.2, eq. 2.29),
//
//	f'Rf = sum_c phi_c f_c' L_c^p f_c
//
// L_c the Laplacian of the graph's edges within class c. Its parameters are the phi[c], if
// the recipe has them, then the graph's.
//
// The norm knows the label of every row it is bound to. A score that leaves labels out
// but keeps their rows in the graph (score.LeaveOut, score.Refit without Inductive) is
// therefore too good; one that leaves the rows out is honest (score.Refit, Inductive).
type Within struct {
	Graph Graph
	Class []int     // by the identity of the row (data.Rows), so that a selection of rows keeps its classes; -1: none
	Phi   []float64 // a factor for each class; nil: 1 each, and no parameters
}

var _ Norm = Within{}

// Space lists the factors and the graph's parameters.
func (w Within) Space() param.Space {
	var s param.Space
	for c, v := range w.Phi {
		s = append(
			s,
			param.Dim{Name: fmt.Sprintf("phi[%d]", c), Kind: param.Log, Lo: v * 0x1p-10, Hi: v * 0x1p10, Default: v},
		) // as graph.OperatorWithin
	}
	return append(s, w.Graph.Space()...)
}

// With replaces the factors and the graph's parameters.
func (w Within) With(theta []float64) (Norm, error) {
	if len(theta) != len(w.Space()) {
		panic(fmt.Sprintf("manifold: %d parameters for a class-wise norm with %d", len(theta), len(w.Space())))
	}
	q := len(w.Phi)
	if q > 0 {
		w.Phi = slices.Clone(theta[:q])
	}
	g, err := w.Graph.With(theta[q:])
	if err != nil {
		return nil, err
	}
	w.Graph = g.(Graph)
	return w, nil
}

// Bind builds the graph and drops its edges across classes, once unless parameters move.
func (w Within) Bind(ctx context.Context, rows data.Rows, work *kernel.Work) (graph.Operator, error) {
	keep := work
	if len(w.Space()) > 0 {
		keep = nil
	}
	return kernel.Shared(keep, fmt.Sprintf("within/%+v", w), func() (graph.Operator, error) {
		built, class, err := w.build(ctx, rows, work)
		if err != nil {
			return nil, err
		}
		if w.Phi == nil {
			return built.Operator(), nil
		}
		return built.OperatorWithin(class, w.Phi)
	})
}

// Build makes the graph on the rows, of edges within classes alone.
func (w Within) Build(ctx context.Context, rows data.Rows, work *kernel.Work) (*graph.Graph, error) {
	g, _, err := w.build(ctx, rows, work)
	return g, err
}

func (w Within) build(ctx context.Context, rows data.Rows, work *kernel.Work) (*graph.Graph, []int, error) {
	class := make([]int, rows.Len())
	for i := range class {
		id := rows.RowID(i)
		if id < 0 || id >= len(w.Class) || w.Class[id] < 0 {
			return nil, nil, fmt.Errorf("manifold: class-wise graphs need every row labelled; row %d, identity %d, has no class", i, id)
		}
		class[i] = w.Class[id]
	}
	g, err := w.Graph.Build(ctx, rows, work)
	if err != nil {
		return nil, nil, err
	}
	return g.Within(class), class, nil
}
