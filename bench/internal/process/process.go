//go:build unix

// Package process runs programs whole and says what they took, for the measurements beside other programs.
package process

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
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
	var stderr bytes.Buffer
	c.Stderr = &stderr
	start := time.Now()
	out, err := c.Output()
	cost := Cost{Seconds: time.Since(start).Seconds()}
	if err != nil {
		return cost, nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, stderr.String())
	}
	cost.Processor = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		cost.Memory = u.Maxrss << 10
	}
	return cost, out, nil
}

// Mercer is the program given or, without one, mercer as it is built from here into a folder.
func Mercer(ctx context.Context, program, folder string) (string, error) {
	if program != "" {
		return program, nil
	}
	program = filepath.Join(folder, "mercer")
	if _, _, err := Timed(ctx, "go", "build", "-o", program, "./cmd/mercer"); err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	return program, nil
}
