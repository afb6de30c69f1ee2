package read

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// TestFilesAreCutOnce: the columns that are learned from are those that were looked at, with two lines of names too, and names that are
// years are names.
func TestFilesAreCutOnce(t *testing.T) {
	words := rowsOf(12, func(i int) string { return fmt.Sprintf("g%d,%d.5,%d,%d", i, i*i%7, i%5, i%3) })
	numbers := rowsOf(12, func(i int) string { return fmt.Sprintf("%d,%d,%d,%d.5", i*i%7+1, i%5, i*3%11, i%4) })
	for text, want := range map[string]string{
		",x,x,y\nstat,mean,std,mean\n" + words: "x mean,x std|y mean",
		"2018,2019,2020,growth\n" + numbers:    "2018,2019,2020|growth",
		"3,1,2,growth\n" + numbers:             "x0,x1,x2|label",
	} {
		s, _, err := wholeOf(t, text, Options{Prepare: true})
		if err != nil {
			t.Errorf("%q: %v", text[:20], err)
			continue
		}
		if got := strings.Join(s.Features, ",") + "|" + s.LabelName; got != want {
			t.Errorf("%q: %s, want %s", text[:20], got, want)
		}
	}
	for _, header := range []string{"-1", "yes", "1.0", " 1"} {
		_, _, err := wholeOf(t, "a,label\n1,x\n2,y\n", Options{Prepare: true, Dialect: Dialect{Header: header}})
		failtest.Refused(t, err, "standard input: --header "+header+"; give a number of lines that name the columns, or none")
	}
}

// TestCellsInSeveralSpellings: lines within cells of CSV are those of JSON, numbers that a spreadsheet keeps as text are text in quotes
// too, and marks of missing cells are found with blanks around them.
func TestCellsInSeveralSpellings(t *testing.T) {
	cells := []string{"a\nb", "a b", "c\nd\n", "a\r\nb"}
	var asCSV, asJSON strings.Builder
	asCSV.WriteString("x,c,label\n")
	for i := range 40 {
		c := cells[i%4]
		fmt.Fprintf(&asCSV, "%d.5,\"%s\",%d\n", i, c, i%2)
		line, err := json.Marshal(map[string]any{"x": float64(i) + 0.5, "c": c, "label": i % 2})
		if err != nil {
			t.Fatal(err)
		}
		asJSON.Write(append(line, '\n'))
	}
	levels := func(text string, format Format) []string {
		s, _, err := Open(t.Context(), "-", Options{Prepare: true, Label: "label", Stdin: strings.NewReader(text), Format: format})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(s.Table.Columns, func(c data.Column) bool { return c.Name == "c" })
		return s.Table.Columns[at].Levels
	}
	if a, b := levels(asCSV.String(), FormatCSV), levels(asJSON.String(), FormatJSON); !slices.Equal(a, b) || len(a) < 2 {
		t.Errorf("of CSV %q, of JSON %q", a, b)
	}
	for _, spelled := range []string{`="%s"`, `"=""%s"""`} {
		text := "c,x,label\n" + rowsOf(20, func(i int) string { return fmt.Sprintf(spelled+",%d.5,%d", []string{"01", "02"}[i%2], i, i/2%2) })
		s, _, err := wholeOf(t, text, Options{Prepare: true})
		if err != nil || !slices.Equal(s.Table.Columns[0].Levels, []string{"01", "02"}) {
			t.Errorf("%s: %+v, %v", spelled, s.Table, err)
		}
	}
	text := "x,z,label\n" + rowsOf(20, func(i int) string { return fmt.Sprintf("%d,%d.5,%d", []int{-999, i}[min(1, i%5)], i*i%7, i%2) })
	for _, mark := range []string{"-999", " -999 ", "x= -999"} {
		s, _, err := wholeOf(t, text, Options{Prepare: true, Marks: []string{mark}})
		if err != nil || s.Rows.Dense.At(0, 0) == -999 {
			t.Errorf("%q: %v, %v", mark, s, err)
		}
	}
}
