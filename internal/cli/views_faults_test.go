package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// tabled writes forty rows of two views of two columns each, and then what change makes of the cells of each.
func tabled(change func(i int, cells []string)) string {
	var b strings.Builder
	b.WriteString("a,b,c,d,label\n")
	for i := range 40 {
		s, x := float64(1-2*(i%2)), float64(i)
		cells := []string{
			fmt.Sprint(2*s + math.Sin(x)), fmt.Sprint(math.Cos(2 * x)), fmt.Sprint(2*s + math.Cos(x)), fmt.Sprint(math.Sin(3 * x)), "",
		}
		if i < 6 {
			cells[4] = fmt.Sprint(s)
		}
		if change != nil {
			change(i, cells)
		}
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	return b.String()
}

// Every fault of views is one line that says what is wrong and what to do.
func TestViewFaults(t *testing.T) {
	set := func(value string, columns ...int) func(int, []string) {
		return func(_ int, cells []string) {
			for _, c := range columns {
				cells[c] = value
			}
		}
	}
	at := func(row int, f func(int, []string)) func(int, []string) {
		return func(i int, cells []string) {
			if i == row {
				f(i, cells)
			}
		}
	}
	folderWith(t, map[string]string{
		"rows.csv": tabled(nil), "constant.csv": tabled(set("1", 2, 3)), "empty.csv": tabled(set("", 2, 3)),
		"bare.csv": tabled(at(3, set("", 0, 1, 2, 3))), "half.csv": tabled(at(3, set("", 2))), "short.csv": "e,f\n1,2\n",
		"lone.csv": "a,b\n1,2\n", "none.csv": "e\n1\n",
	})
	two := []string{"--view", "v=a..b", "--view", "w=c..d"}
	ok(t, append([]string{"fit", "rows.csv", "--method", "co-rls", "-o", "m.mercer"}, two...)...)
	fit := func(file string, more ...string) []string {
		return append([]string{"fit", file, "--method", "co-rls"}, more...)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string // nil: the fit goes on
	}{
		{"other length", fit("rows.csv", "--view", "w=short.csv"), exitData, []string{"short.csv", "1", "40"}},
		{"column twice", fit("rows.csv", "--view", "v=a..c", "--view", "w=c..d"), exitUsage, []string{"column 3 is in both", "columns of " +
			"its own"}},
		{"one view", fit("rows.csv", "--view", "v=a..b"), exitUsage, []string{"several views", "--view NAME="}},
		{"name twice", fit("rows.csv", "--view", "v=a..b", "--view", "v=c..d"), exitUsage, []string{"a name of its own"}},
		{"constant", fit("constant.csv", two...), exitData, []string{"--view w", "leave"}},
		{"empty", fit("empty.csv", two...), exitData, []string{"--view w", "no row has it", "leave it out"}},
		{"row without views", fit("bare.csv", two...), exitData, []string{"row 4", "no view", "leave the row out"}},
		{"half a view", fit("half.csv", two...), exitData, []string{"half.csv:5", "empty all cells of its view"}},
		{"unknown view", []string{"predict", "m.mercer", "rows.csv", "--view", "x=short.csv"}, exitUsage, []string{"x"}},
		{"no view at all", []string{"predict", "m.mercer", "none.csv"}, exitData, []string{"none.csv"}},
		{"no view in a row", []string{"predict", "m.mercer", "bare.csv"}, exitData, []string{"bare.csv", "no view"}},
		{"one view of two", []string{"predict", "m.mercer", "lone.csv"}, exitDone, nil},
	} {
		r := run(t, "", c.args...)
		if r.code != c.code || c.want != nil && r.stdout != "" {
			t.Errorf("%s: %+v", c.name, r)
			continue
		}
		lines := strings.Split(strings.TrimSpace(r.stderr), "\n") // what a fit says of the rows before may precede
		said := lines[len(lines)-1]
		if slices.ContainsFunc(c.want, func(part string) bool { return !strings.Contains(said, part) }) {
			t.Errorf("%s: %s is without one of %q", c.name, said, c.want)
		}
	}
}
