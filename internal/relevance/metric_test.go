package relevance

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The mean outer product is that of gradients by differences of the function itself.
func TestGradients(t *testing.T) {
	p := steps(30, 3, 5)
	for _, k := range []kernel.MetricLaplacian{
		{Sigma: 1.5},
		{Sigma: 1.5, Diagonal: []float64{2, 0.5, 1}},
		{Sigma: 2, Metric: mat.NewDense(3, 3, []float64{2, 0.5, 0, 0.5, 1, 0.2, 0, 0.2, 1.5})},
	} {
		const lambda = 0.3
		got, err := gradients(context.Background(), k, p, lambda)
		if err != nil {
			t.Fatal(err)
		}
		g, err := k.Bind(context.Background(), p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		gram := mat.NewDense(30, 30, nil)
		g.Block(gram, nil, nil)
		for i := range 30 {
			gram.Set(i, i, gram.At(i, i)+lambda)
		}
		// With an offset the coefficients are those of the bordered system, of sum zero.
		border, right := mat.NewDense(31, 31, nil), mat.NewDense(31, 1, nil)
		for i := range 30 {
			for j := range 30 {
				border.Set(i, j, gram.At(i, j))
			}
			border.Set(i, 30, 1)
			border.Set(30, i, 1)
			right.Set(i, 0, p.Y.At(i, 0))
		}
		var alpha mat.Dense
		if err := alpha.Solve(border, right); err != nil {
			t.Fatal(err)
		}
		want := mat.NewDense(3, 3, nil)
		for i := range 30 {
			slope := make([]float64, 3)
			for j := range 30 { // a row has no slope by itself
				if j == i {
					continue
				}
				one := []float64{alpha.At(j, 0)}
				if err := kernel.Slope(context.Background(), slope, k, p.Rows.Select([]int{i}), p.Rows.Select([]int{j}), one); err != nil {
					t.Fatal(err)
				}
			}
			for a, v := range slope {
				for b, w := range slope {
					want.Set(a, b, want.At(a, b)+v*w/30)
				}
			}
		}
		for a := range 3 {
			for b := range 3 {
				if d := math.Abs(got.At(a, b) - want.At(a, b)); d > 1e-9*mat.Max(want) {
					t.Errorf("entry (%d, %d) is %g, by slopes %g", a, b, got.At(a, b), want.At(a, b))
				}
			}
		}
	}
}

// The longest direction is the one that the answer changes along, which no column shows; of many columns the metric is diagonal.
func TestMetric(t *testing.T) {
	own, other := steps(150, 4, 6), steps(150, 4, 7)
	for _, p := range []struct{ rows, y *mat.Dense }{{own.Rows.Dense, own.Y}, {other.Rows.Dense, other.Y}} {
		for i := range 150 {
			p.y.Set(i, 0, math.Sin(2*(p.rows.At(i, 0)-p.rows.At(i, 1))))
		}
	}
	for _, full := range []int{4, 3} {
		m := Metric{Rounds: 3, Full: full, Steps: 6}
		l, err := m.Learn(context.Background(), own, other)
		if err != nil {
			t.Fatal(err)
		}
		k := l.Kernel.(kernel.MetricLaplacian)
		if full < 4 {
			if d := k.Diagonal; k.Metric != nil || d[0] < 2*d[2] || d[1] < 2*d[3] {
				t.Errorf("the diagonal is %.3g", d)
			}
			continue
		}
		along, across := k.Metric.At(0, 0)-k.Metric.At(0, 1), k.Metric.At(0, 0)+k.Metric.At(0, 1)
		if !(along > 5*across) || !(along > 5*k.Metric.At(2, 2)) {
			t.Errorf("the metric is %.3g", mat.Formatted(k.Metric))
		}
		both, err := m.Mean([]Learned{l, l})
		if err != nil || math.Abs(both.Lambda-l.Lambda) > 1e-12*l.Lambda {
			t.Errorf("the mean of two equal ones has the ridge %g, expected %g (%v)", both.Lambda, l.Lambda, err)
		}
		if !mat.EqualApprox(both.Kernel.(kernel.MetricLaplacian).Metric, k.Metric, 1e-12) {
			t.Error("the mean of two equal metrics is another one")
		}
	}
}
