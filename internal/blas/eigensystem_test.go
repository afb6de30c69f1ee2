package blas

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Matrices on which QL sweeps end early, are cut into blocks or meet equal values.
func TestSymEigenHard(t *testing.T) {
	const n = 150
	rnd := source(n)
	low := mat.NewDense(n, 3, nil)
	low.Apply(func(_, _ int, _ float64) float64 { return rnd.NormFloat64() }, low)
	cases := map[string]func(i, j int) float64{
		"zero":     func(_, _ int) float64 { return 0 },
		"ones":     func(_, _ int) float64 { return 1 },
		"rank 3":   func(i, j int) float64 { return mat.Dot(low.RowView(i), low.RowView(j)) },
		"smooth":   func(i, j int) float64 { return math.Exp(-math.Pow(float64(i-j)/n, 2)) },
		"graded":   func(i, j int) float64 { return math.Pow(10, -float64(i+j)/10) },
		"upgraded": func(i, j int) float64 { return math.Pow(10, float64(i+j-2*n)/10) },
		"huge":     func(i, j int) float64 { return 1e290 * math.Cos(float64(i+j)) },
		"tiny":     func(i, j int) float64 { return 1e-290 * math.Cos(float64(i+j)) },
		"diagonal": func(i, j int) float64 {
			if i == j {
				return float64((7 * i) % 5)
			}
			return 0
		},
		"blocks": func(i, j int) float64 {
			if i/4 == j/4 {
				return 1 + float64(i%4*(j%4))
			}
			return 0
		},
		"wilkinson": func(i, j int) float64 { // pairs of values equal to 1e-14
			switch {
			case i == j:
				return math.Abs(float64(i) - (n-1)/2.)
			case i == j+1 || j == i+1:
				return 1
			}
			return 0
		},
	}
	for name, f := range cases {
		everyBackend(t, func(t *testing.T, b Backend) {
			a := mat.NewDense(n, n, nil)
			a.Apply(func(i, j int, _ float64) float64 { return f(i, j) }, a)
			scale := mat.Norm(a, 1)
			if scale == 0 {
				scale = 1
			}
			v, w := mat.NewDense(n, n, nil), make([]float64, n)
			if err := b.SymEigen(mat.DenseCopyOf(a), w, v); err != nil {
				t.Fatal(name, err)
			}
			var av, vv mat.Dense
			a.Scale(1/scale, a)
			av.Mul(a, v)
			vv.Mul(v.T(), v)
			for j := range n {
				if j > 0 && w[j] < w[j-1] {
					t.Fatalf("%s: values do not ascend", name)
				}
				for i := range n {
					if r := av.At(i, j) - w[j]/scale*v.At(i, j); !(math.Abs(r) <= 40*eps) {
						t.Fatalf("%s: residual %g at (%d, %d)", name, r, i, j)
					}
					want := 0.0
					if i == j {
						want = 1
					}
					if !(math.Abs(vv.At(i, j)-want) <= 10*eps*n) {
						t.Fatalf("%s: vectors %d and %d are not orthonormal", name, i, j)
					}
				}
			}
		})
	}
}

// Nearly all values of these are rounding errors, which must not keep QL waiting.
func TestSymEigenConverges(t *testing.T) {
	for n := 5; n < 200; n += 13 {
		for k := range 8 {
			a := mat.NewDense(n, n, nil)
			var trace float64
			for i := range n {
				for j := range n {
					x := float64(i-j) / float64(n)
					a.Set(i, j, math.Cos(float64(i+j))+float64(k)*math.Exp(-x*x))
				}
				trace += a.At(i, i)
			}
			w := make([]float64, n)
			if err := (Backend{}).SymEigen(a, w, mat.NewDense(n, n, nil)); err != nil {
				t.Fatalf("n=%d, k=%d: %v", n, k, err)
			}
			for _, v := range w {
				trace -= v
			}
			if !(math.Abs(trace) <= 1e-13*float64(n*(k+1))) {
				t.Fatalf("n=%d, k=%d: the values miss the trace by %g", n, k, trace)
			}
		}
	}
}

// The rotations by assembly are the plain ones but for rounding, and stay inside.
func TestRotate(t *testing.T) {
	rnd := source(1)
	for k := 1; k < 20; k++ {
		c, s := make([]float64, k), make([]float64, k)
		for i := range c {
			s[i], c[i] = math.Sincos(rnd.Float64() * 7)
		}
		x, y := make([]float64, (k+3)*strip), make([]float64, (k+3)*strip)
		for i := range x {
			x[i] = rnd.NormFloat64()
			y[i] = x[i]
		}
		rotatePlain(x[strip:(k+2)*strip], c, s)
		if !hasKernels {
			t.Skip("no assembly on this processor")
		}
		rotateAVX2(&y[(k+1)*strip], &c[0], &s[0], k)
		for i := range x {
			tol := 4 * eps * float64(k)
			if i < strip || i >= (k+2)*strip {
				tol = 0
			}
			if math.Abs(x[i]-y[i]) > tol {
				t.Fatalf("%d rotations: element %d is %v and %v", k, i, x[i], y[i])
			}
		}
	}
}
