package answer

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/score"
)

// Model makes one function of the choice. With keepFront it holds all members of the front too.
func (a *Answer) Model(keepFront bool) *model.Model {
	if a.Reduced != nil {
		return a.Reduced
	}
	m := a.modelOf(a.Choice)
	if keepFront {
		m.Front = a.frontModel()
	}
	return m
}

// modelOf joins machines into one function: the sum of their outputs,
// each with its weight. Machines on the same base kernel share one expansion.
func (a *Answer) modelOf(c *choose.Choice) *model.Model {
	t, p := a.Task, a.Task.Problem
	m := &model.Model{
		Method: a.family(), Task: p.Task, Classes: p.Classes, Label: t.Input.Set.LabelName, Columns: p.Rows.Dim(),
		Features: t.Input.Set.Features, Text: t.Input.Set.Text, Table: t.Input.Set.Table, Sparse: p.Rows.IsSparse(), Scaling: t.Scaling,
		Pairs: p.Coding.Pairs,
	}
	if set := t.Whole.Set; set.Features != nil && set.Table == nil && set.Rows.Dense != nil && len(t.Recipe.Views) == 0 {
		m.Fill = columns.Medians(set.Rows)
	}
	m.Parts = a.parts(c)
	m.Residuals = a.residuals(c)
	if p.Task == data.Classification && a.Candidates.Front == nil {
		if c.Shares != nil {
			m.Calibration = *c.Shares
		} else if left := choose.LeftOut(p, c.Members); left != nil {
			m.Calibration = calibration(t, left)
		} else if a.Method.Supports(t.Values).LogOdds && p.Outputs() == 1 {
			m.Calibration = calibrate.Sigmoid{Slope: 1} // the loss makes log-odds of the outputs
		} // else nothing was scored: no probabilities
		m.Decision = a.decision(m, c)
	}
	return m
}

// parts are the functions of a choice: the point of a front, a weighted mean, or the sum of its
// machines' expansions.
func (a *Answer) parts(c *choose.Choice) []model.Part {
	if a.Candidates.Front != nil {
		return a.frontModel().Members[c.Point].Parts
	}
	if !slices.ContainsFunc(c.Members, func(m choose.Weighted) bool { return m.Views == nil }) {
		return a.viewParts(c)
	}
	var list []kernel.Expansion
	var offset []float64
	for _, member := range c.Members {
		if member.Mean {
			return model.WeightedMean(member.Expansions[0], member.Spread != nil, c.Offset)
		}
		for _, e := range member.Expansions {
			list = addExpansion(list, e, member.Weight)
		}
		offset = addScaled(offset, member.Weight, member.B)
	}
	return model.Single(list, addScaled(offset, 1, c.Offset))
}

// viewParts are the functions of the views of a choice, one part each, whose mean is the sum of its
// machines' expansions.
func (a *Answer) viewParts(c *choose.Choice) []model.Part {
	t := a.Task
	parts := make([]model.Part, len(t.Recipe.Views))
	for v, columns := range t.ViewLists() {
		var own []kernel.Expansion
		var offset []float64
		for _, member := range c.Members {
			for q, e := range member.Expansions {
				if member.Views[q] == v {
					e.Kernel, e.Centres = e.Kernel.(kernel.Columns).Base, e.Centres.SelectColumns(columns)
					own = addExpansion(own, e, member.Weight*float64(len(parts)))
				}
			}
			offset = addScaled(offset, member.Weight, member.B)
		}
		parts[v] = model.Single(own, addScaled(offset, 1, c.Offset))[0]
		parts[v].View, parts[v].Columns = t.Recipe.Views[v].Name, columns
	}
	return parts
}

// family is the id of the method that was fitted. For auto it is the method of the chosen machines,
// and one with a graph if any of them has one.
func (a *Answer) family() string {
	if a.Method.ID != method.Auto {
		return a.Method.ID
	}
	for _, m := range a.Choice.Members {
		if m.HasGraph() {
			return m.Method
		}
	}
	return a.Choice.Members[0].Method
}

// calibration fits probabilities to the left-out outputs, weighted as their rows are. It is nil if there are none, or if they
// say nothing of the classes. With many rows every pair has a slope and an offset; with few there is
// one slope for all outputs, the temperature of the log loss.
func calibration(t *task.Task, left *mat.Dense) calibrate.Calibration {
	p := t.Problem
	temperature := score.Temperature(p, score.Judged(t.Folds), left)
	judged := t.Judged()
	few := len(judged) <= task.ManyLabels
	switch {
	case p.Coding.Pairs:
		return pairs(t, pick(left, judged), judged, temperature, few)
	case temperature > 0 && p.Outputs() > 1:
		return calibrate.Softmax{Temperature: temperature}
	case temperature > 0 && (few || !t.Coding.Classes):
		return calibrate.Sigmoid{Slope: temperature}
	case p.Outputs() == 1:
		scores, second := make([]float64, len(judged)), make([]bool, len(judged))
		for q, i := range judged {
			scores[q], second[q] = left.At(i, 0), p.Class[i] == 1
		}
		if c, err := calibrate.FitSigmoid(scores, second, p.WeightOf(judged)); err == nil {
			return c
		}
	}
	return nil
}

// pairs is the calibration of outputs that are pairs of classes.
func pairs(t *task.Task, left *mat.Dense, judged []int, temperature float64, few bool) calibrate.Calibration {
	p := t.Problem
	class, weight := indices.Of(p.Class, judged), p.WeightOf(judged)
	if !few {
		if c, err := calibrate.FitPairs(left, class, p.Coding.Classes, weight); err == nil {
			return c
		}
	}
	if temperature > 0 {
		c := calibrate.Pairs{Classes: p.Coding.Classes, Pair: make([]calibrate.Sigmoid, p.Outputs())}
		for i := range c.Pair {
			c.Pair[i].Slope = temperature
		}
		if c.FitPower(left, class, weight) == nil {
			return c
		}
	}
	return nil
}

// addScaled returns sum + w v; nil vectors are zero.
func addScaled(sum []float64, w float64, v []float64) []float64 {
	if v != nil && sum == nil {
		sum = make([]float64, len(v))
	}
	for k, x := range v {
		sum[k] += w * x
	}
	return sum
}

// addExpansion adds w e to the sum, joining it with an expansion of the same
// kernel on the same rows.
func addExpansion(sum []kernel.Expansion, e kernel.Expansion, w float64) []kernel.Expansion {
	var coef mat.Dense
	coef.Scale(w, e.Coef)
	for i, s := range sum {
		if s.Centres.Dense == e.Centres.Dense && s.Centres.Sparse == e.Centres.Sparse && sameKernel(s.Kernel, e.Kernel) {
			sum[i].Coef.Add(s.Coef, &coef)
			return sum
		}
	}
	return append(sum, kernel.Expansion{Kernel: e.Kernel, Centres: e.Centres, Coef: &coef})
}

func sameKernel(a, b kernel.Kernel) bool {
	x, errX := kernel.Marshal(a)
	y, errY := kernel.Marshal(b)
	return errors.Join(errX, errY) == nil && string(x) == string(y)
}

// pick copies the rows idx.
func pick(a *mat.Dense, idx []int) *mat.Dense {
	_, c := a.Dims()
	out := mat.NewDense(len(idx), c, nil)
	for q, i := range idx {
		out.SetRow(q, a.RawRowView(i))
	}
	return out
}
