package propagate_test

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/fittest"
)

// TestLabelsAreAsTheyWere: what labels become along graphs of every kind.
func TestLabelsAreAsTheyWere(t *testing.T) {
	fittest.Keep(t, "labels", fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 3, Recipes: []string{
			"harmonic", "harmonic --tune none", "harmonic masses=no --tune none",
			"harmonic --tune none neighbours=3 symmetry=mutual", "harmonic --tune none graph=full",
			"harmonic --tune none graph=epsilon epsilon_graph=0.5", "harmonic --tune none weights=heat width=0.3",
			"harmonic --tune none weights=binary metric=cosine", "harmonic --tune none balance=0.3",
			"harmonic --tune none sigma=0.5", "harmonic --tune kfold:2", "harmonic --tune loo:error", "lgc", "lgc --tune none",
			"lgc --tune none alpha=0.5", "lgc --tune none alpha=0.999 neighbours=5", "lgc --tune kfold:2",
			"lgc balance=labels --tune none", "graph-reg", "graph-reg --tune none", "graph-reg --tune none penalty=0",
			"graph-reg --tune none penalty=0.2 degree=1", "graph-reg --tune none laplacian=combinatorial degree=3",
			"graph-reg --tune holdout:0.5", "sgt", "sgt --tune none", "sgt --tune none cost=50 eigenvectors=6",
			"sgt --tune none eigenvectors=12 degree=2", "sgt --tune none balance=0.3", "sgt --tune kfold:2",
		}},
		fittest.On{Spec: "iris", Each: 3, Recipes: []string{
			"harmonic", "lgc", "graph-reg", "sgt", "harmonic balance=0.2,0.3,0.5", "sgt --tune none cost=100",
			"harmonic --class-weight balanced",
		}},
		fittest.On{Spec: "sinc:n=36", Recipes: []string{
			"harmonic --tune none", "graph-reg --tune none", "lgc --tune none",
		}},
		fittest.On{Spec: "two-moons:n=600,noise=0.1", Each: 5, Recipes: []string{
			"harmonic --tune none", "lgc --tune none", "graph-reg --tune none",
		}},
	))
}

// TestFitsStopWhereTheyAsk: a fit that is stopped at any place says so, or keeps the best so far.
func TestFitsStopWhereTheyAsk(t *testing.T) {
	fittest.Stopped(t, fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=30,noise=0.3", Each: 4, Recipes: []string{
			"harmonic --tune none", "harmonic", "lgc --tune none", "graph-reg --tune none", "sgt --tune none",
		}},
	))
}
