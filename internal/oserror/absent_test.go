package oserror

import (
	"fmt"
	"io/fs"
	"testing"
)

// absent is what a system says in words of its own of a file that is not there.
type absent struct{}

func (absent) Error() string { return "The system cannot find the file specified." }

func (absent) Is(target error) bool { return target == fs.ErrNotExist }

// TestAbsent: a file that is not there is told in the same words, whatever words the system has for it.
func TestAbsent(t *testing.T) {
	for _, err := range []error{fs.ErrNotExist, absent{}, &fs.PathError{Op: "open", Path: "a", Err: absent{}},
		fmt.Errorf("reading: %w", &fs.PathError{Op: "open", Path: "a", Err: fs.ErrNotExist})} {
		if got := Text(err); got != "no such file or directory" {
			t.Errorf("%v is told as %q", err, got)
		}
	}
}
