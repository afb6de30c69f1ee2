//go:build unix

package await_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/await"
)

// TestPipeWithoutWriter: a named pipe that nobody writes to is waited for no longer than the context says, and one
// that somebody writes to is read.
func TestPipeWithoutWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := await.Open(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a pipe without a writer gives %v", err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // a file of this test; lets the wait above go
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	f, err := await.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := w.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 2)
	if n, err := await.Reader(t.Context(), f).Read(p); n != 1 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
