package onnx

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// least is the least probability, and that of a pair, as package calibrate has them.
const (
	least     = 1e-12
	leastPair = 1e-7
)

func gaussian(k kernel.Kernel) (sigma float64, ok bool) {
	g, ok := k.(kernel.Gaussian)
	return g.Sigma, ok
}

// answers declares the outputs of the graph.
func (g *graph) answers(m *model.Model, out value) {
	if m.Task == data.Regression {
		g.output(Prediction, typeDouble, 1, out)
		return
	}
	scores, width := out, m.Outputs()
	if m.Pairs && len(m.Classes) > 2 {
		scores, width = g.votes(m.Coding(), out), len(m.Classes)
	}
	winner := g.winner(scores, width)
	if s, ok := m.Calibration.(calibrate.Shares); ok {
		winner = g.winner(g.logOdds(s, out), len(m.Classes))
	}
	decided := winner
	var p value
	if m.Calibration != nil {
		p = g.agree(g.probabilities(m.Calibration, out), winner, len(m.Classes))
		if m.Decision != nil {
			decided = g.op("ArgMax", []value{g.mul(p, g.row(m.Decision.Weight))}, attribute{"axis", 1}, attribute{"keepdims", 0})
		}
	}
	g.output(Label, typeString, 0, g.op("Gather", []value{g.words(m.Classes), decided}))
	g.output(Scores, typeDouble, width, scores)
	if p != "" {
		g.output(Probabilities, typeDouble, len(m.Classes), p)
	}
}

// winner is the number of the decided class, a list of N.
func (g *graph) winner(scores value, width int) value {
	if width > 1 {
		return g.op("ArgMax", []value{scores}, attribute{"axis", 1}, attribute{"keepdims", 0})
	}
	first := g.op("Less", []value{scores, g.scalar(0)})
	second := g.op("Cast", []value{g.op("Not", []value{first})}, attribute{"to", typeInt64})
	return g.op("Reshape", []value{second, g.numbers(-1)})
}

// votes counts for each class the pairs that decide for it.
func (g *graph) votes(c learn.Coding, out value) value {
	of := [2]*mat.Dense{mat.NewDense(c.Outputs(), c.Classes, nil), mat.NewDense(c.Outputs(), c.Classes, nil)}
	c.EachPair(func(o, a, b int) {
		of[0].Set(o, a, 1)
		of[1].Set(o, b, 1)
	})
	first := g.op("Less", []value{out, g.scalar(0)})
	second := g.op("Not", []value{first})
	return g.add(g.matmul(g.double(first), g.matrix(of[0])), g.matmul(g.double(second), g.matrix(of[1])))
}

// probabilities before agreement, N x classes.
func (g *graph) probabilities(c calibrate.Calibration, out value) value {
	switch c := c.(type) {
	case calibrate.Sigmoid:
		z := g.add(g.times(out, c.Slope), g.scalar(c.Offset))
		return g.beside(g.op("Sigmoid", []value{g.op("Neg", []value{z})}), g.op("Sigmoid", []value{z}))
	case calibrate.Isotonic:
		p := g.isotonic(c, out)
		return g.beside(g.sub(g.scalar(1), p), p)
	case calibrate.Softmax:
		return g.op("Softmax", []value{g.times(out, c.Temperature)}, attribute{"axis", 1})
	case calibrate.Pairs:
		return g.coupled(c, out)
	case calibrate.Shares:
		p := g.op("Softmax", []value{g.logOdds(c, out)}, attribute{"axis", 1})
		return g.add(g.times(p, 1-calibrate.ShareSmooth), g.scalar(calibrate.ShareSmooth/float64(len(c.Offset))))
	}
	panic("onnx: a calibration of no known kind") // model.Read knows these alone
}

// logOdds is z of calibrate.Shares, N x classes.
func (g *graph) logOdds(c calibrate.Shares, out value) value {
	if len(c.Offset) == 2 {
		out = g.beside(g.op("Neg", []value{out}), out)
	}
	q := g.times(g.add(out, g.scalar(1)), 0.5)
	log := g.op("Log", []value{g.most(q, g.scalar(calibrate.ShareFloor))})
	return g.add(g.add(g.times(q, c.Linear), g.times(log, c.Log)), g.row(c.Offset))
}

// isotonic is the function straight between points: the sum of what each stretch adds.
func (g *graph) isotonic(c calibrate.Isotonic, out value) value {
	n := len(c.Score)
	if n == 0 {
		return g.add(g.times(out, 0), g.scalar(0.5))
	}
	level := g.add(g.times(out, 0), g.scalar(c.P[0]))
	if n == 1 {
		return level
	}
	from, width, slope := c.Score[:n-1], make([]float64, n-1), mat.NewDense(n-1, 1, nil)
	for k := range width {
		width[k] = c.Score[k+1] - c.Score[k]
		slope.Set(k, 0, (c.P[k+1]-c.P[k])/width[k])
	}
	way := g.least(g.most(g.sub(out, g.row(from)), g.scalar(0)), g.row(width))
	return g.add(level, g.matmul(way, g.matrix(slope)))
}

// coupled is calibrate.Pairs: (Q + ee') z = e of calibrate.Coupling, by elimination, which needs no pivots as the
// matrix is positive definite. Five operators a class.
func (g *graph) coupled(c calibrate.Pairs, out value) value {
	k := c.Classes
	slope, offset := make([]float64, len(c.Pair)), make([]float64, len(c.Pair))
	ab, ba := mat.NewDense(len(c.Pair), k*k, nil), mat.NewDense(len(c.Pair), k*k, nil)
	learn.Coding{Classes: k, Pairs: true}.EachPair(func(o, a, b int) {
		slope[o], offset[o] = c.Pair[o].Slope, c.Pair[o].Offset
		ba.Set(o, b*k+a, 1)
		ab.Set(o, a*k+b, 1)
	})
	r := g.op("Sigmoid", []value{g.add(g.mul(out, g.row(slope)), g.row(offset))})
	r = g.least(g.most(r, g.scalar(leastPair)), g.scalar(1-leastPair))
	r = g.add(g.matmul(r, g.matrix(ba)), g.matmul(g.sub(g.scalar(1), r), g.matrix(ab)))
	r = g.op("Reshape", []value{r, g.numbers(-1, k, k)})

	unit := make([]float64, k*k)
	for a := range k {
		unit[a*k+a] = 1
	}
	diagonal := g.constant(typeDouble, []int{1, k, k}, doubles(unit), nil)
	turned := g.op("Transpose", []value{r}, attribute{"perm", []int{0, 2, 1}})
	q := g.add(g.sub(g.scalar(1), g.mul(turned, r)), g.mul(g.sum(g.mul(r, r), 1), diagonal))
	one := g.add(g.times(g.sum(q, 2), 0), g.scalar(1))
	q = g.op("Concat", []value{q, one}, attribute{"axis", 2})
	for j := range k {
		q = g.eliminated(q, j, k)
	}
	p := g.op("Reshape", []value{g.op("Gather", []value{q, g.numbers(k)}, attribute{"axis", 2}), g.numbers(-1, k)})
	p = g.most(g.div(p, g.sum(p, 1)), g.scalar(0))
	if c.Power > 0 && c.Power != 1 {
		p = g.op("Pow", []value{g.most(p, g.scalar(least)), g.scalar(c.Power)})
	}
	return p
}

// eliminated makes column j of the equations q, N x k x (k+1), that of the unit matrix.
func (g *graph) eliminated(q value, j, k int) value {
	unit := make([]float64, k)
	unit[j] = 1
	row := g.op("Gather", []value{q, g.numbers(j)}, attribute{"axis", 1})
	row = g.div(row, g.op("Gather", []value{row, g.numbers(j)}, attribute{"axis", 2}))
	column := g.op("Gather", []value{q, g.numbers(j)}, attribute{"axis", 2})
	column = g.sub(column, g.constant(typeDouble, []int{1, k, 1}, doubles(unit), nil))
	return g.sub(q, g.mul(column, row))
}

// agree is calibrate.Agree. The common level c is the largest of the means of the winner's probability, less the margin,
// and the j largest of the others, over j = 0, ..., k-1: a further one raises the mean as long as it is above.
func (g *graph) agree(p, winner value, k int) value {
	p = g.most(g.div(p, g.sum(p, 1)), g.scalar(least))
	p = g.div(p, g.sum(p, 1))
	classes := indices.To(k)
	won := g.op("Equal", []value{g.deeper(winner, 1), g.op("Reshape", []value{g.numbers(classes...), g.numbers(1, k)})})
	top := g.sub(g.sum(g.mul(p, g.double(won)), 1), g.scalar(calibrate.Margin))
	others := g.where(won, g.scalar(-1), p)
	sorted, order := g.name(), g.name()
	g.node("TopK", "", []value{others, g.numbers(k - 1)}, []value{sorted, order}, attribute{"axis", 1})
	sums, share := mat.NewDense(k-1, k-1, nil), make([]float64, k-1)
	for j := range k - 1 {
		share[j] = 1 / float64(j+2)
		for i := range j + 1 {
			sums.Set(i, j, 1)
		}
	}
	means := g.mul(g.add(g.matmul(sorted, g.matrix(sums)), top), g.row(share))
	level := g.most(g.reduce("ReduceMax", means, 1), top)
	return g.where(won, g.add(level, g.scalar(calibrate.Margin)), g.least(p, level))
}

// fill of a column that has none stays NaN.
func fill(f *float64) float64 {
	if f == nil {
		return math.NaN()
	}
	return *f
}
