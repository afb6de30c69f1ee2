package explain_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/explain"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/fittest"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// tabled is a table of words, dates, numbers and what is missing.
func tabled(t *testing.T) *data.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.csv")
	text := "town,when,size,ok,price\nUlm,2024-01-05,3,yes,10.5\nBonn,2024-02-07,4,no,12.25\nUlm,2024-03-09,,yes,11\n" +
		"Kiel,2023-12-31,6,no,15.5\nUlm,2024-02-29,2,yes,9\nBonn,2024-05-01,5,,13.75\nKiel,2024-04-11,7,no,16.5\n,2024-06-30,3,yes,10\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	set, _, err := read.Open(t.Context(), path, read.Options{Prepare: true, Missing: true})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestExplanationsAreAsTheyWere: all that is said of rows, by models made by hand and by fits, with training rows and without.
func TestExplanationsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	add := func(name string, e *explain.Explainer, err error, rows data.Rows) {
		if err != nil {
			p.Add(name, err.Error())
			return
		}
		x, err := e.Row(t.Context(), rows)
		if err != nil {
			p.Add(name, err.Error())
			return
		}
		p.Add(name)
		p.Object("  ", x, 3)
	}
	for i, k := range kernels {
		for j, s := range scalings {
			classes, isSparse := [][]string{nil, {"x", "y"}, {"x", "y", "z"}}[(i+j)%3], (i+j)%2 == 1
			m := machine(k, s, isSparse, classes, j%2 == 1)
			rows := data.Rows{Dense: cloud(1, 3, uint64(i+1))}
			if isSparse {
				rows.Dense.Set(0, 1, 0)
				rows = data.Rows{Sparse: data.CSRFromDense(rows.Dense)}
			}
			o := explain.Options{Top: 1 + i%4, Reference: []string{"", explain.Mean, explain.Median}[j%3]}
			if classes != nil && i%2 == 0 {
				o.Class = classes[0]
			}
			e, err := explain.New(t.Context(), m, o)
			add(fmt.Sprintf("%T, %s, sparse %v, %d classes", k, s.Kind, isSparse, len(classes)), e, err, rows)
		}
	}
	for _, c := range fittest.Cases(t,
		fittest.On{Spec: "iris", Each: 6, Recipes: []string{
			"rls --tune none", "svm --tune none", "linear-svm --tune none", "lap-rls --tune none", "nadaraya-watson --tune none",
			"rls --tune none --basis 4",
			"co-rls --tune none --view sepal=1..2 --view petal=3..4", "rls --tune none --kernel ard-linear", "rls",
		}},
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 5,
			Recipes: []string{"svm --tune none", "rls --tune none --decide balanced", "harmonic --tune none"}},
		fittest.On{Spec: "sinc:n=30", Recipes: []string{"svr --tune none", "rls --tune none --scale standard", "rls"}},
	) {
		m, _, err := fit.Fit(t.Context(), c.In, c.Recipe, mercer.Options{})
		if err != nil {
			p.Add(c.Name, err.Error())
			continue
		}
		for _, o := range []explain.Options{{Top: 3}, {Top: 2, Training: c.In.Set, Reference: explain.Mean},
			{Class: "1", Training: c.In.Set}} {
			e, err := explain.New(t.Context(), m, o)
			row := c.In.Set.Rows.Select([]int{17})
			add(fmt.Sprintf("%s, class %q, reference %q, training rows %v", c.Name, o.Class, o.Reference, o.Training != nil), e, err, row)
			if o.Training == nil {
				near := mat.DenseCopyOf(row.Dense)
				near.Set(0, 0, near.At(0, 0)+0.25)
				add("  a row that is none of these", e, err, data.Rows{Dense: near})
			}
		}
	}
	table := tabled(t)
	for _, text := range []string{"rls", "linear-rls", "rls --tune none --scale none"} {
		m, _, err := fit.Fit(t.Context(), mercer.Input{Set: table}, fittest.Asked(t, text), mercer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []explain.Options{{}, {Top: 2, Reference: explain.Mean, Training: table}, {Training: table}} {
			e, err := explain.New(t.Context(), m, o)
			for _, i := range []int{0, 5} {
				add(
					fmt.Sprintf("a table by %s, reference %q, training rows %v", text, o.Reference, o.Training != nil),
					e,
					err,
					table.Rows.Select([]int{i}),
				)
			}
		}
	}
	p.Compare(t, "explanations")
}
