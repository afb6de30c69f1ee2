package read

// An archive of one table.

import (
	"archive/zip"
	"bufio"
	"context"
	"io"
	"math"
	"os"
	"strings"

	"github.com/mercer-ml/mercer/internal/await"
)

// unzipped is the one file of a zip archive, or the archive itself if it has another number of them, as spreadsheets have, or is damaged.
// An archive that can be read only once is kept in a file.
func unzipped(ctx context.Context, t *plainText, file string) (*plainText, error) {
	var in io.ReaderAt = t.file
	size, whole := t.size, t
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
		in, whole = kept, &plainText{Reader: bufio.NewReaderSize(io.NewSectionReader(kept, 0, size), 1<<16), file: kept, size: size}
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
	return &plainText{Reader: bufio.NewReaderSize(await.Reader(ctx, member), 1<<16)}, nil
}
