package kept

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// heard notes what a test would complain of.
type heard struct {
	testing.TB
	said []string
}

func (h *heard) Helper() {}

func (h *heard) Errorf(format string, args ...any) {
	h.said = append(h.said, fmt.Sprintf(format, args...))
}

// TestText: every line that differs is told, unless a function takes it for the same; a line too many is
// told, and of what follows it only the first.
func TestText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now  string
		same func(was, now string) bool
		says []string
	}{
		{"one\ntwo\nthree\n", nil, nil},
		{"one\nTwo\nThree\n", nil, []string{"line 2 is\nTwo\nand was\ntwo", "line 3 is"}},
		{"one\nTwo\nThree\n", strings.EqualFold, nil},
		{"one\n2\nThree\n", strings.EqualFold, []string{"line 2 is"}},
		{"one\ntwo\n", nil, []string{"2 lines, were 3"}},
		{"zero\none\ntwo\nthree\n", nil, []string{"4 lines, were 3", "line 1 is"}},
	} {
		h := &heard{TB: t}
		if c.same == nil {
			Text(h, path, c.now)
		} else {
			Text(h, path, c.now, c.same)
		}
		if len(h.said) != len(c.says) {
			t.Errorf("%q: %q", c.now, h.said)
			continue
		}
		for i, part := range c.says {
			if !strings.Contains(h.said[i], part) {
				t.Errorf("%q: %q, want %q in it", c.now, h.said[i], part)
			}
		}
	}
}
