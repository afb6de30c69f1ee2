package read

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"gonum.org/v1/gonum/mat"
)

// openText reads text as a file of that name, to learn from.
func openText(t *testing.T, name, text string, o Options) (*datum, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Prepare = true
	s, w, err := Open(t.Context(), path, o)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), path, name))
	}
	d := &datum{x: mat.DenseCopyOf(s.Rows.Dense), names: strings.Join(s.Features, "|"), label: s.LabelName,
		answers: strings.Join(s.Answers, "|")}
	for _, one := range w {
		d.said = append(d.said, strings.ReplaceAll(one.String(), path, name))
	}
	return d, nil
}

// datum is what tests compare of a set.
type datum struct {
	x                     *mat.Dense
	names, label, answers string
	said                  []string
}

// wideText is text as UTF-16 with its mark.
func wideText(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// TestFormsOfOneTable: however programs divide, end and encode a table, it is the same one.
func TestFormsOfOneTable(t *testing.T) {
	const plain = "height,width,größe,kind\n1.5,2,klein,a\n2.5,7,groß,b\n3,1,klein,a\n4.25,3,groß,b\n"
	divided := func(by string) string { return strings.ReplaceAll(plain, ",", by) }
	want, err := openText(t, "f.csv", plain, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"semicolons":        divided(";"),
		"tabs":              divided("\t"),
		"bars":              divided("|"),
		"blanks":            divided(" "),
		"runs of blanks":    "  " + strings.ReplaceAll(divided("   \t"), "\n", "  \n  "),
		"blanks, quotes":    strings.ReplaceAll(divided(" "), "klein", `"klein"`),
		"told semicolon":    "sep=;\r\n" + divided(";"),
		"told comma":        "\ufeff\"sep=,\"\n" + plain,
		"lower half first":  wideText(plain, binary.LittleEndian),
		"higher half first": wideText(divided("\t"), binary.BigEndian),
		"ends with commas":  strings.Replace(strings.ReplaceAll(plain, "\n", ",\n"), "kind,", "kind", 1),
	} {
		got, err := openText(t, "f.txt", text, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !mat.Equal(got.x, want.x) || got.names != want.names || got.label != want.label || got.answers != want.answers || len(got.said) > 0 {
			t.Errorf("%s: %q %q %q %v, want %q %q %q\n%v", name, got.names, got.label, got.answers, got.said, want.names, want.label,
				want.answers,
				mat.Formatted(got.x))
		}
	}
	for name, c := range map[string][2]string{
		"rows without a value": {plain + ",,,\n,,,\n", "f.csv: left out: 2 rows without any value"},
		"totals":               {plain + "Total:,13,,\n", `f.csv:6: the last row begins with "Total:": it has the totals and is left out`},
		"totals at the side":   {plain + ",,Summe,\n", `f.csv:6: the last row begins with "Summe": it has the totals and is left out`},
	} {
		got, err := openText(t, "f.csv", c[0], Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !mat.Equal(got.x, want.x) || got.answers != want.answers || !slices.Equal(got.said, c[1:]) {
			t.Errorf("%s: %q %q, want %q\n%v", name, got.answers, got.said, c[1:], mat.Formatted(got.x))
		}
	}
}

// TestTotalsAreRows: a word for totals is a row like others where it stands elsewhere, or more than once.
func TestTotalsAreRows(t *testing.T) {
	for _, text := range []string{
		"kind,a,y\ntotal,1,u\npart,2,v\nsum,3,u\n" + "part,4,v\n",
		"kind,a,y\ntotal,1,u\npart,2,v\npart,5,v\ntotal,3,u\n",
		"kind,a,y\npart,1,u\ntotals of a kind,2,v\n",
	} {
		got, err := openText(t, "f.csv", text, Options{})
		if n := strings.Count(text, "\n") - 1; err != nil || got.x.RawMatrix().Rows != n || len(got.said) > 0 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestNamesOfOneTable: labels are found in any case.
func TestNamesOfOneTable(t *testing.T) {
	for text, want := range map[string]string{
		"Label,u,v\na,1,2\n":      "u|v Label",
		"u,TARGET,v\n1,a,2\n":     "u|v TARGET",
		"u,label,TARGET\n1,2,3\n": "u|TARGET label",
		"PAR1,y\n1,2\n":           "PAR1 y",
		"u,u,u_2,v\n1,2,3,a\n":    "u|u_3|u_2 v",

		"Report of May\n\na,b,y\n1,2,x\n3,4,z\n": "a|b y",
	} {
		got, err := openText(t, "f.csv", text, Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if have := got.names + " " + got.label; have != want {
			t.Errorf("%q: %q, want %q", text, have, want)
		}
	}
	if got, err := openText(t, "f.csv", "u,Kind,v\n1,a,2\n", Options{Label: "kind"}); err != nil || got.label != "Kind" {
		t.Errorf("--label in another case: %v, %v", got, err)
	}
	if got, err := openText(t, "f.csv", "kind,Kind,v\n1,a,2\n", Options{Label: "Kind"}); err != nil || got.label != "Kind" {
		t.Errorf("--label as spelled: %v, %v", got, err)
	}
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{"KIND,Kind,v\n1,a,2\n", Options{Label: "kind"}, `no column "kind" for the label`},
		{"a,b,y\r1,2,x\r3,4,z\r", Options{}, "f.csv:1: lines that end with a carriage return alone; save"},
		{"PK\x03\x04\x14\x00", Options{}, "f.csv: a spreadsheet or a zip archive, not text; save the sheet as CSV"},
		{"PAR1\x15\x04\x00", Options{}, "f.csv: a Parquet file, not text; give it to mercer-arrow"},
		{"ARROW1\x00\x00", Options{}, "f.csv: an Arrow file, not text; give it to mercer-arrow"},
	} {
		if _, err := openText(t, "f.csv", c.text, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestWideText: UTF-16 is what Go's decoder makes of it, however few bytes a reading gives.
func TestWideText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for range 50 {
			var units []uint16
			var b []byte
			for range rng.IntN(6000) {
				u := uint16([]int{'a', 0xe9, 0xd83d, 0xde42, 0x8a9e, 0xd800}[rng.IntN(6)])
				units, b = append(units, u), order.AppendUint16(b, u)
			}
			want := string(utf16.Decode(units))
			for name, in := range map[string]*strings.Reader{"whole": strings.NewReader(string(b)), "bytes": strings.NewReader(string(b))} {
				w := &wide{in: in, big: order.String() == "BigEndian"}
				if name == "bytes" {
					w.in = iotest.OneByteReader(in)
				}
				var got strings.Builder
				buf := make([]byte, 7)
				var err error
				for n := 0; err == nil; got.Write(buf[:n]) {
					n, err = w.Read(buf)
				}
				if got.String() != want {
					t.Fatalf("%v, %s: %d units differ", order, name, len(units))
				}
			}
		}
	}
	if got, err := openText(t, "f.csv", "\xff\xfe"+"a\x00", Options{}); err == nil {
		t.Errorf("one column: %v", fmt.Sprint(got))
	}
}

// TestIsWide: a text of which three quarters of each other byte are NUL, and none of those between, is UTF-16 without a mark.
func TestIsWide(t *testing.T) {
	for text, want := range map[string]bool{
		"a\x00b\x00c\x00d\x00": true, "\x00a\x00b\x00c\x00d": true, "abc\x00d\x00e\x00": true, "abcdd\x00e\x00": false, "a\x00b\x00c\x00d": false,
		"a\x00b\x00c\x00\x00d": false, "abcdefgh": false, "": false, strings.Repeat("a\x00", 128) + "bcd": true,
		strings.Repeat("a\x00", 96) + strings.Repeat("bc", 32) + "\x00a": true, strings.Repeat("a\x00", 95) + strings.Repeat("bc", 33): false,
	} {
		if isWide([]byte(text)) != want {
			t.Errorf("%q is wide %v", text, !want)
		}
	}
}
