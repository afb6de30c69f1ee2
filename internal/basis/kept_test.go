package basis_test

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/fittest"
)

// TestCentresAreAsTheyWere: which rows every choice takes for centres, and what is learned on them.
func TestCentresAreAsTheyWere(t *testing.T) {
	fittest.Keep(t, "centres", fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 10, Recipes: []string{
			"rls --basis 6 choose=greedy --tune none", "rls --basis 6 choose=greedy-ridge --tune none",
			"rls --basis 6 choose=random --tune none", "rls --basis 6 choose=uniform --tune none",
			"rls --basis 6 choose=lasso --tune none", "rls --basis 6 choose=lars --tune none",
			"rls --basis 6 choose=leverage --tune none", "svm --basis 5 choose=greedy --tune none",
			"svm --basis 5 choose=greedy-ridge --tune none", "svm --basis 5 choose=random --tune none",
			"svm --basis 5 choose=uniform --tune none", "rls --basis 6 candidates=0 --tune none",
			"rls --basis 6 candidates=3 --tune none", "rls --basis 6 choose=random --seed 5 --tune none",
			"lap-rls --basis 8 --tune none", "logistic --basis 5 --tune none", "l2-svm --basis 5 --tune none",
			"rls --basis auto", "rls --basis 4", "lap-rls --basis 6 --budget 3", "rls --basis 2 --kernel linear --tune none",
			"rls --basis 39 --tune none", "rls --basis 200 --tune none",
		}},
		fittest.On{Spec: "iris", Each: 8, Recipes: []string{
			"rls --basis 6 choose=greedy --tune none", "rls --basis 6 choose=greedy-ridge --tune none",
			"rls --basis 6 choose=random --tune none", "rls --basis 6 choose=uniform --tune none",
			"rls --basis 6 choose=lasso --tune none", "rls --basis 6 choose=lars --tune none",
			"rls --basis 6 choose=leverage --tune none", "svm --basis 6 --tune none", "rls --basis auto",
		}},
		fittest.On{Spec: "sinc:n=36", Recipes: []string{
			"rls --basis 6 choose=greedy --tune none", "rls --basis 6 choose=greedy-ridge --tune none",
			"rls --basis 6 choose=random --tune none", "rls --basis 6 choose=uniform --tune none",
			"rls --basis 6 choose=lasso --tune none", "rls --basis 6 choose=lars --tune none",
			"rls --basis 6 choose=leverage --tune none", "svr --basis 6 --tune none", "rls --basis auto",
			"svr --basis 5 --tune kfold:3 --budget 2",
		}},
	))
}

// TestFitsStopWhereTheyAsk: a fit that is stopped at any place says so, or keeps the best so far.
func TestFitsStopWhereTheyAsk(t *testing.T) {
	fittest.Stopped(t, fittest.Cases(
		t,
		fittest.On{
			Spec:    "iris",
			Each:    6,
			Recipes: []string{"rls --basis auto", "svm --basis 5 --tune none", "rls --basis 5", "lap-rls --basis 6 --budget 2"},
		},
		fittest.On{Spec: "sinc:n=30", Recipes: []string{"svr --basis 5 --tune none", "rls --basis 5 choose=lars", "rls --basis auto"}},
		fittest.On{Spec: "two-moons:n=30,noise=0.3", Each: 8, Recipes: []string{
			"rls --basis 4 choose=greedy --tune none", "rls --basis 4 choose=greedy-ridge --tune none",
			"rls --basis 4 choose=random --tune none", "rls --basis 4 choose=uniform --tune none",
			"rls --basis 4 choose=lasso --tune none", "rls --basis 4 choose=lars --tune none",
			"rls --basis 4 choose=leverage --tune none", "svm --basis 4 --tune none", "lap-rls --basis 5 --tune none",
			"rls --basis auto",
		}},
	), "model.Expansion.add", "shrink.(*Distillation).hinge")
}
