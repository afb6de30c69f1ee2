package replace_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/replace"
)

func TestFailureKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	put := func(text string, fail error) error {
		return replace.File(path, func(w io.Writer) error {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			return fail
		})
	}
	if err := put("old", nil); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space")
	if err := put("new", full); !errors.Is(err, full) {
		t.Fatalf("error %v, want %v", err, full)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Fatalf("file holds %q after a failed write", got)
	}
	if err := put("new", nil); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "new" {
		t.Fatalf("file holds %q", got)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Fatalf("files left beside: %v", left)
	}
}

func TestLinkStaysALink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symbolic links here")
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Skip("symbolic links are not made here, although no error says so") // of Wine
	}
	err := replace.File(link, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err })
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(real); string(got) != "new" {
		t.Fatalf("linked file holds %q", got)
	}
	if info, _ := os.Stat(real); info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v", info.Mode())
	}
}

// TestHeld: what is held is handed on whole, whether it fits memory or not, or not at all, and leaves no file behind.
func TestHeld(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	line := []byte(strings.Repeat("x", 1<<16-1) + "\n")
	for _, lines := range []int{0, 1, 63, 64, 65, 200} {
		for _, fail := range []error{nil, errors.New("no more")} {
			var out, want bytes.Buffer
			err := replace.Held(&out, func(w io.Writer) error {
				for range lines {
					if _, err := w.Write(line); err != nil {
						return err
					}
					want.Write(line)
				}
				return fail
			})
			if fail != nil {
				want.Reset()
			}
			if !errors.Is(err, fail) || !bytes.Equal(out.Bytes(), want.Bytes()) {
				t.Errorf("%d lines, then %v: %d bytes of %d, %v", lines, fail, out.Len(), want.Len(), err)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("%d lines, then %v: left behind: %v", lines, fail, left)
			}
		}
	}
}
