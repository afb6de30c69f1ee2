// Package replace writes files whole or not at all: beside the target, flushed,
// then renamed over it, so that a full disk or an interrupt leaves the old file.
package replace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// File calls write with a buffered writer and puts what it wrote at path. On any
// error path is untouched and nothing is left beside it. Targets that are not
// regular files (a pipe, /dev/stdout) are written directly.
func File(path string, write func(w io.Writer) error) (err error) {
	if info, e := os.Stat(path); e == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return fmt.Errorf("%s: is a directory; name a file", path)
		}
		f, e := os.OpenFile(path, os.O_WRONLY, 0)
		if e != nil {
			return e
		}
		return errors.Join(buffered(f, write), f.Close())
	}
	// A link is followed, so that it stays a link.
	if real, e := filepath.EvalSymlinks(path); e == nil {
		path = real
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // the first error is the one to tell; a second Close changes nothing
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	mode := os.FileMode(0o644)
	if info, e := os.Stat(path); e == nil {
		mode = info.Mode().Perm()
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = buffered(f, write); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func buffered(f io.Writer, write func(w io.Writer) error) error {
	b := bufio.NewWriterSize(f, 1<<20)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
