package learn_test

import (
	"math"
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

// A problem holds of every labelled row what is known of it, and so does the problem of some of them alone.
func TestProblemOfSomeRows(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(4, 1, []float64{1, 2, 3, 4})}
	p := learn.NewProblem(x, data.Labels{
		Task: data.Classification, Classes: []string{"a", "b", "c"}, Class: []int{2, -1, 0, 1}, Group: []string{"p", "q", "r", "s"},
	})
	p.Weight = []float64{0.5, 2, 4}
	if d := cmp.Diff([]string{"p", "r", "s"}, p.Group); d != "" {
		t.Errorf("groups: %s", d)
	}
	q := p.Only([]int{0, 2})
	for what, c := range map[string]struct{ got, want any }{
		"rows": {q.Rows.Dense.RawMatrix().Data, []float64{1, 4}}, "labelled": {q.Labelled, []int{0, 1}}, "classes": {q.Class, []int{2, 1}},
		"weights": {q.Weight, []float64{0.5, 4}}, "groups": {q.Group, []string{"p", "s"}},
		"targets": {q.Y.RawMatrix().Data, []float64{-1, -1, 1, -1, 1, -1}}, "names": {q.Classes, p.Classes},
		"weights of some": {p.WeightOf([]int{2, 0}), []float64{4, 0.5}}, "weights of all": {p.WeightOf(nil), p.Weight},
		"all": {p.Subset(nil), []int{0, 2, 3}},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	none := p.Only(nil)
	if r, c := none.Y.Dims(); r != 1 || c != 3 || len(none.Labelled) != 0 {
		t.Errorf("of no rows: %d x %d targets of %v", r, c, none.Labelled)
	}
	plain := learn.NewProblem(x, data.Labels{Task: data.Regression, Value: []float64{7, 8, math.NaN(), 9}}).Only([]int{1, 2})
	if plain.Class != nil || plain.Weight != nil || plain.Group != nil || plain.Y.At(0, 0) != 8 || plain.Y.At(1, 0) != 9 ||
		plain.WeightOf([]int{0}) != nil {
		t.Errorf("%+v", plain)
	}
}

// Two classes are one output in either coding, and pairs come in their order.
func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		coding learn.Coding
		want   int
	}{
		{learn.Coding{}, 1}, {learn.Coding{Classes: 2}, 1}, {learn.Coding{Classes: 2, Pairs: true}, 1}, {learn.Coding{Classes: 3}, 3},
		{learn.Coding{Classes: 5}, 5}, {learn.Coding{Classes: 5, Pairs: true}, 10},
	} {
		if got := c.coding.Outputs(); got != c.want {
			t.Errorf("%+v: %d outputs, want %d", c.coding, got, c.want)
		}
	}
	var got [][3]int
	learn.Coding{Classes: 3, Pairs: true}.EachPair(func(o, a, b int) { got = append(got, [3]int{o, a, b}) })
	if d := cmp.Diff([][3]int{{0, 0, 1}, {1, 0, 2}, {2, 1, 2}}, got); d != "" {
		t.Error(d)
	}
	two := learn.Coding{Classes: 2, Pairs: true}
	if d := cmp.Diff([]float64{-1, 1}, two.Code([]int{0, 1}).RawMatrix().Data); d != "" {
		t.Error(d)
	}
	if r, c := (learn.Coding{Classes: 4}).Code(nil).Dims(); r != 1 || c != 4 {
		t.Errorf("%d x %d targets of no rows", r, c)
	}
}
