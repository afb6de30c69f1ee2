package dual

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// clusters are l rows of overlapping classes in the plane, of sizes that differ.
func clusters(l, count int) (x [][]float64, p *learn.Problem) {
	r := source(l)
	p = &learn.Problem{Task: data.Classification, Coding: learn.Coding{Classes: count, Pairs: true}}
	for i := range l {
		k := min(r.IntN(count), r.IntN(count))
		x = append(x, []float64{2*math.Cos(float64(k)) + r.NormFloat64(), 2*math.Sin(float64(k)) + r.NormFloat64()})
		p.Labelled, p.Class = append(p.Labelled, i), append(p.Class, k)
	}
	p.Y = p.Coding.Code(p.Class)
	return x, p
}

// The matrix of a pair holds the kernel values of its rows, whatever is kept.
func TestPairMatrix(t *testing.T) {
	x, p := clusters(150, 4)
	k := gaussian(x, 0.5)
	for _, limit := range []int64{1 << 30, 50000, 1} {
		c := newClasses(k, p.Class, 4, limit)
		if (c == nil) != (limit == 1) {
			t.Fatalf("limit of %d bytes: classes %v", limit, c)
		}
		if c == nil {
			continue
		}
		if c.whole != (limit == 1<<30) {
			t.Errorf("limit of %d bytes: all blocks kept %v", limit, c.whole)
		}
		if err := c.fill(t.Context()); err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			a := rapid.IntRange(0, 2).Draw(t, "a")
			b := rapid.IntRange(a+1, 3).Draw(t, "b")
			skip := rapid.IntRange(1, 4).Draw(t, "skip")
			var list []int
			for _, r := range [][]int{c.rows[a], c.rows[b]} {
				for i := 0; i < len(r); i += skip {
					list = append(list, r[i])
				}
			}
			m := c.newPair(a, b, list)
			defer m.release()
			want, got := make([]float32, len(list)*len(list)), make([]float32, len(list)*len(list))
			k.Block(want, list, list)
			m.Block(got, nil, nil)
			if d := cmp.Diff(want, got); d != "" {
				t.Fatal(d)
			}
			for i := range list {
				if row := m.Row(i); len(row)%8 != 0 || slices.ContainsFunc(row[len(list):], func(v float32) bool { return v != 0 }) {
					t.Fatalf("row %d has %d numbers and ends on %v", i, len(row), row[len(list):])
				}
			}
		})
	}
}

// pairTrainer trains on a matrix in memory, with the blocks of classes up to limit.
func pairTrainer(k Matrix, p *learn.Problem, limit int64) *trainer {
	t := &trainer{
		problem: p,
		matrix:  k,
		options: Options{Tolerance: 1e-7},
		offset:  true,
		dual: func(part learn.Part, weight, theta []float64) (Problem, error) {
			return SVC(part.Rows, part.Y, scaled(weight, theta[0])), nil
		},
	}
	if limit > 0 {
		t.classes = newClasses(k, p.Class, p.Coding.Classes, limit)
	}
	return t
}

// Machines by blocks of classes are those of every pair by itself, on all rows and on
// some, with weights and from a start; their outputs are those of their formula; and
// neither depends on what is kept or on the number of threads.
func TestClassesTrain(t *testing.T) {
	const l = 220
	x, p := clusters(l, 4)
	p.Weight = make([]float64, l)
	for i := range p.Weight {
		p.Weight[i] = float64(i % 3) // 0: no part
	}
	k := gaussian(x, 0.5)
	theta := []float64{3}
	var some []int
	for i := 1; i < l; i += 2 {
		some = append(some, i)
	}
	for _, rows := range [][]int{nil, some} {
		slow, err := pairTrainer(k, p, 0).Train(t.Context(), rows, theta, nil)
		if err != nil {
			t.Fatal(err)
		}
		var first *learn.Machine
		for _, limit := range []int64{1 << 30, 100000} {
			for _, threads := range []int{1, 2} {
				old := runtime.GOMAXPROCS(threads)
				tr := pairTrainer(k, p, limit)
				if tr.classes == nil || tr.classes.whole != (limit == 1<<30) {
					t.Fatalf("limit of %d bytes: %+v", limit, tr.classes)
				}
				m, err := tr.Train(t.Context(), rows, theta, nil)
				runtime.GOMAXPROCS(old)
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = m
				}
				if d := cmp.Diff(first.Coef.RawMatrix().Data, m.Coef.RawMatrix().Data); d != "" {
					t.Errorf("limit %d, %d threads: %s", limit, threads, d)
				}
				if math.Abs(m.Certificate.Objective-slow.Certificate.Objective) > 1e-6*math.Abs(slow.Certificate.Objective) {
					t.Errorf("objective %g, by pairs alone %g", m.Certificate.Objective, slow.Certificate.Objective)
				}
				near(t, "outputs", m.Fitted.RawMatrix().Data, formula(k, m), 1e-9)
				near(t, "outputs by pairs alone", m.Fitted.RawMatrix().Data, formula(k, slow), 1e-5)
				if limit != 1<<30 || threads != 1 {
					continue
				}
				again, err := tr.Train(t.Context(), rows, theta, m)
				if err != nil || again.Certificate.Steps > m.Certificate.Steps/5 {
					t.Errorf("from the solution: %v, %d steps instead of %d", err, again.Certificate.Steps, m.Certificate.Steps)
				}
			}
		}
	}
}

// formula returns the outputs of a machine on its own rows.
func formula(k *dense, m *learn.Machine) []float64 {
	_, c := m.Coef.Dims()
	out := make([]float64, len(m.Rows)*c)
	for a, i := range m.Rows {
		for o := range c {
			v := m.Offset[o]
			for b, j := range m.Rows {
				v += float64(k.k[i*k.n+j]) * m.Coef.At(b, o)
			}
			out[a*c+o] = v
		}
	}
	return out
}

func TestClassesFaults(t *testing.T) {
	x, p := clusters(60, 3)
	k := gaussian(x, 0.5)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tr := pairTrainer(k, p, 1<<30)
	if _, err := tr.Train(cancelled, nil, []float64{1}, nil); err == nil {
		t.Error("a cancelled training gives a machine")
	}
	if m, err := tr.Train(t.Context(), nil, []float64{1}, nil); err != nil || m.Certificate.Limited != "" {
		t.Errorf("after a cancelled one: %v, %+v", err, m)
	}
	k.k[5*k.n+7], k.k[7*k.n+5] = float32(math.NaN()), float32(math.NaN())
	for i := range k.n { // so that every row counts
		k.k[i*k.n+i] = 1.5
	}
	if _, err := pairTrainer(k, p, 1<<30).Train(t.Context(), nil, []float64{100}, nil); p.Class[5] != p.Class[7] && err == nil {
		t.Error("a kernel value that is no number passes")
	}
}

// Folds from the machine on all rows give the left-out outputs of folds trained afresh.
func TestFolds(t *testing.T) {
	const l = tableRows + 60
	r := source(l)
	rows := mat.NewDense(l, 2, nil)
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}}
	values := data.Labels{Task: data.Regression}
	many := data.Labels{Task: data.Classification, Classes: []string{"a", "b", "c"}}
	for i := range l {
		u, v := 2*r.NormFloat64(), 2*r.NormFloat64()
		rows.SetRow(i, []float64{u, v})
		class := 0
		if u+v+math.Sin(3*u)+0.5*r.NormFloat64() > 0 {
			class = 1
		}
		labels.Class = append(labels.Class, class)
		values.Value = append(values.Value, math.Sin(u)+v/3+0.1*r.NormFloat64())
		if v > 1.5 {
			class = 2
		}
		many.Class = append(many.Class, class)
	}
	g, err := kernel.Gaussian{Sigma: 1}.Bind(t.Context(), data.Rows{Dense: rows}, nil)
	if err != nil {
		t.Fatal(err)
	}
	folds := make([][]int, 4)
	for i := range l {
		folds[i%4] = append(folds[i%4], i)
	}
	const tol = 1e-4
	for name, c := range map[string]struct {
		learner learn.Learner
		p       *learn.Problem
		theta   []float64
	}{
		"classes": {Classifier{Options: Options{Tolerance: tol}}, learn.NewProblem(data.Rows{Dense: rows}, labels), []float64{2}},
		"without offset": {Classifier{NoOffset: true, Options: Options{Tolerance: tol}}, learn.NewProblem(data.Rows{Dense: rows}, labels),
			[]float64{2}},
		"nu": {Classifier{Nu: 0.3, Options: Options{Tolerance: tol}}, learn.NewProblem(data.Rows{Dense: rows}, labels),
			[]float64{0.3}},
		"one-versus-rest": {Classifier{Options: Options{Tolerance: tol}}, learn.NewProblem(data.Rows{Dense: rows}, many), []float64{1}},
		"one-versus-one": {Classifier{Options: Options{Tolerance: tol}}, learn.NewProblem(data.Rows{Dense: rows}, many).OneVersusOne(),
			[]float64{1}},
		"regression": {Regressor{Options: Options{Tolerance: tol}}, learn.NewProblem(data.Rows{Dense: rows}, values), []float64{1, 0.1}},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "classes" {
				t.Skip("the short tests take one form")
			}
			bound, err := c.learner.Bind(t.Context(), g, c.p)
			if err != nil {
				t.Fatal(err)
			}
			got, machines, ok, err := bound.(learn.Folder).Folds(t.Context(), folds, c.theta, nil)
			if err != nil || !ok || len(machines) != len(folds) {
				t.Fatalf("folds: %v, %v, %d machines", err, ok, len(machines))
			}
			fresh, err := c.learner.Bind(t.Context(), g, c.p)
			if err != nil {
				t.Fatal(err)
			}
			for q, fold := range folds[:2] {
				m, err := fresh.Train(t.Context(), learn.Others(l, fold), c.theta, nil)
				if err != nil {
					t.Fatal(err)
				}
				want := mat.NewDense(len(fold), c.p.Outputs(), nil)
				if err := m.Evaluate(context.Background(), want, g, fold); err != nil {
					t.Fatal(err)
				}
				near(t, "left-out outputs", chosen(got, fold).RawMatrix().Data, want.RawMatrix().Data, 0.02)
				own := mat.NewDense(len(fold), c.p.Outputs(), nil)
				if err := machines[q].Evaluate(context.Background(), own, g, fold); err != nil {
					t.Fatal(err)
				}
				near(t, "outputs of the fold's machine", chosen(got, fold).RawMatrix().Data, own.RawMatrix().Data, 1e-4)
				if a, b := machines[q].Certificate.Objective, m.Certificate.Objective; math.Abs(a-b) > 1e-4*math.Abs(b) {
					t.Errorf("objective %g, afresh %g", a, b)
				}
			}
			all, err := bound.Train(t.Context(), nil, c.theta, nil)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := fresh.Train(t.Context(), nil, c.theta, nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(alone.Coef.RawMatrix().Data, all.Coef.RawMatrix().Data); d != "" {
				t.Error("the machine on all rows depends on the folds before it")
			}
		})
	}
}

// balance finds a point of the box whose signed sum is 0, of the free variables alone
// where they suffice.
func TestBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		p := Problem{Sign: make([]float64, n), Upper: make([]float64, n)}
		x := make([]float64, n)
		for u := range n {
			p.Sign[u] = float64(2*rapid.IntRange(0, 1).Draw(t, "sign") - 1)
			p.Upper[u] = float64(rapid.IntRange(0, 3).Draw(t, "upper"))
			x[u] = p.Upper[u] * float64(rapid.IntRange(0, 4).Draw(t, "part")) / 4
		}
		was := slices.Clone(x)
		if err := p.balance(x); err != nil {
			t.Fatal(err) // 0 is always feasible
		}
		var sum, free, lack float64
		for u, s := range p.Sign {
			sum += s * x[u]
			lack -= s * was[u]
			if x[u] < 0 || x[u] > p.Upper[u] {
				t.Fatalf("variable %d is %g, bound %g", u, x[u], p.Upper[u])
			}
			if was[u] > 0 && was[u] < p.Upper[u] {
				if lack := s; lack > 0 {
					free += p.Upper[u] - was[u]
				} else {
					free += was[u]
				}
			}
		}
		if math.Abs(sum) > 1e-9 {
			t.Fatalf("the sum is %g", sum)
		}
		if lack > 0 && free > lack+1e-9 {
			for u := range x {
				if fixed := was[u] == 0 || was[u] == p.Upper[u]; fixed && x[u] != was[u] {
					t.Fatalf("variable %d at a bound moved, free ones could take %g of %g", u, free, lack)
				}
			}
		}
	})
}

// Rows are kept by classes: all blocks, those on the diagonal alone, or none, as the limit allows to the byte.
func TestClassesByHand(t *testing.T) {
	class := []int{1, 0, 0, 2, 1, 0}
	k := linear([][]float64{{1}, {2}, {3}, {4}, {5}, {6}})
	for _, c := range []struct {
		limit       int64
		kept, whole bool
	}{{100, true, true}, {99, true, false}, {56, true, false}, {55, false, false}} { // 4 (36 + 14)/2 and 4 14 bytes
		got := newClasses(k, class, 3, c.limit)
		if (got != nil) != c.kept || got != nil && got.whole != c.whole {
			t.Errorf("%d bytes: %+v", c.limit, got)
		}
	}
	for _, limit := range []int64{100, 56} {
		c := newClasses(k, class, 3, limit)
		if err := c.fill(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(c.rows, c.place, c.start, c.order()); got != "[[1 2 5] [0 4] [3]] [0 0 1 0 1 2] [0 3 5 6] [1 2 5 0 4 3]" {
			t.Errorf("%d bytes: %s", limit, got)
		}
		if got := c.sort([]int{3, 4, 5, 0}, 1); !slices.Equal(got, []int{1, 3, 0, 2}) {
			t.Errorf("the rows of class 1 first: %v", got)
		}
		near(t, "diagonal", c.diagonal, []float64{1, 4, 9, 16, 25, 36}, 0)
		wide := c.width(0)
		if want := map[bool]int{true: 6, false: 3}[c.whole]; wide != want || c.width(2) != 1 {
			t.Errorf("%d bytes: widths %d and %d", limit, wide, c.width(2))
		}
		var room []float32
		block, stride := c.block(0, 1, &room) // rows 2, 3, 6 by 1, 5
		for q, v := range []float32{2, 3, 6} {
			if block[q*stride] != v || block[q*stride+1] != 5*v {
				t.Errorf("%d bytes: row %d of the block is %v", limit, q, block[q*stride:q*stride+2])
			}
		}
		m := c.newPair(0, 1, []int{1, 5, 4})
		if got := slices.Concat(m.Row(0), m.Row(2)); !slices.Equal(got, []float32{4, 12, 10, 0, 0, 0, 0, 0, 10, 30, 25, 0, 0, 0, 0, 0}) ||
			m.na != 2 || m.all || m.Len() != 3 {
			t.Errorf("%d bytes: %v", limit, got)
		}
		m.release()
	}
}

// Coefficients of rows become variables, of either sign of a row, and none is below zero.
func TestDualOfCoefficients(t *testing.T) {
	y, z := []float64{1, -1, 1}, []float64{0.5, 2, -1}
	c := constant(3, 4)
	near(t, "of classes", dualOf(SVC(nil, y, c), []float64{2, -3, -1}), []float64{2, 3, 0}, 0)
	near(t, "of values", dualOf(SVR(nil, z, c, 0.1), []float64{2, -3, 0}), []float64{2, 0, 0, 0, 3, 0}, 0)
	near(t, "scaled", scaled([]float64{1, 2, 0.5}, 4), []float64{4, 8, 2}, 0)
	if got := taken([]string{"a", "b", "c"}, []int{2, 0}); !slices.Equal(got, []string{"c", "a"}) || taken[int](nil, []int{1}) != nil {
		t.Errorf("taken %v", got)
	}
	all := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	if got := chosen(all, []int{2, 0}); !mat.Equal(got, mat.NewDense(2, 2, []float64{5, 6, 1, 2})) {
		t.Errorf("chosen %v", got)
	}
	if r, n := chosen(all, nil).Dims(); r != 1 || n != 2 {
		t.Errorf("%d x %d of no rows", r, n)
	}
}

// The outputs of a fold that are not solved are the class that all other rows are of.
func TestConstantFolds(t *testing.T) {
	out := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	constants(out, []int{0, 2}, &learn.Machine{Offset: []float64{-1, 7}}, []bool{true, false})
	if !mat.Equal(out, mat.NewDense(3, 2, []float64{1, 7, 3, 4, 5, 7})) {
		t.Errorf("%v", out.RawMatrix().Data)
	}
	constants(out, []int{1}, &learn.Machine{}, []bool{false, false})
	if out.At(1, 0) != 3 || out.At(1, 1) != 4 {
		t.Errorf("without an offset: %v", out.RawMatrix().Data)
	}
}

// Trainings and folds by the blocks of classes end with the error of their context, or with machines that say so, wherever they are
// stopped, whether all blocks are kept or those on the diagonal alone.
func TestClassesStoppedAnywhere(t *testing.T) {
	x, p := clusters(60, 3)
	k, folds, theta := gaussian(x, 0.5), [][]int{{0, 1, 2}, {3, 59}}, []float64{3}
	var diagonal int64 // numbers of the blocks on it
	for _, rows := range newClasses(k, p.Class, 3, 1<<30).rows {
		diagonal += int64(len(rows) * len(rows))
	}
	cancelled := func(machines ...*learn.Machine) error {
		for _, m := range machines {
			if strings.Contains(m.Certificate.Limited, "cancelled") {
				return context.Canceled
			}
		}
		return nil
	}
	for _, limit := range []int64{1 << 30, 4 * diagonal} {
		if c := newClasses(k, p.Class, 3, limit); c == nil || c.whole != (limit == 1<<30) {
			t.Fatalf("limit of %d bytes: %+v", limit, c)
		}
		stoptest.Everywhere(t, func(ctx context.Context) error {
			m, err := pairTrainer(k, p, limit).Train(ctx, nil, theta, nil)
			if err != nil {
				return err
			}
			return cancelled(m)
		}, "dual.undivide")
		stoptest.Everywhere(t, func(ctx context.Context) error {
			_, machines, ok, err := pairTrainer(k, p, limit).Folds(ctx, folds, theta, nil)
			if err != nil {
				return err
			}
			if !ok || len(machines) != len(folds) {
				t.Errorf("limit of %d bytes: %d machines of %d folds, shared %v", limit, len(machines), len(folds), ok)
			}
			return cancelled(machines...)
		}, "dual.undivide")
	}
}
