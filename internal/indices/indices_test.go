package indices

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The values at all places are the list itself, and a place has the value that stands there.
func TestLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Int(), 0, 9).Draw(t, "v")
		all := To(len(v))
		if !slices.IsSorted(all) || !slices.Equal(Of(v, all), v) {
			t.Fatalf("%v of %v", all, v)
		}
		for i := range v {
			if got := Of(v, []int{i, 0}); got[0] != v[i] || got[1] != v[0] {
				t.Fatalf("%v at %d and 0 is %v", v, i, got)
			}
		}
	})
}
