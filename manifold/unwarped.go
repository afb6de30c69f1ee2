package manifold

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
)

// unwarped is the Gram object of the ratio 0: that of the base kernel, with a derivative by the ratio,
//
//	-<U V', K_I' R K_J>
//
// The norm's parameters have no effect here.
type unwarped struct {
	kernel.Gram
	own  int // parameters of the base kernel
	norm graph.Operator
	ctx  context.Context //nolint:containedctx // a view's (Within)
}

// Within implements what kernel.Within asks for.
func (g unwarped) Within(ctx context.Context) kernel.Gram {
	g.Gram, g.ctx = kernel.Within(ctx, g.Gram), ctx
	return g
}

// Pull implements kernel.Gram. Cost: 2 n^2 r flops for a cotangent of rank r, beside the base kernel's own.
func (g unwarped) Pull(grad []float64, bar kernel.Cotangent) error {
	if err := kernel.PullWithin(g.ctx, g.Gram, grad[:g.own], bar); err != nil {
		return err
	}
	ki, kj := g.to(bar.I), g.to(bar.J)
	for _, f := range factors(bar) {
		ku, kv := blas.Product(blas.N(ki), blas.N(f.u)), kj
		if f.v != nil {
			kv = blas.Product(blas.N(kj), blas.N(f.v))
		}
		rk := mat.NewDense(kv.RawMatrix().Rows, kv.RawMatrix().Cols, nil)
		if err := multiply(g.ctx, g.norm, rk, kv); err != nil {
			return err
		}
		for i := range rk.RawMatrix().Rows {
			a := ku.RawRowView(i)
			for q, v := range rk.RawRowView(i) {
				grad[len(grad)-1] -= a[q] * v
			}
		}
	}
	return nil
}

// to are the kernel values of all rows and the rows j.
func (g unwarped) to(j []int) *mat.Dense {
	n := g.Len()
	columns := len(j)
	if j == nil {
		columns = n
	}
	k := mat.NewDense(n, columns, nil)
	g.Block(k, nil, j)
	return k
}
