// Package onnx writes models as graphs of standard operators of ONNX (https://onnx.ai/onnx/operators), which many programs
// run, in double precision, and reads the support vector machines and linear models of ONNX's operators for machine
// learning.
//
// A graph takes rows as predict does, before scaling, and answers with the label, the scores and the probabilities of
// predict. Its operators are those of version 17, so that a runtime of 2022 or later runs it; LabelEncoder, of
// version 3 of the operators for machine learning, where words are features.
//
// Change here what a kernel, a function or a calibration is in operators. The numbers of fields are in wire.go and graph.go.
package onnx

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// Names of what goes in and comes out.
const (
	Rows          = "rows"          // numbers, N x columns; of a table with words an input a column instead, under its name, N x 1
	Label         = "label"         // of classifiers: text, N
	Scores        = "scores"        // as predict has them: N x 1 of two classes, else N x classes
	Probabilities = "probabilities" // N x classes, where the model has some
	Prediction    = "prediction"    // of regressions, N x 1
)

// outputs are those of the graph, and what a column that is an input cannot be called.
var outputs = []string{Label, Scores, Probabilities, Prediction}

// largest is that of a file, as protocol buffers have it.
const largest = 1<<31 - 1

// Write writes the model. One that ONNX has no operators for is an error that names the part. Memory: some three times that of the
// centres in double precision, sparse ones with their zeros.
func Write(w io.Writer, m *model.Model) error {
	if err := suits(m); err != nil {
		return err
	}
	g := newGraph()
	x, names, err := g.rows(m)
	if err != nil {
		return err
	}
	out, err := g.outputsOf(m, g.scaled(m.Scaling, x))
	if err != nil {
		return err
	}
	g.answers(m, out)
	columns, err := json.Marshal(names)
	if err != nil {
		return err
	}
	about := [][2]string{{"method", m.Method}, {"columns", string(columns)}}
	if m.Classes != nil {
		classes, err := json.Marshal(m.Classes)
		if err != nil {
			return err
		}
		about = append(about, [2]string{"classes", string(classes)})
	}
	file := g.model(about)
	if len(file) > largest {
		return tooLarge(len(file))
	}
	_, err = w.Write(file)
	return err
}

func tooLarge(size int) error {
	return fmt.Errorf("it takes %d bytes, and an ONNX file has 2 GiB at most; make the model smaller by mercer shrink", size)
}

// suits refuses models of words, and such whose centres are too many.
func suits(m *model.Model) error {
	if m.Text != nil {
		return fmt.Errorf("its features are words of documents, and ONNX has no operator that takes a text apart; count the words " +
			"before and fit on the counts, or use mercer export --format sklearn")
	}
	const name = 64 // bytes that a column takes in the list of their names, and in the text made of it
	if err := m.HoldsColumns(name); err != nil {
		return err
	}
	size := 0
	for _, p := range m.Parts {
		for _, f := range p.Functions {
			if e, ok := centres(f); ok {
				size += 8 * e.Centres.Len() * e.Centres.Dim()
			}
		}
	}
	if size > largest {
		return tooLarge(size)
	}
	return nil
}

// centres is the expansion that a function is or has.
func centres(f model.Function) (model.Expansion, bool) {
	switch f := f.(type) {
	case model.Expansion:
		return f, true
	case model.Mean:
		return f.Expansion, true
	}
	return model.Expansion{}, false
}

// scaled are the rows after the scaling.
func (g *graph) scaled(s data.Scaling, x value) value {
	if s.Shift != nil {
		x = g.sub(x, g.row(s.Shift))
	}
	if s.Scale != nil {
		x = g.div(x, g.row(s.Scale))
	}
	if s.Kind == data.ScaleUnit || s.Kind == data.ScaleTFIDF {
		length := g.sqrt(g.squares(x))
		x = g.div(x, g.where(g.op("Greater", []value{length, g.scalar(0)}), length, g.scalar(1)))
	}
	return x
}

// outputsOf are the outputs f of the scaled rows x, N x outputs.
func (g *graph) outputsOf(m *model.Model, x value) (value, error) {
	if len(m.Parts) == 1 {
		return g.part(&m.Parts[0], x, m.Outputs())
	}
	// The mean over the parts whose columns a row has: NaN is not equal to itself.
	var total, count value
	for i := range m.Parts {
		p := &m.Parts[i]
		out, err := g.part(p, x, m.Outputs())
		if err != nil {
			return "", err
		}
		own := g.columns(x, p.Columns)
		have := g.reduce("ReduceMax", g.double(g.op("Equal", []value{own, own})), 1)
		if p.Columns == nil {
			have = g.reduce("ReduceMax", g.double(g.op("Equal", []value{g.squares(g.mul(own, g.scalar(0))), g.scalar(0)})), 1)
		}
		out = g.where(g.op("Greater", []value{have, g.scalar(0)}), out, g.scalar(0))
		if i == 0 {
			total, count = out, have
			continue
		}
		total, count = g.add(total, out), g.add(count, have)
	}
	return g.div(total, count), nil
}

func (g *graph) part(p *model.Part, x value, outputs int) (value, error) {
	x = g.columns(x, p.Columns)
	offset := p.Offset
	if offset == nil {
		offset = make([]float64, outputs)
	}
	total := g.add(g.mul(g.columns(x, []int{0}), g.scalar(0)), g.row(offset)) // as many rows as x has
	for _, f := range p.Functions {
		v, err := g.function(f, x)
		if err != nil {
			return "", err
		}
		total = g.add(total, v)
	}
	return total, nil
}

func (g *graph) function(f model.Function, x value) (value, error) {
	switch f := f.(type) {
	case model.Linear:
		return g.matmul(x, g.matrix(f.Weights)), nil
	case model.Expansion:
		plain := f.Plain()
		k, err := g.cross(plain.Kernel, x, dense(plain.Centres))
		if err != nil {
			return "", err
		}
		return g.matmul(k, g.matrix(plain.Coef)), nil
	case model.Mean:
		return g.mean(f, x)
	}
	return "", fmt.Errorf("a function of type %T has no form in standard operators", f)
}

// mean is the mean of the coefficients weighted by a Gaussian kernel, relative to the nearest centre.
func (g *graph) mean(f model.Mean, x value) (value, error) {
	k, ok := gaussian(f.Kernel)
	if !ok {
		return "", fmt.Errorf("a mean weighted by another kernel than the Gaussian")
	}
	plain := f.Plain()
	z, coef := dense(plain.Centres), g.matrix(plain.Coef)
	s := g.distances(x, z)
	weight := g.exp(g.times(g.sub(s, g.reduce("ReduceMin", s, 1)), -0.5/(k*k)))
	out := g.div(g.matmul(weight, coef), g.sum(weight, 1))
	if !f.Known {
		return out, nil
	}
	same := g.double(g.op("Equal", []value{g.deeper(x, 1), g.deeper(g.matrix(z), 0)}))
	same = g.op("ReduceMin", []value{same}, attribute{"axes", []int{2}}, attribute{"keepdims", 0})
	count := g.sum(same, 1)
	own := g.div(g.matmul(same, coef), g.most(count, g.scalar(1)))
	return g.where(g.op("Greater", []value{count, g.scalar(0)}), own, out), nil
}

// dense are rows with their zeros.
func dense(rows data.Rows) *mat.Dense {
	if rows.IsSparse() {
		return rows.Sparse.ToDense()
	}
	return rows.Dense
}
