package auto

import (
	"context"

	"github.com/mercer-ml/mercer/hyper"
	"github.com/mercer-ml/mercer/manifold"
)

// The design, in units of a kernel of order one, the median distance between
// rows and a normalised Laplacian. Chosen on the design sets of
// docs/automatic-choice.md: 30 machines with a graph do better than 455 on a
// broad grid, because the score has fewer ways to be fooled.
var (
	// widths of supervised machines, in median distances.
	widths = []float64{0.125, 0.25, 0.5, 1, 2, 4, 8}
	// near: with a strong graph the width matters little; half the median.
	near = grid{width: 0.5, neighbours: []int{4, 8, 2, 16, 6, 3, 30}, ratios: []float64{1e4, 1e6, 1e2}}
	// far: wide, nearly linear kernels with a weak graph, for clusters that
	// overlap.
	far = grid{width: 4, neighbours: []int{8, 4, 16}, ratios: []float64{10, 100, 1}}
)

// degree is the power of the Laplacian, the best on nearly every design set.
const degree = 2

type grid struct {
	width      float64
	neighbours []int
	ratios     []float64
}

// Neighbours lists the numbers of neighbours tried.
func Neighbours() []int { return append([]int(nil), near.neighbours...) }

// longest is the length of the neighbour lists that all candidates share.
func (t Task) longest() int {
	n := t.Score.Problem.Rows.Len()
	longest := max(t.Graph.Neighbours, 1)
	for _, k := range near.neighbours {
		if k < n {
			longest = max(longest, k)
		}
	}
	return longest
}

// design lists the candidates in the order of training: the supervised ones
// first, for they are the baseline, then grids of graphs, all ratios of a number
// of neighbours together, for they share all but the factorisation, and numbers
// of neighbours spread out, so that a search cut short has seen both ends.
func (t Task) design() []*Candidate {
	scaled := !t.FixedWidth && hasWidth(t.Score.Kernel)
	var plan []*Candidate
	if scaled {
		for _, w := range widths {
			plan = append(plan, &Candidate{Width: w})
		}
	} else {
		plan = append(plan, &Candidate{Width: 1})
	}
	if !t.Semi {
		return plan
	}
	grids := []grid{near, far}
	if !scaled { // one width: one grid with the ratios of both
		grids = []grid{near}
		grids[0].width = 1
		grids[0].ratios = []float64{1e4, 1e6, 1e2, 10}
	}
	p := degree
	if t.Graph.Degree > 0 {
		p = t.Graph.Degree
	}
	n := t.Score.Problem.Rows.Len()
	for i, g := range grids {
		ks, rs := g.neighbours, g.ratios
		if t.Graph.Neighbours > 0 {
			ks = []int{t.Graph.Neighbours}
		}
		if t.Ratio > 0 {
			rs = []float64{t.Ratio}
			if i > 0 {
				break // the second grid is about weaker ratios
			}
		}
		for _, k := range ks {
			for _, r := range rs {
				if k < n {
					plan = append(plan, &Candidate{Width: g.width, Neighbours: k, Degree: p, Ratio: r})
				}
			}
		}
	}
	return plan
}

// Fixed trains the one machine of a score at theta, its kernel's parameters and
// lambda.
func Fixed(ctx context.Context, s *hyper.LeaveOut, theta []float64) (*Choice, error) {
	n := len(theta) - 1
	k, err := s.Kernel.With(theta[:n])
	if err != nil {
		return nil, err
	}
	g, err := k.Bind(ctx, s.Problem.Rows, s.Work)
	if err != nil {
		return nil, err
	}
	m, err := Train(s, k, g, theta[n])
	if err != nil {
		return nil, err
	}
	c := &Candidate{Width: 1, Machine: m}
	if w, ok := k.(manifold.Warp); ok {
		r := w.Norm.(manifold.Graph).Recipe
		c.Neighbours, c.Degree, c.Ratio = r.Neighbours, r.Degree, w.Ratio
	}
	out := &Choice{Members: []Member{{c, 1}}, Score: m.Score, Trained: []*Candidate{c}, Planned: 1, Status: Complete}
	if c.Supervised() {
		out.Baseline = c
	}
	return out, nil
}

// Baseline trains the supervised machine over the widths and lambdas.
func Baseline(ctx context.Context, s hyper.LeaveOut) (*Candidate, error) {
	c, err := Task{Score: s, Supervised: true}.Choose(ctx)
	if err != nil {
		return nil, err
	}
	return c.Baseline, nil
}
