package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name       string
	content    []byte
	executable bool
}

func (e entry) mode() int64 {
	if e.executable {
		return 0o755
	}
	return 0o644
}

// then is the time of all entries: a fixed one, as the time of a build would make each archive differ.
func then() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// pack makes an archive of files in one folder, and the ending of its name.
func pack(folder string, p platform, files []entry) ([]byte, string, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	for i := range files {
		files[i].name = folder + "/" + files[i].name
	}
	var b bytes.Buffer
	if p.system == "windows" {
		err := zipped(&b, files)
		return b.Bytes(), ".zip", err
	}
	err := tarred(&b, files)
	return b.Bytes(), ".tar.gz", err
}

func tarred(w io.Writer, files []entry) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode(), Size: int64(len(f.content)), ModTime: then(), Format: tar.FormatUSTAR,
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.content); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func zipped(w io.Writer, files []entry) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: then()}
		h.SetMode(fs.FileMode(f.mode())) // which pip reads of programs
		into, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := into.Write(f.content); err != nil {
			return err
		}
	}
	return z.Close()
}
