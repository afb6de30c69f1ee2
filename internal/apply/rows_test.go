package apply_test

import (
	"errors"
	"math"
	"testing"

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
