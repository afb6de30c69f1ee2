package arguments

import (
	"strings"
	"testing"
)

// TestCheckEngine: what named the engine that there is goes on to be accepted, and all else is told in one line what to do.
func TestCheckEngine(t *testing.T) {
	for asked, ok := range map[string]bool{"": true, "go": true, "openblas": false, "auto": false, "Go": false} {
		t.Setenv("MERCER_BLAS", asked)
		err := CheckEngine()
		if (err == nil) != ok {
			t.Errorf("%q: %v", asked, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "unset the variable") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: %v", asked, err)
		}
	}
}
