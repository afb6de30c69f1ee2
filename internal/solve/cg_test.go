package solve

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// spd returns G'G + shift I of a seeded Gaussian G, and a right-hand side.
func spd(n, k int, shift float64) (a, b *mat.Dense) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	g, rhs := mat.NewDense(n, n, nil), mat.NewDense(n, k, nil)
	for i := range n {
		for j := range n {
			g.Set(i, j, rng.NormFloat64())
		}
		for j := range k {
			rhs.Set(i, j, rng.NormFloat64())
		}
	}
	a = mat.NewDense(n, n, nil)
	a.Mul(g.T(), g)
	for i := range n {
		a.Set(i, i, a.At(i, i)+shift)
	}
	return a, rhs
}

func operator(a mat.Matrix) Apply { return func(dst, x *mat.Dense) { dst.Mul(a, x) } }

func TestCGEqualsDirectSolve(t *testing.T) {
	for _, n := range []int{1, 5, 60} {
		a, b := spd(n, 4, 1)
		for i := range n {
			b.Set(i, 2, 0) // a column of zeros
		}
		var want mat.Dense
		if err := want.Solve(a, b); err != nil {
			t.Fatal(err)
		}
		diagonal := func(dst, x *mat.Dense) {
			for i := range n {
				for j := range 4 {
					dst.Set(i, j, x.At(i, j)/a.At(i, i))
				}
			}
		}
		for name, m := range map[string]Apply{"plain": nil, "preconditioned": diagonal} {
			x := mat.NewDense(n, 4, nil)
			res, err := CG(context.Background(), operator(a), x, b, CGOptions{Tolerance: 1e-12, Precondition: m})
			if err != nil || res.Status != ResidualSmall {
				t.Fatalf("n = %d, %s: %+v, %v", n, name, res, err)
			}
			var r mat.Dense
			r.Mul(a, x)
			r.Sub(b, &r)
			for j, c := range res.Residual {
				norm := max(mat.Norm(b.ColView(j), 2), map[bool]float64{true: 1}[j == 2])
				if got := mat.Norm(r.ColView(j), 2) / norm; c > 1e-12 || math.Abs(got-c) > 1e-14 {
					t.Errorf("n = %d, %s, column %d: certificate %g, residual %g", n, name, j, c, got)
				}
			}
			if !mat.EqualApprox(x, &want, 1e-8) {
				t.Errorf("n = %d, %s: solution differs from the direct one", n, name)
			}
			warm, err := CG(context.Background(), operator(a), x, b, CGOptions{Tolerance: 1e-11, Precondition: m})
			if err != nil || warm.Iterations != 0 {
				t.Errorf("n = %d, %s: %d iterations from the answer", n, name, warm.Iterations)
			}
		}
	}
}

// A column's answer must not depend on its companions.
func TestCGColumnsAreIndependent(t *testing.T) {
	a, b := spd(30, 3, 0.1)
	all := mat.NewDense(30, 3, nil)
	if _, err := CG(context.Background(), operator(a), all, b, CGOptions{Tolerance: 1e-9}); err != nil {
		t.Fatal(err)
	}
	for j := range 3 {
		one := mat.NewDense(30, 1, nil)
		if _, err := CG(context.Background(), operator(a), one, mat.DenseCopyOf(b.Slice(0, 30, j, j+1)), CGOptions{Tolerance: 1e-9}); err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(one, all.Slice(0, 30, j, j+1), 1e-6) {
			t.Errorf("column %d differs when solved alone", j)
		}
	}
}

func TestCGStops(t *testing.T) {
	a, b := spd(20, 2, 1)
	x := mat.NewDense(20, 2, nil)
	if res, err := CG(context.Background(), operator(a), x, b, CGOptions{MaxIterations: 3}); err != nil || res.Status != BudgetSpent ||
		res.Iterations != 3 ||
		res.Residual[0] < 1e-10 {
		t.Errorf("limit: %+v, %v", res, err)
	}
	zero := mat.NewDense(20, 2, nil)
	x.Zero()
	x.Set(0, 1, 1e-3)
	left := mat.NewDense(20, 2, nil)
	left.Mul(a, x)
	// Of a right-hand side of zero the residual is that of A x itself, without a step at this tolerance.
	want := mat.Norm(left.ColView(1), 2)
	if res, err := CG(context.Background(), operator(a), x, zero, CGOptions{Tolerance: 2 * want}); err != nil || res.Iterations != 0 ||
		res.Residual[0] != 0 || math.Abs(res.Residual[1]-want) > 1e-12*want {
		t.Errorf("nothing to the right: %+v, %v, want %g", res, err, want)
	}
	a.Set(3, 3, -50)
	x.Zero()
	if res, err := CG(context.Background(), operator(a), x, b, CGOptions{}); err != nil || res.Status != Indefinite {
		t.Errorf("indefinite: %+v, %v", res, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := CG(ctx, operator(a), x, b, CGOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// DiagonalCG finds what CG finds, again and again, and stops where the context ends.
func TestDiagonalCG(t *testing.T) {
	const n = 30
	a := mat.NewDense(n, n, nil)
	for i := range n {
		a.Set(i, i, float64(2+i))
		if i > 0 {
			a.Set(i, i-1, 0.7)
			a.Set(i-1, i, 0.7)
		}
	}
	diag := make([]float64, n)
	for i := range diag {
		diag[i] = a.At(i, i)
	}
	product := func(dst, p []float64) { mat.NewDense(n, 1, dst).Mul(a, mat.NewDense(n, 1, p)) }
	var s DiagonalCG
	for k := range 3 {
		b := make([]float64, n)
		for i := range b {
			b[i] = math.Sin(float64(i * (k + 1)))
		}
		want := mat.NewDense(n, 1, nil)
		if _, err := CG(t.Context(), operator(a), want, mat.NewDense(n, 1, slices.Clone(b)), CGOptions{Tolerance: 1e-12}); err != nil {
			t.Fatal(err)
		}
		x, err := s.Solve(t.Context(), b, diag, 1e-12, product)
		if err != nil || !mat.EqualApprox(mat.NewDense(n, 1, x), want, 1e-10) {
			t.Errorf("%v, want %v: %v", x, want.RawMatrix().Data, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Solve(ctx, make([]float64, n), diag, 0, product); err != nil {
		t.Errorf("nothing to solve: %v", err)
	}
	if _, err := s.Solve(ctx, slices.Repeat([]float64{1}, n), diag, 1e-9, product); !errors.Is(err, context.Canceled) {
		t.Errorf("the context had ended: %v", err)
	}
}
