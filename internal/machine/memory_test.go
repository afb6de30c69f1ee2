package machine

import (
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
