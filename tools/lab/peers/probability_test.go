package peers

import (
	"math"
	"testing"
)

// TestTiesContradictNothing: a label is contradicted by one that is more probable, not by one that is as
// probable.
func TestTiesContradictNothing(t *testing.T) {
	j := judged{
		label:       []string{"a", "a", "b"},
		probability: []map[string]float64{{"a": 0.5, "b": 0.5}, {"a": 0.4, "b": 0.6}, {"a": 0.1, "b": 0.9}},
	}
	loss, against, err := judge(j, []string{"a", "b", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if want := -(math.Log(0.5) + math.Log(0.6) + math.Log(0.9)) / 3; against != 1 || math.Abs(loss-want) > 1e-12 {
		t.Errorf("%d contradicted, log loss %g; want 1, %g", against, loss, want)
	}
}
