package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestCommandRepeatsTheRun: all flags, no folder of this machine, words as a shell wants them.
func TestCommandRepeatsTheRun(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "p"},
		{[]string{"--data", "/x/y", "--runs", "1", "-markdown", "docs/a.md"}, "p --data DIR --runs 1 -markdown docs/a.md"},
		{[]string{"-data=/x", "-probability", "-sets=a,b", "-mercer", "bin/mercer", "-kept=peers"}, "p -data DIR -probability -sets a,b"},
		{[]string{"-args", "--method l2-svm", "-mercer=bin/mercer", "-seeds", "2"}, "p -args '--method l2-svm' -seeds 2"},
	} {
		if got := Command("p", c.args); got != c.want {
			t.Errorf("%q:\n%s\n%s", c.args, got, c.want)
		}
	}
}

// TestProgram: the file has heading and table; a run that fails keeps the file that was there.
func TestProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.md")
	if err := Program(path, "Errors", "-C tools/lab .", []string{"errors", "--data", "/x"}, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "| a |")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Errors\n\n    go -C tools/lab run . errors --data DIR\n", time.Now().Format("2006-01-"),
		fmt.Sprintf("%d cores", runtime.NumCPU()), runtime.Version(), "BLAS: ", "\n\n| a |\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file lacks %q:\n%s", want, text)
		}
	}
	broken := errors.New("no data")
	if err := Program(path, "Errors", "tools/size", nil, func(w io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if again, err := os.ReadFile(path); err != nil || string(again) != string(text) {
		t.Errorf("a run that failed changed the file (%v)", err)
	}
}

// TestContinuedAtTheBorder: a line has 114 characters before it goes on.
func TestContinuedAtTheBorder(t *testing.T) {
	for n, want := range map[int]int{114: 1, 115: 2} {
		command := "mercer " + strings.Repeat("x", n-len("mercer ")-len(" -y")) + " -y"
		if got := strings.Count(continued(command), "\n") + 1; got != want {
			t.Errorf("%d characters are on %d lines", len(command), got)
		}
	}
}

// A long command goes on in the next line, a flag with its value; joined again it is the same.
func TestContinued(t *testing.T) {
	short := "go -C tools/lab run . errors --data DIR -markdown docs/results/errors.md"
	if got := continued(short); got != short {
		t.Errorf("%q", got)
	}
	long := "go -C tools/lab run . peers --data DIR --runs 1 --probability --sets digits,satimage,segment,vowel,usps-10 " +
		"-markdown docs/results/peers.md"
	got := continued(long)
	for line := range strings.Lines(got) {
		if len(strings.TrimSuffix(line, "\n")) > 116 {
			t.Errorf("%d characters: %q", len(line), line)
		}
	}
	if joined := strings.ReplaceAll(got, " \\\n        ", " "); joined != long || joined == got {
		t.Errorf("%q", got)
	}
}
