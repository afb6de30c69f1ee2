package kernel_test

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"gonum.org/v1/gonum/mat"
)

// The features of linear kernels, and of what is made of them, multiply to their Gram
// matrices; other kernels have none.
func TestFeatures(t *testing.T) {
	dense := histograms(23, 5, 2)
	csr := data.Rows{Sparse: data.CSRFromDense(dense.Dense)}
	ard := kernel.ARDLinear{C: []float64{1, 2, 0.5, 4, 1}}
	for _, k := range []kernel.Kernel{
		kernel.Linear{}, ard, kernel.Constant{}, kernel.Chi2Map{Harmonics: 2}, kernel.Scaled{Weight: 3, Base: ard},
		kernel.Columns{Base: kernel.Linear{}, Columns: []int{3, 1}},
		kernel.Sum{Terms: []kernel.Kernel{ard, kernel.Scaled{Weight: 10, Base: kernel.Constant{}},
			kernel.Columns{Base: kernel.Chi2Map{}, Columns: []int{2}}}},
	} {
		for _, rows := range []data.Rows{dense, csr} {
			g := bind(t, k, rows, nil)
			x, ok := kernel.Features(g)
			if !ok {
				t.Errorf("%T: no features", k)
				continue
			}
			want, got := full(g), mat.NewDense(23, 23, nil)
			eye := mat.NewDense(23, 23, nil)
			for i := range 23 {
				eye.Set(i, i, 1)
			}
			kernel.MulFeatures(got, x, nil, nil, eye)
			if d := distance(t, got, want); d > 1e-13*mat.Max(want) {
				t.Errorf("%T, sparse %v: X X' differs from K by %g", k, rows.IsSparse(), d)
			}
		}
	}
	for _, k := range []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{},
		kernel.Gaussian{Sigma: 1}}}, kernel.Product{Terms: []kernel.Kernel{kernel.Linear{}, kernel.Constant{}}}} {
		if _, ok := kernel.Features(bind(t, k, dense, nil)); ok {
			t.Errorf("%T has features", k)
		}
	}
}

func TestConstant(t *testing.T) {
	for _, rows := range []data.Rows{cloud(30, 5, 2), {Sparse: data.CSRFromDense(cloud(30, 5, 2).Dense)}} {
		kerneltest.Run(t, kernel.Constant{}, rows)
		kerneltest.Run(t, kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{}, kernel.Scaled{Weight: 10, Base: kernel.Constant{}}}}, rows)
	}
}
