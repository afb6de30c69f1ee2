package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/test/onecore"
)

// TestMain is the program itself where a test starts it as one.
func TestMain(m *testing.M) {
	if args := os.Getenv("MERCER_TEST_ARGS"); args != "" {
		os.Exit(Main(context.Background(), strings.Fields(args), os.Stdin, os.Stdout, os.Stderr))
	}
	onecore.Main(m)
}

// started runs the program in a shell, with what is behind it on its line.
func started(t *testing.T, args, redirection string) (code int, stderr string) {
	t.Helper()
	c := exec.Command("sh", "-c", `"$0" `+redirection, os.Args[0]) //nolint:gosec // this test's own binary
	c.Env = append(os.Environ(), "MERCER_TEST_ARGS="+args)
	var errs bytes.Buffer
	c.Stderr = &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), errs.String()
}

// Predictions that nobody can have read are no success.
func TestLostPredictions(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a closed standard output is differs from system to system")
	}
	model, err := filepath.Abs("../../model/testdata/v1-svm.mercer")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	predict := "predict " + model + " iris"
	for _, c := range []struct {
		args, redirection string
		code              int
		says              string
	}{
		{predict, "", exitDone, ""},
		{predict, ">/dev/null", exitDone, ""},
		{predict, ">&-", exitData, "standard output: is closed"},
		{predict + " --json", ">&-", exitData, "standard output: is closed"},
		{predict + " -o out.csv", ">&-", exitDone, "out.csv: the answers for 150 rows"},
		{predict, ">/dev/full", exitData, "standard output: no space left"},
	} {
		code, says := started(t, c.args, c.redirection)
		if code != c.code || !strings.Contains(says, c.says) || c.says == "" && says != "" {
			t.Errorf("%s %s: exit %d, %q", c.args, c.redirection, code, says)
		}
	}
}

// A pipe whose reader has gone is a fault too.
func TestBrokenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var says bytes.Buffer
	if code := Main(t.Context(), []string{"predict", "../../model/testdata/v1-svm.mercer", "iris"}, strings.NewReader(""), w,
		&says); code != exitData ||
		!strings.Contains(says.String(), "its reader ended") {
		t.Errorf("exit %d, %q", code, says.String())
	}
}

// A row without a prediction is named by its line, however far down it is.
func TestLineOfALateRow(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("a,b\n")
	for i := range apply.BatchRows + 20 {
		if i == apply.BatchRows+7 {
			rows.WriteString("1e308,-1e308\n")
			continue
		}
		fmt.Fprintf(&rows, "%d,2\n", i%5)
	}
	folderWithModel(t, map[string]string{"far.csv": rows.String()})
	want := fmt.Sprintf("mercer: far.csv:%d: ", apply.BatchRows+9) // lines count from 1, the first is the header
	if r := run(t, "", "predict", "good.mercer", "far.csv"); r.code != exitData || !strings.HasPrefix(r.stderr, want) || r.stdout != "" {
		t.Errorf("%d, %q, want %q", r.code, r.stderr, want)
	}
}

// What is no model is refused before it is read, whatever its length.
func TestEndlessModel(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("no /dev/zero here")
	}
	for _, verb := range []string{"predict /dev/zero iris", "evaluate /dev/zero iris", "export /dev/zero --format libsvm -o x"} {
		if r := run(t, "", strings.Fields(verb)...); r.code != exitData || !strings.Contains(r.stderr, "/dev/zero: is not a Mercer model") {
			t.Errorf("%s: %+v", verb, r)
		}
	}
}
