package smooth_test

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// Trainings and derivatives end with the error of their context, wherever they are stopped, in the
// kernel form and the linear one, by every solver.
func TestStoppedAnywhere(t *testing.T) {
	p := learntest.Clusters(60, 3, 2, 2)
	for name, l := range map[string]smooth.Learner{
		"Newton": {Loss: learn.Logistic(), Offset: smooth.Free}, "quartic": {Loss: learn.Quartic(1e-3), Offset: smooth.Free},
		"no offset":   {Loss: learn.SquaredHinge()},
		"accelerated": {Loss: learn.Logistic(), Offset: smooth.Free, Solver: smooth.ByFISTARestart},
	} {
		t.Run(name+", kernel", func(t *testing.T) { learntest.Stopped(t, l, kernel.Gaussian{Sigma: 1}, p, []float64{3}) })
		t.Run(name+", linear", func(t *testing.T) { learntest.Stopped(t, l, kernel.Linear{}, p, []float64{3}) })
	}
	descent := smooth.Learner{Loss: learn.Logistic(), Offset: smooth.Free, Descent: true}
	t.Run("descent", func(t *testing.T) { learntest.Stopped(t, descent, kernel.Linear{}, p, []float64{3}) })
}
