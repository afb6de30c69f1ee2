package columns

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

func TestMediansAndConstants(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(4, 3, []float64{
		1, 5, -2,
		9, 5, -1,
		3, 5, 0,
		2, 5, 40,
	})}
	if got, want := Medians(rows), []float64{2.5, 5, -0.5}; !slices.Equal(got, want) {
		t.Errorf("medians %v, want %v", got, want)
	}
	if got := Constant([]string{"a", "b", "c"}, rows); got != "b" {
		t.Errorf("constant: %q", got)
	}
	if got := Constant([]string{"a", "b", "c"}, rows.Select([]int{1})); got != "" {
		t.Errorf("constant in one row: %q", got)
	}
	many := mat.NewDense(30001, 1, nil)
	for i := range 30001 {
		many.Set(i, 0, float64(i*7919%30001))
	}
	var third []float64 // of 30001 rows every third is looked at
	for i := 0; i < 30001; i += 3 {
		third = append(third, many.At(i, 0))
	}
	slices.Sort(third)
	want := third[len(third)/2]
	if got := Medians(data.Rows{Dense: many})[0]; got != want || len(third)%2 == 0 {
		t.Errorf("the median of 0..30000 by a third of the rows: %g, want %g", got, want)
	}
	many.Set(1, 0, math.NaN())
	e := NewCoder(data.NewTable([]data.Column{{Name: "x", Kind: data.KindNumber}}))
	if e.Complete(data.Rows{Dense: many}); many.At(1, 0) != want {
		t.Errorf("a missing cell became %g, want %g", many.At(1, 0), want)
	}
}

// TestSentinelsOfSomeRows: of 4000 rows each second one is looked at, of fewer all.
func TestSentinelsOfSomeRows(t *testing.T) {
	for n, found := range map[int]int{4000: 0, 3999: 1} {
		x := mat.NewDense(n, 1, nil)
		for i := range n {
			if x.Set(i, 0, float64(i%9)); i%20 == 1 {
				x.Set(i, 0, -999)
			}
		}
		if got := Sentinels([]string{"a"}, data.Rows{Dense: x}, func(string) bool { return true }); len(got) != found {
			t.Errorf("of %d rows: %v", n, got)
		}
	}
}
