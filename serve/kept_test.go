package serve

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/model"
)

// changing are what an answer says of the moment and of files.
var changing = regexp.MustCompile(`[0-9a-f]{12,}|\d{4}-\d\d-\d\dT[0-9:.]+Z?|file="[^"]*[/\\]|[0-9.]+e[+-][0-9]+`)

// TestResponsesAreAsTheyWere: what the server answers to requests of every kind, good ones and others.
func TestResponsesAreAsTheyWere(t *testing.T) {
	s := started(t, map[string]*model.Model{"three": three(3), "number": number(), "tabled": tabled()}, Options{Rows: 4, Body: 4000})
	var p pathtest.Path
	infer := func(inputs string) string { return `{"id":"7","inputs":[` + inputs + `]}` }
	tensor := func(shape, kind, values string) string {
		return fmt.Sprintf(`{"name":"x","shape":[%s],"datatype":"%s","data":%s}`, shape, kind, values)
	}
	for _, c := range [][]string{
		{"GET", "/", ""}, {"GET", "/nothing", ""}, {"PUT", "/predict/three", "u,v,w\n"}, {"GET", "/v2", ""},
		{"GET", "/v2/health/live", ""}, {"GET", "/v2/health/ready", ""},
		{"GET", "/v2/models/three", ""}, {"GET", "/v2/models/tabled", ""}, {"GET", "/v2/models/number", ""},
		{"GET", "/v2/models/none", ""}, {"GET", "/v2/models/three/ready", ""},
		{"POST", "/v2/repository/index", ""}, {"GET", "/example/three", ""}, {"GET", "/example/tabled", ""},
		{"GET", "/fields/three", ""}, {"GET", "/fields/tabled", ""},
		{"GET", "/example/number", ""}, {"GET", "/example/none", ""}, {"POST", "/v2/repository/models/number/unload", ""},
		{"GET", "/v2/models/number/ready", ""}, {"POST", "/v2/repository/index", `{"ready":true}`},
		{"POST", "/v2/repository/models/number/load", ""}, {"POST", "/v2/repository/models/none/load", ""},
		{"POST", "/predict", "u,v,w\n1,2,3\n"}, {"POST", "/predict/three", "u,v,w\n1,2,3\n0,0,1\n"},
		{"POST", "/predict/three", "w,v,u,more\n3,2,1,9\n"}, {"POST", "/predict/three", "u,v\n1,2\n"},
		{"POST", "/predict/three", "u,v,w\n1,2,x\n"}, {"POST", "/predict/three", "u,v,w\n1,2,\n"},
		{"POST", "/predict/three", "u,v,w\n"}, {"POST", "/predict/three", ""},
		{"POST", "/predict/three?probability=1", "u,v,w\n1,2,3\n"}, {"POST", "/predict/three?probability=x", "u,v,w\n1,2,3\n"},
		{"POST", "/predict/three?other=1", "u,v,w\n1,2,3\n"},
		{"POST", "/predict/three", "u,v,w\n" + strings.Repeat("1,2,3\n", 5)},
		{"POST", "/predict/three", "u,v,w\n" + strings.Repeat("1,2,3.000000000\n", 400)},
		{"POST", "/predict/three", `{"u":1,"v":2,"w":3}`, "Content-Type", "application/json"},
		{"POST", "/predict/three", `[{"u":1,"v":2,"w":3},{"u":0,"v":0,"w":0}]`, "Content-Type", "application/json"},
		{"POST", "/predict/three", `[{"u":1}]`, "Content-Type", "application/json"},
		{"POST", "/predict/three", `[1,2`, "Content-Type", "application/json"},
		{"POST", "/predict/three", `{"u":"x","v":2,"w":3}`, "Content-Type", "application/json"},
		{"POST", "/predict/number", "1:2 2:3\n"}, {"POST", "/predict/number", "0 1:2 2:3\n0 2:1\n", "Content-Type", "text/libsvm"},
		{"POST", "/predict/number?interval=0.9", "0 1:2\n"}, {"POST", "/predict/number", "a,b\n1,2\n"},
		{"POST", "/predict/tabled", "size,price\nM,3\nXXL,4\n"}, {"POST", "/predict/tabled", "size,price,key\nL,3,k1\n"},
		{"POST", "/predict/tabled", "price\n3\n"},
		{"POST", "/nearest/three", "u,v,w\n1,2,3\n"}, {"POST", "/nearest/number", "0 1:2\n"},
		{"POST", "/nearest/three?count=2", "u,v,w\n1,2,3\n0,0,0\n"}, {"POST", "/nearest/three?count=0", "u,v,w\n1,2,3\n"},
		{"POST", "/v2/models/three/infer", infer(tensor("2,3", "FP64", "[1,2,3,0,0,1]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("2,3", "FP64", "[[1,2,3],[0,0,1]]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("1,3", "INT64", "[1,2,3]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("1,3", "FP32", "[0.1,2,3]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("1,3", "BOOL", "[true,false,true]"))},
		{"POST", "/v2/models/three/infer", infer(strings.Replace(tensor("1,3", "FP64", "[1,2,3]"), `"name":"`, `"name":"other `, 1))},
		{"POST", "/v2/models/three/infer", infer(tensor("1,2", "FP64", "[1,2]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("2,3", "FP64", "[1,2]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("1,3", "FP65", "[1,2,3]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("-1,3", "FP64", "[]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("0,3", "FP64", "[]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("1,3", "FP64", "[1,null,3]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("1,3", "INT8", "[1,2,300]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("1,3", "UINT8", "[1,2,-3]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("1,3", "INT32", "[1,2,2.5]"))},
		{"POST", "/v2/models/three/infer", infer(tensor("1,3", "BYTES", `["1","2","3"]`))},
		{"POST", "/v2/models/tabled/infer", infer(tensor("2,2", "BYTES", `["M","3","L","x"]`))},
		{"POST", "/v2/models/tabled/infer", infer(tensor("1,2", "BYTES", `["M","3"]`))},
		{"POST", "/v2/models/tabled/infer", infer(tensor("1,2", "FP64", `[1,3]`))},
		{"POST", "/v2/models/number/infer", infer(tensor("1,2", "BYTES", `["1","3"]`))},
		{"POST", "/v2/models/number/infer", infer(tensor("1,2", "FP64", `[1,3]`))},
		{"POST", "/v2/models/three/infer", `{"inputs":[]}`}, {"POST", "/v2/models/three/infer", `{}`},
		{"POST", "/v2/models/three/infer", `x`},
		{"POST", "/v2/models/three/infer", infer(tensor("1,3", "FP64", "[1,2,3]") + "," + tensor("1,3", "FP64", "[1,2,3]"))},
		{"POST", "/v2/models/three/infer", `{"inputs":[` + tensor("1,3", "FP64", "[1,2,3]") + `],"outputs":[{"name":"probability"}]}`},
		{"POST", "/v2/models/three/infer", `{"inputs":[` + tensor("1,3", "FP64", "[1,2,3]") + `],"outputs":[{"name":"other"}]}`},
		{"POST", "/v2/models/three/infer", infer(tensor("5,3", "FP64", "[1,2,3,1,2,3,1,2,3,1,2,3,1,2,3]"))},
	} {
		code, text := sent(s, c[0], c[1], c[2], c[3:]...)
		text = changing.ReplaceAllString(text, "#")
		if len(text) > 700 {
			text = fmt.Sprint(text[:700], " ... ", len(text)/100)
		}
		p.Add(fmt.Sprintf("%s %s %.60q", c[0], c[1], c[2]), code, strings.ReplaceAll(text, "\n", " / "))
	}
	o := Options{}.withDefaults()
	if poll := (Options{Poll: -time.Second}).withDefaults().Poll; poll != o.Poll {
		t.Errorf("a negative time between two looks becomes %v", poll)
	}
	p.Add("defaults", o.Body, o.Rows, o.Time, o.Connections, o.Memory, o.Poll)
	_, text := sent(s, "GET", "/metrics", "")
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "mercer") && !strings.Contains(line, "seconds_") && !strings.HasPrefix(line, "#") &&
			!slices.ContainsFunc([]string{"since", "_bytes", "time"}, func(w string) bool { return strings.Contains(line, w) }) {
			p.Add("metric", changing.ReplaceAllString(line, "#"))
		}
	}
	p.Compare(t, "responses")
}
