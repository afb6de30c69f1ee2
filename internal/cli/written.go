package cli

import (
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/replace"
)

// ofArrow says whether a name ends as a format that mercer-arrow writes.
func ofArrow(path string) bool {
	return slices.Contains([]string{".parquet", ".pq", ".arrow", ".feather", ".arrows", ".ipc"}, filepath.Ext(strings.ToLower(path)))
}

// asCSV refuses a name of CSV that promises another format.
func asCSV(flag, path string) error {
	others := []string{".xlsx", ".xlsm", ".xls", ".ods", ".json", ".jsonl", ".ndjson", ".arff", ".svm", ".libsvm", ".svmlight", ".zip",
		".zst", ".bz2", ".xz"}
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	if slices.Contains(others, filepath.Ext(name)) || ofArrow(name) {
		return usage("%s %s: CSV is written, which its ending does not say; end it in .csv or .csv.gz", flag, path)
	}
	return nil
}

// asTable is asCSV where further formats are written too.
func (p Program) asTable(flag, path string) error {
	switch err := asCSV(flag, path); {
	case err == nil, p.writer(path) != nil:
		return nil
	case ofArrow(path):
		return usage("%s %s: mercer-arrow writes that format, the same program with more of them (docs/exchange.md); use it, or end the "+
			"name in .csv", flag, path)
	default:
		return err
	}
}

// writable says before the work starts whether a file can be put at path, which
// a flag names, so that a long fit is not lost to a wrong name. It leaves nothing behind.
func writable(flag, path string, inputs ...string) error {
	if path == "" || path == standard {
		return nil
	}
	if path[0] == '-' {
		return usage("%s %s: looks like a flag; name a file, as in %s ./%s", flag, path, flag, path)
	}
	if err := noFolder(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil // a pipe or device
	}
	for _, in := range inputs {
		if sameFile(path, in) {
			return usage("%s %s: would replace the input; name another file", flag, path)
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".mercer.*.tmp")
	if errors.Is(err, fs.ErrNotExist) {
		return &fault{file: path, what: "its folder does not exist; make it, or name another file"}
	}
	if err != nil {
		return named(err, path, nil)
	}
	return named(errors.Join(f.Close(), os.Remove(f.Name())), path, nil)
}

// sameFile says whether two names are of one file, which need not be there yet.
func sameFile(a, b string) bool {
	if a == "" || b == "" || a == standard || b == standard {
		return false
	}
	one, err := os.Stat(a)
	other, wrong := os.Stat(b)
	if err == nil && wrong == nil {
		return os.SameFile(one, other)
	}
	a, b = placeOf(a), placeOf(b)
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" { // where names differ by more than capitals
		return strings.EqualFold(a, b)
	}
	return a == b
}

// placeOf is the path of a file from the root, without the links on its way.
func placeOf(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// putTable writes a table to a file, packed where its name ends in .gz.
func putTable(path string, write func(w io.Writer) error) error {
	if strings.EqualFold(filepath.Ext(path), ".gz") {
		plain := write
		write = func(w io.Writer) error {
			z := gzip.NewWriter(w)
			return errors.Join(plain(z), z.Close())
		}
	}
	return replace.File(path, write)
}
