package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// TestQuery: what a query asks for is done, or refused with a remedy that a request has.
func TestQuery(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1), "text": documents()}, Options{})
	const rows, docs = "key,u,v,w\na,1,2,3\n", "{\"X\":\"hello world\"}\n{\"X\":\"hello\"}\n"
	const escapes = "; write %25 for % and %3B for a semicolon in a value, and & between two"
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/predict/m?id=key", rows, 200, "key,prediction,"},
		{"/predict/m?id=KEY", rows, 200, "KEY,prediction,"},
		{"/predict/m?id=none", rows, 400, `body: no column "none", which id names; name one of its columns, or leave it out`},
		{"/nearest/m?id=none", rows, 400, `body: no column "none", which id names; name one of its columns, or leave it out`},
		{"/predict/m?id=key&probability", rows, 200, "key,prediction,"},
		{"/predict/m?interval=90%", rows, 400, `the query cannot be read: invalid URL escape "%"` + escapes},
		{"/predict/m?id=key;probability", rows, 400, "the query cannot be read: invalid semicolon separator in query" + escapes},
		{"/predict/m?id=key&id=u", rows, 400, `the parameter "id" is given twice; give it once`},
		{"/predict/text", docs, 200, "prediction,score\n3,3\n1,1\n"},
		{"/predict/text?format=csv", "x\nhello\n", 200, "prediction,score\n1,1\n"},
		{"/predict/text", "body\nhello\n", 400,
			`body:1: no column "x" of text; columns are body; give the column the name that GET /v2/models/NAME tells`},
	} {
		code, text := sent(s, "POST", c.path, c.body)
		if c.status == 400 {
			var got struct{ Error string }
			_ = json.Unmarshal([]byte(text), &got) // of an answer that is none it stays empty
			text = got.Error
		}
		if code != c.status || !strings.HasPrefix(text, c.want) || code == 400 && text != c.want {
			t.Errorf("%s: %d %s, want %s", c.path, code, text, c.want)
		}
	}
}

// TestFaultsOfTheServer: what is wrong with the server is told to its log, and to the client no more than that.
func TestFaultsOfTheServer(t *testing.T) {
	var log bytes.Buffer
	s := started(t, map[string]*model.Model{"m": three(1)},
		Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	for path, err := range map[string]error{
		"/file":  fmt.Errorf("held: %w", &fs.PathError{Op: "open", Path: "/secret/place", Err: errors.New("no room")}),
		"/queue": rowFault(errPanicked, 0),
	} {
		log.Reset()
		s.handle("GET "+path, true, func(*recorder, *http.Request) error { return err })
		code, text := sent(s, "GET", path, "")
		if code != 500 || text != `{"error":"internal error; the server's log has more"}`+"\n" ||
			!strings.Contains(log.String(), "GET "+path) || !strings.Contains(log.String(), err.Error()) {
			t.Errorf("%s: %d %s, the log has %s", path, code, text, log.String())
		}
	}
}

// TestMemoryOfOne: a body that alone needs more memory than there is at all need not be tried again.
func TestMemoryOfOne(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1)}, Options{Memory: 1 << 20})
	body := "u,v,w\n" + strings.Repeat("1,2,3\n", 50_000)
	const want = "what is made of the body needs more memory than the 1048576 bytes of --memory; send fewer rows"
	if code, text := sent(s, "POST", "/predict", body); code != 413 || !strings.Contains(text, want) {
		t.Errorf("%d %s", code, text)
	}
}

// TestExactNumbers: whole numbers that another one may have been rounded to are refused, and truths that are no numbers of their type.
func TestExactNumbers(t *testing.T) {
	s := started(t, map[string]*model.Model{"n": number()}, Options{})
	for _, c := range []struct {
		datatype, data string
		status         int
		want           string
	}{
		{"INT64", "9007199254740991,-9007199254740991", 200, ""},
		{"INT64", "1,9007199254740993", 400, "row 1, column 2: "},
		{"UINT64", "9007199254740992,1", 400, "row 1, column 1: "},
		{"BOOL", "true,0", 200, ""},
		{"FP64", "1,false", 400, `row 1, column 2: true or false, with datatype "FP64"; give 1 or 0, or BOOL`},
		{"INT8", "true,1", 400, `row 1, column 1: true or false, with datatype "INT8"; give 1 or 0, or BOOL`},
	} {
		code, text := sent(s, "POST", "/v2/models/n/infer",
			`{"inputs":[{"name":"x","shape":[1,2],"datatype":"`+c.datatype+`","data":[`+c.data+`]}]}`)
		if text = strings.ReplaceAll(text, `\"`, `"`); code != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %d %s", c.datatype, c.data, code, text)
		}
	}
}

// TestViewsOfSparseRows: a model of several views of numbered columns takes the input that it tells of, in which a view may be missing.
func TestViewsOfSparseRows(t *testing.T) {
	m := number()
	one := model.Linear{Weights: mat.NewDense(1, 1, []float64{2})}
	m.Parts = []model.Part{
		{View: "a", Columns: []int{0}, Functions: []model.Function{one}}, {View: "b", Columns: []int{1}, Functions: []model.Function{one}},
	}
	s := started(t, map[string]*model.Model{"vs": m}, Options{})
	if _, text := sent(s, "GET", "/v2/models/vs", ""); !strings.Contains(text, `"inputs":[{"name":"x","datatype":"FP64","shape":[-1,2]}]`) {
		t.Error(text)
	}
	a := inferred(t, s, "vs", `{"inputs":[{"name":"x","shape":[2,2],"datatype":"FP64","data":[1,null,1,3]}]}`)
	if got := fmt.Sprint(a.Outputs[0].Data); got != "[2 4]" {
		t.Error(got)
	}
}
