package model_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// TestBind: a bound model answers as the model does, to the bit, for rows in either form.
func TestBind(t *testing.T) {
	dense := data.Rows{Dense: normal(40, 5, 1)}
	for _, k := range []kernel.Kernel{
		kernel.Gaussian{Sigma: 2}, kernel.Linear{}, kernel.Laplacian{Sigma: 1}, kernel.Polynomial{Degree: 2, Scale: 0.3, Offset: 1},
		kernel.ARDGaussian{Sigma: []float64{1, 2, 3, 4, 5}},
	} {
		m := &model.Model{Task: data.Regression, Columns: 5, Scaling: data.Scaling{Kind: data.ScaleNone}, Parts: []model.Part{{
			Functions: []model.Function{
				model.Expansion{Kernel: k, Centres: dense, Rows: []int{3, 1, 20}, Coef: normal(3, 1, 2)},
				model.Expansion{Kernel: k, Centres: dense, Coef: normal(40, 1, 3)},
				model.Linear{Weights: normal(5, 1, 4)},
			},
			Offset: []float64{0.5},
		}}}
		b, err := m.Bind(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rows := data.Rows{Dense: normal(17, 5, 5)}
		want, err := m.Predict(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, err := b.Predict(t.Context(), rows)
			if err != nil || !mat.Equal(want, got) {
				t.Errorf("%T: %v, bound %v", k, got, err)
			}
		}
	}
}

// TestNearest: the nearest centres are those of all distances sorted, in the units of the scaled features, and the centres
// are the rows as they were read.
func TestNearest(t *testing.T) {
	read := data.Rows{Dense: normal(60, 4, 7)}
	for i := range 60 {
		row := read.Dense.RawRowView(i)
		row[0], row[1] = 100*row[0]+7, row[1]/50
	}
	scaling, _, err := data.FitScaling(data.ScaleStandard, read)
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Task: data.Regression, Columns: 4, Scaling: scaling, Parts: model.Single([]kernel.Expansion{
		{Kernel: kernel.Gaussian{Sigma: 1}, Centres: scaling.Apply(read), Coef: normal(60, 1, 8)},
	}, nil)}
	rows, scaled, err := m.Centres()
	if err != nil || !mat.EqualApprox(rows.Dense, read.Dense, 1e-12) {
		t.Fatalf("centres differ from the rows learned from: %v", err)
	}
	x := read.Select([]int{5, 9, 9})
	const k = 7
	list, err := m.Nearest(t.Context(), x, scaled, k)
	if err != nil {
		t.Fatal(err)
	}
	z := scaling.Apply(x)
	for i, got := range list {
		all := make([]model.Neighbour, 60)
		for j := range all {
			var s float64
			for c, v := range z.Dense.RawRowView(i) {
				s += (v - scaled.Dense.At(j, c)) * (v - scaled.Dense.At(j, c))
			}
			all[j] = model.Neighbour{Centre: j, Distance: math.Sqrt(s)}
		}
		slices.SortStableFunc(all, func(a, b model.Neighbour) int { return cmp.Compare(a.Distance, b.Distance) })
		for q, n := range got {
			if n.Centre != all[q].Centre || math.Abs(n.Distance-all[q].Distance) > 1e-6 {
				t.Errorf("row %d, neighbour %d: %+v, want %+v", i, q, n, all[q])
			}
		}
		if len(got) != k {
			t.Errorf("row %d has %d neighbours", i, len(got))
		}
	}
	m.Parts = []model.Part{{Functions: []model.Function{model.Linear{Weights: normal(4, 1, 1)}}}}
	if _, _, err := m.Centres(); err == nil {
		t.Error("a linear model has centres")
	}
}
