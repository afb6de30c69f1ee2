package mercer_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
)

// file writes a file of rows and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Columns of further files are found by their names, and words mean what they mean in the first file.
func TestOpenMatchesFiles(t *testing.T) {
	known := file(t, "known.csv", orders)
	more := file(t, "more.csv", "price,outcome,colour,size\n31,lost,red,M\n72,,blue,L\n")
	test := file(t, "test.csv", "outcome,size,price,colour\nkept,S,21,red\nreturned,L,75,blue\n")
	var r mercer.Recipe
	in, warnings, err := mercer.Open(t.Context(), mercer.Files{Data: known, Unlabelled: more, Test: test}, &r)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if n := in.Set.Rows.Len(); n != 14 || in.Set.Answers[12] != "" || in.Set.Answers[13] != "" || in.Hidden != nil {
		t.Errorf("%d rows, answers %q, hidden %q", n, in.Set.Answers, in.Hidden)
	}
	at := func(rows data.Rows, name string, i int) float64 {
		return rows.Dense.At(i, slices.Index(in.Set.Features, name))
	}
	if v := at(in.Set.Rows, "price", 12); v != 31 {
		t.Errorf("price %g in features %q", v, in.Set.Features)
	}
	if v := at(in.Test.Rows, "price", 1); v != 75 || in.Test.Answers[1] != "returned" {
		t.Errorf("price %g of the test, answers %q", v, in.Test.Answers)
	}
	for _, name := range in.Set.Features {
		if at(in.Test.Rows, name, 1) != at(in.Set.Rows, name, 8) { // L,blue,75 stands in both
			t.Errorf("%s is read otherwise in the test", name)
		}
	}
}

// Labels that are hidden are those that data.Draw leaves out, and no label is lost.
func TestOpenHidesLabels(t *testing.T) {
	known := file(t, "known.csv", orders)
	whole, _, err := mercer.Open(t.Context(), mercer.Files{Data: known}, &mercer.Recipe{})
	if err != nil {
		t.Fatal(err)
	}
	kept := file(t, "kept.txt", "0 3\n11\n")
	for name, files := range map[string]mercer.Files{
		"by their number": {LabelledRows: kept},
		"drawn":           {Labels: 5, Seed: 3},
		"of each class":   {LabelsPerClass: 2, Seed: 3},
	} {
		files.Data = known
		in, _, err := mercer.Open(t.Context(), files, &mercer.Recipe{})
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for i, a := range in.Set.Answers {
			if a != "" {
				seen++
			}
			if a+in.Hidden[i] != whole.Set.Answers[i] {
				t.Errorf("%s: row %d has label %q and hides %q, of %q", name, i, a, in.Hidden[i], whole.Set.Answers[i])
			}
		}
		if want := map[string]int{"by their number": 3, "drawn": 5, "of each class": 4}[name]; seen != want {
			t.Errorf("%s: %d labels are seen, want %d", name, seen, want)
		}
	}
}

// Views are parts of the columns or files beside them, for new rows too.
func TestOpenViews(t *testing.T) {
	pages := file(t, "pages.csv", "a,b,label\n1,2,x\n2,1,x\n8,9,y\n9,8,y\n1,1,x\n9,9,y\n")
	links := file(t, "links.csv", "p,q\n0,1\n1,0\n5,6\n6,5\n1,1\n6,6\n")
	var r mercer.Recipe
	in, _, err := mercer.Open(t.Context(), mercer.Files{Data: pages, Views: []string{"links=" + links}}, &r)
	if err != nil {
		t.Fatal(err)
	}
	want := []mercer.View{{Name: "data", First: 1, Last: 2}, {Name: "links", First: 3, Last: 4}}
	if !slices.Equal(r.Views, want) || in.Set.Rows.Dim() != 4 || in.Set.Rows.Dense.At(2, 3) != 6 {
		t.Errorf("views %v of %d columns", r.Views, in.Set.Rows.Dim())
	}
	r.Method, r.Tune = "lap-rls", "none"
	m, _, err := mercer.Fit(t.Context(), *in, r, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := mercer.OpenFor(t.Context(), m, pages, read.Options{}, "links="+links)
	if err != nil || again.Rows.Dense.At(2, 3) != 6 {
		t.Fatal(err)
	}
	if _, _, err := mercer.OpenFor(t.Context(), m, pages, read.Options{}, "words="+links); err == nil {
		t.Error("a view that the model does not have was read")
	}
}

// A row is made of the words of its cells, in any order; what it does not name is a missing cell.
func TestRowsFor(t *testing.T) {
	in, _, err := mercer.Open(t.Context(), mercer.Files{Data: file(t, "known.csv", orders)}, &mercer.Recipe{})
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := mercer.Fit(t.Context(), *in, mercer.Recipe{Method: "rls"}, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := mercer.RowsFor(t.Context(), m, map[string]string{"price": "23", "size": "M", "colour": "red", "note": "of no column"},
		map[string]string{"size": "L", "colour": "blue", "price": "79"})
	if err != nil {
		t.Fatal(err)
	}
	classes, err := m.Classify(t.Context(), rows)
	if err != nil || !slices.Equal(classes, []string{"kept", "returned"}) {
		t.Errorf("%v, %v", classes, err)
	}
	// Of a column with gaps alone no row is lost.
	var r mercer.Recipe
	gaps := "row,kind\n1,a\n2,a\n,a\n8,b\n9,b\n,b\n1.5,a\n8.5,b\n2.5,a\n7.5,b\n"
	in, _, err = mercer.Open(t.Context(), mercer.Files{Data: file(t, "gaps.csv", gaps)}, &r)
	if err != nil {
		t.Fatal(err)
	}
	r.Method = "rls"
	single, _, err := mercer.Fit(t.Context(), *in, r, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := mercer.RowsFor(t.Context(), single, map[string]string{"row": "1"}, map[string]string{"row": ""}, nil); err != nil ||
		rows.Len() != 3 {
		t.Errorf("%d rows of 3, %v", rows.Len(), err)
	}
	if _, err := mercer.RowsFor(t.Context(), m, map[string]string{"price": "dear", "size": "M"}); err == nil ||
		!strings.Contains(err.Error(), "price") {
		t.Errorf("a word for a number: %v", err)
	}
}

// A request that cannot be met is a *UsageError, a fault of a file names its line.
func TestOpenFaults(t *testing.T) {
	known := file(t, "known.csv", orders)
	var wrong *mercer.UsageError
	for name, files := range map[string]mercer.Files{
		"no name":             {},
		"two ways":            {Data: known, Labels: 4, LabelsPerClass: 2},
		"below one":           {Data: known, Labels: -1},
		"one label":           {Data: known, Labels: 1},
		"no view":             {Data: known, Views: []string{"links"}},
		"view without a file": {Data: known, Views: []string{"links=" + known}, Test: known},
	} {
		if _, _, err := mercer.Open(t.Context(), files, &mercer.Recipe{}); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var place *read.Error
	broken := file(t, "broken.csv", "a,b\n1,2\n1\n")
	if _, _, err := mercer.Open(t.Context(), mercer.Files{Data: broken}, &mercer.Recipe{}); !errors.As(err, &place) || place.Line != 3 {
		t.Errorf("a short line: %v", err)
	}
	var of *mercer.SetError
	prices := file(t, "prices.csv", "size,price\n1,10.5\n2,20.25\n3,29.75\n")
	other := file(t, "other.csv", "size,price\n2,21.5\n3,dear\n")
	if _, _, err := mercer.Open(t.Context(), mercer.Files{Data: prices, Test: other}, &mercer.Recipe{}); !errors.As(err, &of) ||
		of.Set.Source != other {
		t.Errorf("a word for a number: %v", err)
	}
}
