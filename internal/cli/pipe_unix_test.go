//go:build unix

package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptedReading: every verb that reads is let go when it is interrupted while it waits, for a named pipe that nobody
// writes to and for standard input that gives nothing.
func TestInterruptedReading(t *testing.T) {
	folderWithModel(t, nil)
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	in, out := io.Pipe()
	defer out.Close()
	for _, args := range []string{
		"fit pipe", "fit - --format csv", "fit -", "fit good.csv --test pipe", "fit good.csv --unlabelled pipe",
		"fit good.csv --labelled-rows pipe",
		"fit good.csv --splits pipe", "fit good.csv --view x=pipe", "predict good.mercer pipe", "predict good.mercer -",
		"predict pipe good.csv",
		"predict good.mercer pipe -o out.csv", "evaluate good.mercer pipe", "evaluate good.mercer -", "convert pipe -o x.csv",
		"convert - -o x.csv", "data pipe --splits 2 --labels 2", "cluster pipe", "embed pipe --dim 1", "pareto pipe",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var says bytes.Buffer
		ended := make(chan int, 1)
		go func() { ended <- Main(ctx, strings.Fields(args), in, io.Discard, &says) }()
		time.Sleep(20 * time.Millisecond) // it waits by now, or is about to
		cancel()
		select {
		case code := <-ended:
			if code != exitInterrupted {
				t.Errorf("%s: exit %d, %s", args, code, says.String())
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: not ended", args)
		}
	}
}
