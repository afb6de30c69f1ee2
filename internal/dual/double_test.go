package dual

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Small problems are solved in double precision: at a tolerance far below what values of
// single precision allow, the conditions hold for the matrix itself.
func TestSmallProblemsAreSolvedInDouble(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const l = 40
	x := mat.NewDense(l, 3, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	k := mat.NewDense(l, l, nil)
	y, c := make([]float64, l), make([]float64, l)
	for i := range l {
		y[i], c[i] = 1, 3
		if i%2 == 0 {
			y[i] = -1
		}
		for j := range l {
			var d float64
			for q := range 3 {
				d += (x.At(i, q) - x.At(j, q)) * (x.At(i, q) - x.At(j, q))
			}
			k.Set(i, j, math.Exp(-d/2))
		}
	}
	held := table{n: l, stride: l, k: k.RawMatrix().Data}
	nu, err := NuSVC(nil, y, c, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]Problem{"offset": SVC(nil, y, c), "box": unbiased(SVC(nil, y, c)), "nu": nu} {
		const tol = 1e-11
		s, err := Solve(context.Background(), &held, p, Options{Tolerance: tol})
		if err != nil || !s.Status.Converged() {
			t.Fatalf("%s: %v, %v", name, s.Status, err)
		}
		// Gradient Qa + p by its definition, then the conditions of every variable.
		b := [2]float64{math.Inf(-1), math.Inf(1)} // largest that wants to grow, least that wants to shrink
		second := b
		for u := range l {
			g := p.Linear[u]
			for v := range l {
				g += y[u] * y[v] * k.At(u, v) * s.A[v]
			}
			if d := math.Abs(g - s.Gradient[u]); d > 1e-12*l {
				t.Errorf("%s: gradient of %d is off by %g", name, u, d)
			}
			f, at := -y[u]*g, &b
			if name == "nu" && y[u] < 0 {
				at = &second
			}
			if y[u] > 0 && s.A[u] < c[u] || y[u] < 0 && s.A[u] > 0 {
				at[0] = max(at[0], f)
			}
			if y[u] > 0 && s.A[u] > 0 || y[u] < 0 && s.A[u] < c[u] {
				at[1] = min(at[1], f)
			}
		}
		violation := max(b[0]-b[1], second[0]-second[1])
		if name == "box" {
			violation = max(b[0], -b[1])
		}
		if violation > 10*tol {
			t.Errorf("%s: violation %g", name, violation)
		}
	}
}
