package dual_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/dual"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Trainings, shared folds and bounds end with the error of their context, wherever they are stopped.
func TestStoppedAnywhere(t *testing.T) {
	two, three := learntest.Clusters(90, 2, 2, 2), learntest.Clusters(120, 2, 3, 2)
	k := kernel.Gaussian{Sigma: 1}
	t.Run("two classes", func(t *testing.T) { learntest.Stopped(t, dual.Classifier{}, k, two, []float64{3}) })
	t.Run("by decomposition", func(t *testing.T) {
		learntest.Stopped(t, dual.Classifier{Options: dual.Options{WorkingSet: 8}}, k, two, []float64{3})
	})
	t.Run("no offset", func(t *testing.T) { learntest.Stopped(t, dual.Classifier{NoOffset: true}, k, two, []float64{3}) })
	t.Run("nu", func(t *testing.T) { learntest.Stopped(t, dual.Classifier{Nu: 0.2}, k, two, []float64{0.2}) })
	t.Run("one against the rest", func(t *testing.T) { learntest.Stopped(t, dual.Classifier{}, k, three, []float64{3}) })
	t.Run("pairs", func(t *testing.T) { learntest.Stopped(t, dual.Classifier{}, k, three.OneVersusOne(), []float64{3}) })
	t.Run("indefinite", func(t *testing.T) {
		learntest.Stopped(t, dual.Classifier{}, kernel.Sigmoid{Scale: 1, Offset: -1}, two, []float64{1})
	})
	p := newBounded(t, k, 30, 2, 3, true, false, 3)
	a, f := p.train(t, -1)
	for _, b := range []dual.Bound{dual.XiAlpha, dual.Span, dual.RadiusMargin} {
		t.Run(b.String(), func(t *testing.T) {
			stoptest.Everywhere(t, func(ctx context.Context) error { _, err := b.Of(ctx, p.evidence(a, f)); return err },
				"dual.EnclosingBall")
		})
	}
	t.Run("ball", func(t *testing.T) {
		stoptest.Everywhere(t, func(ctx context.Context) error {
			_, err := dual.EnclosingBall(ctx, p.gram, []int{3, 1, 4, 15, 9, 26})
			return err
		}, "dual.EnclosingBall")
	})
}

// A regression is the same in any unit of its targets, with the defaults that it has of them.
func TestUnitsOfTargets(t *testing.T) {
	const n = 50
	rng := rand.New(rand.NewPCG(5, 2))
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		x.Set(i, 0, rng.NormFloat64())
		y[i] = math.Sin(2*x.At(i, 0)) + 0.1*rng.NormFloat64()
	}
	rows := data.Rows{Dense: x}
	g, err := kernel.Gaussian{Sigma: 0.8}.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []dual.Regressor{{}, {Absolute: true}, {Nu: 0.3}} {
		var first []float64
		for _, unit := range []float64{1, 1e-6, 1e3} {
			labels := data.Labels{Task: data.Regression, Value: slices.Clone(y)}
			floats.Scale(unit, labels.Value)
			p := learn.NewProblem(rows, labels)
			trainer, err := r.Bind(t.Context(), g, p)
			if err != nil {
				t.Fatal(err)
			}
			m, err := trainer.Train(t.Context(), nil, r.Space(1, p.Spread()).Defaults(), nil)
			if err != nil {
				t.Fatal(err)
			}
			fitted := mat.Col(nil, 0, m.Fitted)
			floats.Scale(1/unit, fitted)
			if first == nil {
				first = fitted
			}
			if d := floats.Distance(fitted, first, math.Inf(1)); d > 5e-3 {
				t.Errorf("%+v: targets in units of %g are off by %g", r, unit, d)
			}
		}
	}
}

// What cannot be trained is an error of the training, and of the folds too: rows that are all alike, a nu too large for the rows outside
// a fold, no rows at all, and kernel values that are not finite, of which there is no ball either.
func TestLearnersRefuse(t *testing.T) {
	bind := func(l learn.Learner, x *mat.Dense) (learn.Trainer, error) {
		n, _ := x.Dims()
		labels := data.Labels{Task: data.Regression, Value: slices.Repeat([]float64{1}, n)}
		if _, ok := l.(dual.Classifier); ok {
			labels = data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, n)}
			for i := range n {
				labels.Class[i] = i % 2
			}
		}
		p := learn.NewProblem(data.Rows{Dense: x}, labels)
		g, err := kernel.Linear{}.Bind(t.Context(), p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		return l.Bind(t.Context(), g, p)
	}
	refused := func(err error, words string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("the error is %v, expected %q in it", err, words)
		}
	}
	alike, infinite := mat.NewDense(6, 1, nil), mat.NewDense(6, 1, []float64{1, 2, 3, 4, 1e200, 6})
	trainer, err := bind(dual.Classifier{Nu: 0.5}, alike)
	if err != nil {
		t.Fatal(err)
	}
	_, err = trainer.Train(t.Context(), nil, []float64{0.5}, nil)
	refused(err, "svm: the margin of nu-SVC is ")
	_, _, _, err = trainer.(learn.Folder).Folds(t.Context(), [][]int{{0, 1}}, []float64{0.5}, nil)
	refused(err, "svm: the margin of nu-SVC is ")
	_, _, _, err = trainer.(learn.Folder).Folds(t.Context(), [][]int{{0}}, []float64{1}, nil)
	refused(err, "svm: nu = 1 is infeasible")
	for _, l := range []learn.Learner{dual.Classifier{NoOffset: true}, dual.Regressor{}, dual.Detector{}} {
		trainer, err := bind(l, alike)
		if err != nil {
			t.Fatal(err)
		}
		_, err = trainer.Train(t.Context(), []int{}, []float64{1, 0.1}, nil)
		refused(err, "svm: no labelled row")
		_, err = bind(l, infinite)
		refused(err, "svm: kernel value (4, 4) is +Inf")
	}
	many := mat.NewDense(2100, 1, nil) // more than are kept as a table
	many.Set(7, 0, 1e200)
	for _, x := range []*mat.Dense{infinite, many} {
		rows := data.Rows{Dense: x}
		g, err := kernel.Linear{}.Bind(t.Context(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = dual.EnclosingBall(t.Context(), g, rows.Whole())
		refused(err, "Inf")
	}
}
