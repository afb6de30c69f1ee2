package newton

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/splitmix"
	"github.com/mercer-ml/mercer/learn"
)

// Labelling decides the unlabelled rows: +1 those of outputs above Split at the point, -1 the others. So workers know the labels of
// their rows without keeping any.
type Labelling struct {
	Point
	Split float64
}

// Both are sums at one point: over labelled rows, and over unlabelled rows with the labels that are decided.
type Both struct {
	Known, Others Sums
	Order         squares.Order // the outputs of unlabelled rows
	Least         float64       // sum V of unlabelled rows with the label that costs less
	Second        int           // unlabelled rows whose output is 0 at least
}

// AllBoth are those of several points with the same labels.
type AllBoth struct {
	Points []Both
	// Mark tells labellings apart: a sum of random numbers, one for each unlabelled row that is +1.
	Mark uint64
}

// Join takes in the sums of later rows.
func (a *AllBoth) Join(o *AllBoth) {
	a.Mark += o.Mark
	for q := range a.Points {
		b, c := &a.Points[q], &o.Points[q]
		b.Known.join(&c.Known)
		b.Others.join(&c.Others)
		b.Order.Join(&c.Order)
		b.Least += c.Least
		b.Second += c.Second
	}
}

// Transduce sums over one shard at the points of the plan. Without a labelling the sums of unlabelled rows are those of no row.
func Transduce(ctx context.Context, file string, number int, o shard.Options, plan *Plan) (*AllBoth, error) {
	v, err := learn.ParseLoss(plan.Loss)
	if err != nil {
		return nil, err
	}
	var all *AllBoth
	var failed error
	row := 0
	n, d := len(plan.Points), len(plan.Points[0].W)
	work, others := &evaluation{loss: v, points: plan.Points}, &evaluation{loss: v, points: plan.Points[:n:n]}
	if plan.Labels != nil {
		others.points = append(others.points, plan.Labels.Point)
	}
	err = plan.EachKnown(ctx, file, number, o, squares.Pass{Begin: func() {
		all, failed, row = &AllBoth{Points: make([]Both, n)}, nil, plan.First[number]
		for q := range all.Points {
			all.Points[q] = Both{Known: newSums(d), Others: newSums(d)}
		}
	}, All: func(set *data.Set) {
		x, err := plan.Unlabelled(ctx, set)
		if err != nil {
			failed = err
		}
		if x != nil && failed == nil {
			all.unlabelled(others, x, plan.Labels, row)
			row += x.RawMatrix().Rows
		}
	}, Labelled: func(k squares.Known) error {
		work.outputs(k.X)
		for q := range all.Points {
			one := work.sums(k, q)
			all.Points[q].Known.join(&one)
		}
		return failed
	}})
	if err == nil {
		err = failed
	}
	return all, err
}

// unlabelled takes in rows without labels, the first of which has a number that is its own among all shards. The last of the points
// labels them, if there are labels.
func (a *AllBoth) unlabelled(e *evaluation, x *mat.Dense, labels *Labelling, first int) {
	n, _ := x.Dims()
	e.outputs(x)
	y := mat.NewDense(n, 1, nil)
	for i := range n {
		y.Set(i, 0, -1)
		if labels != nil && e.f.At(i, len(a.Points)) > labels.Split {
			y.Set(i, 0, 1)
			a.Mark += splitmix.Hash(uint64(first + i))
		}
	}
	for q := range a.Points {
		b := &a.Points[q]
		for i := range n {
			f := e.f.At(i, q)
			b.Order.Add(f)
			b.Least += min(e.loss.Value(1, f), e.loss.Value(-1, f))
			if f >= 0 {
				b.Second++
			}
		}
		if labels != nil {
			one := e.sums(squares.Known{X: x, Y: y}, q)
			b.Others.join(&one)
		}
	}
}
