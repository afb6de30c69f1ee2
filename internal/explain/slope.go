package explain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// slopeNumbers is how many columns a sparse row has at most for slopes, which are computed on dense rows.
const slopeNumbers = 1 << 20

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
				var none kernel.NoSlope
				if errors.As(err, &none) {
					all.WithoutSlope = string(none)
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
		return kernel.Slope(ctx, grad, p.Kernel, row, p.Centres, combined(o, p.Coef))
	case model.Mean:
		return slopeOfMean(ctx, grad, fn, o, x)
	}
	return kernel.NoSlope(fmt.Sprintf("a function %T has none", fn))
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
	for j := range p.Centres.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := dense(p.Centres.Select([]int{j})).Dense.RawRowView(0)
		if fn.Known && slices.Equal(c, x) {
			return kernel.NoSlope("the row is one of those learned from, whose answer is its own")
		}
		a := w.At(0, j) * (y[j] - f) / (sigma * sigma)
		for k, v := range c {
			grad[k] += a * (v - x[k])
		}
	}
	return nil
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
