//go:build linux

package hostile

import (
	"io"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	Child()
	os.Exit(m.Run())
}

// TestModels runs the inputs that are models, and some that are changed, under a limit of address space. The command runs the others,
// which take a minute.
func TestModels(t *testing.T) {
	if err := table(io.Discard, kinds{models: true}, 16, 7); err != nil {
		t.Error(err)
	}
}

// TestStartsAnswer: the models that changes are made to are good ones, which the verbs that every model is for answer by.
func TestStartsAnswer(t *testing.T) {
	dir := t.TempDir()
	if err := begin(dir); err != nil {
		t.Fatal(err)
	}
	for _, s := range starts {
		for _, v := range verbs {
			switch v.args {
			case "predict MODEL DATA", "evaluate MODEL DATA", "explain MODEL DATA --row 0,7", "export MODEL --format sklearn -o exported":
			default:
				if !v.served {
					continue
				}
			}
			h := v.on("", s.model, s.data, true)
			if e := run(dir, h); e.code != 0 || e.wrong(h) != "" {
				t.Errorf("mercer %v: exit code %d, %s", h.args, e.code, e.stderr)
			}
		}
	}
}

// TestRunsAreJudged: what is no refusal counts as wrong.
func TestRunsAreJudged(t *testing.T) {
	for want, e := range map[string]ended{
		"it did not end by itself":           {code: -1},
		"a stack dump, or an internal error": {code: 2, stderr: "fatal error: out of memory\n\ngoroutine 1 [running]:", line: "x"},
		"not exit code 1":                    {code: 0, line: "mercer: x"},
		"no line that begins with mercer:":   {code: 1, line: "killed"},
		"":                                   {code: 1, line: "mercer: f: what; remedy"},
	} {
		if got := e.wrong(hostile{}); got != want {
			t.Errorf("%+v: %q, want %q", e, got, want)
		}
	}
}
