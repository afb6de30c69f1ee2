// Package learn holds what every learner shares: the problem made of rows and
// the labels known of them, the coding of classes as outputs, and what a learner
// is.
//
// Change here what a learner is; a new family of machines is a Learner in a package of its
// own.
package learn

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// Problem is n rows, l of them labelled, with the targets coded for a learner of
// c outputs (see Coding; regression is one output in its own units). Every output
// is a problem of its own over the labelled rows whose target is not zero, or, in
// regression, over all of them.
type Problem struct {
	Rows     data.Rows
	Task     data.Task
	Classes  []string   // sorted; nil for regression
	Coding   Coding     // what the columns of Y are
	Labelled []int      // row numbers, ascending
	Class    []int      // of each labelled row; nil for regression
	Y        *mat.Dense // l x c
	Weight   []float64  // of the loss of each labelled row; nil: all 1
	Group    []string   // of each labelled row, see data.Labels; nil: none
}

// NewProblem codes the labels of the rows, more than two classes one-versus-rest.
// Labels with no answer at all make a problem without labelled rows, which
// learners refuse.
func NewProblem(rows data.Rows, labels data.Labels) *Problem {
	p := &Problem{Rows: rows, Task: labels.Task, Classes: labels.Classes, Labelled: labels.Labelled()}
	l := len(p.Labelled)
	if labels.Group != nil {
		p.Group = make([]string, l)
		for q, i := range p.Labelled {
			p.Group[q] = labels.Group[i]
		}
	}
	if p.Task == data.Regression {
		p.Y = mat.NewDense(max(l, 1), 1, nil)
		for q, i := range p.Labelled {
			p.Y.Set(q, 0, labels.Value[i])
		}
		return p
	}
	p.Class = make([]int, l)
	for q, i := range p.Labelled {
		p.Class[q] = labels.Class[i]
	}
	p.Coding = Coding{Classes: len(p.Classes)}
	p.Y = p.Coding.Code(p.Class)
	return p
}

// OneVersusOne returns the problem coded by pairs of classes. Problems of one
// output are returned as they are.
func (p *Problem) OneVersusOne() *Problem {
	q := *p
	if p.Coding.Classes > 2 {
		q.Coding.Pairs = true
		q.Y = q.Coding.Code(p.Class)
	}
	return &q
}

// Outputs is the number c of columns of Y.
func (p *Problem) Outputs() int { return p.Coding.Outputs() }

// Subset returns the row numbers of the given labelled rows; nil stands for all.
func (p *Problem) Subset(labelled []int) []int {
	if labelled == nil {
		return p.Labelled
	}
	rows := make([]int, len(labelled))
	for q, i := range labelled {
		rows[q] = p.Labelled[i]
	}
	return rows
}

// WeightOf returns the weights of the given labelled rows; a nil list stands for all, a nil answer for 1 each.
func (p *Problem) WeightOf(labelled []int) []float64 {
	if p.Weight == nil || labelled == nil {
		return p.Weight
	}
	w := make([]float64, len(labelled))
	for q, i := range labelled {
		w[q] = p.Weight[i]
	}
	return w
}

// Spread is the standard deviation of a regression's targets, 1 for classes and
// for targets that do not vary.
func (p *Problem) Spread() float64 {
	if p.Class != nil || len(p.Labelled) == 0 {
		return 1
	}
	var mean, square float64
	l := float64(len(p.Labelled))
	for i := range p.Labelled {
		mean += p.Y.At(i, 0) / l
	}
	for i := range p.Labelled {
		d := p.Y.At(i, 0) - mean
		square += d * d / l
	}
	if square == 0 {
		return 1
	}
	return math.Sqrt(square)
}

// Only returns the problem of these labelled rows alone, given by their ascending numbers among the
// labelled. Classes that none of them has stay classes.
func (p *Problem) Only(labelled []int) *Problem {
	q := *p
	q.Rows = p.Rows.Select(p.Subset(labelled))
	q.Labelled, q.Class, q.Weight, q.Group = make([]int, len(labelled)), nil, nil, nil
	_, c := p.Y.Dims()
	q.Y = mat.NewDense(max(len(labelled), 1), c, nil)
	for j, i := range labelled {
		q.Labelled[j] = j
		q.Y.SetRow(j, p.Y.RawRowView(i))
		if p.Class != nil {
			q.Class = append(q.Class, p.Class[i])
		}
		if p.Weight != nil {
			q.Weight = append(q.Weight, p.Weight[i])
		}
		if p.Group != nil {
			q.Group = append(q.Group, p.Group[i])
		}
	}
	return &q
}
