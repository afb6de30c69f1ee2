package reproduce

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/kernel"
)

// sindhwaniF52 has the sets on which a linear function has a norm along the graph that tells nothing, or all.
func sindhwaniF52(ctx context.Context, l *lab) error {
	const rows, gammaA, gammaI = 41, 0.1, 100
	declare(ctx, "rows, gamma_A, gamma_I", [3]float64{rows, gammaA, gammaI})
	for _, s := range []struct {
		name string
		at   func(segment int, s float64) [2]float64
	}{
		{"T", func(q int, s float64) [2]float64 { return [2][2]float64{{s, 0.5}, {0, s}}[q] }},
		{"=", func(q int, s float64) [2]float64 { return [2]float64{s, float64(q) - 0.5} }},
	} {
		x, norm := strokes(rows, s.at)
		lx, form := mat.NewDense(2*rows, 2, nil), mat.NewDense(2, 2, nil)
		norm.MulTo(lx, x)
		form.Mul(x.T(), lx)
		for _, e := range []struct {
			name string
			i, j int
		}{{"x'Lx", 0, 0}, {"y'Ly", 1, 1}, {"x'Ly", 0, 1}} {
			l.add(s.name, e.name, form.At(e.i, e.j))
		}
		f := Figure{Name: s.name, Title: "the set " + s.name, X: Axis{Name: "x"}, Y: Axis{Name: "y"},
			Curves: []Curve{{Name: "rows", X: mat.Col(nil, 0, x), Y: mat.Col(nil, 1, x), Loose: true}}}
		for _, m := range []struct {
			name  string
			gamma float64
		}{{"RLS", 0}, {"LapRLS", gammaI}} {
			w, err := strokeWeights(ctx, x, norm, gammaA, m.gamma)
			if err != nil {
				return err
			}
			l.add(s.name+", "+m.name, "angle of the separator to the horizontal, degrees",
				math.Abs(math.Atan(-w[0]/w[1]))*180/math.Pi)
			f.Curves = append(f.Curves, Curve{Name: m.name, X: []float64{-0.5 * w[1], 0.5 * w[1]}, Y: []float64{0.5 * w[0], -0.5 * w[0]}})
		}
		l.draw(f)
	}
	return nil
}

// strokes are two segments of m rows each as chains.
func strokes(m int, at func(segment int, s float64) [2]float64) (*mat.Dense, *graph.Power) {
	x, w := mat.NewDense(2*m, 2, nil), mat.NewDense(2*m, 2*m, nil)
	h := 1 / float64(m-1)
	for q := range 2 {
		for i := range m {
			p := at(q, float64(i)*h-0.5)
			x.SetRow(q*m+i, p[:])
			if i == 0 {
				continue
			}
			a, b := q*m+i-1, q*m+i
			w.Set(a, a, w.At(a, a)+1/h)
			w.Set(b, b, w.At(b, b)+1/h)
			w.Set(a, b, -1/h)
			w.Set(b, a, -1/h)
		}
	}
	return x, &graph.Power{L: data.CSRFromDense(w), P: 1}
}

// strokeWeights are those of the linear machine with four labels, by two centres that span the plane.
func strokeWeights(ctx context.Context, x *mat.Dense, norm *graph.Power, a, i float64) ([]float64, error) {
	g, err := kernel.Linear{}.Bind(ctx, data.Rows{Dense: x}, nil)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	labelled := []int{2, n/2 - 3, n/2 + 4, n - 4}
	f, err := basis.Fit(ctx, basis.Laplacian(g, labelled, mat.NewDense(4, 1, []float64{1, -1, 1, 1}), norm, a, i), []int{0, n / 2})
	if err != nil {
		return nil, err
	}
	w := make([]float64, 2)
	for q, c := range []int{0, n / 2} {
		for j, v := range x.RawRowView(c) {
			w[j] += f.Beta.At(q, 0) * v
		}
	}
	return w, nil
}
