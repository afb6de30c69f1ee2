package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// normal are r x c standard normal numbers.
func normal(r, c int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

// three is a model of three classes of three columns, with probabilities.
func three(seed uint64) *model.Model {
	rows := data.Rows{Dense: normal(20, 3, seed)}
	s, _, err := data.FitScaling(data.ScaleStandard, rows)
	if err != nil {
		panic(err)
	}
	return &model.Model{
		Method: "rls", Task: data.Classification, Classes: []string{"a", "b \"q\"", "c,d"}, Label: "label", Columns: 3,
		Features: []string{"u", "v", "w"}, Scaling: s,
		Parts: model.Single([]kernel.Expansion{
			{Kernel: kernel.Gaussian{Sigma: 1}, Centres: s.Apply(rows), Coef: normal(20, 3, seed+1)},
		}, []float64{0.1, 0, -0.1}),
		Calibration: calibrate.Softmax{Temperature: 0.7},
	}
}

// number is a regression of two columns that have no names, on sparse rows.
func number() *model.Model {
	return &model.Model{
		Method: "rls", Task: data.Regression, Columns: 2, Sparse: true, Scaling: data.Scaling{Kind: data.ScaleNone},
		Parts: []model.Part{{Functions: []model.Function{model.Linear{Weights: mat.NewDense(2, 1, []float64{2, -1})}},
			Offset: []float64{0.5}}},
	}
}

// tabled is a regression of a table with a word and a number.
func tabled() *model.Model {
	zero := 0.0
	t := data.NewTable([]data.Column{
		{Name: "size", Kind: data.KindOrdered, Levels: []string{"S", "M", "L"}, Fill: &zero},
		{Name: "key", Kind: data.KindID},
		{Name: "price", Kind: data.KindNumber, Fill: &zero},
	})
	names, _ := t.Features()
	return &model.Model{
		Method: "rls", Task: data.Regression, Columns: 2, Features: names, Table: t, Label: "label",
		Scaling: data.Scaling{Kind: data.ScaleNone},
		Parts:   []model.Part{{Functions: []model.Function{model.Linear{Weights: mat.NewDense(2, 1, []float64{10, 1})}}}},
	}
}

// saved writes models to files of a folder and returns their paths.
func saved(t *testing.T, models map[string]*model.Model) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for name, m := range models {
		path := filepath.Join(dir, name+".mercer")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// started is a server of models without a network.
func started(t *testing.T, models map[string]*model.Model, o Options) *Server {
	t.Helper()
	s, err := New(t.Context(), saved(t, models), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sent asks a server.
func sent(s http.Handler, method, path, body string, headers ...string) (int, string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	r.Host = "localhost"
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// inference is an inference response.
type inference struct {
	Model   string `json:"model_name"`
	Version string `json:"model_version"`
	ID      string `json:"id"`
	Outputs []struct {
		Name, Datatype string
		Shape          []int
		Data           []any
	}
}

func inferred(t *testing.T, s http.Handler, name, body string) inference {
	t.Helper()
	code, text := sent(s, "POST", "/v2/models/"+name+"/infer", body)
	var a inference
	if err := json.Unmarshal([]byte(text), &a); err != nil || code != 200 {
		t.Fatalf("%d %s: %v", code, text, err)
	}
	return a
}

// input is a request for rows.
func input(rows *mat.Dense) string {
	n, d := rows.Dims()
	text, _ := json.Marshal(map[string]any{"inputs": []any{map[string]any{
		"name": "x", "shape": []int{n, d}, "datatype": "FP64", "data": rows.RawMatrix().Data,
	}}})
	return string(text)
}

// TestInfer: outputs are those of the model, in the shapes and types that the metadata says.
func TestInfer(t *testing.T) {
	m := three(1)
	s := started(t, map[string]*model.Model{"m": m, "n": number(), "t": tabled()}, Options{})
	x := normal(7, 3, 9)
	out, err := m.Predict(t.Context(), data.Rows{Dense: x})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Probabilities(out)
	if err != nil {
		t.Fatal(err)
	}
	a := inferred(t, s, "m", input(x))
	if len(a.Outputs) != 3 || a.Model != "m" || len(a.Version) != 12 {
		t.Fatalf("%+v", a)
	}
	for i, k := range m.Decide(out) {
		if a.Outputs[0].Data[i] != m.Classes[k] {
			t.Errorf("row %d: %v, want %s", i, a.Outputs[0].Data[i], m.Classes[k])
		}
		for j := range 3 {
			if a.Outputs[1].Data[3*i+j] != out.At(i, j) || a.Outputs[2].Data[3*i+j] != p.At(i, j) {
				t.Errorf("row %d: scores %v, probabilities %v", i, a.Outputs[1].Data, a.Outputs[2].Data)
			}
		}
	}
	if got := fmt.Sprint(a.Outputs[0].Shape, a.Outputs[1].Shape, a.Outputs[2].Shape, a.Outputs[0].Datatype, a.Outputs[1].Datatype); got !=
		"[7] [7 3] [7 3]BYTESFP64" {
		t.Error(got)
	}
	for _, c := range []struct{ name, body, want string }{
		{"n", `{"id":"é\n","inputs":[{"data":[[1,2],[3,-4.5e0]],"name":"x","shape":[2,2],"datatype":"FP64",` +
			`"parameters":{"a":[{}]}}],"parameters":{}}`, "é\n [0.5 11]"},
		{"n", `{"inputs":[{"name":"x","shape":[1,2],"datatype":"BOOL","data":[1,true]}],` +
			`"outputs":[{"name":"score","parameters":{}}]}`, " [1.5]"},
		{"n", `{"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[0.1,0]}]}`, fmt.Sprintf(" [%v]", 2*float64(float32(0.1))+0.5)},
		{"t", `{"inputs":[{"name":"x","shape":[3,2],"datatype":"BYTES","data":["M","1.5","L",null,"","2"]}]}`, " [6.5 10 2]"},
		{"m", `{"inputs":[{"name":"x","shape":[1,3],"datatype":"BYTES","data":["1","2","3"]}],"outputs":[{"name":"prediction"}]}`, ` [b "q"]`},
	} {
		a := inferred(t, s, c.name, c.body)
		if got := fmt.Sprint(a.ID, " ", a.Outputs[0].Data); got != c.want {
			t.Errorf("%s: %q, want %q", c.body, got, c.want)
		}
	}
}

// TestFaults: what cannot be answered has the right status and a text that is one object.
func TestFaults(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1), "n": number(), "t": tabled()}, Options{Body: 4000, Rows: 50})
	one := func(shape, datatype, values string) string {
		return fmt.Sprintf(`{"inputs":[{"name":"x","shape":%s,"datatype":"%s","data":%s}]}`, shape, datatype, values)
	}
	for _, c := range []struct {
		request, body string
		status        int
		want          string
	}{
		{"POST /v2/models/m/infer", "", 400, "ends at byte 1"},
		{"POST /v2/models/m/infer", "garbage", 400, `\"garbage\" at byte 1`},
		{"POST /v2/models/m/infer", "\x00\xff", 400, "at byte 1"},
		{"POST /v2/models/m/infer", `{"inputs":[]}`, 400, "no input"},
		{"POST /v2/models/m/infer", `{"inputs":[{}]}`, 400, `no \"name\"`},
		{"POST /v2/models/m/infer", one("[1,3]", "FP64", "[1,2,3]") + "x", 400, "where the end is due"},
		{"POST /v2/models/m/infer", strings.Repeat(`{"a":`, 300), 400, "deeper than"},
		{"POST /v2/models/m/infer", one("[1,3]", "FP64", "[1,2]"), 400, "with 2 values"},
		{"POST /v2/models/m/infer", one("[1,2]", "FP64", "[1,2]"), 400, "the model has 3"},
		{"POST /v2/models/m/infer", one("[3]", "FP64", "[1,2,3]"), 400, "1 sizes"},
		{"POST /v2/models/m/infer", one("[1,3,1]", "FP64", "[1,2,3]"), 400, "more than two sizes"},
		{"POST /v2/models/m/infer", one("[0,3]", "FP64", "[]"), 400, "one row at least"},
		{"POST /v2/models/m/infer", one("[-1,3]", "FP64", "[]"), 400, "one row at least"},
		{"POST /v2/models/m/infer", one("[1e30,3]", "FP64", "[1]"), 400, "shape"},
		{"POST /v2/models/m/infer", one("[2,3]", "FP64", "[[1,2,3],[1,2]]"), 400, "row 2 of the data has 2"},
		{"POST /v2/models/m/infer", one("[2,3]", "FP64", "[[1,2],[1,2],[1,2]]"), 400, "rows of 2 values"},
		{"POST /v2/models/m/infer", one("[1,3]", "FP64", "[1,NaN,3]"), 400, "NaN at byte"},
		{"POST /v2/models/m/infer", one("[1,3]", "FP64", "[1,1e999,3]"), 400, "no finite number"},
		{"POST /v2/models/m/infer", one("[1,3]", "FP64", "[1,null,3]"), 400, "row 1, column 2 is missing"},
		{"POST /v2/models/m/infer", one("[1,3]", "FP32", "[1,1e39,3]"), 400, "beyond what FP32 holds"},
		{"POST /v2/models/m/infer", one("[1,3]", "INT8", "[1,128,3]"), 400, "outside the whole numbers"},
		{"POST /v2/models/m/infer", one("[1,3]", "INT64", "[1,9007199254740993.0e3,3]"), 400, "outside the whole numbers"},
		{"POST /v2/models/m/infer", one("[1,3]", "UINT8", "[1,-1,3]"), 400, "outside the whole numbers"},
		{"POST /v2/models/m/infer", one("[1,3]", "INT8", "[1,1.5,3]"), 400, "no whole number"},
		{"POST /v2/models/m/infer", one("[1,3]", "COMPLEX", "[1,2,3]"), 400, "COMPLEX"},
		{"POST /v2/models/m/infer", one("[1,3]", "FP64", `["1","2","3"]`), 400, "data that are text"},
		{"POST /v2/models/m/infer", one("[1,3]", "BYTES", "[1,2,3]"), 400, "data that are numbers"},
		{"POST /v2/models/m/infer", one("[1,3]", "BYTES", `["1",2,"3"]`), 400, "mix numbers and text"},
		{"POST /v2/models/m/infer", one("[1,3]", "FP64", `[1,"2",3]`), 400, "mix numbers and text"},
		{"POST /v2/models/m/infer", one("[2,3]", "BYTES", `["1","2","3","4","x","6"]`), 400, "row 2, column 2"},
		{"POST /v2/models/m/infer", strings.Replace(one("[1,3]", "FP64", "[1,2,3]"), `"x"`, `"y"`, 1), 400, "named"},
		{"POST /v2/models/m/infer", strings.Replace(one("[1,3]", "FP64", "[1,2,3]"), "]}]", `]},{"name":"x"}]`, 1), 400, "more than one input"},
		{"POST /v2/models/m/infer", `{"outputs":[{"name":"nope"}],"inputs":` + one("[1,3]", "FP64", "[1,2,3]")[10:], 400, "no output"},
		{"POST /v2/models/m/infer", `{"outputs":[{"name":"score"},{"name":"score"}],"inputs":` + one("[1,3]", "FP64", "[1,2,3]")[10:], 400,
			`\"score\" is asked for twice`},
		{"POST /v2/models/m/infer", one("[1,3]", "FP64", "[1e200,1e200,1e200]"), 200, "prediction"}, // a Gaussian is 0 there
		{"POST /v2/models/n/infer", one("[1,2]", "FP64", "[1e308,-1e308]"), 400, "row 1: "},
		{"POST /v2/models/t/infer", one("[1,2]", "FP64", "[1,2]"), 400, "as BYTES"},
		{"POST /v2/models/m/infer", one("[60,3]", "FP64", "["+strings.Repeat("1,", 179)+"1]"), 413, "more than 50 rows"},
		{"POST /v2/models/m/infer", strings.Repeat(" ", 5000), 413, "more than 4000 bytes"},
		{"POST /v2/models/nope/infer", "", 404, `no model \"nope\"; there are m, n, t`},
		{"POST /v2/models/m/versions/7/infer", "", 404, `no version \"7\"`},
		{"GET /v2/models/nope", "", 404, "no model"},
		{"GET /v2/models/nope/ready", "", 404, "no model"},
		{"GET /v2/models/m/infer", "", 405, "use POST"},
		{"DELETE /v2", "", 405, "use GET"},
		{"GET /nothing", "", 404, "no such path"},
		{"POST /predict", "", 404, "/predict/m, /predict/n"},
		{"POST /predict/m", "u,v\n1,2\n", 400, "body:1"},
		{"POST /predict/m", "u,v,w\n1,2,x\n", 400, "body:2:3"},
		{"POST /predict/m", "", 400, "body"},
		{"POST /predict/m", "u,v,w\n" + strings.Repeat("1,2,3\n", 51), 413, "more than 50 rows"},
		{"POST /predict/m?interval=0.9", "", 400, "interval"},
		{"POST /predict/n?probability", "", 400, "no probabilities"},
		{"POST /predict/m?nope=1", "", 400, "no parameter"},
		{"POST /predict/m?format=xml", "", 400, "csv, jsonl or libsvm"},
		{"POST /nearest/m", "u,v\n", 400, "body"},
		{"POST /predict/nope", "", 404, "no model"},
		{"POST /nearest/nope", "", 404, "no model"},
		{"GET /fields/nope", "", 404, "no model"},
		{"GET /example/nope", "", 404, "no model"},
		{"POST /nearest/m?nope=1", "", 400, "no parameter"},
		{"POST /nearest/m", strings.Repeat(" ", 5000), 413, "more than 4000 bytes"},
		{"POST /predict/m", strings.Repeat(" ", 5000), 413, "more than 4000 bytes"},
		{"POST /v2/repository/index", "[", 400, "no JSON object"},
		{"POST /v2/repository/models/nope/load", "", 404, "no model"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		code, text := sent(s, method, path, c.body)
		if code != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %.80q: %d %s, want %d %q", c.request, c.body, code, text, c.status, c.want)
		}
		var one struct{ Error string }
		if err := json.Unmarshal([]byte(text), &one); code != 200 && (err != nil || one.Error == "") {
			t.Errorf("%s: no object with an error: %s", c.request, text)
		}
	}
}

// TestPredict: CSV and LIBSVM text are answered as the verb answers them.
func TestPredict(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1), "n": number(), "t": tabled()}, Options{})
	for _, c := range []struct{ path, body, want string }{
		{"/predict/n", "0 1:1 2:2\n0 2:1\n", "prediction,score\n0.5,0.5\n-0.5,-0.5\n"},
		{"/predict/t", "price,key,size\n1,k1,M\n2,k2,L\n", "key,prediction,score\nk1,6,6\nk2,12,12\n"},
		{"/predict/t?id=price", "price,size\n1,M\n", "price,prediction,score\n1,6,6\n"},
		{"/predict/t", "Title\n\nprice;key;size\n1,0;k1;M\n2,0;k2;L\n", "key,prediction,score\nk1,6,6\nk2,12,12\n"},
		{"/predict/t", "# made\nprice\tkey\tsize\r\n1\tk1\tM\r\n2\tk2\tL\r\n", "key,prediction,score\nk1,6,6\nk2,12,12\n"},
	} {
		if code, text := sent(s, "POST", c.path, c.body); code != 200 || text != c.want {
			t.Errorf("%s: %d %s, want %s", c.path, code, text, c.want)
		}
	}
	code, text := sent(s, "POST", "/predict/m?probability", "w,u,v\n3,1,2\n")
	head := `prediction,score_a,"score_b ""q""","score_c,d",probability_a`
	if lines := strings.Split(text, "\n"); code != 200 || !strings.HasPrefix(lines[0], head) ||
		!strings.HasPrefix(lines[1], `"b ""q""",`) || strings.Count(lines[1], ",") != 6 {
		t.Errorf("%d %s", code, text)
	}
}

// TestProtocol: health, metadata and the index say what is there; a model can be unloaded and loaded.
func TestProtocol(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1), "n": number(), "t": tabled()}, Options{})
	version := s.models.files["m"][0].now.Load().version
	expect := func(request, body string, status int, want string) {
		t.Helper()
		method, path, _ := strings.Cut(request, " ")
		if code, text := sent(s, method, path, body); code != status || strings.TrimSpace(text) != want && !strings.Contains(want, "...") ||
			!strings.HasPrefix(text, strings.TrimSuffix(want, "...")) {
			t.Errorf("%s: %d %s, want %d %s", request, code, text, status, want)
		}
	}
	expect("GET /v2/health/live", "", 200, `{"live":true}`)
	expect("GET /v2/health/ready", "", 200, `{"ready":true}`)
	expect("GET /v2", "", 200, `{"name":"mercer","version":"...`)
	expect("GET /v2/models/m/ready", "", 200, `{"name":"m","ready":true}`)
	expect("GET /v2/models/m/versions/"+version, "", 200, `{"name":"m","versions":["`+version+`"],"platform":"mercer_rls",`+
		`"inputs":[{"name":"x","datatype":"FP64","shape":[-1,3],"parameters":{"columns":["u","v","w"]}}],`+
		`"outputs":[{"name":"prediction","datatype":"BYTES",`+
		`"shape":[-1],"parameters":{"classes":["a","b \"q\"","c,d"]}},{"name":"score","datatype":"FP64","shape":[-1,3]},`+
		`{"name":"probability","datatype":"FP64","shape":[-1,3]}]}`)
	other := s.models.files["t"][0].now.Load().version
	expect("GET /v2/models/t", "", 200, `{"name":"t","versions":["`+other+`"],"platform":"mercer_rls","inputs":[{"name":"x",`+
		`"datatype":"BYTES","shape":[-1,2],"parameters":{"columns":["size","price"]}}],"outputs":[{"name":"prediction","datatype":"FP64",`+
		`"shape":[-1]},{"name":"score","datatype":"FP64","shape":[-1]}]}`)
	expect("POST /v2/repository/index", "", 200, `[{"name":"m","version":"`+version+`","state":"READY"},{"name":"n"...`)
	expect("POST /v2/repository/models/m/unload", "", 200, `{}`)
	expect("GET /v2/health/ready", "", 503, `{"error":"not ready: ...`)
	expect("POST /v2/models/m/infer", "", 404, `{"error":"model \"m\" is unloaded...`)
	expect("POST /v2/repository/index", "", 200, `[{"name":"m","state":"UNAVAILABLE","reason":"unloaded"},...`)
	expect("POST /v2/repository/index", `{"ready":true}`, 200, `[{"name":"n","version"...`)
	expect("POST /v2/repository/models/m/load", "", 200, `{}`)
	expect("GET /v2/health/ready", "", 200, `{"ready":true}`)
	expect("GET /example/m", "", 200, "u,v,w\n...")
	_, text := sent(s, "GET", "/metrics", "")
	for _, want := range []string{
		`mercer_model_info{model="m",version="` + version + `"} 1`, `mercer_reloads_total{model="m",result="loaded"} 1`,
		`mercer_requests_total{route="GET /v2/health/ready",status="503"} 1`, "go_goroutines ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s among the metrics", want)
		}
	}
}

// TestVersions: files of one name are versions, of which the last is the one that is meant.
func TestVersions(t *testing.T) {
	old, now := saved(t, map[string]*model.Model{"m": three(1)})[0], saved(t, map[string]*model.Model{"m": three(5)})[0]
	s, err := New(t.Context(), []string{old, now}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := normal(1, 3, 2)
	files := s.models.files["m"]
	first, last := files[0].now.Load().version, files[1].now.Load().version
	if a := inferred(t, s, "m", input(x)); a.Version != last {
		t.Errorf("version %s, want %s", a.Version, last)
	}
	if a := inferred(t, s, "m/versions/"+first, input(x)); a.Version != first {
		t.Errorf("version %s, want %s", a.Version, first)
	}
	if _, err := New(t.Context(), []string{old, old}, Options{}); err == nil {
		t.Error("the same file twice")
	}
	for _, path := range []string{os.DevNull, t.TempDir()} {
		if _, err := New(t.Context(), []string{path}, Options{}); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestGuard: the token, names of other machines, pages of other sites.
func TestGuard(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1)}, Options{Token: "secret"})
	s.local.Store(true)
	for _, c := range []struct {
		path   string
		header []string
		status int
	}{
		{"/v2", nil, 401},
		{"/v2", []string{"Authorization", "Bearer wrong"}, 401},
		{"/v2", []string{"Authorization", "Basic secret"}, 401},
		{"/v2", []string{"Authorization", "bearer secret"}, 200},
		{"/metrics", nil, 401},
		{"/example/m", nil, 401},
		{"/", nil, 200},
		{"/v2/health/ready", nil, 200},
	} {
		if code, text := sent(s, "GET", c.path, "", c.header...); code != c.status {
			t.Errorf("%s %v: %d %s", c.path, c.header, code, text)
		}
	}
	s.guard.Token = ""
	for host, want := range map[string]int{"127.0.0.1:8080": 200, "localhost": 200, "[::1]:80": 200, "example.com": 421, "10.0.0.1": 421} {
		r := httptest.NewRequest("GET", "/v2", nil)
		r.Host = host
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("host %s: %d", host, w.Code)
		}
	}
	s.local.Store(false)
	if code, _ := sent(s, "POST", "/v2/repository/models/m/unload", "", "Origin", "https://elsewhere.example"); code != 403 {
		t.Errorf("another site's page: %d", code)
	}
}

// TestNearest: the page is told the nearest kept rows, or why there are none.
func TestNearest(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1), "n": number()}, Options{})
	var got struct {
		Kept    int
		Without string
		Rows    []shown
	}
	_, row := sent(s, "GET", "/example/m", "")
	_, text := sent(s, "POST", "/nearest/m", row)
	if err := json.Unmarshal([]byte(text), &got); err != nil || got.Kept != 20 || len(got.Rows) != 1 || len(got.Rows[0].Nearest) != 5 {
		t.Fatal(err, text)
	}
	first := got.Rows[0].Nearest[0]
	if first.Row != 1 || first.Distance > 1e-6 || first.Prediction != got.Rows[0].Prediction || len(first.Cells) != 3 {
		t.Errorf("%+v", first)
	}
	cells := strings.Split(strings.Split(row, "\n")[1], ",")
	for j, c := range first.Cells {
		v, err := strconv.ParseFloat(cells[j], 64)
		if w, _ := strconv.ParseFloat(c[1], 64); err != nil || math.Abs(v-w) > 1e-3*(1+math.Abs(v)) {
			t.Errorf("cell %v, want %v", c, v)
		}
	}
	if _, text := sent(s, "POST", "/nearest/n", "0 1:1\n"); !strings.Contains(text, `"without":"this model (rls) keeps no row`) {
		t.Error(text)
	}
}

// TestShownRows: the page has a hundred rows, five columns that explain the first of them, and what the reader warned of.
func TestShownRows(t *testing.T) {
	wide := three(1)
	wide.Columns, wide.Features, wide.Scaling = 8, []string{"a", "b", "c", "d", "e", "f", "g", "h"}, data.Scaling{Kind: data.ScaleNone}
	wide.Parts = model.Single([]kernel.Expansion{
		{Kernel: kernel.Gaussian{Sigma: 3}, Centres: data.Rows{Dense: normal(20, 8, 1)}, Coef: normal(20, 3, 2)},
	}, nil)
	s := started(t, map[string]*model.Model{"m": wide, "u": three(1)}, Options{})
	head := strings.Join(wide.Features, ",") + "\n"
	for rows, want := range map[int]int{100: 200, 101: 413} {
		code, text := sent(s, "POST", "/nearest/m", head+strings.Repeat("1,2,-1,1,1,-2,1,1\n", rows))
		if code != want || code == 413 && !strings.Contains(text, "more than 100 rows; the page shows so many, /predict answers more") {
			t.Errorf("%d rows: %d, %.200s", rows, code, text)
		}
		var got struct {
			Rows     []shown
			Warnings []string
		}
		if err := json.Unmarshal([]byte(text), &got); code == 200 && (err != nil || len(got.Rows) != 100 || got.Warnings != nil ||
			got.Rows[0].Why == nil || got.Rows[1].Why != nil || len(got.Rows[0].Why.Columns) != 5) {
			t.Errorf("%v, %+v, %v", err, got.Rows[0].Why, got.Warnings)
		}
	}
	_, text := sent(s, "POST", "/nearest/u", "u,v,w,extra\n1,2,3,4\n")
	if !strings.Contains(text, `"warnings":["the model ignores 1 column that it does not know`) {
		t.Errorf("a column that is not known: %s", text)
	}
}

// TestExampleOfTable: the example of a model of words and numbers has an answer.
func TestExampleOfTable(t *testing.T) {
	s := started(t, map[string]*model.Model{"t": tabled()}, Options{})
	_, rows := sent(s, "GET", "/example/t", "")
	if rows != "size,price\nS,0\n" {
		t.Errorf("%q", rows)
	}
	if code, text := sent(s, "POST", "/nearest/t", rows); code != 200 || !strings.Contains(text, `"prediction":"0"`) {
		t.Errorf("%d %s", code, text)
	}
}
