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
// Labels    of a worker's rows follow from a point and a threshold (Labelling). Labels have stayed where the sums of losses are the same
//           with old and new ones.
// Cost      a pass for every Newton step, and one for every labelling of a new point. Levels that do not move the machine by
//           the tolerance take none.
// Source    Sindhwani 2007, section 6.3; Sindhwani and Keerthi, SIGIR 2006.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/answer"
	"github.com/mercer-ml/mercer/linear"
	"github.com/mercer-ml/mercer/rls"
	"github.com/mercer-ml/mercer/setting"
	"github.com/mercer-ml/mercer/task"
)

const (
	// mostLabellings bounds those at one cost; labels that are decided by a threshold known to a 1024th need not stay.
	mostLabellings = 100
	// lower is what new labels must lower the objective by, relative: rounding does less.
	lower = 1e-12
)

// unlabelledWeight is the setting of that name.
var unlabelledWeight = setting.Setting{Name: "unlabelled_weight"}

// switching is a machine that decides unlabelled rows while it learns.
type switching struct {
	*fitting
	c      float64
	each   float64 // C_u/C
	count  int     // of unlabelled rows that become +1
	labels *Labelling
	at     Point
	both   *Both // there, with the labels
	stay   bool  // the labels there have settled
	last   *descent
	steps  int
}

// switched trains the machine.
func (f *fitting) switched(ctx context.Context, sums *rls.Sums) error {
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
	share := (1 + sums.Y[0]) / 2 // of the second class
	known := zero(f.loss, sums, 0)
	s := &switching{
		fitting: f, c: f.Request.Values.Number(task.C), each: weight * float64(l) / float64(u), count: int(math.Round(share * float64(u))),
		at: Point{W: make([]float64, len(sums.X))}, both: &Both{Known: known},
	}
	if err := s.run(ctx, weight); err != nil {
		return err
	}
	s.last.steps = s.steps
	f.others = &others{both: s.both, rows: u, share: share, each: s.each}
	f.candidates = []*candidate{{c: s.c, outs: []*descent{s.last}}}
	return f.leave(ctx, f.candidates)
}

// run goes through the costs.
func (s *switching) run(ctx context.Context, weight float64) error {
	exact := s.tolerance
	if _, err := s.train(ctx, 0, exact); err != nil {
		return err
	}
	if s.both.Order.Rows == 0 { // the machine of the labels is zero
		if err := s.evaluate(ctx, s.at); err != nil {
			return err
		}
	}
	if _, err := s.label(ctx); err != nil {
		return err
	}
	for _, level := range linear.Levels(weight) {
		if err := s.settle(ctx, level*s.each, math.Sqrt(exact)); err != nil {
			return err
		}
	}
	return s.settle(ctx, s.each, exact)
}

// settle trains with a cost of the unlabelled rows, in units of C, until their labels stay.
func (s *switching) settle(ctx context.Context, cost, tolerance float64) error {
	before := s.steps
	value, err := s.train(ctx, cost, tolerance)
	if err != nil {
		return err
	}
	if s.stay = s.stay && s.steps == before; s.stay {
		return nil
	}
	for range mostLabellings {
		changed, err := s.label(ctx)
		if err != nil {
			return err
		}
		if s.stay = !changed; s.stay {
			return nil
		}
		next, err := s.train(ctx, cost, tolerance)
		if err != nil {
			return err
		}
		if !(next < value-lower*value) {
			return nil
		}
		value = next
	}
	return nil
}

// train minimises with the present labels from the present point, and returns the objective.
func (s *switching) train(ctx context.Context, cost, tolerance float64) (float64, error) {
	d, err := begin(s.at, s.joined(s.both, cost), s.c, s.offset(s.Recipe, s.Request), tolerance)
	if err != nil {
		return 0, s.blamed(err)
	}
	for !d.done {
		both, err := s.pass(ctx, d.try)
		if err != nil {
			return 0, err
		}
		sums := s.joined(both, cost)
		if err := d.take(sums); err != nil {
			return 0, s.blamed(err)
		}
		if d.sums == sums {
			s.at, s.both = d.at, both
		}
	}
	s.last = d
	s.steps += d.steps
	return d.value, nil
}

// label decides the unlabelled rows by the present outputs, and says whether that changes labels.
func (s *switching) label(ctx context.Context) (changed bool, err error) {
	was := s.both.Others
	s.labels = &Labelling{s.at, s.both.Order.Split(s.count)}
	if err := s.evaluate(ctx, s.at); err != nil {
		return false, err
	}
	now := s.both.Others
	return now.Value != was.Value || now.Slope != was.Slope, nil
}

// evaluate makes the sums of a point the present ones.
func (s *switching) evaluate(ctx context.Context, p Point) (err error) {
	s.both, err = s.pass(ctx, p)
	return err
}

// pass sums at a point.
func (s *switching) pass(ctx context.Context, p Point) (*Both, error) {
	s.plan.Points, s.plan.Labels = []Point{p}, s.labels
	return s.passes.Transduce(ctx, s.plan)
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
	both  *Both
	rows  int
	share float64 // of the second class that was asked for
	each  float64 // C_u/C
}

// describe adds what is known of unlabelled rows to a result. The objective is that with the label for each that costs less.
func (o *others) describe(res *answer.Result, last *descent, labelled int) {
	sums := o.both
	value := floats.Dot(last.at.W, last.at.W)/2 + last.c*(sums.Known.Value[0]+sums.Known.Value[1]+o.each*sums.Least)
	if last.offset != 0 {
		value += last.at.B * last.at.B / 2
	}
	res.Certificate.Objective, res.Certificate.Gap = value, 0
	res.Support = sums.Known.Active + sums.Others.Active
	n, second := float64(labelled), float64(sums.Second)/float64(o.rows)
	deviation := math.Sqrt(o.share * (1 - o.share) / n)
	res.Balance = &answer.Balance{
		Labelled: []float64{1 - o.share, o.share}, Unlabelled: []float64{1 - second, second},
		Asked: []float64{1 - o.share, o.share}, AskedError: []float64{deviation, deviation},
	}
}
