package apply_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/model"
)

// Sparse rows get the zeros that a model of dense rows needs only where memory has room for them.
func TestSuitedRefusesZeros(t *testing.T) {
	const n = 1 << 20
	set := func(columns int) *data.Set {
		return &data.Set{Source: "rows.svm", Rows: data.Rows{Sparse: &data.CSR{R: n, C: columns, Start: make([]int, n+1)}}}
	}
	var fault *read.Error
	_, err := apply.Suited(&model.Model{Columns: math.MaxInt32}, set(3))
	if !errors.As(err, &fault) || fault.File != "rows.svm" {
		t.Errorf("%v", err)
	}
	got, err := apply.Suited(&model.Model{Columns: 3}, set(2))
	if err != nil || got.Rows.IsSparse() || got.Rows.Dim() != 3 || got.Rows.Len() != n {
		t.Errorf("%v", err)
	}
	if got, err = apply.Suited(&model.Model{Columns: math.MaxInt32, Sparse: true}, set(3)); err != nil || got.Rows.Dim() != math.MaxInt32 {
		t.Errorf("%v", err)
	}
}

// A column of names that was asked for must be there; the one that a model knows need not.
func TestNamed(t *testing.T) {
	m := &model.Model{Table: data.NewTable([]data.Column{{Name: "own", Kind: data.KindID}})}
	bare, named := &data.Set{Source: "rows.csv"}, &data.Set{ID: []string{"a"}}
	for _, c := range []struct {
		set  *data.Set
		id   string
		want bool
	}{{bare, "", true}, {bare, "own", true}, {bare, "other", false}, {named, "other", true}} {
		if err := apply.Named(m, c.set, c.id); (err == nil) != c.want {
			t.Errorf("--id %q: %v", c.id, err)
		}
	}
}

// TestMissingViewsOfSparseRows: of a view whose cells are all missing sparse rows store nothing; a view that is missing in part, and rows
// without any view, are refused when they are predicted, as those of dense rows are.
func TestMissingViewsOfSparseRows(t *testing.T) {
	part := func(view string, columns ...int) model.Part {
		w := mat.NewDense(len(columns), 1, []float64{1, 1})
		return model.Part{View: view, Columns: columns, Functions: []model.Function{model.Linear{Weights: w}}}
	}
	none := math.NaN()
	for _, isSparse := range []bool{true, false} {
		m := &model.Model{Task: data.Regression, Columns: 4, Sparse: isSparse, Scaling: data.Scaling{Kind: data.ScaleNone},
			Parts: []model.Part{part("a", 0, 1), part("b", 2, 3)}}
		for _, c := range []struct {
			row  []float64
			want float64
			what string
		}{
			{[]float64{1, 2, 5, 6}, 7, ""}, {[]float64{1, 2, none, none}, 3, ""}, {[]float64{none, none, 5, 6}, 11, ""},
			{[]float64{none, none, none, none}, 0, "the row has no view, "}, {[]float64{1, 2, none, 6}, 0, "some cells of view b are missing "},
			{[]float64{none, 0, none, none}, 0, "some cells of view a are missing "},
		} {
			set := &data.Set{Rows: data.Rows{Dense: mat.NewDense(1, 4, slices.Clone(c.row))}}
			suited, err := apply.Suited(m, set)
			if err != nil || suited.Rows.IsSparse() != isSparse || !slices.EqualFunc(set.Rows.Dense.RawRowView(0), c.row, alike) {
				t.Fatalf("%v became %+v, %v", c.row, suited, err)
			}
			out, err := m.Predict(t.Context(), suited.Rows)
			if c.what != "" && (err == nil || !strings.HasPrefix(err.Error(), c.what)) || c.what == "" && (err != nil || out.At(0, 0) != c.want) {
				t.Errorf("%v, sparse %v: %v, %v", c.row, isSparse, out, err)
			}
		}
	}
	view := data.Rows{Dense: mat.NewDense(2, 1, []float64{none, 7})}
	if got := apply.Form(view, true, []int{0}); !slices.Equal(got.Sparse.Value, []float64{7}) {
		t.Errorf("a view that is all of a file: %v", got.Sparse.Value)
	}
}

// alike are equal numbers, or two that are missing.
func alike(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
