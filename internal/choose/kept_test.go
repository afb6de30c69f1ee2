package choose_test

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/fittest"
)

// TestChoicesAreAsTheyWere: what every rule chooses from what was trained.
func TestChoicesAreAsTheyWere(t *testing.T) {
	fittest.Keep(t, "choices", fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 8, Recipes: []string{
			"mobj-rbf --decision cv", "mobj-rbf --decision cv:3", "mobj-rbf --decision validation",
			"mobj-rbf --decision validation:3", "mobj-rbf --decision aic", "mobj-rbf --decision bic",
			"mobj-rbf --decision gcv", "mobj-rbf --decision aic-log", "mobj-rbf --decision bic-log",
			"mobj-rbf --decision aic-cls", "mobj-rbf --decision bic-cls", "mobj-rbf --decision cls-4.34",
			"mobj-rbf --decision vc-bound", "mobj-rbf --decision knee", "mobj-rbf --decision knee-log",
			"mobj-rbf --decision lcurve", "mobj-svm C=0.1,1,10 sigma=0.3,1 --decision cv",
			"mobj-svm C=0.1,1,10 sigma=0.3,1 --decision bic", "mobj-svm C=0.1,1,10 sigma=0.3,1 --decision vc-bound",
			"mobj-svm C=0.1,1,10 sigma=0.3,1 --decision knee", "mobj-svm C=0.1,1,10 sigma=0.3,1 --decision lcurve",
			"mobj-svm C=0.1,1,10 sigma=0.3,1 --decision gcv", "mobj-svm C=0.1,1,10 sigma=0.3,1 --decision validation:4",
			"mobj-svm C=0.1,1,10 sigma=0.3,1 complexity=q-ref", "mobj-svm C=0.1,1,10 sigma=0.3,1 complexity=q-ref-sv",
			"mobj-svm C=0.1,1,10 sigma=0.3,1 complexity=q-norm", "mobj-svm C=0.1,1,10 sigma=0.3,1 complexity=q-rkhs",
			"auto --budget 9", "auto --tune gcv", "auto --tune loo:error", "auto --effort high --budget 12", "rls balance=0.2",
			"lap-rls balance=0.7 --budget 5", "harmonic masses=no", "harmonic balance=0.4",
			"svm per_class=yes --tune kfold:2 --search random --budget 3", "rls --decide balanced", "rls --decide rate=1=0.2",
			"grn --decision bic", "mobj-grn lambda=0.1,1,10 --decision bic", "rofs --decision bic", "rofs --decision gcv",
		}},
		fittest.On{Spec: "iris", Each: 6, Recipes: []string{
			"mobj-rbf --decision cv:3", "mobj-rbf --decision bic", "mobj-svm C=1,10 sigma=0.5,1", "auto --budget 9",
			"rls balance=0.2,0.3,0.5", "rls per_class=yes --search random --budget 4", "lgc balance=0.5,0.25,0.25", "harmonic",
		}},
		fittest.On{Spec: "sinc:n=36", Recipes: []string{
			"mobj-rbf --decision cv", "mobj-rbf --decision aic", "mobj-rbf --decision bic", "mobj-rbf --decision gcv",
			"mobj-rbf --decision aic-log", "mobj-rbf --decision bic-log", "mobj-rbf --decision vc-bound",
			"mobj-rbf --decision knee", "mobj-rbf --decision knee-log", "mobj-rbf --decision lcurve",
			"mobj-rbf --decision validation", "auto --budget 6", "rofs", "grn",
		}},
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Recipes: []string{
			"auto", "auto --cv 2 --budget 4",
		}},
	))
}

// TestFitsStopWhereTheyAsk: a fit that is stopped at any place says so, or keeps the best so far.
func TestFitsStopWhereTheyAsk(t *testing.T) {
	fittest.Stopped(t, fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=30,noise=0.3", Each: 5, Recipes: []string{
			"auto --budget 8", "mobj-svm C=1,4 sigma=0.5,1", "rls balance=0.3", "harmonic",
		}},
		fittest.On{Spec: "iris", Each: 4, Recipes: []string{
			"rls per_class=yes --search random --budget 2",
		}},
	))
}
