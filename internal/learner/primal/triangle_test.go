package primal_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/primal"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// A triangle multiplies as the matrix of its rounded values does, whatever n is
// against the heights of panels and strips.
func TestTriangleProduct(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{1, 2, 31, 33, 256, 257, 300, 515} {
		x := cloud(n, 3, uint64(n))
		g := bind(t, kernel.Gaussian{Sigma: 1.5}, x)
		p, err := primal.SingleProduct(ctx, g)
		if err != nil {
			t.Fatal(err)
		}
		full := make([]float32, n*n)
		kernel.NewSingle(g).Block(full, nil, nil)
		k := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				k.Set(i, j, float64(full[i*n+j]))
				k.Set(j, i, float64(full[i*n+j]))
			}
		}
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		for _, c := range []int{1, 2, 5} {
			v := mat.NewDense(n, c, nil)
			for i := range n {
				for q := range c {
					v.Set(i, q, rng.NormFloat64())
				}
			}
			got, again := mat.NewDense(n, c, nil), mat.NewDense(n, c, nil)
			if err := p.MulTo(ctx, got, v); err != nil {
				t.Fatal(err)
			}
			var want mat.Dense
			want.Mul(k, v)
			for q := range c {
				// Entries of a block may differ in the last bit of a float with its shape.
				wantClose(t, fmt.Sprintf("n %d, column %d of %d", n, q, c), column(got, q), column(&want, q), 2e-6)
			}
			threads := runtime.GOMAXPROCS(1)
			err := p.MulTo(ctx, again, v)
			runtime.GOMAXPROCS(threads)
			if err != nil || !mat.Equal(got, again) {
				t.Errorf("n %d: the product depends on the number of threads; %v", n, err)
			}
		}
	}
}

// Conjugate gradients on doubles take every product with one rounded matrix, and give
// what they give on the triangle.
func TestPrimalRounded(t *testing.T) {
	in := noise(t, 1100, 2, 1)
	p := primal.Machine{Ambient: 1e-3, Intrinsic: 0.01, Bias: true}
	exactly := in.cg(t, p, primal.Options{Exact: true})
	got := in.cg(t, p, primal.Options{})
	single, err := primal.SingleProduct(context.Background(), in.g)
	if err != nil {
		t.Fatal(err)
	}
	same, err := p.CG(context.Background(), single, in.r, in.lab, in.y, primal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for q := range 2 {
		wantClose(t, "outputs on the triangle", column(got.F, q), column(same.F, q), 1e-4)
		if got.Iterations[q] != same.Iterations[q] {
			t.Errorf("output %d: %d steps, %d on the triangle", q, got.Iterations[q], same.Iterations[q])
		}
		// Settled: within some 3e-4 of the least objective.
		if j := exactly.Objective[q]; !(got.Objective[q] < j*(1+1e-3)) {
			t.Errorf("output %d: objective %g; the least is %g", q, got.Objective[q], j)
		}
		var f mat.Dense
		f.Mul(in.k, got.Alpha)
		for i := range 1100 {
			near(t, "output of the coefficients", f.At(i, q)+got.B[q], got.F.At(i, q), 1e-4)
		}
	}
}

func TestTriangleFaults(t *testing.T) {
	ctx := context.Background()
	big := mat.NewDense(3, 1, []float64{1, 1e20, 2})
	g := bind(t, kernel.Linear{}, data.Rows{Dense: big})
	if _, err := primal.SingleProduct(ctx, g); err == nil || !strings.Contains(err.Error(), "(1, 1)") {
		t.Errorf("1e40 in single precision: %v", err)
	}
	p, err := primal.NewProduct(ctx, g, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	dst := mat.NewDense(3, 1, nil)
	if err := p.MulTo(ctx, dst, mat.NewDense(3, 1, []float64{0, 1, 0})); err != nil || dst.At(1, 0) != 1e40 {
		t.Errorf("product %v, %v; want 1e40 in doubles", mat.Formatted(dst), err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := primal.SingleProduct(gone, g); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if math.IsNaN(p.Unit()) {
		t.Error("no unit")
	}
}
