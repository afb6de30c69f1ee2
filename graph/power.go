package graph

// R = L^p as p sparse products: L^p fills in, its products do not.
// Time 2 p nnz(L) k flops for R x with x n x k; scratch of the size of the cache.

import (
	"fmt"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Power is the operator L^P of a symmetric positive semi-definite L, P >= 1. It
// has no parameters.
type Power struct {
	L *data.CSR
	P int

	scratch pool
}

// Len is n.
func (o *Power) Len() int { return o.L.R }

// Space is empty.
func (o *Power) Space() param.Space { return nil }

// Pull adds nothing.
func (o *Power) Pull(grad []float64, u, v *mat.Dense) { checkPull(o, nil, grad, u, v) }

// MulTo stores L^P x in dst.
func (o *Power) MulTo(dst, x *mat.Dense) {
	checkMul(o, dst, x)
	if o.P < 1 {
		panic(fmt.Sprintf("graph: power %d of a Laplacian; at least 1", o.P))
	}
	o.L.PowerTo(dst, x, o.P)
}

// Trace is the trace of L^P. For P <= 2 it is read off L; else it takes n
// products by unit vectors.
func (o *Power) Trace() float64 {
	sum := 0.0
	switch o.P {
	case 1:
		for i := range o.L.R {
			idx, val := o.L.Row(i)
			for p, j := range idx {
				if int(j) == i {
					sum += val[p]
				}
			}
		}
	case 2:
		for _, v := range o.L.Value {
			sum += v * v
		}
	default:
		return traceByProducts(o)
	}
	return sum
}

// pool lends n x k matrices to concurrent calls. The zero value is ready.
type pool struct{ free sync.Pool }

func (p *pool) get(n, k int) *mat.Dense {
	buf, _ := p.free.Get().(*[]float64)
	if buf == nil || cap(*buf) < n*k {
		b := make([]float64, n*k)
		buf = &b
	}
	return mat.NewDense(n, k, (*buf)[:n*k])
}

func (p *pool) put(m *mat.Dense) {
	buf := m.RawMatrix().Data
	p.free.Put(&buf)
}

func checkMul(o Operator, dst, x *mat.Dense) {
	r, c := dst.Dims()
	xr, xc := x.Dims()
	if r != o.Len() || xr != r || xc != c {
		panic(fmt.Sprintf("graph: %dx%d = operator of %d rows * %dx%d", r, c, o.Len(), xr, xc))
	}
}

func checkPull(o Operator, s param.Space, grad []float64, u, v *mat.Dense) {
	ur, uc := u.Dims()
	vr, vc := v.Dims()
	if len(grad) != len(s) || ur != o.Len() || vr != ur || uc != vc {
		panic(fmt.Sprintf("graph: pull of %dx%d and %dx%d to %d parameters through an operator of %d rows and %d parameters",
			ur, uc, vr, vc, len(grad), o.Len(), len(s)))
	}
}
