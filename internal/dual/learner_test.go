package dual_test

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/internal/dual"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
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
