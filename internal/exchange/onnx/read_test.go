package onnx_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/exchange/onnx"
	"gonum.org/v1/gonum/mat"
)

// single rounds to single precision, in which ONNX has parameters.
func single(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(float32(rng.NormFloat64()))
	}
	return v
}

// operators are machines as they are found in files, over rows of four columns.
func operators(rng *rand.Rand) map[string][]onnx.Operator {
	rows, answers := []string{onnx.Rows}, []string{"label", "numbers"}
	svm := func(classes int, kernel string, names map[string][]string, ints map[string][]int) onnx.Operator {
		o := onnx.Operator{Kind: "SVMClassifier", In: rows, Out: answers, Words: names, Ints: map[string][]int{},
			Numbers: map[string][]float64{
				"support_vectors": single(rng, 4*3*classes), "coefficients": single(rng, (classes-1)*3*classes),
				"rho": single(rng, classes*(classes-1)/2), "kernel_params": {0.25, 0.5, 2},
			}, Word: map[string]string{"kernel_type": kernel, "post_transform": "NONE"}}
		for k, v := range ints {
			o.Ints[k] = v
		}
		for range classes {
			o.Ints["vectors_per_class"] = append(o.Ints["vectors_per_class"], 3)
		}
		return o
	}
	opposite := single(rng, 4)
	both := append([]float64{-opposite[0], -opposite[1], -opposite[2], -opposite[3]}, opposite...)
	linear := func(kind string, out []string, coef []float64, post string, labels []int) []onnx.Operator {
		intercepts := single(rng, len(coef)/4)
		if len(intercepts) == 2 {
			intercepts[0] = -intercepts[1]
		}
		o := onnx.Operator{Kind: kind, In: rows, Out: out, Word: map[string]string{"post_transform": post},
			Numbers: map[string][]float64{"coefficients": coef, "intercepts": intercepts}}
		if labels != nil {
			o.Ints = map[string][]int{"classlabels_ints": labels}
		}
		return []onnx.Operator{o}
	}
	regressor := onnx.Operator{Kind: "SVMRegressor", In: []string{"scaled"}, Out: answers[1:], Int: map[string]int{"n_supports": 5},
		Numbers: map[string][]float64{
			"support_vectors": single(rng, 20), "coefficients": single(rng, 5), "rho": {0.5}, "kernel_params": {0.25, 0, 0},
		}, Word: map[string]string{"kernel_type": "RBF", "post_transform": "NONE"}}
	scaler := onnx.Operator{Kind: "Scaler", In: rows, Out: []string{"scaled"},
		Numbers: map[string][]float64{"offset": {1, 0, 0.5, 2}, "scale": {2, 1, 0.5, 0.25}}}
	return map[string][]onnx.Operator{
		"two classes":     {svm(2, "RBF", nil, map[string][]int{"classlabels_ints": {3, 7}})},
		"three classes":   {svm(3, "POLY", map[string][]string{"classlabels_strings": {"a", "b", "c"}}, nil)},
		"other order":     {svm(3, "SIGMOID", map[string][]string{"classlabels_strings": {"c", "a", "b"}}, nil)},
		"linear kernel":   {svm(3, "LINEAR", nil, map[string][]int{"classlabels_ints": {10, 9, 100}})},
		"scaled":          {scaler, regressor},
		"logistic, two":   linear("LinearClassifier", answers, both, "LOGISTIC", []int{0, 1}),
		"softmax, two":    linear("LinearClassifier", answers, both, "SOFTMAX", []int{0, 1}),
		"unlike, two":     linear("LinearClassifier", answers, single(rng, 8), "SOFTMAX", []int{1, 0}),
		"softmax, three":  linear("LinearClassifier", answers, single(rng, 12), "SOFTMAX", []int{2, 0, 1}),
		"linear, numbers": linear("LinearRegressor", answers[1:], single(rng, 4), "NONE", nil),
	}
}

// What Read makes of an operator predicts as the runtime does.
func TestReadAgreesWithRuntime(t *testing.T) {
	folder := os.Getenv("MERCER_ONNXRUNTIME")
	node, err := exec.LookPath("node")
	if testing.Short() || folder == "" || err != nil {
		t.Skip("skipped: -short, or no node, or MERCER_ONNXRUNTIME names no folder of onnxruntime-web (npm install onnxruntime-web)")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	x := mat.NewDense(40, 4, single(rng, 160))
	in := inputs(x)
	in[onnx.Rows] = tensor{"float32", []int{40, 4}, x.RawMatrix().Data}
	var files []file
	var names []string
	all := operators(rng)
	for name, list := range all {
		files, names = append(files, file{written(list), in}), append(names, name)
	}
	for i, outputs := range run(t, node, folder, files) {
		var order []string
		for _, v := range all[names[i]][0].Ints["classlabels_ints"] {
			order = append(order, fmt.Sprint(v))
		}
		t.Run(names[i], func(t *testing.T) { agrees(t, files[i].text, x, outputs, order) })
	}
}

// written is the file of operators.
func written(list []onnx.Operator) []byte {
	outputs, width := map[string]int64{}, 1
	for _, o := range list {
		width = max(width, len(o.Ints["classlabels_ints"]), len(o.Words["classlabels_strings"]))
		for _, out := range o.Out {
			switch {
			case out == "numbers":
				outputs[out] = onnx.Float
			case out == "label" && o.Words["classlabels_strings"] != nil:
				outputs[out] = onnx.Text
			case out == "label":
				outputs[out] = onnx.Int
			}
		}
	}
	return onnx.File(4, width, outputs, list...)
}

// agrees compares the outputs with those of the model that is read; probabilities stand in the order of the file's classes.
func agrees(t *testing.T, text []byte, x *mat.Dense, outputs map[string]json.RawMessage, order []string) {
	if fault := outputs["error"]; fault != nil {
		t.Fatalf("the runtime says %s", fault)
	}
	m, err := onnx.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Predict(t.Context(), data.Rows{Dense: x})
	if err != nil {
		t.Fatal(err)
	}
	var numbers struct{ Data []float64 }
	if err := json.Unmarshal(outputs["numbers"], &numbers); err != nil {
		t.Fatal(err)
	}
	if m.Task == data.Regression {
		for i, v := range numbers.Data {
			if w := out.At(i, 0); math.Abs(v-w) > 1e-5*(1+math.Abs(w)) {
				t.Errorf("row %d is %g, the runtime says %g", i, w, v)
			}
		}
		return
	}
	var labels struct{ Data []any }
	if err := json.Unmarshal(outputs["label"], &labels); err != nil {
		t.Fatal(err)
	}
	ranks := m.Coding().Scores(out)
	for i, k := range m.Decide(out) {
		if m.Pairs && ranks.At(i, k) == 1 { // three classes with a vote each: the runtime takes the first of its own order
			continue
		}
		if got := m.Classes[k]; got != fmt.Sprint(labels.Data[i]) {
			t.Errorf("row %d is %s, the runtime says %v", i, got, labels.Data[i])
		}
	}
	if !m.HasProbabilities() {
		return
	}
	p, err := m.Probabilities(out)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for k := range m.Classes {
		sum += p.At(0, k)
	}
	largest := 0.0
	for k := range m.Classes {
		largest = math.Max(largest, math.Abs(p.At(0, k)-numbers.Data[slices.Index(order, m.Classes[k])]))
	}
	if math.Abs(sum-1) > 1e-9 || largest > 1e-5 {
		t.Errorf("row 0 has the probabilities %v, the runtime says %v", p.RawRowView(0), numbers.Data[:len(m.Classes)])
	}
}

// Files of other operators, and damaged ones, are one clear error.
func TestReadFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	good := operators(rng)["two classes"]
	whole := written(good)
	tree := []onnx.Operator{{Kind: "TreeEnsembleClassifier", In: []string{onnx.Rows}, Out: []string{"label"}}}
	led := []onnx.Operator{{Kind: "Tanh", In: []string{onnx.Rows}, Out: []string{"scaled"}}, good[0]}
	led[1].In = []string{"scaled"}
	short := operators(rng)["two classes"]
	short[0].Numbers["coefficients"] = []float64{1}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"tree":    {written(tree), "TreeEnsembleClassifier; of ONNX, SVMClassifier"},
		"led":     {written(led), "the operator Tanh before its SVMClassifier"},
		"two":     {written(append(operators(rng)["two classes"], good...)), "one is converted"},
		"short":   {written(short), "damaged"},
		"no file": {[]byte("label,x\n1,2\n"), "no ONNX model"},
		"empty":   {nil, "no ONNX model"},
	} {
		if _, err := onnx.Read(bytes.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for i := range whole {
		_, _ = onnx.Read(bytes.NewReader(whole[:i])) // a cut may hide in a list's end; it must not panic
	}
}

func FuzzRead(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, list := range operators(rng) {
		f.Add(written(list))
	}
	f.Fuzz(func(_ *testing.T, text []byte) { _, _ = onnx.Read(bytes.NewReader(text)) })
}
