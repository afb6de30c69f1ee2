package read

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// TestMarksOfNewRows: what --missing names stands for missing cells in rows for a model too, of numbers alone and of a table, which stays
// as it was.
func TestMarksOfNewRows(t *testing.T) {
	fill := 7.0
	table := data.NewTable([]data.Column{{Name: "a", Kind: data.KindNumber, Missing: true, Fill: &fill}, {Name: "b", Kind: data.KindNumber}})
	for want, o := range map[string]Options{
		"[7 -999 2 3]":     {Want: []string{"a", "b"}, Fill: []float64{7, 8}, Marks: []string{"a=-999"}},
		"[7 8 2 3]":        {Want: []string{"a", "b"}, Fill: []float64{7, 8}, Marks: []string{"-999"}},
		"[NaN NaN 2 3]":    {Want: []string{"a", "b"}, Missing: true, Marks: []string{"-999"}},
		"[7 1 -999 2 0 3]": {Table: table, Marks: []string{"a=-999"}},
	} {
		o.LabelOptional = true
		s, _, err := wholeOf(t, "a,b\n-999.0,-999\n2,3\n", o)
		if err != nil || fmt.Sprint(s.Rows.Dense.RawMatrix().Data) != want {
			t.Errorf("%s: %+v, %v", want, s, err)
		}
	}
	if table.Columns[0].Empty != nil {
		t.Error("the table of the model has changed")
	}
	_, _, err := wholeOf(t, "a,b\n-999,1\n", Options{Want: []string{"a", "b"}, LabelOptional: true, Marks: []string{"-999"}})
	failtest.Refused(t, err, `standard input:2:1: column "a": missing value ("-999"); fill it in or remove the row`)
}

// TestDecimalCommasOfNewRows: a point between thousands is none of decimals where the file has decimal commas, for models of numbers too.
func TestDecimalCommasOfNewRows(t *testing.T) {
	s, _, err := wholeOf(t, "a;b\n1.234;2,5\n12.500;3,5\n1.500;4\n", Options{Want: []string{"a", "b"}, LabelOptional: true})
	if err != nil || fmt.Sprint(s.Rows.Dense.RawMatrix().Data) != "[1234 2.5 12500 3.5 1500 4]" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestAdviceIsFollowed: a number that is said to stand for missing cells does so when --missing names it as was said.
func TestAdviceIsFollowed(t *testing.T) {
	text := "a,c,label\n" + rowsOf(40, func(i int) string {
		if i%8 == 0 {
			return "9999999.0,u,x"
		}
		return fmt.Sprintf("%d,%s,%s", i*i%13, []string{"u", "v"}[i%2], []string{"x", "y"}[i/2%2])
	})
	_, warnings, err := wholeOf(t, text, Options{Prepare: true})
	if err != nil || !strings.Contains(fmt.Sprint(warnings), "(--missing a=9999999 if") {
		t.Fatalf("%v, %v", warnings, err)
	}
	s, warnings, err := wholeOf(t, text, Options{Prepare: true, Marks: []string{"a=9999999"}})
	if err != nil || strings.Contains(fmt.Sprint(warnings), "--missing") || s.Features[1] != "a missing" || s.Rows.Dense.At(0, 1) != 1 {
		t.Errorf("%v, %v", warnings, err)
	}
}

// TestGivenMarks: the cells that a file of columns says are missing are so, as --missing would have it.
func TestGivenMarks(t *testing.T) {
	text := "a,b,label\n" + rowsOf(20, func(i int) string {
		if i%6 == 0 {
			return "gone,-999,x"
		}
		return fmt.Sprintf("%d,%d,y", i*i%13, i)
	})
	s, warnings, err := wholeOf(t, text, Options{Prepare: true,
		Given: []data.Column{{Name: "a", Empty: []string{"gone"}}, {Name: "b", Empty: []string{"-999"}}}, Marks: []string{"gone"}})
	if err != nil || len(warnings) > 0 || fmt.Sprint(s.Features) != "[a a missing b b missing]" || s.Rows.Dense.At(0, 3) != 1 {
		t.Errorf("%+v, %v, %v", s, warnings, err)
	}
}

// TestMarksOfLabels: what stands for no label is said by another flag, and a mark of missing cells in the column of the labels is refused.
func TestMarksOfLabels(t *testing.T) {
	for _, o := range []Options{{Prepare: true}, {Label: "y"}, {Label: "Y", Prepare: true}} {
		o.Marks = []string{"-1", "y=-9"}
		_, _, err := wholeOf(t, "a,y\n1,2\n3,-9\n4,5\n", o)
		failtest.Refused(t, err, `standard input:1:2: --missing y=-9: the column has the labels; say --unlabelled-mark=-9 for those that `+
			`are none`)
	}
}

// TestCodesWithMarks: codes such as 01234 are words beside marks of missing numbers too.
func TestCodesWithMarks(t *testing.T) {
	for _, mark := range []string{"-", "unknown", ""} {
		s, _, err := wholeOf(t, "zip,x,label\n"+rowsOf(30, func(i int) string {
			zip := fmt.Sprintf("0%d", 1000+i%3)
			if i == 11 {
				zip = mark
			}
			return fmt.Sprintf("%s,%d.5,%s", zip, i*i%7, []string{"u", "v"}[i%2])
		}), Options{Prepare: true})
		if err != nil || s.Table.Columns[0].Kind != data.KindCategory || s.Features[0] != "zip=01000" && s.Features[0] != "zip=-" {
			t.Errorf("%q: %v, %v", mark, s, err)
		}
	}
}

// TestConstantsWithMarks: a column of one value stays in a table of numbers alone whatever flags say of its cells, and is left out of any
// other.
func TestConstantsWithMarks(t *testing.T) {
	text := func(cell string) string {
		return "a,b,y\n" + rowsOf(20, func(i int) string { return fmt.Sprintf("%d.5,%s,%d", i*i%7, cell, i%2) })
	}
	given := []data.Column{{Name: "a", Kind: data.KindNumber}}
	for want, list := range map[string][]Options{
		"[a b]": {{}, {Marks: []string{"-999"}}, {Given: given}}, "[a]": {{Marks: []string{"9"}}},
	} {
		for _, o := range list {
			o.Prepare = true
			if s, _, err := wholeOf(t, text("9"), o); err != nil || fmt.Sprint(s.Features) != want {
				t.Errorf("%v: %v, %v", o.Marks, s, err)
			}
		}
	}
}
