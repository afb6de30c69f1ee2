package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// TestScanTells: faults of a text are told with the byte, counted from 1, and the end of the text is no fault of the reader.
func TestScanTells(t *testing.T) {
	nested := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}" }
	const none = "no input"
	for _, c := range []struct{ text, want string }{
		{"", "the JSON ends at byte 1, where { is due"},
		{"{", `the JSON ends at byte 2, where " is due`},
		{"{} \n", none},
		{"{}\x00", `the JSON has "\x00" at byte 3, where the end is due`},
		{`{"a" 1}`, `the JSON has "1" at byte 6, where : is due`},
		{`{"a":1 2}`, `the JSON has "2" at byte 8, where a comma or } is due`},
		{`{"a":[1;2]}`, `the JSON has ";2" at byte 8, where a comma or ] is due`},
		{`{"a":abcdefghijklmnop}`, `the JSON has "abcdefghijkl" at byte 6, where a number is due`},
		{`{"a":abcdefghijk}`, `the JSON has "abcdefghijk" at byte 6, where a number is due`},
		{`{"a":,}`, `the JSON has ",}" at byte 6, where a number is due`},
		{`{"a":NaN}`, "NaN at byte 6 is no number of JSON; every value must be finite"},
		{`{"a":Infinity}`, "Infinity at byte 6 is no number of JSON; every value must be finite"},
		{`{"a":-Infinity}`, "- at byte 6 is no finite number"},
		{`{"a":1e999`, "1e999 at byte 6 is no finite number"},
		{`{"a":1E+999}`, "1E+999 at byte 6 is no finite number"},
		{`{"a":-` + strings.Repeat("9", 400) + "}", "-" + strings.Repeat("9", 39) + " at byte 6 is no finite number"},
		{`{"a":"b`, "the JSON ends within the string at byte 6"},
		{`{"a":"b\`, "the JSON ends within the string at byte 6"},
		{"{\"a\":\"b\nc\"}", "the JSON has a control character in the string at byte 6"},
		{`{"a":"\q"}`, "the JSON has a faulty string at byte 6"},
		{`{"a":"b\"c","d":true,"e":false,"f":null,"g":-1.5,"h":{"i":[]}}`, none},
		{nested(101), none},
		{nested(102), "the JSON nests deeper than 100"},
		{strings.Repeat(`{"a":`, deepest+3) + "1" + strings.Repeat("}", deepest+2), "the JSON nests deeper than 100"},
		{`{"inputs":[{"name":"x","name":"x"}]}`, `an input has "name" twice`},
		{`{"inputs":[{"name":"x","shape":[1]}]}`, `the input has no "datatype"`},
		{`{"inputs":[{"name":"x","shape":[1,2],"datatype":"FP64"}]}`, `the input has no "data"`},
		{`{"inputs":[{"data":[[1,2],[3]]}]}`, "row 2 of the data has 1 values, the first row has 2"},
		{`{"inputs":[{"data":[[]]}]}`, "row 1 of the data has 0 values, the first row has 0"},
	} {
		_, err := parseRequest([]byte(c.text))
		if err == nil || err.Error() != c.want && (c.want != none || !strings.HasPrefix(err.Error(), none)) {
			t.Errorf("%.60q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestNumbersInARow: the short way through a list of numbers reads what the long way reads, wherever blanks and words stand.
func TestNumbersInARow(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		text string
		want []float64
	}{
		{"[7]", []float64{7}}, {"[7,8]", []float64{7, 8}}, {"[7, 8, 9]", []float64{7, 8, 9}}, {"[7,  8 , 9 ]", []float64{7, 8, 9}},
		{"[0,-1,9,10,0.5,-2e3]", []float64{0, -1, 9, 10, 0.5, -2000}}, {"[1,null,2,true,false,3]", []float64{1, nan, 2, 1, 0, 3}},
		{"[[1,2],[3,4]]", []float64{1, 2, 3, 4}}, {"[[1],[2],[3]]", []float64{1, 2, 3}},
		{"[1,1e-400,12345678901234567890123]", []float64{1, 0, 12345678901234567890123}},
	} {
		for _, shape := range []string{"", `"shape":[1,2],`, `"shape":[1e300,-1],`} {
			s := &scanner{text: []byte("{" + shape + `"name":"x","datatype":"FP64","data":` + c.text + "}")}
			got := s.tensor()
			same := func(a, b float64) bool { return a == b || a != a && b != b }
			if !slices.EqualFunc(got.numbers, c.want, same) {
				t.Errorf("%s%s: %v, %v", shape, c.text, got.numbers, s.err)
			}
		}
	}
}

// TestRangesOfTypes: the least and the greatest number of a type are taken, the next ones are not; other types round or are unknown.
func TestRangesOfTypes(t *testing.T) {
	for name, b := range map[string][2]float64{
		"INT8": {-128, 127}, "INT16": {-32768, 32767}, "INT32": {-2147483648, 2147483647}, "INT64": {-9007199254740991, 9007199254740991},
		"UINT8": {0, 255}, "UINT16": {0, 65535}, "UINT32": {0, 4294967295}, "UINT64": {0, 9007199254740991}, "BOOL": {0, 1},
	} {
		for _, c := range []struct {
			v    float64
			want string
		}{
			{b[0], ""}, {b[1], ""}, {math.NaN(), ""}, {0.5, "is no whole number, as " + name + " has"},
			{b[0] - 2, fmt.Sprintf("is outside the whole numbers of %s that are exact, %.0f to %.0f", name, b[0], b[1])},
			{b[1] + 2, "is outside"},
		} {
			err := (&tensor{datatype: name, numbers: []float64{0, 0, 0, 1, c.v, 0}}).convert(3)
			want := fmt.Sprintf("row 2, column 2: %g %s", c.v, c.want)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
				t.Errorf("%s, %g: %v", name, c.v, err)
			}
		}
	}
	float := &tensor{datatype: "FP32", numbers: []float64{0.1, math.MaxFloat32}}
	if err := float.convert(2); err != nil || float.numbers[0] != float64(float32(0.1)) || float.numbers[1] != math.MaxFloat32 {
		t.Errorf("%v, %v", float.numbers, err)
	}
}

// TestShapes: the sizes of outputs are decimal, and one column has one size but for probabilities.
func TestShapes(t *testing.T) {
	x := mat.NewDense(11, 12, nil)
	for _, c := range []struct {
		name    string
		columns int
		want    string
	}{{"score", 12, "[11,12]"}, {"score", 1, "[11]"}, {"probability", 1, "[11,1]"}, {"score", 2, "[11,2]"}} {
		text := matrix(nil, c.name, mat.DenseCopyOf(x.Slice(0, 11, 0, c.columns)))
		var got struct {
			Name, Datatype string
			Shape          json.RawMessage
			Data           []float64
		}
		if err := json.Unmarshal(text, &got); err != nil || string(got.Shape) != c.want || got.Name != c.name || len(got.Data) != 11*c.columns {
			t.Errorf("%s of %d columns: %s, %v", c.name, c.columns, text, err)
		}
	}
}

// TestQueueTurns: at most 512 rows go together, long requests go in pieces of as many, or of 128 where runners may share them, and what
// waits goes in its order.
func TestQueueTurns(t *testing.T) {
	of := func(n int) data.Rows { return data.Rows{Dense: mat.NewDense(n, 1, nil)} }
	for _, c := range []struct {
		runners, rows int
		want          []int // in the order of size
	}{
		{1, 512, []int{512}}, {1, 513, []int{1, 512}}, {1, 1100, []int{76, 512, 512}}, {4, 128, []int{128}}, {4, 129, []int{1, 128}},
		{4, 300, []int{44, 128, 128}}, {2, 800, []int{400, 400}}, {2, 801, []int{400, 401}}, {2, 2000, []int{464, 512, 512, 512}},
	} {
		var mu sync.Mutex
		var sizes []int
		q := newQueue(summed, Options{joined: func(requests, rows int) {
			mu.Lock()
			defer mu.Unlock()
			sizes = append(sizes, rows)
		}}.withDefaults())
		q.runners, q.free = c.runners, len(c.want)
		out, err := q.outputs(t.Context(), of(c.rows))
		if n := len(sizes); err != nil || n != len(c.want) {
			t.Fatalf("%d rows: %d pieces, %v", c.rows, n, err)
		}
		slices.Sort(sizes)
		if n, _ := out.Dims(); n != c.rows || !slices.Equal(sizes, c.want) {
			t.Errorf("%d rows by %d runners: %v, %d outputs", c.rows, c.runners, sizes, n)
		}
	}
	for _, c := range []struct {
		rows []int
		want int
	}{{[]int{300, 212, 1}, 2}, {[]int{300, 213, 1}, 1}, {[]int{512, 1}, 1}, {[]int{1, 2, 3}, 3}} {
		q := newQueue(summed, Options{}.withDefaults())
		q.free = 0
		for _, n := range c.rows {
			q.waiting = append(q.waiting, &job{rows: of(n), told: make(chan turn, 1)})
		}
		first := q.waiting[0]
		q.pass()
		if got := <-first.told; len(got.jobs) != c.want || got.jobs[0] != first || len(q.waiting) != len(c.rows)-c.want || q.free != 0 {
			t.Errorf("of %v %d go together", c.rows, len(got.jobs))
		}
	}
}

// TestQueuePanics: where a prediction panics the requests that went with it are told, and the runner is free again.
func TestQueuePanics(t *testing.T) {
	q := newQueue(func(context.Context, data.Rows) (*mat.Dense, error) { panic("broken") }, Options{}.withDefaults())
	q.free = 0
	jobs := make([]*job, 3)
	for i := range jobs {
		jobs[i] = &job{rows: data.Rows{Dense: mat.NewDense(1, 1, nil)}, told: make(chan turn, 1)}
	}
	func() {
		defer func() {
			if p := recover(); p != "broken" {
				t.Errorf("the panic became %v", p)
			}
		}()
		_, err := q.run(t.Context(), jobs)
		t.Errorf("no panic, %v", err)
	}()
	for i, j := range jobs[1:] {
		select {
		case got := <-j.told:
			if got.err == nil || !errors.Is(got.err, errPanicked) || got.out != nil || got.jobs != nil {
				t.Errorf("request %d is told %+v", i+1, got)
			}
		default:
			t.Errorf("request %d waits for ever", i+1)
		}
	}
	if q.free != 1 || len(jobs[0].told) != 0 {
		t.Errorf("%d runners are free", q.free)
	}
}

// TestQueueOfFaulty: an error that many pieces have is that of the first of them, with its number among all rows.
func TestQueueOfFaulty(t *testing.T) {
	q := newQueue(func(_ context.Context, rows data.Rows) (*mat.Dense, error) {
		if rows.Dense.At(0, 0) == 0 {
			return summed(t.Context(), rows)
		}
		return nil, &model.RowError{Row: 3, What: "far"}
	}, Options{}.withDefaults())
	q.runners, q.free = 1, 1
	rows := mat.NewDense(5*joinedRows, 1, nil)
	for i := 2 * joinedRows; i < 5*joinedRows; i++ {
		rows.Set(i, 0, 1)
	}
	_, err := q.outputs(t.Context(), data.Rows{Dense: rows})
	if row, ok := err.(*model.RowError); !ok || row.Row != 2*joinedRows+3 || row.What != "far" { //nolint:errorlint // it is not wrapped
		t.Errorf("%#v", err)
	}
}

// TestRefusals: what a request may not have, and the texts that say so.
func TestRefusals(t *testing.T) {
	filled := three(1)
	filled.Fill = []float64{0.25, -0.5, 1}
	s := started(t, map[string]*model.Model{"m": three(1), "filled": filled, "n": number()}, Options{Body: 3000})
	one := input(normal(1, 3, 2))
	long := strings.Repeat(" ", 3001)
	for _, c := range []struct {
		request, body string
		status        int
		want          string
		headers       []string
	}{
		{"POST /v2/models/m/infer", one, 415, "tensors in binary form; send them as JSON",
			[]string{"Inference-Header-Content-Length", "3"}},
		{"POST /v2/models/m/infer", one, 415, "a body with Content-Encoding; send it as it is", []string{"Content-Encoding", "gzip"}},
		{"POST /v2/models/m/infer", one, 200, "", []string{"Content-Encoding", "identity"}},
		{"POST /nearest/m", long, 413, "the body has more than 3000 bytes; send fewer rows at a time", nil},
		{"POST /predict/m", long, 413, "the body has more than 3000 bytes; send fewer rows at a time", nil},
		{"POST /v2/repository/index", long, 413, "the body has more than 3000 bytes; send fewer rows at a time", nil},
		{"POST /nearest/none", one, 404, `no model "none"; there are filled, m, n`, nil},
		{"POST /predict/none", one, 404, `no model "none"; there are filled, m, n`, nil},
		{"POST /nearest/m?id=u&nope=1", one, 400, `no parameter "nope"; there are probability, interval, id and format`, nil},
		{"POST /nearest/m?interval=0.9", one, 400, `the parameter "interval" is of /predict; ` +
			"the answers here have probabilities where the model has them; leave it out", nil},
		{"POST /nearest/m?probability=", one, 400, `the parameter "probability" is of /predict; ` +
			"the answers here have probabilities where the model has them; leave it out", nil},
		{"POST /nearest/m", "u,v,w\n" + strings.Repeat("1,2,3\n", 100), 200, "", nil},
		{"POST /nearest/m", "u,v,w\n" + strings.Repeat("1,2,3\n", 101), 413,
			"more than 100 rows; the page shows so many, /predict answers more", nil},
		{"POST /predict/m?interval=0", one, 400, "interval=0; give a share between 0 and 1, as 0.9", nil},
		{"POST /predict/m?interval=1", one, 400, "interval=1; give a share between 0 and 1, as 0.9", nil},
		{"POST /predict/m?probability=false", "u,v,w\n1,2,3\n", 200, "", nil},
		{"POST /predict/n", "1 1:1e308 2:-1e308\n", 400, "row 1: " + (&model.RowError{}).Error(), nil},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		code, text := sent(s, method, path, c.body, c.headers...)
		var got struct{ Error string }
		_ = json.Unmarshal([]byte(text), &got) // of an answer that is none it stays empty
		if code != c.status || got.Error != c.want {
			t.Errorf("%s %v: %d %s, want %d %s", c.request, c.headers, code, text, c.status, c.want)
		}
	}
	// What is missing is filled in by column, in every row.
	values := func(cells string) string {
		a := inferred(t, s, "filled", `{"inputs":[{"name":"x","shape":[2,3],"datatype":"FP64","data":`+cells+`}]}`)
		return fmt.Sprint(a.Outputs[1].Data)
	}
	if got, want := values("[1,null,null,null,2,3]"), values("[1,-0.5,1,0.25,2,3]"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := New(t.Context(), []string{"m"}, Options{Token: "t\n"}); err == nil || !strings.HasPrefix(err.Error(), "white space around") {
		t.Errorf("a token that no header has: %v", err)
	}
	if _, err := New(t.Context(), nil, Options{}); err == nil || err.Error() != "no model; name a file that mercer fit -o wrote" {
		t.Errorf("no model: %v", err)
	}
}

// TestHeaders: what an answer says to browsers, proxies and clients besides its text.
func TestHeaders(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1)}, Options{Token: "secret", Memory: 30_000, Body: 100})
	s.used.Store(15_000) // of other requests
	for _, c := range []struct {
		method, path, body string
		token              bool
		status             int
		name, want         string
	}{
		{"GET", "/v2", "", false, 401, "WWW-Authenticate", `Bearer realm="mercer"`},
		{"POST", "/predict", "u", true, 503, "Retry-After", "1"},
		{"POST", "/predict", strings.Repeat("u", 101), true, 413, "Connection", "close"},
		{"GET", "/v2/health/live", "", false, 200, "X-Content-Type-Options", "nosniff"},
		{"GET", "/v2/health/live", "", false, 200, "Cache-Control", "no-store"},
		{"GET", "/v2/models/m", "", true, 200, "Content-Type", "application/json"},
		{"GET", "/v2/none", "", true, 404, "Content-Type", "application/json"},
		{"PUT", "/v2", "", true, 405, "Allow", "GET"},
		{"GET", "/predict", "", true, 405, "Allow", "POST"},
		{"GET", "/", "", false, 200, "Content-Type", "text/html; charset=utf-8"},
		{"GET", "/", "", false, 200, "Referrer-Policy", "no-referrer"},
		{"GET", "/example/m", "", true, 200, "Content-Type", "text/csv; charset=utf-8"},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		r.Host = "localhost"
		if c.token {
			r.Header.Set("Authorization", "Bearer secret")
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.status || w.Header().Get(c.name) != c.want {
			t.Errorf("%s %s: %d, %s %q", c.method, c.path, w.Code, c.name, w.Header().Get(c.name))
		}
	}
	if used := s.used.Load(); used != 15_000 {
		t.Errorf("%d bytes are not given back", used-15_000)
	}
}

// TestTold: the log and the metrics say of each request how it ended, and of a fault of the server more than the client is told.
func TestTold(t *testing.T) {
	var log bytes.Buffer
	s := started(t, map[string]*model.Model{"m": three(1)}, Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	s.handle("GET /broken", true, func(*recorder, *http.Request) error { panic("broken") })
	s.handle("GET /empty", true, func(*recorder, *http.Request) error { return nil })
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		method, path, body string
		ctx                context.Context
		status, rows       int
		level, name, text  string
	}{
		{"POST", "/v2/models/m/infer", input(normal(3, 3, 1)), t.Context(), 200, 3, "INFO", "m", ""},
		{"POST", "/predict", "u,v,w\n1,2,3\n4,5,6\n", t.Context(), 200, 2, "INFO", "m", ""},
		{"POST", "/nearest/m", "u,v,w\n1,2,3\n", t.Context(), 200, 1, "INFO", "m", ""},
		{"GET", "/v2/models/none", "", t.Context(), 404, 0, "INFO", "", `{"error":"no model \"none\"; there are m"}`},
		{"GET", "/broken", "", t.Context(), 500, 0, "WARN", "", `{"error":"internal error; the server's log has more"}`},
		{"GET", "/empty", "", t.Context(), 200, 0, "INFO", "", ""},
		{"POST", "/predict", "u,v,w\n1,2,3\n", gone, 499, 0, "INFO", "m", `{"error":"the client closed the connection"}`},
	} {
		log.Reset()
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)).WithContext(c.ctx)
		r.Host = "localhost"
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		var told struct {
			Level, Model string
			Status, Rows int
			Bytes        int
		}
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &told); err != nil {
			t.Fatal(err, log.String())
		}
		if told.Status != c.status || told.Rows != c.rows || told.Level != c.level || told.Model != c.name || told.Bytes != w.Body.Len() {
			t.Errorf("%s %s: the log has %+v of %d bytes", c.method, c.path, told, w.Body.Len())
		}
		if text := strings.TrimSpace(w.Body.String()); c.text != "" && text != c.text {
			t.Errorf("%s %s: %s, want %s", c.method, c.path, text, c.text)
		}
		if broken := c.status == 500; broken != (len(lines) == 2) || broken && !strings.Contains(lines[0], `"panic":"broken"`) {
			t.Errorf("%s %s: the log has %s", c.method, c.path, log.String())
		}
	}
	_, text := sent(s, "GET", "/metrics", "")
	for _, want := range []string{
		`mercer_rows_total{model="m"} 6`, `mercer_requests_total{route="POST /predict",status="499"} 1`,
		`mercer_requests_total{route="GET /broken",status="500"} 1`, `mercer_requests_in_flight 1`,
		`mercer_batch_requests_bucket{le="1"} 3`, `mercer_batch_requests_bucket{le="512"} 3`, `mercer_batch_requests_sum 3`,
		`mercer_request_seconds_bucket{route="GET /empty",le="0.0005"}`, `mercer_request_seconds_bucket{route="GET /empty",le="0.001"}`,
		`mercer_request_seconds_bucket{route="GET /empty",le="16.384"} 1`, `mercer_request_seconds_count{route="POST /nearest/{name}"} 1`,
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("no %s among the metrics", want)
		}
	}
}

// TestFiles: whether a file is another than the one that was read, and what is said of one that is no model.
func TestFiles(t *testing.T) {
	path := saved(t, map[string]*model.Model{"m": three(1)})[0]
	s, err := New(t.Context(), []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := s.models.files["m"][0]
	changed := func(when string, want bool) {
		t.Helper()
		if got := f.changed(); got != want {
			t.Errorf("%s: changed is %v", when, got)
		}
	}
	changed("as it was read", false)
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	changed("of another time", true)
	if _, err := f.load(t.Context(), s.o); err != nil {
		t.Fatal(err)
	}
	changed("read again", false)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	changed("longer, of the same time", true)
	f.unload()
	changed("unloaded", false)
	if err := os.WriteFile(path, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	var fault *model.FileError
	if _, err := f.load(t.Context(), s.o); !errors.As(err, &fault) || fault.File != path || strings.Count(err.Error(), path) != 1 {
		t.Errorf("no model: %v", err)
	}
	if !f.off || f.now.Load() != nil {
		t.Error("a file that cannot be read is served")
	}
	f.off = false
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	changed("gone", true)
	changed("still gone", false)
	if err := three(2).Save(path); err != nil {
		t.Fatal(err)
	}
	changed("there again", true)
	missing := path + ".none"
	_, err = New(t.Context(), []string{missing}, Options{})
	const remedy = "; give a file that mercer fit -o wrote"
	if err == nil || !strings.HasPrefix(err.Error(), missing+": ") || !strings.HasSuffix(err.Error(), remedy) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestMemoryOfBodies: a body takes five times the memory that was found for it.
func TestMemoryOfBodies(t *testing.T) {
	body := strings.Repeat(" ", 3<<19) // of which the memory is found in two steps: 1 MB, 2 MB
	for memory, want := range map[int64]int{5 << 21: http.StatusBadRequest, 5<<21 - 1: http.StatusRequestEntityTooLarge} {
		s := started(t, map[string]*model.Model{"m": three(1)}, Options{Memory: memory, Body: 4 << 20})
		for range 2 { // what a request had is given back
			if code, text := sent(s, "POST", "/v2/repository/index", body); code != want {
				t.Errorf("%d bytes of memory: %d %s, want %d", memory, code, text, want)
			}
		}
	}
}

// TestClientsThatLeave: a request whose client has gone is counted as one, and no fault of the server.
func TestClientsThatLeave(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1)}, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequest("POST", "/predict/m", strings.NewReader("u,v,w\n1,2,3\n")).WithContext(ctx)
	r.Host = "localhost"
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != 499 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestMostFields: sixty columns have a field of their own on the page, more have none.
func TestMostFields(t *testing.T) {
	for n, want := range map[int]int{60: 60, 61: 0} {
		m := number()
		m.Sparse, m.Columns = false, n
		m.Features = make([]string, n)
		for j := range m.Features {
			m.Features[j] = fmt.Sprint("c", j)
		}
		m.Parts = []model.Part{{Functions: []model.Function{model.Linear{Weights: mat.NewDense(n, 1, nil)}}}}
		s := started(t, map[string]*model.Model{"m": m}, Options{})
		var got struct{ Fields []field }
		if _, text := sent(s, "GET", "/fields/m", ""); json.Unmarshal([]byte(text), &got) != nil || len(got.Fields) != want {
			t.Errorf("%d columns: %d fields, want %d", n, len(got.Fields), want)
		}
	}
}
