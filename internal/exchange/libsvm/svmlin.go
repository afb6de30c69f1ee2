package libsvm

import (
	"bufio"
	"errors"
	"io"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/model"
)

// Weights are a model of SVMlin: a number a line, those of the features and last that of the constant 1. Its output is
// positive for the class +1.
type Weights []float64

// ReadWeights reads a file of weights called name from r.
func ReadWeights(r io.Reader, name string) (Weights, error) {
	t := newText(r, name)
	var w Weights
	for {
		token, err := t.token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		v, err := t.float("a weight", token)
		if err != nil {
			return nil, err
		}
		w = append(w, v)
	}
	if len(w) < 2 {
		const remedy = "give a file of weights that svmlin wrote"
		return nil, &read.Error{File: name, What: "a model has a feature and a constant at least", Remedy: remedy}
	}
	return w, nil
}

// WriteTo writes a weight a line, all numbers so that they read back exactly.
func (w Weights) WriteTo(to io.Writer) (int64, error) {
	c := &counter{w: to}
	out := bufio.NewWriter(c)
	var b []byte
	for _, v := range w {
		b = append(strconv.AppendFloat(b[:0], v, 'g', -1, 64), '\n')
		_, _ = out.Write(b) // Flush returns the first error
	}
	err := out.Flush()
	return c.n, err
}

// ToModel returns the weights as a model of this program, of the classes -1 and 1.
func (w Weights) ToModel() (*model.Model, error) {
	d := len(w) - 1
	out := &model.Model{
		Method: "linear-svm", Task: data.Classification, Classes: []string{"-1", "1"}, Label: "label", Columns: d, Sparse: true,
	}
	out.Scaling.Kind = data.ScaleNone
	out.Parts = []model.Part{{
		Functions: []model.Function{model.Linear{Weights: mat.NewDense(d, 1, w[:d])}},
		Offset:    []float64{w[d]},
	}}
	return out, nil
}

// WeightsFromModel returns a linear model of one output as weights, and the ranges of svm-scale, as LinearFromModel does.
// The first class in sorted order becomes -1, the second +1. More than two classes are an error.
func WeightsFromModel(m *model.Model) (Weights, *Ranges, error) {
	if m.Outputs() != 1 {
		return nil, nil, errors.New("SVMlin's format holds two classes or numbers, this model has more classes; use --format liblinear")
	}
	w, offset, ranges, err := weightsOf(m)
	if err != nil {
		return nil, nil, err
	}
	return append(mat.Col(nil, 0, w), offset[0]), ranges, nil
}
