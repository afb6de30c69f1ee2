package graph

// R = h(L) by the eigenvectors of L, for a function h of the eigenvalues with a parameter t:
//
//	L = U diag(e) U',   R = U diag(h(e, t)) U',   dR/dt = U diag(dh/dt) U'
//
//	real power        h = e^t,      t > 0     (Becker 2013, section 3.2.1, whole t there)
//	heat semigroup    h = exp(t e), t >= 0    (Sindhwani 2007, section 2.2.2, remark 1: the penalty, whose
//	                                           smoothing operator is exp(-t L))
//
// where e <= 1e-12 of the largest counts as 0. Time n^3 once, then 4 n^2 k a product; memory
// n^2. For small n; Power serves whole powers.

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// function is h and its derivative by t, and the parameter's name and range.
type function struct {
	name   string
	lo, hi float64
	value  func(e, t float64) float64
	slope  func(e, t float64) float64
}

func realPower() function {
	return function{name: "degree", lo: 0.25, hi: 8,
		value: func(e, t float64) float64 {
			if e == 0 {
				return 0
			}
			return math.Pow(e, t)
		},
		slope: func(e, t float64) float64 {
			if e == 0 {
				return 0
			}
			return math.Pow(e, t) * math.Log(e)
		}}
}

func semigroup() function {
	return function{name: "semigroup", lo: 0x1p-6, hi: 0x1p5,
		value: func(e, t float64) float64 { return math.Exp(t * e) },
		slope: func(e, t float64) float64 { return e * math.Exp(t*e) }}
}

// filter is h(L) with the continuous parameter t, called "degree" for a real power and
// "semigroup" for the heat semigroup.
type filter struct {
	h       function
	t       float64
	values  []float64
	vectors *mat.Dense
}

// NewRealPower decomposes L and returns L^p. More than 5000 rows (200 MB of eigenvectors
// and minutes of work) are refused.
func NewRealPower(ctx context.Context, l *data.CSR, p float64) (Tunable, error) {
	return newFilter(ctx, l, realPower(), p)
}

// NewSemigroup decomposes L and returns exp(t L), up to 5000 rows.
func NewSemigroup(ctx context.Context, l *data.CSR, t float64) (Tunable, error) {
	return newFilter(ctx, l, semigroup(), t)
}

func newFilter(ctx context.Context, l *data.CSR, h function, t float64) (Tunable, error) {
	n := l.R
	if n > 5000 {
		return nil, fmt.Errorf("graph: a real %s needs all eigenvectors, at most 5000 rows; there are %d; take a whole degree", h.name, n)
	}
	if !(t > 0) || math.IsInf(t, 1) {
		return nil, fmt.Errorf("graph: %s %g must be positive and finite", h.name, t)
	}
	a := mat.NewDense(n, n, nil)
	for i := range n {
		idx, val := l.Row(i)
		for q, j := range idx {
			a.Set(i, int(j), val[q])
		}
	}
	o := &filter{h: h, t: t, values: make([]float64, n), vectors: mat.NewDense(n, n, nil)}
	if err := blas.Within(ctx).SymEigen(a, o.values, o.vectors); err != nil {
		return nil, fmt.Errorf("graph: real %s: %w", h.name, err)
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
func (o *filter) Len() int { return len(o.values) }

// Space is the parameter: a degree from 1/4 to 8, a time from 1/64 to 32.
func (o *filter) Space() param.Space {
	return param.Space{{Name: o.h.name, Kind: param.Log, Lo: min(o.t, o.h.lo), Hi: max(o.t, o.h.hi), Default: o.t}}
}

// With returns the operator at another parameter; the eigenvectors are shared.
func (o *filter) With(theta []float64) (Operator, error) {
	if len(theta) != 1 {
		panic(fmt.Sprintf("graph: %d parameters given for a real %s", len(theta), o.h.name))
	}
	if t := theta[0]; !(t > 0) || math.IsInf(t, 1) {
		return nil, fmt.Errorf("graph: %s %g must be positive and finite", o.h.name, t)
	}
	c := *o
	c.t = theta[0]
	return &c, nil
}

// Trace is the sum of h.
func (o *filter) Trace() float64 {
	sum := 0.0
	for _, e := range o.values {
		sum += o.h.value(e, o.t)
	}
	return sum
}

// MulTo stores h(L) x in dst.
func (o *filter) MulTo(dst, x *mat.Dense) {
	checkMul(o, dst, x)
	z := blas.Product(blas.T(o.vectors), blas.N(x))
	for k, e := range o.values {
		scale := o.h.value(e, o.t)
		row := z.RawRowView(k)
		for c := range row {
			row[c] *= scale
		}
	}
	blas.Gemm(1, blas.N(o.vectors), blas.N(z), 0, dst)
}

// Pull adds <U V', dh(L)/dt> to grad.
func (o *filter) Pull(grad []float64, u, v *mat.Dense) {
	checkPull(o, o.Space(), grad, u, v)
	n, r := u.Dims()
	zu, zv := mat.NewDense(n, r, nil), mat.NewDense(n, r, nil)
	blas.Gemm(1, blas.T(o.vectors), blas.N(u), 0, zu)
	blas.Gemm(1, blas.T(o.vectors), blas.N(v), 0, zv)
	for k, e := range o.values {
		if s := o.h.slope(e, o.t); s != 0 {
			grad[0] += s * mat.Dot(zu.RowView(k), zv.RowView(k))
		}
	}
}
