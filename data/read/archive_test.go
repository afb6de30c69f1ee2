package read

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// archive is a zip archive of files, each of them a name and a text; names that end with / are folders.
func archive(t *testing.T, files ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// declaring is an archive of one stored file whose header says how it is packed and how large it is unpacked.
func declaring(t *testing.T, method uint16, unpacked uint64) []byte {
	t.Helper()
	const text = "a,label\n1,x\n"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "t.csv", Method: method, CompressedSize64: uint64(len(text)), UncompressedSize64: unpacked})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestArchives: an archive of one table is this table, from a file and from a pipe; one of several, of none or that is damaged is refused.
func TestArchives(t *testing.T) {
	table := [2]string{"folder/t.csv", "a,label\n1,x\n2,y\n"}
	const spreadsheet = "a spreadsheet or a zip archive, not text; save the sheet as CSV, give .xlsx to mercer-arrow, or unpack the archive"
	whole := archive(t, table)
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"one": {whole, ""}, "one beside folders": {archive(t, [2]string{"folder/"}, table, [2]string{"__MACOSX/t.csv", "x"}), ""},
		"two": {archive(t, table, [2]string{"u.csv", "x"}), spreadsheet}, "none": {archive(t, [2]string{"folder/"}), spreadsheet},
		"a damaged list": {whole[:len(whole)-9], spreadsheet},
		"another packing": {declaring(t, 99, 12),
			"a damaged archive: zip: unsupported compression algorithm; make or fetch it again"},
		"too much": {declaring(t, zip.Store, 1<<40), "times its size"},
	} {
		path := filepath.Join(t.TempDir(), "t.zip")
		if err := os.WriteFile(path, c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{path, "-"} {
			s, _, err := Open(t.Context(), from, Options{Format: FormatCSV, Stdin: bytes.NewReader(c.text)})
			var fault *Error
			switch {
			case c.want == "":
				if err != nil || s.Rows.Len() != 2 || s.Rows.Dense.At(1, 0) != 2 || strings.Join(s.Answers, "") != "xy" {
					t.Errorf("%s from %s: %+v, %v", name, from, s, err)
				}
			case !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want):
				t.Errorf("%s from %s: %v, want %s", name, from, err, c.want)
			}
		}
	}
	_, _, err := Open(t.Context(), "-", Options{Format: FormatCSV, Stdin: broken{bytes.NewReader(whole[:20])}})
	if err == nil || err.Error() != "standard input: cannot be read: the disk is gone; give a file" {
		t.Errorf("a pipe that breaks: %v", err)
	}
}

// opened counts the files without a name that this process has open for archives that came by a pipe.
func opened(t *testing.T) (n int) {
	t.Helper()
	const open = "/proc/self/fd"
	list, err := os.ReadDir(open)
	if err != nil {
		t.Skip("the system does not list open files: ", err)
	}
	for _, f := range list {
		if to, err := os.Readlink(filepath.Join(open, f.Name())); err == nil && strings.HasPrefix(filepath.Base(to), "mercer.") {
			n++
		}
	}
	return n
}

// TestArchivesAreClosed: what is kept of an archive that comes by a pipe is closed when its reading ends, well or not, before the
// collector finds it.
func TestArchivesAreClosed(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := opened(t)
	table := [2]string{"t.csv", "a,label\n1,x\n2,y\n"}
	wide := [2]string{"t.csv", "\xff\xfea\x00,\x00l\x00a\x00b\x00e\x00l\x00\n\x001\x00,\x00x\x00\n\x00"}
	for name, text := range map[string][]byte{
		"one": archive(t, table), "two": archive(t, table, [2]string{"u.csv", "x"}), "UTF-16": archive(t, wide),
		"JSON": archive(t, [2]string{"t.json", `{"a":1,"label":"x"}`}), "another packing": declaring(t, 99, 12),
		"too much": declaring(t, zip.Store, 1<<40), "an archive in it": archive(t, [2]string{"t.zip", string(archive(t, table))}),
		"a faulty row": archive(t, [2]string{"t.csv", "a,label\n1,x\n2\n"}),
	} {
		for _, o := range []Options{{}, {Format: FormatCSV}, {Prepare: true}} {
			o.Stdin = bytes.NewReader(text)
			_, _, _ = Open(t.Context(), "-", o) // TestArchives looks at what is read
			if n := opened(t); n != before {
				t.Errorf("%s: %d files are open, %d were before", name, n, before)
				before = n
			}
		}
		for _, err := range NewStream("-", Options{Stdin: bytes.NewReader(text)}, 1).Batches(t.Context()) {
			_ = err // as above
			break
		}
		if n := opened(t); n != before {
			t.Errorf("%s, ended early: %d files are open, %d were before", name, n, before)
			before = n
		}
	}
}

// TestNowhereToKeep: what can be read only once, and has no place where it could be kept meanwhile, is refused with what to do.
func TestNowhereToKeep(t *testing.T) {
	whole := archive(t, [2]string{"t.csv", "a,label\n1,x\n2,y\n"})
	table := &cellTable{names: []string{"a", "label"}, number: map[string]bool{"a": true}, cells: [][]string{{"1", "x"}, {"2", "y"}}}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "absent"))
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	for _, o := range []Options{
		{Stdin: bytes.NewReader(whole)}, {Formats: []Further{table}, Stdin: strings.NewReader("CELLS of a table")},
		{Prepare: true, Stdin: strings.NewReader("a,label\n1,x\n2,y\n")},
	} {
		_, _, err := Open(t.Context(), "-", o)
		var fault *Error
		if !errors.As(err, &fault) || fault.File != "standard input" || fault.Remedy != "give a file" ||
			!strings.HasPrefix(fault.What, "cannot be kept while it is read: ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
