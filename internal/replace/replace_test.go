package replace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// TestFilesTogether: files that belong together are all written before the first takes its place; if one cannot be, none does, and
// nothing is left beside them.
func TestFilesTogether(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error {
			if got, _ := os.ReadFile(a); string(got) == "new" {
				t.Error("a file takes its place before the last is written")
			}
			_, err := io.WriteString(w, s)
			return err
		}
	}
	if err := replace.Bytes(a, []byte("old")); err != nil {
		t.Fatal(err)
	}
	left := func(want ...string) {
		t.Helper()
		var names []string
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			names = append(names, e.Name())
		}
		if strings.Join(names, " ") != strings.Join(want, " ") {
			t.Errorf("in the folder stand %v, want %v", names, want)
		}
	}
	fail := errors.New("no more")
	for want, last := range map[string]replace.Part{
		"no more":                  {Path: b, Write: func(io.Writer) error { return fail }},
		": is a directory; name a": {Path: dir, Write: text("new")},
		"absent":                   {Path: filepath.Join(dir, "absent", "c"), Write: text("new")},
	} {
		err := replace.Files([]replace.Part{{Path: a, Write: text("new")}, last})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if got, _ := os.ReadFile(a); string(got) != "old" {
			t.Errorf("%s: the first file holds %q", want, got)
		}
		left("a")
	}
	if err := os.Mkdir(b, 0o700); err != nil {
		t.Fatal(err)
	}
	// A folder takes the place of the second file while it is written, so that it cannot be renamed: its own text goes, too.
	c := filepath.Join(dir, "c")
	err := replace.Files([]replace.Part{{Path: a, Write: text("newer")},
		{Path: c, Write: func(io.Writer) error { return os.Mkdir(c, 0o700) }}})
	if err == nil || errors.Is(err, fs.ErrNotExist) { // the first is renamed already, and nothing of it is to be removed
		t.Errorf("put in the place of a folder: %v", err)
	}
	left("a", "b", "c")
	if err := os.Remove(c); err != nil {
		t.Fatal(err)
	}
	if err := replace.Files([]replace.Part{{Path: a, Write: text("1")}, {Path: c, Write: text("2")}}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{a: "1", c: "2"} {
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("%s holds %q", path, got)
		}
	}
}

// TestIntoAPipe: a target that is no regular file gets the text once it is whole, and nothing of what was not.
func TestIntoAPipe(t *testing.T) {
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip("skipped: pipes have no names here")
	}
	for _, fail := range []error{nil, errors.New("no more")} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		err = replace.File(fmt.Sprint("/dev/fd/", w.Fd()), func(out io.Writer) error {
			_, _ = io.WriteString(out, "text") // into memory
			return fail
		})
		want := "text"
		if fail != nil {
			want = ""
		}
		_ = w.Close()
		got, errRead := io.ReadAll(r)
		if !errors.Is(err, fail) || errRead != nil || string(got) != want {
			t.Errorf("%q, %v, %v", got, err, errRead)
		}
		_ = r.Close()
	}
}

// TestHeldIsHandedOn: errors of who takes what was held are returned, and so is one of the folder for temporary files.
func TestHeldIsHandedOn(t *testing.T) {
	many := func(lines int) func(w io.Writer) error {
		return func(w io.Writer) error {
			for range lines {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for _, lines := range []int{1, 100} {
		if err := replace.Held(refusing{}, many(lines)); err == nil || err.Error() != "refused" {
			t.Errorf("%d lines: %v", lines, err)
		}
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "absent"))
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	var out bytes.Buffer
	if err := replace.Held(&out, many(10)); err != nil || out.Len() != 10<<16 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
	out.Reset()
	if err := replace.Held(&out, many(100)); !errors.Is(err, fs.ErrNotExist) || out.Len() > 0 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
}

// refusing takes nothing.
type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, errors.New("refused") }
