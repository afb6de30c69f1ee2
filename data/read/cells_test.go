package read_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
)

// TestCells: cells are those of the rows that are learned from; written with labels the file is as it was but for these.
func TestCells(t *testing.T) {
	for name, c := range map[string]struct {
		o        read.Options
		text     string
		cell     string // of row 1, column 0
		labels   []string
		labelled string
	}{
		"label column": {
			read.Options{}, "a,label,\"b, c\"\n1,x,2\n\n3,?,\"4\"\n5,y,6\n",
			"3", []string{"x", "", "z"}, "a,label,\"b, c\"\n1,x,2\n3,?,\"4\"\n5,z,6\n",
		},
		"no label": {
			read.Options{LabelOptional: true, LabelNamed: true}, "a;b\n1;2\n3;4\n",
			"3", []string{"x;", ""}, "a;b;kind\n1;2;\"x;\"\n3;4;\n",
		},
		"labels that are gone": { // as hidden ones; a mark of no label is spelled as it was
			read.Options{UnlabelledMark: "0"}, "a,label,b\n1,x,2\n3,0,4\n5,\"y\",6\n7,0,8\n9,?,10\n",
			"3", []string{"", "", "", "y", ""}, "a,label,b\n1,,2\n3,0,4\n5,,6\n7,y,8\n9,?,10\n",
		},
		"blanks that are gone": {read.Options{}, "a b label\n1 u x\n2 v y\n", "2", []string{"", "y"}, "a b label\n1 u \"\"\n2 v y\n"},
		"no header":            {read.Options{}, "7,2,x\n3,4,\n", "3", []string{"x", "y"}, "7,2,x\n3,4,y\n"},
		"words": {
			read.Options{}, "a,b,label\nred,\"two\nlines \"\"q\"\"\",x\n blue ,3,\ngreen,4,y\n",
			"blue", []string{"x", "y", "y"}, "a,b,label\nred,\"two\nlines \"\"q\"\"\",x\nblue,3,y\ngreen,4,y\n",
		},
		"codes": {read.Options{}, "id\tlabel\n007\tx\n010\ty\n", "010", []string{"x", "a\tb"}, "id\tlabel\n007\tx\n010\t\"a\tb\"\n"},
		"blanks": {
			read.Options{}, "a  b label\n1 u ?\n2  v x\n", "2", []string{"", "y z"}, "a b label\n1 u ?\n2 v \"y z\"\n",
		},
		"totals and empty rows": {
			read.Options{}, "sep=;\na;b;label;\n1;u;;\n;;;\n2;v;x;\nsum;;;\n", "2", []string{"y", "x"}, "a;b;label;\n1;u;y;\n2;v;x;\n",
		},
		"Latin-1": {
			read.Options{}, "a,b,label\nk\xe4se,1,x\nbrot,2,y\nk\xe4se,3,y\n",
			"brot", []string{"x", "y", "y"}, "a,b,label\nkäse,1,x\nbrot,2,y\nkäse,3,y\n",
		},
	} {
		path := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.o.Prepare = true
		set, _, err := read.Open(t.Context(), path, c.o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cells, err := read.CellsOf(t.Context(), set)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := cells.Rows[1][0].Text; got != c.cell {
			t.Errorf("%s: cell %q, want %q", name, got, c.cell)
		}
		var b strings.Builder
		if err := cells.WriteLabelled(&b, "kind", data.Answers(c.labels)); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.labelled {
			t.Errorf("%s: written\n%s\nwant\n%s", name, b.String(), c.labelled)
		}
		var fault *read.Error
		for _, text := range []string{c.text + "9,9,9\n", ""} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := read.CellsOf(t.Context(), set); !errors.As(err, &fault) {
				t.Errorf("%s: a file that is now %q: %v", name, text, err)
			}
		}
	}
	if _, err := read.Documents(context.Background(), t.TempDir()); err == nil {
		t.Error("a folder without files has documents")
	}
}
