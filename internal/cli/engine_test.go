package cli

import (
	"strings"
	"testing"
)

// TestOneEngine: a variable that asks for an engine that is gone ends the program with one line; help is still printed.
func TestOneEngine(t *testing.T) {
	t.Setenv("MERCER_BLAS", "openblas")
	r := run(t, "", "version")
	if r.code != exitUsage || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "unset the variable") {
		t.Errorf("exit %d, %q, %q", r.code, r.stdout, r.stderr)
	}
	if r := run(t, "", "version", "-h"); r.code != exitDone {
		t.Errorf("help: exit %d, %q", r.code, r.stderr)
	}
	t.Setenv("MERCER_BLAS", "go")
	if r := run(t, "", "version"); r.code != exitDone || !strings.Contains(r.stdout, "BLAS: pure Go, ") {
		t.Errorf("exit %d, %q, %q", r.code, r.stdout, r.stderr)
	}
}
