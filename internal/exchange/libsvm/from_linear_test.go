package libsvm

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// linearModels are models of two classes, three, and numbers, as weights, as an expansion and as the sum of both.
func linearModels() []*model.Model {
	weights := func(c int) model.Function {
		w := mat.NewDense(3, c, nil)
		for i := range 3 * c {
			w.Set(i/c, i%c, math.Sin(float64(i+1)))
		}
		return model.Linear{Weights: w}
	}
	expansion := func(c int) model.Function {
		rows := data.Rows{Sparse: data.CSRFromDense(mat.NewDense(2, 3, []float64{1, 0, 2, 0, -1, 0.5}))}
		coef := mat.NewDense(2, c, nil)
		for i := range 2 * c {
			coef.Set(i/c, i%c, math.Cos(float64(i)))
		}
		return model.Expansion{Kernel: kernel.Linear{}, Centres: rows, Coef: coef}
	}
	var list []*model.Model
	for _, classes := range [][]string{nil, {"-1", "1"}, {"cat", "dog"}, {"1", "2", "7"}} {
		c := max(len(classes), 1)
		if c == 2 {
			c = 1
		}
		for _, functions := range [][]model.Function{{weights(c)}, {expansion(c)}, {weights(c), expansion(c)}} {
			m := &model.Model{Method: "linear-svm", Task: data.Regression, Classes: classes, Columns: 3, Sparse: true,
				Parts: []model.Part{{Functions: functions, Offset: []float64{0.3, -0.2, 0.1}[:c]}}}
			if classes != nil {
				m.Task = data.Classification
			}
			list = append(list, m)
		}
	}
	return list
}

// A model that was written in the format and read again gives the same outputs.
func TestLinearRoundTrip(t *testing.T) {
	rows := data.Rows{Sparse: data.CSRFromDense(mat.NewDense(3, 3, []float64{1, 2, 3, 0, 0, 1, -1, 0.5, 0}))}
	for _, m := range linearModels() {
		want, err := m.Predict(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		l, ranges, err := LinearFromModel(m)
		if err != nil || ranges != nil {
			t.Fatal(ranges, err)
		}
		var b bytes.Buffer
		if _, err := l.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		read, err := ReadLinear(&b, "file")
		if err != nil {
			t.Fatal(err)
		}
		back, err := read.ToModel()
		if err != nil {
			t.Fatal(err)
		}
		got, err := back.Predict(t.Context(), rows)
		if err != nil || !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%v: %v, want %v: %v", m.Classes, mat.Formatted(got), mat.Formatted(want), err)
		}
		w, _, err := WeightsFromModel(m)
		if (err == nil) != (m.Outputs() == 1) {
			t.Fatalf("%v: %v", m.Classes, err)
		}
		if err != nil {
			continue
		}
		if _, err := w.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if w, err = ReadWeights(&b, "file"); err != nil {
			t.Fatal(err)
		}
		if back, err = w.ToModel(); err != nil {
			t.Fatal(err)
		}
		if got, err := back.Predict(t.Context(), rows); err != nil || !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("weights: %v, want %v: %v", mat.Formatted(got), mat.Formatted(want), err)
		}
	}
}

// What the formats cannot hold is refused.
func TestLinearRefused(t *testing.T) {
	m := linearModels()[1]
	m.Parts[0].Functions = []model.Function{model.Expansion{
		Kernel: kernel.Gaussian{Sigma: 1}, Centres: data.Rows{Dense: mat.NewDense(1, 3, nil)}, Coef: mat.NewDense(1, 1, []float64{1}),
	}}
	if _, _, err := LinearFromModel(m); err == nil {
		t.Error("a Gaussian kernel was written as weights")
	}
	m = linearModels()[9]
	m.Pairs = true
	if _, _, err := LinearFromModel(m); err == nil {
		t.Error("pairs of classes were written one-versus-rest")
	}
	m = linearModels()[1]
	m.Columns = 1 << 40
	if _, _, err := LinearFromModel(m); err == nil || !strings.Contains(err.Error(), "columns need") {
		t.Errorf("columns that memory has no room for: %v", err)
	}
	for _, text := range []string{"", "1\n", "1\nx\n", "1\nNaN\n"} {
		if w, err := ReadWeights(bytes.NewReader([]byte(text)), "file"); err == nil {
			t.Errorf("%q was read as %v", text, w)
		}
	}
}
