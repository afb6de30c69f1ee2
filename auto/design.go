package auto

import (
	"context"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

// supervisedWidths are those of machines without a graph, in median distances.
func supervisedWidths() []float64 { return []float64{0.125, 0.25, 0.5, 1, 2} }

// grid is a family of machines with graphs, every number of neighbours with
// every degree and every ratio.
type grid struct {
	linear     bool
	width      float64 // of the base kernel
	symmetry   graph.Symmetry
	spread     float64 // of self-tuned weights: graph.Recipe.Width
	degrees    []int
	neighbours []int
	ratios     []float64
}

// grids are the machines with a graph, in units of a kernel whose mean diagonal is
// one, the median distance between rows and a normalised Laplacian. Chosen on the
// design sets of docs/automatic-choice.md: these 28 do better than 455 on a broad
// grid, because the score has fewer ways to be fooled.
func grids() []grid {
	strong := []float64{1e4, 1e6} // under which the width of the kernel matters little
	return []grid{
		// Manifolds.
		{width: 0.5, spread: 1, degrees: []int{2}, neighbours: []int{4, 8, 3}, ratios: strong},
		// The same with weights that fall off faster: rings and threads.
		{width: 0.5, spread: 0.25, degrees: []int{2}, neighbours: []int{4, 8, 3}, ratios: strong},
		// Only edges that both ends want: fewer bridges between classes.
		{width: 0.5, symmetry: graph.Mutual, spread: 0.25, degrees: []int{2}, neighbours: []int{8, 4}, ratios: strong},
		{width: 0.5, symmetry: graph.Mutual, spread: 1, degrees: []int{2}, neighbours: []int{20, 10}, ratios: strong},
		// Clusters that overlap, under a plane: their eigenvalue of a Laplacian of many
		// neighbours is not far below the others', so it takes a high power to part them.
		{linear: true, spread: 1, degrees: []int{5, 2}, neighbours: []int{50, 16}, ratios: []float64{1e3, 1e5}},
	}
}

// reducedGrids are those for machines on landmarks: with fewer functions than rows a narrow kernel
// sees its landmarks alone, and a strong graph leaves it nothing to fit.
func reducedGrids() []grid {
	ratios := []float64{1, 1e2, 1e4}
	return []grid{
		{width: 1, spread: 1, degrees: []int{2}, neighbours: []int{8, 4, 20}, ratios: ratios},
		{width: 0.5, spread: 1, degrees: []int{2}, neighbours: []int{8, 4, 20}, ratios: ratios},
		{width: 0.5, symmetry: graph.Mutual, spread: 1, degrees: []int{2}, neighbours: []int{20}, ratios: ratios},
		{linear: true, spread: 1, degrees: []int{5, 2}, neighbours: []int{50, 16}, ratios: []float64{1e3, 1e5}},
	}
}

// grids are the families of machines with a graph that the task tries.
func (t Task) grids() []grid {
	if t.Landmarks != nil {
		return reducedGrids()
	}
	return grids()
}

// longest is the length of the neighbour lists that all candidates share.
func (t Task) longest() int {
	n := t.Score.Problem.Rows.Len()
	longest := max(t.Graph.Neighbours, 1)
	for _, g := range t.grids() {
		for _, k := range g.neighbours {
			if k < n {
				longest = max(longest, k)
			}
		}
	}
	return longest
}

// design lists the candidates in the order of training: the supervised ones
// first, for they are the baseline (last where only a graph will do), then grids
// of graphs, all ratios of a graph together, for they share all but the
// factorisation.
func (t Task) design() []*Candidate {
	scaled := !t.FixedWidth && hasWidth(t.Score.Kernel)
	var plan []*Candidate
	if scaled {
		for _, w := range supervisedWidths() {
			plan = append(plan, &Candidate{Width: w})
		}
	} else {
		plan = append(plan, &Candidate{Width: 1, Linear: !hasWidth(t.Score.Kernel)})
	}
	if t.Linear {
		plan = append(plan, &Candidate{Width: 1, Linear: true})
	}
	if !t.Semi {
		return plan
	}
	var semi []*Candidate
	for _, g := range t.grids() {
		if g.linear && !t.Linear && hasWidth(t.Score.Kernel) {
			continue // only a kernel without a width stands in for the linear one
		}
		semi = append(semi, t.candidates(g, scaled)...)
	}
	if !t.Supervised {
		return append(semi, plan...)
	}
	return append(plan, semi...)
}

// candidates lists the machines of a grid, as far as the task leaves them free.
func (t Task) candidates(g grid, scaled bool) []*Candidate {
	c := Candidate{Linear: g.linear, Width: 1, Graph: t.Graph}
	if scaled && !g.linear {
		c.Width = g.width
	}
	if g.symmetry != graph.Union {
		if !t.Mutual {
			return nil
		}
		c.Graph.Symmetry = g.symmetry
	}
	if t.Graph.Weights == graph.SelfTuned && t.Graph.Width == 0 {
		c.Graph.Width = g.spread
	} else if g.spread != 1 {
		return nil // a spread of its own is all that makes this grid
	}
	ks, ps, rs := g.neighbours, g.degrees, g.ratios
	if t.Graph.Neighbours > 0 {
		ks = []int{t.Graph.Neighbours}
	}
	if t.Graph.Degree > 0 {
		ps = []int{t.Graph.Degree}
	}
	if t.Ratio > 0 {
		if g.linear {
			return nil // a given ratio is in the units of the kernel that stands in for this one
		}
		rs = []float64{t.Ratio}
	}
	var list []*Candidate
	for _, k := range ks {
		if k >= t.Score.Problem.Rows.Len() {
			continue
		}
		for _, p := range ps {
			for _, r := range rs {
				d := c
				d.Graph.Neighbours, d.Graph.Degree, d.Ratio = k, p, r
				list = append(list, &d)
			}
		}
	}
	return list
}

// Fixed trains the one machine of a score at theta, its kernel's parameters and
// lambda.
func Fixed(ctx context.Context, s *score.LeaveOut, theta []float64) (*Choice, error) {
	n := len(theta) - 1
	k, err := s.Kernel.With(theta[:n])
	if err != nil {
		return nil, err
	}
	g, err := k.Bind(ctx, s.Problem.Rows, s.Work)
	if err != nil {
		return nil, err
	}
	m, err := train(s, k, g, theta[n], span{})
	if err != nil {
		return nil, err
	}
	return Alone(m), nil
}

// FixedLearner trains the one machine of a learner's score at theta, its kernel's
// parameters and the learner's own.
func FixedLearner(ctx context.Context, s *score.Refit, theta []float64) (*Choice, error) {
	n := len(s.Kernel.Space())
	k, err := s.Kernel.With(theta[:n])
	if err != nil {
		return nil, err
	}
	g, err := k.Bind(ctx, s.Problem.Rows, s.Work)
	if err != nil {
		return nil, err
	}
	t, err := s.Learner.Bind(ctx, g, s.Problem)
	if err != nil {
		return nil, err
	}
	m := &Machine{Kernel: k, Theta: theta[n:], Lambda: ridge(s.Learner, theta[n:])}
	task := Task{Score: score.LeaveOut{Problem: s.Problem, Folds: s.Folds, Criterion: s.Criterion}}
	if m.Score, m.LeftOut, _, err = task.judge(g, t)(ctx, m.Theta); err != nil {
		return nil, err
	}
	f, err := t.Train(ctx, nil, m.Theta, nil)
	if err != nil {
		return nil, err
	}
	if err := m.adopt(f, g, s.Problem); err != nil {
		return nil, err
	}
	return Alone(m), nil
}

// Alone is the choice of the one machine trained.
func Alone(m *Machine) *Choice {
	c := &Candidate{Width: 1, Machine: m}
	if w, ok := manifold.Warped(m.Kernel); ok {
		c.Graph, c.Ratio = manifold.Graphs(w.Norm)[0].Recipe, w.Ratio
	}
	out := &Choice{Members: []Member{{c, 1}}, Score: m.Score, Trained: []*Candidate{c}, Status: Complete}
	if c.Supervised() {
		out.Baseline = c
	}
	return out
}

// Baseline trains the supervised machine over the widths and the strengths of the
// data; a nil learner is regularised least squares.
func Baseline(ctx context.Context, s score.LeaveOut, learner learn.Learner) (*Candidate, error) {
	c, err := Task{Score: s, Learner: learner, Supervised: true}.Choose(ctx)
	if err != nil {
		return nil, err
	}
	return c.Baseline, nil
}
