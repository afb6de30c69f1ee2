package squares

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// A run is the least number of neighbours that have enough rows, for columns as for centres.
func TestRuns(t *testing.T) {
	p := &Plan{Columns: 5, First: []int{0, 7, 14, 21, 28, 60, 61, 81}}
	want := []int{0, 3, 5, 7}
	if got := p.Runs(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	p.Columns, p.Features = 50, Features{Kernel: []byte("{}"), Centres: data.Rows{Dense: mat.NewDense(5, 1, nil)}}
	if got := p.Runs(); !slices.Equal(got, want) {
		t.Errorf("of centres %v, want %v", got, want)
	}
}
