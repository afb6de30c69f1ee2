package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// lines are the first words of the lines of a file.
func lines(t *testing.T, path string, skip int) []string {
	t.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // a file of this test
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[skip:] {
		word, _, _ := strings.Cut(line, ",")
		words = append(words, word)
	}
	return words
}

func ok(t *testing.T, args ...string) {
	t.Helper()
	if r := run(t, "", args...); r.code != exitDone {
		t.Fatalf("mercer %v: %+v", args, r)
	}
}

// LIBSVM's program and ours give the same answers to new rows, whoever trained.
func TestLIBSVMAndBack(t *testing.T) {
	for _, tool := range []string{"svm-train", "svm-predict", "svm-scale"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: %s is not installed", tool)
		}
	}
	tool := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	same := func(what string) {
		t.Helper()
		theirs, ours := lines(t, "theirs", 0), lines(t, "ours", 1)
		if len(theirs) == 0 || len(theirs) != len(ours) {
			t.Fatalf("%s: %d and %d answers", what, len(theirs), len(ours))
		}
		for i := range ours {
			if ours[i] != theirs[i] {
				t.Fatalf("%s: row %d is %s there and %s here", what, i, theirs[i], ours[i])
			}
		}
	}
	t.Chdir(t.TempDir())
	ok(t, "data", "wine", "-o", "wine.csv")
	ok(t, "convert", "wine.csv", "-o", "wine.svm")
	ok(t, "convert", "wine.svm", "-o", "back.csv.gz")

	// Theirs, read by us.
	tool("svm-train", "-q", "-c", "2", "-g", "0.001", "wine.svm", "wine.model")
	tool("svm-predict", "-q", "wine.svm", "wine.model", "theirs")
	ok(t, "convert", "wine.model", "-o", "wine.mercer")
	ok(t, "predict", "wine.mercer", "wine.svm", "-o", "ours")
	same("their model")

	// Ours, read by them, with the scaling beside it.
	for _, scale := range []string{"none", "standard", "minmax"} {
		ok(t, "fit", "wine.csv", "--method", "svm", "--tune", "none", "--set", "C=1", "--scale", scale, "--quiet", "-o", "own.mercer")
		ok(t, "export", "own.mercer", "--format", "libsvm", "-o", "own.model")
		rows := "wine.svm"
		if scale != "none" {
			out, err := exec.Command("svm-scale", "-r", "own.model.range", "wine.svm").Output()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("scaled.svm", out, 0o600); err != nil {
				t.Fatal(err)
			}
			rows = "scaled.svm"
		}
		tool("svm-predict", "-q", rows, "own.model", "theirs")
		ok(t, "predict", "own.mercer", "wine.csv", "-o", "ours")
		same("our model, scale " + scale)
	}

	// Their scaling, kept by us.
	out, err := exec.Command("svm-scale", "-l", "-1", "-u", "1", "-s", "ranges", "wine.svm").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("scaled.svm", out, 0o600); err != nil {
		t.Fatal(err)
	}
	tool("svm-train", "-q", "scaled.svm", "scaled.model")
	tool("svm-predict", "-q", "scaled.svm", "scaled.model", "theirs")
	ok(t, "convert", "scaled.model", "--range", "ranges", "-o", "scaled.mercer")
	ok(t, "predict", "scaled.mercer", "wine.svm", "-o", "ours")
	same("their scaling")
}

func TestConvertFaults(t *testing.T) {
	folderWithModel(t, map[string]string{
		"broken.model": "svm_type c_svc\nkernel_type rbf\ngamma x\n",
		"half.csv":     "a,label\n1,x\n2,\n3,y\n",
	})
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"convert", "broken.model", "-o", "out.mercer"}, exitData, "broken.model:3"},
		{[]string{"convert", "missing", "-o", "out.mercer"}, exitData, "missing"},
		{[]string{"convert", "half.csv", "-o", "half.svm"}, exitData, "half.csv:3: no label"},
		{[]string{"convert", "half.csv", "-o", "half.xyz"}, exitUsage, ".csv or .svm"},
		{[]string{"export", "good.mercer", "--format", "pmml", "-o", "out"}, exitUsage, "format"},
		{[]string{"export", "half.csv", "--format", "libsvm", "-o", "out"}, exitData, "half.csv"},
	} {
		r := run(t, "", c.args...)
		if r.code != c.code || !strings.Contains(r.stderr, c.want) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("mercer %v: code %d, %q", c.args, r.code, r.stderr)
		}
	}
	ok(t, "convert", "half.csv", "-o", "half.svm", "--unlabelled-mark", "0")
	if got := lines(t, "half.svm", 0); len(got) != 3 || !strings.HasPrefix(got[1], "0 1:2") {
		t.Errorf("half.svm is %q", got)
	}
}

// A compressed file is whole: it ends as gzip says, and holds what the plain one does.
func TestConvertCompresses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, ending := range []string{"csv", "svm"} {
		ok(t, "convert", "iris", "-o", "plain."+ending)
		ok(t, "convert", "iris", "-o", "packed."+ending+".gz")
		want, err := os.ReadFile("plain." + ending)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open("packed." + ending + ".gz")
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(z) // an error unless the last bytes are there
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %d in the plain file (%v)", ending, len(got), len(want), err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// With the ranges of svm-scale a converted model predicts raw rows, a constant column among them.
func TestConvertRange(t *testing.T) {
	folderWith(t, map[string]string{
		"m":     "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.5\nSV\n2 1:-1 3:0.5\n-1 1:1 3:0.3\n",
		"range": "x\n-1 1\n1 0 10\n3 0 4\n",
		"raw":   "1 1:0 2:7 3:3\n1 1:10 2:7 3:1\n",
	})
	ok(t, "convert", "raw", "--format", "libsvm", "--range", "range", "-o", "scaled.svm")
	ok(t, "convert", "m", "-o", "plain.mercer")
	ok(t, "convert", "m", "--range", "range", "-o", "scaling.mercer")
	a := run(t, "", "predict", "plain.mercer", "scaled.svm", "--quiet")
	b := run(t, "", "predict", "scaling.mercer", "raw", "--format", "libsvm", "--quiet")
	if a.code != exitDone || b.code != exitDone || a.stdout != b.stdout || strings.Count(a.stdout, "\n") != 3 {
		t.Errorf("%+v, %+v", a, b)
	}
	// two centres of 50 million columns, once shifted, are 0.8 gigabytes and more
	folderWith(t, map[string]string{
		"m":     "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.5\nSV\n2 1:-1 50000000:0.5\n-1 1:1 3:0.3\n",
		"range": "x\n-1 1\n1 0 10\n",
	})
	r := run(t, "", "convert", "m", "--range", "range", "-o", "big.mercer", "--memory", "64MB")
	if r.code == exitDone || !strings.Contains(r.stderr, "mercer: range: 50000000 columns need 1.6e+09 bytes") ||
		!strings.Contains(r.stderr, "raise --memory") {
		t.Errorf("%+v", r)
	}
}

// TestConvertReadsAsTheTable: amounts, thousands and units become the numbers that fit makes of them, and classes the numbers that an
// exported model has for them; words are refused as before.
func TestConvertReadsAsTheTable(t *testing.T) {
	var price, codes strings.Builder
	price.WriteString("x,y,price\n")
	codes.WriteString("x,y,code\n")
	for i := range 30 {
		fmt.Fprintf(&price, "%d,%d.5,\"$1,%d.46\"\n", i%7, i%5, 100+i)
		fmt.Fprintf(&codes, "\"%d,%03d.5\",%d kg,00%d\n", 1+i%2*7, i, i%5, 7+i%2)
	}
	folderWith(t, map[string]string{"price.csv": price.String(), "codes.csv": codes.String(), "words.csv": "x,w,k\n1,red,a\n2,blue,b\n"})
	ok(t, "convert", "price.csv", "-o", "price.svm")
	if got := lines(t, "price.svm", 0)[0]; got != "1100.46 2:0.5" {
		t.Errorf("amounts: %q", got)
	}
	ok(t, "fit", "codes.csv", "--method", "svm", "--tune", "none", "--scale", "none", "--quiet", "-o", "codes.mercer")
	if r := done(t, "export", "codes.mercer", "--format", "libsvm", "-o", "codes.model"); !strings.Contains(r.stderr, "0 to 1: 007, 008") {
		t.Errorf("export: %q", r.stderr)
	}
	ok(t, "convert", "codes.csv", "-o", "codes.svm")
	if got := lines(t, "codes.svm", 0)[:2]; got[0] != "0 1:1000.5" || got[1] != "1 1:8001.5 2:1" {
		t.Errorf("thousands and units: %q", got)
	}
	ok(t, "convert", "codes.model", "-o", "back.mercer")
	if r := done(t, "evaluate", "back.mercer", "codes.svm", "--json"); !strings.Contains(r.stdout, `"error":0,`) {
		t.Errorf("the model that went there and back: %s", r.stdout)
	}
	if r := run(t, "", "convert", "words.csv", "-o", "words.svm"); !strings.Contains(r.stderr, `column "w": "red" is no number`) {
		t.Errorf("words: %q", r.stderr)
	}
}

// TestNamesSayTheFormat: CSV gets no name of another format, and what mercer-arrow writes is left to it.
func TestNamesSayTheFormat(t *testing.T) {
	folderWithModel(t, map[string]string{"new.csv": "b,a\n2,1\n4,3\n"})
	for _, c := range []struct{ line, want string }{
		{"predict good.mercer new.csv -o a.xlsx", "end it in .csv"},
		{"predict good.mercer new.csv -o a.JSONL.gz", "end it in .csv"},
		{"predict good.mercer new.csv -o a.parquet", "mercer-arrow writes that format"},
		{"data iris -o iris.arrow", "mercer-arrow writes that format"},
		{"data iris --splits 2 --labels-per-class 3 -o splits.arrow", "end it in .csv"},
		{"embed new.csv -o a.feather", "end it in .csv"},
		{"cluster new.csv --clusters 2 -o a.json", "end it in .csv"},
	} {
		r := run(t, "", strings.Fields(c.line)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, c.want) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: code %d, %q", c.line, r.code, r.stderr)
		}
	}
	ok(t, "predict", "good.mercer", "new.csv", "-o", "a.tsv.gz")
}

// TestHintsCanBePasted: names with blanks are quoted where a flag repeats them, and verbs that judge no row hint at no group or order.
func TestHintsCanBePasted(t *testing.T) {
	var rows, texts strings.Builder
	rows.WriteString("my day,hum %,label\n")
	texts.WriteString("my text,n,label\n")
	for i := range 60 {
		hum := i * i % 17
		if i%12 == 5 {
			hum = -999
		}
		fmt.Fprintf(&rows, "2026-%02d-%02d,%d,%c\n", 1+i/28, 1+i%28, hum, 'x'+i%2)
		fmt.Fprintf(&texts, "these are many words %d that differ from row %d,%d,%c\n", i*7%61, i, i%7, 'x'+i%2)
	}
	folderWith(t, map[string]string{"rows.csv": rows.String(), "texts.csv": texts.String()})
	if r := done(t, "data", "rows.csv"); !strings.Contains(r.stdout+r.stderr, "--order 'my day'") ||
		!strings.Contains(r.stdout+r.stderr, "--missing 'hum %=-999'") {
		t.Errorf("rows: %s%s", r.stdout, r.stderr)
	}
	if r := done(t, "data", "texts.csv"); !strings.Contains(r.stdout+r.stderr, "--text 'my text'") {
		t.Errorf("texts: %s%s", r.stdout, r.stderr)
	}
	for _, verb := range []string{"cluster", "embed"} {
		if r := done(t, verb, "rows.csv"); strings.Contains(r.stderr, "--order") || !strings.Contains(r.stderr, "--missing") {
			t.Errorf("%s: %s", verb, r.stderr)
		}
	}
}

// TestNamesStayInTheirLine: a line break in a name splits no line of a table, and the label of a model is no id.
func TestNamesStayInTheirLine(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("x,v,\"my\nlabel\"\n")
	for i := range 40 {
		fmt.Fprintf(&rows, "%d,%d,%d.5\n", i*7%11, i%4, i*i%17)
	}
	folderWith(t, map[string]string{"rows.csv": rows.String()})
	r := done(t, "fit", "rows.csv", "--tune", "none", "--method", "rls", "-o", "own.mercer")
	if !strings.Contains(r.stdout, " my label is the label") {
		t.Errorf("%s", r.stdout)
	}
	r = run(t, "", "predict", "own.mercer", "rows.csv", "--id", "my\nlabel")
	if !strings.Contains(r.stderr, "has the labels that the model") {
		t.Errorf("%+v", r)
	}
	r = run(t, "", "fit", "rows.csv", "--order", "v", "--cv", "3")
	if r.code != exitUsage || !strings.Contains(r.stderr, "one place in the order, so none of them can be held out; ask for fewer folds") {
		t.Errorf("%+v", r)
	}
}
