package read

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mercer-ml/mercer/data"
)

// cellsOf draws a table with a label in the last column: numbers with a point, words, dates, and missing cells.
func cellsOf(t *rapid.T) (names []string, rows [][]string) {
	n, d := rapid.IntRange(3, 30).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns")
	rows = make([][]string, n)
	word := rapid.SampledFrom([]string{"red", "dark blue", "it's", `5" wide`, "a, b", "x;y", "tab\there", "p|q", "Müller", "ß", "no", "-"})
	for c := range d {
		names = append(names, fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"size", "Größe ", "a, b", "p;q", `it's "`}).Draw(t, "name"), c))
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		missing := rapid.Bool().Draw(t, "missing")
		for i := range rows {
			cell := ""
			switch kind {
			case 0:
				cell = strconv.FormatFloat(float64(rapid.IntRange(-99999, 99999).Draw(t, "number"))/100, 'f', 2, 64)
			case 1:
				cell = strconv.Itoa(rapid.IntRange(-500, 500).Draw(t, "whole"))
			case 2:
				cell = word.Draw(t, "word")
			case 3:
				cell = fmt.Sprintf("20%02d-%02d-%02d", rapid.IntRange(0, 30).Draw(t, "year"), rapid.IntRange(1, 12).Draw(t, "month"),
					rapid.IntRange(1, 28).Draw(t, "day"))
			}
			if missing && i > 0 && rapid.IntRange(0, 4).Draw(t, "empty") == 0 {
				cell = ""
			}
			rows[i] = append(rows[i], cell)
		}
	}
	names = append(names, "label")
	for i := range rows {
		rows[i] = append(rows[i], []string{"yes", "no", "perhaps"}[i%3])
	}
	return names, rows
}

// spelling is a dialect.
type spelling struct {
	delim, quote byte
	comma        bool // decimal
	end, above   string
	all, least   bool // words are in quotes whether or not they need it, or only where this dialect needs it
}

func spellingOf(t *rapid.T) spelling {
	s := spelling{
		delim: rapid.SampledFrom([]byte(delimiters)).Draw(t, "delimiter"),
		quote: '"',
		end:   rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end"),
		above: rapid.SampledFrom([]string{"", "", "\xef\xbb\xbf", "A title\n\n", "# made by a program\n"}).Draw(t, "above"),
		all:   rapid.Bool().Draw(t, "all"),
		least: rapid.Bool().Draw(t, "least"),
	}
	s.comma = s.delim != ',' && rapid.Bool().Draw(t, "comma")
	return s
}

// write writes a table as the dialect has it.
func (s spelling) write(names []string, rows [][]string) []byte {
	var b bytes.Buffer
	b.WriteString(s.above)
	for i := -1; i < len(rows); i++ {
		cells := names
		if i >= 0 {
			cells = rows[i]
		}
		for c, cell := range cells {
			if c > 0 {
				b.WriteByte(s.delim)
			}
			_, number := data.Number(cell)
			if number && s.comma {
				cell = strings.Replace(cell, ".", ",", 1)
			}
			need := "\"'#,;\t| "
			if s.least {
				need = string(rune(s.quote)) + string(rune(s.delim))
			}
			if strings.ContainsAny(cell, need) && !number || s.all && !number && cell != "" {
				q := string(rune(s.quote))
				cell = q + strings.ReplaceAll(cell, q, q+q) + q
			}
			b.WriteString(cell)
		}
		b.WriteString(s.end)
	}
	return b.Bytes()
}

// asked are the flags that say all of it.
func (s spelling) asked() Dialect {
	d := Dialect{Delimiter: string(rune(s.delim)), Quote: string(rune(s.quote)), Header: "1", Decimal: "point"}
	if s.delim == '\t' {
		d.Delimiter = "tab"
	}
	if s.comma {
		d.Decimal = "comma"
	}
	if strings.HasPrefix(s.above, "#") {
		d.Skip = "1"
	} else if strings.HasPrefix(s.above, "A") {
		d.Skip = "2"
	}
	return d
}

// sameTable says in what two readings of a table differ, but for how numbers are spelled.
func sameTable(a, b *data.Set) string {
	for _, both := range [][2]any{{a.Features, b.Features}, {a.Answers, b.Answers}, {a.LabelName, b.LabelName}} {
		if !reflect.DeepEqual(both[0], both[1]) {
			return fmt.Sprintf("%q, and %q", both[0], both[1])
		}
	}
	n, d := a.Rows.Dense.Dims()
	if m, e := b.Rows.Dense.Dims(); m != n || d != e {
		return fmt.Sprintf("%d x %d, and %d x %d", n, d, m, e)
	}
	for i := range n {
		for j := range d {
			if x, y := a.Rows.Dense.At(i, j), b.Rows.Dense.At(i, j); x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
				return fmt.Sprintf("row %d of %q: %v, and %v", i, a.Features[j], x, y)
			}
		}
	}
	return ""
}

// TestTablesOfAnyKinds: a table is read alike in whatever dialect it is written, or refused; with flags that say the dialect it is read.
func TestTablesOfAnyKinds(t *testing.T) {
	tables, refused, faulty := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		names, rows := cellsOf(t)
		s := spellingOf(t)
		read := func(text []byte, d Dialect) (*data.Set, error) {
			set, _, err := Open(t.Context(), "-", Options{Prepare: true, Dialect: d, Stdin: bytes.NewReader(text)})
			return set, err
		}
		usual := spelling{delim: ',', quote: '"', end: "\n"}
		want, err := read(usual.write(names, rows), usual.asked())
		if err != nil {
			faulty++
			return // as of two notations of numbers
		}
		text := s.write(names, rows)
		set, err := read(text, s.asked())
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if what := sameTable(set, want); what != "" {
			t.Fatalf("%s as asked: %s", text, what)
		}
		tables++
		if set, err = read(text, Dialect{}); err != nil {
			refused++
			return
		}
		if what := sameTable(set, want); what != "" {
			t.Fatalf("%s: %s", text, what)
		}
	})
	if 20*refused > tables || faulty > tables {
		t.Errorf("%d of %d tables are refused, and %d of the usual dialect", refused, tables, faulty)
	}
}

// TestGuessesAreRefuted: a row beyond the lines that a dialect was guessed from, which is cut otherwise, is refused with its line.
func TestGuessesAreRefuted(t *testing.T) {
	const many = 2000 // lines, more than are looked at
	rows := func(from int) string {
		return rowsOf(many, func(i int) string { return fmt.Sprintf("%d.5,%s,%d", from+i, []string{"red", "blue"}[i%2], i%7) })
	}
	other := func(delim string) string {
		return strings.ReplaceAll(strings.ReplaceAll(rows(0), ",", delim), ".", ",")
	}
	for name, c := range map[string]struct {
		text string
		line int
	}{
		"semicolons":         {"a,b,y\n" + rows(0) + "1;red;2\n", many + 2},
		"two dialects":       {"a,b,y\n" + rows(0) + "a;b;y\n" + other(";"), many + 2},
		"tabs":               {strings.ReplaceAll("a,b,y\n"+rows(0), ",", "\t") + "1,red,2\n", many + 2},
		"two tables":         {"a,b,y\n" + rows(0) + "\na,b\n1,2\n", many + 3},
		"a row or a comment": {"# made by a program\na,b,y\n" + rows(0) + "#5.5,red,1\n", many + 3},
		"decimal comma":      {"a,b,y\n" + rows(0) + "\"1,25\",red,1\n", many + 2},
		"a letter":           {"a,b,y\n" + rows(0) + "1O5,red,1\n", many + 2},
		"a quote":            {"a,b,y\n" + rows(0) + "1,\"red,1\n", many + 2},
		"a value more":       {"a,b,y\n" + rows(0) + "1,red,1,2\n", many + 2},
		"UTF-16":             {"a,b,y\n" + rows(0) + "1\x00,\x00r\x00,\x001\x00\n", many + 2},
	} {
		_, _, err := wholeOf(t, c.text, Options{Prepare: true})
		var fault *Error
		if !errors.As(err, &fault) || fault.Line != c.line || fault.Remedy == "" {
			t.Errorf("%s: %v, not of line %d", name, err, c.line)
		}
	}
}
