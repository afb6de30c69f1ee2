// Package process runs programs whole and says what they took, for the measurements beside other programs.
package process

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Cost is what one run of a program took.
type Cost struct {
	Seconds   float64
	Processor float64 // seconds of all its threads, in the system too
	Memory    int64   // peak, bytes
}

// Timed runs a program and returns its cost and what it printed.
func Timed(ctx context.Context, name string, args ...string) (Cost, []byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	start := time.Now()
	err := c.Start()
	var peak int64
	if err == nil {
		watched, done := make(chan int64), make(chan struct{})
		go func() { watched <- watch(c.Process.Pid, done) }()
		err = c.Wait()
		close(done)
		peak = <-watched
	}
	cost := Cost{Seconds: time.Since(start).Seconds(), Memory: peak}
	if err != nil {
		return cost, nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, stderr.String())
	}
	cost.Processor = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok && peak == 0 {
		cost.Memory = u.Maxrss << 10
	}
	return cost, stdout.Bytes(), nil
}

// watch returns the peak of a process's memory, in bytes, as it stood shortly before the process ended; 0 where the
// system does not tell. What the system says at the end counts the peak of the process that started it.
func watch(pid int, done <-chan struct{}) (peak int64) {
	for {
		now, err := Peak(strconv.Itoa(pid))
		if err != nil {
			<-done
			return peak
		}
		peak = max(peak, now)
		select {
		case <-done:
			return peak
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Peak is that of the resident set so far, in bytes, of a process by its number, or of this one: "self". Linux alone tells it.
func Peak(pid string) (bytes int64, err error) {
	text, err := os.ReadFile("/proc/" + pid + "/status") //nolint:gosec // of a process that was started here
	if err != nil {
		return 0, err
	}
	if _, after, ok := strings.Cut(string(text), "VmHWM:"); ok {
		_, err = fmt.Sscan(after, &bytes)
	}
	return bytes << 10, err
}

// Within runs f with a temporary folder, which is removed afterwards, and a program mercer: the one given or, where there is none,
// that which is built from here into the folder.
func Within(ctx context.Context, program string, f func(program, folder string) error) error {
	folder, err := os.MkdirTemp("", "mercer-lab-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // nothing can be done about what is left
	if program == "" {
		program = filepath.Join(folder, "mercer")
		if _, _, err := Timed(ctx, "go", "build", "-o", program, "./cmd/mercer"); err != nil {
			return fmt.Errorf("build: %w", err)
		}
	}
	return f(program, folder)
}

// Fit runs mercer fit and reads into v what it prints with --json.
func Fit(ctx context.Context, program string, v any, args ...string) (Cost, error) {
	cost, out, err := Timed(ctx, program, append([]string{"fit", "--json", "--quiet"}, args...)...)
	if err != nil {
		return cost, err
	}
	return cost, json.Unmarshal(out, v)
}
