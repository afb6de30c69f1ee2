//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPictures: files in the folder are read, by their name there or their path; what is elsewhere, is no regular file or is too large is
// refused at once, and the first refusal is a warning.
func TestPictures(t *testing.T) {
	base := t.TempDir()
	folder := filepath.Join(base, "photos")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(folder, "sub"), 0o750))
	content := []byte("\x89PNG\r\n\x1a\nand so on")
	for _, path := range []string{"photos/a.png", "photos/sub/b.png", "secret.png"} {
		must(os.WriteFile(filepath.Join(base, path), content, 0o600))
	}
	large, err := os.Create(filepath.Join(folder, "large.png"))
	must(err)
	must(errors.Join(large.Truncate(mostPicture+1), large.Close()))
	must(syscall.Mkfifo(filepath.Join(folder, "pipe.png"), 0o600))
	must(os.Symlink("../secret.png", filepath.Join(folder, "link.png")))
	must(os.Symlink("/dev/zero", filepath.Join(folder, "zero.png")))
	must(os.Symlink("sub/b.png", filepath.Join(folder, "near.png")))

	var warned []string
	p, err := newPhotographs(folder, func(text string) { warned = append(warned, text) })
	must(err)
	defer p.close() //nolint:errcheck // a folder
	for name, want := range map[string]string{
		"a.png": "", "sub/b.png": "", "./a.png": "", "near.png": "", filepath.Join(folder, "a.png"): "",
		"../secret.png": "not in", filepath.Join(base, "secret.png"): "not in", "link.png": "not in", "zero.png": "not in",
		"/dev/zero": "not in", "pipe.png": "no regular file", "sub": "no regular file", "": "not in",
		"large.png": "it has more than 64 MiB", "absent.png": "no such file", strings.Repeat("x", 5000): "",
	} {
		got, err := p.read(t.Context(), name)
		switch {
		case want == "" && err == nil && bytes.Equal(got, content):
		case len(name) == 5000 && err != nil && len(err.Error()) < 300:
		case want != "" && err != nil && strings.Contains(err.Error(), want):
		default:
			t.Errorf("%.40q: %d bytes, %v, want %q", name, len(got), err, want)
		}
	}
	if len(warned) != 1 {
		t.Errorf("%d warnings: %q", len(warned), warned)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.read(ctx, "pipe.png"); err == nil {
		t.Error("a picture was read after the request had ended")
	}
}
