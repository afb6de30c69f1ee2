package machine

import "syscall"

// installed is the memory of the machine in bytes, 0 where it is not known.
func installed() int64 {
	text, err := syscall.Sysctl("hw.memsize")
	if err != nil {
		return 0
	}
	return littleEndian(text)
}
