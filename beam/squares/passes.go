package squares

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/learn"
)

// Plan is what passes after the first are asked.
type Plan struct {
	Ask      Ask
	Task     data.Task
	Classes  []string
	Columns  int
	Features Features

	// Rows are numbered from 0 over all shards, and labelled rows among themselves. First is the first row of each shard
	// and Known its first labelled row.
	First, Known []int
	Pick         []int // labelled rows that are the centres, ascending
	Step         int   // of all rows one in so many is kept as it is; 0: none
	Spaced       int   // of labelled rows the outputs left out of one in so many are kept

	Fits    []*moments.Fit // machines of several ridges, of which outputs are left out
	Details []int          // the numbers of the fits of which more is kept
	// Rows are left out one by one, by the path of the fits, or in folds, by machines of the same ridges that learned without them.
	Path    *moments.Path
	Folds   *Folds
	Without *moments.Folds

	kept *store // nil: features are not kept
}

// Coding is that of the targets.
func (p *Plan) Coding() learn.Coding {
	c := learn.Coding{}
	if p.Task == data.Classification {
		c.Classes = len(p.Classes)
	}
	return c
}

// known are labelled rows of a batch.
type known struct {
	rows  data.Rows // as they were read
	y     *mat.Dense
	class []int
}

// each goes over one shard: begin is called before its first row, and again if the shard is read again; batch for every batch,
// which may be nil, and labelled for the labelled rows of each.
func (p *Plan) each(
	ctx context.Context, file string, number int, o shard.Options, begin func(), batch func(*data.Set), labelled func(known) error,
) error {
	if err := p.Features.bind(ctx); err != nil {
		return err
	}
	reading := p.Ask.reading(o, number)
	if p.Ask.Features == nil && p.Ask.Table == nil {
		reading.Dim = p.Columns
	}
	labels := data.Labels{Task: p.Task, Classes: p.Classes}
	_, err := shard.Each(ctx, file, o, reading, p.Features.rows(), shard.Taker{Begin: begin, Batch: func(set *data.Set) error {
		if set.Rows.IsSparse() {
			set.Rows.Sparse.C = p.Columns
		}
		if batch != nil {
			batch(set)
		}
		of, _, err := labels.Of(set.Answers)
		if err != nil {
			return err
		}
		rows := of.Labelled()
		if len(rows) == 0 {
			return nil
		}
		return labelled(p.targets(set.Rows.Select(rows), of, rows))
	}})
	return err
}

// targets codes the labels of some rows.
func (p *Plan) targets(rows data.Rows, labels data.Labels, at []int) known {
	k := known{rows: rows, class: make([]int, len(at))}
	if p.Task == data.Regression {
		k.y = mat.NewDense(len(at), 1, nil)
		for q, i := range at {
			k.y.Set(q, 0, labels.Value[i])
		}
		return k
	}
	for q, i := range at {
		k.class[q] = labels.Class[i]
	}
	k.y = p.Coding().Code(k.class)
	return k
}

// Picked are rows that were asked for, in order.
type Picked struct{ Rows data.Rows }

// Join takes in those of later shards.
func (p *Picked) Join(o *Picked) {
	switch {
	case o.Rows.Len() == 0:
		return
	case p.Rows.Len() == 0:
		p.Rows = o.Rows
		return
	}
	rows, err := p.Rows.Append(o.Rows)
	if err != nil {
		panic(fmt.Sprintf("squares: rows of shards do not join: %v", err)) // they were read with the same columns
	}
	p.Rows = rows
}

// Pick fetches the rows of one shard that are wanted.
func Pick(ctx context.Context, file string, number int, o shard.Options, plan *Plan) (*Picked, error) {
	p, at := &Picked{}, 0
	err := plan.each(ctx, file, number, o, func() { p, at = &Picked{}, plan.Known[number] }, nil, func(k known) error {
		n := k.rows.Len()
		lo, hi := sort.SearchInts(plan.Pick, at), sort.SearchInts(plan.Pick, at+n)
		var list []int
		for _, row := range plan.Pick[lo:hi] {
			list = append(list, row-at)
		}
		at += n
		if list != nil {
			p.Join(&Picked{data.Rows{Dense: k.rows.Dense, Sparse: k.rows.Sparse}.Select(list)})
		}
		return nil
	})
	return p, err
}

// Summed are the sums of products of features and targets, of each fold, and last of the rows in none, or of all rows.
type Summed struct{ Parts []moments.Sums }

// All are the sums of all rows.
func (s *Summed) All() *moments.Sums { return moments.Joined(s.Parts, -1) }

// Join takes in those of later shards.
func (s *Summed) Join(o *Summed) {
	for q := range s.Parts {
		s.Parts[q].Join(&o.Parts[q])
	}
}

// Products sums the products of features and targets over one shard.
func Products(ctx context.Context, file string, number int, o shard.Options, plan *Plan) (*Summed, error) {
	var s *Summed
	var folds *dealing
	err := plan.EachKnown(ctx, file, number, o, Pass{Begin: func() {
		s, folds = &Summed{make([]moments.Sums, 1)}, plan.Folds.of(file, number)
		if folds != nil {
			s.Parts = make([]moments.Sums, plan.Folds.K+1)
		}
	}, Labelled: func(k Known) error {
		if folds == nil {
			s.Parts[0].Join(moments.New(k.X, k.Y, nil, 0))
			return nil
		}
		fold, err := folds.next(k.Class)
		if err != nil {
			return err
		}
		for f, rows := range members(fold, len(s.Parts)) {
			if rows != nil {
				s.Parts[f].Join(moments.New(selected(k.X, rows), selected(k.Y, rows), nil, 0))
			}
		}
		return nil
	}})
	return s, err
}

// members are the numbers of those that are in each of so many folds.
func members(fold []int, folds int) [][]int {
	list := make([][]int, folds)
	for i, f := range fold {
		list[f] = append(list[f], i)
	}
	return list
}

// selected are some rows of a matrix.
func selected(x *mat.Dense, rows []int) *mat.Dense { return data.Rows{Dense: x}.Select(rows).Dense }

// matrix has the rows of a list, nil of none.
func matrix(list [][]float64) *mat.Dense {
	if len(list) == 0 {
		return nil
	}
	x := mat.NewDense(len(list), len(list[0]), nil)
	for i, v := range list {
		x.SetRow(i, v)
	}
	return x
}

// Every adds every step-th row of a batch to a list, the batch's first row having the number from among all.
func Every(list [][]float64, x *mat.Dense, from, step int) [][]float64 {
	n, _ := x.Dims()
	for i := (step - from%step) % step; i < n; i += step {
		list = append(list, slices.Clone(x.RawRowView(i)))
	}
	return list
}
