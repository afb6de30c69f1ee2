package manifold

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
)

// Filtered is the intrinsic norm f'h(L)f of a graph's Laplacian: a real power L^t, or with Heat
// the semigroup exp(t L). Its parameter is t, `degree` or `semigroup`. The eigenvectors
// are shared through Work; at most 5000 rows (graph.NewRealPower).
type Filtered struct {
	Graph Graph // its degree is not used
	Heat  bool
	T     float64 // 0: 1
}

var _ Norm = Filtered{}

func (f Filtered) t() float64 {
	if f.T == 0 {
		return 1
	}
	return f.T
}

// Space has the degree or the semigroup's time.
func (f Filtered) Space() param.Space {
	if f.Heat {
		return param.Space{{Name: "semigroup", Kind: param.Log, Lo: 0x1p-6, Hi: 0x1p5, Default: f.t()}}
	}
	return param.Space{{Name: "degree", Kind: param.Log, Lo: 0.25, Hi: 8, Default: f.t()}}
}

// With replaces t.
func (f Filtered) With(theta []float64) (Norm, error) {
	if len(theta) != 1 {
		panic(fmt.Sprintf("manifold: %d parameters for a filter with one", len(theta)))
	}
	if !(theta[0] > 0) {
		return nil, fmt.Errorf("manifold: %s = %g; it must be positive", f.Space()[0].Name, theta[0])
	}
	f.T = theta[0]
	return f, nil
}

// Bind decomposes the Laplacian, once for all t.
func (f Filtered) Bind(ctx context.Context, rows data.Rows, work *kernel.Work) (graph.Operator, error) {
	one := f
	one.T, one.Graph.Recipe.Degree = 1, 1
	o, err := kernel.Shared(work, fmt.Sprintf("filter/%+v", one), func() (graph.Tunable, error) {
		g, err := one.Graph.Build(ctx, rows, work)
		if err != nil {
			return nil, err
		}
		if f.Heat {
			return graph.NewSemigroup(ctx, g.Laplacian(), 1)
		}
		return graph.NewRealPower(ctx, g.Laplacian(), 1)
	})
	if err != nil {
		return nil, err
	}
	return o.With([]float64{f.t()})
}
