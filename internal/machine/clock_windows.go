package machine

import (
	"syscall"
	"time"
	"unsafe"
)

// clock begins to measure a time, and returns what tells the seconds since. Package time reads a clock of Windows that stands
// still for up to 16 milliseconds, in which most of what is measured here is over; the performance counter steps by less
// than a microsecond.
func clock() func() float64 {
	library := syscall.NewLazyDLL("kernel32.dll")
	counter, frequency := library.NewProc("QueryPerformanceCounter"), library.NewProc("QueryPerformanceFrequency")
	var start, second int64
	if counter.Find() != nil || frequency.Find() != nil || !ask(frequency, &second) || !ask(counter, &start) || second <= 0 {
		begun := time.Now()
		return func() float64 { return time.Since(begun).Seconds() }
	}
	return func() float64 {
		var now int64
		ask(counter, &now)
		return float64(now-start) / float64(second)
	}
}

// ask lets a function of Windows write a number, and says whether it did.
func ask(f *syscall.LazyProc, n *int64) bool {
	ok, _, _ := f.Call(uintptr(unsafe.Pointer(n)))
	return ok != 0
}
