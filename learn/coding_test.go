package learn_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// Targets decide for their own class, in every coding.
func TestCodeThenDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := learn.Coding{Classes: rapid.IntRange(2, 7).Draw(t, "classes"), Pairs: rapid.Bool().Draw(t, "pairs")}
		class := rapid.SliceOfN(rapid.IntRange(0, c.Classes-1), 1, 20).Draw(t, "class")
		y := c.Code(class)
		if _, cols := y.Dims(); cols != c.Outputs() {
			t.Fatalf("%d columns for %d outputs", cols, c.Outputs())
		}
		if got := c.Decide(y); !c.Pairs && !cmp.Equal(got, class) {
			t.Errorf("one-versus-rest decides %v for %v", got, class)
		}
		if !c.Pairs || c.Classes == 2 {
			return
		}
		// Pairs without the row's class have target 0, a vote for their second
		// class: the row's own has all C-1 of its votes, others at most C-2.
		if got := c.Decide(y); !cmp.Equal(got, class) {
			t.Errorf("one-versus-one decides %v for %v", got, class)
		}
		part := 0
		for i := range class {
			for _, v := range y.RawRowView(i) {
				if v != 0 {
					part++
				}
			}
		}
		if part != len(class)*(c.Classes-1) {
			t.Errorf("%d targets are not zero", part)
		}
	})
}

func TestTiesGoToTheFirstClass(t *testing.T) {
	pairs := learn.Coding{Classes: 3, Pairs: true}
	// A circle: 1 beats 0, 0 beats 2, 2 beats 1; one vote each.
	out := mat.NewDense(2, 3, []float64{1, -1, 1, 1, -1, -1})
	if d := cmp.Diff([]float64{1, 1, 1, 1, 2, 0}, pairs.Scores(out).RawMatrix().Data); d != "" {
		t.Errorf("votes: %s", d)
	}
	if d := cmp.Diff([]int{0, 1}, pairs.Decide(out)); d != "" {
		t.Error(d)
	}
	rest := learn.Coding{Classes: 3}
	if d := cmp.Diff([]int{1}, rest.Decide(mat.NewDense(1, 3, []float64{-1, 2, 2}))); d != "" {
		t.Error(d)
	}
	two := learn.Coding{Classes: 2}
	if d := cmp.Diff([]int{0, 1, 1}, two.Decide(mat.NewDense(3, 1, []float64{-1, 0, 1}))); d != "" {
		t.Error(d)
	}
}

func TestProblem(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(5, 1, []float64{1, 2, 3, 4, 5})}
	p := learn.NewProblem(x, data.Labels{Task: data.Classification, Classes: []string{"a", "b", "c"}, Class: []int{2, -1, 0, 1, -1}})
	if p.Outputs() != 3 || p.OneVersusOne().Outputs() != 3 || p.Coding.Pairs {
		t.Errorf("outputs %d and %d", p.Outputs(), p.OneVersusOne().Outputs())
	}
	if d := cmp.Diff([]int{0, 3}, p.Subset([]int{0, 2})); d != "" {
		t.Error(d)
	}
	want := []float64{0, 1, 1, -1, -1, 0, 1, 0, -1} // pairs (0,1), (0,2), (1,2) of classes 2, 0, 1
	if d := cmp.Diff(want, p.OneVersusOne().Y.RawMatrix().Data); d != "" {
		t.Error(d)
	}
	r := learn.NewProblem(x, data.Labels{Task: data.Regression, Value: []float64{1, 3, 1, 3, 2}})
	if got := r.Spread(); got*got < 0.8-1e-15 || got*got > 0.8+1e-15 {
		t.Errorf("spread %g", got)
	}
	if p.Spread() != 1 {
		t.Error("classes have spread 1")
	}
}
