// Package machine says what the machine has.
//
// Change here how memory and speed are found on another system.
package machine

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// Memory returns the bytes of memory of the machine or of its control group,
// whichever is less, and 0 where neither is known.
func Memory() int64 {
	total := meminfo()
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var limit int64
		if _, err := fmt.Sscan(string(text), &limit); err == nil && limit > 0 && (total == 0 || limit < total) {
			total = limit
		}
	}
	return total
}

func meminfo() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // read only
	for s := bufio.NewScanner(f); s.Scan(); {
		var kib int64
		if rest, ok := strings.CutPrefix(s.Text(), "MemTotal:"); ok {
			if _, err := fmt.Sscan(rest, &kib); err == nil {
				return kib * 1024
			}
		}
	}
	return 0
}
