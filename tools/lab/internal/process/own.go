package process

import "syscall"

// Own is what this process has taken so far: processor seconds, those in the system too, and its largest memory in GB; zeros
// where the system does not tell.
func Own() (seconds, gigabytes float64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, float64(u.Maxrss) / (1 << 20)
}

// Least runs f so many times and returns the least of the processor seconds that it took.
func Least(times int, f func() error) (seconds float64, err error) {
	for i := range times {
		start, _ := Own()
		if err := f(); err != nil {
			return 0, err
		}
		if end, _ := Own(); i == 0 || end-start < seconds {
			seconds = end - start
		}
	}
	return seconds, nil
}
