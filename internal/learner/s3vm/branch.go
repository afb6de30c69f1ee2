package s3vm

// Problem   that of the package, to the global minimum.
// Symbols   J(y_U) the minimum over f for complete labels; P(A) that over f with the losses of the rows A alone.
// Method    A node is labels for some of the unlabelled rows. P of the rows that have one is no more than J
//           of any completion, because a row adds a loss that is not negative. A node whose bound reaches the
//           best J known is not searched; another is split by giving one more row either label. Where
//           the rows of one label are used up, all others have the other one.
//           For each row without a label, and each label s, the dual gives a bound of P with that row, too
//           (bounds.go). Where that reaches the best J known the row gets the label -s without a split. And
//           some row must get its dearer label: the node itself gains the largest, over rows, of the smaller
//           of the two gains, and the m-th smallest gain of a label that m more rows must have.
//           The best J known is that of the seeds; of dives, which label the row whose labels differ most
//           again and again; and of the outputs at each node, cut where the balance is. Dives begin at the root
//           and, when the number of nodes has doubled, at the open node of the least bound.
//           Nodes are visited by least bound, split at the row whose cheaper label costs most; or depth
//           first, at the row of which a label costs most, the other label first.
// Cost      a node: a training that begins near its end, and |A|^2 flops for each row without a label. Their
//           number may double with every such row. Memory: a byte a row for each open node.
// Source    Sindhwani 2007, section 3.2; Chapelle, Sindhwani and Keerthi, "Branch and bound for semi-supervised
//           support vector machines", NIPS 2006. Ours: the source has the bound P alone, visits depth first, and
//           estimates gains for the order. Made bounds, they close subtrees: of two moons by formula
//           (TestBranchMoons, with dives) 2 to 37 nodes do what P alone does in 113 to 543.

import (
	"container/heap"
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/learn"
)

// Branch is branch and bound. The gap of its certificate is how far the objective may be above the
// minimum, relative to it; the steps are nodes.
type Branch struct {
	Loss       learn.Loss // loss.SquaredHinge or loss.Hinge; nil: the first
	Nodes      int        // visited at most; 0: 10 000, and 100 for a fold
	DepthFirst bool       // and not the least bound first
	// Gap is the relative gap at which a subtree is not searched; 0: 1e-9, and of the hinge 1e-5, which are
	// beyond the errors of its trainings.
	Gap   float64
	Seeds []Solver // their labels are the first ones known
}

var _ Solver = Branch{}

const (
	// mostNodes is the default of Branch.Nodes: some ten seconds for 200 rows.
	mostNodes = 10_000
	// foldNodes is that for a fold: a score has many of these, and needs good labels, not a proof.
	foldNodes = 100
	// exactSquared and exactHinge are the defaults of Branch.Gap.
	exactSquared, exactHinge = 1e-9, 1e-5
	// abreast is the number of nodes that are visited side by side, for any number of processors, so that
	// the tree is the same for each.
	abreast = 4
)

// Solve implements Solver. The labels of warm, which only are the first ones known, change no answer whose
// gap is zero. An indefinite kernel is an error: without convex trainings there are no bounds.
func (s Branch) Solve(ctx context.Context, p *Problem, warm *Solution) (Solution, error) {
	if p.Least < 0 {
		return Solution{}, fmt.Errorf("s3vm: the kernel is indefinite: its smallest eigenvalue on the rows is %.3g, so no bound of "+
			"branch and bound holds; choose a positive definite kernel, such as gaussian, or another method", p.Least)
	}
	t := newTree(s, p)
	err := t.seed(ctx, warm)
	if err == nil {
		err = t.run(ctx)
	}
	if err != nil && (ctx.Err() == nil || t.at == nil) {
		return Solution{}, err
	}
	return t.solution(), nil
}

// tree is the state of a search.
type tree struct {
	Branch
	problem *Problem
	rows    []int     // of K: the unlabelled ones
	cost    []float64 // of each of these
	slots   []*slot   // that visit nodes side by side
	open    queue
	made    int // nodes
	visited int

	leaf           // the best known
	closed float64 // the least bound of what was not searched
}

// newTree is a tree of its root alone.
func newTree(s Branch, p *Problem) *tree {
	if s.Loss == nil {
		s.Loss = learn.SquaredHinge()
	}
	if s.Nodes <= 0 {
		if s.Nodes = mostNodes; p.Fold {
			s.Nodes = foldNodes
		}
	}
	least := exactSquared
	if s.Loss == learn.Hinge() {
		least = exactHinge
	}
	s.Gap = max(s.Gap, least)
	l := p.Labelled()
	t := &tree{
		Branch: s, problem: p, rows: p.Rows[l:], cost: p.Costs()[l:],
		leaf: leaf{objective: math.Inf(1)}, closed: math.Inf(1), open: queue{deep: s.DepthFirst},
	}
	width := abreast
	if s.DepthFirst {
		width = 1
	}
	for range width {
		t.slots = append(t.slots, newSlot(t))
	}
	t.push(&node{label: make([]int8, len(t.rows)), bound: 0})
	return t
}

// seed makes the labels of the seeds and of warm the first ones known.
func (t *tree) seed(ctx context.Context, warm *Solution) error {
	q := t.slots[0]
	try := func(s *Solution) error {
		q.leaf.begin(t.problem, s)
		q.leaf.gather()
		t.problem.decided(q.leaf.y, q.leaf.f)
		err := q.leaf.settle(ctx)
		t.better(q.found()) // of an error, too: it costs no less than the labels do
		return err
	}
	if warm != nil {
		if err := try(warm); err != nil {
			return err
		}
	}
	for _, s := range t.Seeds {
		a, err := s.Solve(ctx, t.problem, warm)
		if err == nil {
			err = try(&a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leaf is complete labels with their machine.
type leaf struct {
	at        *function // nil: there is none
	objective float64   // J
	residual  float64
}

// better keeps the better of what is known.
func (t *tree) better(l *leaf) {
	if l != nil && l.objective < t.objective {
		t.leaf = *l
	}
}

// cut is the bound from which a subtree is not searched.
func (t *tree) cut() float64 { return t.objective * (1 - t.Gap) }

func (t *tree) push(n *node) {
	n.number = t.made
	t.made++
	heap.Push(&t.open, n)
}

// next takes the nodes to visit now from the open ones.
func (t *tree) next(batch []*node) []*node {
	batch = batch[:0]
	for t.open.Len() > 0 && len(batch) < min(len(t.slots), t.Nodes-t.visited) {
		if n := heap.Pop(&t.open).(*node); n.bound < t.cut() {
			batch = append(batch, n)
		} else {
			t.closed = min(t.closed, n.bound)
		}
	}
	return batch
}

// run visits nodes until none is open or the limit is reached. What is made of a batch does not depend on
// the order in which its visits end.
func (t *tree) run(ctx context.Context) error {
	var batch []*node
	visits := make([]visit, len(t.slots))
	dive := 0 // at so many nodes
	for t.visited < t.Nodes {
		if batch = t.next(batch); len(batch) == 0 {
			return nil
		}
		dives := t.visited >= dive
		if dives {
			dive = 2 * (t.visited + 1)
		}
		parallel.Workers(len(batch), len(batch), 1, func(_, i, _ int) {
			visits[i] = t.slots[i].visit(ctx, batch[i], dives && i == 0)
		})
		for i, n := range batch {
			v := &visits[i]
			t.better(v.leaf)
			switch {
			case v.err != nil:
				heap.Push(&t.open, n)
				continue
			case v.children == nil:
				t.closed = min(t.closed, v.bound)
			}
			t.visited++
			for _, c := range v.children {
				t.push(c)
			}
		}
		for i := range batch {
			if err := visits[i].err; err != nil {
				return err
			}
		}
	}
	return nil
}

// solution is the best known, with its gap.
func (t *tree) solution() Solution {
	lower := min(t.objective, t.closed)
	for _, n := range t.open.nodes {
		lower = min(lower, n.bound)
	}
	c := learn.Certificate{Objective: t.objective, Residual: t.residual, Steps: t.visited}
	if t.objective > 0 {
		c.Gap = max((t.objective-lower)/t.objective, t.Gap) // no closer than trainings are
	}
	if c.Gap > t.Gap {
		c.Limited = fmt.Sprintf("branch and bound was stopped after %d nodes: of the objective %.6g of the best labels found, the "+
			"minimum is "+
			"known to be no less than %.6g", t.visited, t.objective, lower)
	}
	m := t.slots[0].leaf
	m.at.set(t.at)
	s := m.read(t.problem)
	s.Certificate = c
	return s
}

// node is an open node.
type node struct {
	label  []int8 // of the unlabelled rows: -1, +1, or 0 where there is none
	bound  float64
	number int // in the order made
}

// queue are the open nodes, a heap by bound or by depth: what was made last first.
type queue struct {
	deep  bool
	nodes []*node
}

func (q *queue) Len() int { return len(q.nodes) }

func (q *queue) Less(i, j int) bool {
	a, b := q.nodes[i], q.nodes[j]
	if q.deep || a.bound == b.bound {
		return a.number > b.number
	}
	return a.bound < b.bound
}

func (q *queue) Swap(i, j int) { q.nodes[i], q.nodes[j] = q.nodes[j], q.nodes[i] }

func (q *queue) Push(n any) { q.nodes = append(q.nodes, n.(*node)) }

func (q *queue) Pop() any {
	last := len(q.nodes) - 1
	n := q.nodes[last]
	q.nodes[last] = nil
	q.nodes = q.nodes[:last]
	return n
}

// remaining is how many more rows are +1, and -1.
func (t *tree) remaining(label []int8) (plus, minus int) {
	plus = t.problem.Count()
	minus = len(label) - plus
	for _, y := range label {
		switch {
		case y > 0:
			plus--
		case y < 0:
			minus--
		}
	}
	return plus, minus
}
