package text

import "testing"

// TestBytes: counts hold eight bytes for each word of each document and for each document's start, and 64 for each word that is known.
func TestBytes(t *testing.T) {
	c := NewCounts(1)
	if got, want := c.Bytes(), 8*len(c.start); got != want {
		t.Errorf("%d bytes of nothing, want %d", got, want)
	}
	c.Add([]byte("one two two"))
	c.Add([]byte("two three"))
	if got, want := c.Bytes(), 8*4+8*3+64*3; got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}
