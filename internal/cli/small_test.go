//go:build unix

package cli

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestFilesOfFlagsEnd: files that flags name end with the interrupt where nobody writes to them, and where they have no end.
func TestFilesOfFlagsEnd(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, args := range []string{
		"fit iris --recipe " + pipe, "fit iris --columns " + pipe, "pareto iris --recipe " + pipe,
		"serve none.mercer --tls " + pipe + "," + pipe,
	} {
		for _, endless := range []bool{false, true} {
			line := args
			if endless {
				line = strings.ReplaceAll(args, pipe, "/dev/zero")
			}
			ctx, cancel := context.WithCancel(t.Context())
			var says bytes.Buffer
			ended := make(chan int, 1)
			go func() { ended <- Main(ctx, strings.Fields(line), strings.NewReader(""), io.Discard, &says) }()
			if !endless {
				time.Sleep(20 * time.Millisecond) // it waits by now, or is about to
				cancel()
			}
			select {
			case code := <-ended:
				want := exitInterrupted
				if endless {
					want = exitData
				}
				if code != want || says.Len() > 600 {
					t.Errorf("%s: exit %d, %.300s", line, code, says.String())
				}
			case <-time.After(2 * time.Minute):
				t.Fatalf("%s: not ended", line)
			}
			cancel()
		}
	}
}
