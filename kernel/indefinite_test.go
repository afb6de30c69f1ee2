package kernel_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Least must be the smallest eigenvalue of what the kernel says it is not sure of, and 0
// where rounding alone makes it negative; kernels that are semi-definite by construction
// must be so.
func TestLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	x := data.Rows{Dense: mat.NewDense(30, 3, nil)}
	x.Dense.Apply(func(int, int, float64) float64 { return math.Abs(rng.NormFloat64()) }, x.Dense)
	matrix := mat.NewDense(30, 30, nil)
	for i := range 30 {
		matrix.Set(i, i, float64(i)-2.5)
	}
	sigmoid, linear := kernel.Sigmoid{Scale: 1, Offset: -1}, kernel.Linear{}
	for _, c := range []struct {
		k                 kernel.Kernel
		known, indefinite bool
	}{
		{kernel.Gaussian{Sigma: 1}, true, false},
		{kernel.Gaussian{Sigma: 1e4}, true, false},
		{linear, true, false},
		{kernel.ARDGaussian{Sigma: []float64{1, 2, 3}}, true, false},
		{kernel.ExpChi2{Sigma: 1}, true, false},
		{kernel.Constant{}, true, false},
		{kernel.Columns{Columns: []int{0, 2}, Base: linear}, true, false},
		{kernel.Sum{Terms: []kernel.Kernel{linear, kernel.Gaussian{Sigma: 2}}}, true, false},
		{kernel.Product{Terms: []kernel.Kernel{linear, kernel.Normalised{Base: linear}}}, true, false},
		{sigmoid, false, true},
		{kernel.Precomputed{K: matrix}, false, true},
		{kernel.Scaled{Weight: 2, Base: sigmoid}, false, true},
		{kernel.Sum{Terms: []kernel.Kernel{sigmoid, kernel.Scaled{Weight: 100, Base: kernel.Gaussian{Sigma: 0.01}}}}, false, false},
	} {
		g, err := c.k.Bind(context.Background(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := kernel.Semidefinite(g); got != c.known {
			t.Errorf("%T: semi-definite by construction: %v", c.k, got)
		}
		full := mat.NewDense(30, 30, nil)
		g.Block(full, nil, nil)
		for _, centred := range []bool{false, true} {
			want := 0.0
			if c.indefinite {
				want = smallest(t, full, centred)
			}
			got, err := kernel.Least(context.Background(), full, centred)
			if err != nil || math.Abs(got-want) > 1e-10 {
				t.Errorf("%T, centred %v: smallest eigenvalue %g, want %g (%v)", c.k, centred, got, want, err)
			}
		}
	}
}

// smallest is the smallest eigenvalue of k, or of P k P, by a full decomposition.
func smallest(t *testing.T, k *mat.Dense, centred bool) float64 {
	t.Helper()
	a := mat.DenseCopyOf(k)
	if centred {
		kernel.Centre(a)
	}
	l, _ := a.Dims()
	s := mat.NewSymDense(l, nil)
	for i := range l {
		for j := range i + 1 {
			s.SetSym(i, j, a.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		t.Fatal("no eigenvalues")
	}
	return e.Values(nil)[0]
}
