package sparsemanifold_test

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/fittest"
)

// TestMachinesAreAsTheyWere: what machines with few centres and a graph find, by every loss and repair.
func TestMachinesAreAsTheyWere(t *testing.T) {
	fittest.Keep(t, "machines", fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 4, Recipes: []string{
			"sparse-lap-rls --tune none", "sparse-lap-rls --tune none repair=none",
			"sparse-lap-rls --tune none repair=sigmoid", "sparse-lap-rls --tune none repair=sigmoid sharpness=1",
			"sparse-lap-rls --tune none repair=greedy-slack", "sparse-lap-rls --tune none repair=decoupled",
			"sparse-lap-rls --tune none repair=none loss=logistic",
			"sparse-lap-rls --tune none repair=none loss=squared-hinge", "sparse-lap-rls --tune none --basis 5",
			"sparse-lap-rls --tune none --basis 5 choose=greedy", "sparse-lap-rls --tune none --basis 6 choose=random",
			"sparse-lap-rls --tune none --basis 6 choose=lasso", "sparse-lap-rls --tune none --basis 5 choose=leverage",
			"sparse-lap-rls --tune none gamma_i=0.1 gamma_a=0.01", "sparse-lap-rls --tune none nu=0.5",
			"sparse-lap-rls --tune none nu=0.1 repair=decoupled", "sparse-lap-rls --tune none neighbours=4 degree=1",
			"sparse-lap-rls --tune none laplacian=combinatorial", "sparse-lap-rls --tune none --class-weight balanced",
			"sparse-lap-rls --tune none --offset no", "sparse-lap-rls --tune none repair=greedy-slack --basis 4",
			"sparse-lap-rls --tune none intrinsic_scale=none gamma_i=0.01", "sparse-lap-rls --tune none loss=logistic",
			"sparse-lap-rls --tune none repair=decoupled loss=logistic", "sparse-lap-rls",
			"sparse-lap-rls repair=sigmoid --budget 2", "sparse-lap-rls --tune kfold:2 --budget 2",
		}},
		fittest.On{Spec: "iris", Each: 4, Recipes: []string{
			"sparse-lap-rls --tune none", "sparse-lap-rls --tune none repair=none",
			"sparse-lap-rls --tune none repair=decoupled", "sparse-lap-rls --tune none repair=sigmoid",
		}},
		fittest.On{Spec: "sinc:n=36", Recipes: []string{
			"sparse-lap-rls --tune none", "sparse-lap-rls --tune none repair=none",
		}},
	))
}

// TestFitsStopWhereTheyAsk: a fit that is stopped at any place says so, or keeps the best so far.
func TestFitsStopWhereTheyAsk(t *testing.T) {
	fittest.Stopped(t, fittest.Cases(t,
		fittest.On{Spec: "iris", Each: 4, Recipes: []string{
			"sparse-lap-rls --tune none loss=logistic", "sparse-lap-rls --tune none loss=squared-hinge repair=none",
			"sparse-lap-rls --tune kfold:2 --budget 2",
			"sparse-lap-rls --tune none repair=sigmoid loss=logistic",
		}},
		fittest.On{Spec: "two-moons:n=30,noise=0.3", Each: 4, Recipes: []string{
			"sparse-lap-rls --tune none", "sparse-lap-rls --tune none repair=none",
			"sparse-lap-rls --tune none repair=sigmoid", "sparse-lap-rls --tune none repair=greedy-slack",
			"sparse-lap-rls --tune none repair=decoupled", "sparse-lap-rls --budget 2",
		}},
	))
}
