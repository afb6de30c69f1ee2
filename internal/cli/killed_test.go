//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

// kills is how often each verb is killed: once or twice, or as often as MERCER_KILLS says.
func kills(t *testing.T) int {
	n := 1
	if slowtest.Asked() {
		n = 2
	}
	if text := os.Getenv("MERCER_KILLS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("MERCER_KILLS=%s: %v", text, err)
		}
	}
	return n
}

// Whenever a verb that writes a file is killed (SIGKILL), the file is the old one or the whole new one, and the next run is as if
// nothing had been there before.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	dir := t.TempDir()
	model, rows := filepath.Join(dir, "model"), filepath.Join(dir, "rows.csv")
	killedRun(t, 0, "fit", "two-moons:n=200", "--method", "rls", "--tune", "none", "--quiet", "-o", model)
	killedRun(t, 0, "data", "two-moons:n=200", "-o", rows)
	trace, steps := filepath.Join(dir, "trace"), filepath.Join(dir, "steps")
	for name, args := range map[string][]string{
		"fit":     {"fit", rows, "--method", "rls", "--tune", "none", "--quiet", "-o"},
		"trace":   {"fit", rows, "--method", "rls", "--search", "random", "--budget", "4", "--trace", trace, "--quiet", "-o"},
		"default": {"fit", rows, "--trace", steps, "--quiet", "-o"},
		"data":    {"data", "two-moons:n=4000", "-o"},
		"predict": {"predict", model, rows, "--quiet", "-o"},
		"shrink":  {"shrink", model, "--basis", "5", "--data", rows, "--quiet", "-o"},
		"convert": {"convert", rows, "-o"},
		"export":  {"export", model, "--format", "onnx", "-o"},
		"embed":   {"embed", rows, "--quiet", "-o"},
		"cluster": {"cluster", rows, "--clusters", "2", "--quiet", "-o"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			out := filepath.Join(folder, "out"+map[string]string{"convert": ".svm", "export": ".onnx"}[name])
			args = append(args, out)
			began := time.Now()
			killedRun(t, 0, args...)
			took := time.Since(began)
			want := written(t, name, out)
			rng := rand.New(rand.NewPCG(1, uint64(len(name))))
			for range kills(t) {
				old := []byte("old")
				if err := os.WriteFile(out, old, 0o666); err != nil {
					t.Fatal(err)
				}
				_, _ = os.Remove(trace), os.Remove(steps) // they may not be there
				killedRun(t, time.Duration(rng.Int64N(int64(took)+1)), args...)
				if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, old) && !bytes.Equal(written(t, name, out), want) {
					t.Fatalf("the file is neither the old one nor the new one (%v): %d bytes", err, len(got))
				}
				if killedRun(t, 0, args...); !bytes.Equal(written(t, name, out), want) {
					t.Fatal("the next run writes another file")
				}
			}
		})
	}
}

// written is what a verb wrote, of a model without its times.
func written(t *testing.T, name, path string) []byte {
	t.Helper()
	if name == "fit" || name == "trace" || name == "default" || name == "shrink" {
		out := path + ".answers"
		killedRun(t, 0, "predict", path, "two-moons:n=50", "--quiet", "-o", out)
		path = out
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// killedRun runs the program, and kills it after a time if that is above zero; without, it must end well.
func killedRun(t *testing.T, after time.Duration, args ...string) {
	t.Helper()
	c := exec.Command(os.Args[0]) //nolint:gosec // this test's own binary
	c.Env = append(os.Environ(), "MERCER_TEST_ARGS="+strings.Join(args, " "))
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		time.Sleep(after)
		_ = c.Process.Kill() // it may have ended
	}
	if err := c.Wait(); err != nil && after == 0 {
		t.Fatal(fmt.Errorf("mercer %s: %w: %s", strings.Join(args, " "), err, said.String()))
	}
}
