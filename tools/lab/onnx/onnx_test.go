package onnx

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// Some of the models agree; what the other programs say is compared with predict, and not with itself.
func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it runs programs of its own, and -short does without")
	}
	runtime, python := os.Getenv("MERCER_ONNXRUNTIME"), "/usr/bin/python3"
	if runtime == "" {
		t.Skip("skipped: MERCER_ONNXRUNTIME names no folder of onnxruntime-web (npm install onnxruntime-web)")
	}
	if err := exec.CommandContext(t.Context(), python, "-c", "import numpy").Run(); err != nil {
		t.Skip("skipped: " + python + " has no numpy")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("skipped: node is not installed")
	}
	t.Chdir("../../..")
	var b bytes.Buffer
	o := measure.Options{Python: python, Sets: "regression,columns of words,sparse rows of weighed words"}
	if err := compare(t.Context(), &b, o, runtime); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Count(text, "\n| ") != 3 || !strings.Contains(text, "rows 0 differ") {
		t.Error(text)
	}
}

func TestApart(t *testing.T) {
	a := answers{Labels: []string{"a", "b"}, Values: map[string][]float64{"score": {-4, 2}, "probability": {1, 0.5}}}
	b := answers{Labels: []string{"a", "a"}, Values: map[string][]float64{"score": {-4, 2.5}, "probability": {1, 0.25}}}
	if far, labels, err := a.apart(b); far != 0.25 || labels != 1 || err != nil {
		t.Error(far, labels, err)
	}
	b.Values["score"] = b.Values["score"][:1]
	if _, _, err := a.apart(b); err == nil {
		t.Error("a score is missing, and nothing is said")
	}
}
