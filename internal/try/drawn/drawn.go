// Package drawn learns from points that a person has drawn in the plane, some of two classes and some of none, and answers
// with what a page shows: the class of each point and the probabilities over the whole plane. The page docs/try runs it in the
// browser, compiled to WebAssembly.
//
// Change here what the page asks for and what it is told.
package drawn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
)

// MaxPoints are learned from at most: the time grows with the cube of their number.
const MaxPoints = 600

// maxCells of a plane: more is finer than a screen.
const maxCells = 1 << 16

// Classes are the names of the labels 1 and 2; 0 is a point without a label.
var Classes = [2]string{"orange", "purple"} // sorted, as everywhere

// Request is what the page asks for.
type Request struct {
	Points [][2]float64 `json:"points"`
	Labels []int        `json:"labels"` // one a point
	Method string       `json:"method"` // "": lap-rls
	// The plane reaches from (0, 0) to (Width, Height), and is asked about at the middles of Columns x Rows cells.
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
	Columns int     `json:"columns"`
	Rows    int     `json:"rows"`
}

// Answer is what the page shows. Probabilities are those of the second class.
type Answer struct {
	Points  []float64 `json:"points"` // a probability each
	Class   []int     `json:"class"`  // of each point, 1 or 2
	Plane   []float64 `json:"plane"`  // a probability a cell, row by row from the top
	Method  string    `json:"method"`
	Found   string    `json:"found"`   // the hyper-parameters in words
	Error   string    `json:"error"`   // the error to expect of other points, in words
	Tried   int       `json:"tried"`   // machines that were compared
	Learned float64   `json:"learned"` // seconds of the fit
	Drawn   float64   `json:"drawn"`   // seconds of the predictions
}

// Learn fits a machine and asks it about the plane. Faults of the points are errors with a remedy. Cost: that of the fit, some tens
// of n^3 operations for lap-rls, and Columns Rows n kernel values.
func Learn(ctx context.Context, r Request, progress func(mercer.Progress)) (*Answer, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	start := time.Now()
	set := r.set()
	recipe := mercer.Recipe{Method: r.Method}
	if recipe.Method == "" {
		recipe.Method = "lap-rls"
	}
	m, res, err := mercer.Fit(ctx, mercer.Input{Set: set}, recipe, mercer.Options{Progress: progress})
	if err != nil {
		return nil, err
	}
	a := &Answer{Method: res.Method, Found: found(res), Error: expected(res), Learned: time.Since(start).Seconds()}
	if res.Tuning != nil {
		a.Tried = res.Tuning.Evaluations
	}
	start = time.Now()
	probabilities := func(x *mat.Dense) (p []float64, class []int, err error) {
		out, err := m.Predict(ctx, data.Rows{Dense: x})
		if err != nil {
			return nil, nil, err
		}
		class = m.Decide(out)
		for i := range class {
			class[i]++
		}
		if !m.HasProbabilities() {
			for _, c := range class {
				p = append(p, float64(c-1))
			}
			return p, class, nil
		}
		both, err := m.Probabilities(out)
		if err != nil {
			return nil, nil, err
		}
		return mat.Col(nil, 1, both), class, nil
	}
	if a.Points, a.Class, err = probabilities(set.Rows.Dense); err != nil {
		return nil, err
	}
	if a.Plane, _, err = probabilities(r.plane()); err != nil {
		return nil, err
	}
	a.Drawn = time.Since(start).Seconds()
	return a, nil
}

// check returns what is wrong with a request.
func (r Request) check() error {
	switch {
	case len(r.Points) != len(r.Labels):
		return fmt.Errorf("%d points with %d labels; give each point one, 0 for none", len(r.Points), len(r.Labels))
	case len(r.Points) > MaxPoints:
		return fmt.Errorf("%d points; this page learns from %d at most, so take some away", len(r.Points), MaxPoints)
	case r.Columns < 1 || r.Rows < 1 || r.Columns > maxCells || r.Rows > maxCells/r.Columns || !(r.Width > 0) || !(r.Height > 0) ||
		math.IsInf(r.Width+r.Height, 1):
		return errors.New("the plane has no cells or too many; give some tens of columns and rows, and a positive width and height")
	}
	var count [3]int
	for i, k := range r.Labels {
		if k < 0 || k > 2 {
			return fmt.Errorf("point %d has the label %d; it is 0, 1 or 2", i, k)
		}
		count[k]++
		if p := r.Points[i]; p[0]-p[0] != 0 || p[1]-p[1] != 0 {
			return fmt.Errorf("point %d is at no finite place; take it away", i)
		}
	}
	for k, name := range Classes {
		if count[k+1] == 0 {
			return fmt.Errorf("no point is %s; draw one at least of each colour", name)
		}
	}
	if !slices.Contains([]string{"", "auto", "lap-rls", "lap-svm", "rls", "svm"}, r.Method) {
		return fmt.Errorf("the method %q is not offered here", r.Method)
	}
	return nil
}

// set are the points as a table.
func (r Request) set() *data.Set {
	x := mat.NewDense(len(r.Points), 2, nil)
	answers := make(data.Answers, len(r.Points))
	for i, p := range r.Points {
		x.SetRow(i, p[:])
		if k := r.Labels[i]; k > 0 {
			answers[i] = Classes[k-1]
		}
	}
	return &data.Set{
		Name: "drawn", Source: "the drawing", Rows: data.Rows{Dense: x}, Features: []string{"x", "y"}, LabelName: "colour",
		Answers: answers,
	}
}

// plane are the middles of the cells, row by row from the top.
func (r Request) plane() *mat.Dense {
	x := mat.NewDense(r.Columns*r.Rows, 2, nil)
	for i := range r.Rows {
		for j := range r.Columns {
			x.SetRow(i*r.Columns+j, []float64{
				r.Width * (float64(j) + 0.5) / float64(r.Columns), r.Height * (1 - (float64(i)+0.5)/float64(r.Rows)),
			})
		}
	}
	return x
}

// found are the hyper-parameters in words.
func found(r *mercer.Result) string {
	var list []string
	for _, name := range []string{"sigma", "lambda", "C", "gamma_a", "gamma_i", "neighbours", "degree"} {
		switch v := r.Params[name].(type) {
		case float64:
			list = append(list, name+" "+strconv.FormatFloat(v, 'g', 3, 64))
		case int:
			list = append(list, name+" "+strconv.Itoa(v))
		}
	}
	return strings.Join(list, ", ")
}

// expected is the error of other points in words.
func expected(r *mercer.Result) string {
	e := r.Estimate
	if e == nil {
		return "too few labels to say"
	}
	return fmt.Sprintf("%.0f %%, with so few labels anything from %.0f to %.0f %%", 100*e.Error, 100*e.Low, 100*e.High)
}
