package s3vm

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// nodeTolerance is that of the dual of the hinge: what it leaves of a gap is some 1e-6 of the objective.
const nodeTolerance = 1e-6

// nearly is the share of the largest difference from which a dive labels a row. On three cars of COIL-20 (five draws,
// each against the others) 0.9 led to the best labels known in 9 of 15 cases, 0.5 in 1 and 0.3 in 2.
const nearly = 0.9

// slot visits nodes one after the other. Each of its machines begins where it ended at the node before.
type slot struct {
	tree  *tree
	node  *weighted // of the rows that have labels
	leaf  *switched // of all rows
	gains *gains
	label []int8
	order []int
	tried []float64 // the labels that were completed last
}

func newSlot(t *tree) *slot {
	q := &slot{tree: t, node: newWeighted(t.problem, t.Loss), leaf: newSwitched(t.problem, t.Loss, len(t.rows))}
	q.leaf.weight = [2]float64{1, 1}
	q.node.tolerance, q.leaf.tolerance = nodeTolerance, nodeTolerance
	costs := t.problem.Costs()
	for i, y := range t.problem.Y {
		q.node.label(t.problem.Rows[i], y, costs[i])
		q.leaf.label(t.problem.Rows[i], y, costs[i])
		q.leaf.y[i] = y
	}
	q.gains = newGains(q.node, t.rows, t.cost)
	return q
}

// visit is what came of a node: children, or none where all of it is known to cost at least the bound.
type visit struct {
	bound    float64
	children []*node
	leaf     *leaf // labels better than those known; nil: none
	err      error // the node stays open
}

// visit bounds a node and splits it. A dive begins there where it is asked for.
func (q *slot) visit(ctx context.Context, n *node, dive bool) (v visit) {
	t := q.tree
	cut := t.cut()
	v.bound = n.bound
	q.label = append(q.label[:0], n.label...)
	for fixed := true; fixed; {
		var whole bool
		if whole, v.err = q.train(ctx); v.err != nil {
			return v
		}
		v.bound = max(v.bound, q.node.bound())
		if whole {
			v.leaf = q.leafOf(q.node)
			return v
		}
		if v.bound >= cut {
			return v
		}
		q.gains.compute(q.label)
		plus, minus := t.remaining(q.label)
		v.bound = max(v.bound, q.gains.base+q.gains.least(q.label, plus, minus))
		if v.bound >= cut {
			return v
		}
		fixed = q.fix(cut)
	}
	children := q.split(v.bound)
	if v.err = q.propose(ctx, &v); v.err == nil && dive {
		v.err = q.dive(ctx, &v)
	}
	if v.err == nil {
		v.children = children
	}
	return v
}

// train trains the machine of the rows that have labels, all of them where the balance leaves no choice, and
// says whether that is so.
func (q *slot) train(ctx context.Context) (whole bool, err error) {
	t := q.tree
	plus, minus := t.remaining(q.label)
	whole = true
	for j, y := range q.label {
		if y == 0 {
			switch {
			case plus == 0:
				y = -1
			case minus == 0:
				y = 1
			}
			q.label[j] = y
			whole = whole && y != 0
		}
		cost := t.cost[j]
		if y == 0 {
			cost = 0
		}
		q.node.label(t.rows[j], float64(y), cost)
	}
	return whole, q.node.train(ctx)
}

// fix gives rows the label whose opposite reaches the cut, as far as the balance allows, and says whether
// there are any.
func (q *slot) fix(cut float64) (fixed bool) {
	g := q.gains
	plus, minus := q.tree.remaining(q.label)
	for j, y := range q.label {
		switch {
		case y != 0:
		case g.base+g.up[j] >= cut && minus > 0:
			q.label[j], fixed = -1, true
			minus--
		case g.base+g.down[j] >= cut && plus > 0:
			q.label[j], fixed = 1, true
			plus--
		}
	}
	return fixed
}

// split returns the children of the node: the one to be visited last first.
func (q *slot) split(bound float64) []*node {
	g := q.gains
	best, at := math.Inf(-1), -1
	for j, y := range q.label {
		if y != 0 {
			continue
		}
		more, less := max(g.up[j], g.down[j]), min(g.up[j], g.down[j])
		worth := less + 1e-3*more // the other decides between equals
		if q.tree.DepthFirst {
			worth = more + 1e-3*less
		}
		if worth > best {
			best, at = worth, j
		}
	}
	child := func(y int8, gain float64) *node {
		n := &node{label: slices.Clone(q.label), bound: max(bound, g.base+gain)}
		n.label[at] = y
		return n
	}
	up, down := child(1, g.up[at]), child(-1, g.down[at])
	if up.bound < down.bound || up.bound == down.bound && g.up[at] < g.down[at] {
		return []*node{down, up}
	}
	return []*node{up, down}
}

// propose completes the labels by the outputs, and trains the machine of these where they may be better than
// what is known.
func (q *slot) propose(ctx context.Context, v *visit) error {
	t := q.tree
	f := q.node.at.f
	q.order = q.order[:0]
	for j, y := range q.label {
		if y == 0 {
			q.order = append(q.order, j)
		}
	}
	slices.SortStableFunc(q.order, func(a, b int) int { return cmp.Compare(f[t.rows[b]], f[t.rows[a]]) })
	plus, _ := t.remaining(q.label)
	label := signs(q.label)
	least := q.gains.base
	most := least // J of the labels is between the two
	for i, j := range q.order {
		label[j] = -1
		if i < plus {
			label[j] = 1
		}
		most += t.cost[j] * t.Loss.Value(label[j], f[t.rows[j]])
	}
	// Half way from what is sure to what is not.
	if slices.Equal(label, q.tried) || least+most > 2*t.objective {
		return nil
	}
	q.tried = slices.Clone(label)
	if err := q.complete(ctx, label); err != nil {
		return err
	}
	q.keep(v)
	return nil
}

// dive labels the row whose labels differ most by their gains, trains and goes on until all have labels.
func (q *slot) dive(ctx context.Context, v *visit) error {
	for {
		whole, err := q.train(ctx)
		if err != nil {
			return err
		}
		if whole {
			break
		}
		q.gains.estimate(q.label)
		q.surest()
	}
	if err := q.complete(ctx, signs(q.label)); err != nil {
		return err
	}
	q.keep(v)
	return nil
}

// surest gives labels to the rows whose labels differ most, and to those whose differ nearly as much, as far as
// the balance allows.
func (q *slot) surest() {
	g := q.gains
	var most float64
	for j, y := range q.label {
		if y == 0 {
			most = max(most, math.Abs(g.up[j]-g.down[j]))
		}
	}
	plus, minus := q.tree.remaining(q.label)
	for j, y := range q.label {
		switch d := g.up[j] - g.down[j]; {
		case y != 0 || math.Abs(d) < nearly*most:
		case d < 0 && plus > 0:
			q.label[j] = 1
			plus--
		case d >= 0 && minus > 0:
			q.label[j] = -1
			minus--
		}
	}
}

// complete trains the machine of these labels, and of better ones that exchanges of pairs lead to.
func (q *slot) complete(ctx context.Context, label []float64) error {
	copy(q.leaf.y[q.tree.problem.Labelled():], label)
	return q.leaf.settle(ctx)
}

// found is the leaf that complete ended at.
func (q *slot) found() *leaf {
	return q.leafOf(q.leaf.weighted)
}

// leafOf is the machine as a leaf of its own memory, nil where it is no better than what is known.
func (q *slot) leafOf(m *weighted) *leaf {
	o := m.objective()
	if o >= q.tree.objective {
		return nil
	}
	l := &leaf{at: newFunction(len(m.at.f)), objective: o, residual: m.residual}
	l.at.set(m.at)
	return l
}

// keep keeps the better of the leaves of a visit.
func (q *slot) keep(v *visit) {
	if l := q.found(); l != nil && (v.leaf == nil || l.objective < v.leaf.objective) {
		v.leaf = l
	}
}

// signs are labels as numbers.
func signs(label []int8) []float64 {
	y := make([]float64, len(label))
	for j, v := range label {
		y[j] = float64(v)
	}
	return y
}
