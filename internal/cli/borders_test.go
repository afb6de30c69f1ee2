package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestLateRows: a fault beyond the first block of rows is at its own line, in every verb that reads.
func TestLateRows(t *testing.T) {
	var many strings.Builder
	many.WriteString("a,b,label\n")
	for i := range 8300 {
		fmt.Fprintf(&many, "%d,%d,\n", i%10, i%7)
	}
	folderWithModel(t, map[string]string{
		"far.csv": many.String() + "1e308,-1e308,x\n", "text.csv": many.String() + "1,foo,x\n", "short.csv": many.String() + "1\n",
	})
	for args, want := range map[string]string{
		"predict good.mercer far.csv":              `far\.csv:8302: .*no finite prediction`,
		"predict good.mercer text.csv":             `text\.csv:8302:2: .*"foo"`,
		"evaluate good.mercer far.csv":             `far\.csv:8302: .*no finite prediction`,
		"fit good.csv --method rls --test far.csv": `far\.csv:8302: .*no finite prediction`,
		"fit good.csv --unlabelled text.csv":       `text\.csv:8302:2: .*"foo"`,
		"cluster text.csv":                         `text\.csv:8302:2: .*"foo"`,
		"predict good.mercer short.csv":            `short\.csv:8302:`,
	} {
		r := run(t, "", strings.Fields(args)...)
		if r.code != exitData || !regexp.MustCompile(want).MatchString(r.stderr) {
			t.Errorf("%s: %d, %q", args, r.code, r.stderr)
		}
	}
}

// TestOutputIsNotInput: no verb writes over what it reads.
func TestOutputIsNotInput(t *testing.T) {
	folderWithModel(t, nil)
	for _, args := range []string{
		"convert good.csv -o good.csv", "cluster good.csv -o good.csv", "embed good.csv -o good.csv",
		"predict good.mercer good.csv -o good.csv",
		"predict good.mercer good.csv -o good.mercer", "fit good.csv --test good.csv -o good.csv",
		"export good.mercer --format libsvm -o good.mercer",
		"pareto good.csv -o good.csv", "cluster good.csv --test good.csv -o good.csv",
	} {
		before, _ := os.ReadFile("good.csv")
		r := run(t, "", strings.Fields(args)...)
		after, _ := os.ReadFile("good.csv")
		if r.code != exitUsage || !strings.Contains(r.stderr, "would replace") || !bytes.Equal(before, after) {
			t.Errorf("%s: %d, %q", args, r.code, r.stderr)
		}
	}
}

// TestUnsupervisedSettings: each setting has a range of its own and changes what is found.
func TestUnsupervisedSettings(t *testing.T) {
	base := strings.Fields("embed iris --kernel gaussian --quiet --set")
	plain := done(t, append(base, "laplacian=normalised")...).stdout
	for _, set := range []string{"gamma_a=0.5", "rank=20", "degree=2", "sigma=0.7", "gamma=3", "weights=heat", "symmetry=mutual",
		"metric=cosine", "laplacian=combinatorial", "neighbours=4"} {
		if got := done(t, append(base, set)...).stdout; got == plain {
			t.Errorf("--set %s changes nothing", set)
		}
	}
	if a, b := done(t, append(base, "weights=heat")...).stdout,
		done(t, append(base, "weights=heat", "--set", "width=0.3")...).stdout; a == b {
		t.Error("--set width changes nothing")
	}
	if a, b := done(t, append(base, "sigma=2")...).stdout, done(t, append(base, "gamma=0.125")...).stdout; a != b {
		t.Error("sigma 2 is not gamma 1/8")
	}
	for _, set := range []string{"rank=0.5", "degree=0.5", "neighbours=2.5", "gamma_a=0", "gamma_a=-1", "rank=1000001", "width=x",
		"nothing=1", "sigma=inf"} {
		if r := run(t, "", append(base, set)...); r.code != exitUsage || !strings.Contains(r.stderr, "--set ") {
			t.Errorf("--set %s: %d, %q", set, r.code, r.stderr)
		}
	}
	for _, args := range []string{
		"embed iris --set gamma_a=0.5", "embed iris --set rank=20", "embed iris --set sigma=1", "embed iris --neighbours -1",
		"embed iris --kernel linear --set sigma=1", "embed iris --kernel gaussian --set sigma=1 --set gamma=1",
		"cluster iris --set graph=epsilon", "cluster iris --set epsilon_graph=1",
		"cluster iris --set graph=full --neighbours 3 --set weights=binary", "cluster iris --set graph=full --set symmetry=mutual",
		"cluster iris --search fast", "cluster iris --set width=0.3", "embed iris --set weights=cosine --set width=2",
		"embed iris --kernel precomputed",
	} {
		if r := run(t, "", strings.Fields(args)...); r.code != exitUsage || r.stdout != "" {
			t.Errorf("%s: %d, %q", args, r.code, r.stderr)
		}
	}
}

// fullDisk is a disk with some bytes left.
type fullDisk struct{ left int }

var errFull = errors.New("no space left on the device")

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n := f.left
		f.left = 0
		return n, errFull
	}
	f.left -= len(p)
	return len(p), nil
}

// TestFullOutput: a verb whose answer could not be written whole does not end as if it had been.
func TestFullOutput(t *testing.T) {
	folderWithModel(t, nil)
	for _, args := range []string{
		"fit good.csv --method rls --quiet", "fit good.csv --method rls --quiet --json", "predict good.mercer good.csv --quiet",
		"predict good.mercer good.csv --json --quiet", "evaluate good.mercer good.csv --quiet",
		"evaluate good.mercer good.csv --json --quiet", "pareto iris --labels 20 --method mobj-svm --set C=1,4 --set sigma=1 --quiet",
		"cluster iris --quiet", "cluster iris --json --quiet", "embed iris --quiet", "embed iris --json --quiet",
		"methods", "methods rls", "methods --json", "methods --schema", "data", "data --json", "data iris", "version", "version --json",
		"reproduce", "reproduce becker-f3.2 --quiet", "reproduce becker-f3.2 --quiet --json",
	} {
		whole := run(t, "", strings.Fields(args)...)
		if whole.code != exitDone || whole.stdout == "" {
			t.Fatalf("%s: %+v", args, whole)
		}
		for _, left := range []int{0, 1, len(whole.stdout) / 2} {
			var errs bytes.Buffer
			if code := Main(t.Context(), strings.Fields(args), nil, &fullDisk{left}, &errs); code == exitDone ||
				!strings.Contains(errs.String(), "no space left") {
				t.Errorf("%s with room for %d bytes: exit %d, %q", args, left, code, errs.String())
			}
		}
	}
}
