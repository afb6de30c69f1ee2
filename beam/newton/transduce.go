package newton

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/loss"
)

// Labelling decides the unlabelled rows: +1 those of outputs above Split at the point, -1 the others. So workers know the labels of
// their rows without keeping any.
type Labelling struct {
	Point
	Split float64
}

// Both are sums at the first point of a plan: over labelled rows, and over unlabelled rows with the labels that are decided.
type Both struct {
	Known, Others Sums
	Order         squares.Order // the outputs of unlabelled rows
	Least         float64       // sum V of unlabelled rows with the label that costs less
	Second        int           // unlabelled rows whose output is 0 at least
}

// Join takes in the sums of later rows.
func (b *Both) Join(o *Both) {
	b.Known.join(&o.Known)
	b.Others.join(&o.Others)
	b.Order.Join(&o.Order)
	b.Least += o.Least
	b.Second += o.Second
}

// Transduce sums over one shard. Without a labelling the sums of unlabelled rows are those of no row.
func Transduce(ctx context.Context, file string, _ int, o shard.Options, plan *Plan) (*Both, error) {
	v, err := loss.Parse(plan.Loss)
	if err != nil {
		return nil, err
	}
	var b *Both
	var failed error
	d := len(plan.Points[0].W)
	work, others := &evaluation{loss: v, points: plan.Points}, &evaluation{loss: v, points: plan.Points}
	if plan.Labels != nil {
		others.points = append(others.points[:1:1], plan.Labels.Point)
	}
	err = plan.EachKnown(ctx, file, o, func() {
		b = &Both{Known: newSums(d), Others: newSums(d)}
		failed = nil
	}, func(set *data.Set) {
		x, err := plan.Unlabelled(ctx, set)
		if err != nil {
			failed = err
		}
		if x != nil && failed == nil {
			b.unlabelled(others, x, plan.Labels)
		}
	}, func(k squares.Known) error {
		work.outputs(k.X)
		one := work.sums(k, 0)
		b.Known.join(&one)
		return failed
	})
	if err == nil {
		err = failed
	}
	return b, err
}

// unlabelled takes in rows without labels.
func (b *Both) unlabelled(e *evaluation, x *mat.Dense, labels *Labelling) {
	n, _ := x.Dims()
	e.outputs(x)
	y := mat.NewDense(n, 1, nil)
	for i := range n {
		f := e.f.At(i, 0)
		b.Order.Add(f)
		b.Least += min(e.loss.Value(1, f), e.loss.Value(-1, f))
		if f >= 0 {
			b.Second++
		}
		y.Set(i, 0, -1)
		if labels != nil && e.f.At(i, 1) > labels.Split {
			y.Set(i, 0, 1)
		}
	}
	if labels != nil {
		one := e.sums(squares.Known{X: x, Y: y}, 0)
		b.Others.join(&one)
	}
}
