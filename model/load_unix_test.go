//go:build unix

package model_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/model"
)

// A pipe that gives nothing is waited for no longer than the context says.
func TestSilentPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // a file of this test
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteString("mercer model 3\n"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := model.Load(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a silent pipe gives %v", err)
	}
}
