package dual

import (
	"slices"
	"testing"
)

// TestRoomForLaterWidths: the room that the first shape of a store takes is that of every narrower one: none of them moves it, and
// none takes more than the limit.
func TestRoomForLaterWidths(t *testing.T) {
	for _, limit := range []int64{4000, 4004, 1 << 16} { // bytes
		const rows, widest = 300, 300
		s := newStore(nil, make([]int, rows), nil, widest, limit, nil)
		s.shape(1)
		room := &s.buf[:1][0]
		if most := min(limit/4, rows*widest); int64(cap(s.buf)) != most {
			t.Errorf("%d bytes: room for %d values, want %d", limit, cap(s.buf), most)
		}
		for width := widest - 1; width > 0; width-- {
			s.reset(nil, width)
			s.shape(1)
			if &s.buf[:1][0] != room {
				t.Fatalf("%d bytes: moved for a width of %d", limit, width)
			}
			if want := int(min(rows, limit/int64(4*width))); s.slots != want || len(s.buf) != want*width {
				t.Fatalf("%d bytes: %d rows of a width of %d, want %d", limit, s.slots, width, want)
			}
		}
	}
}

// TestRoomOfBlock: a set of the size of the last one, or smaller, fills the room that is there, for none is made without need.
func TestRoomOfBlock(t *testing.T) {
	var asked []int
	b := &block[float32]{most: 24, take: func(n int) []float32 {
		asked = append(asked, n)
		return make([]float32, n)
	}}
	for _, n := range []int{16, 16, 8, 24, 16, 24} {
		if b.grow(n); len(b.k) != n*n || b.n != n || len(b.f) != n {
			t.Errorf("%d variables: a matrix of %d values, %d of F", n, len(b.k), len(b.f))
		}
	}
	if !slices.Equal(asked, []int{16 * 16, 24 * 24}) {
		t.Errorf("asked for room of %v values", asked)
	}
}
