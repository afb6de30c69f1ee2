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
	if err := os.WriteFile(at("rows.csv"), []byte("day,size,label\n"+strings.Repeat("2020-01-02,1,a\n2021-03-04,2,b\n2022-05-07,1.5,a\n", 4)),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"fit", "iris", "--method", "rls", "--tune", "none", "-o", at("iris.mercer")},
		{"fit", at("rows.csv"), "--method", "rls", "--tune", "none", "-o", at("days.mercer")},
		{"export", at("iris.mercer"), "--format", "onnx", "-o", at("iris.onnx")},
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
	if r.code != exitData || !strings.Contains(r.stderr, "iris.onnx: it has the operators") || !strings.Contains(r.stderr, "SVMClassifier") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	r = run(t, "", "export", at("days.mercer"), "--format", "onnx", "-o", at("days.onnx"))
	if r.code != exitData || !strings.Contains(r.stderr, `column "day" is a date`) {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	if _, err := os.Stat(at("days.onnx")); err == nil {
		t.Error("a file is left of a model that was refused")
	}
}
