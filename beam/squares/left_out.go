package squares

import (
	"context"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// Score is what is known of the outputs left out of one fit.
type Score struct {
	Rows    int     // left out
	Press   float64 // 1/2 sum |y - o|^2
	Wrong   int     // classes
	Broken  bool    // some row determines its own output: lambda is too small
	Margins calibrate.Margins
}

// Detail is what else is known of one fit: moments and quantiles of the errors of rows left out, and the errors on the rows
// that it has seen.
type Detail struct {
	Squares, Fourth   float64 // sums of powers of y - o of a regression
	Quantiles         Quantiles
	Seen, SeenAbs     float64 // of all rows: sums of squares and sizes of y - f
	SeenWrong         int
	Mean              float64 // of y, by which r2 is measured
	Deviations        float64 // sum (y - mean)^2
	Rows              int
	ClassRows, Caught []int       // rows of each class, and of them those decided so
	Outputs           [][]float64 // left out, of some labelled rows, evenly spaced
}

// Left is what the second pass finds in some shards.
type Left struct {
	Scores  []Score
	Details []Detail    // of Plan.Details
	Sample  [][]float64 // the rows kept, in order
}

// LeftOut goes over one shard.
func LeftOut(ctx context.Context, file string, number int, o shard.Options, plan *Plan) (*Left, error) {
	var l *Left
	row, labelled := 0, 0
	var folds *dealing
	err := plan.each(ctx, file, number, o, func() {
		row, labelled, folds = plan.First[number], plan.Known[number], plan.Folds.of(file, number)
		l = &Left{Scores: make([]Score, len(plan.Fits)), Details: make([]Detail, len(plan.Details))}
	}, func(set *data.Set) {
		l.Sample = plan.Keep(l.Sample, set, row)
		row += set.Rows.Len()
	}, func(k known) error {
		defer func() { labelled += k.rows.Len() }()
		return l.batch(ctx, plan, k, labelled, folds)
	})
	return l, err
}

// batch takes labelled rows in, of which the first has the number from among all.
func (l *Left) batch(ctx context.Context, plan *Plan, k known, from int, folds *dealing) error {
	x, err := plan.Features.of(ctx, k.rows)
	if err != nil {
		return err
	}
	left, err := plan.leaveOut(x, k, folds)
	if err != nil {
		return err
	}
	coding := plan.Coding()
	for q, out := range left.out {
		l.Scores[q].add(left, out, coding)
	}
	for q, at := range plan.Details {
		f := plan.Fits[at]
		seen := new(mat.Dense)
		seen.Mul(x, f.W)
		for i := range k.class {
			for j, b := range f.B {
				seen.Set(i, j, seen.At(i, j)+b)
			}
		}
		d := &l.Details[q]
		d.addSeen(k, seen, coding)
		if left.out == nil {
			continue
		}
		d.addLeft(left, left.out[at], coding)
		for a, i := range left.at {
			if (from+i)%plan.Spaced == 0 {
				d.Outputs = append(d.Outputs, slices.Clone(left.out[at].RawRowView(a)))
			}
		}
	}
	return nil
}

// leaving are the rows of a batch that are left out, which may be none.
type leaving struct {
	at    []int // their numbers in the batch
	y     *mat.Dense
	class []int
	out   []*mat.Dense // their outputs, of each fit
}

// leaveOut leaves rows of a batch out, one by one or with their folds.
func (p *Plan) leaveOut(x *mat.Dense, k known, folds *dealing) (l leaving, err error) {
	if folds == nil {
		l = leaving{at: make([]int, len(k.class)), y: k.y, class: k.class, out: p.Path.LeaveOut(x, k.y, p.Fits)}
		for i := range l.at {
			l.at[i] = i
		}
		return l, nil
	}
	fold, err := folds.next(k.class)
	if err != nil {
		return l, err
	}
	var own []int
	for i, f := range fold {
		if f < folds.K {
			l.at, l.class, own = append(l.at, i), append(l.class, k.class[i]), append(own, f)
		}
	}
	if len(l.at) > 0 {
		l.y, l.out = selected(k.y, l.at), p.Without.LeaveOut(selected(x, l.at), own)
	}
	return l, nil
}

// add takes in the outputs left out of a batch.
func (s *Score) add(l leaving, out *mat.Dense, coding learn.Coding) {
	y, class := l.y, l.class
	n, c := y.Dims()
	s.Rows += n
	for i := range n {
		for j, o := range out.RawRowView(i) {
			r := y.At(i, j) - o
			s.Press += r * r / 2
			if math.IsNaN(o) {
				s.Broken = true
			}
		}
	}
	if coding.Classes == 0 || s.Broken {
		return
	}
	for i, k := range coding.Decide(out) {
		if k != class[i] {
			s.Wrong++
		}
		if c == 1 {
			s.Margins.Add(y.At(i, 0) * out.At(i, 0))
		}
	}
}

// addLeft takes in what the machines without them give the rows left out.
func (d *Detail) addLeft(l leaving, out *mat.Dense, coding learn.Coding) {
	if coding.Classes > 0 {
		return
	}
	for a := range l.at {
		r := l.y.At(a, 0) - out.At(a, 0)
		d.Squares += r * r
		d.Fourth += r * r * r * r
		d.Quantiles.Add(r)
	}
}

// addSeen takes in what one fit gives the rows of a batch, all of which it has seen.
func (d *Detail) addSeen(k known, seen *mat.Dense, coding learn.Coding) {
	y, class := k.y, k.class
	n, _ := y.Dims()
	if coding.Classes > 0 {
		if d.ClassRows == nil {
			d.ClassRows, d.Caught = make([]int, coding.Classes), make([]int, coding.Classes)
		}
		for i, k := range coding.Decide(seen) {
			d.ClassRows[class[i]]++
			if k == class[i] {
				d.Caught[k]++
			} else {
				d.SeenWrong++
			}
		}
		d.Rows += n
		return
	}
	for i := range n {
		target := y.At(i, 0)
		s := target - seen.At(i, 0)
		d.Seen += s * s
		d.SeenAbs += math.Abs(s)
		d.Rows++
		dev := target - d.Mean
		d.Mean += dev / float64(d.Rows)
		d.Deviations += dev * (target - d.Mean)
	}
}

// Join takes in what was found in later shards.
func (l *Left) Join(o *Left) {
	for q := range l.Scores {
		a, b := &l.Scores[q], &o.Scores[q]
		a.Rows += b.Rows
		a.Press += b.Press
		a.Wrong += b.Wrong
		a.Broken = a.Broken || b.Broken
		a.Margins.Join(&b.Margins)
	}
	for q := range l.Details {
		l.Details[q].join(&o.Details[q])
	}
	l.Sample = append(l.Sample, o.Sample...)
}

// join takes in what was found in later shards.
func (d *Detail) join(o *Detail) {
	if o.Rows > 0 {
		share, dev := float64(o.Rows)/float64(d.Rows+o.Rows), o.Mean-d.Mean
		d.Deviations += o.Deviations + dev*dev*float64(d.Rows)*share
		d.Mean += dev * share
	}
	d.Outputs = append(d.Outputs, o.Outputs...)
	d.Rows += o.Rows
	d.Squares += o.Squares
	d.Fourth += o.Fourth
	d.Quantiles.Join(o.Quantiles)
	d.Seen += o.Seen
	d.SeenAbs += o.SeenAbs
	d.SeenWrong += o.SeenWrong
	if d.ClassRows == nil {
		d.ClassRows, d.Caught = o.ClassRows, o.Caught
		return
	}
	for k := range o.ClassRows {
		d.ClassRows[k] += o.ClassRows[k]
		d.Caught[k] += o.Caught[k]
	}
}

// by is the score by a criterion.
func (s Score) by(c score.Criterion) float64 {
	if s.Broken {
		return math.NaN()
	}
	switch c.(type) {
	case score.LogLoss:
		v, _ := s.Margins.LogLoss()
		return v
	case score.Error:
		return float64(s.Wrong) / float64(s.Rows)
	case score.Risk: // of squares, as Check allows
		return 2 * s.Press / float64(s.Rows)
	}
	return s.Press
}
