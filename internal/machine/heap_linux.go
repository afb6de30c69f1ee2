package machine

import (
	"os"
	"syscall"
)

// oneHeap is the variable by which glibc is told, before it starts, how many heaps its threads share.
const oneHeap = "MALLOC_ARENA_MAX"

// Restart begins the program anew where Tight says that addresses are few, with one heap of the C library for all threads. It
// returns where they are not, or in the program that was begun anew. It must come first in main. A process cannot join the heaps that it
// has: Go's runtime has started threads by then, and each has one.
func Restart() {
	if _, told := os.LookupEnv(oneHeap); told || !Tight() {
		return
	}
	_ = syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(),
		oneHeap+"=1")) //nolint:gosec // this program, which goes on if it cannot
}
