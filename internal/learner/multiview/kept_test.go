package multiview_test

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fittest"
)

// TestViewsAreAsTheyWere: what machines of several views learn.
func TestViewsAreAsTheyWere(t *testing.T) {
	cases := fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 4, Recipes: []string{
			"co-rls --view a=1..1 --view b=2..2 --tune none", "co-rls --view a=1..1 --view b=2..2 --tune none coupling=0",
			"co-rls --view a=1..1 --view b=2..2 --tune none coupling=5 center=orth",
			"co-rls --view a=1..1 --view b=2..2 --tune none center=double",
			"co-rls --view a=1..1 --view b=2..2 --tune none loss_on=sum",
			"co-rls --view a=1..1 --view b=2..2 --tune none lambda=0.1",
			"co-rls --view a=1..1 --view b=2..2 --tune none --class-weight 1=4",
			"co-rls --view a=1..1 --view b=2..2 --tune none --offset yes",
			"co-rls --view a=1..1 --view b=2..2 --tune none --kernel linear", "co-svm --view a=1..1 --view b=2..2 --tune none",
			"co-svm --view a=1..1 --view b=2..2 --tune none coupling=0",
			"co-svm --view a=1..1 --view b=2..2 --tune none coupling=5 center=orth",
			"co-svm --view a=1..1 --view b=2..2 --tune none center=double",
			"co-svm --view a=1..1 --view b=2..2 --tune none loss_on=sum", "co-svm --view a=1..1 --view b=2..2 --tune none C=3",
			"co-svm --view a=1..1 --view b=2..2 --tune none --class-weight 1=4",
			"co-svm --view a=1..1 --view b=2..2 --tune none --offset yes",
			"co-svm --view a=1..1 --view b=2..2 --tune none --kernel linear",
			"co-logistic --view a=1..1 --view b=2..2 --tune none",
			"co-logistic --view a=1..1 --view b=2..2 --tune none coupling=0",
			"co-logistic --view a=1..1 --view b=2..2 --tune none coupling=5 center=orth",
			"co-logistic --view a=1..1 --view b=2..2 --tune none center=double",
			"co-logistic --view a=1..1 --view b=2..2 --tune none loss_on=sum",
			"co-logistic --view a=1..1 --view b=2..2 --tune none C=3",
			"co-logistic --view a=1..1 --view b=2..2 --tune none --class-weight 1=4",
			"co-logistic --view a=1..1 --view b=2..2 --tune none --offset yes",
			"co-logistic --view a=1..1 --view b=2..2 --tune none --kernel linear",
			"co-lap-rls --view a=1..1 --view b=2..2 --tune none",
			"co-lap-rls --view a=1..1 --view b=2..2 --tune none graphs=views",
			"co-lap-rls --view a=1..1 --view b=2..2 --tune none coupling=2",
			"co-lap-rls --view a=1..1 --view b=2..2 --tune none gamma_a=0.01 gamma_i=0.1",
			"co-lap-rls --view a=1..1 --view b=2..2 --tune none neighbours=4 degree=1",
			"co-lap-rls --view a=1..1 --view b=2..2 --tune none loss_on=sum",
			"co-lap-svm --view a=1..1 --view b=2..2 --tune none",
			"co-lap-svm --view a=1..1 --view b=2..2 --tune none graphs=views",
			"co-lap-svm --view a=1..1 --view b=2..2 --tune none coupling=2",
			"co-lap-svm --view a=1..1 --view b=2..2 --tune none gamma_a=0.01 gamma_i=0.1",
			"co-lap-svm --view a=1..1 --view b=2..2 --tune none neighbours=4 degree=1",
			"co-lap-svm --view a=1..1 --view b=2..2 --tune none loss_on=sum",
			"co-train --view a=1..1 --view b=2..2 --tune none", "co-train --view a=1..1 --view b=2..2 --tune none rounds=2",
			"co-train --view a=1..1 --view b=2..2 --tune none rounds=0",
			"co-train --view a=1..1 --view b=2..2 --tune none added=2",
			"co-train --view a=1..1 --view b=2..2 --tune none added=1,2",
			"co-train --view a=1..1 --view b=2..2 --tune none pool=8 rounds=3",
			"co-train --view a=1..1 --view b=2..2 --tune none loss=hinge",
			"co-train --view a=1..1 --view b=2..2 --tune none loss=logistic",
			"co-train --view a=1..1 --view b=2..2 --tune none loss=squared-hinge", "co-rls --view a=1..1 --view b=2..2",
			"co-rls --view a=1..1 --view b=2..2 --search gradient --budget 4",
			"co-svm --view a=1..1 --view b=2..2 --tune kfold:2 --budget 2", "co-rls --tune none",
			"co-rls --view a=1..1 --tune none",
		}},
		fittest.On{Spec: "iris", Each: 4, Recipes: []string{
			"co-rls --view a=1..2 --view b=3..3 --view c=4..4 --tune none", "co-svm --view a=1..2 --view b=3..4 --tune none",
			"co-lap-rls --view a=1..2 --view b=3..4 --tune none", "co-train --view a=1..2 --view b=3..4 --tune none",
			"co-rls --view a=1..2 --view b=3..4",
		}},
		fittest.On{Spec: "sinc:n=30", Recipes: []string{
			"co-rls --view a=1..1 --view b=1..1 --tune none",
		}},
	)
	sparse := fittest.Cases(t, fittest.On{Spec: "iris", Each: 6, Recipes: []string{
		"co-rls --tune none --view a=1..2 --view b=3..4", "co-svm --tune none --view a=1..2 --view b=3..4",
		"co-logistic --tune none --view a=1..2 --view b=3..4",
		"co-svm --tune none --view a=1..2 --view b=3..4 loss_on=sum", "co-svm --view a=1..2 --view b=3..4 --tune kfold:2 --budget 2",
		"co-train --tune none --view a=1..2 --view b=3..4",
		"co-lap-rls --tune none --view a=1..2 --view b=3..4", "co-rls --tune none --view a=1..2 --view b=3..4 --kernel gaussian",
		"co-logistic --tune none --view a=1..2 --view b=3..4 coupling=0",
	}})
	cases = append(
		cases,
		fittest.Changed(sparse, "sparse rows", func(s *data.Set) { s.Rows = data.Rows{Sparse: data.CSRFromDense(s.Rows.Dense)} })...)
	fittest.Keep(t, "views", cases)
}

// TestFitsStopWhereTheyAsk: a fit that is stopped at any place says so, or keeps the best so far.
func TestFitsStopWhereTheyAsk(t *testing.T) {
	fittest.Stopped(t, fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=24,noise=0.3", Each: 4, Recipes: []string{
			"co-rls --view a=1..1 --view b=2..2 --tune none", "co-svm --view a=1..1 --view b=2..2 --tune none",
			"co-logistic --view a=1..1 --view b=2..2 --tune none", "co-lap-rls --view a=1..1 --view b=2..2 --tune none",
			"co-lap-svm --view a=1..1 --view b=2..2 --tune none", "co-train --view a=1..1 --view b=2..2 --tune none",
			"co-rls --view a=1..1 --view b=2..2 --search gradient --budget 3",
			"co-svm --view a=1..1 --view b=2..2 --tune kfold:2 --budget 2",
		}},
	), "manifold.(*warped).stopped")
}
