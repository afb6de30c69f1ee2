//go:build unix && !solaris && !aix

package label

import (
	"errors"
	"os"
	"syscall"
)

// lock takes a file for this process until it is closed or the process ends, however it ends. It says whether the file
// was free; held, which may be nil, is to be closed with it.
func lock(f *os.File) (held *os.File, free bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, false, nil
	}
	return nil, err == nil, err
}
