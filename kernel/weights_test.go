package kernel_test

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The weights of a column and an output are the sum of its values times the coefficients, over the penalty.
func TestWeights(t *testing.T) {
	x, coef := mat.NewDense(3, 2, []float64{1, 2, 0, -3, 4, 0}), mat.NewDense(3, 2, []float64{1, 5, 2, -1, 3, 0.5})
	linear, ard := mat.NewDense(2, 2, []float64{13, 7, -4, 13}), mat.NewDense(2, 2, []float64{6.5, 3.5, -0.5, 1.625})
	for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
		for _, c := range []struct {
			k    kernel.Kernel
			want *mat.Dense
		}{
			{kernel.Linear{}, linear}, {kernel.ARDLinear{C: []float64{2, 8}}, ard},
			{kernel.ARDLinear{C: []float64{2, 8, 1}}, nil}, {kernel.Gaussian{Sigma: 1}, nil}, {other{}, nil},
		} {
			got := kernel.Expansion{Kernel: c.k, Centres: rows, Coef: coef}.Weights()
			if (got == nil) != (c.want == nil) || got != nil && !mat.Equal(got, c.want) {
				t.Errorf("%+v, sparse %v: %v, expected %v", c.k, rows.IsSparse(), got, c.want)
			}
		}
	}
	if !kernel.Weighs(kernel.ARDLinear{}) || kernel.Weighs(kernel.Gaussian{}) {
		t.Error("Weighs is true of the Gaussian kernel or false of a linear one")
	}
}
