package blas

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// testOrder is past the edge tiles of the micro-kernels in use.
const testOrder = 37

// Products, factorisations with solves and an eigenproblem whose answers are known exactly.
func TestKnownAnswers(t *testing.T) {
	x, y := mat.NewDense(testOrder, testOrder, nil), mat.NewDense(testOrder, testOrder, nil)
	at := func(i, j int) float64 { return float64((3*i+5*j+i*j)%11 - 5) }
	for i := range testOrder {
		for j := range testOrder {
			x.Set(i, j, at(i, j))
			y.Set(i, j, at(j, i+1))
		}
	}
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, err := range []error{testGemm(b, x, y), testSgemm(b, x, y), testSolves(b), testEigen(b)} {
			if err != nil {
				t.Error(err)
			}
		}
	})
}

// testGemm compares 2 x y' - 1 with its definition.
func testGemm(b Backend, x, y *mat.Dense) error {
	const n = testOrder
	c := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			c.Set(i, j, 1)
		}
	}
	b.Gemm(2, N(x), T(y), -1, c)
	for i := range n {
		for j := range n {
			if c.At(i, j) != productTwice(x, y, i, j)-1 {
				return errors.New("matrix product")
			}
		}
	}
	return nil
}

// testSgemm compares 2 x y' - y with its definition.
func testSgemm(b Backend, x, y *mat.Dense) error {
	const n = testOrder
	single := func(m *mat.Dense) blas32.General {
		g := blas32.General{Rows: n, Cols: n, Stride: n, Data: make([]float32, n*n)}
		for i, v := range m.RawMatrix().Data {
			g.Data[i] = float32(v)
		}
		return g
	}
	s := single(y)
	b.Sgemm(2, N32(single(x)), T32(single(y)), -1, s)
	for i := range n {
		for j := range n {
			if float64(s.Data[i*n+j]) != productTwice(x, y, i, j)-y.At(i, j) {
				return errors.New("matrix product in single precision")
			}
		}
	}
	return nil
}

// productTwice is an entry of 2 x y': of small integers, so that every order of summation
// is exact.
func productTwice(x, y *mat.Dense, i, j int) float64 {
	var sum float64
	for k := range testOrder {
		sum += 2 * x.At(i, k) * y.At(j, k)
	}
	return sum
}

// testTolerance is the condition number of the second differences, 600, times rounding,
// with room.
const testTolerance = 1e-12

// secondDifferences is the matrix A whose A x = e_0 has x_i = 1 - (i+1)/(n+1), and whose
// eigenvalues are 2 - 2 cos(k pi/(n+1)).
func secondDifferences() *mat.Dense {
	a := mat.NewDense(testOrder, testOrder, nil)
	for i := range testOrder {
		a.Set(i, i, 2)
		if i > 0 {
			a.Set(i, i-1, -1)
			a.Set(i-1, i, -1)
		}
	}
	return a
}

// testSolves solves A x = e_0 by both factorisations.
func testSolves(b Backend) error {
	const n = testOrder
	solved := func(solve func(rhs *mat.Dense)) bool {
		rhs := mat.NewDense(n, 2, nil)
		rhs.Set(0, 0, 1)
		solve(rhs)
		for i := range n {
			if !(math.Abs(rhs.At(i, 0)-(1-float64(i+1)/(n+1))) <= testTolerance) {
				return false
			}
		}
		return true
	}
	chol := Cholesky{Backend: b}
	if err := chol.Factor(secondDifferences()); err != nil {
		return err
	}
	if !solved(func(rhs *mat.Dense) { chol.SolveTo(rhs) }) {
		return errors.New("Cholesky solve")
	}
	lu := LU{Backend: b}
	if err := lu.Factor(secondDifferences()); err != nil {
		return err
	}
	if !solved(func(rhs *mat.Dense) { lu.Solve(rhs) }) {
		return errors.New("LU solve")
	}
	return nil
}

func testEigen(b Backend) error {
	const n = testOrder
	w := make([]float64, n)
	if err := b.SymEigen(secondDifferences(), w, mat.NewDense(n, n, nil)); err != nil {
		return err
	}
	for k, v := range w {
		if !(math.Abs(v-(2-2*math.Cos(float64(k+1)*math.Pi/(n+1)))) <= testTolerance) {
			return errors.New("eigenvalues")
		}
	}
	return nil
}
