package read

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// TestGivenRoles: a flag that names another column than the given ones for a part leaves theirs to its cells, so that the table is right.
func TestGivenRoles(t *testing.T) {
	text := "id,y2,g,w,y1\n" + rowsOf(20, func(i int) string {
		return fmt.Sprintf("r%d,%d,%d,%d,%s", i, i%3, i%5, 1+i%2, []string{"u", "v"}[i%2])
	})
	given := []data.Column{{Name: "id", Kind: data.KindID}, {Name: "y1", Kind: data.KindLabel}, {Name: "w", Kind: data.KindWeight}}
	s, _, err := wholeOf(t, text, Options{Prepare: true, Label: "y2", Weight: "g", Given: given})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Table.Check(); err != nil || s.LabelName != "y2" || given[1].Kind != data.KindLabel {
		t.Errorf("%v, %+v", err, s.Table.Columns)
	}
	if got := fmt.Sprint(s.Features); got != "[w y1=u y1=v]" {
		t.Errorf("features %s", got)
	}
}

// TestMistypedParts: a flag that names no column is refused where rows are learned from, though their labels may lack; case and blanks
// are forgiven; rows for a model may lack their names.
func TestMistypedParts(t *testing.T) {
	text := "name,patient,a,b\nr,p,1,2\ns,q,3,5\nu,q,4,5\n"
	_, _, err := wholeOf(t, text, Options{Prepare: true, LabelOptional: true, LabelNamed: true, Group: "patint"})
	failtest.Refused(t, err, `standard input:1: no column "patint", which --group names; did you mean patient?; columns are name, patient, `+
		`a, b; name one of them`)
	s, _, err := wholeOf(t, text, Options{Prepare: true, LabelOptional: true, LabelNamed: true, ID: "Name", Group: " patient"})
	if err != nil || fmt.Sprint(s.ID, s.Group) != "[r s u] [p q q]" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, _, err = wholeOf(t, text, Options{Want: []string{"a", "b"}, LabelOptional: true, ID: "patint"}); err != nil {
		t.Error(err)
	}
}

// TestMistypedMarks: --missing names a column whatever its case, and one that is not there is said.
func TestMistypedMarks(t *testing.T) {
	text := "age,b,label\n" + rowsOf(12, func(i int) string { return fmt.Sprintf("%d,%d,x", []int{-99, 4, 5}[i%3], i*i%7) })
	s, w, err := wholeOf(t, text, Options{Prepare: true, Marks: []string{"Age=-99"}})
	if err != nil || s.Features[1] != "age missing" || len(w) > 0 {
		t.Errorf("%v, %v, %v", s, w, err)
	}
	_, w, err = wholeOf(t, text, Options{Prepare: true, Marks: []string{"aeg=-99"}})
	if err != nil || !strings.Contains(fmt.Sprint(w), `no column "aeg", which --missing names`) {
		t.Errorf("%v, %v", w, err)
	}
}

// TestMissingGroups: rows whose group is missing have a group each.
func TestMissingGroups(t *testing.T) {
	s, _, err := wholeOf(t, "a,g,label\n1,NA,x\n2,?,y\n3,p,x\n4,,y\n", Options{Prepare: true, Group: "g"})
	if err != nil || fmt.Sprintf("%q", s.Group) != `["" "" "p" ""]` {
		t.Errorf("%q, %v", s.Group, err)
	}
}

// TestOrderAsGiven: what is said of the column of places holds for it as for others: the format of dates and the decimal mark.
func TestOrderAsGiven(t *testing.T) {
	text := "when,a,label\n02/01/2006,1,x\n01/02/2006,2,y\n03/01/2006,3,x\n"
	s, _, err := wholeOf(t, text, Options{Prepare: true, Order: "when",
		Given: []data.Column{{Name: "when", Kind: data.KindDate, Format: "02/01/2006"}}})
	if err != nil || !(s.Order[0] < s.Order[2] && s.Order[2] < s.Order[1]) {
		t.Errorf("%v, %v", s, err)
	}
	s, _, err = wholeOf(t, "when|a|label\n1,234|1|x\n1,235|2|y\n", Options{Prepare: true, Order: "when", Dialect: Dialect{Decimal: "comma"}})
	if err != nil || fmt.Sprint(s.Order) != "[1.234 1.235]" {
		t.Errorf("%v, %v", s, err)
	}
}

// TestFewRowsForModels: rows for a model are cut alike whether they are few or many: a column of decimal commas alone, a line of units,
// names of rows as R writes them, cells in single quotes.
func TestFewRowsForModels(t *testing.T) {
	words := data.NewTable([]data.Column{{Name: "city", Kind: data.KindCategory, Levels: []string{"Bonn"}},
		{Name: "size", Kind: data.KindNumber}})
	for text, c := range map[string]struct {
		o    Options
		want string
	}{
		"size\n1,5\n2,5\n7,25\n":                 {Options{Want: []string{"size"}}, "[1.5 2.5 7.25]"},
		"size\n1,5\n2,7\n3,9\n":                  {Options{Want: []string{"size"}}, "[5 7 9]"},
		"depth,temp\nm,C\n1,20\n":                {Options{Want: []string{"depth m", "temp C"}}, "[1 20]"},
		"depth,temp\n1,20\n":                     {Options{Want: []string{"depth", "temp"}}, "[1 20]"},
		"\"a\" \"b\"\n\"17\" 1 2\n":              {Options{Want: []string{"a", "b"}}, "[1 2]"},
		"city,kind,size\n'Bonn','a b',3\n":       {Options{Table: words}, "[1 3]"},
		"city,kind,size\nBonn,'s Gravenland,3\n": {Options{Table: words}, "[1 3]"},
	} {
		c.o.LabelOptional = true
		s, _, err := wholeOf(t, text, c.o)
		if err != nil || fmt.Sprint(s.Rows.Dense.RawMatrix().Data) != c.want {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

// TestFirstRowsOfWords: a first row that counts up is one of data where its answer stands below again, and a line of names that stands
// again among words is no row.
func TestFirstRowsOfWords(t *testing.T) {
	s, _, err := wholeOf(t, "0,1,yes\n1,1,no\n0,0,no\n1,0,yes\n0,1,no\n", Options{})
	if err != nil || s.Rows.Len() != 5 {
		t.Errorf("%v, %v", s, err)
	}
	s, _, err = wholeOf(t, "0,1,class\n1,1,no\n0,0,no\n1,0,yes\n0,1,no\n", Options{})
	if err != nil || s.Rows.Len() != 4 {
		t.Errorf("%v, %v", s, err)
	}
	s, _, err = wholeOf(t, "größe,farbe,label\nklein,rot,x\ngroß,blau,y\ngröße,farbe,label\nklein,blau,x\n", Options{Prepare: true})
	if err != nil || s.Rows.Len() != 3 || s.LabelName != "label" {
		t.Errorf("%v, %v", s, err)
	}
}
