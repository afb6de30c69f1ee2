package cli

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Rows are explained for people and for programs: words and missing cells as they stand in the table, with labels and row numbers
// from the training rows, and what a model lacks is said with a remedy.
func TestExplain(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("size,colour,id,label\n")
	for i := range 30 {
		row := []string{"1,red,id,low", "2,red,id,low", "9,blue,id,high", "1.5,red,id,low", "8,green,id,high"}[i%5]
		rows.WriteString(strings.Replace(row, "id", string(rune('a'+i)), 1) + "\n")
	}
	folderWith(t, map[string]string{"t.csv": rows.String(), "new.csv": "size,colour\n9,blue\n,red\n"})
	done(t, strings.Fields("fit t.csv --method svm --kernel gaussian --set sigma=1 --set C=1 --tune none --id id -o m.mercer")...)
	text := done(t, "explain", "m.mercer", "t.csv", "--row", "2", "--training", "t.csv", "--quiet").stdout
	for _, want := range []string{"row 2 (line 4) c: high", "colour", "blue", "red", "row 2", "high", "influential rows", "effect"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing from\n%s", want, text)
		}
	}
	o := object(t, done(t, "explain", "m.mercer", "new.csv", "--row", "1,0", "--json", "--quiet").stdout)
	list := o["rows"].([]any)
	for q, class := range []string{"low", "high"} {
		one := list[q].(map[string]any)
		if one["row"] != float64(1-q) || one["prediction"] != class {
			t.Errorf("%v", one)
		}
		in, out := one["influence"].(map[string]any), one["output"].(map[string]any)
		offset, _ := in["offset"].(float64)
		if d := in["positive"].(float64) + in["negative"].(float64) + offset - out["value"].(float64); math.Abs(d) > 1e-10 {
			t.Errorf("shares miss the score by %g", d)
		}
	}
	// --top is the number of the nearest and of the influential rows.
	text = done(t, "explain", "m.mercer", "t.csv", "--row", "2", "--top", "2", "--json", "--quiet").stdout
	one := object(t, text)["rows"].([]any)[0].(map[string]any)
	if near, in := one["nearest"].([]any), one["influence"].(map[string]any)["rows"].([]any); len(near) != 2 || len(in) != 2 {
		t.Errorf("--top 2 gives %d nearest and %d influential rows", len(near), len(in))
	}
	text = done(t, "explain", "m.mercer", "t.csv", "--row", "20..22,3", "--row", "1..1", "--json", "--quiet").stdout
	var numbers []any
	for _, one := range object(t, text)["rows"].([]any) {
		numbers = append(numbers, one.(map[string]any)["row"])
	}
	if want := []any{20.0, 21.0, 22.0, 3.0, 1.0}; !slices.Equal(numbers, want) {
		t.Errorf("rows %v are explained, want %v", numbers, want)
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"m.mercer new.csv --row 2", "new.csv: has 2 rows, and no row 2", exitData},
		{"m.mercer new.csv --row 0 --class middle", "no class \"middle\"; its classes are high, low", exitData},
		{"m.mercer new.csv --row 0..2", "new.csv: has 2 rows, and no row 2", exitData},
		{"m.mercer new.csv --row=-1", "count from 0", exitUsage},
		{"m.mercer new.csv --row 1..0", "1..0 ends before it begins; write 0..1", exitUsage},
		{"m.mercer new.csv --row 1..", "is no row; write its number, as 7, or a range, as 0..99", exitUsage},
		{"m.mercer new.csv --row 0.5", "is no row; write its number", exitUsage},
		{"m.mercer new.csv --row 0 --top 0", "at least 1", exitUsage},
		{"m.mercer new.csv --row 0 --interval 0.9", "no intervals", exitData},
		{"m.mercer - --row 0 --training - --format csv", "standard input is DATA", exitUsage},
		{"m.mercer new.csv", "--row", exitUsage},
	} {
		r := run(t, "", append([]string{"explain"}, strings.Fields(c.args)...)...)
		if r.code != c.code || !strings.Contains(r.stderr, c.want) || r.stdout != "" || strings.Count(r.stderr, "\n") > 2 {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
}

// Models of text, of several views and of weights are explained too.
func TestExplainOtherModels(t *testing.T) {
	folderWith(t, nil)
	for _, c := range []struct {
		fit, data string
		want      []string
	}{
		{"two-topics --labels-per-class 8 --method linear-svm --tune none", "two-topics",
			[]string{"contribution", "zero: words", "slope"}},
		{"moons-lines --view a=1..2 --view b=3..4 --labels-per-class 4 --method co-rls --tune none", "moons-lines",
			[]string{"by view", "of b", "no nearest rows: a model of several views"}},
		{"iris --method svm --kernel gaussian --multiclass one-vs-one --tune none", "iris", []string{"pair ", "negative for", "slope"}},
		{"iris --method svm --kernel linear --tune none", "iris", []string{"contribution", "no influential rows"}},
		{"sinc --method rls --tune kfold:5", "sinc", []string{"between", "prediction"}},
	} {
		done(t, append(append([]string{"fit"}, strings.Fields(c.fit)...), "-o", "m.mercer")...)
		args := []string{"explain", "m.mercer", c.data, "--row", "3", "--quiet"}
		if c.data == "sinc" {
			args = append(args, "--interval", "0.9")
		}
		text := done(t, args...).stdout
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing from\n%s", c.fit, want, text)
			}
		}
	}
}
