package answer_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/fittest"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// TestAnswersAreAsTheyWere: what results say of fits of every kind.
func TestAnswersAreAsTheyWere(t *testing.T) {
	cases := fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=50,noise=0.3", Each: 6, Recipes: []string{
			"lap-rls --budget 6", "lap-rls --tune none", "rls --tune loo:error", "svm --tune kfold:3 --budget 4", "lap-svm --tune none",
			"rls --decide cost=-1=3", "rls --decide rate=1=0.3", "rls --decide balanced", "rls --basis 5", "rls --basis auto",
			"svm --basis auto --tune none", "rls --decide cost=1=0.2", "svm --cv 2 --tune none",
			"lap-rls --tune none --class-weight balanced", "rls balance=0.3", "harmonic", "tsvm --tune none", "lgc", "erm --tune none",
			"logistic --tune none", "auto --budget 8",
		}},
		fittest.On{Spec: "iris", Each: 8, Recipes: []string{
			"rls", "svm --tune none", "svm --tune kfold:3 --budget 2 --decide cost=2=4",
			"lap-rls --tune none --view sepal=1..2 --view petal=3..4",
			"co-rls --tune none --view sepal=1..2 --view petal=3..4", "linear-svm --tune none", "nadaraya-watson", "rls --tune gcv",
			"l2-svm --tune holdout:0.3 --budget 3", "rls --search gradient --budget 5", "rls per_class=yes --search random --budget 3",
			"rls --kernel ard-gaussian --search gradient --budget 6", "c-lap-rls --tune none",
			"c-lap-rls --tune none neighbours=3,6 degree=1,2",
			"lap-rls --search gradient --budget 3", "lap-rls --tune none graph=epsilon epsilon_graph=0.4",
			"lap-rls combine=yes --tune none neighbours=4,8",
			"lap-svm --tune none weights=heat", "rls --groups auto --search gradient --budget 3",
			"rls --kernel gaussian+linear --tune none",
			"svm --tune none --kernel sigmoid", "rls --tune none --kernel polynomial",
			"co-svm --tune none --view sepal=1..2 --view petal=3..4",
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
	for _, text := range []string{"mobj-rbf", "mobj-svm C=1,4 sigma=0.5,1 --decision knee", "mobj-grn lambda=0.1,1", "rofs"} {
		cases = append(cases, fittest.Case{
			Name: "chosen of a front: " + text, In: fittest.Rows(t, "two-moons:n=50,noise=0.3", 10), Recipe: fittest.Asked(t, text),
		})
	}
	rare := fittest.Rows(t, "two-moons:n=60,noise=0.3", 0)
	few := []int{1, 3, 5, 7}
	for i := range 60 {
		if rare.Set.Answers[i] != rare.Set.Answers[1] {
			few = append(few, i)
		}
	}
	rare.Set = rare.Set.Select(few)
	for _, text := range []string{"rls", "svm --tune kfold:3 --budget 2", "rls --decide balanced", "auto --budget 4"} {
		cases = append(cases, fittest.Case{Name: "a rare class: " + text, In: rare, Recipe: fittest.Asked(t, text)})
	}
	counted := fittest.Rows(t, "sinc:n=60", 0)
	for i, text := range counted.Set.Answers {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		counted.Set.Answers[i] = strconv.Itoa(int(math.Round(20 * v)))
	}
	cases = append(cases, fittest.Case{Name: "numbers that may be classes", In: counted, Recipe: fittest.Asked(t, "rls")})
	fittest.Keep(t, "answers", cases)
}

// TestEvaluationsAreAsTheyWere: measures of rows with known answers, with classes that the model has not seen, and of fits stopped
// meanwhile; answers of graphs and views are described.
func TestEvaluationsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	for _, c := range fittest.Cases(t,
		fittest.On{Spec: "iris", Each: 8, Recipes: []string{"rls", "svm --tune none", "rls --decide cost=2=5", "one-class --tune none"}},
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 8, Recipes: []string{"rls", "svm --tune none", "one-class --tune none"}},
		fittest.On{Spec: "sinc:n=30", Recipes: []string{"rls", "svr --tune none"}},
	) {
		m, _, err := mercer.Fit(t.Context(), c.In, c.Recipe, mercer.Options{})
		if err != nil {
			p.Add(c.Name, err.Error())
			continue
		}
		full, err := data.Builtin(strings.SplitN(c.Name, ", ", 2)[0])
		if err != nil {
			full = c.In.Set
		}
		strange := slices.Clone(full.Answers)
		strange[3], strange[9] = "new", ""
		for i, answers := range []data.Answers{full.Answers, strange, make(data.Answers, len(strange)), full.Answers[:0]} {
			if len(answers) == 0 {
				answers = make(data.Answers, len(strange))
				answers[5] = full.Answers[5]
			}
			metric, n, err := answer.Evaluate(t.Context(), m, full.Rows, answers)
			p.Add(fmt.Sprintf("%s, answers %d", c.Name, i), n, fmt.Sprint(err))
			p.Object("  measures", metric, 9)
		}
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, err = answer.Evaluate(stopped, m, full.Rows, full.Answers)
		p.Add("  stopped", fmt.Sprint(err))
		_, err = m.Drift(stopped, full.Rows)
		p.Add("  stopped", fmt.Sprint(err))
	}
	p.Compare(t, "evaluations")
}

// TestDriftsAreAsTheyWere: what is said of rows like those learned from, of moved ones and of few.
func TestDriftsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	for _, c := range fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=120,noise=0.2", Each: 30,
			Recipes: []string{"rls", "lap-rls --tune none", "svm --tune none", "linear-rls", "rls --basis 5"}},
		fittest.On{Spec: "iris", Recipes: []string{"rls", "svm --tune none", "rls --tune none --scale standard"}},
		fittest.On{Spec: "sinc:n=80", Recipes: []string{"rls", "svr --tune none"}},
	) {
		m, _, err := mercer.Fit(t.Context(), c.In, c.Recipe, mercer.Options{})
		if err != nil {
			t.Fatal(c.Name, err)
		}
		p.Add(c.Name)
		moved := data.Rows{Dense: mat.DenseCopyOf(c.In.Set.Rows.Dense)}
		n, d := moved.Dense.Dims()
		for i := range n {
			moved.Dense.Set(i, d-1, moved.Dense.At(i, d-1)+1.5)
		}
		for i, rows := range []data.Rows{c.In.Set.Rows, moved, moved.Select([]int{0, 1, 2})} {
			what := []string{"the same", "moved", "few"}[i]
			state, err := m.Drift(t.Context(), rows)
			p.Add("  "+what, fmt.Sprint(err))
			p.Object("    "+what, state, 5)
		}
	}
	p.Compare(t, "drifts")
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
