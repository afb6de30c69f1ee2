package design

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// copies are sets of rows that differ.
type copies []data.Rows

// of returns the copy of rows that is kept, so that expansions over equal rows can be added and are stored once.
func (c *copies) of(r data.Rows) data.Rows {
	for _, known := range *c {
		if equalRows(known, r) {
			return known
		}
	}
	*c = append(*c, r)
	return r
}

// equalRows says whether rows and their numbers are equal.
func equalRows(a, b data.Rows) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if a.RowID(i) != b.RowID(i) {
			return false
		}
	}
	switch {
	case a.Dense != nil && b.Dense != nil:
		return a.Dense == b.Dense || mat.Equal(a.Dense, b.Dense)
	case a.Sparse != nil && b.Sparse != nil:
		return a.Sparse == b.Sparse || a.Dim() == b.Dim() && slices.Equal(a.Sparse.Start, b.Sparse.Start) &&
			slices.Equal(a.Sparse.Index, b.Sparse.Index) && slices.Equal(a.Sparse.Value, b.Sparse.Value)
	}
	return false
}
