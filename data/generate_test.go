package data

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"
)

// TestGeneratorsAreKept: what is listed of every set, and the rows and labels that generators make for a
// seed, stay as they are: published runs name a set by its name and seed alone.
func TestGeneratorsAreKept(t *testing.T) {
	var b strings.Builder
	for _, e := range List() {
		fmt.Fprintf(&b, "%s: %s; %d rows, %d features, %d classes\n", e.Name, e.About, e.Rows, e.Features, e.Classes)
		for _, p := range e.parameters {
			fmt.Fprintf(&b, "  %s: %s; %g from %g to %g, whole %t\n", p.name, p.about, p.usual, p.least, p.most, p.whole)
		}
		specs := []string{e.Name}
		if len(e.parameters) > 0 {
			specs = []string{e.Name + ":n=22"}
			for _, p := range e.parameters {
				switch p.name {
				case "labelled":
					specs = append(specs, e.Name+":n=21,labelled=1", e.Name+":n=31,labelled=3")
				case "seed":
					specs = append(specs, e.Name+":n=4,seed=7")
				}
			}
		}
		for _, spec := range specs {
			s, err := Builtin(spec)
			if e.Name == "manifolds" && strings.Contains(spec, ":n=4,") {
				s, err = Builtin(spec + ",noise=0")
			}
			if err != nil {
				if e.Name == "manifolds" { // ten classes of two or three rows have no three labels
					fmt.Fprintf(&b, "%s: %v\n", spec, err)
					continue
				}
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s: %d rows of %v in %s %q, %q\n", spec, s.Rows.Len(), s.Features, s.Name, s.Source, s.LabelName)
			for i := range min(s.Rows.Len(), 31) {
				for _, v := range rowOf(s.Rows, i)[:min(s.Rows.Dim(), 7)] {
					fmt.Fprintf(&b, "%.6f ", v+0)
				}
				fmt.Fprintf(&b, "%.9s\n", s.Answers[i])
			}
		}
	}
	kept.Text(t, "testdata/generators.txt", b.String(), func(was, now string) bool {
		zero := strings.NewReplacer("-0.000000", "0.000000")
		return zero.Replace(was) == zero.Replace(now)
	})
}

// TestBuiltinComplaints: what is wrong with a name or a parameter is said, with what would do.
func TestBuiltinComplaints(t *testing.T) {
	for spec, want := range map[string]string{
		"two-mons": `no built-in set "two-mons"; one of digits, iris, wine, breast-cancer, ` +
			`two-moons, two-circles, two-spirals, g50c, manifolds, moons-lines, sinc, moons-det, circles-det, moons-even, circles-even, ` +
			`two-topics, zipf`,
		"iris:n=3":                    `iris takes no parameters; drop ":n=3"`,
		"sinc:size=3":                 `sinc has no parameter "size"; it takes n, noise, seed`,
		"moons-det:n=1":               `moons-det: n is "1"; give a whole number from 2 to 1e+07`,
		"moons-det:n=10000001":        `moons-det: n is "10000001"; give a whole number from 2 to 1e+07`,
		"sinc:noise=-1":               `sinc: noise is "-1"; give a number from 0 to 1e+06`,
		"sinc:noise=1000001":          `sinc: noise is "1000001"; give a number from 0 to 1e+06`,
		"sinc:seed=0.5":               `sinc: seed is "0.5"; give a whole number from 0 to 9.007199254740992e+15`,
		"two-moons:n=10,labelled=6":   `class "-1" has fewer labels (5) than the 6 a class that were asked for; ask for 5 at most`,
		"moons-det:n=10,labelled=6":   `6 labels of each class asked for, a class has 5 rows; raise n or lower labelled`,
		"moons-det:n=11,labelled=6":   `6 labels of each class asked for, a class has 5 rows; raise n or lower labelled`,
		"moons-det:n=10,labelled=-1":  `moons-det: labelled is "-1"; give a whole number from 0 to 1e+07`,
		"moons-det:labelled=10000001": `moons-det: labelled is "10000001"; give a whole number from 0 to 1e+07`,
	} {
		if _, err := Builtin(spec); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
	for _, right := range []string{"moons-det:n=2", "sinc:n=2,seed=0,noise=0", "moons-det:n=10,labelled=5", "sinc:n=2,noise=1000000",
		"two-spirals:n=2"} {
		if _, err := Builtin(right); err != nil {
			t.Error(err)
		}
	}
	if !IsBuiltin("iris:n=3") || !IsBuiltin("sinc") || IsBuiltin("rows.csv") || IsBuiltin("") {
		t.Error("a name is taken for what it is not")
	}
}
