// Package choose makes one answer of many machines. The answer is the best of them, an average
// of all, one machine for each class, or a member of a front. A Slate holds what is chosen
// from, and a Rule chooses.
//
// A member of a front is chosen after the front has been made. A Decisor gives every member a
// score, smaller being better, and says what it assumed. Some decisors need no more than the
// front's own numbers, others the validation losses that its producer supplies. Ties go to the
// smaller complexity, then to fewer degrees of freedom (the latter not in the source).
//
// A new rule or decisor is a file here; package method says which method uses it.
//
// Source of the decisors: Kokshenev, doctoral thesis, UFMG 2010, sections 2.5 and 4.4.
package choose

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

// Machine is one trained machine.
type Machine struct {
	Kernel     kernel.Kernel // as bound: a manifold.Warp or a base kernel
	Lambda     float64       // the ridge; of a learner with C it is 1/(2C)
	Theta      []float64     // the learner's own parameters; nil for regularised least squares
	Score      float64       // the criterion on LeftOut
	LeftOut    *mat.Dense    // l x c, what each labelled row is given without its label; nil if nothing was scored
	Outputs    *mat.Dense    // n x c, on all rows; nil where prediction gives them
	Expansions []kernel.Expansion
	B          []float64 // offsets, or nil
	Mean       bool      // the outputs are the expansion over the sum of its kernel values
	learn.Certificate
}

// Candidate is one point of a design and, once trained, its machine.
type Candidate struct {
	Method string
	Linear bool         // the linear kernel instead of the base kernel
	Width  float64      // multiple of the base kernel's widths
	Graph  graph.Recipe // Neighbours 0: supervised
	Ratio  float64      // for a kernel whose mean diagonal is one
	Prior  float64      // logarithm of, against a supervised machine with a width
	*Machine
}

// Supervised says whether the candidate has no graph.
func (c *Candidate) Supervised() bool {
	return c.Graph.Neighbours == 0 && c.Graph.Kind == graph.NearestNeighbours
}

// Weighted is a machine and its weight in the sum of outputs.
type Weighted struct {
	*Candidate
	Weight float64
}

// Slate is what a method made, before anything is chosen.
type Slate struct {
	Problem   *learn.Problem
	Criterion score.Criterion // what Score is
	Squared   bool            // Score is a mean of squares whatever the Criterion (gcv, cp)
	Judged    []int           // labelled rows that Score is of; nil: all
	Members   []*Candidate    // trained
	Failed    int             // candidates whose factorisation or score failed
	// Safe says that a supervised member may be chosen in the place of one with a graph.
	Safe bool
	// Blurred says that machines with a graph are approximate enough to need a clear lead.
	Blurred bool
	// Baseline is the supervised machine to compare with; nil: the best among the members.
	Baseline *Candidate
	Tuning   Tuning
	Front    *Tradeoff // of methods that make fronts
	Kept     *Kept     // of a selection of features
	Warnings []string
}

// Kept is what a selection has left of the features.
type Kept struct {
	Columns []int
	Names   []string
	Dropped bool // some were dropped
}

// Tuning says how the hyper-parameters were chosen.
type Tuning struct {
	Score       string  `json:"score"`
	Value       float64 `json:"value"`
	Evaluations int     `json:"evaluations"`
	Search      string  `json:"search"`
	Status      string  `json:"status"`
	// Fresh is the score on other draws of the folds, of a search by gradients; Tied says
	// that one parameter for all features was kept, for one a feature gained too little there.
	Fresh *Fresh `json:"fresh,omitempty"`
	Tied  bool   `json:"tied,omitempty"`
}

// Fresh is a score over several draws of the folds.
type Fresh struct {
	Draws int     `json:"draws"`
	Folds int     `json:"folds"`
	Mean  float64 `json:"mean"`
	Std   float64 `json:"std"`
}

// Tradeoff is a front of risk against complexity: members by increasing complexity, none of
// which is worse than another in both.
type Tradeoff struct {
	Points    []Point
	Parts     []Part // the fronts it was merged from, of one width each; for figures
	Centres   data.Rows
	Rows      int // of the fit
	Outputs   int
	Trained   int     // machines, those of the decision included
	Partial   bool    // interrupted: nondominated among what there was
	Violation float64 // largest relative violation of the optimality conditions on the paths
	Quick     bool    // folds take as long as the front, and there are other decisions
	Gaussian  bool    // squared errors of fits with degrees of freedom: what information criteria need
	Bias      bool    // an offset is fitted that the degrees of freedom leave out
	// Border says where a point lies at the border of what was looked at, "" where it does not; nil:
	// nothing has one.
	Border func(point int) string
	// Decided is the choice where making the front made it too; nil: it is still to be made.
	Decided *Choice
	// LeftOut is the loss of every member on rows held out in folds, and what it is; nil if
	// the method has none.
	LeftOut func(ctx context.Context, folds [][]int) ([]float64, string, error)
}

// Point is one function of a front: a sum of expansions over rows of the front's centres.
type Point struct {
	Risk, SSE, Complexity float64
	DF                    float64
	Errors                int // rows misclassified; -1: not known
	Params                map[string]any
	Offset                []float64
	Terms                 []Term
}

// Term is an expansion over rows of the front's centres.
type Term struct {
	Kernel kernel.Kernel
	Rows   []int
	Coef   *mat.Dense
}

// Support is the number of different rows in a point's terms.
func (p Point) Support() int {
	n := 0
	for _, t := range p.Terms {
		n += len(t.Rows)
	}
	return n
}

// Part is some points of the front of one width. It ends where others are better whatever comes.
type Part struct {
	Name             string
	Risk, Complexity []float64
}

// Choice is the answer made of a slate.
type Choice struct {
	Members  []Weighted // the chosen machine, or the machines that are added
	Offset   []float64  // c values added to the sum of the members' outputs, or nil
	Score    float64    // of the chosen machine or of the average
	Baseline *Candidate // the best supervised machine, or nil
	Classes  bool       // every member knows one class from the rest
	// Of a front: the number of the point chosen, the rule's word, what it rests on and
	// every point's score, NaN where it has none.
	Point   int
	Rule    string
	Assumed string
	Scores  []float64
}

// Rule chooses.
type Rule interface {
	Choose(ctx context.Context, s *Slate) (*Choice, error)
}

// ErrNothing says that not one candidate could be trained.
var ErrNothing = errors.New("no candidate could be trained")

// Alone is the slate of one machine.
func Alone(m *Machine) *Slate {
	c := &Candidate{Width: 1, Machine: m}
	if w, ok := manifold.Warped(m.Kernel); ok {
		c.Graph, c.Ratio = manifold.Graphs(w.Norm)[0].Recipe, w.Ratio
	}
	return &Slate{Members: []*Candidate{c}, Tuning: Tuning{Value: m.Score, Evaluations: 1, Search: "auto", Status: string(search.Complete)}}
}

// Outputs are the summed outputs of the members on all rows, without their offsets and the
// choice's.
func Outputs(p *learn.Problem, members []Weighted) *mat.Dense {
	return sum(p.Rows.Len(), p.Outputs(), members, func(m Weighted) *mat.Dense { return m.Machine.Outputs })
}

// LeftOut is the weighted sum of what the members give labelled rows without their labels,
// l x c; nil where one of them was not scored so.
func LeftOut(p *learn.Problem, members []Weighted) *mat.Dense {
	for _, m := range members {
		if m.Machine.LeftOut == nil {
			return nil
		}
	}
	return sum(len(p.Labelled), p.Outputs(), members, func(m Weighted) *mat.Dense { return m.Machine.LeftOut })
}

// sum adds the weighted tables of the members.
func sum(rows, columns int, members []Weighted, table func(Weighted) *mat.Dense) *mat.Dense {
	out := mat.NewDense(rows, columns, nil)
	for _, m := range members {
		var part mat.Dense
		part.Scale(m.Weight, table(m))
		out.Add(out, &part)
	}
	return out
}
