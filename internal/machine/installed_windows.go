package machine

import (
	"syscall"
	"unsafe"
)

// memoryStatus is MEMORYSTATUSEX of sysinfoapi.h.
type memoryStatus struct {
	length, load                                                             uint32
	total, free, totalPage, freePage, totalVirtual, freeVirtual, freeFurther uint64
}

// installed is the memory of the machine in bytes, 0 where it is not known.
func installed() int64 {
	call := syscall.NewLazyDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")
	if call.Find() != nil {
		return 0
	}
	s := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	if ok, _, _ := call.Call(uintptr(unsafe.Pointer(&s))); ok == 0 {
		return 0
	}
	return int64(s.total)
}
