package cli

import (
	"os"
	"syscall"
)

// closedStdout says whether the program was started without a standard output. Go puts /dev/null in its
// place, open for reading and writing; a shell's > /dev/null is open for writing only.
func closedStdout() bool {
	own, err := os.Stdout.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(own, null) {
		return false
	}
	flags, _, fault := syscall.Syscall(syscall.SYS_FCNTL, os.Stdout.Fd(), syscall.F_GETFL, 0)
	return fault == 0 && flags&syscall.O_ACCMODE == syscall.O_RDWR
}
