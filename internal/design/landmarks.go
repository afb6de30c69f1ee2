package design

import (
	"context"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

// reduction is what a bench keeps in the place of n x n tables if machines with a graph are reduced
// to landmarks.
type reduction struct {
	lead   *choose.Candidate // the landmarks are chosen by its kernel
	chosen *manifold.Reduced // the landmarks, the same for all candidates
	recipe manifold.Reduced  // the kernel that parts belongs to
	parts  *manifold.ReducedParts
}

// trainReduced trains a candidate with a graph on landmarks.
func (b *Bench) trainReduced(ctx context.Context, c *choose.Candidate) (*choose.Machine, error) {
	r := &b.reduced
	rows := b.Score.Problem.Rows
	base, err := b.kernel(c)
	if err != nil {
		return nil, err
	}
	recipe, err := b.landmarks(ctx)
	if err != nil {
		return nil, err
	}
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
	return b.fit(ctx, recipe, g, lambda, ridges(b.Score.Problem.Task, c.Linear))
}

// lead notes the candidate by whose kernel landmarks are chosen: the first with a graph.
func (b *Bench) lead(plan []*choose.Candidate, order []int) {
	b.reduced.lead = nil
	for _, i := range order {
		if c := plan[i]; c.HasGraph() && c.Trial == nil {
			b.reduced.lead = c
			return
		}
	}
}

// chosen are landmarks: rows of the fit, and others.
type chosen struct {
	Rows    []int
	Centres *mat.Dense
}

// landmarks are those of all candidates, on the kernel of the first.
func (b *Bench) landmarks(ctx context.Context) (manifold.Reduced, error) {
	r := &b.reduced
	if r.chosen != nil {
		return *r.chosen, nil
	}
	rows := b.Score.Problem.Rows
	base, err := b.kernel(r.lead)
	if err != nil {
		return manifold.Reduced{}, err
	}
	var always []int // without a graph the machine is then the exact one but for rounding
	if l := b.Score.Problem.Labelled; 2*len(l) <= b.Landmarks.Of(rows.Len()) {
		always = l
	}
	k := manifold.Reduced{Base: base, Landmarks: *b.Landmarks}
	found, err := share.One(ctx, b.Crew, "landmarks", func(ctx context.Context) (chosen, error) {
		k, err := k.Choose(ctx, rows, always)
		return chosen{k.Rows, k.Centres}, err
	})
	if err != nil {
		return manifold.Reduced{}, err
	}
	k.Rows, k.Centres = found.Rows, found.Centres
	r.chosen = &k
	return k, nil
}
