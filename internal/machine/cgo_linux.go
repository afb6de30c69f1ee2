//go:build cgo

package machine

import (
	"os"
	"syscall"
)

// A program that was built with cgo, as Go does where a C compiler is, has threads of the C library: each has a stack, and a heap of
// 64 MiB of addresses. A released program has neither.

// threadSpace is what threads to come may take of a limited address space: a dozen stacks of 8 MiB.
const threadSpace = 96 << 20

// enoughSpace is an address space in which the heaps of a dozen threads are not missed. Go's own tables take 1.2 GB.
const enoughSpace = 6 << 30

// oneHeap is the variable by which glibc is told, before it starts, how many heaps its threads share.
const oneHeap = "MALLOC_ARENA_MAX"

// Restart begins the program anew where addresses are few, with one heap of the C library for all threads. It
// returns where they are not, or in the program that was begun anew. It must come first in main. A process cannot join the heaps that it
// has: Go's runtime has started threads by then, and each has one.
func Restart() {
	space := AddressSpace()
	if _, told := os.LookupEnv(oneHeap); told || space == 0 || space >= enoughSpace {
		return
	}
	_ = syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(),
		oneHeap+"=1")) //nolint:gosec // this program, which goes on if it cannot
}
