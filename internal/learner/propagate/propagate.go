// Package propagate spreads the labels of some rows over a graph of all rows: label propagation
// (Harmonic), label spreading (Spreading), regularisation on the graph (Regularised) and the spectral
// graph transducer (Spectral). These machines are transductive: they give outputs to the rows of the
// graph and to no others. New rows get a weighted mean of the outputs (package rbf), for which Width
// finds the width of the weights.
//
// One algorithm a file. An algorithm is a recipe; bound to a graph with labels it is a Machine.
//
//	a := propagate.Label(g, p)
//	m, err := propagate.Spreading{Alpha: 0.99}.Bind(ctx, a)
//	out, err := m.Train(ctx, nil, nil)
//	left, err := propagate.LeftOut(ctx, m, out, nil)
package propagate

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/learn"
)

// Algorithm is a way to spread labels, with its parameters.
type Algorithm interface {
	// Bind makes what trainings with different labels share.
	Bind(ctx context.Context, a *Labelled) (Machine, error)
}

// Machine is an algorithm bound to a graph with labels. It keeps scratch, and is for one goroutine at a time.
type Machine interface {
	// Train gives every row outputs, by the labels numbered by keep among the labelled; nil: all.
	// start, if not nil, are the outputs for nearby labels.
	Train(ctx context.Context, keep []int, start *mat.Dense) (*Outputs, error)
	// LeaveOneOut is what Train gives each labelled row without its label (l x c); all is the answer
	// of Train for all labels.
	LeaveOneOut(ctx context.Context, all *Outputs) (*mat.Dense, error)
	// labelled is what the machine is bound to.
	labelled() *Labelled
}

// Outputs are those of all rows (n x c), in the coding of the problem's targets.
type Outputs struct {
	F           *mat.Dense
	Certificate learn.Certificate
	// Unreached is the number of rows that no label reaches. They are given the mean of the targets,
	// which for classes says their shares among the labels.
	Unreached int

	raw *mat.Dense // of algorithms that change their solution afterwards: the solution
}

// LeftOut is what labelled rows are given without their labels (l x c): one by one, or fold by fold,
// with zeros for rows in no fold. A row left out stays in the graph, without its label.
func LeftOut(ctx context.Context, m Machine, all *Outputs, folds [][]int) (*mat.Dense, error) {
	if folds == nil {
		return m.LeaveOneOut(ctx, all)
	}
	p := m.labelled().Problem
	left := mat.NewDense(len(p.Labelled), p.Outputs(), nil)
	for _, fold := range folds {
		out, err := m.Train(ctx, learn.Others(len(p.Labelled), fold), all.F)
		if err != nil {
			return nil, err
		}
		for _, i := range fold {
			left.SetRow(i, out.F.RawRowView(p.Labelled[i]))
		}
	}
	return left, nil
}

// Labelled is a graph with labels on some of its rows.
type Labelled struct {
	Graph   *graph.Graph
	Problem *learn.Problem

	root      []float64 // sqrt d of each row, d its degree
	component []int     // of each row, by edges that can be seen
	count     int
}

// negligible is the weight of an edge, relative to the degrees of its ends, up to which it is no way
// for a label: solutions are known to 1e-10 of the largest output, and what passes such an edge would
// be rounding.
const negligible = 1e-8

// Label puts labels on a graph of as many rows.
func Label(g *graph.Graph, p *learn.Problem) *Labelled {
	if g.N != p.Rows.Len() {
		panic(fmt.Sprintf("propagate: a graph of %d rows for %d rows", g.N, p.Rows.Len()))
	}
	a := &Labelled{Graph: g, Problem: p, root: make([]float64, g.N), component: make([]int, g.N)}
	for i := range a.root {
		_, w := g.W.Row(i)
		var d float64
		for _, v := range w {
			d += v
		}
		a.root[i], a.component[i] = math.Sqrt(d), -1
	}
	var queue []int
	for i := range a.component {
		if a.component[i] >= 0 {
			continue
		}
		a.component[i] = a.count
		queue = append(queue[:0], i)
		for len(queue) > 0 {
			at := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			idx, w := g.W.Row(at)
			for q, j := range idx {
				if a.component[j] < 0 && w[q] > negligible*a.root[at]*a.root[j] {
					a.component[j] = a.count
					queue = append(queue, int(j))
				}
			}
		}
		a.count++
	}
	return a
}

// roots are sqrt d of the rows, d their degrees.
func (a *Labelled) roots(rows []int) []float64 {
	r := make([]float64, len(rows))
	for q, i := range rows {
		r[q] = a.root[i]
	}
	return r
}

// reach is where the labels that are kept reach.
type reach struct {
	keep []int     // numbers of the labels
	rows []int     // reached, ascending
	free []int     // of these, those without a label that is kept
	away []int     // not reached
	mean []float64 // of the targets kept
}

// reach follows the labels numbered by keep; nil: all.
func (a *Labelled) reach(keep []int) *reach {
	p := a.Problem
	if keep == nil {
		keep = learn.Others(len(p.Labelled), nil)
	}
	r := &reach{keep: keep, mean: make([]float64, p.Outputs())}
	with, known := make([]bool, a.count), make([]bool, a.Graph.N)
	for _, q := range keep {
		i := p.Labelled[q]
		with[a.component[i]], known[i] = true, true
		for j, v := range p.Y.RawRowView(q) {
			r.mean[j] += v / float64(len(keep))
		}
	}
	for i, c := range a.component {
		switch {
		case !with[c]:
			r.away = append(r.away, i)
		case known[i]:
			r.rows = append(r.rows, i)
		default:
			r.rows, r.free = append(r.rows, i), append(r.free, i)
		}
	}
	return r
}

// without is the mean of the targets but that of label q; zeros if there is no other.
func (a *Labelled) without(mean []float64, q int) []float64 {
	l := float64(len(a.Problem.Labelled))
	rest := make([]float64, len(mean))
	if l > 1 {
		for j, v := range mean {
			rest[j] = (l*v - a.Problem.Y.At(q, j)) / (l - 1)
		}
	}
	return rest
}

// lone says of each label whether it is the only one of its component: without it none reaches its row.
func (a *Labelled) lone() []bool {
	labels := make([]int, a.count)
	for _, i := range a.Problem.Labelled {
		labels[a.component[i]]++
	}
	alone := make([]bool, len(a.Problem.Labelled))
	for q, i := range a.Problem.Labelled {
		alone[q] = labels[a.component[i]] == 1
	}
	return alone
}

// settle gives the rows that are not reached the mean of the targets.
func (r *reach) settle(f *mat.Dense) {
	for _, i := range r.away {
		f.SetRow(i, r.mean)
	}
}
