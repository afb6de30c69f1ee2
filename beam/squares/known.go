package squares

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
)

// Known are labelled rows of a batch: features (n x d), targets (n x c), and of classes the numbers of these.
type Known struct {
	X, Y  *mat.Dense
	Class []int
}

// Pass gets the rows of a shard: Begin is called before the first, and again if the shard is read again; All, which may be nil, for
// every batch of all rows as they were read; Labelled for the labelled rows of each, valid until the next.
type Pass struct {
	Begin    func()
	All      func(*data.Set)
	Labelled func(Known) error
}

// EachKnown goes over the labelled rows of one shard. Features that are kept are not made again, and without All the text is then not
// read.
func (p *Plan) EachKnown(ctx context.Context, file string, number int, o shard.Options, to Pass) error {
	if kept := p.found(number); kept != nil {
		defer kept.end()
		if to.All == nil {
			to.Begin()
			return kept.each(ctx, p, to.Labelled)
		}
		var failed error
		return p.each(ctx, file, number, o, func() { to.Begin(); failed = kept.again() }, to.All, func(k known) error {
			x, values, err := kept.next()
			if err = errors.Join(failed, err); err != nil {
				return err
			}
			if len(values) != len(k.class) {
				return fmt.Errorf("%s: %d labelled rows where there were %d; leave the shards as they are during a fit",
					file, len(k.class), len(values))
			}
			return to.Labelled(Known{X: x, Y: k.y, Class: k.class})
		})
	}
	keep := p.keep(number)
	err := p.each(ctx, file, number, o, func() { to.Begin(); keep.again() }, to.All, func(k known) error {
		x, err := p.Features.of(ctx, k.rows)
		if err != nil {
			return err
		}
		if keep != nil {
			keep.add(x, p.values(k))
		}
		return to.Labelled(Known{X: x, Y: k.y, Class: k.class})
	})
	keep.end(err == nil)
	return err
}

// Keep adds every Step-th row of a batch to a sample, the batch's first row having the number from among all rows.
func (p *Plan) Keep(list [][]float64, set *data.Set, from int) [][]float64 {
	if p.Step > 0 && set.Rows.Dense != nil {
		list = Every(list, set.Rows.Dense, from, p.Step)
	}
	return list
}

// Unlabelled are the features of those rows of a batch, as it was read, that have no label; nil: there is none.
func (p *Plan) Unlabelled(ctx context.Context, set *data.Set) (*mat.Dense, error) {
	var list []int
	for i := range set.Rows.Len() {
		if set.Answers == nil || data.IsUnlabelled(set.Answers[i]) {
			list = append(list, i)
		}
	}
	if list == nil {
		return nil, nil
	}
	return p.Features.of(ctx, set.Rows.Select(list))
}
