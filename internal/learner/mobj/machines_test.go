package mobj_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/complexity"
	"github.com/mercer-ml/mercer/internal/learner/mobj"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
)

// overlapping are n rows of classes whose means lie on a circle.
func overlapping(n, classes int) *learn.Problem {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	x := mat.NewDense(n, 2, nil)
	labels := data.Labels{Task: data.Classification, Class: make([]int, n)}
	for k := range classes {
		labels.Classes = append(labels.Classes, string(rune('a'+k)))
	}
	for i := range n {
		k := i % classes
		labels.Class[i] = k
		angle := 2 * math.Pi * float64(k) / float64(classes)
		x.SetRow(i, []float64{math.Cos(angle) + 0.6*rng.NormFloat64(), math.Sin(angle) + 0.6*rng.NormFloat64()})
	}
	return learn.NewProblem(data.Rows{Dense: x}, labels)
}

func powers(base float64, lo, hi int) []float64 {
	var list []float64
	for e := lo; e <= hi; e++ {
		list = append(list, math.Pow(base, float64(e)))
	}
	return list
}

func machines(p *learn.Problem, m mobj.Measure) mobj.Machines {
	g := mobj.Machines{Problem: p, Learner: svm.Classifier{Options: svm.Options{Tolerance: 1e-8}}, Strengths: powers(4, -3, 4), Measure: m}
	for _, s := range powers(2, -2, 2) {
		g.Kernels = append(g.Kernels, kernel.Gaussian{Sigma: s})
	}
	return g
}

func run(t *testing.T, m mobj.Machines) *mobj.MachineFront {
	t.Helper()
	f, err := m.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestMachinesAreNondominated(t *testing.T) {
	for _, classes := range []int{2, 3} {
		p := overlapping(60, classes)
		for _, measure := range mobj.Measures() {
			f := run(t, machines(p, measure))
			for i, a := range f.Members {
				if i > 0 && !(a.Complexity > f.Members[i-1].Complexity && a.Risk < f.Members[i-1].Risk) {
					t.Errorf("%s: member %d does not follow member %d: %+v", measure, i, i-1, a)
				}
			}
			if n := len(f.Members); n < 3 || n >= f.Trained {
				t.Errorf("%s: %d members of %d", measure, n, f.Trained)
			}
			for _, a := range f.Members { // each is of its kernel's own front
				part := f.Parts[a.Kernel]
				if i := slices.Index(part.Risk, a.Risk); i < 0 || part.Complexity[i] != a.Complexity {
					t.Errorf("%s: (%g, %g) is not in the front of kernel %d", measure, a.Risk, a.Complexity, a.Kernel)
				}
			}
		}
	}
}

// Machines without a loss differ in risk by what the solver left: at LIBSVM's tolerance they are as
// few members as at one of 1e-10, where their risk is zero.
func TestSolverNoiseMakesNoMembers(t *testing.T) {
	if testing.Short() {
		t.Skip("it solves to many digits, which takes long under the race detector")
	}
	p := overlapping(60, 2)
	for i := range p.Labelled { // apart
		row := p.Rows.Dense.RawRowView(i)
		row[0] += 2 * p.Y.At(i, 0)
	}
	m := machines(p, mobj.QNorm)
	m.Strengths = powers(4, -3, 10)
	for _, tolerance := range []float64{1e-3, 1e-10} {
		m.Learner = svm.Classifier{Options: svm.Options{Tolerance: tolerance}}
		f := run(t, m)
		if f.Tolerance > tolerance {
			t.Errorf("solvers left %g of %g", f.Tolerance, tolerance)
		}
		hard := 0
		for i, a := range f.Members {
			if a.Risk < 1e-3 {
				hard++
			}
			if i > 0 && a.Risk > f.Members[i-1].Risk-f.Tolerance {
				t.Errorf("tolerance %g: member %d has risk %g after %g", tolerance, i, a.Risk, f.Members[i-1].Risk)
			}
		}
		if hard != 1 {
			t.Errorf("tolerance %g: %d members without a loss", tolerance, hard)
		}
	}
}

// One kernel times c with its strengths over c are the same machines. Q_ref and Q_norm see
// the same front, the norm does not.
func TestFrontDoesNotDependOnKernelScale(t *testing.T) {
	p := overlapping(50, 2)
	const c = 100.0
	for _, measure := range mobj.Measures() {
		m := machines(p, measure)
		a := run(t, m)
		m.Factors = []float64{1, 1, 1 / c, 1, 1}
		m.Kernels = append([]kernel.Kernel(nil), m.Kernels...)
		m.Kernels[2] = kernel.Scaled{Weight: c, Base: m.Kernels[2]}
		b := run(t, m)
		same := len(a.Members) == len(b.Members)
		for i := range a.Members {
			if same {
				same = a.Members[i].Kernel == b.Members[i].Kernel && math.Abs(a.Members[i].Risk-b.Members[i].Risk) < 1e-6
			}
		}
		if same != (measure != mobj.QRKHS) {
			t.Errorf("%s: same front %v", measure, same)
		}
	}
}

// The leave-out errors are those of machines trained without the fold.
func TestValidate(t *testing.T) {
	p := overlapping(48, 2)
	m := machines(p, mobj.QRef)
	f := run(t, m)
	folds := [][]int{{}, {}, {}, {}}
	for i := range p.Labelled {
		folds[i/2%4] = append(folds[i/2%4], i)
	}
	scored, err := m.Validate(context.Background(), f, folds)
	if err != nil {
		t.Fatal(err)
	}
	for q, i := range []int{0, len(f.Members) / 2, len(f.Members) - 1} {
		wrong := 0
		for _, fold := range folds {
			out := map[int]bool{}
			for _, r := range fold {
				out[r] = true
			}
			labels := data.Labels{Task: data.Classification, Classes: p.Classes, Class: make([]int, len(p.Labelled))}
			for r := range labels.Class {
				labels.Class[r] = p.Class[r]
				if out[r] {
					labels.Class[r] = data.Unlabelled
				}
			}
			part := learn.NewProblem(p.Rows, labels)
			g, err := m.Kernels[f.Members[i].Kernel].Bind(context.Background(), p.Rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			trainer, err := m.Learner.Bind(context.Background(), g, part)
			if err != nil {
				t.Fatal(err)
			}
			one, err := trainer.Train(context.Background(), nil, []float64{f.Members[i].Strength}, nil)
			if err != nil {
				t.Fatal(err)
			}
			y := mat.NewDense(len(fold), 1, nil)
			if err := one.Evaluate(context.Background(), y, g, fold); err != nil {
				t.Fatal(err)
			}
			for a, k := range p.Coding.Decide(y) {
				if k != p.Class[fold[a]] {
					wrong++
				}
			}
		}
		if want := float64(wrong) / float64(len(p.Labelled)); math.Abs(scored[i]-want) > 1e-12 {
			t.Errorf("member %d (%d): leave-out error %g, refits %g", i, q, scored[i], want)
		}
	}
}

// Equal rows make the matrix singular; their coefficients are summed.
func TestDuplicates(t *testing.T) {
	p := overlapping(40, 2)
	twice, err := p.Rows.Append(p.Rows)
	if err != nil {
		t.Fatal(err)
	}
	labels := data.Labels{Task: data.Classification, Classes: p.Classes, Class: append(append([]int(nil), p.Class...), p.Class...)}
	m := machines(p, mobj.QRef)
	one := run(t, m)
	m.Problem = learn.NewProblem(twice, labels)
	for i := range m.Strengths {
		m.Strengths[i] /= 2 // each row counts twice
	}
	two := run(t, m)
	for _, f := range []*mobj.MachineFront{one, two} { // among those without a loss the solver's tolerance decides
		f.Members = slices.DeleteFunc(f.Members, func(t mobj.Trained) bool { return t.Risk < 1e-8 })
	}
	if two.Members[0].Order != 40 || len(one.Members) != len(two.Members) {
		t.Fatalf("%d distinct rows, fronts of %d and %d", two.Members[0].Order, len(one.Members), len(two.Members))
	}
	for i := range one.Members {
		a, b := one.Members[i], two.Members[i]
		if math.Abs(a.Risk-b.Risk) > 1e-6 || math.Abs(a.Complexity-b.Complexity) > 1e-5*a.Complexity {
			t.Errorf("member %d: %g %g, of doubled rows %g %g", i, a.Risk, a.Complexity, b.Risk, b.Complexity)
		}
	}
}

// q-ref-sv is Q_ref in the matrix of the support rows, and that of all rows if all are support.
func TestReferenceOfSupport(t *testing.T) {
	p := overlapping(60, 2)
	m := machines(p, mobj.QRefSV)
	for _, a := range run(t, m).Members {
		rows := a.Machine.Rows
		gram, err := m.Kernels[a.Kernel].Bind(context.Background(), p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := mat.NewDense(len(rows), len(rows), nil)
		gram.Block(g, rows, rows)
		r, err := complexity.NewReference(g, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want := r.Of(mat.Col(nil, 0, a.Machine.Coef)); math.Abs(a.Complexity-want) > 1e-6*want || a.Order != len(rows) ||
			a.Rank != r.Rank {
			t.Errorf(
				"kernel %d, C %g: %g, rank %d of %d, by the rows themselves %g, %d of %d",
				a.Kernel,
				a.Strength,
				a.Complexity,
				a.Rank,
				a.Order,
				want,
				r.Rank,
				len(rows),
			)
		}
	}
	m.Strengths = []float64{1e-4, 1e-3} // every row at its bound
	sv := run(t, m)
	m.Measure = mobj.QRef
	all := run(t, m)
	if len(sv.Members) != len(all.Members) {
		t.Fatalf("%d members, of all rows %d", len(sv.Members), len(all.Members))
	}
	for i, a := range sv.Members {
		if b := all.Members[i]; a.Kernel != b.Kernel || math.Abs(a.Complexity-b.Complexity) > 1e-9*b.Complexity {
			t.Errorf(
				"every row supports: member %d is %g of kernel %d, of all rows %g of %d",
				i,
				a.Complexity,
				a.Kernel,
				b.Complexity,
				b.Kernel,
			)
		}
	}
}

// foldsOf deals the labelled rows to k folds.
func foldsOf(p *learn.Problem, k int) [][]int {
	folds := make([][]int, k)
	for i := range p.Labelled {
		folds[i/2%k] = append(folds[i/2%k], i)
	}
	return folds
}

// The errors of the grid are what trainings give that start afresh and share nothing, cell by cell,
// but for rows whose outputs are within the solver's tolerance of zero; the least wins.
// A grid without a kernel or a strength has no machine.
func TestEmptyGrid(t *testing.T) {
	p := overlapping(20, 2)
	for _, empty := range []func(*mobj.Machines){func(m *mobj.Machines) { m.Kernels = nil }, func(m *mobj.Machines) { m.Strengths = nil }} {
		m := machines(p, "")
		empty(&m)
		if _, err := m.Train(t.Context(), nil, mobj.QNorm); err == nil {
			t.Error("an empty grid is trained")
		}
	}
}

func TestGridErrors(t *testing.T) {
	ctx := context.Background()
	for _, classes := range []int{2, 3} {
		p := overlapping(60, classes)
		m := machines(p, "")
		folds := foldsOf(p, 3)
		g, err := m.Train(ctx, folds, mobj.QNorm, mobj.QRef)
		if err != nil {
			t.Fatal(err)
		}
		least := g.Least()
		for k, kern := range m.Kernels {
			gram, err := kern.Bind(ctx, p.Rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			trainer, err := m.Learner.Bind(ctx, gram, p)
			if err != nil {
				t.Fatal(err)
			}
			for c, strength := range m.Strengths {
				wrong, unsure := 0, 0
				for _, fold := range folds {
					f, err := trainer.Train(ctx, learn.Others(len(p.Labelled), fold), []float64{strength}, nil)
					if err != nil {
						t.Fatal(err)
					}
					out := mat.NewDense(len(fold), p.Outputs(), nil)
					if err := f.Evaluate(context.Background(), out, gram, p.Subset(fold)); err != nil {
						t.Fatal(err)
					}
					for a, class := range p.Coding.Decide(out) {
						if class != p.Class[fold[a]] {
							wrong++
						}
						for _, v := range out.RawRowView(a) {
							if math.Abs(v) < 1e-5 {
								unsure++
							}
						}
					}
				}
				got := g.Error(k, c)
				if l := float64(len(p.Labelled)); math.Abs(got-float64(wrong)/l) > (float64(unsure)+1e-9)/l {
					t.Errorf("%d classes, kernel %d, strength %d: %g, by themselves %d of %g", classes, k, c, got, wrong, l)
				}
				best := g.Error(least.Kernel, least.Step)
				if got < best || got == best && (c < least.Step || c == least.Step && k < least.Kernel) {
					t.Errorf("%d classes: kernel %d, strength %d has %g, chosen %+v of %g", classes, k, c, got, least, best)
				}
			}
		}
		// One grid has the front of each measure, and its errors are those of the members validated.
		for _, measure := range []mobj.Measure{mobj.QNorm, mobj.QRef} {
			m.Measure = measure
			f, want := g.Front(measure), run(t, m)
			if len(f.Members) != len(want.Members) {
				t.Fatalf("%s: %d members, alone %d", measure, len(f.Members), len(want.Members))
			}
			share, err := m.Validate(ctx, f, folds)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range f.Members {
				if b := want.Members[i]; a.Kernel != b.Kernel || a.Step != b.Step || a.Complexity != b.Complexity {
					t.Errorf("%s: member %d is %+v, alone %+v", measure, i, a, b)
				}
				if want := g.Error(a.Kernel, a.Step); math.Abs(share[i]-want) > 1e-12 {
					t.Errorf("%s: member %d has error %g, in the grid %g", measure, i, share[i], want)
				}
			}
		}
	}
}

// A limit is no answer: such machines are on no front, their cells are not chosen, and a grid
// without others says so.
func TestLimitedMachines(t *testing.T) {
	p := overlapping(60, 2)
	m := machines(p, mobj.QRef)
	folds := foldsOf(p, 3)
	all, err := m.Train(context.Background(), folds, mobj.QRef)
	if err != nil {
		t.Fatal(err)
	}
	m.Learner = svm.Classifier{Options: svm.Options{Tolerance: 1e-8, MaxIterations: 60}}
	some, err := m.Train(context.Background(), folds, mobj.QRef)
	if err != nil {
		t.Fatal(err)
	}
	if some.Limited == 0 || some.Trained-some.Limited == 0 || some.Trained >= all.Trained {
		t.Fatalf("%d of %d ended by the limit, %d without one", some.Limited, some.Trained, all.Trained)
	}
	front := some.Front(mobj.QRef)
	for _, f := range append(front.Members, *some.Least()) {
		if c := f.Machine.Certificate; c.Limited != "" || c.Steps > 60 {
			t.Errorf("a machine ended by its limit: %+v", f)
		}
	}
	infinite := 0
	for k := range m.Kernels {
		for c := range m.Strengths {
			switch e := some.Error(k, c); {
			case math.IsInf(e, 1):
				infinite++
			case infinite > 0 && c > 0 && math.IsInf(some.Error(k, c-1), 1):
				t.Errorf("kernel %d: an error at strength %d, beyond a limit", k, c)
			case math.Abs(e-all.Error(k, c)) > 2.0/60:
				t.Errorf("kernel %d, strength %d: error %g, without limit %g", k, c, e, all.Error(k, c))
			}
		}
	}
	if infinite == 0 {
		t.Error("no cell of the folds ended by the limit")
	}
	m.Learner = svm.Classifier{Options: svm.Options{MaxIterations: 1}}
	none, err := m.Train(context.Background(), folds, mobj.QRef)
	if err != nil || none.Least() != nil || len(none.Front(mobj.QRef).Members) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
	if _, err := m.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("no error: %v", err)
	}
}

// Columns share the cores, and nothing else.
func TestGridDoesNotDependOnThreads(t *testing.T) {
	p := overlapping(60, 2)
	m := machines(p, "")
	one, folds := m.Kernels, foldsOf(p, 3)
	g, err := m.Train(context.Background(), folds, mobj.QRef)
	if err != nil {
		t.Fatal(err)
	}
	for k := range one {
		m.Kernels = one[k : k+1]
		alone, err := m.Train(context.Background(), folds, mobj.QRef)
		if err != nil {
			t.Fatal(err)
		}
		for c := range m.Strengths {
			if g.Error(k, c) != alone.Error(0, c) {
				t.Errorf("kernel %d, strength %d: %g, alone %g", k, c, g.Error(k, c), alone.Error(0, c))
			}
		}
	}
}

func TestInterruptedFront(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := machines(overlapping(60, 2), mobj.QRef)
	m.Progress = func(done, _ int) {
		if done == 2 {
			cancel()
		}
	}
	f, err := m.Run(ctx)
	if err != nil || !f.Partial || len(f.Members) == 0 {
		t.Errorf("%+v, %v", f, err)
	}
	cancel()
	if _, err := m.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended before it began: %v", err)
	}
	if _, err := m.Validate(ctx, f, foldsOf(m.Problem, 3)); !errors.Is(err, context.Canceled) {
		t.Errorf("validated without time: %v", err)
	}
}
