package method

import (
	"github.com/mercer-ml/mercer/internal/brief"
	"testing"
)

// TestBytes: three digits at most, in the unit in which they are few.
func TestBytes(t *testing.T) {
	for b, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1 KiB", 999 << 10: "999 KiB", 1010 << 10: "0.986 MiB", 1010 << 20: "0.986 GiB",
		25<<20 + 1<<17:  "25.1 MiB",
		999<<20 + 1<<19: "0.976 GiB", 3 << 40: "3 TiB", 2000 << 40: "2e+03 TiB",
	} {
		if got := brief.Bytes(b); got != want {
			t.Errorf("%d: %s, want %s", b, got, want)
		}
	}
}
