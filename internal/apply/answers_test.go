package apply_test

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/model"
)

// full is a writer that takes so many writes, and refuses the next.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left--; f.left == -1 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

// TestAnswersInColumns: the columns of numbers, of two classes and of three, as CSV batch by batch, as columns and as an object.
func TestAnswersInColumns(t *testing.T) {
	kinds := func(calibration calibrate.Calibration, classes ...string) *model.Model {
		return &model.Model{Task: data.Classification, Classes: classes, Calibration: calibration}
	}
	for _, c := range []struct {
		name        string
		m           *model.Model
		probability bool
		bounds      []float64
		ids         []string
		out         *mat.Dense
		head, lines string
		words       []string
	}{
		{"numbers", &model.Model{Task: data.Regression}, false, nil, nil, mat.NewDense(2, 1, []float64{1.5, -2}),
			"prediction,score\n", "1.5,1.5\n-2,-2\n", nil},
		{"intervals", &model.Model{Task: data.Regression}, false, []float64{-1, 0.25}, nil, mat.NewDense(2, 1, []float64{1.5, -2}),
			"prediction,score,lower,upper\n", "1.5,1.5,0.5,1.75\n-2,-2,-3,-1.75\n", nil},
		{"two classes", kinds(calibrate.Sigmoid{Slope: 1}, "a", "b,c"), true, nil, []string{"r \"1\"", "r2"},
			mat.NewDense(2, 1, []float64{800, -800}), "key,prediction,score,probability_a,\"probability_b,c\"\n",
			"\"r \"\"1\"\"\",\"b,c\",800,P00,P01\nr2,a,-800,P10,P11\n", []string{"b,c", "a"}},
		{"three classes", kinds(nil, "a", "b", "c"), false, nil, nil, mat.NewDense(2, 3, []float64{1, 3, 2, 1, 1, 0}),
			"prediction,score_a,score_b,score_c\n", "b,1,3,2\na,1,1,0\n", []string{"b", "a"}},
	} {
		p := apply.NewAnswers(c.m, c.probability, c.bounds)
		if c.ids != nil {
			p.ID, p.IDs = "key", c.ids
		}
		if c.probability {
			of, err := c.m.Probabilities(c.out)
			if err != nil {
				t.Fatal(err)
			}
			for q, place := range []string{"P00", "P01", "P10", "P11"} {
				c.lines = strings.Replace(c.lines, place, strconv.FormatFloat(of.At(q/2, q%2), 'g', -1, 64), 1)
			}
		}
		for batch, want := range []string{c.head + c.lines, c.lines} {
			var text strings.Builder
			if err := p.Take(c.out); err != nil {
				t.Fatal(c.name, err)
			}
			if err := p.CSV(&text); err != nil || text.String() != want {
				t.Errorf("%s, batch %d: %q, %v, want %q", c.name, batch, text.String(), err, want)
			}
			if p.Rows != 2*(batch+1) {
				t.Errorf("%s: %d rows", c.name, p.Rows)
			}
		}
		object, names := p.Object(), []string{}
		for _, column := range p.Columns() {
			names = append(names, column.Name)
			var want any = column.Numbers
			if column.Words != nil {
				want = column.Words
			}
			if !reflect.DeepEqual(object[column.Name], want) || (column.Words != nil) == (column.Numbers != nil) {
				t.Errorf("%s: column %s has %v, the object %v", c.name, column.Name, want, object[column.Name])
			}
			if column.Name == "prediction" && !reflect.DeepEqual(column.Words, c.words) {
				t.Errorf("%s: %v, want %v", c.name, column.Words, c.words)
			}
		}
		if got := strings.Join(names, ","); got != strings.ReplaceAll(strings.TrimSpace(c.head), `"`, "") || object["rows"] != 4 ||
			len(object) != len(names)+1 {
			t.Errorf("%s: columns %s, object %v", c.name, got, object)
		}
		for left := range 3 {
			again := apply.NewAnswers(c.m, c.probability, c.bounds)
			again.ID, again.IDs = p.ID, p.IDs
			if err := again.Take(c.out); err != nil {
				t.Fatal(err)
			}
			if err := again.CSV(&full{left}); err == nil {
				t.Errorf("%s: a file that is full after %d writes is no error", c.name, left)
			}
		}
		all := apply.NewAnswers(c.m, c.probability, c.bounds)
		if err := errors.Join(all.Append(p), all.Append(p)); err != nil {
			t.Error(err)
		}
		joined := all.Object()
		if joined["rows"] != 4 || len(joined) != len(object) || len(all.IDs) != 2*len(c.ids) {
			t.Errorf("%s: joined %v", c.name, joined)
		}
	}
	if err := apply.NewAnswers(kinds(nil, "a", "b"), true, nil).Take(mat.NewDense(1, 1, nil)); err == nil {
		t.Error("probabilities of a model that has none")
	}
}

// TestNamesOfRowsInObjects: a column of names that is called as one of an object's own is refused.
func TestNamesOfRowsInObjects(t *testing.T) {
	m := &model.Model{Task: data.Classification, Classes: []string{"a", "b", "c"}}
	for name, want := range map[string]bool{"": true, "key": true, "rows": false, "prediction": false, "score_b": false, "score": true} {
		p, all := apply.NewAnswers(m, false, nil), apply.NewAnswers(m, false, nil)
		if p.ID = name; name != "" {
			p.IDs = []string{"first"}
		}
		if err := p.Take(mat.NewDense(1, 3, nil)); err != nil {
			t.Fatal(err)
		}
		if err := all.Append(p); (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestMatching: rows are read by the names or the number of columns of a model, as its table or as its words.
func TestMatching(t *testing.T) {
	asked := read.Options{
		Label: "y", ID: "key", Prepare: true, Given: []data.Column{{Name: "a"}}, Drop: []string{"b"}, Features: []string{"c"},
		Weight: "w", Group: "g", Text: &data.Text{Column: "own"},
	}
	table, words := data.NewTable(nil), &data.Text{Column: "document"}
	for name, c := range map[string]struct {
		text  *data.Text
		table *data.Table
		own   string // column of documents that is asked for
		want  []string
		dim   int
		of    string // column of documents that is read
	}{
		"names": {nil, nil, "", []string{"a", "b"}, 2, ""}, "table": {nil, table, "", nil, 0, ""},
		"text":                   {words, nil, "", []string{"a", "b"}, 0, "document"},
		"text of another column": {words, nil, "own", []string{"a", "b"}, 0, "own"},
	} {
		o := asked
		o.Text = nil
		if c.own != "" {
			o.Text = asked.Text
		}
		got := apply.Matching(o, []string{"a", "b"}, 2, c.text, c.table)
		if !reflect.DeepEqual(got.Want, c.want) || got.Dim != c.dim || got.Table != c.table || got.Prepare || got.Given != nil ||
			got.Drop != nil || got.Features != nil || got.Weight != "" || got.Group != "" || got.Label != "y" || got.ID != "key" {
			t.Errorf("%s: %+v", name, got)
		}
		if (got.Text == nil) != (c.of == "") || got.Text != nil && got.Text.Column != c.of || words.Column != "document" {
			t.Errorf("%s: documents of %+v", name, got.Text)
		}
	}
	m := &model.Model{Columns: 2, Features: []string{"a", "b"}, Label: "z", Fill: []float64{1, 2}, Parts: make([]model.Part, 1)}
	one := apply.Options(m, read.Options{}, true)
	if one.LabelOptional || one.Missing || !reflect.DeepEqual(one.Fill, m.Fill) || one.Label != "z" {
		t.Errorf("%+v", one)
	}
	m.Parts, m.Features = make([]model.Part, 2), nil
	if views := apply.Options(m, read.Options{}, false); !views.LabelOptional || !views.Missing || views.Fill != nil || views.Label != "" {
		t.Errorf("%+v", views)
	}
}

// TestSuitedForms: rows take the form that a model knows, with their names, and those of other columns are refused.
func TestSuitedForms(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 0, 2, 0, 3, 0})
	forms := map[bool]data.Rows{true: {Sparse: data.CSRFromDense(x), ID: []int{4, 5}}, false: {Dense: x, ID: []int{4, 5}}}
	for isSparse, rows := range forms {
		for want := range forms {
			set, err := apply.Suited(&model.Model{Columns: 3, Sparse: want}, &data.Set{Rows: rows})
			if err != nil || set.Rows.IsSparse() != want || !reflect.DeepEqual(set.Rows.ID, rows.ID) {
				t.Fatalf("sparse %v to %v: %+v, %v", isSparse, want, set, err)
			}
			got := set.Rows.Dense
			if want {
				got = set.Rows.Sparse.ToDense()
			}
			if !mat.Equal(got, x) {
				t.Errorf("sparse %v to %v: %v", isSparse, want, mat.Formatted(got))
			}
		}
		for columns, fits := range map[int]bool{2: false, 3: true, 4: isSparse} {
			_, err := apply.Suited(&model.Model{Columns: columns, Sparse: true}, &data.Set{Source: "f", Rows: rows})
			var fault *read.Error
			const remedy = "give the columns it was trained on"
			what := "3 features, the model was trained on " + strconv.Itoa(columns)
			if fits != (err == nil) || !fits && (!errors.As(err, &fault) || fault.File != "f" || fault.What != what || fault.Remedy != remedy) {
				t.Errorf("sparse %v, %d columns: %v", isSparse, columns, err)
			}
		}
		if rows.Dim() != 3 {
			t.Errorf("sparse %v: the rows have %d columns now", isSparse, rows.Dim())
		}
	}
}
