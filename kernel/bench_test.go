package kernel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// text returns n sparse rows of 7500 columns, one column in a hundred filled.
func text(n int) data.Rows {
	r := rand.New(rand.NewPCG(1, 2))
	a := &data.CSR{R: n, C: 7500, Start: []int{0}}
	for range n {
		for c := range 7500 {
			if r.IntN(100) == 0 {
				a.Index = append(a.Index, int32(c))
				a.Value = append(a.Value, r.Float64())
			}
		}
		a.Start = append(a.Start, len(a.Index))
	}
	return data.Rows{Sparse: a}
}

func BenchmarkBlock(b *testing.B) {
	for _, c := range []struct {
		name string
		k    kernel.Kernel
		rows data.Rows
		w    *kernel.Work
	}{
		{"gaussian-2000x10", kernel.Gaussian{Sigma: 3}, cloud(2000, 10, 1), nil},
		{"laplacian-2000x10", kernel.Laplacian{Sigma: 3}, cloud(2000, 10, 1), nil},
		{"gaussian-2000x64", kernel.Gaussian{Sigma: 5}, cloud(2000, 64, 1), nil},
		{"gaussian-2000x64-work", kernel.Gaussian{Sigma: 5}, cloud(2000, 64, 1), new(kernel.Work)},
		{"ard-2000x64", kernel.ARDGaussian{}.Adapt(cloud(2000, 64, 1)), cloud(2000, 64, 1), nil},
		{"linear-2000x64", kernel.Linear{}, cloud(2000, 64, 1), nil},
		{"linear-text-2000", kernel.Linear{}, text(2000), nil},
		{"gaussian-text-2000", kernel.Gaussian{Sigma: 5}, text(2000), nil},
		{"gaussian-2000x100", kernel.Gaussian{Sigma: 5}, cloud(2000, 100, 1), nil},
		{"exp-chi2-2000x100", kernel.ExpChi2{Sigma: 3}, histograms(2000, 100, 1), nil},
		{"add-chi2-2000x100", kernel.AddChi2{}, histograms(2000, 100, 1), nil},
		{"chi2-map-2000x100", kernel.Chi2Map{}, histograms(2000, 100, 1), nil},
		{"exp-chi2-text-2000", kernel.ExpChi2{Sigma: 5}, text(2000), nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			dst := mat.NewDense(2000, 2000, nil)
			for b.Loop() {
				bind(b, c.k, c.rows, c.w).Block(dst, nil, nil)
			}
		})
	}
}

func BenchmarkPull(b *testing.B) {
	rows, narrow := cloud(2000, 64, 1), cloud(2000, 10, 1)
	u := mat.NewDense(2000, 2, nil)
	for i := range 2000 {
		u.Set(i, 0, 1)
		u.Set(i, 1, float64(i%7))
	}
	for _, c := range []struct {
		name string
		k    kernel.Kernel
		rows data.Rows
		w    *kernel.Work
	}{
		{"gaussian-2000x10", kernel.Gaussian{Sigma: 3}, narrow, nil},
		{"laplacian-2000x10", kernel.Laplacian{Sigma: 3}, narrow, nil},
		{"gaussian", kernel.Gaussian{Sigma: 5}, rows, nil},
		{"gaussian-work", kernel.Gaussian{Sigma: 5}, rows, new(kernel.Work)},
		{"ard", kernel.ARDGaussian{}.Adapt(rows), rows, nil},
		{"ard-text", kernel.ARDGaussian{}.Adapt(text(2000)), text(2000), nil},
		{"ard-linear", kernel.ARDLinear{}.Adapt(rows), rows, nil},
		{"exp-chi2-2000x100", kernel.ExpChi2{Sigma: 3}, histograms(2000, 100, 1), nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			g := bind(b, c.k, c.rows, c.w)
			grad := make([]float64, len(c.k.Space()))
			for b.Loop() {
				if err := g.Pull(grad, kernel.Cotangent{U: u, V: u}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
