//go:build !windows && !darwin

package machine

// installed is the memory of the machine in bytes, 0 where it is not known.
func installed() int64 { return lineOf("/proc/meminfo", "MemTotal:") * 1024 }
