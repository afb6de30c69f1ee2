package multiview

// Problem   functions of several views label rows for each other: what one view decides clearly teaches
//           the others.
// Method    with the pool P of labelled things, R times: train every view on P; then, view after view,
//           of the things outside P that have the view, the Add_k that it decides most clearly to be of class k
//           join P with that label. The views of a round have learned from the same P, and what one has
//           moved the next cannot. Labels are never revised. Last, every view is trained on P.
//           A view looks at Pool unlabelled things, drawn at random and filled up before every round; 0: at all.
// Cost      R + 1 trainings of every view, and the outputs on all rows between them.
// Source    Blum & Mitchell 1998, table 1; Sindhwani 2007, sections 4.1 and 4.5, with machines of a kernel. There a
//           view moves its best positive and negative rows; here a row gets the label that the view decides, so a view that
//           decides none to be of a class moves none for it.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
)

// CoTraining is co-training on stacked rows as a learner of classes. Its kernel must be zero between views, as
// Coupled is without a coupling, and Learner must have no offset, so that its machines are one of each view.
// Things whose labels are left out are unlabelled ones.
type CoTraining struct {
	Learner learn.Learner // of the views; its parameters are those of co-training
	Stacked *Stacked
	Rounds  int
	Add     []int // things of each class that a view moves in a round
	Pool    int
	Seed    uint64 // of the draws of the pool
}

var _ learn.Learner = CoTraining{}

// Space is that of the views' learner.
func (c CoTraining) Space(diagonal, spread float64) param.Space {
	return c.Learner.Space(diagonal, spread)
}

// Bind takes the bound kernel as it is. Numbers to predict, pairs of classes and weighted rows are errors.
func (c CoTraining) Bind(_ context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	switch {
	case p.Class == nil:
		return nil, errors.New("multiview: co-training is for classes")
	case p.Coding.Pairs && p.Outputs() > 1:
		return nil, errors.New("multiview: co-training trains each class against the rest, not pairs of classes")
	case p.Weight != nil:
		return nil, errors.New("multiview: co-training has no weights of rows")
	case len(c.Add) != len(p.Classes):
		return nil, fmt.Errorf("multiview: counts of rows to move for %d classes, there are %d", len(c.Add), len(p.Classes))
	}
	return &coTrainer{c, g, p}, nil
}

type coTrainer struct {
	CoTraining
	g kernel.Gram
	p *learn.Problem
}

// Train implements learn.Trainer. A context that ends between the rounds is an error.
func (t *coTrainer) Train(ctx context.Context, rows []int, theta []float64, _ *learn.Machine) (*learn.Machine, error) {
	if rows == nil {
		rows = learn.Others(len(t.p.Labelled), nil)
	}
	class := slices.Repeat([]int{-1}, len(t.Stacked.Copies)) // of each thing in P
	for _, q := range rows {
		class[t.Stacked.Thing[t.p.Labelled[q]]] = t.p.Class[q]
	}
	draw := newDraw(class, t.Pool, t.Seed)
	out := mat.NewDense(len(t.Stacked.View), t.p.Outputs(), nil)
	for round := 0; ; round++ {
		m, err := t.trained(ctx, class, theta)
		if err != nil || round == t.Rounds {
			return m, err
		}
		if err := m.Evaluate(ctx, out, t.g, nil); err != nil {
			return nil, err
		}
		draw.fill()
		if !t.move(class, out, draw) {
			return m, nil // the next round would be the same
		}
	}
}

// trained trains every view on the things of these classes: the machines together are one machine.
func (t *coTrainer) trained(ctx context.Context, class []int, theta []float64) (*learn.Machine, error) {
	all := &learn.Machine{}
	var coef []float64
	for v := range t.views() {
		q := *t.p
		q.Labelled, q.Class = nil, nil
		for r, i := range t.Stacked.Thing {
			if t.Stacked.View[r] == v && class[i] >= 0 {
				q.Labelled, q.Class = append(q.Labelled, r), append(q.Class, class[i])
			}
		}
		if len(q.Labelled) == 0 {
			continue // the view decides nothing
		}
		q.Y = q.Coding.Code(q.Class)
		trainer, err := t.Learner.Bind(ctx, t.g, &q)
		if err != nil {
			return nil, err
		}
		m, err := trainer.Train(ctx, nil, theta, nil)
		if err != nil {
			return nil, err
		}
		all.Certificate.Join(m.Certificate)
		if m = m.Sparse(); len(m.Rows) > 0 {
			all.Rows, coef = append(all.Rows, m.Rows...), append(coef, m.Coef.RawMatrix().Data...)
		}
	}
	if len(all.Rows) > 0 {
		all.Coef = mat.NewDense(len(all.Rows), t.p.Outputs(), coef)
	}
	return all, nil
}

// decision is a thing that a view decides, and by how much.
type decision struct {
	thing, class int
	margin       float64
}

// move lets every view in turn label things in class by its outputs, and says whether any was.
func (t *coTrainer) move(class []int, out *mat.Dense, draw *draw) bool {
	decided, moved := t.p.Coding.Decide(out), false
	for v := range t.views() {
		var list []decision
		for r, view := range t.Stacked.View {
			if i := t.Stacked.Thing[r]; view == v && class[i] < 0 && draw.has(i) {
				if margin := lead(out.RawRowView(r), decided[r]); margin > 0 { // else the view knows nothing of the row
					list = append(list, decision{i, decided[r], margin})
				}
			}
		}
		// Clearest first, of equals that of the first row.
		slices.SortStableFunc(list, func(a, b decision) int { return cmp.Compare(b.margin, a.margin) })
		left := slices.Clone(t.Add)
		for _, c := range list {
			if left[c.class] > 0 {
				left[c.class]--
				class[c.thing], moved = c.class, true
			}
		}
	}
	return moved
}

// views is the number of views.
func (t *coTrainer) views() int { return slices.Max(t.Stacked.View) + 1 }

// lead is by how much the outputs decide for a class.
func lead(o []float64, class int) float64 {
	if len(o) == 1 {
		return math.Abs(o[0])
	}
	next := math.Inf(-1)
	for k, v := range o {
		if k != class {
			next = max(next, v)
		}
	}
	return o[class] - next
}

// draw is the unlabelled things that the views look at.
type draw struct {
	class []int // -1 of things outside the pool of labelled ones
	order []int // unlabelled things in the order in which they are drawn; nil: all are looked at
	in    []bool
	most  int
}

// newDraw looks at so many things at a time; 0: all.
func newDraw(class []int, most int, seed uint64) *draw {
	d := &draw{class: class, most: most}
	if most == 0 {
		return d
	}
	d.in = make([]bool, len(class))
	d.order = rand.New(rand.NewPCG(seed, 0)).Perm(len(class)) //nolint:gosec // a draw, no secret
	return d
}

// fill draws things until there are as many as are looked at.
func (d *draw) fill() {
	count := 0
	for i, in := range d.in {
		if in && d.class[i] < 0 {
			count++
		}
	}
	for ; count < d.most && len(d.order) > 0; d.order = d.order[1:] {
		if i := d.order[0]; d.class[i] < 0 {
			d.in[i] = true
			count++
		}
	}
}

func (d *draw) has(i int) bool { return d.in == nil || d.in[i] }
