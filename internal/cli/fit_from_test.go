package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
)

// Going on from a model needs no flag that says what its columns are, gives the same columns, and says when the rows of before are gone.
func TestFitFrom(t *testing.T) {
	folderWith(t, map[string]string{
		"first.csv": "kind,size,label\n" + strings.Repeat("red,1,a\nblue,2,b\ngreen,3,a\nblue,2.5,b\n", 5),
		"more.csv":  "size,extra,kind,label\n" + strings.Repeat("1,0,red,a\n2,0,blue,b\n3,0,green,a\n2.5,0,blue,b\n7,0,violet,c\n", 5),
		"other.csv": "size,kind,label\n" + strings.Repeat("10,red,a\n20,blue,b\n", 5),
		"less.csv":  "size,label\n1,a\n2,b\n",
	})
	good := func(args string) outcome {
		t.Helper()
		r := run(t, "", strings.Fields(args)...)
		if r.code != exitDone {
			t.Fatalf("%s: exit %d: %s", args, r.code, r.stderr)
		}
		return r
	}
	good("fit first.csv --method rls --kernel gaussian --quiet -o first.mercer")
	o := object(t, good("fit --from first.mercer more.csv --json -o more.mercer").stdout)
	if got := o["classes"].([]any); len(got) != 3 || o["method"] != "rls" {
		t.Errorf("%v", o)
	}
	if r := good("predict more.mercer first.csv"); strings.Count(r.stdout, "\n") != 21 {
		t.Errorf("%s", r.stdout)
	}
	if r := good("fit --from first.mercer first.csv"); strings.Contains(r.stderr, "not learned again") {
		t.Errorf("the rows of before: %s", r.stderr)
	}
	if r := good("fit --from first.mercer other.csv"); !strings.Contains(r.stderr, "not learned again; give a file that holds them too") {
		t.Errorf("other rows: %s", r.stderr)
	}
	m, err := model.Load(t.Context(), "first.mercer")
	if err != nil {
		t.Fatal(err)
	}
	for name, recipe := range map[string]string{"method.mercer": `{"method":"gaussian"}`, "set.mercer": `{"method":"rls","set":{"C":"1"}}`} {
		m.Recipe = []byte(recipe)
		if err := m.Save(name); err != nil {
			t.Fatal(err)
		}
		r := run(t, "", "fit", "--from", name, "more.csv")
		want := "mercer: " + name + ": its description of its fit"
		if r.code != exitData || !strings.HasPrefix(r.stderr, want) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("a fault of the file, not of the command: exit %d: %s", r.code, r.stderr)
		}
	}
	for args, want := range map[string]string{
		"fit --from first.mercer more.csv --method svm":     "--from first.mercer with --method: the model has its own",
		"fit --from first.mercer more.csv --drop extra":     "with --drop",
		"fit --from first.mercer more.csv --set lambda=0.1": "with --set",
		"fit --from first.mercer less.csv":                  `no column "kind"`,
		"fit --from missing.mercer more.csv":                "missing.mercer: no such file",
		"fit --from first.csv more.csv":                     "first.csv: ",
	} {
		r := run(t, "", strings.Fields(args)...)
		if r.code == exitDone || !strings.Contains(r.stderr, want) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d: %s", args, r.code, r.stderr)
		}
	}
}

// TestFitFromFeature: a column that the model learned from is no label of what goes on from it.
func TestFitFromFeature(t *testing.T) {
	folderWithModel(t, nil)
	r := run(t, "", "fit", "--from", "good.mercer", "good.csv", "--label", "a")
	if r.code != exitData || r.stdout != "" ||
		!strings.Contains(r.stderr, `good.csv: column "a": --label names it, and the model has it as a feature; name the column`) {
		t.Errorf("%+v", r)
	}
	if r := run(t, "", "fit", "--from", "good.mercer", "good.csv", "--label", "label", "--quiet"); r.code != exitDone {
		t.Errorf("%+v", r)
	}
}

// TestFromIsNotCorrected: an estimate of a fit that goes on from a model does not claim that nothing was chosen by the rows that judge it.
func TestFromIsNotCorrected(t *testing.T) {
	folderWith(t, nil)
	args := []string{"fit", "two-moons", "--labels", "20"}
	corrected := func(more ...string) any {
		return told(t, append(slices.Clone(args), more...)...)["estimate"].(map[string]any)["corrected"]
	}
	if got := corrected("--method", "lap-rls", "-o", "m.mercer"); got != true {
		t.Errorf("a fit is corrected: %v", got)
	}
	for _, more := range [][]string{{"--from", "m.mercer"}, {"--from", "m.mercer", "--cv", "3"}} {
		if got := corrected(more...); got == true {
			t.Errorf("%v is corrected: %v", more, got)
		}
	}
}
