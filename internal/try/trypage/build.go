// Package trypage builds the page docs/try and lets a browser use it as a person does, for its test and for the
// program that measures it.
//
// Change here how the page is built for these, and what the browser does.
package trypage

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Size is that of the program for the browser, in bytes.
type Size struct{ Plain, Packed int64 }

// Build puts the page, the program for the browser and Go's script for it into the folder dir. Root is that of the module. It takes
// some twenty seconds the first time, and then what linking takes.
func Build(ctx context.Context, root, dir string) (Size, error) {
	var size Size
	page := filepath.Join(root, "docs", "try")
	for _, name := range []string{"index.html", "try.css", "try.js", "worker.js"} {
		if err := copied(filepath.Join(dir, name), filepath.Join(page, name)); err != nil {
			return size, err
		}
	}
	goroot, err := command(ctx, root, "env", "GOROOT")
	if err != nil {
		return size, err
	}
	script := "wasm_exec.js"
	if err := copied(filepath.Join(dir, script), filepath.Join(strings.TrimSpace(goroot), "lib", "wasm", script)); err != nil {
		return size, err
	}
	program := filepath.Join(dir, "mercer.wasm")
	if _, err := command(ctx, root, "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./docs/try/wasm"); err != nil {
		return size, err
	}
	plain, err := os.ReadFile(program)
	if err != nil {
		return size, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return size, err
	}
	_, err = w.Write(plain)
	if err := errors.Join(err, w.Close(), os.Remove(program)); err != nil {
		return size, err
	}
	size = Size{int64(len(plain)), int64(packed.Len())}
	return size, os.WriteFile(program+".gz", packed.Bytes(), 0o600)
}

func copied(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}

// command runs the go command for the browser and returns what it prints.
func command(ctx context.Context, root string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, failed.Stderr)
	}
	return string(out), err
}
