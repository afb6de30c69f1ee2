package task

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
)

func TestWordShare(t *testing.T) {
	table := &data.Table{Columns: []data.Column{
		{Name: "a", Kind: data.KindNumber}, {Name: "b", Kind: data.KindCategory, Levels: []string{"x", "y"}},
		{Name: "c", Kind: data.KindYesNo, Levels: []string{"n", "y"}}, {Name: "d", Kind: data.KindIgnored}, {Name: "e", Kind: data.KindLabel},
		{Name: "f", Kind: data.KindNumber},
	}}
	if got := WordShare(table); got != 0.5 {
		t.Errorf("two of four columns with features are words: share %g", got)
	}
	if got := WordShare(&data.Table{Columns: table.Columns[1:2]}); got != 1 {
		t.Errorf("the only column is of words: share %g", got)
	}
	if WordShare(nil) != 0 || WordShare(&data.Table{}) != 0 {
		t.Error("no table has words")
	}
}
