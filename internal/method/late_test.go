package method

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"
)

// TestLateEntrants: each of the kernels with a width for each column, of powers one and two, enters a race with the widths that were
// learned for it.
func TestLateEntrants(t *testing.T) {
	in := wide(3, false)
	m, q, err := Read(result.Recipe{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := task.Prepare(t.Context(), in, q, result.Options{}, m.Coding, 0)
	if err != nil {
		t.Fatal(err)
	}
	learned, ok := lateEntrants(p)
	if !ok {
		t.Fatal("no kernels are learned")
	}
	list, err := learned(t.Context(), p.Problem)
	if err != nil {
		t.Fatal(err)
	}
	powers := map[int]bool{}
	for _, e := range list {
		k, ok := e.Kernel.(kernel.ARDRational)
		if !ok || len(k.Sigma) != 3 {
			t.Errorf("a machine of %s has the kernel %v", e.Method, e.Kernel)
			continue
		}
		powers[k.Power] = true
	}
	if !powers[1] || !powers[2] {
		t.Errorf("%d machines with the powers %v", len(list), powers)
	}
}

// TestErrorOf: the share of rows decided wrongly, among those asked for.
func TestErrorOf(t *testing.T) {
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b"}, Class: []int{0, 1, 1, 0, 1}, Labelled: []int{0, 1, 2, 3, 4}}
	out := mat.NewDense(5, 2, []float64{1, 0, 0, 1, 1, 0, 0, 1, 0, 1})
	by := &choose.Choice{Shares: &calibrate.Shares{Linear: 1, Offset: []float64{0, 0}}} // the class with the larger output
	for _, c := range []struct {
		rows []int
		want float64
	}{{[]int{0, 1, 2, 3, 4}, 0.4}, {[]int{2, 3}, 1}, {[]int{0, 4}, 0}, {[]int{1, 2, 3}, 2. / 3}} {
		if got := errorOf(p, by, out, c.rows); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("of rows %v %g are wrong, want %g", c.rows, got, c.want)
		}
	}
}

// TestWidthsOf: widths that are set are a range, or one, and the seed is the recipe's.
func TestWidthsOf(t *testing.T) {
	for _, c := range []struct {
		sigma []float64
		seed  uint64
		want  rbf.Widths
	}{
		{nil, 0, rbf.Widths{Seed: 1}}, {nil, 7, rbf.Widths{Seed: 7}},
		{[]float64{2}, 0, rbf.Widths{Lo: 2, Hi: 2, Steps: -1, Seed: 1, Rule: rbf.Asked}},
		{[]float64{3, 0.5, 2}, 0, rbf.Widths{Lo: 0.5, Hi: 3, Seed: 1, Rule: rbf.Asked}},
	} {
		r := task.Request{Recipe: result.Recipe{Seed: c.seed}, Kernel: map[string][]float64{"sigma": c.sigma}}
		if got := widthsOf(&task.Task{Request: r}); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.sigma, got, c.want)
		}
	}
}

// TestColumnsOfViews: the machine of linear views has an expansion of each view, whose outputs add up to its own on the rows of
// the fit.
func TestColumnsOfViews(t *testing.T) {
	k := machine{id: "co-rls", family: Coupled, baseline: "rls"}
	m, r, err := Read(asked(t, "co-rls --kernel linear --tune none --view a=1..2 --view b=3..3"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := task.Prepare(t.Context(), inputs()["numbers"], r, result.Options{}, m.Coding, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.viewColumns(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	one := c.Members[0].Machine
	if len(one.Views) != 2 || one.Views[0] != 0 || one.Views[1] != 1 || len(one.Expansions) != 2 {
		t.Fatalf("views %v, %d expansions", one.Views, len(one.Expansions))
	}
	n := p.Problem.Rows.Len()
	lists := [][]int{{0, 1}, {2}}
	for i := range n {
		got := 0.0
		for v, e := range one.Expansions {
			for _, col := range lists[v] {
				got += e.Coef.At(0, 0) * e.Centres.Dense.At(0, col) * p.Problem.Rows.Dense.At(i, col)
			}
		}
		if one.B != nil {
			got += one.B[0]
		}
		if want := one.Outputs.At(i, 0); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("row %d: %g by expansions, %g by the machine", i, got, want)
		}
	}
}

// TestFoldsOfLinearViews: linear views without tables are judged by five folds of more than ten labels, and by single rows of ten.
func TestFoldsOfLinearViews(t *testing.T) {
	for labels, want := range map[int]int{10: 0, 11: 5} {
		in, seen := inputs()["numbers"], 0
		for i, a := range in.Set.Answers {
			if a == "" {
				continue
			}
			if seen++; seen > labels {
				in.Set.Answers[i] = ""
			}
		}
		m, r, err := Read(asked(t, "co-rls --kernel linear --view a=1..2 --view b=3..3"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Prepare(t.Context(), in, r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := inFewFolds(p); err != nil || p.Scoring.Folds != want || len(p.Folds) != want {
			t.Errorf("%d labels: %s, %d folds, %v", labels, p.Scoring.Name, len(p.Folds), err)
		}
	}
}
