package onnx_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/exchange/onnx"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"gonum.org/v1/gonum/mat"
)

// value is an operator's kernel of a row and a support vector, by the definition of ONNX.
func value(o onnx.Operator, x, z []float64) float64 {
	dot, apart, p := 0.0, 0.0, o.Numbers["kernel_params"]
	for k, v := range x {
		dot += v * z[k]
		apart += (v - z[k]) * (v - z[k])
	}
	switch o.Word["kernel_type"] {
	case "POLY":
		return math.Pow(p[0]*dot+p[1], p[2])
	case "RBF":
		return math.Exp(-p[0] * apart)
	case "SIGMOID":
		return math.Tanh(p[0]*dot + p[1])
	}
	return dot
}

// numbersOf are what an operator computes of a row: the outputs of a linear machine and of a regression, the votes of a classifier.
func numbersOf(o onnx.Operator, x []float64) []float64 {
	coef, d := o.Numbers["coefficients"], len(x)
	if o.Kind[0] == 'L' {
		out := slices.Clone(o.Numbers["intercepts"])
		for k := range out {
			for j, v := range x {
				out[k] += v * coef[k*d+j]
			}
		}
		return out
	}
	z := o.Numbers["support_vectors"]
	n := len(z) / d
	if o.Kind == "SVMRegressor" {
		s := o.Numbers["rho"][0]
		for i := range n {
			s += coef[i] * value(o, x, z[i*d:(i+1)*d])
		}
		return []float64{s}
	}
	classes, per, pair := len(o.Ints["vectors_per_class"]), o.Ints["vectors_per_class"][0], 0 // each has as many
	votes := make([]float64, classes)
	for a := range classes {
		for b := a + 1; b < classes; b++ {
			s := o.Numbers["rho"][pair]
			for i := range per {
				s += coef[(b-1)*n+a*per+i] * value(o, x, z[(a*per+i)*d:(a*per+i+1)*d])
				s += coef[a*n+b*per+i] * value(o, x, z[(b*per+i)*d:(b*per+i+1)*d])
			}
			if pair++; s > 0 {
				votes[a]++
			} else {
				votes[b]++
			}
		}
	}
	return votes
}

// TestReadAgrees: what Read makes of an operator predicts as the definition of the operator says.
func TestReadAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := mat.NewDense(40, 4, single(rng, 160))
	for name, list := range operators(rng) {
		t.Run(name, func(t *testing.T) {
			machine := list[len(list)-1]
			names := machine.Words["classlabels_strings"]
			for _, v := range machine.Ints["classlabels_ints"] {
				names = append(names, fmt.Sprint(v))
			}
			var flat []float64
			var label []string
			for i := range 40 {
				row := slices.Clone(x.RawRowView(i))
				for j := range row {
					if list[0].Kind == "Scaler" {
						row[j] = (row[j] - list[0].Numbers["offset"][j]) * list[0].Numbers["scale"][j]
					}
				}
				v := numbersOf(machine, row)
				if names != nil {
					label = append(label, names[slices.Index(v, slices.Max(v))])
				}
				total := 0.0
				for k := range v {
					switch machine.Word["post_transform"] {
					case "LOGISTIC":
						v[k] = 1 / (1 + math.Exp(-v[k]))
					case "SOFTMAX":
						v[k] = math.Exp(v[k])
						total += v[k]
					}
				}
				for k := range v {
					if total > 0 {
						v[k] /= total
					}
				}
				flat = append(flat, v...)
			}
			outputs := map[string]json.RawMessage{}
			for key, v := range map[string]any{"numbers": flat, "label": label} {
				text, err := json.Marshal(map[string]any{"Data": v})
				if err != nil {
					t.Fatal(err)
				}
				outputs[key] = text
			}
			agrees(t, written(list), x, outputs, names)
		})
	}
}

// TestOtherForms: a linear machine of two classes with one output, without constants, and one whose classes are known by the longer
// name of their list; a scaler of single numbers; a machine of one class; and what stands around a machine and changes nothing.
func TestOtherForms(t *testing.T) {
	rows, answers := []string{onnx.Rows}, []string{"label", "numbers"}
	coef := []float64{1, -2, 0.5, 3}
	x := mat.NewDense(2, 4, []float64{1, 2, 3, 4, -1, 0, 2, -0.5})
	at := func(row []float64, shift, scale float64) (s float64) {
		for k, v := range row {
			s += (v - shift) * scale * coef[k]
		}
		return s
	}
	linear := func(kind, in string) onnx.Operator {
		return onnx.Operator{Kind: kind, In: []string{in}, Out: answers, Numbers: map[string][]float64{"coefficients": coef}}
	}
	two := linear("LinearClassifier", onnx.Rows)
	two.Ints, two.Numbers["intercepts"] = map[string][]int{"classlabels_int64s": {5, 2}}, []float64{0.5}
	two.Word = map[string]string{"post_transform": "LOGISTIC"}
	scaler := onnx.Operator{Kind: "Scaler", In: []string{"a"}, Out: []string{"b"},
		Numbers: map[string][]float64{"offset": {0.5}, "scale": {2}}}
	around := []onnx.Operator{
		{Kind: "Identity", In: rows, Out: []string{"a"}}, scaler, linear("LinearRegressor", "b"),
		{Kind: "Identity", In: answers[1:], Out: []string{"out"}},
	}
	one := onnx.Operator{Kind: "SVMRegressor", In: rows, Out: answers[1:], Int: map[string]int{"n_supports": 1, "one_class": 1},
		Numbers: map[string][]float64{"support_vectors": coef, "coefficients": {1}, "rho": {-2}}}
	for name, c := range map[string]struct {
		list    []onnx.Operator
		want    func(row []float64) float64
		classes []string
		method  string
	}{
		"two classes of one output": {[]onnx.Operator{two}, func(row []float64) float64 { return -at(row, 0, 1) - 0.5 },
			[]string{"2", "5"}, "linear-logistic"},
		"numbers":   {around, func(row []float64) float64 { return at(row, 0.5, 2) }, nil, "linear-rls"},
		"one class": {[]onnx.Operator{one}, func(row []float64) float64 { return at(row, 0, 1) - 2 }, []string{"-1", "1"}, "one-class"},
	} {
		m, err := onnx.Read(bytes.NewReader(written(c.list)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		out, err := m.Predict(t.Context(), data.Rows{Dense: x})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if want := c.want(x.RawRowView(i)); math.Abs(out.At(i, 0)-want) > 1e-12 {
				t.Errorf("%s: row %d is %g, want %g", name, i, out.At(i, 0), want)
			}
		}
		if !slices.Equal(m.Classes, c.classes) || m.Method != c.method || m.HasProbabilities() != (name == "two classes of one output") {
			t.Errorf("%s: %s with the classes %v", name, m.Method, m.Classes)
		}
	}
}

// TestReadRefusals: what an operator has that is not converted is refused by name, and numbers that do not belong together are damage.
func TestReadRefusals(t *testing.T) {
	const damaged = "the file is no ONNX model, or is damaged"
	for _, c := range []struct {
		of     string
		at     int
		change func(o *onnx.Operator)
		want   string
	}{
		{"scaled", 0, func(o *onnx.Operator) { o.Numbers["offset"] = nil },
			"it has a Scaler without offset and scale, or two, which cannot be converted"},
		{"scaled", 0, func(o *onnx.Operator) { o.Numbers["scale"] = nil },
			"it has a Scaler without offset and scale, or two, which cannot be converted"},
		{"scaled", 0, func(o *onnx.Operator) { o.Numbers["scale"] = []float64{1, 2} }, damaged},
		{"scaled", 0, func(o *onnx.Operator) { o.Numbers["offset"] = []float64{1, 2} }, damaged},
		{"scaled", 0, func(o *onnx.Operator) { o.In = nil }, "it has the operator Scaler before its SVMRegressor, which cannot be converted"},
		{"scaled", 0, func(o *onnx.Operator) { o.Out[0] = "x" }, "it has the operator Scaler beside its SVMRegressor, which cannot be converted"},
		{"scaled", 0, func(o *onnx.Operator) { o.In[0] = "scaled" },
			"it has the operator Scaler before its SVMRegressor, which cannot be converted"},
		{"scaled", 1, func(o *onnx.Operator) { o.In = nil }, damaged},
		{"scaled", 1, func(o *onnx.Operator) { o.Int["n_supports"] = 0 },
			"SVMRegressor: it has no support vectors; a linear one is LinearRegressor"},
		{"scaled", 1, func(o *onnx.Operator) { o.Int["n_supports"] = 3 }, "SVMRegressor: " + damaged},
		{"scaled", 1, func(o *onnx.Operator) { o.Numbers["support_vectors"] = nil }, "SVMRegressor: " + damaged},
		{"scaled", 1, func(o *onnx.Operator) { o.Word["post_transform"] = "PROBIT" },
			"SVMRegressor: the post_transform PROBIT is not converted"},
		{"scaled", 1, func(o *onnx.Operator) { o.Word["kernel_type"] = "OTHER" },
			"SVMRegressor: the kernel OTHER of degree 0 is not converted"},
		{"three classes", 0, func(o *onnx.Operator) { o.Numbers["kernel_params"][2] = 2.5 },
			"SVMClassifier: the kernel POLY of degree 2.5 is not converted"},
		{"three classes", 0, func(o *onnx.Operator) { o.Ints["vectors_per_class"] = nil },
			"SVMClassifier: it has no support vectors; a linear one is LinearClassifier"},
		{"three classes", 0, func(o *onnx.Operator) { o.Ints["vectors_per_class"][0] = -1 }, "SVMClassifier: " + damaged},
		{"three classes", 0, func(o *onnx.Operator) { o.Words["classlabels_strings"][0] = "b" },
			"SVMClassifier: 3 classes, of which some may be equal: " + damaged},
		{"three classes", 0, func(o *onnx.Operator) { o.Words["classlabels_strings"] = []string{"a", "b"} },
			"SVMClassifier: 2 classes, of which some may be equal: " + damaged},
		{"two classes", 0, func(o *onnx.Operator) { o.Ints["vectors_per_class"], o.Ints["classlabels_ints"] = []int{6}, []int{3} },
			"SVMClassifier: 1 classes, of which some may be equal: " + damaged},
		{"two classes", 0, func(o *onnx.Operator) { o.Numbers["rho"] = nil },
			"SVMClassifier: 0 values of rho for 1 pairs of classes"},
		{"two classes", 0, func(o *onnx.Operator) { o.Word["post_transform"] = "SOFTMAX" },
			"SVMClassifier: the post_transform SOFTMAX is not converted"},
		{"linear, numbers", 0, func(o *onnx.Operator) { o.Ints = map[string][]int{"targets": {2}} },
			"LinearRegressor: it has 2 targets; one is converted"},
		{"linear, numbers", 0, func(o *onnx.Operator) { o.Word["post_transform"] = "PROBIT" },
			"LinearRegressor: the post_transform PROBIT is not converted"},
		{"linear, numbers", 0, func(o *onnx.Operator) { o.Numbers["intercepts"] = []float64{1, 2} }, "LinearRegressor: " + damaged},
		{"linear, numbers", 0, func(o *onnx.Operator) { o.Numbers["coefficients"] = nil }, "LinearRegressor: " + damaged},
		{"softmax, three", 0, func(o *onnx.Operator) { o.Ints["classlabels_ints"] = []int{1} },
			"LinearClassifier: 1 classes, of which some may be equal: " + damaged},
		{"softmax, three", 0, func(o *onnx.Operator) { o.Numbers["coefficients"] = make([]float64, 11) }, "LinearClassifier: " + damaged},
		{"softmax, three", 0, func(o *onnx.Operator) { o.Numbers["intercepts"] = make([]float64, 2) },
			"LinearClassifier: 2 outputs for 3 classes: " + damaged},
	} {
		list := operators(rand.New(rand.NewPCG(3, 4)))[c.of]
		c.change(&list[c.at])
		_, err := onnx.Read(bytes.NewReader(written(list)))
		failtest.Refused(t, err, c.want)
	}
	many := []onnx.Operator{{Kind: "A"}, {Kind: "B"}, {Kind: "A"}, {Kind: "C"}, {Kind: "D"}, {Kind: "E"}}
	const machines = "; of ONNX, SVMClassifier, SVMRegressor, LinearClassifier and LinearRegressor are converted"
	_, err := onnx.Read(bytes.NewReader(written(many)))
	failtest.Refused(t, err, "it has the operators A, B, C, D, E"+machines)
	_, err = onnx.Read(bytes.NewReader(written(append(many, onnx.Operator{Kind: "F"}))))
	failtest.Refused(t, err, "it has the operators A, B, C, D, E, ..."+machines)
	two := operators(rand.New(rand.NewPCG(3, 4)))["scaled"]
	again := two[0]
	two[0].In, again.Out = []string{"first"}, []string{"first"}
	_, err = onnx.Read(bytes.NewReader(written(append(two, again))))
	failtest.Refused(t, err, "it has a Scaler without offset and scale, or two, which cannot be converted")
}

// TestProbabilitiesOfMachines: a classifier that has sigmoids for its pairs keeps them, turned to the sorted order of its classes.
func TestProbabilitiesOfMachines(t *testing.T) {
	for name, want := range map[string]calibrate.Calibration{
		"two classes": calibrate.Sigmoid{Slope: 1, Offset: 0.25},
		"other order": calibrate.Pairs{Classes: 3, Pair: []calibrate.Sigmoid{
			{Slope: 0.5, Offset: -0.5}, {Slope: 1, Offset: -0.25}, {Slope: 2, Offset: -0.125}}},
	} {
		list := operators(rand.New(rand.NewPCG(3, 4)))[name]
		pairs := len(list[0].Numbers["rho"])
		list[0].Numbers["prob_a"], list[0].Numbers["prob_b"] = []float64{-1, -2, -0.5}[:pairs], []float64{0.25, 0.125, -0.5}[:pairs]
		m, err := onnx.Read(bytes.NewReader(written(list)))
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprintf("%.6g", m.Calibration) != fmt.Sprintf("%.6g", want) {
			t.Errorf("%s: %+v, want %+v", name, m.Calibration, want)
		}
	}
	if _, err := onnx.Read(refusing{}); err == nil || err.Error() != "refused" {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// refusing gives nothing.
type refusing struct{}

func (refusing) Read([]byte) (int, error) { return 0, errors.New("refused") }

// TestDamageWithin: what is damaged deep within a file is damage of the file, and no list that it lacks; a kernel that this program does
// not have is refused in its words.
func TestDamageWithin(t *testing.T) {
	whole := written(operators(rand.New(rand.NewPCG(3, 4)))["two classes"])
	number := []byte("\x03rho\x3d") // the name of a list, and the tag of its first number
	if !bytes.Contains(whole, number) {
		t.Fatal("the list is written otherwise")
	}
	_, err := onnx.Read(bytes.NewReader(bytes.Replace(whole, number, []byte("\x03rho\x3e"), 1))) // of a kind that there is not
	failtest.Refused(t, err, "the file is no ONNX model, or is damaged")
	flat := operators(rand.New(rand.NewPCG(3, 4)))["scaled"]
	flat[1].Numbers["kernel_params"] = []float64{0, 0, 0}
	_, err = onnx.Read(bytes.NewReader(written(flat)))
	failtest.Refused(t, err, "SVMRegressor: libsvm: rbf with gamma 0, coef0 0 and degree 0 is no kernel of this program; gamma must be "+
		"positive, and of a polynomial coef0 not negative, degree positive")
}
