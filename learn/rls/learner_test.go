package rls_test

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
)

// Trainings end with the error of their context, wherever they are stopped.
func TestStoppedAnywhere(t *testing.T) {
	p := learntest.Clusters(36, 3, 3, 2)
	for name, c := range map[string]struct {
		learner learn.Learner
		theta   []float64
	}{"ridge": {rls.Learner{Offset: true}, []float64{0.1}}, "least norm": {rls.MinimumNorm{}, nil}} {
		t.Run(name, func(t *testing.T) { learntest.Stopped(t, c.learner, kernel.Gaussian{Sigma: 1}, p, c.theta) })
	}
}
