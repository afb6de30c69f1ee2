//go:build !unix || solaris || aix

package label

import (
	"errors"
	"io/fs"
	"os"
)

// lock takes a file for this process until held is closed or the process ends. Without flock a second file beside it stands
// for the lock, and is removed where nobody has it open: these systems remove no file that is open. It says whether the
// file was free.
func lock(f *os.File) (held *os.File, free bool, err error) {
	name := f.Name() + ".lock"
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil //nolint:nilerr // another process has it open
	}
	held, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, false, nil
	}
	return held, err == nil, err
}
