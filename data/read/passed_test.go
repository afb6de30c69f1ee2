package read

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// What is no table of rows alone, and cannot be read, is refused in words that help.
func TestRowsThatAreNoneRefused(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf("%d,%d,%c", i*i%17, i*5%11, 'x'+i%2) }
	for name, c := range map[string]struct{ text, want string }{
		"marks for the cell above": {"region,n,label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("%s,%d,%c", []string{"North", `""""`, `""""`}[i%3], i*i%17, 'x'+i%2)
		}), `column "region": 13 cells are ", as for what stands above`},
		"bare marks for the cell above": {"region,n,label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("%s,%d,%c", []string{"North", `"`, `"`}[i%3], i*i%17, 'x'+i%2)
		}), "quotes stand alone in cells"},
		"bare marks in the middle": {"n,region,label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("%d,%s,%c", i*i%17, []string{"North", `"`, `"`}[i%3], 'x'+i%2)
		}), "quotes stand alone in cells"},
		"a line within the table": {"a,b,label\n" + rowsOf(20, func(i int) string {
			if i == 9 {
				return "The next figures are provisional."
			}
			return row(i)
		}), ":11:1: 1 values where the first line has 3"},
		"a line that is torn off": {"a,b,label\n" + rowsOf(20, row) + "4,7", ":22:2: 2 values where the first line has 3"},
		"columns of a fixed width": {"name          size class\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("Item no %-6d  %d %c", i, i*i%17, 'x'+i%2)
		}), "columns stand below one another"},
		"a delimiter that is not usual": {"n~size~label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("%d~%d~%c", i*i%17, i*5%11, 'x'+i%2)
		}), `say --delimiter '~'`},
		"times that have passed": {"took,n,label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("%d:%02d:00,%d,%c", i+5, i, i*i%17, 'x'+i%2)
		}), `"24:19:00" is no time of a day`},
	} {
		_, _, err := wholeOf(t, c.text, Options{Prepare: true})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// However a text is cut, notes and further lines of names are what they are, and a row far below a note makes it a fault.
func TestRowsThatAreNoneInBlocks(t *testing.T) {
	text := "a,b,label\n" + rowsOf(300, func(i int) string {
		if i%50 == 20 {
			return "a,b,label"
		}
		return fmt.Sprintf("%d,w%d,%c", i*i%17, i%3, 'x'+i%2)
	}) + "\nSource: Office of Statistics\nRevised in May of 2021\n"
	read := func(text string, block int) (*data.Set, int, []Warning, error) {
		o := Options{Prepare: true, Format: FormatCSV}
		seen, err := look(context.Background(), o, "f", func(ctx context.Context, o Options, to *sink) error {
			return parse(ctx, strings.NewReader(text), "f", o, cutting{block: block, workers: 2}, to)
		})
		if err != nil {
			return nil, 0, nil, err
		}
		line := 0
		for _, end := range seen.Ends([]string{"f"}) {
			line = end.Line
		}
		o.Until = line
		if o.Table, err = seen.Decide([]string{"f"}, o); err != nil {
			return nil, 0, nil, err
		}
		s, said, err := wholeSet(func(to *sink) error {
			return parse(context.Background(), strings.NewReader(text), "f", o, cutting{block: block, workers: 2}, to)
		})
		return s, line, said, err
	}
	for _, block := range []int{16, 64, 1000, 1 << 18} {
		s, line, said, err := read(text, block)
		if err != nil {
			t.Fatal(err)
		}
		if s.Rows.Len() != 294 || line != 303 {
			t.Errorf("blocks of %d: %d rows, notes from line %d", block, s.Rows.Len(), line)
		}
		if len(said) != 1 || said[0].Line != 22 || !strings.Contains(said[0].What, "5 further") {
			t.Errorf("blocks of %d: %v", block, said)
		}
		if _, _, _, err := read(text+"4,w1,x\n", block); err == nil || !strings.Contains(err.Error(), "f:303:1: 1 values") {
			t.Errorf("blocks of %d, a row below: %v", block, err)
		}
	}
}

// The cells of a file that is labelled are those of its rows, without what is none.
func TestCellsWithoutRowsThatAreNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.csv")
	text := "region,n,label\n---,---,---\n" + rowsOf(24, func(i int) string {
		return map[bool]string{true: "region,n,label", false: fmt.Sprintf("%s,%d,%c", []string{"North", "South"}[i%2], i*i%17, 'x'+i%2)}[i == 10]
	}) + "Total,150,\n\nSource: Office of Statistics\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _, err := Open(t.Context(), file, Options{Prepare: true, LabelOptional: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := CellsOf(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows.Len() != 23 || len(c.Rows) != 23 || c.Rows[0][0].Text != "North" || c.Rows[22][0].Text != "South" {
		t.Errorf("%d rows, cells of %d", s.Rows.Len(), len(c.Rows))
	}
}

// TestNotesBelowTables: a sentence alone is a note, anywhere; words in half of the cells are one below a blank line or another note.
func TestNotesBelowTables(t *testing.T) {
	const sentence = "Revised last May"
	for _, c := range []struct {
		cells       string // divided by bars
		width       int
		near, apart bool // whether it is a note right below rows, and below a blank line
	}{
		{sentence, 3, true, true}, {sentence + "||", 3, true, true}, {sentence + "|x|", 3, false, false}, {sentence + "||x", 3, false, false},
		{"last May", 3, false, true}, {"last May|x", 4, false, true}, {"last May|x", 3, false, false}, {"last May|", 2, false, false},
		{sentence + "|", 2, false, false}, {sentence, 2, true, true}, {sentence, 1, false, false}, {"", 3, false, false},
		{"|" + sentence, 3, false, false}, {"7", 3, false, false}, {"\"a b c", 3, false, false}, {sentence + "|x", 5, false, true},
		{sentence + "||||x|", 6, false, false},
	} {
		var f []field
		for _, text := range strings.Split(c.cells, "|") {
			f = append(f, field{text: []byte(text)})
		}
		if near, apart := isNote(f, c.width, false), isNote(f, c.width, true); near != c.near || apart != c.apart {
			t.Errorf("%q of %d columns: %v and %v, want %v and %v", c.cells, c.width, near, apart, c.near, c.apart)
		}
	}
	if isNote(nil, 3, true) {
		t.Error("nothing is a note")
	}
}

// TestSubtotals: a row that begins with a word for a sum of rows is told by it, whatever stands before and behind.
func TestSubtotals(t *testing.T) {
	for cells, want := range map[string]bool{
		"Subtotal|1": true, "|SUB-TOTAL: all|1": true, "sub total x|1": true, "Zwischensumme|1|2": true, "sous-total|1": true,
		"tussentotaal|1": true, "subtotals|1": true, "Subtotale|1": true, "subtotalled|1": false, "total|1": false, "sum|1": false, "s|1": false,
		"": false, "|": false, "1|subtotal": false, "|subtotal": false, "su|1": false,
	} {
		var f []field
		for _, text := range strings.Split(cells, "|") {
			f = append(f, field{text: []byte(text)})
		}
		if isSubtotal(f) != want {
			t.Errorf("%q: a subtotal %v", cells, !want)
		}
	}
}

// TestEndsOfParts: the totals and notes of each file of a table are found, wherever its columns stand, and a word that other rows have
// too is none of a row of totals. What is known of ends travels.
func TestEndsOfParts(t *testing.T) {
	rows := func(from int) string {
		return rowsOf(6, func(i int) string { return fmt.Sprintf("w%d,%d,%d", i%3, from+i*i%7, i%2) })
	}
	const head = "region,n,label\n"
	for name, c := range map[string]struct {
		texts []string
		want  string
	}{
		"of the last":          {[]string{head + rows(1), head + rows(2) + "Total,99,1\n"}, "1:8"},
		"of each":              {[]string{head + rows(1) + "Total,5,0\n", head + rows(2) + "Total,99,1\n"}, "0:8 1:8"},
		"of other words":       {[]string{head + rows(1) + "Sum,5,0\n", head + rows(2) + "Total,99,1\n"}, "0:8 1:8"},
		"nothing else":         {[]string{head + rows(1), head + "Total,99,1\n"}, "1:2"},
		"notes":                {[]string{head + rows(1) + "\nSource: a census of 2021\n", head + rows(2)}, "0:9"},
		"a word of rows":       {[]string{head + "mean,5,0\n" + rows(1), head + rows(2) + "mean,99,1\n"}, ""},
		"columns not in order": {[]string{head + rows(1), "n,label,region\n4,1,w1\n,1,Total\n"}, "1:3"},
	} {
		var all *Seen
		var files []string
		for k, text := range c.texts {
			file := filepath.Join(t.TempDir(), strconv.Itoa(k)+".csv")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
			seen, err := Look(t.Context(), file, k, Options{Label: "label", Part: true})
			if err != nil {
				t.Fatal(err)
			}
			text, err := seen.GobEncode()
			if err != nil {
				t.Fatal(err)
			}
			sent := new(Seen)
			if err := sent.GobDecode(text); err != nil {
				t.Fatal(err)
			}
			if all == nil {
				all = sent
			} else if err := all.Join(sent); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, w := range all.Ends(files) {
			got = append(got, fmt.Sprintf("%d:%d", slices.Index(files, w.File), w.Line))
			seen, err := Look(t.Context(), w.File, 0, Options{Label: "label", Part: true, Until: w.Line})
			if err != nil || len(seen.Ends(files)) > 0 {
				t.Errorf("%s: looked at again until line %d: %v", name, w.Line, err)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: the files end at %v, want %s", name, got, c.want)
		}
	}
}

// TestPartsWithoutValues: rows of a part that have no value are left out, and said, and numbers that look like codes are known.
func TestPartsWithoutValues(t *testing.T) {
	for text, coded := range map[string]bool{"a,b,label\n1,2,5\n,,\n3,0.5,7\n,,\n": false, "a,b,label\n1,2,5\n,,\n3,04,7\n,,\n": true} {
		set, said, err := wholeOf(t, text, Options{Part: true})
		if err != nil || set.Rows.Len() != 2 || !strings.Contains(fmt.Sprint(said), "left out: 2 rows without any value") {
			t.Errorf("%q: %v, %v", text, said, err)
		} else if set.Coded != coded {
			t.Errorf("%q: codes are %v", text, set.Coded)
		}
	}
}
