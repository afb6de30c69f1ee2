package apply_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// viewsIn are views of words.
func viewsIn(t *testing.T, texts ...string) []apply.View {
	t.Helper()
	views, err := apply.ParseViews(texts)
	if err != nil {
		t.Fatal(err)
	}
	return views
}

// inFolder makes files in a folder of the test's own, and works there.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestViewsAreColumnsOrFiles: a range and a prefix are columns, anything else is a file, and neither name nor value may lack.
func TestViewsAreColumnsOrFiles(t *testing.T) {
	for text, file := range map[string]string{
		"v=1..3": "", "v=a..b": "", "v=w*": "", "v=*": "*", "v=..b": "..b", "v=a..": "a..", "v=more.csv": "more.csv", "v=../b": "../b",
		`v=a\..b`: `a\..b`, "v=a=b": "a=b",
	} {
		views := viewsIn(t, "first=1..2", text)
		if len(views) != 2 || views[1].Name != "v" || views[1].File != file || apply.InFiles(views) != (file != "") {
			t.Errorf("%s: %+v", text, views)
		}
	}
	for _, text := range []string{"", "v", "v=", "=a..b"} {
		var usage *result.UsageError
		if views, err := apply.ParseViews([]string{text}); !errors.As(err, &usage) {
			t.Errorf("%q: %v, %v", text, views, err)
		}
	}
}

// TestViewsOfColumns: columns are found by name before number, a prefix by the columns that stand side by side.
func TestViewsOfColumns(t *testing.T) {
	set := &data.Set{Source: "f.csv", Features: []string{"w1", "w2", "2", "x", "w3"}, Rows: data.Rows{Dense: mat.NewDense(1, 5, nil)}}
	for text, want := range map[string]struct {
		first, last int
		complaint   string
	}{
		"1..5": {1, 5, ""}, "w2..x": {2, 4, ""}, "w1..1": {1, 1, ""}, "1..2": {1, 3, ""}, "4..4": {4, 4, ""}, "x*": {4, 4, ""}, "w2*": {2, 2, ""},
		"4..1": {0, 0, "--view v=4..1: the last column is before the first"},
		"0..3": {0, 0, "f.csv: --view v=0..3: no column 0; give names or numbers from 1 to 5"},
		"1..6": {0, 0, "f.csv: --view v=1..6: no column 6; give names or numbers from 1 to 5"},
		"x..y": {0, 0, "f.csv: --view v=x..y: no column y; give names or numbers from 1 to 5"},
		"w*":   {0, 0, "f.csv: --view v=w*: columns w2 and w3 are not side by side; move them together"},
		"q*":   {0, 0, "f.csv: --view v=q*: no column's name begins so; give a prefix of some"},
	} {
		files := apply.Files{Views: viewsIn(t, "v="+text)}
		joined, views, err := files.Join(t.Context(), set)
		if want.complaint != "" {
			if err == nil || err.Error() != want.complaint {
				t.Errorf("%s: %v, want %s", text, err, want.complaint)
			}
			continue
		}
		if err != nil || joined != set || !reflect.DeepEqual(views, []result.View{{Name: "v", First: want.first, Last: want.last}}) {
			t.Errorf("%s: %v, %v", text, views, err)
		}
	}
	set.Features = []string{"w1", "w2", "w3", "x", "y"}
	files := apply.Files{Views: viewsIn(t, "v=w*")}
	if _, views, err := files.Join(t.Context(), set); err != nil || views[0].First != 1 || views[0].Last != 3 {
		t.Errorf("%v, %v", views, err)
	}
}

// TestViewsOfFiles: the columns of files stand behind those of the set, under the names of their views, and a model of all of
// them reads rows in that order, whichever file is named first.
func TestViewsOfFiles(t *testing.T) {
	inFolder(t, map[string]string{
		"own.csv": "a,b,y\n1,2,k\n3,4,l\n", "p.csv": "p1,y,p2\n5,k,6\n7,l,\n", "q.csv": "q\n8\n9\n", "short.csv": "q\n8\n",
		"rows.csv": "b,a\n20,10\n", "p-rows.csv": "p2,p1\n60,50\n", "q-rows.csv": "q,other\n80,1\n",
	})
	set, _, err := read.Open(t.Context(), "own.csv", read.Options{Label: "y"})
	if err != nil {
		t.Fatal(err)
	}
	files := apply.Files{Views: viewsIn(t, "p=p.csv", "q=q.csv")}
	joined, views, err := files.Join(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	wantViews := []result.View{{Name: "data", First: 1, Last: 2}, {Name: "p", First: 3, Last: 4}, {Name: "q", First: 5, Last: 5}}
	names := []string{"a", "b", "p.p1", "p.p2", "q.q"}
	if !reflect.DeepEqual(views, wantViews) || !reflect.DeepEqual(joined.Features, names) || !math.IsNaN(joined.Rows.Dense.At(1, 3)) {
		t.Errorf("%v, %v, %v", views, joined.Features, mat.Formatted(joined.Rows.Dense))
	}
	if got := joined.Rows.Dense.RawRowView(0); !reflect.DeepEqual(got, []float64{1, 2, 5, 6, 8}) {
		t.Errorf("the joined row is %v", got)
	}
	for text, want := range map[string][]result.View{
		"data=q.csv": {{Name: "data", First: 3, Last: 3}},
		"own=1..2":   {{Name: "own", First: 1, Last: 2}, {Name: "q", First: 3, Last: 3}},
	} {
		files := apply.Files{Views: viewsIn(t, text)}
		if text == "own=1..2" {
			files.Views = append(files.Views, viewsIn(t, "q=q.csv")...)
		}
		if _, views, err := files.Join(t.Context(), set); err != nil || !reflect.DeepEqual(views, want) {
			t.Errorf("%s: %v, %v", text, views, err)
		}
	}

	recipe, err := json.Marshal(result.Recipe{Views: wantViews})
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Columns: 5, Features: names, Recipe: recipe, Parts: make([]model.Part, 2)}
	for text, want := range map[string][]float64{
		"p=p-rows.csv q=q-rows.csv": {10, 20, 50, 60, 80}, "q=q-rows.csv p=p-rows.csv": {10, 20, 50, 60, 80},
	} {
		files := apply.Files{Views: viewsIn(t, strings.Fields(text)...)}
		rows, err := files.For(t.Context(), m, "rows.csv", false)
		if err != nil {
			t.Fatal(text, err)
		}
		if got := rows.Rows.Dense.RawRowView(0); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", text, got)
		}
		if len(files.Warnings) == 0 { // of the column that the model does not know
			t.Errorf("%s: the reader's warnings are lost", text)
		}
	}
	m.Features = nil
	inNumbers := apply.Files{Views: viewsIn(t, "p=p-rows.csv", "q=q.csv")}
	_, err = inNumbers.For(t.Context(), m, "rows.csv", false)
	if err == nil || !strings.HasPrefix(err.Error(), "q.csv: 2 rows, rows.csv has 1;") {
		t.Errorf("%v", err)
	}
}

// TestSparseViewsOfFiles: a column of the set that no row of a LIBSVM file has is still there before those of a view.
func TestSparseViewsOfFiles(t *testing.T) {
	inFolder(t, map[string]string{"rows.svm": "1 1:1\n", "more.svm": "1 2:7\n", "more.csv": "p,q,r\n,,\n"})
	recipe, err := json.Marshal(result.Recipe{Views: []result.View{{Name: "own", First: 1, Last: 3}, {Name: "v", First: 4, Last: 6}}})
	if err != nil {
		t.Fatal(err)
	}
	files := apply.Files{Views: viewsIn(t, "v=more.svm")}
	rows, err := files.For(t.Context(), &model.Model{Columns: 6, Sparse: true, Recipe: recipe}, "rows.svm", false)
	if err != nil {
		t.Fatal(err)
	}
	if got := rows.Rows.Sparse.ToDense().RawRowView(0); !reflect.DeepEqual(got, []float64{1, 0, 0, 0, 7, 0}) {
		t.Errorf("%v", got)
	}
	files.Views = viewsIn(t, "v=more.csv")
	rows, err = files.For(t.Context(), &model.Model{Columns: 6, Sparse: true, Recipe: recipe}, "rows.svm", false)
	if err != nil || !reflect.DeepEqual(rows.Rows.Sparse.Value, []float64{1}) {
		t.Errorf("a view that is missing: %+v, %v", rows, err)
	}
}

// TestRefusedViews: what cannot be read, joined or found in the model is refused by name.
func TestRefusedViews(t *testing.T) {
	inFolder(t, map[string]string{"own.csv": "a,y\n1,k\n3,l\n", "p.csv": "p\n5\n7\n", "short.csv": "p\n5\n"})
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	set, _, err := read.Open(t.Context(), "own.csv", read.Options{Label: "y"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"v=folder":    "folder: is a directory; name a file in it",
		"v=short.csv": "short.csv: 1 rows, own.csv has 2; a view has one row for each, in the same order",
		"v=absent":    "absent",
	} {
		files := apply.Files{Views: viewsIn(t, text)}
		if _, _, err := files.Join(t.Context(), set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	recipe, err := json.Marshal(result.Recipe{Views: []result.View{{Name: "p", First: 2, Last: 2}, {Name: "q", First: 3, Last: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Columns: 3, Features: []string{"a", "p.p", "q.p"}, Recipe: recipe}
	damaged := &model.Model{Columns: 3, Recipe: []byte("{")}
	for _, c := range []struct {
		m                 *model.Model
		name, views, want string
	}{
		{m, "own.csv", "other=p.csv", "--view other: the model has no view of that name to be given as a file"},
		{m, "own.csv", "p=1..1", "--view p: the model has no view of that name to be given as a file"},
		{m, "own.csv", "q=p.csv p=absent", "absent"},
		{m, "own.csv", "q=p.csv", "p"}, // whose columns the set itself lacks
		{m, "", "p=p.csv q=p.csv", "an empty name"},
		{m, "absent", "", "absent"},
		{damaged, "own.csv", "p=p.csv", "unexpected end of JSON input"},
	} {
		files := apply.Files{Views: viewsIn(t, strings.Fields(c.views)...)}
		if _, err := files.For(t.Context(), c.m, c.name, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.views, err, c.want)
		}
	}
	gap, err := json.Marshal(result.Recipe{Views: []result.View{{Name: "p", First: 2, Last: 2}, {Name: "q", First: 4, Last: 4}}})
	if err != nil {
		t.Fatal(err)
	}
	files := apply.Files{Views: viewsIn(t, "p=p.csv", "q=p.csv")}
	of := &model.Model{Columns: 4, Features: []string{"a", "p.p", "r.p", "q.p"}, Recipe: gap}
	if _, err := files.For(t.Context(), of, "own.csv", false); err == nil ||
		err.Error() != "--view q: the model's views came from several files; give all of them" {
		t.Errorf("%v", err)
	}
}

// TestFaultsOfFilesNameThemOnce: an error of reading says what was read, and says it once.
func TestFaultsOfFilesNameThemOnce(t *testing.T) {
	inFolder(t, map[string]string{"bad.csv": "a,y\nword,1\n"})
	var files apply.Files
	for _, name := range []string{"bad.csv", filepath.Join("no", "folder.csv")} {
		if _, err := files.Open(t.Context(), name, read.Options{}); err == nil || strings.Count(err.Error(), name) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := files.Open(stopped, "bad.csv", read.Options{})
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "bad.csv") {
		t.Errorf("stopped, the error is %v", err)
	}
}

// TestLabelled: a column of labels that was asked for is the set's, however it is spelled, or it is refused with what the set has.
func TestLabelled(t *testing.T) {
	table := &data.Set{Source: "t.csv", Features: []string{"a"}, LabelName: "Life Expectancy"}
	for _, c := range []struct {
		set        *data.Set
		name, want string
	}{
		{table, "", ""}, {table, "none", ""}, {table, "Life Expectancy", ""}, {table, " life expectancy ", ""},
		{table, "life", `t.csv: no column "life" for the label; name another with --label, or leave the flag out`},
		{&data.Set{Source: "t.csv", Features: []string{"a"}}, "y", `t.csv: no column "y" for the label; name another with --label, or ` +
			"leave the flag out"},
		{&data.Set{Source: "t.svm", LabelName: "label"}, "label", ""},
		{&data.Set{Source: "t.svm", LabelName: "label"}, "y", `t.svm: no column "y", as columns have no names: the label is the first ` +
			"number of a row; leave out --label, or give CSV"},
		{&data.Set{Source: "mails", Text: &data.Text{}, LabelName: "class"}, "y", `mails: no column "y": the labels of these documents are ` +
			`called "class"; leave out --label`},
	} {
		got := ""
		if err := apply.Labelled(c.set, c.name); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q of %s: %q, want %q", c.name, c.set.Source, got, c.want)
		}
	}
}
