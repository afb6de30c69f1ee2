package trypage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/try/trypage"
)

// TestBuildStopsAtTheFirstFault: a part that cannot be written, or that is not there, is named in the error, and nothing is built after it.
func TestBuildStopsAtTheFirstFault(t *testing.T) {
	for _, part := range []string{"index.html", "worker.js", "wasm_exec.js"} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, part), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := trypage.Build(t.Context(), "../../..", dir); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("with a folder called %s: %v", part, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "mercer.wasm.gz")); err == nil {
			t.Errorf("with a folder called %s a program was built", part)
		}
	}
	if _, err := trypage.Build(t.Context(), t.TempDir(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "index.html") {
		t.Errorf("without the files of the page: %v", err)
	}
}
