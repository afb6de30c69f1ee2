package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestOrder: rows in order are judged by the last of them, which a trend makes worse than rows drawn at random; new rows need no place.
func TestOrder(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("when,a,b,y\n")
	for q := range 120 {
		i := (q * 37) % 120 // no row is where its place is
		a, b := float64(i*29%101)/50-1, float64(i*43%97)/50-1
		fmt.Fprintf(&rows, "2020-%02d-%02d,%g,%g,%g\n", 1+i/28, 1+i%28, a, b, 2*a+b+0.05*float64(i))
	}
	folderWith(t, map[string]string{"rows.csv": rows.String(), "new.csv": "a,b\n0.5,0.5\n"})
	estimate := func(args ...string) map[string]any {
		o := object(t, run(t, "", append([]string{"fit", "rows.csv", "--json"}, args...)...).stdout)
		return o["estimate"].(map[string]any)
	}
	for _, more := range [][]string{nil, {"--cv", "4"}} {
		forward := estimate(append([]string{"--order", "when", "-o", "m.mercer"}, more...)...)
		mixed := estimate(append([]string{"--drop", "when"}, more...)...)
		if forward["error"].(float64) < 1.2*mixed["error"].(float64) {
			t.Errorf("%q: %v, though rows are mixed %v", more, forward, mixed)
		}
	}
	if r := run(t, "", "predict", "m.mercer", "new.csv"); r.code != 0 || strings.Count(r.stdout, "\n") != 2 {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	for args, want := range map[string]string{
		"--tune kfold:5": "choose --tune holdout:0.2", "--group b": "--order with --group", "--view v=1..2": "--view with --order",
		"--method one-class": "choose auto",
	} {
		r := run(t, "", append([]string{"fit", "rows.csv", "--order", "when"}, strings.Fields(args)...)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d: %s", args, r.code, r.stderr)
		}
	}
	for _, file := range []string{"when,a,y\n1,2,3\n1,4,5\n1,5,5\n1,7,8\n", "when,a,y\n1,2,3\n2,4,5\nsoon,5,5\n4,7,8\n"} {
		folderWith(t, map[string]string{"rows.csv": file})
		if r := run(t, "", "fit", "rows.csv", "--order", "when"); r.code != exitData {
			t.Errorf("exit %d: %s", r.code, r.stderr)
		}
	}
}
