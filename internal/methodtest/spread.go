package methodtest

// Problem   are the outputs that the rows of a fit keep those of the method's formula, written out over n x n
//           matrices with the printed parameters?
// Method    the graph of these parameters; for label propagation, spreading and regularisation their linear
//           systems; for the spectral transducer all eigenvectors, and what must hold at the minimum on the
//           sphere: (G - lambda I) w = b with lambda below the eigenvalues of G, and w'w = n.
// Source    the formulas that mercer methods prints.

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/manifold"
)

// spreads says whether a method spreads labels over a graph.
func spreads(m method.Method) bool {
	return slices.Contains([]string{"harmonic", "lgc", "graph-reg", "sgt"}, m.ID)
}

// spreadLabels checks the outputs of the rows of the fit, of two classes, of three, and of numbers.
func spreadLabels(t *testing.T, m method.Method) {
	for _, on := range []string{moons, flowers, widths} {
		if on == widths && m.For != data.TaskAuto {
			continue
		}
		list := []mercer.Recipe{{Method: m.ID}, {Method: m.ID, Tune: "none"}}
		if m.Has("penalty") {
			list = append(list, with(mercer.Recipe{Method: m.ID, Tune: "none"}, given{"penalty": "0.3"}))
		}
		for _, r := range list {
			in := sample(t, on)
			f := one(t, in, r)
			got, err := f.model.Predict(t.Context(), in.Set.Rows)
			if err != nil {
				t.Fatal(err)
			}
			w := newNetwork(t, in, f)
			for _, row := range w.away {
				for j := range got.RawRowView(row) {
					got.Set(row, j, got.At(row, j)-w.mean[j])
				}
			}
			if m.ID == "sgt" {
				w.cut(on, got, f.result.Certificate.Objective)
				continue
			}
			if c := f.result.Certificate; len(w.away) == 0 {
				if want := w.objective(m.ID, got); !near(c.Objective, want, 1e-6) {
					t.Errorf("%s on %s: the objective is %g, printed as %g", m.ID, on, want, c.Objective)
				}
			}
			want := w.formula(m.ID)
			for i := range want.RawMatrix().Rows {
				if slices.Contains(w.away, i) {
					want.SetRow(i, make([]float64, len(w.mean)))
				}
				for j, v := range want.RawRowView(i) {
					if d := math.Abs(got.At(i, j) - v); !(d < 1e-6) {
						t.Fatalf("%s on %s: row %d has %g, by the formula %g", m.ID, on, i, got.At(i, j), v)
					}
				}
			}
		}
	}
}

// network is a graph with labels, written out.
type network struct {
	t            *testing.T
	params       map[string]any
	w, l, y      *mat.Dense // weights, the Laplacian L or of the method's own kind, targets of labelled rows
	degree, mean []float64
	at           []int // labelled rows
	free, away   []int // rows without a label that one reaches, and that none does
	classes      int
}

// newNetwork reads a fit.
func newNetwork(t *testing.T, in mercer.Input, f fitted) *network {
	t.Helper()
	w := &network{t: t, params: f.result.Params, classes: len(f.model.Classes)}
	x := f.model.Scaling.Apply(in.Set.Rows)
	recipe := graph.Recipe{Neighbours: w.params["neighbours"].(int), Weights: graph.SelfTuned, Width: w.params["width"].(float64)}
	g, err := manifold.Graph{Recipe: recipe}.Build(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := x.Len()
	w.w, w.degree = g.W.ToDense(), make([]float64, n)
	for i := range n {
		w.degree[i] = mat.Sum(w.w.RowView(i))
	}
	piece, _ := g.Components()
	var labels []float64
	known := map[int]bool{}
	for i, a := range in.Set.Answers {
		if data.IsUnlabelled(a) {
			continue
		}
		w.at, known[piece[i]] = append(w.at, i), true
		if w.classes == 0 {
			v, _ := targets(f, data.Answers{a})
			labels = append(labels, v[0])
			continue
		}
		k := slices.Index(f.model.Classes, data.ClassName(a))
		labels = append(labels, coded(k, w.classes)...)
	}
	for i := range n {
		switch {
		case !known[piece[i]]:
			w.away = append(w.away, i)
		case !slices.Contains(w.at, i):
			w.free = append(w.free, i)
		}
	}
	w.y = mat.NewDense(len(w.at), len(labels)/len(w.at), labels)
	_, c := w.y.Dims()
	for j := range c {
		w.mean = append(w.mean, mat.Sum(w.y.ColView(j))/float64(len(w.at)))
	}
	w.l = mat.NewDense(n, n, nil)
	return w
}

// coded is class k of some as outputs.
func coded(k, classes int) []float64 {
	if classes == 2 {
		return []float64{float64(2*k - 1)}
	}
	y := make([]float64, classes)
	for j := range y {
		y[j] = -1
	}
	y[k] = 1
	return y
}

// laplacian is D - W, or the normalised one.
func (w *network) laplacian(normalised bool) *mat.Dense {
	l := mat.DenseCopyOf(w.w)
	l.Apply(func(i, j int, v float64) float64 {
		d := w.degree[i]
		if normalised {
			v, d = v/math.Sqrt(w.degree[i]*w.degree[j]), 1
		}
		if i == j {
			return d - v
		}
		return -v
	}, l)
	return l
}

// formula is what the method's formula gives the rows that a label reaches.
func (w *network) formula(id string) *mat.Dense {
	n, _ := w.w.Dims()
	_, c := w.y.Dims()
	f := mat.NewDense(n, c, nil)
	switch id {
	case "harmonic":
		w.harmonic(f)
	case "lgc":
		w.consistent(f)
	default:
		w.regularised(f)
	}
	return f
}

// harmonic is f_U = -L_UU^-1 L_UL y, and class masses.
func (w *network) harmonic(f *mat.Dense) {
	l := w.laplacian(false)
	var right mat.Dense
	right.Mul(part(l, w.free, w.at), w.y)
	right.Scale(-1, &right)
	x := w.solve(part(l, w.free, w.free), &right)
	for q, i := range w.free {
		f.SetRow(i, x.RawRowView(q))
	}
	for q, i := range w.at {
		f.SetRow(i, w.y.RawRowView(q))
	}
	if w.params["masses"] != "yes" {
		return
	}
	by := make([]float64, w.classes)
	for k := range by {
		labels, mass := 1.0, 0.0
		for q := range w.at {
			labels += w.probability(w.y.RawRowView(q), k)
		}
		for _, i := range w.free {
			mass += w.probability(f.RawRowView(i), k)
		}
		by[k] = labels / mass
	}
	for _, i := range w.free {
		p, total := make([]float64, w.classes), 0.0
		for k := range p {
			p[k] = w.probability(f.RawRowView(i), k) * by[k]
			total += p[k]
		}
		w.outputs(f.RawRowView(i), p, total)
	}
}

// probability is that of a class by outputs of shares.
func (w *network) probability(out []float64, k int) float64 {
	if w.classes > 2 {
		return (1 + out[k]) / 2
	}
	return (1 + float64(2*k-1)*out[0]) / 2
}

// outputs are those of shares p/total.
func (w *network) outputs(out, p []float64, total float64) {
	for j := range out {
		k := j
		if w.classes == 2 {
			k = 1
		}
		out[j] = 2*p[k]/total - 1
	}
}

// consistent is (I - alpha S)^-1 Y, as shares.
func (w *network) consistent(f *mat.Dense) {
	x, _ := w.spread(w.params["alpha"].(float64))
	for i := range x.RawMatrix().Rows {
		w.outputs(f.RawRowView(i), x.RawRowView(i), mat.Sum(x.RowView(i)))
	}
}

// spread is F = (I - alpha S)^-1 Y, and Y.
func (w *network) spread(alpha float64) (f, y *mat.Dense) {
	n, _ := w.w.Dims()
	a := w.laplacian(true)
	y = mat.NewDense(n, w.classes, nil)
	a.Apply(func(i, j int, v float64) float64 {
		if i == j {
			return 1
		}
		return alpha * v
	}, a)
	for q, i := range w.at {
		for k := range w.classes {
			y.Set(i, k, w.probability(w.y.RawRowView(q), k))
		}
	}
	return w.solve(a, y), y
}

// regularised is (l penalty L^p + J)^-1 (y - ybar + mu 1) + ybar.
func (w *network) regularised(f *mat.Dense) {
	_, c := w.y.Dims()
	reached := append(slices.Clone(w.at), w.free...)
	l := part(w.laplacian(true), reached, reached)
	power := mat.DenseCopyOf(l)
	for range w.params["degree"].(int) - 1 {
		power.Mul(mat.DenseCopyOf(power), l)
	}
	power.Scale(float64(len(w.at))*w.params["penalty"].(float64), power)
	right := mat.NewDense(len(reached), c+1, nil)
	for q := range reached {
		right.Set(q, c, 1)
		if q < len(w.at) {
			power.Set(q, q, power.At(q, q)+1)
			for j := range c {
				right.Set(q, j, w.y.At(q, j)-w.mean[j])
			}
		}
	}
	x := w.solve(power, right)
	for q, i := range reached {
		for j := range c {
			mu := -mat.Sum(x.ColView(j)) / mat.Sum(x.ColView(c))
			f.Set(i, j, x.At(q, j)+mu*x.At(q, c)+w.mean[j])
		}
	}
}

// cut checks the outputs of the transducer: z = V w is given, and with V orthonormal so is w.
func (w *network) cut(on string, f *mat.Dense, printed float64) {
	n, c := f.Dims()
	d := min(n-1, w.params["eigenvectors"].(int))
	v, objective := w.eigenvectors(d), 0.0
	for j := range c {
		plus := 0.0
		for q := range w.at {
			plus += (1 + w.y.At(q, j)) / 2
		}
		minus := float64(len(w.at)) - plus
		target := map[bool]float64{true: math.Sqrt(minus / plus), false: -math.Sqrt(plus / minus)}
		z := mat.NewVecDense(n, nil)
		for i := range n {
			z.SetVec(i, f.At(i, j)+(target[true]+target[false])/2)
		}
		x, g, b := mat.NewVecDense(d, nil), mat.NewDense(d, d, nil), mat.NewVecDense(d, nil)
		x.MulVec(v.T(), z)
		for k := range d {
			g.Set(k, k, float64((k+1)*(k+1)))
			objective += g.At(k, k) * x.AtVec(k) * x.AtVec(k)
		}
		for q, i := range w.at {
			side := w.y.At(q, j) > 0
			cost := w.params["cost"].(float64) * float64(len(w.at)) / (2 * map[bool]float64{true: plus, false: minus}[side])
			row := mat.NewVecDense(d, mat.Row(nil, i, v))
			g.RankOne(g, cost, row, row)
			b.AddScaledVec(b, cost*target[side], row)
			off := mat.Dot(row, x) - target[side]
			objective += cost * off * off
		}
		pull := mat.NewVecDense(d, nil)
		pull.MulVec(g, x)
		pull.SubVec(pull, b)
		lambda := mat.Dot(pull, x) / mat.Dot(x, x)
		pull.AddScaledVec(pull, -lambda, x)
		var e mat.EigenSym
		if !e.Factorize(symmetric(g), false) {
			w.t.Fatal("no eigenvalues")
		}
		if r := mat.Norm(pull, 2) / mat.Norm(b, 2); len(w.away) == 0 &&
			(r > 1e-6 || math.Abs(mat.Dot(x, x)-float64(n)) > 1e-6*float64(n) || lambda > e.Values(nil)[0]+1e-9) {
			w.t.Errorf("sgt on %s, output %d: the slope is %g, w'w = %g of %d, lambda %g, least eigenvalue %g",
				on, j, r, mat.Dot(x, x), n, lambda, e.Values(nil)[0])
		}
	}
	if len(w.away) == 0 && !near(objective, printed, 1e-6) {
		w.t.Errorf("sgt on %s: the objective is %g, printed as %g", on, objective, printed)
	}
}

// eigenvectors are d of the normalised Laplacian, but for that of the constant.
func (w *network) eigenvectors(d int) *mat.Dense {
	n, _ := w.w.Dims()
	l, total := w.laplacian(true), 0.0
	for _, v := range w.degree {
		total += v
	}
	l.Apply(func(i, j int, v float64) float64 { return v + 10*math.Sqrt(w.degree[i]*w.degree[j])/total }, l)
	var e mat.EigenSym
	if !e.Factorize(symmetric(l), true) {
		w.t.Fatal("no eigenvectors")
	}
	values := e.Values(nil)
	for k := range d {
		if values[k+1]-values[k] < 1e-8 {
			w.t.Fatalf("eigenvalues %d and %d are equal, so that the eigenvectors are not known", k, k+1)
		}
	}
	var all mat.Dense
	e.VectorsTo(&all)
	return mat.DenseCopyOf(all.Slice(0, n, 0, d))
}

// symmetric is the symmetric part.
func symmetric(a *mat.Dense) *mat.SymDense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}

// part are the entries of some rows and columns.
func part(a *mat.Dense, rows, columns []int) *mat.Dense {
	out := mat.NewDense(len(rows), len(columns), nil)
	out.Apply(func(i, j int, _ float64) float64 { return a.At(rows[i], columns[j]) }, out)
	return out
}

// solve is a^-1 b.
func (w *network) solve(a, b *mat.Dense) *mat.Dense {
	w.t.Helper()
	var x mat.Dense
	if err := x.Solve(a, b); err != nil {
		w.t.Fatal(err)
	}
	return &x
}
