package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"time"

	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/oserror"
	"github.com/mercer-ml/mercer/kernel"
)

// Load reads a model file of any version. A model of kernels that other packages declare is read if own has one of each of their types,
// whatever its values.
func Load(ctx context.Context, path string, own ...kernel.Kernel) (*Model, error) {
	m, err := load(ctx, path, own)
	var damaged *FileError
	var system *fs.PathError
	switch {
	case errors.As(err, &damaged):
		damaged.File = path
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &system):
		return nil, &FileError{path, oserror.Text(system), remedy}
	}
	return m, err
}

const remedy = "give a file that mercer fit -o wrote"

func load(ctx context.Context, path string, own []kernel.Kernel) (*Model, error) {
	f, err := await.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	// A pipe that nothing comes from waits no longer than the context.
	defer context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })() // regular files have no deadline and need none
	return Read(ctx, f, own...)
}

// Read reads a model of any version. Memory stays in proportion to what was read, whatever
// numbers the file announces. Faults of the file are a *FileError that names the part; own is as of Load.
func Read(ctx context.Context, r io.Reader, own ...kernel.Kernel) (*Model, error) {
	s := newStream(ctx, r)
	v, err := s.version()
	if err != nil {
		return nil, err
	}
	h, err := s.header(v)
	if err != nil {
		return nil, err
	}
	m := h.model()
	if err := m.check(); err != nil {
		return nil, err
	}
	if err := s.body(h, m, own); err != nil {
		return nil, err
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	return m, m.bounded(s.count)
}

// version reads the first line.
func (s *stream) version() (int, error) {
	foreign := &FileError{"model", "is not a Mercer model", remedy}
	first := make([]byte, len(magic))
	if err := s.read(first); ended(err) {
		return 0, foreign
	} else if err != nil {
		return 0, err
	}
	if string(first) != magic {
		return 0, foreign
	}
	var line []byte
	for one := first[:1]; ; line = append(line, one[0]) {
		if err := s.full(one); err != nil {
			return 0, in("first line", err)
		}
		if one[0] == '\n' {
			break
		}
		if len(line) == 9 {
			return 0, corrupt("no version in its first line")
		}
	}
	v, err := strconv.Atoi(string(line))
	switch {
	case err != nil || v < 1:
		return 0, corrupt("version %q", line)
	case v > version:
		return 0, &FileError{"model", fmt.Sprintf("has version %d, this program reads up to %d", v, version), "use a newer mercer"}
	}
	return v, nil
}

// header reads the header of version v, in the form of the present version.
func (s *stream) header(v int) (*header, error) {
	word := make([]byte, 8)
	if err := s.full(word); err != nil {
		return nil, in("length of the header", err)
	}
	size := binary.LittleEndian.Uint64(word)
	if size > maxHeader {
		return nil, corrupt("announces a header of %d bytes", size)
	}
	text, err := s.bytes(int(size))
	if err != nil {
		return nil, in("header", err)
	}
	if v < 3 {
		var o old
		if err := json.Unmarshal(text, &o); err != nil {
			return nil, corrupt("header: %v", err)
		}
		return o.renewed(), nil
	}
	h := &header{}
	if err := json.Unmarshal(text, h); err != nil {
		return nil, corrupt("header: %v", err)
	}
	return h, nil
}

// in names the place of a fault.
func in(place string, err error) error {
	var fault *FileError
	if errors.As(err, &fault) {
		fault.What = place + ": " + fault.What
	}
	return err
}

// end reads the check sum, and that nothing follows.
func (s *stream) end() error {
	want := s.sum.Sum(nil)
	got := make([]byte, sha256.Size)
	if err := s.full(got); err != nil {
		return in("check sum", err)
	}
	if !bytes.Equal(got, want) {
		return corrupt("has a wrong check sum")
	}
	switch err := s.read(got[:1]); {
	case ended(err):
		return nil
	case err != nil:
		return err
	}
	return corrupt("goes on behind its check sum")
}
