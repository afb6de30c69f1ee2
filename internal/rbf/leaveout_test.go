package rbf

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
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

// Rows left out of a list are those of all, and equal rows are known by their targets.
func TestLeaveOutSome(t *testing.T) {
	x, y := mat.NewDense(9, 2, nil), mat.NewDense(9, 2, nil)
	for i := range 9 {
		x.SetRow(i, []float64{math.Sin(float64(i)), math.Cos(2 * float64(i))})
		y.SetRow(i, []float64{float64(i), -float64(i % 4)})
	}
	rows, w := data.Rows{Dense: x}, NadarayaWatson{Sigma: 0.4}
	all, err := w.LeaveOneOut(t.Context(), rows, y)
	if err != nil {
		t.Fatal(err)
	}
	some, err := w.LeaveOut(t.Context(), rows, y, []int{7, 0, 3})
	if err != nil {
		t.Fatal(err)
	}
	for a, i := range []int{7, 0, 3} {
		if !slices.Equal(some.RawRowView(a), all.RawRowView(i)) {
			t.Errorf("row %d: %v, by all %v", i, some.RawRowView(a), all.RawRowView(i))
		}
	}
	x.SetRow(8, x.RawRowView(2))
	w.Known = true
	known, err := w.Predict(t.Context(), rows, y, rows)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		want := y.RawRowView(i)
		if i == 2 || i == 8 {
			want = []float64{(y.At(2, 0) + y.At(8, 0)) / 2, (y.At(2, 1) + y.At(8, 1)) / 2}
		}
		if !slices.Equal(known.RawRowView(i), want) {
			t.Errorf("row %d: %v, known are %v", i, known.RawRowView(i), want)
		}
	}
}
