package s3vm

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

// flowers are every third row of iris, three labels of each class.
func flowers(t testing.TB) *learn.Problem {
	t.Helper()
	set, err := data.Builtin("iris")
	if err != nil {
		t.Fatal(err)
	}
	labels := data.Labels{Task: data.Classification, Classes: []string{"0", "1", "2"}}
	var rows []int
	seen := map[string]int{}
	for i := 0; i < set.Rows.Len(); i += 3 {
		rows = append(rows, i)
		class := data.Unlabelled
		if seen[set.Answers[i]]++; seen[set.Answers[i]] <= 3 {
			class = int(set.Answers[i][0] - '0')
		}
		labels.Class = append(labels.Class, class)
	}
	return learn.NewProblem(set.Rows.Select(rows), labels)
}

func bound(t testing.TB, s Learner, p *learn.Problem) (kernel.Gram, learn.Trainer) {
	t.Helper()
	g, err := kernel.Gaussian{Sigma: 1.5}.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := s.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	return g, tr
}

// A machine of several classes is one of each against the rest, on all rows, and gives new rows what it says.
func TestLearner(t *testing.T) {
	for _, offset := range []bool{false, true} {
		p := flowers(t)
		p.Weight = []float64{1, 2, 1, 1, 1, 1, 3, 1, 1}
		g, tr := bound(t, Learner{Solver: Annealing{}, Offset: offset, Shares: []float64{0.2, 0.3, 0.5}, Unlabelled: 2}, p)
		m, err := tr.Train(t.Context(), nil, []float64{4}, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := mat.NewDense(p.Rows.Len(), 3, nil)
		if err := m.Evaluate(t.Context(), out, g, nil); err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for j := range 3 {
			own := tr.(*trainer).output([]int{0, 1, 2, 3, 4, 5, 6, 7, 8}, m.Rows, []float64{0.2, 0.3, 0.5}, j)
			own.C = 4
			if own.Weight[6] != 3 || own.Unlabelled != 2 || own.Count() != []int{8, 12, 21}[j] {
				t.Errorf("output %d: %+v", j, own)
			}
			s := solved(t, Annealing{}, own)
			total += s.Certificate.Objective
			for q, i := range m.Rows {
				if math.Abs(out.At(i, j)-s.Fitted[q]) > 1e-8 {
					t.Errorf("row %d, output %d: %g, not %g", i, j, out.At(i, j), s.Fitted[q])
				}
			}
		}
		if math.Abs(total-m.Certificate.Objective) > 1e-9*total {
			t.Errorf("objective %g, not %g", m.Certificate.Objective, total)
		}
	}
}

// A fold's rows are unlabelled rows of its training, in the shares of all labels, and its outputs are those of that
// problem.
func TestFoldsAreUnlabelled(t *testing.T) {
	p := flowers(t)
	g, tr := bound(t, Learner{Solver: Annealing{Loss: learn.Square()}}, p)
	folds := [][]int{{0, 3}, {1, 4, 8}}
	out, machines, err := score.LeftOut(t.Context(), g, tr, p, folds, []float64{4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for q, fold := range folds {
		rest := *p
		rest.Labelled, rest.Class = nil, nil
		for _, i := range learn.Others(9, fold) {
			rest.Labelled, rest.Class = append(rest.Labelled, p.Labelled[i]), append(rest.Class, p.Class[i])
		}
		rest.Y = rest.Coding.Code(rest.Class)
		_, other := bound(t, Learner{Solver: Annealing{Loss: learn.Square()}, Shares: Shares(p)}, &rest)
		m, err := other.Train(t.Context(), nil, []float64{4}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(m.Coef, machines[q].Coef, 1e-9) {
			t.Errorf("fold %d: another machine than of these labels alone", q)
		}
		part := mat.NewDense(len(fold), 3, nil)
		if err := m.Evaluate(t.Context(), part, g, p.Subset(fold)); err != nil {
			t.Fatal(err)
		}
		for a, i := range fold {
			for j := range 3 {
				if math.Abs(part.At(a, j)-out.At(i, j)) > 1e-9 {
					t.Errorf("fold %d, row %d: %g, not %g", q, i, out.At(i, j), part.At(a, j))
				}
			}
		}
	}
}

// Where all labels and all decisions are of one class a free offset is the whole machine.
func TestOneClassLeft(t *testing.T) {
	p := flowers(t)
	_, tr := bound(t, Learner{Solver: Annealing{}, Offset: true, Shares: []float64{0, 0.5, 0.5}}, p)
	m, err := tr.Train(t.Context(), []int{3, 4, 5, 6, 7, 8}, []float64{4}, nil) // none of class 0
	if err != nil {
		t.Fatal(err)
	}
	if m.Offset[0] != -1 || mat.Norm(m.Coef.ColView(0), 2) != 0 || mat.Norm(m.Coef.ColView(1), 2) == 0 {
		t.Errorf("offsets %v", m.Offset)
	}
}

// A kernel warped by a graph is a kernel like any other.
func TestWarpedKernel(t *testing.T) {
	p := flowers(t)
	warp := manifold.Warp{Base: kernel.Gaussian{Sigma: 1.5}, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 5, Degree: 1}},
		Ratio: 10}
	g, err := warp.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Learner{Solver: Annealing{}}.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := tr.Train(t.Context(), nil, []float64{4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := mat.NewDense(p.Rows.Len(), 3, nil)
	if err := m.Evaluate(t.Context(), out, g, nil); err != nil {
		t.Fatal(err)
	}
	counts := [3]int{}
	for _, c := range p.Coding.Decide(out) {
		counts[c]++
	}
	if counts[0] != 17 || m.Certificate.Residual > 1e-7 { // all of the first class, which is apart
		t.Errorf("%v rows of the classes, residual %g", counts, m.Certificate.Residual)
	}
}

func TestLearnerRefuses(t *testing.T) {
	p := flowers(t)
	g, tr := bound(t, Learner{Solver: Annealing{}}, p)
	numbers := *p
	numbers.Class = nil
	for want, f := range map[string]func() error{
		"it is for classes":      func() error { _, err := Learner{}.Bind(t.Context(), g, &numbers); return err },
		"not pairs of classes":   func() error { _, err := Learner{}.Bind(t.Context(), g, p.OneVersusOne()); return err },
		"2 shares for 3 classes": func() error { _, err := Learner{Shares: []float64{0.5, 0.5}}.Bind(t.Context(), g, p); return err },
		"no labelled row":        func() error { _, err := tr.Train(t.Context(), []int{}, []float64{1}, nil); return err },
		"scale the features": func() error {
			x := mat.DenseCopyOf(p.Rows.Dense)
			x.Set(2, 1, 1e300)
			g, err := kernel.Linear{}.Bind(t.Context(), data.Rows{Dense: x}, nil)
			if err != nil {
				return err
			}
			_, err = Learner{}.Bind(t.Context(), g, p)
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := Learner{Solver: Annealing{}}.Bind(ctx, g, p); return err })
}

// The machine does not depend on the number of processors.
func TestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	p := flowers(t)
	var first *learn.Machine
	for _, n := range []int{1, 3} {
		runtime.GOMAXPROCS(n)
		_, tr := bound(t, Learner{Solver: Annealing{}, Offset: true}, p)
		m, err := tr.Train(t.Context(), nil, []float64{50}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		} else if !mat.Equal(first.Coef, m.Coef) {
			t.Error("the coefficients differ")
		}
	}
}

// Tables are handed out again, the first that is large enough.
func TestTables(t *testing.T) {
	var none *Tables
	none.give(none.take(3))
	tables := &Tables{}
	a := tables.take(10)
	a[0] = 7
	tables.give(a)
	if b := tables.take(20); b[0] != 0 || len(b) != 20 {
		t.Error("a table too small")
	}
	if b := tables.take(5); b[0] != 7 || len(b) != 5 {
		t.Error("not the table that was given back")
	}
	if b := tables.take(5); b[0] != 0 {
		t.Error("one table twice")
	}
}

// One class is left where there is an offset, the labels are of one class, and so are the decisions, if there are any.
func TestOnly(t *testing.T) {
	for _, c := range []struct {
		y             []float64
		share, weight float64
		rows          int
		offset        bool
		want          float64
	}{
		{[]float64{1, 1}, 0.5, 1, 2, true, 1},
		{[]float64{-1}, 0.5, 1, 1, true, -1},
		{[]float64{1, 1}, 0.5, 1, 2, false, 0},
		{[]float64{1, -1}, 1, 1, 6, true, 0},
		{[]float64{1, 1}, 1, 1, 6, true, 1},
		{[]float64{1, 1}, 0, 1, 6, true, 0},
		{[]float64{1, 1}, 0.5, 1, 6, true, 0},
		{[]float64{1, 1}, 0.5, 0, 6, true, 1},
		{[]float64{-1, -1}, 0, 1, 6, true, -1},
		{[]float64{-1, -1}, 1, 1, 6, true, 0},
	} {
		p := &Problem{Y: c.y, Positive: c.share, Unlabelled: c.weight, Rows: make([]int, c.rows), Offset: c.offset}
		if got := p.only(); got != c.want {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

// Of an indefinite kernel the machines say so in their certificate, and branch and bound, which has no bound then,
// refuses it.
func TestIndefiniteCertificate(t *testing.T) {
	p := flowers(t)
	g, err := kernel.Sigmoid{Scale: 0.2, Offset: -1}.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	train := func(s Solver) (*learn.Machine, error) {
		tr, err := Learner{Solver: s}.Bind(t.Context(), g, p)
		if err != nil {
			t.Fatal(err)
		}
		return tr.Train(t.Context(), nil, []float64{0.01}, nil)
	}
	for _, s := range []Solver{Switching{}, Concave{}, Annealing{}, Annealing{Loss: learn.Hinge()}, Gradient{}, Continuation{}} {
		if m, err := train(s); err != nil || !(m.Certificate.Least < 0) {
			t.Errorf("%T: %v; its certificate does not say that the kernel is indefinite", s, err)
		}
	}
	if _, err := train(Branch{}); err == nil || !strings.Contains(err.Error(), "the kernel is indefinite") {
		t.Errorf("branch and bound with an indefinite kernel: %v", err)
	}
	_, tr := bound(t, Learner{Solver: Switching{}}, p)
	if m, err := tr.Train(t.Context(), nil, []float64{0.01}, nil); err != nil || m.Certificate.Least != 0 {
		t.Errorf("a gaussian kernel: %v, or its certificate says that it is indefinite", err)
	}
}
