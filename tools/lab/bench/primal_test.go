package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/primal"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
)

// laplacian is a Laplacian SVM (squared hinge) on a problem: Gram object, graph,
// machine. The ratio of the weights is 10 for a kernel of diagonal one.
func laplacian(b *testing.B, p *learn.Problem) (kernel.Gram, graph.Operator, primal.Machine) {
	g := bind(b, kernel.Gaussian{}.Adapt(p.Rows), p.Rows, nil)
	r, err := manifold.Graph{Recipe: graph.Recipe{Neighbours: 10}}.Bind(context.Background(), p.Rows, nil)
	if err != nil {
		b.Fatal(err)
	}
	return g, r, primal.Machine{Ambient: 1e-3, Intrinsic: 1e-2, Bias: true}
}

// BenchmarkLapSVM is the training of a Laplacian SVM after graph and Gram matrix, n
// 2000, d 10, l 50: conjugate gradients with their default stop on the Gram matrix in
// double and in single precision.
func BenchmarkLapSVM(b *testing.B) {
	p := problem(2000, 10, 50)
	g, r, machine := laplacian(b, p)
	k := mat.NewDense(2000, 2000, nil)
	g.Block(k, nil, nil)
	single, err := primal.SingleProduct(context.Background(), g)
	if err != nil {
		b.Fatal(err)
	}
	for name, train := range map[string]func() (*primal.Result, error){
		"cg": func() (*primal.Result, error) {
			return machine.CG(context.Background(), primal.DenseProduct(k), r, p.Labelled, p.Y, primal.Options{})
		},
		"cg-single": func() (*primal.Result, error) {
			return machine.CG(context.Background(), single, r, p.Labelled, p.Y, primal.Options{})
		},
	} {
		b.Run(name, func(b *testing.B) {
			var t times
			for b.Loop() {
				t.measure(func() {
					if _, err := train(); err != nil {
						b.Fatal(err)
					}
				})
			}
			b.ReportMetric(t.median(), "median-s")
		})
	}
}

// BenchmarkLapSVMMatrixFree is conjugate gradients on 50 000 rows of two moons with
// noise in 20 columns, 50 labels, kernel values computed anew at every step; graph
// given.
func BenchmarkLapSVMMatrixFree(b *testing.B) {
	p := moons(50000, 20, 50)
	g, r, machine := laplacian(b, p)
	var t times
	for b.Loop() {
		t.measure(func() {
			res, err := machine.CG(context.Background(), primal.PanelProduct(g), r, p.Labelled, p.Y, primal.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(res.Products), "products")
		})
	}
	b.ReportMetric(t.median(), "median-s")
}

// BenchmarkLapSVMSigns counts the rows on which conjugate gradients decide differently
// with their default stop and at their end, n 5000.
func BenchmarkLapSVMSigns(b *testing.B) {
	p := moons(5000, 20, 50)
	g, r, machine := laplacian(b, p)
	k := mat.NewDense(5000, 5000, nil)
	g.Block(k, nil, nil)
	for b.Loop() {
		end := primal.Options{Tolerance: 1e-12, Exact: true}
		exact, err := machine.CG(context.Background(), primal.DenseProduct(k), r, p.Labelled, p.Y, end)
		if err != nil {
			b.Fatal(err)
		}
		stopped, err := machine.CG(context.Background(), primal.PanelProduct(g), r, p.Labelled, p.Y, primal.Options{})
		if err != nil {
			b.Fatal(err)
		}
		differ := 0
		for i := range 5000 {
			if (exact.F.At(i, 0) >= 0) != (stopped.F.At(i, 0) >= 0) {
				differ++
			}
		}
		b.ReportMetric(float64(differ)/50, "%-differ")
	}
}

// moons draws n rows of two half circles, noise 0.1 in the plane and 0.05 in the
// d - 2 other columns, and labels l of them.
func moons(n, d, l int) *learn.Problem {
	rng := rand.New(rand.NewPCG(3, 4))
	x := mat.NewDense(n, d, nil)
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, n)}
	for i := range n {
		c := i % 2
		t := math.Pi * rng.Float64()
		row := x.RawRowView(i)
		row[0], row[1] = math.Cos(t), math.Sin(t)
		if c == 1 {
			row[0], row[1] = 1-row[0], 0.5-row[1]
		}
		for j := range row {
			s := 0.05
			if j < 2 {
				s = 0.1
			}
			row[j] += s * rng.NormFloat64()
		}
		labels.Class[i] = data.Unlabelled
		if i < l {
			labels.Class[i] = c
		}
	}
	return learn.NewProblem(data.Rows{Dense: x}, labels)
}
