package cli

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
)

// TestHabitual: flags of svm-train after fit alone, and what is not known is left as it is.
func TestHabitual(t *testing.T) {
	for typed, want := range map[string]string{
		"--version":                         "version",
		"--version --json":                  "version --json",
		"help":                              "-h",
		"help fit":                          "fit -h",
		"fit rows.csv -c 10 -g 0.5 -t 2":    "fit rows.csv --set C=10 --set gamma=0.5 --kernel gaussian",
		"fit rows.csv -t 9":                 "fit rows.csv -t 9",
		"fit rows.csv -v -o m":              "fit rows.csv -v -o m",
		"fit rows.csv -s 3 -p 0.1 -e 0.01":  "fit rows.csv --method svr --set epsilon=0.1 --tol 0.01",
		"fit rows.csv -s 4 -q -v 5 -m 300":  "fit rows.csv -s 4 --quiet --cv 5 --cache 300Mi",
		"fit rows.csv -w1 2 -c 3 -w-1 5":    "fit rows.csv --class-weight 1=2,-1=5 --set C=3",
		"fit rows.csv -w 5":                 "fit rows.csv -w 5",
		"fit rows.csv -c":                   "fit rows.csv -c",
		"predict rows.mercer new.csv -c 10": "predict rows.mercer new.csv -c 10",
	} {
		if got := habitual(strings.Fields(typed)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", typed, got, want)
		}
	}
}

// TestStandardOutput: -o - writes the model there and the table elsewhere, and a model that cannot be written hides nothing.
func TestStandardOutput(t *testing.T) {
	folderWith(t, nil)
	r := run(t, "", strings.Fields("fit iris --method rls --tune none -o -")...)
	m, err := model.Read(t.Context(), bytes.NewReader([]byte(r.stdout)))
	if r.code != exitDone || err != nil || m.Method != "rls" || !strings.Contains(r.stderr, "training error") {
		t.Errorf("exit %d, %v, %q", r.code, err, r.stderr)
	}
	r = run(t, "", strings.Fields("export x.mercer --format libsvm -o -")...)
	if r.code != exitUsage || !strings.Contains(r.stderr, "two files") {
		t.Errorf("export: exit %d, %q", r.code, r.stderr)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no device that is full here")
	}
	r = run(t, "", strings.Fields("fit iris --method rls --tune none -o /dev/full")...)
	if r.code != exitData || !strings.Contains(r.stdout, "training error") || !strings.Contains(r.stderr, "/dev/full: ") ||
		!strings.Contains(r.stderr, "free some space") {
		t.Errorf("a full disk: exit %d, %q, %q", r.code, r.stdout, r.stderr)
	}
}

// TestCompletion: every script names every verb and a flag, and bash reads its own.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		r := run(t, "", "completion", shell)
		for _, word := range []string{"fit", "reproduce", "completion", "labels-per-class"} {
			if r.code != exitDone || !strings.Contains(r.stdout, word) {
				t.Errorf("%s: exit %d, without %s", shell, r.code, word)
			}
		}
		if path, err := exec.LookPath(shell); err == nil && shell == "bash" {
			check := exec.CommandContext(t.Context(), path, "-n")
			check.Stdin = strings.NewReader(r.stdout)
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("bash: %v, %s", err, out)
			}
		}
	}
	if r := run(t, "", "completion", "tcsh"); r.code != exitUsage {
		t.Errorf("tcsh: exit %d", r.code)
	}
}
