// Package explain says why a model answers as it does for a row: the nearest of the rows learned from, the kept rows
// that carry most of the output, and the columns that matter. Everything is exact for the model as it is: no second
// model is fitted to it, and nothing is drawn at random.
//
// What is explained is one number g(x) = u'f(x), f the outputs of the model (Output says which). For a model that is the
// mean of P parts that row x has (P = 1 but for several views), each a sum of kernel expansions, linear functions and an offset,
//
//	g(x) = sum_j s_j(x) + w(x) + b,   s_j(x) = 1/P sum_(functions) k(x, c_j) u'coef_j
//
// s_j is the share of the kept row c_j, w that of linear functions, b that of offsets. A share is how much of the output
// the coefficient of that row makes here. It is not what the output would lose if the row were left out of the fit, for which
// all other coefficients would change too. For least squares the coefficient of a labelled row is its residual over the ridge,
// (y_j - f(x_j))/lambda, so rows with a large share are near x and hard to fit; for support vector machines it is y_j alpha_j,
// C at most; with a graph unlabelled rows have coefficients too (docs/explain.md).
//
// The effect of a column is g(x) - g(x with this column at its reference), computed by prediction. Slopes are derivatives
// dg/dx_j. For a linear model contributions w_j (x'_j - r'_j), x' and r' the scaled row and reference, add up to
// g(x) - g(r).
//
// Change here what an explanation holds; a kernel's derivative by its row is in slope.go.
package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// References of columns.
const (
	Median = "median" // of numbers; the most frequent word or date part else
	Mean   = "mean"
)

// Options say what to look for.
type Options struct {
	Class     string    // whose output is explained; "": the class that is predicted, of two classes the second
	Top       int       // how many nearest and influential rows; 0: 5
	Reference string    // of columns: Median, or Mean; "": Median
	Training  *data.Set // the rows of the fit, suited to the model, for labels and references; nil: what the model keeps
}

const usualTop = 5

// Explainer explains rows of one model.
type Explainer struct {
	model      *model.Model
	o          Options
	parts      []part
	training   data.Rows // scaled; of no rows without Options.Training
	near       neighbours
	columns    []column
	references *references
	without    string // why there are no references
	linear     *mat.Dense
}

// Explanation is what is said of one row.
type Explanation struct {
	Prediction  any                `json:"prediction"`      // class or number
	Score       *float64           `json:"score,omitempty"` // of a model with one output
	Scores      map[string]float64 `json:"scores,omitempty"`
	Probability map[string]float64 `json:"probability,omitempty"`
	Views       map[string]float64 `json:"views,omitempty"` // the explained output of each view that the row has, whose mean is Output.Value
	Output      Output             `json:"output"`

	Nearest        []Neighbour `json:"nearest,omitempty"`
	WithoutNearest string      `json:"without_nearest,omitempty"` // why they are not there

	Influence Influence `json:"influence"`
	Features  Features  `json:"features"`
}

// New prepares explanations. Cost: a hash of each kept row and each training row; memory: a copy of the kept rows, and a scaled
// copy of the training rows.
func New(ctx context.Context, m *model.Model, o Options) (*Explainer, error) {
	if o.Top == 0 {
		o.Top = usualTop
	}
	if o.Reference == "" {
		o.Reference = Median
	}
	switch {
	case o.Top < 0:
		return nil, fmt.Errorf("explain: %d rows are asked for; ask for one at least", o.Top)
	case o.Reference != Median && o.Reference != Mean:
		return nil, fmt.Errorf("explain: unknown reference %q; it is median or mean", o.Reference)
	case o.Class != "" && m.Task == data.Regression:
		return nil, errors.New("this model predicts numbers and has no classes; leave out the class")
	case o.Class != "" && !slices.Contains(m.Classes, o.Class):
		return nil, fmt.Errorf("the model has no class %q; its classes are %s", o.Class, some(m.Classes))
	}
	bound, err := m.Bind(ctx)
	if err != nil {
		return nil, err
	}
	e := &Explainer{model: bound, o: o, columns: columnsOf(m)}
	if o.Training != nil {
		if err := m.Scaling.Refuses(o.Training.Rows); err != nil {
			return nil, err
		}
		e.training = m.Scaling.Apply(o.Training.Rows)
	}
	if e.parts, err = e.keepers(ctx); err != nil {
		return nil, err
	}
	if e.near, err = e.neighbours(); err != nil {
		return nil, err
	}
	if e.references, err = e.refer(); err != nil {
		e.without = err.Error()
	}
	if len(m.Parts) == 1 {
		if w, _, err := m.LinearWeights(); err == nil {
			e.linear = w
		}
	}
	return e, nil
}

// Row explains the first of rows, which are as read and have the model's columns. Cost: a kernel value for each kept row, and a
// prediction of a row for each column that is not at its reference; memory: some hundred rows.
func (e *Explainer) Row(ctx context.Context, rows data.Rows) (*Explanation, error) {
	row := rows.Select([]int{0})
	out, err := e.model.Predict(ctx, row)
	if err != nil {
		return nil, err
	}
	x := &Explanation{}
	if err := e.answer(x, out); err != nil {
		return nil, err
	}
	f := e.explained(out)
	x.Output = f
	if err := e.views(ctx, x, row); err != nil {
		return nil, err
	}
	if err := e.beside(ctx, x, row); err != nil {
		return nil, err
	}
	if x.Influence, err = e.influence(ctx, f, row); err != nil {
		return nil, err
	}
	x.Features, err = e.features(ctx, f, row)
	return x, err
}

// answer stores what is predicted.
func (e *Explainer) answer(x *Explanation, out *mat.Dense) error {
	m := e.model
	scores := m.Coding().Scores(out)
	if m.Task == data.Regression {
		x.Prediction = out.At(0, 0)
	} else {
		x.Prediction = Named(m, out)[0]
	}
	if m.Coding().Outputs() == 1 {
		v := scores.At(0, 0)
		x.Score = &v
	} else {
		x.Scores = byClass(m, scores)
	}
	if m.HasProbabilities() {
		p, err := m.Probabilities(out)
		if err != nil {
			return err
		}
		x.Probability = byClass(m, p)
	}
	return nil
}

func byClass(m *model.Model, of *mat.Dense) map[string]float64 {
	all := map[string]float64{}
	for k, c := range m.Classes {
		all[c] = of.At(0, k)
	}
	return all
}

// views stores the explained output of each view that the row has.
func (e *Explainer) views(ctx context.Context, x *Explanation, row data.Rows) error {
	list, err := e.model.Views(ctx, row)
	if err != nil || list == nil {
		return err
	}
	x.Views = map[string]float64{}
	for v, out := range list {
		if g := x.Output.of(out.RawRowView(0)); g == g { // else the row lacks the view
			x.Views[e.model.Parts[v].View] = g
		}
	}
	return nil
}

// some are names with commas, the first few of many.
func some(names []string) string {
	const most = 8
	text := ""
	for k, n := range names {
		if k == most {
			return fmt.Sprintf("%s and %d more", text, len(names)-most)
		}
		if k > 0 {
			text += ", "
		}
		text += n
	}
	return text
}
