// Package oserror says in the same words and codes on every system what the operating system answered.
//
// Errors of files, pipes and ports that are explained to users go through here.
package oserror

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// Text is what went wrong, without the name of the call and of the file: messages name the file themselves. A file that is not
// there is told in the same words everywhere; Windows ends its texts with a full stop, which is left out.
func Text(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file or directory"
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return strings.TrimSuffix(err.Error(), ".")
}

// Is says whether an error has a code of POSIX, such as syscall.ENOSPC, or the one that Windows has for the same.
func Is(err error, want syscall.Errno) bool {
	var code syscall.Errno
	return errors.Is(err, want) || errors.As(err, &code) && posix(runtime.GOOS, code) == want
}

// Busy says whether Windows refused something because another program has the file open: its codes are those of a sharing
// violation and, for a file that is to be replaced, of denied access. Other systems refuse nothing for that.
func Busy(err error) bool { return busy(runtime.GOOS, err) }

func busy(system string, err error) bool {
	var code syscall.Errno
	return system == "windows" && errors.As(err, &code) && (code == 5 || code == 32) // ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION
}

// posix is the code of POSIX for a code of a system: package syscall translates those of Windows for absent files and permissions alone.
func posix(system string, code syscall.Errno) syscall.Errno {
	if system != "windows" {
		return code
	}
	switch code { // as in winerror.h
	case 39, 112: // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
		return syscall.ENOSPC
	case 109, 232: // ERROR_BROKEN_PIPE, ERROR_NO_DATA
		return syscall.EPIPE
	case 10013: // WSAEACCES
		return syscall.EACCES
	case 10048: // WSAEADDRINUSE
		return syscall.EADDRINUSE
	}
	return code
}
