package training_test

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/internal/apply/training"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/result"
)

// TestMarkedLabels: a mark among labels that are numbers to predict is refused with the flag that names it; among names of classes, and
// where classes are asked for, it is a class.
func TestMarkedLabels(t *testing.T) {
	text := func(n int, label func(i int) string) string {
		text := "x,y\n"
		for i := range n {
			text += fmt.Sprintf("%d,%s\n", i*i%7, label(i))
		}
		return text
	}
	with := func(marks ...string) func(i int) string {
		return func(i int) string {
			if i%6 == 5 {
				return marks[i/6%len(marks)]
			}
			return fmt.Sprintf("%d.5", i)
		}
	}
	refused := func(mark, flag string) string {
		return fmt.Sprintf(`column "y": the label %s is no number, as 25 of 30 are; %s, or --task classification if it is a class`,
			mark, flag)
	}
	for name, c := range map[string]struct {
		text, task, want string
	}{
		"a dash":       {text(30, with("-")), "", refused("-", "say --unlabelled-mark=- if it stands for no label")},
		"of databases": {text(30, with(`\N`)), "regression", refused(`\N`, `say --unlabelled-mark='\N' if it stands for no label`)},
		"two":          {text(30, with("-", "nil")), "auto", refused("-", "leave such a label empty")},
		"as asked":     {text(30, with("-")), "classification", ""},
		"a word":       {text(30, with("-", "word")), "", ""},
		"a slip": {text(30, func(i int) string {
			if i == 7 {
				return "1O5"
			}
			return fmt.Sprintf("%d.5", i)
		}), "", `column "y": the label 1O5 is no number, as 29 of 30 are; correct it, say --unlabelled-mark=1O5 if it stands for no label, ` +
			`or --task classification if it is a class`},
		"two slips": {text(30, func(i int) string {
			if i%13 == 7 {
				return "1O5"
			}
			return fmt.Sprintf("%d.5", i)
		}), "", ""},
		"known":      {text(30, with("NA")), "", ""},
		"few rows":   {text(10, with("-")), "", ""},
		"few values": {text(30, func(i int) string { return []string{"0.5", "1.5", "-"}[i%3] }), "", ""},
		"classes":    {text(90, func(i int) string { return []string{"1", "2", "3", "unknown"}[i%4] }), "", ""},
	} {
		inFolder(t, map[string]string{"rows.csv": c.text})
		_, _, err := training.Files{Data: "rows.csv"}.Open(t.Context(), &result.Recipe{Task: c.task})
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		} else if c.want != "" {
			failtest.Refused(t, err, c.want)
		}
	}
}

// TestMarksAmongFewNumbers: ten numbers say that a mark among them is none of the classes; so few as twenty different ones may be names of
// classes all the same, where each has three rows.
func TestMarksAmongFewNumbers(t *testing.T) {
	for _, c := range []struct {
		rows, different int
		refused         bool
	}{{9, 9, false}, {10, 10, true}, {59, 20, true}, {60, 20, false}, {63, 21, true}} {
		text := "x,y\n"
		for i := range c.rows {
			if text += fmt.Sprintf("%d,%d.5\n", i*i%7, i%c.different); i == 4 {
				text += "3,-\n"
			}
		}
		inFolder(t, map[string]string{"rows.csv": text})
		_, _, err := training.Files{Data: "rows.csv"}.Open(t.Context(), &result.Recipe{})
		if c.refused {
			failtest.Refused(t, err, fmt.Sprintf(`column "y": the label - is no number, as %d of %d are; say --unlabelled-mark=- if it stands `+
				"for no label, or --task classification if it is a class", c.rows, c.rows+1))
		} else if err != nil {
			t.Errorf("%d rows of %d numbers: %v", c.rows, c.different, err)
		}
	}
}
