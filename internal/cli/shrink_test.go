package cli

import (
	"fmt"
	"strings"
	"testing"
)

// A smaller model is written and predicts; the change is printed for people and programs, with measures where there are labels.
func TestShrink(t *testing.T) {
	folderWith(t, nil)
	ok(t, "fit", "two-moons", "--method", "svm", "--set", "C=10", "--set", "sigma=0.5", "--tune", "none", "--quiet", "-o", "m.mercer")
	r := run(t, "", "shrink", "m.mercer", "--basis", "12", "--data", "two-moons", "-o", "s.mercer", "--quiet")
	for _, want := range []string{"centres became 12", "largest change of an output", "decided otherwise", "before"} {
		if r.code != exitDone || !strings.Contains(r.stdout, want) {
			t.Errorf("%q is missing from %+v", want, r)
		}
	}
	o := object(t, run(t, "", "shrink", "m.mercer", "--basis", "12", "--data", "two-moons", "-o", "s.mercer", "--json", "--quiet").stdout)
	for _, key := range []string{
		"centres_before", "centres_after", "rows", "largest", "mean", "size", "changed", "model", "metrics_before", "metrics_after",
	} {
		if o[key] == nil {
			t.Errorf("%s is missing from %v", key, o)
		}
	}
	if want := fmt.Sprintf("%v centres became %v\n", o["centres_before"], o["centres_after"]); !strings.Contains(r.stdout, want) {
		t.Errorf("%q is missing from %s", want, r.stdout)
	}
	ok(t, "predict", "s.mercer", "two-moons", "--quiet", "-o", "p.csv")
	ok(t, "fit", "two-moons", "--method", "rls", "--kernel", "linear", "--tune", "none", "--quiet", "-o", "l.mercer")
	if r := run(t, "", "shrink", "s.mercer", "--basis", "0", "--data", "two-moons", "-o", "x.mercer"); r.code != exitUsage ||
		!strings.Contains(r.stderr, "--basis 0: must be at least 1") {
		t.Errorf("%+v", r)
	}
	for _, c := range []struct{ args, want string }{
		{"l.mercer --basis 5", "the model is linear and has no centres"},
		{"s.mercer --basis 12", "the model has 12 centres already"},
	} {
		args := append([]string{"shrink"}, strings.Fields(c.args)...)
		r := run(t, "", append(args, "--data", "two-moons", "-o", "x.mercer", "--quiet")...)
		want := "mercer: " + args[1] + ": " // the fault is the model's, not that of the rows
		if r.code != exitData || !strings.HasPrefix(r.stderr, want) || !strings.Contains(r.stderr, c.want) || strings.Count(r.stderr,
			"\n") != 1 {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
}
