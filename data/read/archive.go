package read

// An archive of one table.

import (
	"archive/zip"
	"bufio"
	"io"
	"math"
	"os"
	"strings"
)

// unzipped is the one file of a zip archive, or the archive itself if it has another number of them, as spreadsheets have, or is damaged.
// An archive that can be read only once is kept in a file, which the text holds.
func unzipped(t *plainText, file string) (*plainText, error) {
	var in io.ReaderAt = t.file
	size, whole := t.size, t
	if t.file == nil {
		kept, err := os.CreateTemp("", "mercer.*.tmp")
		if err != nil {
			return nil, &Error{File: file, What: "cannot be kept while it is read: " + err.Error(), Remedy: "give a file"}
		}
		_ = os.Remove(kept.Name()) // it goes with the process
		*t.held = append(*t.held, kept)
		if size, err = io.Copy(kept, t); err != nil {
			if isStop(err) {
				return nil, err
			}
			return nil, &Error{File: file, What: "cannot be read: " + err.Error(), Remedy: "give a file"}
		}
		in, whole = kept, &plainText{Reader: bufio.NewReaderSize(io.NewSectionReader(kept, 0, size), 1<<16), file: kept, size: size,
			held: t.held}
	}
	z, err := zip.NewReader(in, size)
	if err != nil {
		return whole, nil
	}
	var only *zip.File
	for _, f := range z.File {
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") {
			continue
		}
		if only != nil {
			return whole, nil
		}
		only = f
	}
	if only == nil {
		return whole, nil
	}
	r, err := only.Open()
	if err != nil {
		return nil, &Error{File: file, What: "a damaged archive: " + err.Error(), Remedy: "make or fetch it again"}
	}
	size = int64(min(only.CompressedSize64, math.MaxInt64))                                         //nolint:gosec // bounded
	if err := tooMuch(file, int64(min(only.UncompressedSize64, math.MaxInt64)), size); err != nil { //nolint:gosec // bounded
		return nil, err
	}
	member := &unpacked{Reader: r, file: file, in: func() int64 { return size }} // the archive may say less than it has
	*t.held = append(*t.held, r)
	return &plainText{Reader: bufio.NewReaderSize(member, 1<<16), held: t.held}, nil
}
