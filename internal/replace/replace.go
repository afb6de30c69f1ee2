// Package replace writes files whole or not at all: beside the target, flushed,
// then renamed over it, so that a full disk or an interrupt leaves the old file.
//
// Every file that the program writes and that must not be half written goes through here.
package replace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Part is one file to be written: where, and by whom.
type Part struct {
	Path  string
	Write func(w io.Writer) error
}

// File calls write with a buffered writer and puts what it wrote at path. On any
// error path is untouched and nothing is left beside it. Targets that are not
// regular files (a pipe, /dev/stdout) get it when write has ended well (Held).
func File(path string, write func(w io.Writer) error) error {
	return Files([]Part{{path, write}})
}

// Bytes is File for what is there already.
func Bytes(path string, text []byte) error {
	return File(path, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// Files is File for several that belong together: all are written beside their targets before the
// first is renamed, so that an error of any of them leaves all targets untouched.
func Files(parts []Part) (err error) {
	var staged [][2]string // a file beside a target, and the target
	defer func() {
		if err != nil {
			for _, s := range staged {
				if e := os.Remove(s[0]); !errors.Is(e, os.ErrNotExist) { // renamed already
					err = errors.Join(err, e)
				}
			}
		}
	}()
	for _, p := range parts {
		from, to, err := stage(p)
		if from != "" {
			staged = append(staged, [2]string{from, to})
		}
		if err != nil {
			return err
		}
	}
	for _, s := range staged {
		if err := rename(s[0], s[1]); err != nil {
			return err
		}
	}
	return nil
}

// stage writes a part beside its target and returns where it lies and where it is to go; both
// are empty where it was written directly.
func stage(p Part) (from, to string, err error) {
	path := p.Path
	if info, e := os.Stat(path); e == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return "", "", fmt.Errorf("%s: is a directory; name a file", path)
		}
		f, e := os.OpenFile(path, os.O_WRONLY, 0)
		if e != nil {
			return "", "", e
		}
		return "", "", errors.Join(Held(f, p.Write), f.Close())
	}
	// A link is followed, so that it stays a link.
	if real, e := filepath.EvalSymlinks(path); e == nil {
		path = real
	}
	f, err := beside(path)
	if err != nil {
		return "", "", err
	}
	if err = buffered(f, p.Write); err == nil {
		err = f.Sync()
	}
	return f.Name(), path, errors.Join(err, f.Close())
}

// beside makes a file of a name of its own in the folder of a target. It has the permissions of the target. Where there is none yet, the
// umask of the process holds, as of every new file: what is written may be kept from others, as centres of a model are rows of the data.
func beside(path string) (*os.File, error) {
	mode := os.FileMode(0o644)
	info, missing := os.Stat(path)
	if missing == nil {
		mode = info.Mode().Perm()
	}
	const tries = 10000 // as os.CreateTemp
	for range tries {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.tmp", filepath.Base(path), rand.Uint32()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		switch {
		case errors.Is(err, os.ErrExist):
			continue // another name
		case err != nil || missing != nil:
			return f, err
		}
		if err := f.Chmod(mode); err != nil {
			return nil, errors.Join(err, f.Close(), os.Remove(name))
		}
		return f, nil
	}
	return nil, &os.PathError{Op: "create", Path: path, Err: os.ErrExist}
}

func buffered(f io.Writer, write func(w io.Writer) error) error {
	b := bufio.NewWriterSize(f, 1<<20)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// heldBytes are held in memory, more in a file.
const heldBytes = 4 << 20

// Held calls write and hands what it wrote on to w when it has ended well; otherwise w gets nothing. Until then some
// megabytes are held in memory, and what is more in a file of the folder for temporary files, which is removed.
func Held(w io.Writer, write func(w io.Writer) error) (err error) {
	h := new(held)
	defer func() { err = errors.Join(err, h.remove()) }()
	if err := buffered(h, write); err != nil {
		return err
	}
	if h.file != nil {
		if _, err := h.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(w, h.file); err != nil {
			return err
		}
	}
	_, err = w.Write(h.rest.Bytes())
	return err
}

// held is text in a file, and the rest of it that is not there yet.
type held struct {
	file *os.File // nil: none was needed
	rest bytes.Buffer
}

func (h *held) Write(p []byte) (int, error) {
	if h.rest.Len()+len(p) > heldBytes {
		if h.file == nil {
			var err error
			if h.file, err = os.CreateTemp("", ".mercer.*.tmp"); err != nil {
				return 0, err
			}
		}
		if _, err := h.rest.WriteTo(h.file); err != nil {
			return 0, err
		}
	}
	return h.rest.Write(p)
}

func (h *held) remove() error {
	if h.file == nil {
		return nil
	}
	return errors.Join(h.file.Close(), os.Remove(h.file.Name()))
}
