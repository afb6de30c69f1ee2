package design

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
)

// trainedAgain is the number of members with a graph that outside trains again, those of the largest weights: what a graph does to rows
// that it does not have is alike in all, and each costs what a candidate does.
const trainedAgain = 4

// outside implements choose.Candidates.Outside where no more rows are unlabelled than labelled: it leaves a quarter of all rows out of the
// graphs, at most all that are unlabelled, evenly spread over these. Where more are unlabelled these are
// what the graph is for, and leave-one-out judges rows that are as they are. Memory: less than that of the candidates. Cost: less than half
// that of a candidate for each member that is trained again.
func (b *Bench) outside(ctx context.Context, members []choose.Weighted) (within, outside *mat.Dense, err error) {
	p := b.Score.Problem
	if p.Rows.Len() > 2*len(p.Labelled) {
		return nil, nil, nil
	}
	kept, left := apart(p)
	members = heaviest(members, len(kept))
	if len(left) == 0 || len(members) == 0 {
		return nil, nil, nil
	}
	within = mat.NewDense(len(left), p.Outputs(), nil)
	outside = mat.NewDense(len(left), p.Outputs(), nil)
	b.free, b.parts = nil, manifold.Parts{} // whose memory is that of the smaller tables
	own := &Bench{Score: b.Score, Views: b.Views, Longest: min(b.Longest, len(kept)-1)}
	own.Score.Folds, own.Score.Problem = nil, restricted(p, kept)
	rows := p.Rows.Select(left)
	for _, m := range members {
		for j, i := range left {
			for c, v := range m.Machine.Outputs.RawRowView(i) {
				within.Set(j, c, within.At(j, c)+m.Weight*v)
			}
		}
		again, err := own.again(ctx, m.Candidate)
		if err != nil {
			return nil, nil, err
		}
		if err := add(ctx, outside, m.Weight, again, rows); err != nil {
			return nil, nil, err
		}
	}
	return within, outside, nil
}

// heaviest are the members that are trained again: with a graph, which so many rows have neighbours enough for.
func heaviest(members []choose.Weighted, rows int) []choose.Weighted {
	list := slices.DeleteFunc(slices.Clone(members), func(m choose.Weighted) bool {
		return !m.HasGraph() || m.Graph.Neighbours >= rows || m.Maker != nil || m.Trial != nil
	})
	slices.SortStableFunc(list, func(a, b choose.Weighted) int { return cmp.Compare(b.Weight, a.Weight) })
	return list[:min(len(list), trainedAgain)]
}

// apart are the rows that stay, and the unlabelled ones that are left out.
func apart(p *learn.Problem) (kept, left []int) {
	labelled := make([]bool, p.Rows.Len())
	for _, i := range p.Labelled {
		labelled[i] = true
	}
	unlabelled := len(labelled) - len(p.Labelled)
	want := min(unlabelled, len(labelled)/4)
	seen := 0
	for i, known := range labelled {
		if known || (seen+1)*want/unlabelled == seen*want/unlabelled {
			kept = append(kept, i)
		} else {
			left = append(left, i)
		}
		if !known {
			seen++
		}
	}
	return kept, left
}

// restricted is the problem of these rows, all labelled ones among them.
func restricted(p *learn.Problem, rows []int) *learn.Problem {
	q := *p
	q.Rows = p.Rows.Select(rows)
	place := make([]int, p.Rows.Len())
	for k, i := range rows {
		place[i] = k
	}
	q.Labelled = make([]int, len(p.Labelled))
	for k, i := range p.Labelled {
		q.Labelled[k] = place[i]
	}
	return &q
}

// again trains the machine of a candidate with the kernel, the graph and the strengths that it was found with.
func (b *Bench) again(ctx context.Context, c *choose.Candidate) (*choose.Machine, error) {
	w, _ := manifold.Warped(c.Machine.Kernel)
	if err := b.prepare(ctx, c); err != nil {
		return nil, err
	}
	warp := b.warp
	warp.Ratio = w.Ratio
	g, err := b.parts.Warp(ctx, warp, b.free)
	if err != nil {
		return nil, err
	}
	path, err := b.Score.Path(ctx, g)
	if err != nil {
		return nil, err
	}
	f, err := path.At(c.Machine.Lambda)
	if err != nil {
		return nil, err
	}
	m := &choose.Machine{Kernel: warp}
	return m, fitted(ctx, m, b.Score.Problem, g, f)
}

// add adds the outputs of a machine on rows, times a weight.
func add(ctx context.Context, out *mat.Dense, weight float64, m *choose.Machine, rows data.Rows) error {
	part := mat.NewDense(out.RawMatrix().Rows, out.RawMatrix().Cols, nil)
	for _, e := range m.Expansions {
		all, err := e.Centres.Append(rows)
		if err != nil {
			return err
		}
		g, err := e.Kernel.Bind(ctx, all, nil)
		if err != nil {
			return err
		}
		n := e.Centres.Len()
		sum := learn.Machine{Rows: indices.To(n), Coef: e.Coef}
		if err := sum.Evaluate(ctx, part, g, indices.To(all.Len())[n:]); err != nil {
			return err
		}
		part.Scale(weight, part)
		out.Add(out, part)
	}
	for j := range m.B {
		for i := range rows.Len() {
			out.Set(i, j, out.At(i, j)+weight*m.B[j])
		}
	}
	return nil
}
