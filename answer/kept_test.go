package answer_test

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/fittest"
)

// TestAnswersAreAsTheyWere: what results say of fits of every kind.
func TestAnswersAreAsTheyWere(t *testing.T) {
	cases := fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=50,noise=0.3", Each: 6, Recipes: []string{
			"lap-rls --budget 6", "lap-rls --tune none", "rls --tune loo:error", "svm --tune kfold:3 --budget 4", "lap-svm --tune none",
			"rls --decide cost=-1=3", "rls --decide rate=1=0.3", "rls --decide balanced", "rls --basis 5", "svm --cv 2 --tune none",
			"lap-rls --tune none --class-weight balanced", "rls balance=0.3", "harmonic", "tsvm --tune none", "lgc", "erm --tune none",
			"logistic --tune none", "auto --budget 8",
		}},
		fittest.On{Spec: "iris", Each: 8, Recipes: []string{
			"rls", "svm --tune none", "svm --tune kfold:3 --budget 2 --decide cost=2=4", "lap-rls --tune none --view sepal=1..2 --view petal=3..4",
			"co-rls --tune none --view sepal=1..2 --view petal=3..4", "linear-svm --tune none", "nadaraya-watson", "rls --tune gcv",
			"l2-svm --tune holdout:0.3 --budget 3", "rls --search gradient --budget 5", "rls per_class=yes --search random --budget 3",
			"rls --kernel ard-gaussian --search gradient --budget 6", "c-lap-rls --tune none",
		}},
		fittest.On{Spec: "sinc:n=40", Recipes: []string{
			"rls", "svr --tune none", "lap-rls --tune none", "rls --tune none --cv 3", "nadaraya-watson", "rls --basis 6",
			"svr --tune kfold:4 --budget 3", "mobj-rbf", "rofs",
		}},
		fittest.On{Spec: "two-moons:n=50,noise=0.3", Recipes: []string{
			"one-class --tune none", "rls", "auto --budget 3", "svm --tune none", "ls-svm --tune loo:error", "mobj-svm C=1,4 sigma=0.5,1",
		}},
		fittest.On{Spec: "two-moons:n=50,noise=0.3", Each: 10, Recipes: []string{"mobj-rbf --decision bic", "mobj-rbf --decision knee"}},
	)
	in := fittest.Rows(t, "two-moons:n=60,noise=0.3", 6)
	in.Test = fittest.Rows(t, "two-moons:n=20,noise=0.3,seed=4", 0).Set
	cases = append(cases, fittest.Case{Name: "test rows", In: in, Recipe: fittest.Asked(t, "lap-rls --tune none")})
	fittest.Keep(t, "answers", cases)
}

// TestFitsStopWhereTheyAsk: a fit that is stopped at any place says so, or keeps the best so far.
func TestFitsStopWhereTheyAsk(t *testing.T) {
	fittest.Stopped(t, fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=30,noise=0.3", Each: 5, Recipes: []string{
			"lap-rls --budget 3", "rls --decide balanced", "svm --cv 2 --tune none", "auto --budget 4", "mobj-rbf",
		}},
		fittest.On{Spec: "sinc:n=30", Recipes: []string{
			"rls --basis 4", "svr --tune kfold:3 --budget 2",
		}},
	))
}
