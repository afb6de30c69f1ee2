package propagate

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// joined is a graph by its weights, with labels of numbers on the first rows.
func joined(w *mat.Dense, targets ...float64) *Labelled {
	n, _ := w.Dims()
	l := data.Labels{Task: data.Regression, Value: make([]float64, n)}
	for i := range l.Value {
		l.Value[i] = math.NaN()
	}
	copy(l.Value, targets)
	p := learn.NewProblem(data.Rows{Dense: mat.NewDense(n, 1, nil)}, l)
	return Label(&graph.Graph{N: n, W: data.CSRFromDense(w), Recipe: graph.Recipe{Laplacian: graph.Combinatorial}}, p)
}

// An edge is a way for labels from a hundred millionth of what its ends have on. Rows are told apart by that, and where
// none is reached they have the mean of the targets that are kept.
func TestNegligibleEdges(t *testing.T) {
	for weight, parts := range map[float64]int{0.9e-8: 2, 1.1e-8: 1, 1e-5: 1} {
		w := mat.NewDense(4, 4, []float64{
			0, 4, 0, 0,
			4, 0, 2 * weight, 0,
			0, 2 * weight, 0, 1,
			0, 0, 1, 0,
		}) // the ends of the edge between have the degrees 4 and 1
		a := joined(w, 2, 5)
		if a.count != parts || a.component[0] != 0 || a.component[1] != 0 || a.component[2] != parts-1 || a.component[3] != parts-1 {
			t.Errorf("an edge of %g: %d parts, %v", weight, a.count, a.component)
		}
		for i, want := range []float64{2, math.Sqrt(4 + 2*weight), math.Sqrt(1 + 2*weight), 1} {
			if a.root[i] != want {
				t.Errorf("the root of the degree of row %d is %g, expected %g", i, a.root[i], want)
			}
		}
		r := a.reach([]int{1})
		if r.mean[0] != 5 || len(r.away) != 2*(parts-1) || len(r.rows)+len(r.away) != 4 || len(r.free) != len(r.rows)-1 {
			t.Errorf("an edge of %g: reached are %+v", weight, r)
		}
	}
	a := joined(mat.NewDense(2, 2, []float64{0, 1, 1, 0}), 1)
	failtest.Panics(
		t,
		"propagate: a graph of 2 rows for 3 rows",
		func() { Label(a.Graph, &learn.Problem{Rows: data.Rows{Dense: mat.NewDense(3, 1, nil)}}) },
	)
	if got := a.without([]float64{1}, 0); !slices.Equal(got, []float64{0}) {
		t.Errorf("without the only label the mean is %v", got)
	}
	a = joined(mat.NewDense(3, 3, []float64{0, 1, 0, 1, 0, 0, 0, 0, 0}), 1, 4, 10)
	if got := a.without([]float64{5}, 2); !slices.Equal(got, []float64{2.5}) {
		t.Errorf("without the third label the mean is %v", got)
	}
	if got := a.lone(); !slices.Equal(got, []bool{false, false, true}) {
		t.Errorf("alone are %v", got)
	}
}

// Panels are of 64 columns, of fewer where rows are many, and of one at least.
func TestPanels(t *testing.T) {
	for _, c := range []struct{ n, count, width int }{
		{10, 63, 64}, {10, 64, 64}, {10, 65, 64}, {0, 3, 64}, {1, 200, 64}, {1 << 15, 70, 64}, {1 << 16, 70, 32}, {1 << 21, 2, 1},
		{1 << 22, 2, 1}, {5, 0, 64},
	} {
		at := 0
		err := panels(t.Context(), c.n, c.count, func(lo, hi int) error {
			if lo != at || hi != min(lo+c.width, c.count) {
				t.Errorf("%d rows: %d to %d of %d", c.n, lo, hi, c.count)
			}
			at = hi
			return nil
		})
		if err != nil || at != c.count {
			t.Errorf("%d rows: ended at %d of %d, %v", c.n, at, c.count, err)
		}
	}
	failed, seen := errors.New("failed"), 0
	err := panels(t.Context(), 10, 200, func(int, int) error { seen++; return failed })
	if !errors.Is(err, failed) || seen != 1 {
		t.Errorf("%d pieces were visited: %v", seen, err)
	}
}

// The defaults of the transducer are the source's, as far as there are eigenvectors; what is given stays.
func TestTransducerDefaults(t *testing.T) {
	for _, c := range []struct {
		of   Spectral
		n    int
		want Spectral
	}{
		{Spectral{}, 1000, Spectral{80, 3200}}, {Spectral{}, 81, Spectral{80, 3200}}, {Spectral{}, 80, Spectral{79, 3200}},
		{Spectral{Eigenvectors: 90}, 1000, Spectral{90, 3200}}, {Spectral{C: 1}, 20, Spectral{19, 1}}, {Spectral{1, 2}, 20, Spectral{1, 2}},
	} {
		if got := c.of.Defaults(c.n); got != c.want {
			t.Errorf("%+v of %d rows is %+v, expected %+v", c.of, c.n, got, c.want)
		}
	}
}

// What makes no machine is refused in these words, and what lies beside it is taken.
func TestRefusals(t *testing.T) {
	p := classes(points(1, 60), 2, 10)
	a := connected(t, 60, p)
	for want, algorithm := range map[string]Algorithm{
		"propagate: alpha 0; it must be above 0 and below 1":                              Spreading{},
		"propagate: alpha 1; it must be above 0 and below 1":                              Spreading{Alpha: 1},
		"propagate: alpha NaN; it must be above 0 and below 1":                            Spreading{Alpha: math.NaN()},
		"propagate: gamma -1 and degree 0; they must not be negative, and gamma finite":   Regularised{Gamma: -1},
		"propagate: gamma +Inf and degree 0; they must not be negative, and gamma finite": Regularised{Gamma: math.Inf(1)},
		"propagate: gamma NaN and degree 2; they must not be negative, and gamma finite":  Regularised{Gamma: math.NaN(), Degree: 2},
		"propagate: gamma 0.5 and degree -1; they must not be negative, and gamma finite": Regularised{Gamma: 0.5, Degree: -1},
		"propagate: -1 eigenvectors and c 3; they must not be negative":                   Spectral{Eigenvectors: -1, C: 3},
		"propagate: 0 eigenvectors and c -0.5; they must not be negative":                 Spectral{C: -0.5},
		"propagate: 5 eigenvectors and c NaN; they must not be negative":                  Spectral{Eigenvectors: 5, C: math.NaN()},
		"": Spreading{Alpha: 0.999},
	} {
		if _, err := algorithm.Bind(t.Context(), a); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%+v: %v, expected %q", algorithm, err, want)
		}
	}
	b := connected(t, 60, numbers(points(1, 60)))
	failtest.Panics(t, "propagate: class masses of numbers", func() { _, _ = Harmonic{Masses: true}.Bind(t.Context(), b) })
	failtest.Panics(t, "propagate: label spreading of numbers", func() { _, _ = Spreading{Alpha: 0.5}.Bind(t.Context(), b) })
	failtest.Panics(t, "propagate: the spectral graph transducer of numbers", func() { _, _ = Spectral{}.Bind(t.Context(), b) })
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, algorithm := range algorithms(p) {
		if _, err := algorithm.Bind(stopped, a); !errors.Is(err, context.Canceled) {
			t.Errorf("%T%+v is bound when told to stop: %v", algorithm, algorithm, err)
		}
	}
}

// Folds are stopped in the midst too.
func TestFoldsStop(t *testing.T) {
	p := classes(points(16, 60), 3, 12)
	a := connected(t, 60, p)
	for _, algorithm := range algorithms(p) {
		m := bind(t, a, algorithm)
		all := train(t, m, nil)
		stoptest.Everywhere(t, func(ctx context.Context) error {
			_, err := LeftOut(ctx, m, all, [][]int{{0, 1}, {2}})
			return err
		})
		late := 0
		if _, three := algorithm.(Spectral); three { // the functions of three classes are looked for at once
			late = 2
		}
		// Whichever look it is that is told to stop, nothing goes on without what was not computed.
		for looks := range 30 {
			c := stoptest.After(t.Context(), looks)
			m := bind(t, a, algorithm)
			if _, err := m.Train(c, nil, nil); (err != nil) != c.Ended() {
				t.Errorf("%T%+v: trained, told to stop after %d looks: %v", algorithm, algorithm, looks, err)
			}
			if c.Late() > late {
				t.Errorf("%T: trained, told to stop after %d looks it goes on, and asks %d times more", algorithm, looks, c.Late())
			}
			out := train(t, m, nil)
			c = stoptest.After(t.Context(), looks)
			if _, err := m.LeaveOneOut(c, out); (err != nil) != c.Ended() {
				t.Errorf("%T%+v: left out, told to stop after %d looks: %v", algorithm, algorithm, looks, err)
			}
			if c.Late() > late {
				t.Errorf("%T: left out, told to stop after %d looks it goes on, and asks %d times more", algorithm, looks, c.Late())
			}
		}
	}
}

// What is said to be minimised has that value, by its formula, with all labels and with some.
func TestObjectives(t *testing.T) {
	for name, p := range map[string]*learn.Problem{"numbers": numbers(points(4, 60)), "two": classes(points(4, 60), 2, 12),
		"three": classes(points(4, 60), 3, 12)} {
		a := connected(t, 60, p)
		for _, algorithm := range algorithms(p) {
			for _, keep := range [][]int{nil, {0, 1, 2, 4, 5, 8, 9}} {
				m := bind(t, a, algorithm)
				out := train(t, m, keep)
				if keep == nil {
					keep = upTo(len(p.Labelled))
				}
				want := objective(a, m, out, keep)
				if d := math.Abs(out.Certificate.Objective - want); !(d <= 1e-7*math.Abs(want)) {
					t.Errorf(
						"%s, %T%+v, %d labels: %.12g, by its formula %.12g",
						name,
						algorithm,
						algorithm,
						len(keep),
						out.Certificate.Objective,
						want,
					)
				}
			}
		}
	}
}

// objective is that of the outputs by the formulas above the algorithms.
func objective(a *Labelled, m Machine, out *Outputs, keep []int) float64 {
	p, n, c := a.Problem, a.Graph.N, a.Problem.Outputs()
	mean := make([]float64, c)
	for _, q := range keep {
		for j := range c {
			mean[j] += p.Y.At(q, j) / float64(len(keep))
		}
	}
	form := func(kind graph.Laplacian, power int, f *mat.Dense) (total float64) {
		var lf mat.Dense
		lf.Mul(laplacian(a.Graph, kind, power), f)
		lf.MulElem(&lf, f)
		return mat.Sum(&lf)
	}
	centred := mat.DenseCopyOf(out.F)
	centred.Apply(func(_, j int, v float64) float64 { return v - mean[j] }, centred)
	switch m := m.(type) {
	case *harmonic:
		return form(graph.Combinatorial, 1, out.raw)
	case *interpolated:
		return form(graph.Combinatorial, m.power, centred)
	case *tikhonov:
		l := float64(len(p.Labelled))
		total := m.weight / l * form(graph.Combinatorial, m.power, centred)
		for _, q := range keep {
			for j := range c {
				d := centred.At(p.Labelled[q], j) - p.Y.At(q, j) + mean[j]
				total += d * d / l
			}
		}
		return total
	case *spreading:
		w, d := written(a.Graph)
		f, mu, total := mat.NewDense(n, len(p.Classes), nil), 1/m.Alpha-1, 0.0
		f.Scale(1-m.Alpha, out.raw)
		y := mat.NewDense(n, len(p.Classes), nil)
		for _, q := range keep {
			y.Set(p.Labelled[q], p.Class[q], 1)
		}
		for k := range p.Classes {
			for i := range n {
				for j := range n {
					x := f.At(i, k)/math.Sqrt(d[i]) - f.At(j, k)/math.Sqrt(d[j])
					total += w.At(i, j) * x * x / 4
				}
				total += mu / 2 * (f.At(i, k) - y.At(i, k)) * (f.At(i, k) - y.At(i, k))
			}
		}
		return total
	case *transducer:
		return m.byFormula(out, keep)
	}
	return math.NaN()
}

// byFormula takes the weights back from the outputs, as the eigenvectors are orthonormal.
func (t *transducer) byFormula(out *Outputs, keep []int) (total float64) {
	p := t.a.Problem
	for j := range p.Outputs() {
		plus, minus := 0.0, 0.0
		for _, q := range keep {
			if p.Y.At(q, j) > 0 {
				plus++
			} else {
				minus++
			}
		}
		high, low := math.Sqrt(minus/plus), -math.Sqrt(plus/minus)
		z := mat.NewVecDense(t.a.Graph.N, nil)
		for i := range t.a.Graph.N {
			z.SetVec(i, out.F.At(i, j)+(high+low)/2)
		}
		var w mat.VecDense
		w.MulVec(t.v.T(), z)
		for k, v := range w.RawVector().Data {
			total += float64((k+1)*(k+1)) * v * v
		}
		for _, q := range keep {
			gamma, cost := low, (plus+minus)/(2*minus)
			if p.Y.At(q, j) > 0 {
				gamma, cost = high, (plus+minus)/(2*plus)
			}
			d := z.AtVec(p.Labelled[q]) - gamma
			total += t.C * cost * d * d
		}
	}
	return total
}

// A class without labels is given to no row, one with all labels to every row.
func TestTransducerOfOneClass(t *testing.T) {
	p := classes(points(6, 60), 2, 10)
	m := bind(t, connected(t, 60, p), Spectral{Eigenvectors: 5})
	for class := range 2 {
		var keep []int
		for q, k := range p.Class {
			if k == class {
				keep = append(keep, q)
			}
		}
		out := train(t, m, keep)
		for i := range 60 {
			if got := out.F.At(i, 0); got != float64(2*class-1) {
				t.Fatalf("all labels are of class %d, row %d has %g", class, i, got)
			}
		}
	}
}

// Without a linear part the minimum is along the first eigenvector, and where that is all of the linear part too; its sign
// is that of the linear part, or makes its first entry positive.
func TestOnSphereAlongAnEigenvector(t *testing.T) {
	const n = 9.0
	angle := 0.3
	c, s := math.Cos(angle), math.Sin(angle)
	g := mat.NewDense(3, 3, []float64{2*c*c + 5*s*s, 0, (2 - 5) * c * s, 0, 7, 0, (2 - 5) * c * s, 0, 2*s*s + 5*c*c}) // 2 along (c, 0, s)
	for along, sign := range map[float64]float64{0: 1, 1.5: 1, -1.5: -1, 1e-9: 1, -1e-9: -1} {
		w, lambda, cert, err := onSphere(t.Context(), g, []float64{along * c, 0, along * s}, n)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range []float64{3 * sign * c, 0, 3 * sign * s} {
			if math.Abs(w[k]-want) > 1e-9 {
				t.Errorf("%g along the eigenvector: entry %d is %g, expected %g", along, k, w[k], want)
			}
		}
		if want := 2 - math.Abs(along)/3; math.Abs(lambda-want) > 1e-12 {
			t.Errorf("%g along the eigenvector: lambda is %.15g, expected %.15g", along, lambda, want)
		}
		// The residual is relative to the linear part, of which rounding in g w, of size 6, leaves 3e-14 at most.
		rounding := 3e-14 / max(1e-9, math.Abs(along))
		if want := 2*n - 2*3*math.Abs(along); math.Abs(cert.Objective-want) > 1e-9 || cert.Residual > rounding {
			t.Errorf("%g along the eigenvector: %+v, expected the value %g", along, cert, want)
		}
	}
	// An eigenvector that begins with zero.
	g = mat.NewDense(3, 3, []float64{6, 0, 0, 0, 3, -1, 0, -1, 3}) // 2 along (0, 1, 1)
	w, _, _, err := onSphere(t.Context(), g, []float64{0, 0, 0}, 2)
	if err != nil || math.Abs(w[0]) > 1e-12 || math.Abs(w[1]-1) > 1e-12 || math.Abs(w[2]-1) > 1e-12 {
		t.Errorf("without a linear part: %v, %v", w, err)
	}
	g.Set(1, 1, math.NaN())
	if _, _, _, err := onSphere(t.Context(), g, []float64{1, 0, 0}, 2); err == nil {
		t.Error("a matrix that is no number has a minimum")
	}
}

// The width is the best of those named, by refits.
func TestWidth(t *testing.T) {
	rows := points(7, 40)
	smooth, rough := mat.NewDense(40, 2, nil), mat.NewDense(40, 1, nil)
	for i := range 40 {
		smooth.Set(i, 0, rows.Dense.At(i, 0)/3)
		smooth.Set(i, 1, 1-rows.Dense.At(i, 1))
		rough.Set(i, 0, math.Sin(7*rows.Dense.At(i, 0))+math.Cos(9*rows.Dense.At(i, 1)))
	}
	first := kernel.Gaussian{}.Adapt(rows).(kernel.Gaussian).Sigma
	for name, f := range map[string]*mat.Dense{"smooth": smooth, "rough": rough, "constant": mat.NewDense(40, 1, nil)} {
		loss := func(sigma float64) (total float64) {
			_, c := f.Dims()
			for i := range 40 {
				weights, mean := 0.0, make([]float64, c)
				for j := range 40 {
					if j == i {
						continue
					}
					d := math.Hypot(rows.Dense.At(i, 0)-rows.Dense.At(j, 0), rows.Dense.At(i, 1)-rows.Dense.At(j, 1))
					w := math.Exp(-d * d / (2 * sigma * sigma))
					weights += w
					for k := range c {
						mean[k] += w * f.At(j, k)
					}
				}
				for k := range c {
					total += (mean[k]/weights - f.At(i, k)) * (mean[k]/weights - f.At(i, k))
				}
			}
			return total
		}
		best := first
		for k := range 11 {
			if s := math.Ldexp(first, -k); loss(s) < loss(best) {
				best = s
			}
		}
		middle := best
		for _, by := range []float64{math.Sqrt2, 1 / math.Sqrt2} {
			if loss(middle*by) < loss(best) {
				best = middle * by
			}
		}
		got, err := Width(t.Context(), rows, f)
		if err != nil || got != best {
			t.Errorf("%s: %g of the median, expected %g; %v", name, got/first, best/first, err)
		}
	}
	one := data.Rows{Dense: mat.NewDense(1, 1, []float64{3})}
	if got, err := Width(t.Context(), one, mat.NewDense(1, 1, nil)); err != nil ||
		got != (kernel.Gaussian{}).Adapt(one).(kernel.Gaussian).Sigma {
		t.Errorf("of one row: %g, %v", got, err)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := Width(ctx, rows, rough); return err })
	for looks := range 40 { // whichever look it is that is told to stop
		c := stoptest.After(t.Context(), looks)
		if _, err := Width(c, rows, rough); (err != nil) != c.Ended() {
			t.Errorf("told to stop after %d looks: %v", looks, err)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Width(stopped, one, mat.NewDense(1, 1, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("of one row, told to stop: %v", err)
	}
}

// Of many rows the width is judged on a sample of them, evenly spaced.
func TestWidthOfASample(t *testing.T) {
	const n, m = 1100, sampleValues / 1100
	rows, f := data.Rows{Dense: mat.NewDense(n, 1, nil)}, mat.NewDense(n, 1, nil)
	which := make([]int, m)
	for a := range which {
		which[a] = a * n / m
	}
	for i := range n {
		x := float64(i) / 100
		rows.Dense.Set(i, 0, x)
		f.Set(i, 0, math.Sin(x)+0.4*math.Sin(40*x*x))
	}
	first := kernel.Gaussian{}.Adapt(rows).(kernel.Gaussian).Sigma
	loss := func(sigma float64) (total float64) {
		out, err := rbf.NadarayaWatson{Sigma: sigma}.LeaveOut(t.Context(), rows, f, which)
		if err != nil {
			t.Fatal(err)
		}
		for a, i := range which {
			total += (out.At(a, 0) - f.At(i, 0)) * (out.At(a, 0) - f.At(i, 0))
		}
		return total
	}
	got, err := Width(t.Context(), rows, f)
	if err != nil || got >= first/2 {
		t.Fatalf("%g of the median, %v", got/first, err)
	}
	for _, by := range []float64{1 / math.Sqrt2, math.Sqrt2} {
		if loss(got*by) < loss(got) {
			t.Errorf("%g of the median has the loss %g, %g of that %g", got/first, loss(got), by, loss(got*by))
		}
	}
}

// The diagonal of a power of the Laplacian is that of the power up to the second.
func TestPowerDiagonal(t *testing.T) {
	a := connected(t, 60, classes(points(1, 60), 2, 10))
	l := a.Graph.Laplacian()
	one, two := laplacian(a.Graph, graph.Combinatorial, 1), laplacian(a.Graph, graph.Combinatorial, 2)
	for i := range 60 {
		own, square := one.At(i, i), two.At(i, i)
		for p, want := range map[int]float64{1: own, 2: square, 3: square * own, 4: square * own * own} {
			if got := powerDiagonal(l, i, p); math.Abs(got-want) > 1e-12*want {
				t.Errorf("row %d, power %d: %g, expected %g", i, p, got, want)
			}
		}
	}
	s := newSystem(l, 2, 3, []int{4, 7}, []float64{0.5, 0})
	for a, want := range []float64{3*two.At(4, 4) + 0.5, 3 * two.At(7, 7)} {
		if math.Abs(s.diagonal[a]-want) > 1e-12*want {
			t.Errorf("the diagonal of unknown %d is %g, expected %g", a, s.diagonal[a], want)
		}
	}
	bare := joined(mat.NewDense(2, 2, nil), 1)
	if s := newSystem(bare.Graph.Laplacian(), 1, 1, []int{0, 1}, nil); !slices.Equal(s.diagonal, []float64{1, 1}) {
		t.Errorf("rows without an edge are divided by %v", s.diagonal)
	}
}

// A system is factored up to 400 unknowns, for many right-hand sides or a power up to 2000; those that are not are
// worked on side by side, in copies of the same system.
func TestWhatIsFactored(t *testing.T) {
	path := func(n int) *data.CSR {
		out := &data.CSR{R: n, C: n, Start: []int{0}}
		for i := range n {
			for _, j := range []int{i - 1, i, i + 1} {
				if j >= 0 && j < n {
					v := -1.0
					if j == i {
						v = 2
					}
					out.Index, out.Value = append(out.Index, int32(j)), append(out.Value, v)
				}
			}
			out.Start = append(out.Start, len(out.Index))
		}
		return out
	}
	for _, c := range []struct {
		n, power int
		many     bool
		want     bool
	}{{400, 1, false, true}, {401, 1, false, false}, {401, 2, false, true}, {401, 1, true, true}} {
		add := make([]float64, c.n)
		for i := range add {
			add[i] = 1
		}
		s := newSystem(path(c.n), c.power, 1, upTo(c.n), add)
		s.many = c.many
		x, b := mat.NewDense(c.n, 1, nil), mat.NewDense(c.n, 1, nil)
		b.Set(3, 0, 1)
		if _, err := s.solve(t.Context(), x, b); err != nil || (s.factor != nil) != c.want {
			t.Errorf("%+v: factored %v, %v", c, s.factor != nil, err)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	add := make([]float64, 2001)
	for i := range add {
		add[i] = float64(i)
	}
	large, small := NewSystem(path(2001), 1, 2, add), NewSystem(path(2000), 1, 2, add[:2000])
	for _, c := range []struct {
		s            *System
		pieces, want int
	}{{small, 5, 1}, {large, 1, 1}, {large, 2, 2}, {large, 5, 3}, {large, 0, 1}, {large, 2, 2}} {
		free := c.s.free(c.pieces)
		if len(free) != c.want || cap(free) != c.want || <-free != c.s.whole {
			t.Errorf("%d pieces of %d rows: %d at a time, expected %d", c.pieces, c.s.whole.n, cap(free), c.want)
		}
	}
	if len(large.more) != 2 {
		t.Fatalf("%d copies were made", len(large.more))
	}
	for _, one := range large.more {
		w := large.whole
		if one.l != w.l || one.power != w.power || one.scale != w.scale || !one.many || !slices.Equal(one.add, w.add) ||
			one.diagonal[5] != w.diagonal[5] {
			t.Error("a copy is of another system")
		}
	}
}

// Panels of many columns are stopped, and what goes wrong in one is told.
func TestSystemStops(t *testing.T) {
	a := connected(t, 60, classes(points(1, 60), 2, 10))
	add := make([]float64, 60)
	for i := range add {
		add[i] = 1
	}
	b := mat.NewDense(60, 130, nil)
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := NewSystem(a.Graph.Laplacian(), 1, 1, add).Solve(ctx, mat.NewDense(60, 130, nil), b)
		return err
	})
	none := newSystem(a.Graph.Laplacian(), 1, 1, nil, nil)
	if c, err := none.solve(t.Context(), nil, nil); err != nil || c != (learn.Certificate{}) {
		t.Errorf("a system of no rows: %+v, %v", c, err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := none.solve(stopped, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a system of no rows, told to stop: %v", err)
	}
}

// The residual is relative to the right-hand side, but where that is zero; the worst column counts.
func TestResidual(t *testing.T) {
	a := joined(mat.NewDense(2, 2, []float64{0, 1, 1, 0}), 1)
	s := newSystem(a.Graph.Laplacian(), 1, 1, []int{0, 1}, []float64{1, 1}) // 2 -1, -1 2
	x := mat.NewDense(2, 3, []float64{1, 0.5, 1, 0, 0, 1})
	b := mat.NewDense(2, 3, []float64{2, 0, 1, -4, 0, 1})
	for columns, want := range map[int]float64{1: 3 / math.Sqrt(20), 2: math.Sqrt(1.25), 3: math.Sqrt(1.25)} {
		cut := func(m *mat.Dense) *mat.Dense { return m.Slice(0, 2, 0, columns).(*mat.Dense) }
		if got := s.residual(mat.DenseCopyOf(cut(x)), mat.DenseCopyOf(cut(b))); math.Abs(got-want) > 1e-15 {
			t.Errorf("%d columns: the residual is %g, expected %g", columns, got, want)
		}
	}
}

// Masses: a class is balanced from a hundred millionth of the rows on, and a row with nothing left stays.
func TestLeastMass(t *testing.T) {
	got := factors([]float64{2, 3, 4, 5}, []float64{0.5, 1e-7, 2e-7, 0}, 10)
	if want := []float64{4, 0, 4 / 2e-7, 0}; !slices.Equal(got, want) {
		t.Errorf("factors are %v, expected %v", got, want)
	}
	for _, c := range []struct{ out, by, want []float64 }{
		{[]float64{0.5}, []float64{0, 0}, []float64{0.5}},
		{[]float64{0.5}, []float64{3, 1}, []float64{0}},
		{[]float64{0.5}, []float64{1, 0}, []float64{-1}},
		{[]float64{3}, []float64{1, 1}, []float64{1}},
		{[]float64{-3}, []float64{1, 1}, []float64{-1}},
		{[]float64{0, -1, 0}, []float64{1, 5, 3}, []float64{-0.5, -1, 0.5}},
		{[]float64{-1, -1, 1}, []float64{1, 1, 0}, []float64{-1, -1, 1}},
		{[]float64{1, -3, 1}, []float64{1, 1, 1}, []float64{0, -1, 0}},
	} {
		out := slices.Clone(c.out)
		if balance(out, c.by); !slices.Equal(out, c.want) {
			t.Errorf("%v times %v is %v, expected %v", c.out, c.by, out, c.want)
		}
	}
}

// What a Laplacian leaves at zero is what its preconditioner is told, and what all labels share is made once.
func TestWhatIsKept(t *testing.T) {
	p := classes(points(3, 60), 3, 12)
	for _, kind := range []graph.Laplacian{graph.Normalised, graph.Combinatorial} {
		a := label(t, graph.Recipe{Neighbours: 6, Weights: graph.Heat, Laplacian: kind}, p)
		want := func(rows []int) []float64 {
			if kind == graph.Combinatorial {
				return nil
			}
			return a.roots(rows)
		}
		r, some := a.reach(nil), a.reach([]int{0, 1, 2})
		tik := bind(t, a, Regularised{Gamma: 0.1}).(*tikhonov)
		whole, at := tik.system(r)
		again, _ := tik.system(r)
		part, _ := tik.system(some)
		if whole != again || part == whole || !slices.Equal(whole.smooth, want(r.rows)) || len(at) != 12 {
			t.Errorf("%v: the penalised system is not kept, or smoothed by %v", kind, whole.smooth)
		}
		for q, k := range at {
			if r.rows[k] != p.Labelled[q] || whole.add[k] != 1 {
				t.Errorf("%v: label %d is at %d", kind, q, k)
			}
		}
		in := bind(t, a, Regularised{}).(*interpolated)
		if c := in.clamped(nil); c != in.clamped(nil) || c == in.clamped([]int{0}) || !slices.Equal(c.s.smooth, want(c.free)) {
			t.Errorf("%v: the interpolated system is not kept, or smoothed by %v", kind, c.s.smooth)
		}
		sp := bind(t, a, Spreading{Alpha: 0.5}).(*spreading)
		if s := sp.system(r); s != sp.system(r) || s == sp.system(some) || !slices.Equal(s.smooth, a.roots(r.rows)) || s.tol != 1e-13 {
			t.Errorf("%v: the spread system is not kept, or smoothed by %v", kind, s.smooth)
		}
		ha := bind(t, a, Harmonic{}).(*harmonic)
		if c := ha.clamped(nil); c != ha.clamped(nil) || c == ha.clamped([]int{0}) {
			t.Errorf("%v: the harmonic system is not kept", kind)
		}
	}
}

// More labels than a panel holds are left out as few are.
func TestLeftOutOfManyLabels(t *testing.T) {
	for _, p := range []*learn.Problem{classes(points(9, 150), 3, 80), numbers(points(11, 360))} {
		a := label(t, graph.Recipe{Neighbours: 6, Laplacian: graph.Combinatorial}, p)
		for _, algorithm := range algorithms(p) {
			m := bind(t, a, algorithm)
			left, err := LeftOut(t.Context(), m, train(t, m, nil), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range []int{0, 63, 64, 70, len(p.Labelled) - 1} {
				again := train(t, m, learn.Others(len(p.Labelled), []int{q})).F
				if d := far(left.RowView(q), again.RowView(p.Labelled[q])); !(d < 1e-7) {
					t.Errorf("%T%+v: label %d of %d left out differs by %g", algorithm, algorithm, q, len(p.Labelled), d)
				}
			}
		}
	}
}

// However many rows there are, a width is chosen by fifty of them, evenly spaced: these lie apart here and have outputs that no row near
// them foretells, so that the widest is best, while a narrow one is best for all others.
func TestLeastSampleOfAWidth(t *testing.T) {
	const n = 21000
	x, f := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		at := float64(i) / n
		x.Set(i, 0, at)
		f.Set(i, 0, 10*at)
	}
	for a := range 50 {
		x.Set(420*a, 0, 0.01*float64(a)-100)
		f.Set(420*a, 0, float64(1-2*(a%2)))
	}
	rows := data.Rows{Dense: x}
	got, err := Width(t.Context(), rows, f)
	if first := (kernel.Gaussian{}).Adapt(rows).(kernel.Gaussian).Sigma; err != nil || !(got >= first/2) {
		t.Errorf("a width of %g, the median distance is %g; %v", got, first, err)
	}
}
