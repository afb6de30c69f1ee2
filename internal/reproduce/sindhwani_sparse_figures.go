package reproduce

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/kernel"
)

// sindhwaniF51 draws errors against the number of basis functions.
func sindhwaniF51(ctx context.Context, l *lab) {
	found, sizes, own := l.aside(), map[string][]float64{}, map[string]int{} // errors; sizes, and that of table 5.1, of a set
	row := func(set, name string, size float64) (string, string) { return set + ", " + name, fmt.Sprint(size) }
	l.eachDraw(ctx, func(s sparseSet, d *sparseDraw) {
		sizes[s.name], own[s.name] = d.sizes(), d.size
		d.bySize(ctx, sizes[s.name], func(name string, size, hidden float64) {
			set, metric := row(s.name, name, size)
			found.add(set, metric, hidden)
		})
	})
	for _, s := range sparseSets() {
		if sizes[s.name] == nil {
			continue
		}
		f := Figure{Name: s.name, Title: s.name + ": error % of rows without a label", X: Axis{Name: "basis functions", Log: true},
			Y: Axis{Name: "error %"}}
		for _, name := range sizeNames {
			c := Curve{Name: name, X: sizes[s.name]}
			for _, size := range c.X {
				c.Y = append(c.Y, mean(found.cell(row(s.name, name, size)).values))
				if size == float64(own[s.name]) {
					l.add(fmt.Sprintf("%s, %s, d %d", s.name, name, own[s.name]), sparseError, c.Y[len(c.Y)-1])
				}
			}
			f.Curves = append(f.Curves, c)
		}
		l.draw(f)
	}
}

var sizeNames = [4]string{"greedy", "random", "RLS(n,d)", "RLS(l)"}

// sizes are the numbers of basis functions of the figure, that of table 5.1 among them.
func (d *sparseDraw) sizes() (list []float64) {
	for v := 1.0; v <= float64(len(d.y))/2; v = math.Max(v+1, math.Round(v*1.6)) {
		if len(list) > 0 && list[len(list)-1] < float64(d.size) && v > float64(d.size) {
			list = append(list, float64(d.size))
		}
		list = append(list, v)
	}
	return list
}

// bySize tells the errors of a draw.
func (d *sparseDraw) bySize(ctx context.Context, sizes []float64, tell func(name string, size, hidden float64)) {
	t := d.tuned(ctx, d.grid.all(), d.full).theta
	most := int(sizes[len(sizes)-1])
	plain, truth := d.plain(t), basis.Targets(d.gram[t.width], d.truth(), nil, t.a)
	drawn := must(basis.Along(ctx, plain, must(basis.Random{Seed: d.seed}.Choose(ctx, plain, most)).Centres))
	greedy := must(d.pursuit().Choose(ctx, plain, most))
	oracle := must(d.pursuit().Choose(ctx, truth, most))
	rows, beta := d.supervised(ctx, t, d.labelled)
	alone := d.judge(t.width, rows, beta).hidden
	for _, size := range sizes {
		for k, path := range []basis.Path{greedy, drawn, oracle} {
			m := min(int(size), len(path.Objective)) // a path ends where nothing adds to it
			tell(sizeNames[k], size, d.judge(t.width, path.Centres[:m], path.Beta(m)).hidden)
		}
		tell(sizeNames[3], size, alone)
	}
}

// sindhwaniF52 has the sets on which a linear function has a norm along the graph that tells nothing, or all.
func sindhwaniF52(ctx context.Context, l *lab) {
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
			w := strokeWeights(ctx, x, norm, gammaA, m.gamma)
			l.add(s.name+", "+m.name, "angle of the separator to the horizontal, degrees",
				math.Abs(math.Atan(-w[0]/w[1]))*180/math.Pi)
			f.Curves = append(f.Curves, Curve{Name: m.name, X: []float64{-0.5 * w[1], 0.5 * w[1]}, Y: []float64{0.5 * w[0], -0.5 * w[0]}})
		}
		l.draw(f)
	}
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
func strokeWeights(ctx context.Context, x *mat.Dense, norm *graph.Power, a, i float64) []float64 {
	g := must(kernel.Linear{}.Bind(ctx, data.Rows{Dense: x}, nil))
	n, _ := x.Dims()
	labelled := []int{2, n/2 - 3, n/2 + 4, n - 4}
	f := must(basis.Fit(ctx, basis.Laplacian(g, labelled, mat.NewDense(4, 1, []float64{1, -1, 1, 1}), nil, norm, a, i), []int{0, n / 2}))
	w := make([]float64, 2)
	for q, c := range []int{0, n / 2} {
		for j, v := range x.RawRowView(c) {
			w[j] += f.Beta.At(q, 0) * v
		}
	}
	return w
}
