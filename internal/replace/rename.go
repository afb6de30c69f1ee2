package replace

import (
	"os"
	"time"

	"github.com/mercer-ml/mercer/internal/oserror"
)

// rename puts a file at the place of another. Windows refuses that while a program has the other open, as a server does that
// reads a model anew, so it is tried again for some two seconds.
func rename(from, to string) error {
	return patiently(func() error { return os.Rename(from, to) }, oserror.Busy)
}

// patiently tries until there is no error or one that is not of a file in use, with pauses of 1, 2, 4, ... milliseconds between, of
// which the last is a second.
func patiently(try func() error, busy func(error) bool) error {
	for pause := time.Millisecond; ; pause *= 2 {
		err := try()
		if err == nil || !busy(err) || pause > 1024*time.Millisecond {
			return err
		}
		time.Sleep(pause)
	}
}
