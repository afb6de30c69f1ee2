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

// A pair without curvature moves as if it had 1e-12, as in LIBSVM, and any above that counts as it is.
func TestLeastCurvature(t *testing.T) {
	inf := math.Inf(1)
	for _, less := range []float64{0.5, 5e-11, 1e-13, 0} {
		k := make([]float64, 16)
		k[0], k[1], k[8], k[9] = 1, 1-less, 1-less, 1
		p := SVC(nil, []float64{1, -1}, []float64{inf, inf})
		s, err := Solve(t.Context(), &table{n: 2, stride: 8, k: k}, p, Options{MaxIterations: 1})
		if err != nil {
			t.Fatal(err)
		}
		if want := 2 / max(2-2*k[1], 1e-12); math.Abs(s.A[0]-want) > 1e-4*want || s.A[1] != s.A[0] {
			t.Errorf("a kernel value of 1 - %g: coefficients %g after a step, want %g", less, s.A, want)
		}
	}
}

// Up to 1024 variables are solved from the rows in double precision, without a value in single precision.
func TestSizeOfProblemsInDouble(t *testing.T) {
	for n, single := range map[int]bool{1024: false, 1025: true} {
		held := table{n: n, stride: (n + 7) &^ 7}
		held.k = make([]float64, n*held.stride)
		y := make([]float64, n)
		for i := range n {
			held.k[i*held.stride+i], y[i] = 2, float64(1-2*(i%2))
		}
		s, err := Solve(t.Context(), &held, unbiased(SVC(nil, y, constant(n, 1))), Options{})
		if err != nil || !s.Status.Converged() || s.Entries > 0 != single {
			t.Errorf("%d variables: %v, %v, %d values", n, err, s.Status, s.Entries)
		}
	}
}
