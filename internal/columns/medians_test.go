package columns

import (
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
	if got := Medians(data.Rows{Dense: many})[0]; got < 14500 || got > 15500 {
		t.Errorf("the median of 0..30000 by a third of the rows: %g", got)
	}
}
