package model_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// TestNearestOfFarRows: distances whose squares are no numbers are numbers all the same, and other rows have theirs as before.
func TestNearestOfFarRows(t *testing.T) {
	centres := mat.NewDense(3, 2, []float64{0, 5, 1e150, 0, -1, 4})
	rows := mat.NewDense(4, 2, []float64{0, 1, 3e200, 4e200, -1e160, 0, math.MaxFloat64, -math.MaxFloat64})
	want := [][]model.Neighbour{
		{{Centre: 2, Distance: math.Sqrt(10)}, {Centre: 0, Distance: 4}, {Centre: 1, Distance: 1e150}},
		{{Centre: 0, Distance: 5e200}, {Centre: 1, Distance: 5e200}, {Centre: 2, Distance: 5e200}},
		{{Centre: 0, Distance: 1e160}, {Centre: 2, Distance: 1e160}, {Centre: 1, Distance: 1e160 + 1e150}},
		{{Centre: 0, Distance: math.MaxFloat64}, {Centre: 1, Distance: math.MaxFloat64}, {Centre: 2, Distance: math.MaxFloat64}},
	}
	m := &model.Model{Task: data.Regression, Columns: 2, Scaling: data.Scaling{Kind: data.ScaleNone}}
	for _, isSparse := range []bool{false, true} {
		x, c := data.Rows{Dense: mat.DenseCopyOf(rows)}, data.Rows{Dense: centres}
		if isSparse {
			x, c = data.Rows{Sparse: data.CSRFromDense(rows)}, data.Rows{Sparse: data.CSRFromDense(centres)}
		}
		list, err := m.Nearest(t.Context(), x, c, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i, of := range want {
			for q, n := range of {
				if got := list[i][q]; got.Centre != n.Centre || math.Abs(got.Distance-n.Distance) > 1e-9*n.Distance {
					t.Errorf("row %d, neighbour %d, sparse %v: %+v, want %+v", i, q, isSparse, got, n)
				}
			}
		}
		if isSparse && !mat.Equal(x.Sparse.ToDense(), rows) || !isSparse && !mat.Equal(x.Dense, rows) {
			t.Error("the rows are changed")
		}
	}
}

// TestNearestOfOtherColumns: rows that have other columns than the centres are near none of them.
func TestNearestOfOtherColumns(t *testing.T) {
	for _, csr := range []bool{false, true} {
		m := sample(csr)
		_, scaled, err := m.Centres()
		if err != nil {
			t.Fatal(err)
		}
		list, err := m.Nearest(t.Context(), form(normal(2, 4, 1), csr), scaled, 1)
		if err == nil || !strings.Contains(err.Error(), "the new rows have 4 columns, the training rows 3") {
			t.Errorf("sparse %v: %v, error %v", csr, list, err)
		}
	}
}
