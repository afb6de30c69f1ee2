package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/model"
)

// predicted are the predictions of a whole file, written by their definition.
func predicted(t *testing.T, m *model.Model, path string, probability bool) string {
	t.Helper()
	set, _, err := read.Open(t.Context(), path, read.Options{Want: m.Features, Dim: m.Columns, Label: m.Label, LabelOptional: true})
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Predict(t.Context(), apply.Form(set.Rows, m.Sparse))
	if err != nil {
		t.Fatal(err)
	}
	names, tables := []string{"prediction"}, []*mat.Dense{m.Coding().Scores(out)}
	if len(m.Classes) == 2 {
		names = append(names, "score")
	} else {
		for _, c := range m.Classes {
			names = append(names, "score_"+c)
		}
	}
	if probability {
		for _, c := range m.Classes {
			names = append(names, "probability_"+c)
		}
		p, err := m.Probabilities(out)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, p)
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(names) // to memory
	for i, k := range m.Decide(out) {
		line := []string{m.Classes[k]}
		for _, of := range tables {
			for _, v := range of.RawRowView(i) {
				line = append(line, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		_ = w.Write(line)
	}
	w.Flush()
	return b.String()
}

// TestPredictStreams: predictions that are read and written by batches are those of the whole file, from files, packed
// files and standard input, CSV and LIBSVM text, with labels and without, as CSV and as JSON.
func TestPredictStreams(t *testing.T) {
	const n = 2*apply.BatchRows + 100
	classes := []string{"a", "b, the other", "c \"three\""}
	var learn, plain, labelled, quoted, thin strings.Builder
	learn.WriteString("u,v,kind\n")
	plain.WriteString("v,u\n")
	labelled.WriteString("id;kind;u;v\r\n")
	quoted.WriteString("\"u\",\"no\nte\",\"v\"\n")
	for i := range 60 {
		k := i % 3
		fmt.Fprintf(&learn, "%d.%d,%d,\"%s\"\n", 3*k, i%7, i%5, strings.ReplaceAll(classes[k], `"`, `""`))
	}
	for i := range n {
		u, v := float64(i%97)/10, i%5
		fmt.Fprintf(&plain, "%d,%v\n", v, u)
		fmt.Fprintf(&labelled, "%d;x%d;%v;%d\r\n", i, i, u, v)
		fmt.Fprintf(&quoted, "\"%v\",\"row\n%d\",%d\n", u, i, v)
		fmt.Fprintf(&thin, "%d 1:%v 2:%d\n", i%3, u, v)
	}
	folderWith(t, map[string]string{
		"learn.csv": learn.String(), "plain.csv": plain.String(), "labelled.csv": labelled.String(), "quoted.csv": quoted.String(),
		"thin.svm": thin.String(),
	})
	methods := []string{"svm"}
	if slowtest.Asked() {
		methods = append(methods, "rls")
	}
	for _, method := range methods {
		name := method + ".mercer"
		if r := run(t, "", "fit", "learn.csv", "--method", method, "--tune", "loo:logloss", "--budget", "3", "-o",
			name); r.code != exitDone {
			t.Fatalf("fit: %+v", r)
		}
		m, err := model.Load(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{
			"plain.csv": plain.String(), "labelled.csv": labelled.String(), "quoted.csv": quoted.String(), "thin.svm": thin.String(),
		} {
			want := predicted(t, m, file, true)
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, _ = z.Write([]byte(text)) // to memory
			_ = z.Close()
			if err := os.WriteFile(file+".gz", packed.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, stdin := range []string{"", text, packed.String()} {
				from := []string{file, file + ".gz"}
				if stdin != "" {
					from = []string{"-"}
				}
				for _, f := range from {
					if r := run(t, stdin, "predict", name, f, "--probability"); r.code != exitDone || r.stdout != want {
						t.Errorf("%s, %s: exit %d, %d bytes of %d, %s", method, f, r.code, len(r.stdout), len(want), r.stderr)
					}
				}
			}
			r := run(t, "", "predict", name, file, "--probability", "-o", "out.csv", "--json")
			got, _ := os.ReadFile("out.csv")
			if r.code != exitDone || string(got) != want || !strings.Contains(r.stdout, fmt.Sprintf(`"rows":%d`, n)) &&
				!strings.Contains(r.stdout, fmt.Sprintf(`"rows": %d`, n)) {
				t.Errorf("%s, %s, -o: %d bytes of %d, %+v", method, file, len(got), len(want), r)
			}
			agreesJSON(t, run(t, "", "predict", name, file, "--probability", "--json").stdout, want, n)
		}
	}
}

// agreesJSON compares the columns of a JSON object with those of CSV text.
func agreesJSON(t *testing.T, object, text string, n int) {
	t.Helper()
	var columns map[string]any
	if err := json.Unmarshal([]byte(object), &columns); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if columns["rows"] != float64(n) || len(columns) != len(records[0])+1 {
		t.Fatalf("%v rows, %d columns of %d", columns["rows"], len(columns), len(records[0])+1)
	}
	for j, name := range records[0] {
		of, _ := columns[name].([]any)
		if len(of) != n {
			t.Fatalf("column %s has %d values of %d", name, len(of), n)
		}
		for i, v := range of {
			if f, ok := v.(float64); ok {
				v = strconv.FormatFloat(f, 'g', -1, 64)
			}
			if v != records[i+1][j] {
				t.Fatalf("column %s, row %d: %v, want %s", name, i, v, records[i+1][j])
			}
		}
	}
}

// TestLateFault: a fault far down leaves nothing on standard output and no file.
func TestLateFault(t *testing.T) {
	folderWithModel(t, map[string]string{"late.csv": "a,b\n" + strings.Repeat("1,2\n", 3*apply.BatchRows) + "1,x\n"})
	want := fmt.Sprintf("mercer: late.csv:%d:2: ", 3*apply.BatchRows+2)
	for _, out := range [][]string{nil, {"-o", "out.csv"}} {
		r := run(t, "", append([]string{"predict", "good.mercer", "late.csv"}, out...)...)
		if r.code != exitData || r.stdout != "" || !strings.HasPrefix(r.stderr, want) {
			t.Errorf("%v: %+v, want %q", out, r, want)
		}
	}
	if left, _ := os.ReadDir("."); len(left) != 3 {
		t.Errorf("left behind: %v", left)
	}
}
