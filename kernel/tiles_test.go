package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"gonum.org/v1/gonum/mat"
)

// Tables by tiles have the bits of tables made at once, symmetric or not, whatever is left over for the last tiles, and write
// nothing beside the table.
func TestTiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	x := mat.NewDense(2100, 3, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	x.SetRow(70, x.RawRowView(3)) // two rows are the same point
	for _, k := range []shape{Gaussian{Sigma: 0.8}, Polynomial{Degree: 2, Offset: 1, Scale: 1}} {
		bound, err := k.Bind(t.Context(), data.Rows{Dense: x}, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := bound.(*shapeGram)
		all := indices.To(2100)
		for _, size := range [][2]int{
			{1, 1}, {63, 63}, {65, 65}, {130, 130}, {577, 577}, {2099, 2099}, {1, 300}, {70, 1100}, {600, 3}, {2100, 2047},
		} {
			n, m := size[0], size[1]
			p := g.p.take(all[:n])
			q := p
			if n != m {
				q = g.p.take(all[:m])
			}
			got, want := mat.NewDense(n+1, m+1, nil), mat.NewDense(n, m, nil)
			got.Set(n, m, 5)
			if !g.tiles(got.Slice(0, n, 0, m).(*mat.Dense), p, q) {
				t.Fatal("no tiles")
			}
			end := p.sums(want, q, k.compares())
			end(0, n)
			for i := range n {
				s := row(want, i)
				if n == m {
					s = s[:i+1]
				}
				k.value(s)
				for j, v := range s {
					if got.At(i, j) != v || n == m && got.At(j, i) != v {
						t.Fatalf("%T, %d x %d: %g at %d, %d, mirrored %g; expected %g", k, n, m, got.At(i, j), i, j, got.At(min(j, n-1), min(i, m-1)), v)
					}
				}
				if got.At(i, m) != 0 {
					t.Fatalf("%T, %d x %d: row %d has %g beside the table", k, n, m, i, got.At(i, m))
				}
			}
			if got.At(n, 0) != 0 || got.At(n, m) != 5 {
				t.Fatalf("%T, %d x %d: the row below the table has changed", k, n, m)
			}
		}
	}
}
