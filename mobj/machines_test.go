package mobj_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/mobj"
	"github.com/mercer-ml/mercer/svm"
	"gonum.org/v1/gonum/mat"
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
	score, err := m.Validate(context.Background(), f, folds)
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
			one.Evaluate(y, g, fold)
			for a, k := range p.Coding.Decide(y) {
				if k != p.Class[fold[a]] {
					wrong++
				}
			}
		}
		if want := float64(wrong) / float64(len(p.Labelled)); math.Abs(score[i]-want) > 1e-12 {
			t.Errorf("member %d (%d): leave-out error %g, refits %g", i, q, score[i], want)
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
	if two.Distinct != 40 || len(one.Members) != len(two.Members) {
		t.Fatalf("%d distinct rows, fronts of %d and %d", two.Distinct, len(one.Members), len(two.Members))
	}
	for i := range one.Members {
		a, b := one.Members[i], two.Members[i]
		if math.Abs(a.Risk-b.Risk) > 1e-6 || math.Abs(a.Complexity-b.Complexity) > 1e-5*a.Complexity {
			t.Errorf("member %d: %g %g, of doubled rows %g %g", i, a.Risk, a.Complexity, b.Risk, b.Complexity)
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
}
