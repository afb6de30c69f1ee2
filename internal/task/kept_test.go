package task_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fittest"
	"github.com/mercer-ml/mercer/internal/task"
)

// TestFitsAreAsTheyWere: what a request makes of rows: folds, weights, kernels, graphs, views, and what is refused.
func TestFitsAreAsTheyWere(t *testing.T) {
	cases := fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 6, Recipes: []string{
			"rls --tune kfold:3", "rls --tune kfold:4 --seed 7", "rls --tune holdout:0.4", "rls --tune kfold:100",
			"rls --tune holdout:0.01", "rls --tune kfold:1", "svm --tune kfold:2:inductive --search random --budget 2",
			"svm --tune holdout:0.3 --search random --budget 2 outer=error",
			"rls --tune loo:smooth-wer --search random --budget 2 rho=3 eta=2",
			"rls --tune loo:smooth-f --search random --budget 2", "rls --tune loo:smooth-error --search random --budget 2",
			"rls --tune cp", "rls --tune aic", "rls --tune bic", "rls --tune gcv", "rls --tune loo:press",
			"svm --tune bound:span --budget 2", "svm --tune bound:xi-alpha --budget 2", "svm --tune none --class-weight 1=3",
			"svm --tune none --class-weight -1=2,1=5", "svm --tune none --class-weight balanced",
			"svm --tune none --class-weight 2=2", "svm --tune none --class-weight 1=0",
			"svm --tune none --class-weight 1=1e400", "rls --decide cost=1=0", "rls --decide cost=7=2",
			"rls --decide rate=1=1.5", "rls --decide rate=0.25", "rls --decide cost=1:4", "rls --decide cost=1:4:2",
			"lap-rls --tune none graph=epsilon epsilon_graph=0.6", "lap-rls --tune none graph=epsilon epsilon_graph=0.001",
			"lap-rls --tune none graph=full", "lap-rls --tune none weights=heat width=0.4",
			"lap-rls --tune none neighbours=60", "lap-rls --tune none laplacian=combinatorial degree=3 symmetry=mean",
			"lap-rls --tune none intrinsic_scale=none gamma_i=0.01", "lap-rls --tune none --view a=1..1 --view b=2..2",
			"lap-rls --tune none --view a=1..3", "lap-rls --tune none --view a=1..1 --view a=2..2",
			"rls --tune none --kernel polynomial degree=2 coef0=0.5", "rls --tune none --kernel linear",
			"rls --tune none --kernel ard-linear", "rls --tune none --kernel laplacian sigma=0.7",
			"rls --tune none --kernel gaussian gamma=2", "rls --tune none --kernel sigmoid",
			"rls --tune none --kernel nothing", "rls --kernel 2*gaussian+linear --tune none weight=0.3",
			"rls --tune none --kernel poly degree=0.5", "rls --tune none --groups auto", "rls balance=0.2,0.8 --tune none",
			"rls balance=0.2,0.9", "rls balance=labels --tune none", "harmonic --class-weight balanced", "rls sigma=-1",
			"rls sigma=1,2", "rls --search grid sigma=0.5,1 lambda=0.01,0.1", "rls --offset yes --tune none",
			"svm --offset no --tune none", "rls --scale minmax --tune none", "rls --scale unit --tune none",
			"rls --scale standard --tune none", "rls --scale tfidf --tune none", "rls --task regression --tune none",
			"svr --tune none", "rls --basis 3 --tune none", "rls --basis 1000 --tune none", "rls --cv 2 --tune none",
			"rls --cv 60",
		}},
		fittest.On{Spec: "iris", Each: 6, Recipes: []string{
			"svm --tune kfold:3 --multiclass one-vs-rest --budget 2", "svm --tune kfold:3 --multiclass one-vs-one --budget 2",
			"rls --tune none balance=0.2,0.3,0.5", "svm --tune none --class-weight 1=2,3=4", "rls --decide cost=1=2,3=5",
			"rls --decide cost=1:2:3", "rls --decide rate=1=0.3", "rls --groups auto --tune none",
			"rls --kernel ard-gaussian --tune none", "rls --tune loo:logloss outer=modlog",
			"svm --tune kfold:3 --budget 2 outer=quartic", "svm --tune kfold:3 --budget 2 outer=mse",
			"svm --tune kfold:3 --budget 2 outer=squared-hinge", "svm --tune kfold:3 --budget 2 outer=logistic",
		}},
		fittest.On{Spec: "sinc:n=36", Recipes: []string{
			"rls --tune kfold:3", "svr --tune holdout:0.25 --budget 2", "rls --task classification",
			"svr --tune none epsilon=0.05", "rls --decide balanced", "svr --class-weight balanced", "rls --tune loo:press",
			"rls --tune loo:error", "lap-rls --tune none neighbours=4",
		}},
		fittest.On{Spec: "iris", Each: 8, Recipes: []string{
			"co-rls --tune none --view a=1..2 --view b=3..4", "co-svm --tune none --view a=1..2 --view b=3..3",
			"co-lap-rls --tune none --view a=1..2 --view b=3..4",
			"co-rls --view a=1..2 --view b=3..4", "co-rls --tune none --view a=1..2 --view b=3..4 --kernel 2*gaussian",
			"co-rls --tune none --view a=1..2 --view b=3..4 --kernel linear",
			"co-rls --tune none --view a=1..2 --view b=3..4 a.sigma=0.5", "co-rls --tune none --view a=1..2 --view b=3..4 c.sigma=0.5",
			"co-svm --view a=1..2 --view b=3..4 --tune kfold:2 --budget 2",
			"co-rls --tune none --view a=1..2 --view b=3..4 sigma=0.7", "co-train --view a=1..2 --view b=3..4 --tune none",
			"lap-rls --view a=1..2 --tune none",
		}},
	)
	lacking := fittest.Cases(t, fittest.On{Spec: "iris", Each: 8, Recipes: []string{
		"co-rls --tune none --view a=1..2 --view b=3..4", "co-svm --tune none --view a=1..2 --view b=3..4",
		"co-lap-rls --tune none --view a=1..2 --view b=3..4",
		"co-train --view a=1..2 --view b=3..4 --tune none", "rls --tune none", "co-rls --view a=1..2 --view b=3..4",
	}})
	cases = append(cases, fittest.Changed(lacking, "views are lacking", func(s *data.Set) {
		x := mat.DenseCopyOf(s.Rows.Dense)
		for i := range s.Rows.Len() {
			for j := range 2 {
				if i%7 == 3 {
					x.Set(i, j, math.NaN())
				} else if i%7 == 5 {
					x.Set(i, 2+j, math.NaN())
				}
			}
		}
		s.Rows = data.Rows{Dense: x}
	})...)
	weighed := fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 9, Recipes: []string{
			"rls --tune none", "svm --tune none", "svm --tune kfold:3 --budget 2", "rls", "logistic --tune none", "lap-rls --tune none",
			"linear-svm --tune none",
			"svm --tune none --class-weight 1=3", "rls --tune none --class-weight balanced", "tsvm --tune none", "rls --tune holdout:0.4",
		}},
		fittest.On{Spec: "sinc:n=30", Recipes: []string{"rls", "svr --tune none", "rls --tune kfold:3"}},
	)
	cases = append(cases, fittest.Changed(weighed, "rows have weights and groups", func(s *data.Set) {
		n := s.Rows.Len()
		s.Weight, s.Group = make([]float64, n), make([]string, n)
		for i := range n {
			s.Weight[i] = 1
			if s.Answers[i] != "" {
				s.Weight[i] = 0.5 + float64(i%4)
			}
			s.Group[i] = []string{"p", "q", "r", "", "s", "t"}[i%6]
		}
	})...)
	rare := fittest.Cases(t, fittest.On{Spec: "two-moons:n=80,noise=0.3", Recipes: []string{
		"rls", "rls --decide balanced --class-weight balanced", "rls --decide cost=1=3 --class-weight 1=2", "rls --decide rate=1=0.9",
		"rls --decide rate=1=0.1", "rls --decide rate=-1=0.1",
		"svm --tune none", "rls --tune kfold:3", "rls --tune holdout:0.3", "one-class --tune none",
	}})
	cases = append(cases, fittest.Changed(rare, "few rows of a class", func(s *data.Set) {
		var some []int
		few := 0
		for i, a := range s.Answers {
			if a == s.Answers[0] {
				if few++; few > 4 {
					continue
				}
			}
			some = append(some, i)
		}
		*s = *s.Select(some)
	})...)
	for _, n := range []int{5, 12, 200} {
		for _, seed := range []uint64{1, 2} {
			in := fittest.Rows(t, "iris", 4)
			cases = append(cases, fittest.Case{
				Name: fmt.Sprintf(
					"a sample of %d, seed %d",
					n,
					seed,
				), In: task.Sample(in, n, seed), Recipe: fittest.Asked(t, "lap-rls --tune none neighbours=3"),
			})
		}
	}
	fittest.Keep(t, "fits", cases)
}

// TestFitsStopWhereTheyAsk: a fit that is stopped at any place says so, or keeps the best so far.
func TestFitsStopWhereTheyAsk(t *testing.T) {
	fittest.Stopped(t, fittest.Cases(t,
		fittest.On{Spec: "iris", Each: 5, Recipes: []string{
			"co-rls --tune none --view a=1..2 --view b=3..4", "co-svm --tune kfold:2 --budget 2 --view a=1..2 --view b=3..4",
			"co-train --tune none --view a=1..2 --view b=3..4",
			"co-lap-rls --tune none --view a=1..2 --view b=3..4", "rls --decide balanced",
		}},
		fittest.On{Spec: "two-moons:n=30,noise=0.3", Each: 5, Recipes: []string{
			"lap-rls --tune none --view a=1..1 --view b=2..2", "svm --tune kfold:2:inductive --search random --budget 2",
			"rls --groups auto --search gradient --budget 3",
		}},
	), "manifold.(*warped).stopped")
}
