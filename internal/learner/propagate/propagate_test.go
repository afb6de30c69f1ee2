package propagate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/learn"
)

// points are rows drawn around some centres in the plane.
func points(seed uint64, n int) data.Rows {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.Set(i, 0, 2*float64(i%3)+rng.NormFloat64())
		x.Set(i, 1, float64(i%2)+rng.NormFloat64())
	}
	return data.Rows{Dense: x}
}

// classes gives every third of the listed numbers of rows a label.
func classes(rows data.Rows, count, labels int) *learn.Problem {
	l := data.Labels{Task: data.Classification, Class: make([]int, rows.Len())}
	for k := range count {
		l.Classes = append(l.Classes, fmt.Sprint(k))
	}
	for i := range l.Class {
		l.Class[i] = data.Unlabelled
	}
	for q := range labels {
		l.Class[(q*7)%rows.Len()] = (q*q + q/2) % count
	}
	return learn.NewProblem(rows, l)
}

// numbers are targets on every fifth row.
func numbers(rows data.Rows) *learn.Problem {
	l := data.Labels{Task: data.Regression, Value: make([]float64, rows.Len())}
	for i := range l.Value {
		l.Value[i] = math.NaN()
		if i%5 == 0 {
			l.Value[i] = math.Sin(float64(i)) + 3
		}
	}
	return learn.NewProblem(rows, l)
}

func label(t *testing.T, r graph.Recipe, p *learn.Problem) *Labelled {
	t.Helper()
	g, err := r.Build(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Label(g, p)
}

func bind(t *testing.T, a *Labelled, algorithm Algorithm) Machine {
	t.Helper()
	m, err := algorithm.Bind(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func train(t *testing.T, m Machine, keep []int) *Outputs {
	t.Helper()
	out, err := m.Train(t.Context(), keep, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// far is the largest difference.
func far(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Max(abs(&d))
}

func abs(a *mat.Dense) *mat.Dense {
	a.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, a)
	return a
}

// written is W of a graph, and its degrees.
func written(g *graph.Graph) (w *mat.Dense, degree []float64) {
	w = g.W.ToDense()
	degree = make([]float64, g.N)
	for i := range degree {
		degree[i] = mat.Sum(w.RowView(i))
	}
	return w, degree
}

// laplacian is L^p of a graph by its formula.
func laplacian(g *graph.Graph, kind graph.Laplacian, p int) *mat.Dense {
	w, d := written(g)
	l := mat.NewDense(g.N, g.N, nil)
	l.Apply(func(i, j int, v float64) float64 {
		if kind == graph.Normalised {
			v /= math.Sqrt(d[i] * d[j])
			if i == j {
				return 1 - v
			}
			return -v
		}
		if i == j {
			return d[i] - v
		}
		return -v
	}, w)
	power := mat.DenseCopyOf(l)
	for range p - 1 {
		power.Mul(mat.DenseCopyOf(power), l)
	}
	return power
}

// solved is a^-1 b.
func solved(t *testing.T, a, b mat.Matrix) *mat.Dense {
	t.Helper()
	var x mat.Dense
	if err := x.Solve(a, b); err != nil {
		t.Fatal(err)
	}
	return &x
}

// pick are the entries of a at some rows and columns.
func pick(a mat.Matrix, rows, columns []int) *mat.Dense {
	out := mat.NewDense(len(rows), len(columns), nil)
	out.Apply(func(i, j int, _ float64) float64 { return a.At(rows[i], columns[j]) }, out)
	return out
}

// rest are the rows that are not listed.
func rest(n int, list []int) []int {
	var out []int
	for i := range n {
		if !slices.Contains(list, i) {
			out = append(out, i)
		}
	}
	return out
}

func upTo(n int) []int { return rest(n, nil) }

// connected is a graph in which every row can be reached, of few rows, which are solved for directly, and of
// more, which are not.
func connected(t *testing.T, n int, p *learn.Problem) *Labelled {
	t.Helper()
	a := label(t, graph.Recipe{Neighbours: 6, Weights: graph.Heat, Laplacian: graph.Combinatorial}, p)
	if a.count != 1 || n != a.Graph.N {
		t.Fatalf("%d components of %d rows", a.count, a.Graph.N)
	}
	return a
}

// sizes are rows that are solved for directly and by conjugate gradients.
var sizes = []int{60, DirectRows + 150}

// The harmonic function is its formula, and the probability of a walk to end at a label of the class.
func TestHarmonicIsAWalk(t *testing.T) {
	for _, n := range sizes {
		p := classes(points(1, n), 3, 12)
		a := connected(t, n, p)
		out := train(t, bind(t, a, Harmonic{}), nil)
		free := rest(n, p.Labelled)
		l := laplacian(a.Graph, graph.Combinatorial, 1)
		b := mat.NewDense(len(free), 3, nil)
		b.Mul(pick(l, free, p.Labelled), p.Y)
		b.Scale(-1, b)
		if d := far(pick(out.F, free, upTo(3)), solved(t, pick(l, free, free), b)); d > 1e-7 {
			t.Errorf("%d rows: f_U differs by %g", n, d)
		}
		if d := far(pick(out.F, p.Labelled, upTo(3)), p.Y); d != 0 {
			t.Errorf("%d rows: labelled rows move by %g", n, d)
		}
		if out.Certificate.Residual > 1e-9 || out.Unreached != 0 {
			t.Errorf("%d rows: %+v, %d not reached", n, out.Certificate, out.Unreached)
		}
	}
	// The walk itself, which stays where it comes to a label: so many steps, by squares, that hardly a walker is still on its way.
	p := classes(points(1, 60), 3, 12)
	a := connected(t, 60, p)
	w, d := written(a.Graph)
	walk := mat.NewDense(60, 60, nil)
	walk.Apply(func(i, _ int, v float64) float64 { return v / d[i] }, w)
	for _, i := range p.Labelled {
		clear(walk.RawRowView(i))
		walk.Set(i, i, 1)
	}
	for range 15 {
		walk.Mul(mat.DenseCopyOf(walk), mat.DenseCopyOf(walk))
	}
	ends := mat.NewDense(60, 3, nil)
	for q, j := range p.Labelled {
		for i := range 60 {
			ends.Set(i, p.Class[q], ends.At(i, p.Class[q])+walk.At(i, j))
		}
	}
	ends.Apply(func(_, _ int, v float64) float64 { return 2*v - 1 }, ends)
	if d := far(train(t, bind(t, a, Harmonic{}), nil).F, ends); d > 1e-9 {
		t.Errorf("the walk differs by %g", d)
	}
}

// Class masses are those wanted, by the formula of the source.
func TestMasses(t *testing.T) {
	p := classes(points(2, 80), 3, 15)
	a := connected(t, 80, p)
	plain, out := train(t, bind(t, a, Harmonic{}), nil).F, train(t, bind(t, a, Harmonic{Masses: true}), nil).F
	free := rest(80, p.Labelled)
	mass, count := make([]float64, 3), []float64{1, 1, 1}
	for _, k := range p.Class {
		count[k]++
	}
	for _, i := range free {
		for k := range 3 {
			mass[k] += (1 + plain.At(i, k)) / 2
		}
	}
	for _, i := range free {
		total := 0.0
		for k := range 3 {
			total += (1 + plain.At(i, k)) / 2 * count[k] / mass[k]
		}
		for k := range 3 {
			want := 2*(1+plain.At(i, k))/2*count[k]/mass[k]/total - 1
			if math.Abs(out.At(i, k)-want) > 1e-12 {
				t.Fatalf("row %d, class %d: %g, want %g", i, k, out.At(i, k), want)
			}
		}
	}
}

// Label spreading is the limit of its iteration, divided by 1 - alpha and by the sums over the classes.
func TestSpreadingIsItsIteration(t *testing.T) {
	if testing.Short() {
		t.Skip("dense iterations of one goroutine, slow under the race detector")
	}
	for _, n := range sizes {
		for _, alpha := range []float64{0.3, 0.95} {
			p := classes(points(3, n), 3, 20)
			a := connected(t, n, p)
			m := bind(t, a, Spreading{Alpha: alpha})
			out := train(t, m, nil)
			s := laplacian(a.Graph, graph.Normalised, 1)
			s.Apply(func(i, j int, v float64) float64 {
				if i == j {
					return 0
				}
				return -v
			}, s)
			y := mat.NewDense(n, 3, nil)
			for q, i := range p.Labelled {
				y.Set(i, p.Class[q], 1-alpha)
			}
			f, next := mat.DenseCopyOf(y), mat.NewDense(n, 3, nil)
			for range 700 {
				next.Mul(s, f)
				next.Scale(alpha, next)
				next.Add(next, y)
				f, next = next, f
			}
			f.Scale(1/(1-alpha), f)
			if d := far(out.raw, f); d > 1e-8 {
				t.Errorf("%d rows, alpha %g: F differs by %g", n, alpha, d)
			}
			for i := range n {
				sum := mat.Sum(f.RowView(i))
				for k := range 3 {
					if d := math.Abs(out.F.At(i, k) - (2*f.At(i, k)/sum - 1)); d > 1e-6 {
						t.Fatalf("%d rows, alpha %g: row %d differs by %g", n, alpha, i, d)
					}
				}
			}
		}
	}
}

// The objective of label spreading is a minimum: its value at any other point is larger.
func TestSpreadingMinimises(t *testing.T) {
	p := classes(points(3, 50), 2, 10)
	a := connected(t, 50, p)
	m := bind(t, a, Spreading{Alpha: 0.8}).(*spreading)
	out := train(t, m, nil)
	y := mat.NewDense(50, 2, nil)
	for q, i := range p.Labelled {
		y.Set(i, p.Class[q], 1)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		f := mat.DenseCopyOf(out.raw)
		f.Apply(func(_, _ int, v float64) float64 { return v + 1e-4*rng.NormFloat64() }, f)
		if v := m.objective(f, y); v <= out.Certificate.Objective {
			t.Fatalf("%g at another point, %g at the minimum", v, out.Certificate.Objective)
		}
	}
}

// Regularisation on the graph is the source's formula, and sums to zero.
func TestRegularisedFormula(t *testing.T) {
	for _, n := range sizes {
		for _, power := range []int{1, 2} {
			p := classes(points(4, n), 3, 12)
			if power == 2 {
				p = numbers(points(4, n))
			}
			c := p.Outputs()
			a := connected(t, n, p)
			l := laplacian(a.Graph, graph.Combinatorial, power)
			for _, gamma := range []float64{1e-2, 0} {
				out := train(t, bind(t, a, Regularised{Gamma: gamma, Degree: power}), nil)
				var want *mat.Dense
				if gamma == 0 {
					want = interpolatedByFormula(t, l, p)
				} else {
					want = tikhonovByFormula(t, l, p, gamma)
				}
				if d := far(out.F, want); d > 1e-5 {
					t.Errorf("%d rows, power %d, gamma %g: f differs by %g", n, power, gamma, d)
				}
				for j := range c {
					ybar := mat.Sum(p.Y.ColView(j)) / float64(len(p.Labelled))
					if s := mat.Sum(out.F.ColView(j)) - float64(n)*ybar; math.Abs(s) > 1e-6*float64(n) {
						t.Errorf("%d rows, power %d, gamma %g: f sums to %g", n, power, gamma, s)
					}
				}
			}
		}
	}
}

// tikhonovByFormula is (l gamma S + J)^-1 (y~ + mu 1) + ybar.
func tikhonovByFormula(t *testing.T, s *mat.Dense, p *learn.Problem, gamma float64) *mat.Dense {
	n, c := p.Rows.Len(), p.Outputs()
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, c+1, nil)
	a.Scale(gamma*float64(len(p.Labelled)), s)
	for q, i := range p.Labelled {
		a.Set(i, i, a.At(i, i)+1)
		for j := range c {
			b.Set(i, j, p.Y.At(q, j)-mat.Sum(p.Y.ColView(j))/float64(len(p.Labelled)))
		}
	}
	for i := range n {
		b.Set(i, c, 1)
	}
	return raised(solved(t, a, b), p)
}

// interpolatedByFormula is y~ and S_UU^-1 (-S_UL y~ + mu 1), + ybar.
func interpolatedByFormula(t *testing.T, s *mat.Dense, p *learn.Problem) *mat.Dense {
	n, c := p.Rows.Len(), p.Outputs()
	free := rest(n, p.Labelled)
	y := mat.NewDense(len(p.Labelled), c, nil)
	y.Apply(func(q, j int, _ float64) float64 {
		return p.Y.At(q, j) - mat.Sum(p.Y.ColView(j))/float64(len(p.Labelled))
	}, y)
	b, sy := mat.NewDense(len(free), c+1, nil), mat.NewDense(len(free), c, nil)
	sy.Mul(pick(s, free, p.Labelled), y)
	b.Apply(func(a, j int, _ float64) float64 {
		if j == c {
			return 1
		}
		return -sy.At(a, j)
	}, b)
	x, f := solved(t, pick(s, free, free), b), mat.NewDense(n, c+1, nil)
	scatter(f, free, x)
	for q, i := range p.Labelled {
		copy(f.RawRowView(i), y.RawRowView(q))
	}
	return raised(f, p)
}

// raised takes so much of the last column from the others that they sum to zero, and adds the means.
func raised(x *mat.Dense, p *learn.Problem) *mat.Dense {
	n, c := p.Rows.Len(), p.Outputs()
	f := mat.NewDense(n, c, nil)
	for j := range c {
		mu, ybar := mat.Sum(x.ColView(j))/mat.Sum(x.ColView(c)), mat.Sum(p.Y.ColView(j))/float64(len(p.Labelled))
		for i := range n {
			f.Set(i, j, x.At(i, j)-mu*x.At(i, c)+ybar)
		}
	}
	return f
}

// The penalty without weight is the interpolated variant.
func TestSmallPenalty(t *testing.T) {
	p := numbers(points(5, 70))
	a := connected(t, 70, p)
	exact, near := train(t, bind(t, a, Regularised{}), nil).F, train(t, bind(t, a, Regularised{Gamma: 1e-9}), nil).F
	if d := far(exact, near); d > 1e-6 {
		t.Errorf("gamma 1e-9 and 0 differ by %g", d)
	}
}

// The transducer's weights belong to the smallest eigenvalue of the block matrix, which a general solver
// finds, and minimise on the sphere.
func TestTransducerByEigenvalues(t *testing.T) {
	for _, kind := range []graph.Laplacian{graph.Normalised, graph.Combinatorial} {
		p := classes(points(6, 90), 2, 14)
		a := label(t, graph.Recipe{Neighbours: 6, Laplacian: kind}, p)
		const d, cost = 12, 32.0
		m := bind(t, a, Spectral{Eigenvectors: d, C: cost}).(*transducer)
		out := train(t, m, nil)
		var vv mat.Dense
		vv.Mul(m.v.T(), m.v)
		for i := range d {
			vv.Set(i, i, vv.At(i, i)-1)
		}
		if worst := mat.Max(abs(&vv)); worst > 1e-9 {
			t.Fatalf("the eigenvectors are orthonormal to %g", worst)
		}
		plus, minus := 0.0, 0.0
		for _, k := range p.Class {
			plus, minus = plus+float64(k), minus+1-float64(k)
		}
		g, b := mat.NewDense(d, d, nil), mat.NewVecDense(d, nil)
		for k := range d {
			g.Set(k, k, float64((k+1)*(k+1)))
		}
		for q, i := range p.Labelled {
			gamma, c := -math.Sqrt(plus/minus), (plus+minus)/(2*minus)
			if p.Class[q] == 1 {
				gamma, c = math.Sqrt(minus/plus), (plus+minus)/(2*plus)
			}
			v := mat.NewVecDense(d, slices.Clone(m.v.RawRowView(i)))
			g.RankOne(g, cost*c, v, v)
			b.AddScaledVec(b, cost*c*gamma, v)
		}
		lambda := blockEigenvalue(t, g, b, 90)
		shifted := mat.DenseCopyOf(g)
		for k := range d {
			shifted.Set(k, k, shifted.At(k, k)-lambda)
		}
		w := solved(t, shifted, b)
		z := mat.NewDense(90, 1, nil)
		z.Mul(m.v, w)
		shift := (math.Sqrt(minus/plus) - math.Sqrt(plus/minus)) / 2
		z.Apply(func(_, _ int, v float64) float64 { return v - shift }, z)
		if worst := far(z, out.F); worst > 1e-6 {
			t.Errorf("%v: the outputs differ by %g", kind, worst)
		}
		if out.Certificate.Residual > 1e-10 {
			t.Errorf("%v: %+v", kind, out.Certificate)
		}
	}
}

// blockEigenvalue is the smallest real eigenvalue of [G, -I; -b b'/n, G].
func blockEigenvalue(t *testing.T, g *mat.Dense, b *mat.VecDense, n float64) float64 {
	t.Helper()
	d := b.Len()
	block := mat.NewDense(2*d, 2*d, nil)
	for i := range d {
		block.Set(i, d+i, -1)
		for j := range d {
			block.Set(i, j, g.At(i, j))
			block.Set(d+i, d+j, g.At(i, j))
			block.Set(d+i, j, -b.AtVec(i)*b.AtVec(j)/n)
		}
	}
	var e mat.Eigen
	if !e.Factorize(block, mat.EigenRight) {
		t.Fatal("no eigenvalues")
	}
	least := math.Inf(1)
	for _, v := range e.Values(nil) {
		if math.Abs(imag(v)) < 1e-9 {
			least = min(least, real(v))
		}
	}
	return least
}

// On the sphere nothing is smaller than the minimum, in the hard case too, where b has no part along the
// first eigenvector.
func TestOnSphere(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, hard := range []bool{false, true} {
		const d, n = 7, 40.0
		g := mat.NewDense(d, d, nil)
		for i := range d {
			g.Set(i, i, float64(i))
		}
		b := make([]float64, d)
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		if hard {
			b[0] = 0
		}
		w, lambda, cert, err := onSphere(t.Context(), g, b, n)
		if err != nil || cert.Residual > 1e-12 || lambda > 1e-12 || (lambda == 0) != hard {
			t.Fatalf("hard %v: lambda %g, %+v, %v", hard, lambda, cert, err)
		}
		value := func(v []float64) float64 {
			s := 0.0
			for i, x := range v {
				s += float64(i)*x*x - 2*b[i]*x
			}
			return s
		}
		if math.Abs(value(w)-cert.Objective) > 1e-10 {
			t.Errorf("the objective is %g, printed as %g", value(w), cert.Objective)
		}
		for range 2000 {
			v, norm := make([]float64, d), 0.0
			for i := range v {
				v[i] = rng.NormFloat64()
				norm += v[i] * v[i]
			}
			for i := range v {
				v[i] *= math.Sqrt(n / norm)
			}
			if value(v) < cert.Objective {
				t.Fatalf("hard %v: %g at another point, %g at the minimum", hard, value(v), cert.Objective)
			}
		}
	}
}

// algorithms are all of them, for the problem.
func algorithms(p *learn.Problem) []Algorithm {
	list := []Algorithm{
		Harmonic{}, Regularised{Gamma: 1e-2}, Regularised{Gamma: 3, Degree: 2}, Regularised{}, Regularised{Degree: 2},
	}
	if p.Class != nil {
		list = append(list, Harmonic{Masses: true}, Spreading{Alpha: 0.9}, Spectral{Eigenvectors: 20, C: 100})
	}
	return list
}

// What a row is given without its label is what it is given by training without it: one by one, and by folds.
func TestLeftOutIsTrainingAgain(t *testing.T) {
	two := data.Rows{Dense: points(9, 60).Dense}
	for _, i := range []int{3, 7, 11, 28, 30, 49} { // a component of its own, with the label of row 28 and 49
		two.Dense.Set(i, 0, 100+float64(i%3))
	}
	two.Dense.Set(14, 1, -500) // a labelled row by itself, and one without a label
	two.Dense.Set(15, 1, 500)
	for name, p := range map[string]*learn.Problem{
		"classes": classes(points(9, 60), 3, 13), "two": classes(points(10, 60), 2, 9), "numbers": numbers(points(11, 60)),
		"components": classes(two, 3, 13), "all labelled": classes(points(12, 30), 2, 30),
		"many": classes(points(9, DirectRows+150), 3, 7),
	} {
		if testing.Short() && name == "many" {
			continue // slow under the race detector
		}
		a := label(t, graph.Recipe{Neighbours: 3, Symmetry: graph.Union, Laplacian: graph.Combinatorial, Radius: 50}, p)
		for _, algorithm := range algorithms(p) {
			m := bind(t, a, algorithm)
			all := train(t, m, nil)
			tol := 1e-8
			if name == "many" {
				tol = 1e-5
			}
			for _, folds := range [][][]int{nil, {{0, 3}, {1, 2, 4}, {5}}} {
				left, err := LeftOut(t.Context(), m, all, folds)
				if err != nil {
					t.Fatal(err)
				}
				if folds == nil {
					for q := range p.Labelled {
						folds = append(folds, []int{q})
					}
				}
				for _, fold := range folds {
					again := train(t, m, learn.Others(len(p.Labelled), fold)).F
					for _, q := range fold {
						if d := far(left.RowView(q), again.RowView(p.Labelled[q])); !(d < tol) {
							t.Errorf("%s, %T%+v: label %d of %d left out differs by %g", name, algorithm, algorithm, q, len(fold), d)
						}
					}
				}
			}
		}
	}
}

// Rows in another order, and classes by other names, have the same outputs.
func TestRelations(t *testing.T) {
	const n = 70
	p := classes(points(13, n), 3, 15)
	order := rand.New(rand.NewPCG(5, 5)).Perm(n)
	moved := data.Labels{Task: p.Task, Classes: p.Classes, Class: make([]int, n)}
	renamed := data.Labels{Task: p.Task, Classes: p.Classes, Class: make([]int, n)}
	class := make([]int, n)
	for i := range class {
		class[i] = data.Unlabelled
	}
	for q, i := range p.Labelled {
		class[i] = p.Class[q]
	}
	cycle := []int{1, 2, 0}
	for a, i := range order {
		moved.Class[a], renamed.Class[i] = class[i], class[i]
		if class[i] >= 0 {
			renamed.Class[i] = cycle[class[i]]
		}
	}
	recipe := graph.Recipe{Neighbours: 5, Weights: graph.Heat}
	a, b := label(t, recipe, p), label(t, recipe, learn.NewProblem(p.Rows.Select(order), moved))
	c := label(t, recipe, learn.NewProblem(p.Rows, renamed))
	for _, algorithm := range algorithms(p) {
		x, y, z := train(t, bind(t, a, algorithm), nil).F, train(t, bind(t, b, algorithm), nil).F, train(t, bind(t, c, algorithm), nil).F
		if d := far(pick(x, order, upTo(3)), y); d > 1e-6 {
			t.Errorf("%T%+v: in another order the outputs differ by %g", algorithm, algorithm, d)
		}
		if d := far(pick(x, upTo(n), upTo(3)), pick(z, upTo(n), cycle)); d > 1e-8 {
			t.Errorf("%T%+v: by other names the outputs differ by %g", algorithm, algorithm, d)
		}
	}
}

// With two classes the one output is the difference of what the two columns of more would be.
func TestTwoClassesAreTwoColumns(t *testing.T) {
	p := classes(points(14, 60), 2, 10)
	three := *p
	three.Classes, three.Coding = append(slices.Clone(p.Classes), "none"), learn.Coding{Classes: 3}
	three.Y = three.Coding.Code(p.Class)
	a, b := connected(t, 60, p), connected(t, 60, &three)
	for _, algorithm := range []Algorithm{Harmonic{}, Spreading{Alpha: 0.9}, Regularised{Gamma: 0.1}, Spectral{Eigenvectors: 10}} {
		one, several := train(t, bind(t, a, algorithm), nil).F, train(t, bind(t, b, algorithm), nil).F
		if d := far(one, pick(several, upTo(60), []int{1})); d > 1e-8 {
			t.Errorf("%T: the second class differs by %g", algorithm, d)
		}
	}
}

// The golden graph: eight points in two components, with a label each.
func TestGoldenGraph(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(8, 2, []float64{0, 0, 2, 1, 0.5, 0.2, 1.1, 0.1, 2.4, 0.7, 1.6, 1.3, 0.3, 0.9, 2.9, 1.4})}
	l := data.Labels{Task: data.Classification, Classes: []string{"-", "+"}, Class: []int{1, 0, -1, -1, -1, -1, -1, -1}}
	p := learn.NewProblem(x, l)
	side := []float64{1, -1, 1, 1, -1, -1, 1, -1}
	a := label(t, graph.Recipe{Neighbours: 2}, p)
	if a.count != 2 || a.Graph.W.NNZ() != 20 {
		t.Fatalf("%d components, %d edges", a.count, a.Graph.W.NNZ()/2)
	}
	for _, algorithm := range []Algorithm{Harmonic{}, Harmonic{Masses: true}, Spreading{Alpha: 0.9}} {
		out := train(t, bind(t, a, algorithm), nil)
		for i, want := range side {
			if d := math.Abs(out.F.At(i, 0) - want); d > 1e-12 {
				t.Errorf("%T%+v: row %d has %g, want %g", algorithm, algorithm, i, out.F.At(i, 0), want)
			}
		}
	}
	for _, algorithm := range []Algorithm{Regularised{Gamma: 0.1, Degree: 2}, Spectral{}} {
		out := train(t, bind(t, a, algorithm), nil)
		for i, want := range side {
			if out.F.At(i, 0)*want <= 0 {
				t.Errorf("%T%+v: row %d has %g, want the sign of %g", algorithm, algorithm, i, out.F.At(i, 0), want)
			}
		}
	}
	// Without the label of one component it has the shares of the labels: all of one class.
	left, err := LeftOut(t.Context(), bind(t, a, Harmonic{}), train(t, bind(t, a, Harmonic{}), nil), nil)
	if err != nil || left.At(0, 0) != -1 || left.At(1, 0) != 1 {
		t.Errorf("left out %v, %v", mat.Formatted(left), err)
	}
}

// Rows that no label reaches have the shares of the classes, and duplicates with two labels keep both.
func TestHardRows(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(9, 1, []float64{0, 0, 1, 2, 3, 50, 51, 52, 90})}
	l := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: []int{0, 1, 1, -1, -1, -1, -1, -1, 1}}
	p := learn.NewProblem(x, l)
	a := label(t, graph.Recipe{Neighbours: 2, Radius: 5}, p)
	for _, algorithm := range algorithms(p) {
		out := train(t, bind(t, a, algorithm), nil)
		for _, i := range []int{5, 6, 7} {
			if out.F.At(i, 0) != 0.5 {
				t.Errorf("%T%+v: row %d has %g, and labels are to three quarters of the second class", algorithm, algorithm, i,
					out.F.At(i, 0))
			}
		}
		if out.Unreached != 3 {
			t.Errorf("%T%+v: %d rows not reached", algorithm, algorithm, out.Unreached)
		}
		for i := range 9 {
			if v := out.F.At(i, 0); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%T%+v: row %d has %g", algorithm, algorithm, i, v)
			}
		}
	}
	out := train(t, bind(t, a, Harmonic{}), nil)
	if out.F.At(0, 0) != -1 || out.F.At(1, 0) != 1 || out.F.At(8, 0) != 1 {
		t.Error("labelled rows lost their labels")
	}
}

// Fold by fold a class may lose all its labels.
func TestClassWithoutLabels(t *testing.T) {
	p := classes(points(15, 60), 3, 8)
	a := connected(t, 60, p)
	var keep []int
	for q, k := range p.Class {
		if k != 2 {
			keep = append(keep, q)
		}
	}
	for _, algorithm := range algorithms(p) {
		out := train(t, bind(t, a, algorithm), keep)
		for _, k := range p.Coding.Decide(out.F) {
			if k == 2 {
				t.Fatalf("%T%+v: a row is decided for the class without a label", algorithm, algorithm)
			}
		}
	}
}

// Wherever an algorithm asks its context it ends.
func TestStops(t *testing.T) {
	for _, n := range sizes {
		p := classes(points(16, n), 3, 12)
		a := connected(t, n, p)
		for _, algorithm := range algorithms(p) {
			stoptest.Everywhere(t, func(ctx context.Context) error {
				m, err := algorithm.Bind(ctx, a)
				if err != nil {
					return err
				}
				all, err := m.Train(ctx, nil, nil)
				if err != nil {
					return err
				}
				_, err = LeftOut(ctx, m, all, nil)
				return err
			})
		}
	}
}

// Parameters that make no machine are errors.
func TestRefused(t *testing.T) {
	a := connected(t, 60, classes(points(1, 60), 2, 10))
	for _, algorithm := range []Algorithm{
		Spreading{}, Spreading{Alpha: 1}, Regularised{Gamma: -1}, Regularised{Gamma: math.NaN()}, Regularised{Degree: -1},
		Spectral{Eigenvectors: -1}, Spectral{C: math.NaN()},
	} {
		if _, err := algorithm.Bind(t.Context(), a); err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("%T%+v: %v", algorithm, algorithm, err)
		}
	}
}
