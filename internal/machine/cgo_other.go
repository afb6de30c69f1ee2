//go:build !linux || !cgo

package machine

// threadSpace is what threads to come may take of a limited address space beside what they compute with.
const threadSpace = 0

// Restart does nothing here, where threads need few addresses or a limit of them is not known.
func Restart() {}
