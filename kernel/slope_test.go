package kernel_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
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

// Sparse centres give the slopes of dense ones, added to what is there.
func TestSlopesOfSparseCentres(t *testing.T) {
	centres := cloud(12, 5, 21)
	sparse := data.Rows{Sparse: data.CSRFromDense(centres.Dense)}
	x := data.Rows{Dense: mat.NewDense(1, 5, []float64{0.3, -0.2, 0.5, 0.7, -1.1})}
	a := []float64{1, -2, 0, 3, 0.5, 1, 1, -1, 2, 0, 1, 4}
	for _, k := range kernels() {
		dense, same := []float64{0, 0, 0, 0, 0}, []float64{1, 1, 1, 1, 1}
		if err := kernel.Slope(t.Context(), dense, k, x, centres, a); err != nil {
			continue // without a slope: see TestSlopes
		}
		if err := kernel.Slope(t.Context(), same, k, x, sparse, a); err != nil {
			t.Fatal(err)
		}
		for c := range dense {
			if math.Abs(dense[c]+1-same[c]) > 1e-10*(1+math.Abs(dense[c])) {
				t.Errorf("%s: slope %g by column %d, of sparse centres %g", kernel.Format(k, nil), dense[c], c+1, same[c]-1)
			}
		}
	}
}

// A kernel without a slope says so, also inside others, and so does a row at a kink or without a direction.
func TestNoSlope(t *testing.T) {
	rows := histograms(4, 2, 3)
	none := kernel.ExpChi2{Sigma: 1}
	for _, c := range []struct {
		k    kernel.Kernel
		want string
	}{
		{none, "the kernel expchi2 has no slope here"},
		{kernel.Scaled{Weight: 2, Base: none}, "expchi2"},
		{kernel.Sum{Terms: []kernel.Kernel{none, kernel.Linear{}}}, "expchi2"},
		{kernel.Product{Terms: []kernel.Kernel{none, kernel.Linear{}}}, "expchi2"},
		{kernel.Columns{Base: none, Columns: []int{0}}, "expchi2"},
		{kernel.Normalised{Base: none}, "expchi2"},
		{kernel.Laplacian{Sigma: 1}, "kink"},
		{kernel.MetricLaplacian{Sigma: 1}, "kink"},
	} {
		err := kernel.Slope(t.Context(), make([]float64, 2), c.k, rows.Select([]int{1}), rows, []float64{1, 1, 1, 1})
		if none := kernel.NoSlope(""); !errors.As(err, &none) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, expected %s", c.k, err, c.want)
		}
	}
	zero := data.Rows{Dense: mat.NewDense(1, 2, nil)}
	err := kernel.Slope(t.Context(), make([]float64, 2), kernel.Normalised{Base: kernel.Linear{}}, zero, rows, []float64{1, 1, 1, 1})
	if err == nil || !strings.Contains(err.Error(), "no length") {
		t.Errorf("a row of zeros: error %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	err = kernel.Slope(stopped, make([]float64, 2), kernel.Linear{}, zero, rows, []float64{1, 1, 1, 1})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: error %v", err)
	}
}
