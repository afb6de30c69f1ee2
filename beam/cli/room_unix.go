//go:build linux || darwin

package cli

import "syscall"

// free is how many bytes a folder's disk has left, 0 where that is not known.
func free(folder string) int64 {
	var s syscall.Statfs_t
	if syscall.Statfs(folder, &s) != nil {
		return 0
	}
	return int64(s.Bavail) * int64(s.Bsize) //nolint:unconvert // types differ between systems
}
