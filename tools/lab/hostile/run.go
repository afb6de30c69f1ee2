package hostile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// hostile is a run of the program on one input.
type hostile struct {
	kind      string
	args      []string
	stdin     string        // a shell's command whose output is the standard input
	interrupt time.Duration // after which it is interrupted, as no input comes; 0: it is not
	asked     string        // rows that a server is asked about before it is interrupted; "": it is none
	mayAnswer bool
}

// most is how long a run may take.
const most = 60 * time.Second

// ended is how a run ended.
type ended struct {
	code   int // -1: it was ended by its time, or by a signal
	stderr string
	line   string // the last one
	took   time.Duration
}

// run is one run, with 2 GB of address space. The shell sets the limit, because a process cannot be begun with one.
func run(dir string, h hostile) ended {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	script := `ulimit -v 2097152; exec "$0" "$@"`
	if h.stdin != "" {
		script = h.stdin + ` 2>/dev/null | (` + script + `)`
	}
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", script, self}, h.args...)...)
	c.Dir, c.Env = dir, append(os.Environ(), asProgram+"=1")
	c.WaitDelay = time.Second
	var stderr bytes.Buffer
	c.Stderr = &stderr
	var stdout io.Reader
	if h.asked != "" {
		if stdout, err = c.StdoutPipe(); err != nil {
			return ended{code: -1, stderr: err.Error()}
		}
	}
	start := time.Now()
	if err = c.Start(); err == nil && h.interrupt > 0 {
		timer := time.AfterFunc(h.interrupt, func() { _ = c.Process.Signal(os.Interrupt) })
		defer timer.Stop()
	}
	fault := ""
	if err == nil && h.asked != "" {
		fault = ask(ctx, stdout, filepath.Join(dir, h.asked), h.args[1])
		_ = c.Process.Signal(os.Interrupt) // it may have ended
	}
	if err == nil {
		err = c.Wait()
	}
	e := ended{stderr: stderr.String(), took: time.Since(start)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		e.code = exit.ExitCode()
	} else if err != nil {
		e.code, e.stderr = -1, err.Error()
	}
	lines := strings.Split(strings.TrimSpace(e.stderr), "\n")
	e.line = lines[len(lines)-1]
	if fault != "" {
		e.code, e.stderr = -1, fault+"\n"+e.stderr
	}
	return e
}

// wrong says what is wrong with the end of a run, "" where nothing is.
func (e ended) wrong(h hostile) string {
	switch {
	case e.code == -1:
		return "it did not end by itself"
	case strings.Contains(e.stderr, "goroutine ") || strings.Contains(e.stderr, "fatal error") ||
		strings.Contains(e.stderr, "internal error"):
		return "a stack dump, or an internal error"
	case e.code == 0 && h.mayAnswer:
		return ""
	case h.interrupt > 0 && e.code != 130:
		return "not the exit code of an interrupt"
	case h.interrupt == 0 && e.code != 1:
		return "not exit code 1"
	case !strings.HasPrefix(e.line, "mercer: "):
		return "no line that begins with mercer:"
	}
	return ""
}
