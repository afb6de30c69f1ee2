package kernel_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Slopes are those of differences, for a row that is equal to no centre in any column.
func TestSlopes(t *testing.T) {
	centres := cloud(12, 5, 21)
	r := rand.New(rand.NewPCG(8, 9))
	x, a := make([]float64, 5), make([]float64, 12)
	for c := range x {
		x[c] = 0.1 + 0.7*r.NormFloat64()
	}
	for j := range a {
		a[j] = r.NormFloat64()
	}
	for _, k := range kernels() {
		grad := make([]float64, 5)
		err := kernel.Slope(context.Background(), grad, k, data.Rows{Dense: mat.NewDense(1, 5, x)}, centres, a)
		var none kernel.NoSlope
		if errors.As(err, &none) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", kernel.Format(k, nil), err)
		}
		g := bind(t, k, centres, nil)
		at := func(c int, d float64) (f float64) {
			moved := append([]float64(nil), x...)
			moved[c] += d
			cross := mat.NewDense(1, 12, nil)
			if err := g.Cross(cross, data.Rows{Dense: mat.NewDense(1, 5, moved)}, nil); err != nil {
				t.Fatal(err)
			}
			for j, v := range a {
				f += v * cross.At(0, j)
			}
			return f
		}
		const h = 1e-5
		for c := range x {
			if want := (at(c, h) - at(c, -h)) / (2 * h); math.Abs(grad[c]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s: the slope by column %d is %g, by differences %g", kernel.Format(k, nil), c+1, grad[c], want)
			}
		}
	}
}
