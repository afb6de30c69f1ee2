package data

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// TestMarkOfNoAnswer: where more than half of the rows have -1 beside the numbers of two classes or more, it may say that they have
// none, and the flag for that is named.
func TestMarkOfNoAnswer(t *testing.T) {
	of := func(minus int, others ...string) Answers {
		return append(slices.Repeat(Answers{"-1"}, minus), slices.Repeat(Answers(others), 6)...)
	}
	for _, c := range []struct {
		raw  Answers
		want string
	}{
		{of(13, "0", "1"), "3 classes; 13 of 25 are -1: if these have no label, --unlabelled-mark -1"},
		{of(12, "0", "1"), "3 classes"},      // half of them
		{of(20, "1"), "2 classes"},           // as they are usually called
		{of(40, "0", "1", "x"), "4 classes"}, // with words
		{of(40, "0", "-2"), "3 classes"},     // and with other numbers below zero
		{of(30, "0", "1", "2", ""), "4 classes; 30 of 48 are -1: if these have no label, --unlabelled-mark -1"},
		{of(0, "0", "1", "2"), "3 classes"},
	} {
		if l := interpret(t, c.raw, "label", TaskAuto); l.Decided != c.want {
			t.Errorf("%d rows of %v: %q, want %q", len(c.raw), c.raw[len(c.raw)-4:], l.Decided, c.want)
		}
	}
}

// TestShapesOfSparseRows: matrices that do not fit one another, and a column that is selected twice, are a fault of the caller in these
// words; one without rows or columns has no numbers.
func TestShapesOfSparseRows(t *testing.T) {
	a, b := CSRFromDense(mat.NewDense(2, 3, []float64{1, 0, 2, 0, 3, 0})), CSRFromDense(mat.NewDense(3, 2, []float64{1, 0, 0, 2, 0, 1}))
	for want, f := range map[string]func(){
		"data: column 1 selected twice":              func() { a.SelectColumns([]int{1, 0, 1}) },
		"data: 3 and 2 columns made narrow together": func() { NarrowCSR(a, b) },
		"data: 3 rows beside 2":                      func() { BesideCSR(a, b) },
		"data: mean of a 2 x 3 and a 3 x 2 matrix":   func() { MeanCSR([]*CSR{a, b}) },
		"data: 2x2 = (2x3)^1 * 2x2":                  func() { a.MulTo(mat.NewDense(2, 2, nil), mat.NewDense(2, 2, nil)) },
		"data: 3x2 = (2x3)^1 * 3x2":                  func() { a.MulTo(mat.NewDense(3, 2, nil), mat.NewDense(3, 2, nil)) },
		"data: 2x1 = (2x3)^1 * 3x2":                  func() { a.MulTo(mat.NewDense(2, 1, nil), mat.NewDense(3, 2, nil)) },
		"data: 2x2 = (2x3)^2 * 3x2":                  func() { a.PowerTo(mat.NewDense(2, 2, nil), mat.NewDense(3, 2, nil), 2) },
		"data: 2x2 = (2x3)^0 * 3x2":                  func() { a.PowerTo(mat.NewDense(2, 2, nil), mat.NewDense(3, 2, nil), 0) },
	} {
		failtest.Panics(t, want, f)
	}
	for _, none := range []*CSR{{C: 3, Start: []int{0}}, {R: 2, Start: []int{0, 0, 0}}} {
		if d := none.ToDense(); !d.IsEmpty() {
			t.Errorf("of %d x %d there is %v", none.R, none.C, d)
		}
	}
}

// TestFewerThanAsked: a generated set that has fewer rows of a class than are to keep their labels says so.
func TestFewerThanAsked(t *testing.T) {
	_, err := Builtin("two-moons:n=20,labelled=11")
	if err == nil || !strings.Contains(err.Error(), "has fewer labels (10) than the 11 a class that were asked for") {
		t.Error(err)
	}
}
