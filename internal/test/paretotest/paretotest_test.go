package paretotest

import (
	"fmt"
	"testing"
)

// recorder counts complaints.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Errorf(f string, a ...any) { r.said = append(r.said, fmt.Sprintf(f, a...)) }

func TestSuiteFindsFaults(t *testing.T) {
	Check(t, Front{Risk: []float64{3, 2, 1}, Complexity: []float64{0, 1, 5}, Chosen: []bool{false, true, false}})
	for name, f := range map[string]Front{
		"order":     {Risk: []float64{1, 2}, Complexity: []float64{5, 1}},
		"dominated": {Risk: []float64{3, 3.5}, Complexity: []float64{0, 1}},
		"two":       {Risk: []float64{3, 2}, Complexity: []float64{0, 1}, Chosen: []bool{true, true}},
		"none":      {Risk: []float64{3, 2}, Complexity: []float64{0, 1}, Chosen: []bool{false, false}},
	} {
		r := &recorder{TB: t}
		if Check(r, f); len(r.said) == 0 {
			t.Errorf("%s: nothing found", name)
		}
	}
}
