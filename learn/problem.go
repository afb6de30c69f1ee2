// Package learn holds what every learner shares: the problem made of rows and
// the labels known of them.
package learn

import (
	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Problem is n rows, l of them labelled, with the targets coded for a learner
// of c outputs: two classes are one output, -1 for the first and +1 for the
// second; more classes are one output each, +1 in the row's own and -1 elsewhere
// (one-versus-rest); regression is one output in its own units.
type Problem struct {
	Rows     data.Rows
	Task     data.Task
	Classes  []string   // sorted; nil for regression
	Labelled []int      // row numbers, ascending
	Class    []int      // of each labelled row; nil for regression
	Y        *mat.Dense // l x c
}

// NewProblem codes the labels of the rows. Labels with no answer at all make a
// problem without labelled rows, which learners refuse.
func NewProblem(rows data.Rows, labels data.Labels) *Problem {
	p := &Problem{Rows: rows, Task: labels.Task, Classes: labels.Classes, Labelled: labels.Labelled()}
	l := len(p.Labelled)
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
	p.Y = Code(p.Class, len(p.Classes))
	return p
}

// Outputs is the number c of columns of Y.
func (p *Problem) Outputs() int {
	_, c := p.Y.Dims()
	return c
}

// Code returns the targets of the given classes: one column of -1 and +1 for
// two classes, one column a class for more.
func Code(class []int, classes int) *mat.Dense {
	c := classes
	if classes == 2 {
		c = 1
	}
	y := mat.NewDense(max(len(class), 1), c, nil)
	for q, k := range class {
		row := y.RawRowView(q)
		for j := range row {
			row[j] = -1
		}
		switch {
		case classes == 2 && k == 1:
			row[0] = 1
		case classes > 2:
			row[k] = 1
		}
	}
	return y
}

// Decide returns the class of each row of outputs: the sign for one output (zero
// goes to the second class), the largest for more (ties to the first).
func Decide(out *mat.Dense) []int {
	n, c := out.Dims()
	class := make([]int, n)
	for i := range class {
		row := out.RawRowView(i)
		if c == 1 {
			if row[0] >= 0 {
				class[i] = 1
			}
			continue
		}
		for j, v := range row {
			if v > row[class[i]] {
				class[i] = j
			}
		}
	}
	return class
}
