package machine

import (
	"os"
	"syscall"
)

// oneHeap is the variable by which glibc is told, before it starts, how many heaps its threads share.
const oneHeap = "MALLOC_ARENA_MAX"

// Restart begins the program anew, once, where its address space is Tight: with one heap of the C library
// for all threads. It must come first in main; it returns where there is nothing to gain. Go's runtime has started threads by then,
// and each has a heap, so that a process cannot do it for itself.
func Restart() {
	if _, told := os.LookupEnv(oneHeap); told || !Tight() {
		return
	}
	_ = syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), oneHeap+"=1")) //nolint:gosec // this program, which goes on if it cannot
}
