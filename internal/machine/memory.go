// Package machine says what the machine has.
//
// Change here how memory and speed are found on another system.
package machine

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Memory returns the bytes of memory of the machine, of its control group or of the address space that this process is
// left (ulimit -v), whichever is least, and 0 where none is known. Windows and macOS tell that of the machine alone.
func Memory() int64 {
	total := installed()
	if limit := grouped("/"); limit > 0 && (total == 0 || limit < total) {
		total = limit
	}
	// Of a limited address space half of what is left counts as memory, because a table needs addresses in one piece, and
	// those of what was given back stay taken.
	if limit, taken := AddressSpace(), lineOf("/proc/self/status", "VmSize:")*1024; limit > 0 && taken > 0 {
		left := max((limit-taken-threadSpace)/2, 1)
		if total == 0 || left < total {
			total = left
		}
	}
	return total
}

// grouped is the least limit of memory of the control groups that this process is in, from its own up to the root of the hierarchy, of
// the first version and of the second; 0 where there is none. In a container the path of the group may be one of the machine outside:
// folders of it that are not there set no limit, and the root is that of the container.
func grouped(root string) (least int64) {
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup")) // not there: there is no group but the root
	for line := range strings.Lines(string(text) + "0::/\n0:memory:/\n") {
		number, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		folder, file := "sys/fs/cgroup", "memory.max"
		switch {
		case slices.Contains(strings.Split(controllers, ","), "memory"):
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		case number != "0" || controllers != "":
			continue // a hierarchy of something else than memory
		}
		for at := path.Clean("/" + group); ; at = path.Dir(at) {
			var limit int64
			text, _ := os.ReadFile(filepath.Join(root, folder, at, file)) // not there: no limit
			if _, err := fmt.Sscan(string(text), &limit); err == nil && limit > 0 && (least == 0 || limit < least) {
				least = limit
			}
			if at == "/" {
				break
			}
		}
	}
	return least
}

// Allowed is what a process may take that was not told how much: 80 % of Memory, and what it was told else. 0 where
// nothing is known.
func Allowed(asked int64) int64 {
	if asked != 0 {
		return asked
	}
	return share(Memory())
}

// share is 80 % of what there is, and at least a byte of what is known.
func share(memory int64) int64 { return memory - memory/5 }

// AddressSpace is what a limit of this process (ulimit -v) leaves it to address, 0 without one. Much of it is
// taken from the start, by tables that are reserved and never filled.
func AddressSpace() int64 { return lineOf("/proc/self/limits", "Max address space") }

// lineOf is the number that follows a name at the beginning of a line, 0 where there is none.
func lineOf(file, name string) (n int64) {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // read only
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), name); ok {
			if _, err := fmt.Sscan(rest, &n); err == nil {
				return n
			}
		}
	}
	return 0
}

// littleEndian is the number of at most eight bytes that a system gave as a text, whose zeros at the end may be missing.
func littleEndian(text string) (n int64) {
	if len(text) > 8 {
		return 0
	}
	for i := range len(text) {
		n |= int64(text[i]) << (8 * i)
	}
	return n
}
