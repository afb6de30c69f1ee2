package blas

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A factor that gains and loses rows is that of the matrix that is left.
func TestGrowing(t *testing.T) {
	const n = 80
	rnd := rand.New(rand.NewPCG(3, 9))
	g := mat.NewDense(n, 2*n, nil)
	for i := range n {
		for j := range 2 * n {
			g.Set(i, j, rnd.NormFloat64())
		}
	}
	a := mat.NewDense(n, n, nil)
	Backend{}.Syrk(1, N(g), 0, a)
	var f Growing
	var rows []int
	grow := func(i int) {
		z := f.Next()
		for q, j := range rows {
			z[q] = a.At(i, j)
		}
		f.Forward(z)
		left := a.At(i, i)
		for _, v := range z {
			left -= v * v
		}
		f.Append(left)
		rows = append(rows, i)
	}
	for step := range 6 * n {
		i := rnd.IntN(n)
		switch p := slices.Index(rows, i); {
		case step == 3*n: // as a whole
			part := mat.NewDense(len(rows), len(rows), nil)
			for x, r := range rows {
				for y, s := range rows {
					part.Set(x, y, a.At(r, s))
				}
			}
			c := Cholesky{}
			if err := c.Factor(part); err != nil {
				t.Fatal(err)
			}
			f.Take(part)
		case p < 0:
			grow(i)
		default:
			f.Remove(p)
			rows = slices.Delete(rows, p, p+1)
		}
		if f.Len() != len(rows) {
			t.Fatalf("step %d: order %d of %d rows", step, f.Len(), len(rows))
		}
		want := make([]float64, len(rows))
		x := make([]float64, len(rows))
		for q := range want {
			want[q] = rnd.NormFloat64()
		}
		for q, r := range rows {
			for p, s := range rows {
				x[q] += a.At(r, s) * want[p]
			}
		}
		f.Solve(x)
		for q := range x {
			if math.Abs(x[q]-want[q]) > 1e-9 {
				t.Fatalf("step %d: solution %d is %g, want %g", step, q, x[q], want[q])
			}
		}
	}
	f.Truncate(0)
	if rows = nil; f.Len() != 0 {
		t.Error("not empty")
	}
	grow(5)
	if got := f.Row(0)[0]; math.Abs(got-math.Sqrt(a.At(5, 5))) > 1e-12 {
		t.Errorf("a factor begun anew starts with %g", got)
	}
}
