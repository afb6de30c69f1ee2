// Package model is what a fit leaves behind: functions of the features with everything
// that prediction needs (feature names, scaling, classes, calibration), in a
// versioned file. A model predicts; it does not know how it was found.
//
// Change here what a model can be made of and how its file is laid out. A new kind of function
// needs a new version of the file, and the readers of old versions stay.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/drift"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"
	"gonum.org/v1/gonum/mat"
)

// Model is the function
//
//	f(x) = mean over the parts p of p(S(x))
//
// with S the scaling, of c outputs: one for regression and two classes (positive
// for the second), one a class for more. Most models have one part, which looks at all
// columns; a model of several views has one a view.
type Model struct {
	Method      string
	Task        data.Task
	Classes     []string    // sorted; nil for regression
	Pairs       bool        // outputs are pairs of classes, see learn.Coding
	Label       string      // name of the label column
	Columns     int         // number of features
	Features    []string    // their names; nil where they are numbered (sparse text)
	Text        *data.Text  // how text becomes features, which are its words; nil: they are no words
	Table       *data.Table // how columns of other things become features; nil: they are numbers, and are as they were
	Fill        []float64   // what missing cells of new rows count as, a number a feature; nil: they are refused, or Table says it
	Sparse      bool        // trained on sparse rows
	Scaling     data.Scaling
	Parts       []Part
	Calibration Calibration      // makes probabilities of outputs; nil: none
	Decision    *result.Decision // by probabilities; nil: the usual one of the outputs
	Residuals   *Residuals       // makes intervals of a regression; nil: none
	Front       *Front           // that it was chosen from, or nil
	Recipe      json.RawMessage  // how to fit it again
	Result      json.RawMessage  // what fit printed: parameters, scores, certificate

	profile *drift.Profile // of the rows it was learned from, see Remember; nil: not known
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

// predictRows rows are scaled and predicted at a time, so that what is made of them on the way
// is small beside them where they are many; no result depends on it.
const predictRows = 8192

// Predict returns f for each row (rows.Len() x c), rows as read, unscaled. Cost: that of
// the functions; memory: a panel of at most 4 million kernel values, and a scaled copy of at most 8192
// rows. A row whose output is not finite, as of features whose squares overflow, is a *RowError.
// The context is asked several times a second.
func (m *Model) Predict(ctx context.Context, rows data.Rows) (*mat.Dense, error) {
	n, c := rows.Len(), m.Outputs()
	if n == 0 {
		return nil, errors.New("model: no row to predict")
	}
	if rows.Dim() != m.Columns {
		return nil, fmt.Errorf("model: %d columns, the model was trained on %d", rows.Dim(), m.Columns)
	}
	out := mat.NewDense(n, c, nil)
	for lo := 0; lo < n; lo += predictRows {
		hi := min(lo+predictRows, n)
		if err := m.predict(ctx, out.Slice(lo, hi, 0, c).(*mat.Dense), piece(rows, lo, hi)); err != nil {
			return nil, err
		}
		for i := lo; i < hi; i++ {
			for _, v := range out.RawRowView(i) {
				if v-v != 0 {
					return nil, &RowError{Row: i, What: m.lacks(rows, i)}
				}
			}
		}
	}
	return out, nil
}

// predict adds f to out.
func (m *Model) predict(ctx context.Context, out *mat.Dense, rows data.Rows) error {
	if err := m.Scaling.Refuses(rows); err != nil {
		return err
	}
	x := m.Scaling.Apply(rows)
	if len(m.Parts) == 1 {
		return m.Parts[0].add(ctx, out, x)
	}
	return m.mean(ctx, out, x)
}

// piece are the rows lo to hi-1.
func piece(rows data.Rows, lo, hi int) data.Rows {
	idx := some(lo, hi, rows.Len())
	if idx == nil {
		return rows
	}
	return rows.Select(idx)
}

// lacks says what is missing of row i for a model of several views, "" if nothing is.
func (m *Model) lacks(rows data.Rows, i int) string {
	row := rows.Select([]int{i})
	if len(m.Parts) == 1 || row.Check() == nil {
		return ""
	}
	for _, p := range m.Parts {
		if p.Columns == nil {
			continue
		}
		one := row.SelectColumns(p.Columns)
		if one.IsSparse() {
			one = data.Rows{Dense: one.Sparse.ToDense()}
		}
		if one.Check() != nil && !one.Lacks(0) {
			return fmt.Sprintf("some cells of view %s are missing and some are there; fill them in, or empty all of them", p.View)
		}
	}
	return "the row has no view, all its cells are missing; fill in those of one view, or leave the row out"
}

// RowError is a row, from 0, that has no finite prediction.
type RowError struct {
	Row  int
	What string // with the remedy; "": its features are too large
}

func (e *RowError) Error() string {
	if e.What != "" {
		return e.What
	}
	return "the model has no finite prediction for this row, whose features are far too large for it; check them, or leave the row out"
}

// Decide returns the class number of each row of outputs.
func (m *Model) Decide(out *mat.Dense) []int {
	if m.Decision != nil {
		if p, err := m.Probabilities(out); err == nil { // else an output is not finite, and has no probabilities
			return m.Decision.Decide(p)
		}
	}
	return m.winners(out)
}

// winners are the most probable classes: of a calibration that decides, which has an offset for each class, or the largest outputs.
func (m *Model) winners(out *mat.Dense) []int {
	if c, ok := m.Calibration.(interface{ Decide(scores *mat.Dense) []int }); ok {
		return c.Decide(out)
	}
	return m.Coding().Decide(out)
}

// Classify predicts the class of each row, by name. It is Predict and Decide; a regression is an error.
func (m *Model) Classify(ctx context.Context, rows data.Rows) ([]string, error) {
	if m.Task != data.Classification {
		return nil, errors.New("the model predicts numbers, not classes; use Predict")
	}
	out, err := m.Predict(ctx, rows)
	if err != nil {
		return nil, err
	}
	names := make([]string, rows.Len())
	for i, class := range m.Decide(out) {
		names[i] = m.Classes[class]
	}
	return names, nil
}

// HasProbabilities says whether Probabilities can be asked.
func (m *Model) HasProbabilities() bool { return m.Calibration != nil }

// Probabilities turns outputs into class probabilities (n x number of classes).
// The most probable class is always the decided one, unless the model has a Decision. It is an error if the model has no
// calibration.
func (m *Model) Probabilities(out *mat.Dense) (*mat.Dense, error) {
	if !m.HasProbabilities() {
		return nil, errors.New("model: it has no probabilities; they are for classifiers tuned by a score of left-out rows")
	}
	n, _ := out.Dims()
	p := mat.NewDense(n, len(m.Classes), nil)
	return p, m.Calibration.Probabilities(p, out, m.winners(out))
}

// Interval returns what is to be added to the output of a regression for the ends of intervals that
// hold new answers with probability level, a share between 0 and 1; calibrate.Residuals says in what sense. A
// classifier, a model of which nothing was left out and a level that too few rows were left out for are an error.
func (m *Model) Interval(level float64) (lower, upper float64, err error) {
	switch {
	case m.Task != data.Regression:
		return 0, 0, errors.New("this model predicts classes, which have no intervals; ask for --probability")
	case m.Residuals == nil:
		return 0, 0, errors.New(
			"this model has no intervals, as it keeps no errors of rows left out; fit it anew by auto, rls or svr, with --tune kfold:5",
		)
	}
	return m.Residuals.Interval(level)
}
