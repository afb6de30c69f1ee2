package onnx_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/exchange/onnx"
	"github.com/mercer-ml/mercer/internal/test/kept"
)

// TestGraphsAreAsTheyWere: the nodes, inputs and outputs of the graph of every kind of model. That they compute what the models do is
// TestGraphsAgree, and TestRuntimeAgrees where a runtime is at hand.
func TestGraphsAreAsTheyWere(t *testing.T) {
	list := problems(t)
	slices.SortFunc(list, func(a, b problem) int { return strings.Compare(a.name, b.name) })
	var all strings.Builder
	for _, p := range list {
		var file bytes.Buffer
		if err := onnx.Write(&file, p.m); err != nil {
			t.Fatal(p.name, err)
		}
		text, err := onnx.Described(file.Bytes())
		if err != nil {
			t.Fatal(p.name, err)
		}
		all.WriteString(p.name + "\n" + text)
	}
	kept.Text(t, "testdata/graphs.txt", all.String())
}
