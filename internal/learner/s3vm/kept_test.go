package s3vm_test

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/fittest"
)

// TestMachinesAreAsTheyWere: what the machines that guess labels find, by every loss, with shares of classes and without.
func TestMachinesAreAsTheyWere(t *testing.T) {
	fittest.Keep(t, "machines", fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 4, Recipes: []string{
			"tsvm --tune none", "tsvm --tune none loss=squared-hinge", "tsvm --tune none positive=0.3 C=2",
			"tsvm --tune none --offset no C=5", "cccp-tsvm --tune none", "cccp-tsvm --tune none clip=-0.5 positive=0.6",
			"cccp-tsvm --tune none share_of=decisions C=3", "grad-tsvm --tune none", "grad-tsvm --tune none C=20 sigma=0.4",
			"grad-tsvm --tune none share_of=decisions positive=0.3", "cs3vm --tune none",
			"cs3vm --tune none C=50 sigma=0.4 --offset no", "lds --tune none", "lds --tune none softness=9",
			"lds --tune none softness=0 delta=0.3 neighbours=4", "lds --tune none sigma=0.7 C=3", "da-s3vm --tune none",
			"da-s3vm --tune none loss=hinge", "da-s3vm --tune none loss=square", "da-s3vm --tune none temperature=0.5",
			"da-s3vm --tune none positive=0.7 unlabelled_weight=0.3", "da-s3vm --tune none C=100 sigma=0.3",
			"da-s3vm --tune none loss=hinge C=0.1 --offset no", "graph-density --tune none",
			"graph-density --tune none loss=squared-hinge softness=2", "tsvm --tune none --class-weight 1=3",
			"da-s3vm --tune none --class-weight -1=2", "tsvm --tune kfold:2 --budget 2",
			"da-s3vm --tune loo:logloss --budget 1",
		}},
		fittest.On{Spec: "two-moons:n=16,noise=0.2", Each: 2, Recipes: []string{
			"s3vm-bnb --tune none C=5", "s3vm-bnb --tune none loss=hinge C=5", "s3vm-bnb --tune none tree_order=depth C=5",
			"s3vm-bnb --tune none nodes=5 C=5", "s3vm-bnb --tune none nodes=5 loss=hinge C=50 sigma=0.3",
			"s3vm-bnb --tune none positive=0.4 C=2", "s3vm-bnb --tune none --offset no C=2",
			"s3vm-bnb --tune none --tol 0.1 C=20",
		}},
		fittest.On{Spec: "two-moons:n=60,noise=0.5,seed=2", Each: 5, Recipes: []string{
			"tsvm --tune none C=0.3", "tsvm --tune none loss=squared-hinge C=30 --offset no", "da-s3vm --tune none C=1",
			"da-s3vm --tune none loss=hinge C=5 positive=0.4",
			"da-s3vm --tune none loss=square C=20 unlabelled_weight=2", "da-s3vm --tune none temperature=3 loss=square",
			"da-s3vm --tune none temperature=0.2 loss=hinge",
			"cccp-tsvm --tune none C=20 --offset no", "grad-tsvm --tune none C=0.5 --kernel linear", "cs3vm --tune none --kernel linear",
			"lds --tune none delta=0.8 C=0.2",
			"tsvm --tune none --kernel linear", "da-s3vm --tune none --kernel linear C=3",
			"graph-density --tune none neighbours=5 softness=0", "tsvm --tune none --kernel sigmoid",
			"grad-tsvm --tune none --kernel sigmoid", "da-s3vm --tune none --tol 0.01", "tsvm --tune none --tol 0.1",
			"grad-tsvm --tune none --tol 0.1",
		}},
		fittest.On{Spec: "iris", Each: 3, Recipes: []string{
			"tsvm --tune none", "da-s3vm --tune none", "cccp-tsvm --tune none positive=0.5,0.25,0.25", "lds --tune none",
			"tsvm --tune none --multiclass one-vs-one",
		}},
	))
}

// TestFitsStopWhereTheyAsk: a fit that is stopped at any place says so, or keeps the best so far.
func TestFitsStopWhereTheyAsk(t *testing.T) {
	fittest.Stopped(t, fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=24,noise=0.3", Each: 4, Recipes: []string{
			"tsvm --tune none", "tsvm --tune none loss=squared-hinge", "cccp-tsvm --tune none", "grad-tsvm --tune none",
			"cs3vm --tune none", "lds --tune none", "da-s3vm --tune none", "da-s3vm --tune none loss=hinge",
			"da-s3vm --tune none loss=square", "graph-density --tune none",
		}},
		fittest.On{Spec: "two-moons:n=14,noise=0.2", Each: 2, Recipes: []string{
			"s3vm-bnb --tune none nodes=20",
		}},
	), "dual.undivide")
}
