// Package model is what a fit leaves behind: kernel expansions with everything
// that prediction needs (feature names, scaling, classes, calibration), in a
// versioned file. A model predicts; it does not know how it was found.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/calibrate"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rbf"
	"gonum.org/v1/gonum/mat"
)

// Model is the function
//
//	f(x) = sum over expansions of sum_j k(S(x), centre_j) coef_j  +  Offset
//
// with S the scaling, of c outputs: one for regression and two classes (positive
// for the second), one a class for more.
type Model struct {
	Method      string
	Task        data.Task
	Classes     []string // sorted; nil for regression
	Pairs       bool     // outputs are pairs of classes, see learn.Coding
	Label       string   // name of the label column
	Columns     int      // number of features
	Features    []string // their names; nil where they are numbered (sparse text)
	Sparse      bool     // trained on sparse rows
	Scaling     data.Scaling
	Expansions  []kernel.Expansion
	Offset      []float64             // c values, or nil
	Calibration calibrate.Calibration // makes probabilities of outputs; nil: none
	Front       *Front                // that it was chosen from, or nil
	// Normalised divides by the sum of the kernel values: a weighted mean of the coefficients,
	// of one Gaussian expansion (Nadaraya-Watson).
	Normalised bool
	Recipe     json.RawMessage // how to fit it again
	Result     json.RawMessage // what fit printed: parameters, scores, certificate
}

// Coding says what the outputs mean.
func (m *Model) Coding() learn.Coding {
	if m.Task == data.Regression {
		return learn.Coding{}
	}
	return learn.Coding{Classes: len(m.Classes), Pairs: m.Pairs}
}

// Outputs is the number c of outputs.
func (m *Model) Outputs() int { return m.Coding().Outputs() }

// predictRows is how many rows are predicted at once: their kernel values with
// 10 000 centres take 40 MB.
const predictRows = 512

// Predict returns f for each row (rows.Len() x c), rows as read, unscaled. Cost: one
// kernel value a row, centre and expansion; memory: a panel of 512 rows. A row whose
// output is not finite, as of features whose squares overflow, is a *RowError.
func (m *Model) Predict(rows data.Rows) (*mat.Dense, error) {
	out, err := m.outputs(rows)
	if err != nil {
		return nil, err
	}
	for i := range rows.Len() {
		for _, v := range out.RawRowView(i) {
			if v-v != 0 {
				return nil, &RowError{i}
			}
		}
	}
	return out, nil
}

// RowError is a row, from 0, that has no finite prediction.
type RowError struct{ Row int }

func (*RowError) Error() string {
	return "the model has no finite prediction for this row, whose features are far too large for it; check them, or leave the row out"
}

func (m *Model) outputs(rows data.Rows) (*mat.Dense, error) {
	n, c := rows.Len(), m.Outputs()
	if n == 0 {
		return nil, errors.New("model: no row to predict")
	}
	if rows.Dim() != m.Columns {
		return nil, fmt.Errorf("model: %d columns, the model was trained on %d", rows.Dim(), m.Columns)
	}
	out := mat.NewDense(n, c, nil)
	for i := range n {
		copy(out.RawRowView(i), m.Offset)
	}
	x := m.Scaling.Apply(rows)
	if m.Normalised {
		return m.weightedMean(x)
	}
	part := mat.NewDense(n, c, nil)
	for _, e := range m.Expansions {
		if err := Evaluate(e, x, part); err != nil {
			return nil, err
		}
		out.Add(out, part)
	}
	return out, nil
}

// weightedMean is the prediction of a normalised model.
func (m *Model) weightedMean(x data.Rows) (*mat.Dense, error) {
	g, ok := m.Expansions[0].Kernel.(kernel.Gaussian)
	if !ok {
		return nil, errors.New("model: only a Gaussian expansion can be normalised")
	}
	e := m.Expansions[0]
	return rbf.NadarayaWatson{Sigma: g.Sigma}.Predict(context.Background(), e.Centres, e.Coef, x)
}

// Evaluate stores sum_j k(x, centre_j) coef_j in out, by panels of rows.
func Evaluate(e kernel.Expansion, x data.Rows, out *mat.Dense) error {
	n, c := out.Dims()
	g, err := e.Kernel.Bind(context.Background(), e.Centres, nil)
	if err != nil {
		return err
	}
	k := mat.NewDense(min(n, predictRows), e.Centres.Len(), nil)
	for lo := 0; lo < n; lo += predictRows {
		hi := min(lo+predictRows, n)
		idx := make([]int, hi-lo)
		for i := range idx {
			idx[i] = lo + i
		}
		block := k.Slice(0, hi-lo, 0, e.Centres.Len()).(*mat.Dense)
		if err := g.Cross(block, x.Select(idx), nil); err != nil {
			return err
		}
		out.Slice(lo, hi, 0, c).(*mat.Dense).Mul(block, e.Coef)
	}
	return nil
}

// Decide returns the class number of each row of outputs.
func (m *Model) Decide(out *mat.Dense) []int { return m.Coding().Decide(out) }

// HasProbabilities says whether Probabilities can be asked.
func (m *Model) HasProbabilities() bool { return m.Calibration != nil }

// Probabilities turns outputs into class probabilities (n x number of classes).
// The most probable class is always the decided one. It is an error if the model
// has no calibration.
func (m *Model) Probabilities(out *mat.Dense) (*mat.Dense, error) {
	if !m.HasProbabilities() {
		return nil, errors.New("model: it has no probabilities; they are for classifiers tuned by a score of left-out rows")
	}
	n, _ := out.Dims()
	p := mat.NewDense(n, len(m.Classes), nil)
	return p, m.Calibration.Probabilities(p, out, m.Decide(out))
}
