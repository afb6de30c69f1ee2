package read

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
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
