package kernel

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// NoSlope is why a function has no derivative by its row, or none here.
type NoSlope string

func (e NoSlope) Error() string { return string(e) }

// sloped is a kernel that is made of no other and has a derivative by a row.
type sloped interface {
	// tangent adds a dk(x, c)/dx to grad.
	tangent(grad, x, c []float64, a float64) error
}

// Slope adds sum_j a_j dk(x, c_j)/dx to grad, x one dense row. With s = <x, c>, r = |x - c|:
//
//	linear      c            polynomial  degree scale b^(degree-1) c, b = scale s + offset
//	ard-linear  c_i/penalty  sigmoid     scale (1 - k^2) c
//	gaussian    k (c - x)/sigma^2, of ard-gaussian by column
//	laplacian   k (c - x)/(sigma r), which has none at c itself
//
// Sums, weights, products, choices of columns and cosines follow by the rules of sum, product and quotient. The chi-square kernels
// and others have none here, and are the error NoSlope.
func Slope(ctx context.Context, grad []float64, k Kernel, x, centres data.Rows, a []float64) error {
	switch k := k.(type) {
	case Constant:
		return nil
	case Scaled:
		by := make([]float64, len(a))
		for j, v := range a {
			by[j] = k.Weight * v
		}
		return Slope(ctx, grad, k.Base, x, centres, by)
	case Sum:
		for _, t := range k.Terms {
			if err := Slope(ctx, grad, t, x, centres, a); err != nil {
				return err
			}
		}
		return nil
	case Product:
		return slopeOfProduct(ctx, grad, k, x, centres, a)
	case Columns:
		own := make([]float64, len(k.Columns))
		if err := Slope(ctx, own, k.Base, x.SelectColumns(k.Columns), centres.SelectColumns(k.Columns), a); err != nil {
			return err
		}
		for q, j := range k.Columns {
			grad[j] += own[q]
		}
		return nil
	case Normalised:
		return slopeOfCosine(ctx, grad, k, x, centres, a)
	}
	own, ok := as[sloped](k)
	if !ok {
		name := strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", k), "kernel."))
		return NoSlope("the kernel " + name + " has no slope here")
	}
	c := make([]float64, centres.Dim())
	for j := range centres.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if a[j] == 0 {
			continue
		}
		if centres.IsSparse() {
			clear(c)
			index, value := centres.Sparse.Row(j)
			for q, i := range index {
				c[i] = value[q]
			}
		} else {
			c = row(centres.Dense, j)
		}
		if err := own.tangent(grad, row(x.Dense, 0), c, a[j]); err != nil {
			return err
		}
	}
	return nil
}

// inner is the inner product <c, x>, summed in the order of the columns.
func inner(c, x []float64) (s float64) {
	for i, v := range c {
		s += v * x[i]
	}
	return s
}

// along adds a c to grad.
func along(grad, c []float64, a float64) error {
	for i, v := range c {
		grad[i] += a * v
	}
	return nil
}

// slopeOfProduct is Slope by the product rule: each factor with a_j times the values of all others.
func slopeOfProduct(ctx context.Context, grad []float64, k Product, x, centres data.Rows, a []float64) error {
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
		if err := Slope(ctx, grad, term, x, centres, by); err != nil {
			return err
		}
	}
	return nil
}

// slopeOfCosine is Slope of b(x, c)/sqrt(b(x, x) b(c, c)). As b is symmetric, the derivative of b(x, x) is twice that of b(x, z) by x
// at z = x.
func slopeOfCosine(ctx context.Context, grad []float64, k Normalised, x, centres data.Rows, a []float64) error {
	g, err := k.Base.Bind(ctx, centres, nil)
	if err != nil {
		return err
	}
	lengths := Diagonal(g, nil)
	cross, err := crossed(ctx, k.Base, x, centres)
	if err != nil {
		return err
	}
	self, err := crossed(ctx, k.Base, x, x)
	if err != nil {
		return err
	}
	if !(self[0] > 0) {
		return NoSlope("the row has no length in the kernel's space")
	}
	by := make([]float64, len(a))
	var f float64
	for j, v := range a {
		if lengths[j] > 0 {
			by[j] = v / math.Sqrt(self[0]*lengths[j])
			f += by[j] * cross[j]
		}
	}
	if err := Slope(ctx, grad, k.Base, x, centres, by); err != nil {
		return err
	}
	return Slope(ctx, grad, k.Base, x, x, []float64{-f / self[0]})
}

// crossed are k(x, c_j) of one row with each centre.
func crossed(ctx context.Context, k Kernel, x, centres data.Rows) ([]float64, error) {
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
