package design

import (
	"context"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

// reduction is what a bench keeps in the place of n x n tables if machines with a graph are reduced
// to landmarks.
type reduction struct {
	chosen  *manifold.Reduced // the landmarks, the same for all candidates
	recipe  manifold.Reduced  // the kernel that parts belongs to
	parts   *manifold.ReducedParts
	centres data.Rows // of the expansions, one copy for all
}

// trainReduced trains a candidate with a graph on landmarks.
func (b *Bench) trainReduced(ctx context.Context, c *choose.Candidate) (*choose.Machine, error) {
	r := &b.reduced
	rows := b.Score.Problem.Rows
	base, err := b.kernel(c)
	if err != nil {
		return nil, err
	}
	if r.chosen == nil {
		var always []int // without a graph the machine is then the exact one but for rounding
		if l := b.Score.Problem.Labelled; 2*len(l) <= b.Landmarks.Of(rows.Len()) {
			always = l
		}
		k, err := manifold.Reduced{Base: base, Landmarks: *b.Landmarks}.Choose(ctx, rows, always)
		if err != nil {
			return nil, err
		}
		r.chosen = &k
	}
	recipe := *r.chosen
	recipe.Base, recipe.Norm, recipe.Ratio = base, b.norm(c), 1
	if r.parts == nil || !reflect.DeepEqual(r.recipe.Base, recipe.Base) || !reflect.DeepEqual(r.recipe.Norm, recipe.Norm) {
		if r.parts != nil {
			r.parts.Release()
			r.parts = nil
		}
		if r.parts, err = recipe.Parts(ctx, rows, &b.work); err != nil {
			return nil, err
		}
		r.recipe = recipe
		b.scale = score.MeanDiagonal(r.parts.Base, b.Score.Problem.Labelled)
	}
	recipe.Ratio = c.Ratio / b.scale
	if b.Ratio > 0 {
		recipe.Ratio = b.Ratio
		c.Ratio = b.Ratio * b.scale
	}
	g, err := r.parts.Warp(ctx, recipe)
	if err != nil {
		return nil, err
	}
	lambda := b.Lambda
	if b.LambdaOf != nil {
		lambda = b.LambdaOf(recipe.Ratio)
	}
	m, err := b.fit(ctx, recipe, g, lambda, ridges(b.Score.Problem.Task, c.Linear))
	if err != nil {
		return nil, err
	}
	for i, e := range m.Expansions {
		m.Expansions[i].Centres = r.same(e)
	}
	return m, nil
}

// same returns the one copy of an expansion's centres, so that expansions of several machines
// on the same landmarks can be added.
func (r *reduction) same(e kernel.Expansion) data.Rows {
	a, b := e.Centres, r.centres
	switch {
	case a.Dense != nil && b.Dense != nil && mat.Equal(a.Dense, b.Dense):
		return b
	case a.Sparse != nil && b.Sparse != nil && slices.Equal(a.Sparse.Index, b.Sparse.Index) && slices.Equal(a.Sparse.Value, b.Sparse.Value):
		return b
	}
	r.centres = a
	return a
}
