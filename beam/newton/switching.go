package newton

// Problem   the transductive linear machine of package linear (Switching) over shards, of two classes:
//
//	minimise over w, b and labels y_j of the u unlabelled rows, of which r are to be +1:
//	1/2 (w'w + b^2) + C sum_L max(0, 1 - y_i o_i)^2 + C_u sum_U max(0, 1 - y_j o_j)^2,   C_u = C unlabelled_weight l/u
//
// Method    1. The machine of the labelled rows. 2. The unlabelled rows of the r largest outputs become +1, the others -1. 3. Their
//           cost rises from 1e-5 of C by a half to C_u (linear.Levels). At each cost the machine is trained by Newton's method, to
//           the square root of the tolerance and last to the tolerance, and the labels are decided anew by its outputs, until they
//           stay or the objective falls no more.
//           With any number of exchanges at a time linear.Switching exchanges all pairs of rows inside the margin that are in the wrong
//           order, which leaves +1 to the r largest outputs: the same labels, unless a row of label -1 is beyond the margin of
//           the others. What differs: the r-th largest output is known to a 1024th, so that the number of rows +1 is off by as many as
//           have outputs so near it (squares.Order); and machines on the way are not trained in the same steps.
// Labels    of a worker's rows follow from a point and a threshold (Labelling). Whether they have stayed is told by AllBoth.Mark.
// Cost      a pass for every Newton step, and one for every labelling that changes labels. Levels that do not move the machine by
//           the tolerance take none.
// Source    Sindhwani 2007, section 6.3; Sindhwani and Keerthi, SIGIR 2006.

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/internal/learner/linear"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

const (
	// mostLabellings bounds those at one cost; labels that are decided by a threshold known to a 1024th need not stay.
	mostLabellings = 100
	// lower is what new labels must lower the objective by, relative: rounding does less.
	lower = 1e-12
)

// These settings are those of linear-tsvm in mercer fit.
var (
	unlabelledWeight = setting.Setting{Name: "unlabelled_weight"}
	positive         = setting.Setting{Name: "positive"}
)

// switching is a machine that decides unlabelled rows while it learns.
type switching struct {
	*fitting
	c      float64
	each   float64 // C_u/C
	count  int     // of unlabelled rows that become +1
	labels *Labelling
	mark   uint64 // of them
	at     Point
	both   *Both // there, with the labels
	stay   bool  // the labels there have settled
	last   *descent
	steps  int
}

// switched trains the machine.
func (f *fitting) switched(ctx context.Context, sums *moments.Sums) error {
	all, l := 0, f.Rows()
	for _, one := range f.Part.Shards {
		all += one.Rows
	}
	u := all - l
	if u == 0 {
		return task.Usage("--method %s: no row is unlabelled; choose --method linear-svm", f.Recipe.Method)
	}
	weight := 1.0
	if f.Request.Values.Given(unlabelledWeight) {
		weight = f.Request.Values.Number(unlabelledWeight)
	}
	o := &others{rows: u, labels: (1 + sums.Y[0]) / 2}
	o.asked = o.labels
	if shares, _ := method.ParseBalance(f.Request.Values.Text(positive)); f.Request.Values.Given(positive) && shares != nil {
		if len(shares) != 2 {
			return fmt.Errorf("%s: --set positive=%s has %d shares, and there are two classes; give one for each, in the order %s",
				f.Table.Shards[0], f.Request.Values.Text(positive), len(shares), strings.Join(f.Labels.Classes, ", "))
		}
		o.asked, o.given = shares[1], true
	}
	known := zero(f.loss, sums, 0)
	s := &switching{
		fitting: f, c: f.Request.Values.Number(task.C), each: weight * float64(l) / float64(u),
		count: int(math.Round(o.asked * float64(u))), at: Point{W: make([]float64, len(sums.X))}, both: &Both{Known: known},
	}
	if err := s.run(ctx, weight); err != nil {
		return err
	}
	s.last.steps = s.steps
	o.both, o.each = s.both, s.each
	f.others = o
	f.candidates = []*candidate{{c: s.c, outs: []*descent{s.last}}}
	return f.leave(ctx, f.candidates)
}

// level is a cost of the unlabelled rows in units of C, and how exactly the machine is trained there.
type level struct{ cost, tolerance float64 }

// levels are those gone through, the last trained to the tolerance.
func (s *switching) levels(weight float64) (list []level) {
	for _, share := range linear.Levels(weight) {
		list = append(list, level{share * s.each, math.Sqrt(s.tolerance)})
	}
	return append(list, level{s.each, s.tolerance})
}

// run goes through the levels. A pass that looks whether labels stay at the end of one takes the first step to the next as well.
func (s *switching) run(ctx context.Context, weight float64) error {
	if err := s.begun(ctx); err != nil {
		return err
	}
	levels := s.levels(weight)
	value, err := s.train(ctx, nil, levels[0])
	for k, labellings := 0, 0; err == nil; {
		var ahead *descent
		if k+1 < len(levels) {
			if ahead, err = s.descent(levels[k+1]); err != nil {
				return err
			}
		}
		changed := false
		if !s.stay && labellings < mostLabellings {
			if changed, err = s.look(ctx, ahead, levels[min(k+1, len(levels)-1)]); err != nil {
				return err
			}
		}
		switch {
		case changed:
			labellings++
			was := value
			value, err = s.train(ctx, nil, levels[k])
			s.stay = !(value < was-lower*was)
		case ahead == nil:
			return nil
		default:
			k, labellings = k+1, 0
			value, err = s.train(ctx, ahead, levels[k])
		}
	}
	return err
}

// begun makes the machine of the labels and decides the other rows.
func (s *switching) begun(ctx context.Context) error {
	if _, err := s.train(ctx, nil, level{0, s.tolerance}); err != nil {
		return err
	}
	if s.both.Order.Rows == 0 { // the machine is zero
		both, err := s.pass(ctx, s.at)
		if err != nil {
			return err
		}
		s.both = &both[0]
	}
	_, err := s.look(ctx, nil, level{})
	return err
}

// descent begins at the present point with the present labels.
func (s *switching) descent(at level) (*descent, error) {
	d, err := begin(s.at, s.joined(s.both, at.cost), s.c, s.offset(s.Recipe, s.Request), at.tolerance)
	if err != nil {
		return nil, s.blamed(err)
	}
	return d, nil
}

// train goes to the end of a descent, nil for one from the present point, and returns the objective.
func (s *switching) train(ctx context.Context, d *descent, at level) (value float64, err error) {
	if d == nil {
		if d, err = s.descent(at); err != nil {
			return 0, err
		}
	}
	for !d.done {
		both, err := s.pass(ctx, d.try)
		if err != nil {
			return 0, err
		}
		if err := s.take(d, &both[0], at); err != nil {
			return 0, err
		}
	}
	s.last = d
	s.steps += d.steps
	return d.value, nil
}

// take hands sums to a descent.
func (s *switching) take(d *descent, both *Both, at level) error {
	sums := s.joined(both, at.cost)
	if err := d.take(sums); err != nil {
		return s.blamed(err)
	}
	if d.sums == sums {
		s.at, s.both, s.stay = d.at, both, false
	}
	return nil
}

// look decides the unlabelled rows by the present outputs, and says whether that changes labels. Where it does not, the descent to the
// next level, if it is not nil, has made a step.
func (s *switching) look(ctx context.Context, ahead *descent, at level) (changed bool, err error) {
	was := s.mark
	first := s.labels == nil
	s.labels = &Labelling{s.at, s.both.Order.Split(s.count)}
	points := []Point{s.at}
	if ahead != nil && !ahead.done {
		points = append(points, ahead.try)
	}
	both, err := s.pass(ctx, points...)
	if err != nil {
		return false, err
	}
	s.both = &both[0]
	if first || s.mark != was {
		return true, nil
	}
	if s.stay = true; len(both) > 1 {
		err = s.take(ahead, &both[1], at)
	}
	return false, err
}

// pass sums at some points.
func (s *switching) pass(ctx context.Context, points ...Point) ([]Both, error) {
	s.plan.Points, s.plan.Labels = points, s.labels
	all, err := s.passes.Transduce(ctx, s.plan)
	if err != nil {
		return nil, err
	}
	s.mark = all.Mark
	return all.Points, nil
}

// joined are the sums of both kinds of rows, of which the unlabelled weigh so much.
func (s *switching) joined(b *Both, cost float64) *Sums {
	all := newSums(len(s.at.W))
	all.join(&b.Known)
	if cost > 0 && b.Others.Rows > 0 {
		others := newSums(len(s.at.W))
		others.join(&b.Others)
		others.scale(cost)
		all.join(&others)
	}
	return &all
}

// scale multiplies losses and their derivatives.
func (s *Sums) scale(by float64) {
	s.Weight *= by
	floats.Scale(by, s.Scatter)
	for k := range s.Value {
		s.Value[k] *= by
		s.Slope[k] *= by
		floats.Scale(by, s.Grad[k])
	}
}

// others are the unlabelled rows in the result.
type others struct {
	both          *Both
	rows          int
	labels, asked float64 // shares of the second class among the labels, and asked for
	given         bool    // that one is not the labels'
	each          float64 // C_u/C
}

// describe adds what is known of unlabelled rows to a result. The objective is that with the label for each that costs less.
func (o *others) describe(res *result.Result, last *descent, labelled int) {
	sums := o.both
	value := floats.Dot(last.at.W, last.at.W)/2 + last.c*(sums.Known.Value[0]+sums.Known.Value[1]+o.each*sums.Least)
	if last.offset != 0 {
		value += last.at.B * last.at.B / 2
	}
	res.Certificate.Objective, res.Certificate.Gap = value, 0
	res.Support = sums.Known.Active + sums.Others.Active
	second := float64(sums.Second) / float64(o.rows)
	res.Balance = &result.Balance{
		Labelled: []float64{1 - o.labels, o.labels}, Unlabelled: []float64{1 - second, second}, Asked: []float64{1 - o.asked, o.asked},
	}
	if !o.given {
		deviation := math.Sqrt(o.labels * (1 - o.labels) / float64(labelled))
		res.Balance.AskedError = []float64{deviation, deviation}
	}
}
