package propagate

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
)

// Systems of all rows are solved to their tolerance, factored or not, and panels side by side as one after the other.
func TestSystem(t *testing.T) {
	for _, n := range []int{300, DirectPowers + 300} {
		set, err := data.Builtin("two-moons:seed=3,n=" + map[int]string{300: "300", DirectPowers + 300: "2300"}[n])
		if err != nil {
			t.Fatal(err)
		}
		g, err := graph.Recipe{Neighbours: 6}.Build(t.Context(), set.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		l, add, rng := g.Laplacian(), make([]float64, n), rand.New(rand.NewPCG(1, 2))
		for i := range add {
			add[i] = 0.1 + rng.Float64()
		}
		columns := 150 // of three panels
		if testing.Short() {
			columns = 70 // of two: the race detector makes it slow
		}
		b := mat.NewDense(n, columns, nil)
		for i := range n {
			for j := range columns {
				b.Set(i, j, rng.NormFloat64())
			}
		}
		solve := func(processors int) *mat.Dense {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			x := mat.NewDense(n, columns, nil)
			c, err := NewSystem(l, 1, 30, add).Solve(t.Context(), x, b)
			if err != nil || c.Residual > 1e-9 || c.Limited != "" {
				t.Fatal(err, c)
			}
			return x
		}
		x := solve(1)
		if n > DirectPowers && !floats.Equal(x.RawMatrix().Data, solve(4).RawMatrix().Data) {
			t.Error("the answer depends on the number of processors")
		}
		ax := mat.NewDense(n, columns, nil)
		l.MulTo(ax, x)
		for i := range n {
			for j := range columns {
				if d := 30*ax.At(i, j) + add[i]*x.At(i, j) - b.At(i, j); d > 1e-7 || d < -1e-7 {
					t.Fatalf("%d rows: entry (%d, %d) is off by %g", n, i, j, d)
				}
			}
		}
	}
}
