package cli

import (
	"strings"
	"testing"
)

// TestOneEngine: a variable that asks for an engine that is gone ends the program with one line.
func TestOneEngine(t *testing.T) {
	t.Setenv("MERCER_BLAS", "openblas")
	code, stdout, stderr := beside("fit", "rows.csv", "-o", "rows.mercer")
	if code != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "unset the variable") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
}
