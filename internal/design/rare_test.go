package design

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// TestRare: a class is rare below a tenth of the labels, not at it, whichever of the two it is; of three classes none is.
func TestRare(t *testing.T) {
	for _, c := range []struct {
		ones, of, classes int
		want              bool
	}{{10, 100, 2, false}, {9, 100, 2, true}, {90, 100, 2, false}, {91, 100, 2, true}, {1, 10, 2, false}, {0, 10, 2, true},
		{1, 11, 2, true},
		{1, 100, 3, false}} {
		p := &learn.Problem{Task: data.Classification, Classes: make([]string, c.classes), Class: make([]int, c.of)}
		for i := range c.ones {
			p.Class[i] = 1
		}
		if got := Rare(p); got != c.want {
			t.Errorf("%d of %d: rare %v", c.ones, c.of, got)
		}
	}
}
