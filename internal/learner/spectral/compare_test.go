package spectral

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestRandOfKnownTables(t *testing.T) {
	for _, c := range []struct {
		a, b           []int
		rand, matching float64
	}{
		{[]int{0, 0, 1, 1}, []int{1, 1, 0, 0}, 1, 0},
		{[]int{0, 0, 1, 2}, []int{0, 0, 1, 1}, 0.5714285714285714, 0.25}, // as scikit-learn's example
		{[]int{0, 0, 0, 0}, []int{0, 1, 2, 3}, 0, 0.75},
		{[]int{0, 0, 0}, []int{0, 0, 0}, 1, 0},
	} {
		if r := Rand(c.a, c.b); math.Abs(r-c.rand) > 1e-15 {
			t.Errorf("%v, %v: %g, want %g", c.a, c.b, r, c.rand)
		}
		if m := Matching(c.a, c.b); math.Abs(m-c.matching) > 1e-15 {
			t.Errorf("%v, %v: error %g, want %g", c.a, c.b, m, c.matching)
		}
	}
}

// The index by counting pairs, the matching by trying all maps.
func TestComparisonsAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		k := rapid.IntRange(1, 4).Draw(t, "k")
		draw := func(name string) []int { return rapid.SliceOfN(rapid.IntRange(0, k-1), n, n).Draw(t, name) }
		a, b := draw("a"), draw("b")
		var both, left, right, all float64
		for i := range n {
			for j := range i {
				x, y := a[i] == a[j], b[i] == b[j]
				all++
				if x {
					left++
				}
				if y {
					right++
				}
				if x && y {
					both++
				}
			}
		}
		expected := left * right / all
		want := 1.0
		if most := (left + right) / 2; most != expected {
			want = (both - expected) / (most - expected)
		}
		if got := Rand(a, b); math.Abs(got-want) > 1e-12 {
			t.Fatalf("adjusted Rand %g, want %g", got, want)
		}
		best := 0
		var try func(taken, hits, part int)
		try = func(taken, hits, part int) {
			if part == k {
				best = max(best, hits)
				return
			}
			for to := range k {
				if taken&(1<<to) != 0 {
					continue
				}
				h := 0
				for i := range n {
					if a[i] == part && b[i] == to {
						h++
					}
				}
				try(taken|1<<to, hits+h, part+1)
			}
		}
		try(0, 0, 0)
		if got := Matching(a, b); math.Abs(got-(1-float64(best)/float64(n))) > 1e-12 {
			t.Fatalf("error %g, want %g", got, 1-float64(best)/float64(n))
		}
	})
}
