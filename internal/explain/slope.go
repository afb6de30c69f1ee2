package explain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// slopeNumbers is how many columns a sparse row has at most for slopes, which are computed on dense rows.
const slopeNumbers = 1 << 20

// noSlope is why a function has no derivative by its row, or none here.
type noSlope struct{ why string }

func (e noSlope) Error() string { return e.why }

// slopes stores dg/dx_j of the columns of numbers, or why there are none. Cost: some five operations for each number of the kept rows
// and each kernel, of sparse ones for each of their columns.
func (e *Explainer) slopes(ctx context.Context, all *Features, list []column, o Output, row data.Rows) error {
	if row.IsSparse() && row.Dim() > slopeNumbers {
		all.WithoutSlope = "the rows have too many columns"
		return nil
	}
	grad := make([]float64, row.Dim()) // by the scaled features
	parts, rows := e.has(e.model.Scaling.Apply(row))
	for q, v := range parts {
		p := e.parts[v]
		own := make([]float64, rows[q].Dim())
		for _, fn := range p.Functions {
			if err := slopeOf(ctx, own, fn, o, dense(rows[q]).Dense.RawRowView(0)); err != nil {
				var none noSlope
				if errors.As(err, &none) {
					all.WithoutSlope = none.why
					return nil
				}
				return err
			}
		}
		for k, s := range own {
			to := k
			if p.Columns != nil {
				to = p.Columns[k]
			}
			grad[to] += s / float64(len(parts))
		}
	}
	e.unscale(grad, row)
	for q, c := range list {
		if c.number() && grad[c.at[0]]-grad[c.at[0]] == 0 {
			all.List[q].Slope = &grad[c.at[0]]
		}
	}
	return nil
}

// unscale turns derivatives by scaled features into those by features as read: they are divided by the column's scale, and where rows
// are scaled to length 1, with z = x / scale and x' = z / |z|,
//
//	dg/dz = (dg/dx' - x' (x' . dg/dx')) / |z|
func (e *Explainer) unscale(grad []float64, row data.Rows) {
	s := e.model.Scaling
	if s.Kind == data.ScaleUnit || s.Kind == data.ScaleTFIDF {
		x := dense(s.Apply(row)).Dense.RawRowView(0)
		z := dense(row).Dense.RawRowView(0)
		var along, length float64
		for j, v := range z {
			if s.Scale != nil {
				v /= s.Scale[j]
			}
			along += x[j] * grad[j]
			length = math.Hypot(length, v)
		}
		for j := range grad {
			grad[j] = (grad[j] - x[j]*along) / length
		}
	}
	for j, by := range s.Scale {
		grad[j] /= by
	}
}

// dense are the rows in dense form.
func dense(x data.Rows) data.Rows {
	if x.IsSparse() {
		return data.Rows{Dense: x.Sparse.ToDense()}
	}
	return x
}

// slopeOf adds the derivative of u'f of a function by its row x, scaled and dense.
func slopeOf(ctx context.Context, grad []float64, fn model.Function, o Output, x []float64) error {
	row := data.Rows{Dense: mat.NewDense(1, len(x), x)}
	switch fn := fn.(type) {
	case model.Linear:
		for j := range grad {
			grad[j] += o.of(fn.Weights.RawRowView(j))
		}
		return nil
	case model.Expansion:
		p := fn.Plain()
		return slope(ctx, grad, p.Kernel, row, p.Centres, combined(o, p.Coef))
	case model.Mean:
		return slopeOfMean(ctx, grad, fn, o, x)
	}
	return noSlope{fmt.Sprintf("a function %T has none", fn)}
}

// slopeOfMean is slopeOf of f = sum_j w_j y_j, whose weights w_j ~ exp(-|x - c_j|^2/(2 sigma^2)) add up to 1:
//
//	df/dx = sum_j w_j (y_j - f) (c_j - x)/sigma^2
func slopeOfMean(ctx context.Context, grad []float64, fn model.Mean, o Output, x []float64) error {
	p := fn.Plain()
	row := data.Rows{Dense: mat.NewDense(1, len(x), x)}
	if p.Centres.IsSparse() {
		row = data.Rows{Sparse: data.CSRFromDense(row.Dense)}
	}
	w, err := fn.Weights(ctx, row)
	if err != nil {
		return err
	}
	y := combined(o, p.Coef)
	var f float64
	for j, k := range w.RawRowView(0) {
		f += k * y[j]
	}
	sigma := p.Kernel.(kernel.Gaussian).Sigma
	return each(ctx, p.Centres, func(j int, c []float64) error {
		if fn.Known && slices.Equal(c, x) {
			return noSlope{"the row is one of those learned from, whose answer is its own"}
		}
		a := w.At(0, j) * (y[j] - f) / (sigma * sigma)
		for k, v := range c {
			grad[k] += a * (v - x[k])
		}
		return nil
	})
}

// combined are u'coef_j.
func combined(o Output, coef *mat.Dense) []float64 {
	n, _ := coef.Dims()
	a := make([]float64, n)
	for j := range a {
		a[j] = o.of(coef.RawRowView(j))
	}
	return a
}

// each calls f with each row in dense form, which f must not keep.
func each(ctx context.Context, rows data.Rows, f func(j int, c []float64) error) error {
	var buffer []float64
	if rows.IsSparse() {
		buffer = make([]float64, rows.Dim())
	}
	for j := range rows.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := buffer
		if rows.IsSparse() {
			clear(buffer)
			index, value := rows.Sparse.Row(j)
			for q, k := range index {
				buffer[k] = value[q]
			}
		} else {
			c = rows.Dense.RawRowView(j)
		}
		if err := f(j, c); err != nil {
			return err
		}
	}
	return nil
}

// slope adds sum_j a_j dk(x, c_j)/dx to grad, x one dense row. With s = <x, c>, r = |x - c|:
//
//	linear      c            polynomial  degree scale b^(degree-1) c, b = scale s + offset
//	ard-linear  c_i/penalty  sigmoid     scale (1 - k^2) c
//	gaussian    k (c - x)/sigma^2, of ard-gaussian by column
//	laplacian   k (c - x)/(sigma r), which has none at c itself
//
// Sums, weights, products, choices of columns and cosines follow by the rules of sum, product and quotient. The chi-square kernels
// and others have none here.
func slope(ctx context.Context, grad []float64, k kernel.Kernel, x, centres data.Rows, a []float64) error {
	switch k := k.(type) {
	case kernel.Constant:
		return nil
	case kernel.Scaled:
		by := make([]float64, len(a))
		for j, v := range a {
			by[j] = k.Weight * v
		}
		return slope(ctx, grad, k.Base, x, centres, by)
	case kernel.Sum:
		for _, t := range k.Terms {
			if err := slope(ctx, grad, t, x, centres, a); err != nil {
				return err
			}
		}
		return nil
	case kernel.Product:
		return slopeOfProduct(ctx, grad, k, x, centres, a)
	case kernel.Columns:
		own := make([]float64, len(k.Columns))
		if err := slope(ctx, own, k.Base, x.SelectColumns(k.Columns), centres.SelectColumns(k.Columns), a); err != nil {
			return err
		}
		for q, j := range k.Columns {
			grad[j] += own[q]
		}
		return nil
	case kernel.Normalised:
		return slopeOfCosine(ctx, grad, k, x, centres, a)
	}
	one, err := pairSlope(k)
	if err != nil {
		return err
	}
	row := x.Dense.RawRowView(0)
	return each(ctx, centres, func(j int, c []float64) error {
		if a[j] == 0 {
			return nil
		}
		return one(grad, row, c, a[j])
	})
}

// pairSlope adds a dk(x, c)/dx for one pair of rows of a kernel that is made of no other.
func pairSlope(k kernel.Kernel) (func(grad, x, c []float64, a float64) error, error) {
	inner := func(phi func(s float64) float64) func(grad, x, c []float64, a float64) error {
		return func(grad, x, c []float64, a float64) error {
			var s float64
			for i, v := range c {
				s += v * x[i]
			}
			a *= phi(s)
			for i, v := range c {
				grad[i] += a * v
			}
			return nil
		}
	}
	switch k := k.(type) {
	case kernel.Linear:
		return inner(func(float64) float64 { return 1 }), nil
	case kernel.Polynomial:
		return inner(func(s float64) float64 {
			return float64(k.Degree) * k.Scale * math.Pow(k.Scale*s+k.Offset, float64(k.Degree-1))
		}), nil
	case kernel.Sigmoid:
		return inner(func(s float64) float64 {
			t := math.Tanh(k.Scale*s + k.Offset)
			return k.Scale * (1 - t*t)
		}), nil
	case kernel.ARDLinear:
		return func(grad, _, c []float64, a float64) error {
			for i, v := range c {
				grad[i] += a * v / k.C[i]
			}
			return nil
		}, nil
	case kernel.Gaussian:
		return gaussian(func(int) float64 { return k.Sigma }), nil
	case kernel.ARDGaussian:
		return gaussian(func(i int) float64 { return k.Sigma[i] }), nil
	case kernel.Laplacian:
		return func(grad, x, c []float64, a float64) error {
			var r float64
			for i, v := range c {
				r += (x[i] - v) * (x[i] - v)
			}
			if r = math.Sqrt(r); r == 0 {
				return noSlope{"the row is equal to one that the model keeps, where the laplacian kernel has a kink"}
			}
			a *= math.Exp(-r/k.Sigma) / (k.Sigma * r)
			for i, v := range c {
				grad[i] += a * (v - x[i])
			}
			return nil
		}, nil
	}
	name := strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", k), "kernel."))
	return nil, noSlope{"the kernel " + name + " has no slope here"}
}

// gaussian is pairSlope with a width for each column.
func gaussian(sigma func(i int) float64) func(grad, x, c []float64, a float64) error {
	return func(grad, x, c []float64, a float64) error {
		var r float64
		for i, v := range c {
			t := (x[i] - v) / sigma(i)
			r += t * t
		}
		a *= math.Exp(-r / 2)
		for i, v := range c {
			grad[i] += a * (v - x[i]) / (sigma(i) * sigma(i))
		}
		return nil
	}
}

// slopeOfProduct is slope by the product rule: each factor with a_j times the values of all others.
func slopeOfProduct(ctx context.Context, grad []float64, k kernel.Product, x, centres data.Rows, a []float64) error {
	values := make([][]float64, len(k.Terms))
	for t, term := range k.Terms {
		var err error
		if values[t], err = crossed(ctx, term, x, centres); err != nil {
			return err
		}
	}
	by := make([]float64, len(a))
	for t, term := range k.Terms {
		copy(by, a)
		for s, v := range values {
			if s == t {
				continue
			}
			for j := range by {
				by[j] *= v[j]
			}
		}
		if err := slope(ctx, grad, term, x, centres, by); err != nil {
			return err
		}
	}
	return nil
}

// slopeOfCosine is slope of b(x, c)/sqrt(b(x, x) b(c, c)). As b is symmetric, the derivative of b(x, x) is twice that of b(x, z) by x
// at z = x.
func slopeOfCosine(ctx context.Context, grad []float64, k kernel.Normalised, x, centres data.Rows, a []float64) error {
	g, err := k.Base.Bind(ctx, centres, nil)
	if err != nil {
		return err
	}
	lengths := kernel.Diagonal(g, nil)
	cross, err := crossed(ctx, k.Base, x, centres)
	if err != nil {
		return err
	}
	self, err := crossed(ctx, k.Base, x, x)
	if err != nil {
		return err
	}
	if !(self[0] > 0) {
		return noSlope{"the row has no length in the kernel's space"}
	}
	by := make([]float64, len(a))
	var f float64
	for j, v := range a {
		if lengths[j] > 0 {
			by[j] = v / math.Sqrt(self[0]*lengths[j])
			f += by[j] * cross[j]
		}
	}
	if err := slope(ctx, grad, k.Base, x, centres, by); err != nil {
		return err
	}
	return slope(ctx, grad, k.Base, x, x, []float64{-f / self[0]})
}

// crossed are k(x, c_j) of one row with each centre.
func crossed(ctx context.Context, k kernel.Kernel, x, centres data.Rows) ([]float64, error) {
	g, err := k.Bind(ctx, centres, nil)
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(1, centres.Len(), nil)
	if err := g.Cross(out, x, nil); err != nil {
		return nil, err
	}
	return out.RawRowView(0), nil
}
