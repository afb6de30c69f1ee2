package linear_test

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/fittest"
)

// TestFitsAreAsTheyWere: what linear machines for many columns find, with labels, with guesses of them and with a graph.
func TestFitsAreAsTheyWere(t *testing.T) {
	fittest.Keep(t, "fits", fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 5, Recipes: []string{
			"linear-svm --tune none", "linear-svm", "linear-svm --tune none C=30", "linear-svm --tune none solver=gradient",
			"linear-svm --tune none solver=fista", "linear-logistic --tune none", "linear-logistic", "linear-rls --tune none",
			"linear-rls", "linear-rls --offset no --tune none", "linear-svm --tune none --class-weight 1=5",
			"linear-svm --tune none --offset no", "linear-tsvm --tune none", "linear-tsvm --tune none switches=1",
			"linear-tsvm --tune none positive=0.3 C=3", "linear-tsvm", "linear-da --tune none",
			"linear-da --tune none temperature=0.5", "linear-da --tune none C=10 positive=0.6 unlabelled_weight=0.5",
			"linear-lap-rls --tune none", "linear-lap-rls", "linear-lap-rls --tune none gamma_i=1 gamma_a=0.01 neighbours=4",
			"linear-lap-svm --tune none", "linear-lap-svm", "linear-lap-svm --tune none gamma_i=0.1 gamma_a=0.001 degree=2",
			"linear-lap-rls --tune none --class-weight balanced", "linear-svm --tune none --kernel ard-linear",
			"linear-rls --tune none --kernel clusters", "linear-svm --tune kfold:2 --search random --budget 3",
			"linear-logistic --search gradient --budget 4", "linear-lap-rls --tune none --offset no",
			"linear-svm --tune none --tol 0.1",
		}},
		fittest.On{Spec: "iris", Each: 5, Recipes: []string{
			"linear-svm --tune none", "linear-logistic --tune none", "linear-rls", "linear-tsvm --tune none",
			"linear-da --tune none", "linear-lap-rls --tune none", "linear-lap-svm --tune none",
			"linear-svm --multiclass one-vs-one --tune none",
		}},
		fittest.On{Spec: "sinc:n=36", Recipes: []string{
			"linear-rls --tune none", "linear-rls", "linear-lap-rls --tune none",
		}},
	))
}

// TestFitsStopWhereTheyAsk: a fit that is stopped at any place says so, or keeps the best so far.
func TestFitsStopWhereTheyAsk(t *testing.T) {
	fittest.Stopped(t, fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=30,noise=0.3", Each: 4, Recipes: []string{
			"linear-svm --tune none", "linear-tsvm --tune none", "linear-da --tune none", "linear-lap-rls --tune none",
			"linear-lap-svm --tune none", "linear-rls",
		}},
	), "linear.(*cgls).solve")
}
