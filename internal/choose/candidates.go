// Package choose makes one answer of many machines. The answer is the best of them, an average
// of all, one machine for each class, or a member of a front. Candidates are what is chosen
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
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/diagnose"
	"github.com/mercer-ml/mercer/internal/mixture"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

// Machine is one trained machine.
type Machine struct {
	Kernel     kernel.Kernel // the kernel it was trained on: a manifold.Warp or a base kernel
	Lambda     float64       // the ridge; 1/(2C) if the learner has a C
	Theta      []float64     // the learner's own parameters; nil for regularised least squares
	Score      float64       // what the criterion gives for LeftOut
	LeftOut    *mat.Dense    // l x c, the outputs of labelled rows left out; nil if nothing was scored
	Tried      []*mat.Dense  // as LeftOut at each strength that was tried, of few labelled rows; nil: not kept
	Outputs    *mat.Dense    // n x c, outputs on all rows; nil if they were not kept and are to be predicted
	Expansions []kernel.Expansion
	B          []float64 // offsets, or nil
	Mean       bool      // the outputs are the expansion over the sum of its kernel values
	// Views, if not nil, says of which view each expansion is: of a row that lacks views, the output is the sum over
	// those that it has, times the number of all over theirs.
	Views []int
	// Spread, if not nil, says that Outputs are not those of the expansion but what the rows of the
	// fit, which are its centres, keep: they were found on the graph that it describes.
	Spread *diagnose.Graph
	learn.Certificate
}

// keptTries is the number of left-out outputs up to which a machine keeps those of every strength that was tried: of more
// rows the choice of one number flatters less than can be seen.
const keptTries = 4096

// Keep adds left-out outputs at a strength that was tried, if they are few enough to be kept.
func (m *Machine) Keep(p *learn.Problem, outputs func() (*mat.Dense, error)) error {
	if len(p.Labelled)*p.Outputs() > keptTries {
		return nil
	}
	out, err := outputs()
	if err == nil {
		m.Tried = append(m.Tried, out)
	}
	return err
}

// Candidate is one point of a design and, once trained, its machine.
type Candidate struct {
	Name   string // in its design; "": it is of none
	Method string
	Linear bool // it has the linear kernel instead of the base kernel
	// Own is its kernel where that was found in the rows, labelled or not; nil: the base kernel.
	Own   kernel.Kernel
	Width float64      // factor of the base kernel's widths
	Graph graph.Recipe // its graph; with Neighbours 0 it has none
	Joint bool         // its graph is joined with those of all views (manifold.Joint)
	Ratio float64      // ratio of the two norms, in units of a kernel whose mean diagonal is one
	// Transductive says that it learned from unlabelled rows without a graph.
	Transductive bool
	Prior        float64 // logarithm of how much likelier it was held to be than a supervised machine with a width
	Trial        *Trial  // how it is trained, if otherwise than the others
	Maker        Maker   // makes its machine, if nothing of the others serves; nil: the others' way
	*Machine
}

// Trial is a candidate with a learner of its own.
type Trial struct {
	Learner   learn.Learner
	Strengths []float64 // values of its first parameter that are tried; nil: decades
	Folds     [][]int   // by which it is judged
}

// Maker makes a machine of its own kind, with left-out outputs, for the problem, the criterion and the folds of a score.
type Maker interface {
	Make(ctx context.Context, s *score.LeaveOut) (*Machine, error)
}

// HasGraph says whether the candidate has a graph of all rows.
func (c *Candidate) HasGraph() bool {
	return c.Graph.Neighbours != 0 || c.Graph.Kind != graph.NearestNeighbours
}

// Supervised says whether the candidate learns from labelled rows alone.
func (c *Candidate) Supervised() bool { return !c.Transductive && !c.HasGraph() }

// Weighted is a machine and its weight in the sum of outputs.
type Weighted struct {
	*Candidate
	Weight float64
}

// Candidates are all that a method has trained and scored, before anything is chosen.
type Candidates struct {
	Problem   *learn.Problem
	Criterion score.Criterion // that made the Score of every member
	Squared   bool            // Score is no mean of the Criterion over rows, and counts as one of squares (gcv, cp, bounds)
	Judged    []int           // labelled rows that Score was computed on; nil: all
	Group     []string        // of each labelled row, those of "" alone; nil: all are alone
	Members   []*Candidate    // trained
	Failed    int             // candidates whose factorisation or score failed
	Failure   error           // of the last of them
	// Safe allows a rule to choose a supervised member in the place of one with a graph.
	Safe bool
	// Blurred says that machines with a graph are approximations, as those on landmarks are. They
	// are then chosen only if they score clearly better than the baseline.
	Blurred bool
	// Baseline is the supervised machine to compare with; nil: the best among the members.
	Baseline *Candidate
	// Outside returns, of unlabelled rows that members with a graph have learned from, the weighted sum of these members' outputs, and
	// the sum that they have there if they are trained without these rows; nil without such members or rows. Nil: it is not known.
	Outside func(ctx context.Context, members []Weighted) (within, outside *mat.Dense, err error)
	moved   []float64 // what Outside said when the rule first chose
	Rule    Rule      // that chooses, where it is not the method's; nil: that
	Tuning  result.Tuning
	Front   *Tradeoff      // of methods that make fronts
	Kept    *Kept          // of a selection of features
	Raced   []result.Raced // of a race, all that took part
	// Evidence is what all rows showed of clusters where a method has looked; nil: none has.
	Evidence *mixture.Evidence
	Warnings []string
}

// Kept lists the features that a selection has kept.
type Kept struct {
	Columns []int
	Names   []string
	Dropped bool // some were dropped
}

// Tradeoff is a front of risk against complexity: members by increasing complexity, none of
// which is worse than another in both.
type Tradeoff struct {
	Points    []Point
	Parts     []result.FrontPart // the fronts it was merged from, of one width each; for figures
	Centres   data.Rows
	Rows      int // number of labelled rows in the fit
	Outputs   int
	Trained   int     // number of machines trained, for the decision too
	Partial   bool    // the fit was interrupted: the front of what had been trained by then
	Violation float64 // largest relative violation of the optimality conditions on the paths
	Quick     bool    // folds would take as long as the front, and other decisions do without
	Gaussian  bool    // risks are squared errors and degrees of freedom are known: information criteria apply
	Bias      bool    // an offset is fitted that the degrees of freedom leave out
	// Border names the range at whose end a point lies, so that a better one might lie beyond; ""
	// for a point inside all ranges. Nil: the front has no ranges.
	Border func(point int) string
	// Decided is the choice if it was made together with the front; nil: it is still to be made.
	Decided *Choice
	// LeftOut returns the loss of every member on rows held out in folds, and words for what the
	// loss is. Nil: the method has no folds.
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

// Support is the number of units of a point: the rows with a coefficient, counted in every term.
func (p Point) Support() int {
	n := 0
	for _, t := range p.Terms {
		n += len(t.Rows)
	}
	return n
}

// Choice is the answer made of candidates.
type Choice struct {
	Members  []Weighted // the chosen machine, or the machines that are added
	Offset   []float64  // c values added to the sum of the members' outputs, or nil
	Score    float64    // the score of the chosen machine or of the average
	Baseline *Candidate // the best supervised machine, or nil
	Classes  bool       // every member tells one class from the rest
	// Shares, if not nil, makes probabilities of the sum of outputs, and decides by them.
	Shares *calibrate.Shares
	// These are set for a front: the number of the chosen point, the word of the decision, what
	// the decision assumes, and the score of every point, NaN where it has none.
	Point   int
	Rule    string
	Assumed string
	Scores  []float64
}

// Rule chooses.
type Rule interface {
	Choose(ctx context.Context, s *Candidates) (*Choice, error)
}

// ErrNothing says that not one candidate could be trained.
var ErrNothing = errors.New("no candidate could be trained")

// Alone makes a machine the only candidate.
func Alone(m *Machine) *Candidates {
	c := &Candidate{Width: 1, Machine: m}
	if w, ok := manifold.Warped(m.Kernel); ok {
		c.Graph, c.Ratio = manifold.Graphs(w.Norm)[0].Recipe, w.Ratio
	}
	tuning := result.Tuning{Value: m.Score, Evaluations: 1, Search: "auto", Status: string(search.Complete)}
	return &Candidates{Members: []*Candidate{c}, Tuning: tuning}
}

// Outputs is the weighted sum of the members' outputs on all rows, without any offset.
func Outputs(p *learn.Problem, members []Weighted) *mat.Dense {
	return sum(p.Rows.Len(), p.Outputs(), members, func(m Weighted) *mat.Dense { return m.Machine.Outputs })
}

// LeftOut is the weighted sum of the members' left-out outputs, l x c. It is nil if one of them has
// none.
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
