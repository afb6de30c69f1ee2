package data

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestBesideAndAppend: columns beside columns and rows below rows, dense and sparse, as written out.
func TestBesideAndAppend(t *testing.T) {
	a, b := dense(2, 2, 1, 2, 3, 4), dense(2, 3, 5, 0, 7, 8, 9, 10)
	beside := mat.NewDense(2, 5, []float64{1, 2, 5, 0, 7, 3, 4, 8, 9, 10})
	a.ID = []int{4, 7}
	if got := a.Beside(b); !mat.Equal(got.Dense, beside) || !slices.Equal(got.ID, a.ID) {
		t.Errorf("dense: %v", mat.Formatted(got.Dense))
	}
	thin := func(r Rows) Rows { return Rows{Sparse: CSRFromDense(r.Dense), ID: r.ID} }
	if got := thin(a).Beside(thin(b)); !mat.Equal(got.Sparse.ToDense(), beside) || !slices.Equal(got.ID, a.ID) {
		t.Errorf("sparse: %v", mat.Formatted(got.Sparse.ToDense()))
	}
	c := dense(1, 2, 0, 6)
	below := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 0, 6})
	for _, pair := range [][2]Rows{{a, c}, {a, thin(c)}, {thin(a), c}, {thin(a), thin(c)}} {
		got, err := pair[0].Append(pair[1])
		if err != nil || got.IsSparse() != pair[0].IsSparse() || got.ID != nil {
			t.Fatalf("%+v: %v", got, err)
		}
		m := got.Dense
		if got.IsSparse() {
			m = got.Sparse.ToDense()
		}
		if !mat.Equal(m, below) {
			t.Errorf("appended: %v", mat.Formatted(m))
		}
	}
	for _, pair := range [][2]Rows{{a, b}, {thin(a), b}, {a, thin(b)}} {
		if _, err := pair[0].Append(pair[1]); err == nil ||
			err.Error() != "rows of 3 columns cannot follow rows of 2; give both sets the same columns" {
			t.Errorf("rows of another width: %v", err)
		}
	}
	if got, err := thin(a).Append(thin(b)); err != nil || got.Dim() != 3 || got.Len() != 4 {
		t.Errorf("the wider of two sparse sets: %d columns, %v", got.Dim(), err)
	}
	for _, pair := range [][2]Rows{{{}, a}, {a, {}}} {
		if got, err := pair[0].Append(pair[1]); err != nil || got.Dense != a.Dense || got.ID != nil {
			t.Errorf("nothing appended: %+v, %v", got, err)
		}
	}
}

// TestCheckNamesTheCell: the first value that is not finite is named by its row and column, of sparse rows too.
func TestCheckNamesTheCell(t *testing.T) {
	m := mat.NewDense(2, 3, []float64{0, 1, 2, 0, 0, math.Inf(1)})
	for _, r := range []Rows{{Dense: m}, {Sparse: CSRFromDense(m)}} {
		if err := r.Check(); err == nil || !strings.HasPrefix(err.Error(), "row 1, column 2 is +Inf;") {
			t.Errorf("sparse %t: %v", r.IsSparse(), err)
		}
	}
	if err := dense(1, 2, 1, -1e308).Check(); err != nil {
		t.Error(err)
	}
}
