package read

// An archive of one table.

import (
	"archive/zip"
	"io"
	"math"
	"os"
	"strings"
)

// unzipped reads the one file of a zip archive, nil if it has another number of them, as spreadsheets have, or is damaged. An archive
// that can be read only once is kept in a file meanwhile.
func unzipped(t *plainText, file string) (io.Reader, error) {
	var in io.ReaderAt = t.file
	size := t.size
	if t.file == nil {
		kept, err := os.CreateTemp("", "mercer.*.tmp")
		if err != nil {
			return nil, &Error{File: file, What: "cannot be kept while it is read: " + err.Error(), Remedy: "give a file"}
		}
		_ = os.Remove(kept.Name()) // it goes with the process
		if size, err = io.Copy(kept, t); err != nil {
			_ = kept.Close()
			if isStop(err) {
				return nil, err
			}
			return nil, &Error{File: file, What: "cannot be read: " + err.Error(), Remedy: "give a file"}
		}
		in = kept
	}
	z, err := zip.NewReader(in, size)
	if err != nil {
		return nil, damaged(file, t.file == nil)
	}
	var only *zip.File
	for _, f := range z.File {
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") {
			continue
		}
		if only != nil {
			return nil, damaged(file, t.file == nil)
		}
		only = f
	}
	if only == nil {
		return nil, damaged(file, t.file == nil)
	}
	r, err := only.Open()
	if err != nil {
		return nil, &Error{File: file, What: "a damaged archive: " + err.Error(), Remedy: "make or fetch it again"}
	}
	size = int64(min(only.CompressedSize64, math.MaxInt64))                                         //nolint:gosec // bounded
	if err := tooMuch(file, int64(min(only.UncompressedSize64, math.MaxInt64)), size); err != nil { //nolint:gosec // bounded
		return nil, err
	}
	return &unpacked{Reader: r, file: file, in: func() int64 { return size }}, nil // the archive may say less than it has
}

// damaged is the fault of an archive that is not one table; of a file what follows says it.
func damaged(file string, consumed bool) error {
	if !consumed {
		return nil
	}
	return &Error{File: file, What: "a spreadsheet or a zip archive of several files, not text",
		Remedy: "save the sheet as CSV, or unpack the archive"}
}
