package rbf

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// Left-out values are predictions from the other rows.
func TestNadarayaWatsonLeaveOneOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 23
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
	for _, m := range []*mat.Dense{x, y} {
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
	}
	rows := data.Rows{Dense: x}
	for _, sigma := range []float64{1e-3, 0.3, 20} {
		w := NadarayaWatson{Sigma: sigma}
		got, err := w.LeaveOneOut(context.Background(), rows, y)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			var others []int
			for j := range n {
				if j != i {
					others = append(others, j)
				}
			}
			rest := mat.NewDense(n-1, 2, nil)
			for q, j := range others {
				rest.SetRow(q, y.RawRowView(j))
			}
			want, err := w.Predict(context.Background(), rows.Select(others), rest, rows.Select([]int{i}))
			if err != nil {
				t.Fatal(err)
			}
			for c := range 2 {
				if math.Abs(got.At(i, c)-want.At(0, c)) > 1e-9 {
					t.Fatalf("sigma %g row %d: %g, refit %g", sigma, i, got.At(i, c), want.At(0, c))
				}
			}
		}
	}
}
