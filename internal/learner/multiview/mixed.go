package multiview

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/search/param"
)

// Mixed is the intrinsic norm of several graphs on the same rows in a chosen mixture,
//
//	R = (sum_v a_v L_v)^p,   a_v >= 0, sum a_v = 1
//
// with p the degree of the first: Sindhwani 2007, section 4.3, whose a_L is the second weight of two, and manifold.Joint where the
// weights are equal. The source does not say of which degree its Laplacians are; here the mixture is taken before the power, as in the
// joint ones of its table 2.7. It has no parameters: a width of heat weights stays.
type Mixed struct {
	Graphs  []manifold.Graph
	Weights []float64
}

var _ manifold.Norm = Mixed{}

// Space is empty.
func (m Mixed) Space() param.Space { return nil }

// With returns the norm itself.
func (m Mixed) With(theta []float64) (manifold.Norm, error) {
	if len(theta) > 0 {
		panic(fmt.Sprintf("multiview: %d parameters for a mixture, which has none", len(theta)))
	}
	return m, nil
}

// Bind builds the graphs. The operator is shared through work.
func (m Mixed) Bind(ctx context.Context, rows data.Rows, work *kernel.Work) (graph.Operator, error) {
	return kernel.Shared(work, fmt.Sprintf("mixed/%+v", m), func() (graph.Operator, error) {
		var list []*data.CSR
		for v, g := range m.Graphs {
			built, err := g.Build(ctx, rows, work)
			if err != nil {
				return nil, err
			}
			l := built.Laplacian()
			floats.Scale(m.Weights[v]*float64(len(m.Graphs)), l.Value) // of which the mean is taken
			list = append(list, l)
		}
		return &graph.Power{L: data.MeanCSR(list), P: m.Graphs[0].Recipe.Degree}, nil
	})
}
