package machine

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestMemory: the released systems know the memory of the machine, and what a process may take of it.
func TestMemory(t *testing.T) {
	switch runtime.GOOS {
	case "linux", "windows", "darwin":
	default:
		t.Skip("the memory of this system is not asked for")
	}
	if have := Memory(); have < 64<<20 || have > 1<<50 {
		t.Errorf("the machine has %d bytes", have)
	}
	if Allowed(0) != share(Memory()) || Allowed(7) != 7 {
		t.Errorf("allowed are %d of %d bytes, and %d where 7 were asked for", Allowed(0), Memory(), Allowed(7))
	}
	// A process that has nothing left may not take what it likes: 0 would say that nothing is known.
	for memory, want := range map[int64]int64{0: 0, 1: 1, 4: 4, 5: 4, 100: 80} {
		if got := share(memory); got != want {
			t.Errorf("%d of %d bytes, want %d", got, memory, want)
		}
	}
}

// TestLittleEndian: bytes as a system call gives them, without the zeros at the end.
func TestLittleEndian(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "\x00\x00\x00\x00\x04": 16 << 30, "\x01\x02": 513, "123456789": 0} {
		if got := littleEndian(text); got != want {
			t.Errorf("%q is %d, got %d", text, want, got)
		}
	}
}

// TestGrouped: the least limit counts of a control group and of those that it lies in, whichever has it.
func TestGrouped(t *testing.T) {
	const v1, v2 = "sys/fs/cgroup/memory", "sys/fs/cgroup"
	for name, c := range map[string]struct {
		groups string            // of the process
		limits map[string]string // by file
		want   int64
	}{
		"no groups": {"", map[string]string{}, 0},
		"none":      {"0::/a/b\n", map[string]string{v2 + "/a/b/memory.max": "max\n", v2 + "/a/memory.max": "max\n"}, 0},
		"the root":  {"", map[string]string{v2 + "/memory.max": "700\n"}, 700},
		"a scope": {"0::/user.slice/run-u7.scope\n", map[string]string{v2 + "/user.slice/run-u7.scope/memory.max": "200\n",
			v2 + "/user.slice/memory.max": "300\n", v2 + "/other/memory.max": "100\n"}, 200},
		"a group above": {"0::/job/step/task\n", map[string]string{v2 + "/job/step/task/memory.max": "500\n",
			v2 + "/job/step/memory.max": "max\n", v2 + "/job/memory.max": "300\n"}, 300},
		"a container": {"0::/docker/af01\n", map[string]string{v2 + "/memory.max": "400\n"}, 400},
		"a colon":     {"0::/a:b\n", map[string]string{v2 + "/a:b/memory.max": "5\n"}, 5},
		"version 1": {"9:pids:/a\n4:cpu,memory:/a/b\n0::/\n", map[string]string{v1 + "/a/b/memory.limit_in_bytes": "9223372036854771712\n",
			v1 + "/a/memory.limit_in_bytes": "600\n", v1 + "/memory.limit_in_bytes": "9223372036854771712\n"}, 600},
		"version 1 of a container": {"4:memory:/docker/af01\n", map[string]string{v1 + "/memory.limit_in_bytes": "800\n"}, 800},
		"another hierarchy":        {"3:pids:/a\n0::/\n", map[string]string{v2 + "/a/memory.max": "1\n"}, 0},
		"outside of its namespace": {"0::/../../a\n", map[string]string{v2 + "/memory.max": "90\n"}, 90},
	} {
		root := t.TempDir()
		c.limits["proc/self/cgroup"] = c.groups
		for file, text := range c.limits {
			path := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := grouped(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
