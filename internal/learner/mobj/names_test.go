package mobj_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/mobj"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// A kernel is called by what tells it from the others, in the order of the names, or by its number.
func TestNamesOfKernels(t *testing.T) {
	g := mobj.Grid{Params: []map[string]float64{{"sigma": 1.23456, "degree": 3}, {}, {"sigma": 2}}}
	for k, want := range []string{"degree 3, sigma 1.235", "kernel 2", "sigma 2"} {
		if got := g.Name(k); got != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
	if got := (mobj.Grid{}).Name(4); got != "kernel 5" {
		t.Error(got)
	}
	_, err := mobj.Widths(kernel.Gaussian{Sigma: 2}, []int{0}, []float64{1, -1})
	if err == nil || !strings.Contains(err.Error(), "sigma is -1") {
		t.Errorf("a width below zero: %v", err)
	}
}

// Without a measure a front is by q-ref, and sparse rows, which count as distinct, have the front of dense ones that are distinct.
func TestFrontByDefault(t *testing.T) {
	p := overlapping(40, 2)
	m := machines(p, "")
	m.Strengths = m.Strengths[2:6]
	got := run(t, m)
	m.Measure = mobj.QRef
	same(t, "without a measure", got, run(t, m), 0)
	m.Measure = mobj.QNorm
	other := run(t, m)
	if len(other.Members) == len(got.Members) && other.Members[1].Complexity == got.Members[1].Complexity {
		t.Error("q-norm has the front of q-ref")
	}
	for _, measure := range mobj.Measures() {
		m.Measure = measure
		m.Problem = p
		want := run(t, m)
		q := *p
		q.Rows = data.Rows{Sparse: data.CSRFromDense(p.Rows.Dense)}
		m.Problem = &q
		same(t, "sparse, "+string(measure), run(t, m), want, 1e-4)
	}
	g, err := m.Train(t.Context(), nil, mobj.QNorm)
	if err != nil {
		t.Fatal(err)
	}
	failtest.Panics(t, "mobj: a front by q-ref of a grid measured by [q-norm]", func() { g.Front(mobj.QRef) })
	// A grid may be trained for its errors alone.
	folds := foldsOf(p, 2)
	alone, err := m.Train(t.Context(), folds)
	if err != nil {
		t.Fatal(err)
	}
	both, err := m.Train(t.Context(), folds, mobj.QNorm)
	if err != nil {
		t.Fatal(err)
	}
	for k := range m.Kernels {
		for c := range m.Strengths {
			if alone.Error(k, c) != both.Error(k, c) {
				t.Errorf("kernel %d, strength %d: error %g without a measure, %g with one", k, c, alone.Error(k, c), both.Error(k, c))
			}
		}
	}
}

func same(t *testing.T, name string, got, want *mobj.MachineFront, tol float64) {
	t.Helper()
	if len(got.Members) != len(want.Members) {
		t.Errorf("%s: %d members, expected %d", name, len(got.Members), len(want.Members))
		return
	}
	for i, a := range got.Members {
		b := want.Members[i]
		if a.Kernel != b.Kernel || a.Step != b.Step || math.Abs(a.Complexity-b.Complexity) > tol*b.Complexity || a.Errors != b.Errors {
			t.Errorf("%s: member %d is %+v, expected %+v", name, i, a, b)
		}
	}
}

// A kernel that cannot be bound, or a learner that cannot learn, ends the grid, which says of which kernel.
func TestGridsThatFail(t *testing.T) {
	p := overlapping(30, 2)
	for name, change := range map[string]func(m *mobj.Machines){
		"kernel":  func(m *mobj.Machines) { m.Kernels[1] = kernel.Gaussian{} },
		"learner": func(m *mobj.Machines) { m.Learner = failing{m.Learner, 0} },
		"trainer": func(m *mobj.Machines) { m.Learner = failing{m.Learner, 1} },
	} {
		m := machines(p, mobj.QRef)
		change(&m)
		_, err := m.Run(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), "mobj: kernel ") || name != "kernel" && !errors.Is(err, errFailing) ||
			name == "kernel" && !strings.Contains(err.Error(), "mobj: kernel 2: kernel: gaussian: sigma is not set") {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := m.Train(t.Context(), foldsOf(p, 2)); err == nil {
			t.Errorf("%s: a grid without a measure was trained", name)
		}
	}
	m := machines(p, mobj.QRef)
	m.Kernels, m.Strengths = m.Kernels[:1], m.Strengths[:2]
	m.Learner = failing{m.Learner, 2} // at the first training without a fold
	if _, err := m.Train(t.Context(), foldsOf(p, 2), mobj.QRef); !errors.Is(err, errFailing) {
		t.Errorf("a training without a fold that fails: %v", err)
	}
}

var errFailing = errors.New("failing")

// failing is a learner that cannot be bound, whose machines cannot be trained, or not without rows.
type failing struct {
	learn.Learner
	at int
}

func (f failing) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	if f.at == 0 {
		return nil, errFailing
	}
	t, err := f.Learner.Bind(ctx, g, p)
	return failingTrainer{t, f.at}, err
}

type failingTrainer struct {
	learn.Trainer
	at int
}

func (f failingTrainer) Train(ctx context.Context, rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error) {
	if f.at == 1 || rows != nil {
		return nil, errFailing
	}
	return f.Trainer.Train(ctx, rows, theta, warm)
}

// A grid that is stopped before anything is trained has no front, wherever it asks.
func TestGridStopped(t *testing.T) {
	m := machines(overlapping(30, 2), mobj.QRef)
	m.Kernels, m.Strengths = m.Kernels[:1], m.Strengths[:1]
	stoptest.Each(t, true, func(ctx context.Context, place string) {
		f, err := m.Run(ctx)
		if place == "" && err != nil || place != "" && err == nil && !f.Partial {
			t.Errorf("stopped in %q: %+v, %v", place, f, err)
		}
	})
}

// Whichever look it is that interrupts a grid of pairs of classes, whose outputs on the rows are computed after each training, it has
// machines of the whole grid alone, and counts none as ended by a limit.
func TestInterruptedGrid(t *testing.T) {
	p := overlapping(40, 3).OneVersusOne()
	m := machines(p, mobj.QNorm)
	m.Kernels, m.Strengths = m.Kernels[1:3], m.Strengths[3:5]
	folds := foldsOf(p, 2)
	whole, err := m.Train(t.Context(), folds, mobj.QNorm)
	if err != nil || whole.Partial || whole.Limited > 0 {
		t.Fatalf("%+v, %v", whole, err)
	}
	risk := map[[2]int]float64{}
	for k := range m.Kernels {
		for c := range m.Strengths {
			one := m
			one.Kernels, one.Strengths = m.Kernels[k:k+1], m.Strengths[c:c+1]
			risk[[2]int{k, c}] = run(t, one).Members[0].Risk
		}
	}
	for looks := range 2000 {
		c := stoptest.After(t.Context(), looks)
		g, err := m.Train(c, folds, mobj.QNorm)
		if err != nil || g.Partial != c.Ended() || g.Limited > 0 {
			t.Fatalf("interrupted at look %d: %+v, %v", looks, g, err)
		}
		for _, a := range g.Front(mobj.QNorm).Members {
			if want := risk[[2]int{a.Kernel, a.Step}]; math.Abs(a.Risk-want) > 1e-4*(1+want) {
				t.Errorf("interrupted at look %d: kernel %d, strength %d has risk %g, alone %g", looks, a.Kernel, a.Step, a.Risk, want)
			}
		}
		if !c.Ended() {
			if g.Trained != whole.Trained || g.Folded != whole.Folded {
				t.Errorf("%d machines and %d of folds, of the whole grid %d and %d", g.Trained, g.Folded, whole.Trained, whole.Folded)
			}
			break
		}
	}
}

// Members are not validated where a kernel cannot be bound, or a learner cannot be bound or learn.
func TestValidationThatFails(t *testing.T) {
	p := overlapping(30, 2)
	m := machines(p, mobj.QNorm)
	m.Strengths = m.Strengths[3:5]
	f, folds := run(t, m), foldsOf(p, 2)
	for at := range 2 {
		bad := m
		bad.Learner = failing{m.Learner, at}
		if share, err := bad.Validate(t.Context(), f, folds); !errors.Is(err, errFailing) {
			t.Errorf("a learner that fails at %d: shares %v, %v", at, share, err)
		}
	}
	bad := m
	bad.Kernels = make([]kernel.Kernel, len(m.Kernels))
	for k := range bad.Kernels {
		bad.Kernels[k] = kernel.Gaussian{}
	}
	if share, err := bad.Validate(t.Context(), f, folds); err == nil || !strings.Contains(err.Error(), "sigma is not set") {
		t.Errorf("kernels without a width: shares %v, %v", share, err)
	}
}
