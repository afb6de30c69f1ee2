package serve

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// linear is a regression of dense columns, each with the weight of its number.
func linear(m *model.Model) *model.Model {
	w := mat.NewDense(m.Columns, 1, nil)
	for j := range m.Columns {
		w.Set(j, 0, float64(j+1))
	}
	m.Method, m.Task, m.Label, m.Scaling = "rls", data.Regression, "label", data.Scaling{Kind: data.ScaleNone}
	m.Parts = []model.Part{{Functions: []model.Function{model.Linear{Weights: w}}}}
	return m
}

// documents is a regression of two words.
func documents() *model.Model {
	return linear(&model.Model{Columns: 2, Features: []string{"hello", "world"}, Sparse: true, Text: &data.Text{Column: "x", NGrams: 1}})
}

// words is a regression of a table of columns of words, each of which has levels a0, a1, ... b0, b1, ...
func words(columns, levels int) *model.Model {
	var list []data.Column
	for c := range columns {
		one := data.Column{Name: string(rune('a' + c)), Kind: data.KindCategory}
		for k := range levels {
			one.Levels = append(one.Levels, fmt.Sprint(one.Name, k))
		}
		list = append(list, one)
	}
	t := data.NewTable(list)
	names, _ := t.Features()
	return linear(&model.Model{Columns: len(names), Features: names, Table: t})
}

// cells is a request for rows of texts.
func cells(columns int, texts ...string) string {
	text, _ := json.Marshal(map[string]any{"inputs": []any{map[string]any{
		"name": "x", "shape": []int{len(texts) / columns, columns}, "datatype": "BYTES", "data": texts,
	}}})
	return string(text)
}

// TestAsManyAnswersAsRows: each row of an input of texts has its answer, whatever its cells would mean in a file of CSV.
func TestAsManyAnswersAsRows(t *testing.T) {
	filled := linear(&model.Model{Columns: 1, Features: []string{"u"}, Fill: []float64{3}})
	s := started(t, map[string]*model.Model{"text": documents(), "one": words(1, 2), "two": words(2, 2), "number": filled,
		"row": linear(&model.Model{Columns: 2, Features: []string{"row", "Row_"}})}, Options{})
	for _, c := range []struct {
		model string
		texts []string
		want  string
	}{
		{"text", []string{"", "hello world", " ", "\n", "hello"}, "[0 3 0 0 1]"},
		{"one", []string{"a0", "", "a1", "a", "---", "Subtotal"}, "[1 0 2 0 0 0]"},
		{"two", []string{"a0", "b1", "", "", "a", "b", "Subtotal", "b0", "---", "---", "sum", "Subtotal: 3", "# a", "b0", "sep=;", "b1"},
			"[5 0 0 3 0 0 3 4]"},
		{"two", []string{"a\n\n0", "b0", "a0", "b0", ",a0\n,", "b0", ",a0\n,", "b0"}, "[3 4 3 3]"},
		{"number", []string{"1", "", "NA", "4"}, "[1 3 3 4]"},
		{"row", []string{"1", "1", "2", "2"}, "[3 6]"},
	} {
		a := inferred(t, s, c.model, cells(s.models.files[c.model][0].now.Load().width(), c.texts...))
		if got := fmt.Sprint(a.Outputs[0].Data); got != c.want || a.Outputs[0].Shape[0] != len(a.Outputs[0].Data) {
			t.Errorf("%s of %q: %v %s, want %s", c.model, c.texts, a.Outputs[0].Shape, got, c.want)
		}
	}
	// A fault is told with its row, below rows whose cells have several lines too.
	for _, c := range []struct{ texts, want string }{
		{`["1","2","x","4"]`, `row 2, column 1: column "row": "x" is no number; code text as numbers, or leave the column out`},
		{`["1","2","3","\n\n"]`, `row 2, column 2: column "Row_": missing value (empty); fill it in or remove the row`},
		{`["\n5\n","2","3","y"]`, `row 1, column 1: column "row": "\n5\n" is no number; code text as numbers, or leave the column out`},
	} {
		code, text := sent(s, "POST", "/v2/models/row/infer", `{"inputs":[{"name":"x","shape":[2,2],"datatype":"BYTES","data":`+c.texts+`}]}`)
		var got struct{ Error string }
		if err := json.Unmarshal([]byte(text), &got); err != nil || code != 400 || got.Error != c.want {
			t.Errorf("%s: %d %s, want %s", c.texts, code, text, c.want)
		}
	}
	body := `{"inputs":[{"name":"x","shape":[3,2],"datatype":"BYTES","data":["a\n0","b0","a0","b0","a0","q"]}]}`
	if got := warned(s, "/v2/models/two/infer", body); got != `column "a": 1 row with words that were not learned from, such as "a\n0"; `+
		`they count as none of its words|column "b": 1 row with words that were not learned from, such as "q"; they count as none of its words` {
		t.Errorf("warnings %s", got)
	}
}

// TestWarningsInHeaders: an answer has few headers, however many columns there is something to say of.
func TestWarningsInHeaders(t *testing.T) {
	s := started(t, map[string]*model.Model{"wide": words(25, 2)}, Options{})
	for path, body := range map[string]string{
		"/v2/models/wide/infer": cells(25, make([]string, 25)...),
		"/predict":              strings.Join(s.models.files["wide"][0].now.Load().columns(), ",") + "\n" + strings.Repeat(",", 24) + "\n",
	} {
		if got := strings.Split(warned(s, path, body), "|"); len(got) != 21 || got[20] != "5 further warnings" {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// TestTypesOfJSON: a number of JSON has a decimal point, and a text the mark of the file that was learned from.
func TestTypesOfJSON(t *testing.T) {
	fill := 0.0
	table := data.NewTable([]data.Column{{Name: "a", Kind: data.KindNumber, Decimal: ",", Thousands: true, Fill: &fill},
		{Name: "b", Kind: data.KindYesNo, Levels: []string{"FALSE", "TRUE"}, Fill: &fill}})
	s := started(t, map[string]*model.Model{"comma": linear(&model.Model{Columns: 2, Features: []string{"a", "b"}, Table: table})}, Options{})
	body := `{"a":1.125,"b":true}` + "\n" + `{"a":"1.125","b":"FALSE"}` + "\n" + `{"a":"0,5","b":false}`
	if code, got := sent(s, "POST", "/predict", body); code != 200 || got != "prediction,score\n3.125,3.125\n1125,1125\n0.5,0.5\n" {
		t.Errorf("%d %q", code, got)
	}
}

// warned are the warnings of an answer.
func warned(s *Server, path, body string) string {
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Host = "localhost"
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return strings.Join(w.Header().Values("Mercer-Warning"), "|")
}

// TestPassedOverIsTold: of lines of CSV that are no rows the answer names the first of each kind.
func TestPassedOverIsTold(t *testing.T) {
	s := started(t, map[string]*model.Model{"two": words(2, 2)}, Options{})
	got := warned(s, "/predict", "a,b\na0,b0\nSubtotal,b0\na,b\na1,b1\nsubtotal,1\n")
	if want := "line 4: the names stand here again: no row, and passed over|line 3: a subtotal is no row and is passed over, as 1 further " +
		"ones are"; !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRowsOfFaults: a row without a prediction is counted from the first of all rows.
func TestRowsOfFaults(t *testing.T) {
	s := started(t, map[string]*model.Model{"n": number()}, Options{})
	_, text := sent(s, "POST", "/predict", strings.Repeat("1 1:1\n", 9000)+"1 1:1e308 2:-1e308\n")
	if !strings.Contains(text, `"error":"row 9001: `) {
		t.Error(text)
	}
}

// TestPackedBodies: a body that is packed is refused, whatever its headers say.
func TestPackedBodies(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1)}, Options{})
	var gz, archive bytes.Buffer
	z := gzip.NewWriter(&gz)
	a := zip.NewWriter(&archive)
	in, err := a.Create("t.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []interface{ Write([]byte) (int, error) }{z, in} {
		if _, err := w.Write([]byte("u,v,w\n1,2,3\n")); err != nil {
			t.Fatal(err)
		}
	}
	if z.Close() != nil || a.Close() != nil {
		t.Fatal("not packed")
	}
	for _, path := range []string{"/predict", "/nearest/m", "/v2/models/m/infer", "/v2/repository/index"} {
		for name, body := range map[string]string{"gzip": gz.String(), "zip": archive.String()} {
			code, text := sent(s, "POST", path, body)
			if want := `{"error":"a body packed as ` + name + `; unpack it, and send it as it is"}`; code != 415 || strings.TrimSpace(text) != want {
				t.Errorf("%s to %s: %d %s, want %s", name, path, code, text, want)
			}
		}
	}
}

// TestMemoryOfNumbers: what is made of a body is counted before it is made, and given back.
func TestMemoryOfNumbers(t *testing.T) {
	s := started(t, map[string]*model.Model{"wide": words(20, 65), "sparse": number()}, Options{Memory: 8 << 20})
	wide := s.models.files["wide"][0].now.Load()
	rows := func(n int) string {
		return strings.Join(wide.columns(), ",") + strings.Repeat("\n"+strings.Repeat(",", 19), n)
	}
	texts := func(n int) string { return cells(20, make([]string, 20*n)...) }
	for _, c := range []struct {
		path, body string
		want       int
	}{
		{"/predict/wide", rows(100), 200}, {"/predict/wide", rows(1000), 413}, {"/nearest/wide", rows(1000), 413},
		{"/v2/models/wide/infer", texts(100), 200}, {"/v2/models/wide/infer", texts(1000), 413},
		{"/predict/wide", strings.Repeat("a,", 50000) + "\n1\n", 413}, {"/predict/wide", "Title\n" + strings.Repeat("a;", 50000) + "\n1\n", 413},
		{"/predict/sparse", strings.Repeat("1 1:1\n", 10000), 200}, {"/predict/sparse", "[" + strings.Repeat(`{"a":1},`, 10000), 400},
	} {
		code, text := sent(s, "POST", c.path, c.body)
		if code != c.want || code == 413 && !strings.Contains(text, "needs more memory than the 8388608 bytes of --memory; send fewer rows or") {
			t.Errorf("%s, %d bytes: %d %.200s, want %d", c.path, len(c.body), code, text, c.want)
		}
		if used := s.used.Load(); used != 0 {
			t.Fatalf("%s: %d bytes are not given back", c.path, used)
		}
	}
	s.used.Store(7 << 20) // of other requests
	if code, text := sent(s, "POST", "/predict/wide", rows(100)); code != 503 {
		t.Errorf("beside others: %d %s", code, text)
	}
}

// TestBatchesOfColumns: as many rows are read at a time as have four million numbers, of sparse rows more.
func TestBatchesOfColumns(t *testing.T) {
	for _, c := range []struct {
		m    *model.Model
		want int
	}{
		{three(1), 8192}, {number(), 8192}, {documents(), 8192}, {&model.Model{Columns: 1 << 12}, 1 << 10}, {&model.Model{Columns: 1 << 30}, 1},
		{&model.Model{Columns: 1 << 30, Sparse: true}, 8192},
	} {
		if got := (&loaded{Model: c.m}).batch(); got != c.want {
			t.Errorf("%d columns: %d rows, want %d", c.m.Columns, got, c.want)
		}
	}
}

// TestWidest: cells count of lines of more than 4096 bytes, by the delimiter that makes the most of them, and none of JSON.
func TestWidest(t *testing.T) {
	n := strings.Repeat
	for text, want := range map[string]int{
		"": 0, "a,b\n1,2\n": 0, n("1,", 2048): 0, n("1,", 2048) + "\n": 2048, n("1;", 3000) + "\n" + n("1\t", 5000): 5000,
		n("1|", 5000) + "\n" + n("1,", 3000): 5000, n("1|", 2100) + n("1,", 2200): 2200, n("12", 5000): 0,
		`{"a":[` + n("1,", 3000) + "1]}": 0, "\n [" + n("1,", 3000) + "1]": 0,
	} {
		if got := widest([]byte(text)); got != want {
			t.Errorf("%.20q of %d bytes: %d cells, want %d", text, len(text), got, want)
		}
	}
}

// TestMemoryByHand: a request takes five bytes for each of its body, of 4096 at least, and for what is made of it 80 for each output of a
// row and one more; of text three times the numbers of each row, and 256 for each cell of a long line; 12 for each number of sparse
// rows; 16 and twice its length for each text. With a byte less of memory it is refused.
func TestMemoryByHand(t *testing.T) {
	for name, c := range map[string]struct {
		m          *model.Model
		path, body string
		made       int
	}{
		"numbers":        {three(1), "/v2/models/m/infer", input(normal(50, 3, 1)), 50 * 80 * 4},
		"sparse numbers": {number(), "/v2/models/m/infer", input(normal(50, 2, 1)), 50*80*2 + 100*12},
		"texts": {words(2, 2), "/v2/models/m/infer", cells(2, strings.Fields(strings.Repeat("a0 b1 ", 50))...), // of four numbers a row
			50*80*2 + 100*(16+2*2) + 52*(80*2+3*8*4)},
		"CSV":         {three(1), "/predict", "u,v,w\n" + strings.Repeat("1,2,3\n", 50), 52 * (80*4 + 3*8*3)},
		"a long line": {three(1), "/predict", strings.Repeat("a,", 2500) + "\n1\n", 3*(80*4+3*8*3) + 2500*256},
	} {
		memory := int64(5*max(4096, len(c.body)+1) + c.made)
		for _, less := range []int64{0, 1} {
			s := started(t, map[string]*model.Model{"m": c.m}, Options{Memory: memory - less})
			if code, text := sent(s, "POST", c.path, c.body); (code == 413) != (less == 1) {
				t.Errorf("%s, %d bytes less than %d: %d %.200s", name, less, memory, code, text)
			}
		}
	}
}
