package cli

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
)

// The measures of each class are those that one counts on the predictions; a class never seen has its
// own row, and what is of no row is absent.
func TestEvaluateClasses(t *testing.T) {
	folderWithModel(
		t,
		map[string]string{
			"test.csv": "a,b,label\n1,2,x\n1,3,x\n3,4,x\n3,4,y\n3,5,y\n1,2,z\n5,6,\n",
			"one.csv":  "a,b,label\n1,2,x\n1,3,x\n",
		},
	)
	if r := run(t, "", "predict", "good.mercer", "test.csv", "--quiet"); !strings.HasPrefix(r.stdout, "prediction,score\nx,") ||
		strings.Count(r.stdout, "\nx,") != 3 ||
		strings.Count(r.stdout, "\ny,") != 4 {
		t.Fatalf("the counts below are of other predictions than %s", r.stdout)
	}
	r := run(t, "", "evaluate", "good.mercer", "test.csv", "--json", "--quiet")
	if r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	o := object(t, r.stdout)
	for key, want := range map[string]any{
		"confusion": map[string]any{"x": map[string]any{"x": 2.0, "y": 1.0}, "y": map[string]any{"y": 2.0}, "z": map[string]any{"x": 1.0}},
		"precision": map[string]any{"x": 2.0 / 3, "y": 2.0 / 3},
		"recall":    map[string]any{"x": 2.0 / 3, "y": 1.0, "z": 0.0},
		"f1":        map[string]any{"x": 2.0 / 3, "y": 0.8, "z": 0.0},
		"rows":      6.0,
	} {
		if !reflect.DeepEqual(o[key], want) {
			t.Errorf("%s is %v, want %v", key, o[key], want)
		}
	}
	r = run(t, "", "evaluate", "good.mercer", "test.csv", "--quiet")
	for _, want := range []string{"class precision recall f1 rows as x as y", "x 0.6667 0.6667 0.6667 3 2 1",
		"y 0.6667 1.0000 0.8000 2 0 2", "z - 0.0000 0.0000 1 1 0"} {
		if !strings.Contains(strings.Join(strings.Fields(r.stdout), " "), want) {
			t.Errorf("%q is missing from\n%s", want, r.stdout)
		}
	}
	o = object(t, run(t, "", "evaluate", "good.mercer", "one.csv", "--json").stdout)
	if want := (map[string]any{"x": 1.0}); !reflect.DeepEqual(o["precision"], want) || !reflect.DeepEqual(o["recall"], want) {
		t.Errorf("of one class: %v", o)
	}
}

// TestEvaluateDrift: rows without labels, and without their column, are told to have moved or not; a model that remembers nothing
// of its rows is named.
func TestEvaluateDrift(t *testing.T) {
	var rows, near, far strings.Builder
	rows.WriteString("a,b,label\n")
	near.WriteString("a,b\n")
	far.WriteString("a,b\n")
	for i := range 80 {
		a, b := (i*37)%80, (i*53)%80
		fmt.Fprintf(&rows, "%d,%d,%c\n", a, b, "xy"[a/40])
		fmt.Fprintf(&near, "%d,%d\n", a, (b+17)%80)
		fmt.Fprintf(&far, "%d,%d\n", a, b+60)
	}
	folderWith(t, map[string]string{"rows.csv": rows.String(), "near.csv": near.String(), "far.csv": far.String()})
	ok(t, "fit", "rows.csv", "--method", "rls", "--quiet", "-o", "m.mercer")
	for file, want := range map[string]string{"near.csv": "drift none: these rows look like", "far.csv": "column b: distance"} {
		if r := run(t, "", "evaluate", "m.mercer", file, "--drift"); !strings.Contains(strings.Join(strings.Fields(r.stdout), " "), want) {
			t.Errorf("%s: %q is missing from\n%s%s", file, want, r.stdout, r.stderr)
		}
	}
	o := object(t, run(t, "", "evaluate", "m.mercer", "far.csv", "--drift", "--json").stdout)
	moved, _ := o["drift"].(map[string]any)["moved"].([]any)
	if len(o) != 2 || o["rows"] != 80.0 || len(moved) == 0 {
		t.Errorf("%v", o)
	}
	m, err := model.Load(t.Context(), "m.mercer")
	if err != nil {
		t.Fatal(err)
	}
	bare := &model.Model{
		Method: m.Method, Task: m.Task, Classes: m.Classes, Label: m.Label, Columns: m.Columns, Features: m.Features, Scaling: m.Scaling,
		Parts: m.Parts, Recipe: m.Recipe,
	}
	if err := bare.Save("bare.mercer"); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "", "evaluate", "bare.mercer", "near.csv", "--drift"); r.code != exitData ||
		!strings.Contains(r.stderr, "bare.mercer: the model remembers nothing of its rows") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
}

// TestEvaluateLaterDates: where new rows are of later days, the table names days as the file does, and the flag that fits without them.
func TestEvaluateLaterDates(t *testing.T) {
	var rows, later strings.Builder
	rows.WriteString("day,a,label\n")
	later.WriteString("day,a\n")
	for i := range 80 {
		fmt.Fprintf(&rows, "2026-%02d-%02d,%d,%c\n", 1+i/28, 1+i%28, (i*37)%80, "xy"[(i*37)%80/40])
		fmt.Fprintf(&later, "2026-%02d-%02d,%d\n", 7+i/28, 1+i%28, (i*37)%80)
	}
	folderWith(t, map[string]string{"rows.csv": rows.String(), "later.csv": later.String()})
	ok(t, "fit", "rows.csv", "--method", "rls", "--quiet", "-o", "m.mercer")
	r := run(t, "", "evaluate", "m.mercer", "later.csv", "--drift")
	text := strings.Join(strings.Fields(r.stdout), " ")
	for _, want := range []string{
		"column day, as month ", ", median 2026-02-14 then, 2026-08-14 now", "dates go on: a fit with --order day learns",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing from\n%s%s", want, r.stdout, r.stderr)
		}
	}
	if r := run(t, "", "evaluate", "m.mercer", "rows.csv", "--drift"); strings.Contains(r.stdout, "dates go on") {
		t.Errorf("of the rows learned from:\n%s", r.stdout)
	}
	folderWith(t, map[string]string{"rows.csv": rows.String(), "earlier.csv": strings.ReplaceAll(later.String(), "2026-", "2025-")})
	ok(t, "fit", "rows.csv", "--method", "rls", "--quiet", "-o", "m.mercer")
	r = run(t, "", "evaluate", "m.mercer", "earlier.csv", "--drift")
	if text := strings.Join(strings.Fields(r.stdout), " "); !strings.Contains(text, "then, 2025-08-14 now") ||
		strings.Contains(text, "dates go on") {
		t.Errorf("of earlier days:\n%s", r.stdout)
	}
}

// Numbers have no classes; many classes are told by --json alone.
func TestEvaluateWithoutClasses(t *testing.T) {
	var many strings.Builder
	many.WriteString("a,label\n")
	for i := range 3 * (tableClasses + 1) {
		fmt.Fprintf(&many, "%d,c%d\n", i%(tableClasses+1), i%(tableClasses+1))
	}
	folderWith(t, map[string]string{"many.csv": many.String(), "real.csv": "a,label\n1,1.5\n2,2\n3,3.25\n4,2.5\n"})
	ok(t, "fit", "real.csv", "--method", "rls", "--task", "regression", "--quiet", "-o", "real.mercer")
	o := object(t, run(t, "", "evaluate", "real.mercer", "real.csv", "--json").stdout)
	if len(o) != 3 || o["metrics"] == nil || o["drift"] == nil {
		t.Errorf("of a regression: %v", o)
	}
	ok(t, "fit", "many.csv", "--method", "rls", "--quiet", "-o", "many.mercer")
	if r := run(t, "", "evaluate", "many.mercer", "many.csv"); strings.Contains(r.stdout, "as c1") ||
		!strings.Contains(r.stdout, "with --json") {
		t.Errorf("the table of many classes: %s", r.stdout)
	}
	if o := object(t, run(t, "", "evaluate", "many.mercer", "many.csv", "--json").stdout); len(
		o["recall"].(map[string]any),
	) != tableClasses+1 {
		t.Errorf("recall of many classes: %v", o["recall"])
	}
}
