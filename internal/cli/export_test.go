package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A graph and a script are written of any model; what ONNX has no operators for is refused with its part, and nothing is written.
func TestExportToOtherRuntimes(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("rows.csv"), []byte("day,size,label\n"+strings.Repeat("2020-01-02,1,a\n2021-03-04,2,b\n2022-05-07,1.5,a\n",
		4)),
		0o600); err != nil {
		t.Fatal(err)
	}
	mails := "body,label\n" + strings.Repeat("cheap offers now,a\nmeeting at noon,b\n", 4)
	if err := os.WriteFile(at("mails.csv"), []byte(mails), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"fit", "iris", "--method", "rls", "--tune", "none", "-o", at("iris.mercer")},
		{"fit", at("rows.csv"), "--method", "rls", "--tune", "none", "-o", at("days.mercer")},
		{"export", at("iris.mercer"), "--format", "onnx", "-o", at("iris.onnx")},
		{"export", at("days.mercer"), "--format", "onnx", "-o", at("days.onnx")},
		{"fit", at("mails.csv"), "--text", "body", "--method", "linear-svm", "--tune", "none", "-o", at("words.mercer")},
		{"export", at("days.mercer"), "--format", "sklearn", "-o", at("days.py")},
	} {
		if r := run(t, "", args...); r.code != exitDone {
			t.Fatalf("mercer %s: %s", strings.Join(args, " "), r.stderr)
		}
	}
	graph, err := os.ReadFile(at("iris.onnx"))
	if err != nil || !strings.Contains(string(graph), "probabilities") {
		t.Errorf("the graph has no probabilities: %v", err)
	}
	script, err := os.ReadFile(at("days.py"))
	if err != nil || !strings.Contains(string(script), `MODEL = "days.mercer"`) {
		t.Errorf("the script does not name its model: %v", err)
	}
	r := run(t, "", "convert", at("iris.onnx"), "-o", at("back.mercer"))
	if r.code != exitData || !strings.Contains(r.stderr, "iris.onnx: it has the operators") || !strings.Contains(r.stderr,
		"SVMClassifier") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	r = run(t, "", "export", at("words.mercer"), "--format", "onnx", "-o", at("words.onnx"))
	if r.code != exitData || !strings.Contains(r.stderr, `words of documents`) {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	if _, err := os.Stat(at("words.onnx")); err == nil {
		t.Error("a file is left of a model that was refused")
	}
}

// What a model does beyond its machine is refused where the format of another program has no place for it.
func TestExportRefusesWhatIsLost(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	words := "word,size,label\n" + strings.Repeat("red,1,a\nblue,2,b\nred,1.5,a\n", 4)
	if err := os.WriteFile(at("words.csv"), []byte(words), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"decided": {"breast-cancer", "--labels-per-class", "20", "--decide", "cost=1:5"},
		"words":   {at("words.csv")},
	} {
		args = append([]string{"fit", "-o", at(name), "--method", "rls", "--kernel", "linear", "--set", "lambda=0.1"}, args...)
		if r := run(t, "", args...); r.code != exitDone {
			t.Fatalf("mercer %s: %s", strings.Join(args, " "), r.stderr)
		}
	}
	for _, c := range []struct{ model, want string }{
		{"decided", "the model decides by --decide cost=1:5, which that format has no place for; export it as onnx or sklearn"},
		{"words", "the model makes numbers of words, dates or missing cells"},
	} {
		for _, format := range []string{"libsvm", "liblinear", "svmlin"} {
			r := run(t, "", "export", at(c.model), "--format", format, "-o", at("out"))
			if r.code != exitData || !strings.Contains(r.stderr, c.want) {
				t.Errorf("%s as %s: exit %d: %s", c.model, format, r.code, r.stderr)
			}
		}
	}
	if _, err := os.Stat(at("out")); err == nil {
		t.Error("a refused export wrote its file")
	}
}
