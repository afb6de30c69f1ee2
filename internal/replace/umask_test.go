//go:build unix

package replace_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mercer-ml/mercer/internal/replace"
)

// TestUmask: a new file is kept from whom the umask names, from its first byte on; one that is replaced keeps its permissions.
func TestUmask(t *testing.T) {
	dir := t.TempDir()
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	for umask, want := range map[int]os.FileMode{0: 0o644, 0o022: 0o644, 0o027: 0o640, 0o077: 0o600} {
		syscall.Umask(umask)
		path := filepath.Join(dir, want.String()[1:])
		for _, mode := range []os.FileMode{want, 0o604, 0o440, 0o666} {
			if _, err := os.Stat(path); err == nil {
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
			}
			err := replace.File(path, func(w io.Writer) error {
				parts, err := filepath.Glob(filepath.Join(dir, ".*.tmp"))
				if err != nil || len(parts) != 1 {
					t.Fatalf("files beside the target: %v, %v", parts, err)
				}
				if info, err := os.Stat(parts[0]); err != nil || info.Mode().Perm() != mode {
					t.Errorf("umask %03o: while it is written it has %v, %v, want %v", umask, info.Mode(), err, mode)
				}
				_, err = io.WriteString(w, "text")
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
				t.Errorf("umask %03o: %v, %v, want %v", umask, info.Mode(), err, mode)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
