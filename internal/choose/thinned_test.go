package choose

import (
	"context"
	"math"
	"testing"
)

// TestStackOfMany: of 40 000 rows a stack looks at every second one: what the others hold moves no weight.
func TestStackOfMany(t *testing.T) {
	const many = 40_000
	s := stackable(many, []float64{1, 1.5}, 7)
	before, err := Stack{}.Choose(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < many; i += 2 {
		s.Members[0].LeftOut.Set(i, 0, 1e3*math.Sin(float64(i)))
	}
	after, err := Stack{}.Choose(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(before.Members) != 2 || len(after.Members) != 2 {
		t.Fatalf("%d members, then %d", len(before.Members), len(after.Members))
	}
	for k, m := range before.Members {
		if other := after.Members[k].Weight; other != m.Weight {
			t.Errorf("member %d has the weight %g, then %g", k, m.Weight, other)
		}
	}
}
