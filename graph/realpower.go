package graph

// R = L^p for real p > 0 by the eigenvectors of L:
//
//	L = U diag(e) U',   L^p = U diag(e^p) U',   dL^p/dp = U diag(e^p ln e) U'
//
// where e <= 1e-12 of the largest counts as 0 and contributes nothing. Time n^3
// once, then 4 n^2 k a product; memory n^2. For small n; Power serves whole p.

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/param"
	"github.com/mercer-ml/mercer/sparse"
	"gonum.org/v1/gonum/mat"
)

// RealPower is L^p with the continuous parameter "degree" p.
type RealPower struct {
	p       float64
	values  []float64
	vectors *mat.Dense
}

// NewRealPower decomposes L and returns L^p. More than 5000 rows (200 MB of
// eigenvectors and minutes of work) are refused.
func NewRealPower(l *sparse.CSR, p float64) (*RealPower, error) {
	n := l.R
	if n > 5000 {
		return nil, fmt.Errorf("graph: a real degree needs all eigenvectors, at most 5000 rows; there are %d; take a whole degree", n)
	}
	if !(p > 0) || math.IsInf(p, 1) {
		return nil, fmt.Errorf("graph: degree %g must be positive and finite", p)
	}
	a := mat.NewDense(n, n, nil)
	for i := range n {
		idx, val := l.Row(i)
		for q, j := range idx {
			a.Set(i, int(j), val[q])
		}
	}
	o := &RealPower{p: p, values: make([]float64, n), vectors: mat.NewDense(n, n, nil)}
	if err := blas.SymEigen(a, o.values, o.vectors); err != nil {
		return nil, fmt.Errorf("graph: real degree: %w", err)
	}
	largest := 0.0
	for _, e := range o.values {
		largest = max(largest, e)
	}
	for k, e := range o.values {
		if e <= 1e-12*largest {
			o.values[k] = 0
		}
	}
	return o, nil
}

// Len is n.
func (o *RealPower) Len() int { return len(o.values) }

// Space is the degree, 1/4 to 8.
func (o *RealPower) Space() param.Space {
	return param.Space{{Name: "degree", Kind: param.Log, Lo: min(o.p, 0.25), Hi: max(o.p, 8), Default: o.p}}
}

// With returns the operator of another degree; the eigenvectors are shared.
func (o *RealPower) With(theta []float64) (Operator, error) {
	if len(theta) != 1 {
		panic(fmt.Sprintf("graph: %d parameters given for a real degree", len(theta)))
	}
	if p := theta[0]; !(p > 0) || math.IsInf(p, 1) {
		return nil, fmt.Errorf("graph: degree %g must be positive and finite", p)
	}
	return &RealPower{p: theta[0], values: o.values, vectors: o.vectors}, nil
}

// Trace is sum e^p.
func (o *RealPower) Trace() float64 {
	sum := 0.0
	for _, e := range o.values {
		if e > 0 {
			sum += math.Pow(e, o.p)
		}
	}
	return sum
}

// MulTo stores L^p x in dst.
func (o *RealPower) MulTo(dst, x *mat.Dense) {
	checkMul(o, dst, x)
	z := mat.NewDense(len(o.values), x.RawMatrix().Cols, nil)
	blas.Gemm(true, false, 1, o.vectors, x, 0, z)
	for k, e := range o.values {
		scale := 0.0
		if e > 0 {
			scale = math.Pow(e, o.p)
		}
		row := z.RawRowView(k)
		for c := range row {
			row[c] *= scale
		}
	}
	blas.Gemm(false, false, 1, o.vectors, z, 0, dst)
}

// Pull adds <U V', dL^p/dp> to grad.
func (o *RealPower) Pull(grad []float64, u, v *mat.Dense) {
	checkPull(o, o.Space(), grad, u, v)
	n, r := u.Dims()
	zu, zv := mat.NewDense(n, r, nil), mat.NewDense(n, r, nil)
	blas.Gemm(true, false, 1, o.vectors, u, 0, zu)
	blas.Gemm(true, false, 1, o.vectors, v, 0, zv)
	for k, e := range o.values {
		if e > 0 {
			grad[0] += math.Pow(e, o.p) * math.Log(e) * mat.Dot(zu.RowView(k), zv.RowView(k))
		}
	}
}
