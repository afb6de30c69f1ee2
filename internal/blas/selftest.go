package blas

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// selfTest runs products, a factorisation with solve and an eigenproblem whose
// answers are known exactly. It catches a broken kernel for this processor and
// a wrong integer size, in under a millisecond.
func selfTest(b Backend) error {
	// n is past the edge tiles of the micro-kernels in use.
	const n = 37
	at := func(i, j int) float64 { return float64((3*i+5*j+i*j)%11 - 5) }
	x, y, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			x.Set(i, j, at(i, j))
			y.Set(i, j, at(j, i+1))
			c.Set(i, j, 1)
		}
	}
	b.Gemm(false, true, 2, x, y, -1, c)
	for i := range n {
		for j := range n {
			want := -1.0 // small integers: every order of summation is exact
			for k := range n {
				want += 2 * x.At(i, k) * y.At(j, k)
			}
			if c.At(i, j) != want {
				return errors.New("matrix product")
			}
		}
	}

	single := func(m *mat.Dense) blas32.General {
		g := blas32.General{Rows: n, Cols: n, Stride: n, Data: make([]float32, n*n)}
		for i, v := range m.RawMatrix().Data {
			g.Data[i] = float32(v)
		}
		return g
	}
	s := single(y)
	b.Sgemm(false, true, 2, single(x), single(y), -1, s)
	for i := range n {
		for j := range n {
			want := -y.At(i, j)
			for k := range n {
				want += 2 * x.At(i, k) * y.At(j, k)
			}
			if float64(s.Data[i*n+j]) != want {
				return errors.New("matrix product in single precision")
			}
		}
	}

	// The second difference matrix: A x = e_0 has x_i = 1 - (i+1)/(n+1), and
	// eigenvalues 2 - 2 cos(k pi/(n+1)).
	a := mat.NewDense(n, n, nil)
	fill := func() {
		a.Zero()
		for i := range n {
			a.Set(i, i, 2)
			if i > 0 {
				a.Set(i, i-1, -1)
				a.Set(i-1, i, -1)
			}
		}
	}
	const tol = 1e-12 // condition number 600 times rounding, with room
	solved := func(v *mat.Dense) bool {
		for i := range n {
			if !(math.Abs(v.At(i, 0)-(1-float64(i+1)/(n+1))) <= tol) {
				return false
			}
		}
		return true
	}
	rhs := mat.NewDense(n, 2, nil)
	rhs.Set(0, 0, 1)
	fill()
	chol := Cholesky{Backend: b}
	if err := chol.Factor(a); err != nil {
		return err
	}
	if chol.SolveTo(rhs); !solved(rhs) {
		return errors.New("Cholesky solve")
	}
	rhs.Zero()
	rhs.Set(0, 0, 1)
	fill()
	lu := LU{Backend: b}
	if err := lu.Factor(a); err != nil {
		return err
	}
	if lu.Solve(false, rhs); !solved(rhs) {
		return errors.New("LU solve")
	}
	fill()
	w := make([]float64, n)
	if err := b.SymEigen(a, w, c); err != nil {
		return err
	}
	for k, v := range w {
		if !(math.Abs(v-(2-2*math.Cos(float64(k+1)*math.Pi/(n+1)))) <= tol) {
			return errors.New("eigenvalues")
		}
	}
	return nil
}
