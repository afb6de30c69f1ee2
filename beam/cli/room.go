package cli

import (
	"strings"

	"github.com/mercer-ml/mercer/internal/machine"
)

// room is how many bytes of features a fit may keep in its folder from pass to pass: a quarter of the memory, so that they are
// read from there and not from a disk, which may be slower than to make them, and half of what the folder's disk has free.
// There is none where workers may be on other machines.
func room(flags map[string]string, folder string) int64 {
	switch strings.ToUpper(flags["environment_type"]) {
	case "", inProcess, processes:
		if flags["endpoint"] == "" {
			return min(machine.Memory()/4, free(folder)/2)
		}
	}
	return 0
}
