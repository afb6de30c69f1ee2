package newton

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// groupNumbers bound the Hessians of machines that are trained in the same passes: 8 MB a shard, or one machine.
const groupNumbers = 1 << 20

// Passes go over all shards, on whatever machines, and join what they find in the order of the shards.
type Passes interface {
	squares.First
	Evaluate(ctx context.Context, plan *Plan) (*All, error)
	LeftOut(ctx context.Context, plan *Plan) (*Left, error)
	Transduce(ctx context.Context, plan *Plan) (*AllBoth, error)
}

// fitting is a fit under way.
type fitting struct {
	*squares.Start
	machine
	passes     Passes
	room       int // for the Hessians of a group
	plan       *Plan
	coding     learn.Coding
	tune       string // the score that is chosen by
	candidates []*candidate
	best       *candidate
	sample     [][]float64
	others     *others // unlabelled rows that took part; nil: none
}

// candidate is a machine with one C: a descent for each output.
type candidate struct {
	c     float64
	outs  []*descent
	unit  float64 // of the outputs of two classes
	score *Score
}

// Fit learns from shards: in one pass for sums, with a kernel three, one for every step of Newton's method and one for rows left out.
// The model and the result are those of mercer fit with the same flags on the rows of all shards in their order, to the tolerance of
// both, where C is set; else C is that of the decades of mercer fit whose outputs left out, to one Newton step, score best. The passes
// read the shards with the options o.
func Fit(
	ctx context.Context, table *shard.Table, o shard.Options, recipe result.Recipe, passes Passes,
) (*model.Model, *result.Result, error) {
	return fit(ctx, table, o, recipe, passes, groupNumbers)
}

// fit is Fit with so many numbers for the Hessians of a group.
func fit(
	ctx context.Context, table *shard.Table, o shard.Options, recipe result.Recipe, passes Passes, room int,
) (*model.Model, *result.Result, error) {
	start := time.Now()
	r, request, err := Check(recipe)
	if err != nil {
		return nil, nil, err
	}
	f := &fitting{passes: passes, room: room}
	if f.Start, err = squares.Begin(ctx, table, o, r, request, passes); err != nil {
		return nil, nil, err
	}
	if err := f.judge(); err != nil {
		return nil, nil, err
	}
	products, err := f.Sums(ctx, passes)
	if err != nil {
		return nil, nil, err
	}
	sums := products.All()
	train := f.train
	if f.switches {
		train = f.switched
	}
	if err := train(ctx, sums); err != nil {
		return nil, nil, err
	}
	made := time.Now()
	if err := f.decide(); err != nil {
		return nil, nil, err
	}
	m, err := f.model(ctx)
	if err != nil {
		return nil, nil, err
	}
	res := f.result(m)
	res.Seconds = result.Seconds{Total: time.Since(start).Seconds(), Tune: made.Sub(start).Seconds(), Fit: time.Since(made).Seconds()}
	return m, res, f.Keep(m, res)
}

// judge understands what is asked once the labels are known.
func (f *fitting) judge() error {
	f.machine, _ = of(f.Recipe.Method)
	f.plan = &Plan{Plan: *f.Plan, Loss: f.loss.Name()}
	if f.Labels.Task == data.Regression {
		return task.Usage("--method %s is for classification and %s is a regression; choose --method rls, or --task classification",
			f.Recipe.Method, f.Table.Shards[0])
	}
	f.coding = f.Plan.Coding()
	f.tolerance = cmp.Or(f.Recipe.Tolerance, f.tolerance)
	if f.switches {
		f.tune = "none"
		if n := len(f.Labels.Classes); n > 2 {
			return task.Usage("--method %s is for two classes over shards, and there are %d; choose --method linear-svm", f.Recipe.Method,
				n)
		}
		return nil
	}
	by, err := f.Score()
	f.tune = by.Name
	return err
}

// strengths are the values of C that are tried, weak ones first: one that is set, or, in units of 1 over the mean square of the rows,
// those of mercer fit.
func (f *fitting) strengths(scale float64) []float64 {
	if v := f.Request.Values.Numbers(task.C); len(v) == 1 {
		return v
	}
	if f.tune == "none" {
		return []float64{1} // as mercer fit --tune none
	}
	d := learn.Strength(scale)
	var list []float64
	for i := range int(math.Round(math.Log10(d.Hi/d.Lo))) + 1 {
		list = append(list, d.Lo*math.Pow(10, float64(i)))
	}
	return list
}

// train trains the machines of all C, as many in the same passes as have room, each group from the solution of the strongest before,
// and leaves rows out of them.
func (f *fitting) train(ctx context.Context, s *moments.Sums) error {
	d := len(s.X)
	from, at := make([]Sums, f.coding.Outputs()), make([]Point, f.coding.Outputs())
	for j := range from {
		from[j], at[j] = zero(f.loss, s, j), Point{Output: j, W: make([]float64, d)}
	}
	f.plan.Plan = *f.Plan // with its centres
	together := max(1, f.room/(len(from)*(d*(d+1)/2)))
	list := f.strengths(s.MeanSquare())
	for lo := 0; lo < len(list); lo += together {
		var group []*candidate
		for _, c := range list[lo:min(lo+together, len(list))] {
			one := &candidate{c: c}
			for j := range from {
				out, err := begin(at[j], &from[j], c, f.offset(f.Recipe, f.Request), f.tolerance)
				if err != nil {
					return f.blamed(err)
				}
				one.outs = append(one.outs, out)
			}
			group = append(group, one)
		}
		if err := f.descend(ctx, group); err != nil {
			return err
		}
		if err := f.leave(ctx, group); err != nil {
			return err
		}
		for j, out := range group[len(group)-1].outs {
			at[j], from[j] = out.at, *out.sums
		}
		f.candidates = append(f.candidates, group...)
	}
	return nil
}

// blamed names the rows that an error is of.
func (f *fitting) blamed(err error) error { return fmt.Errorf("%s: %w", f.Table.Shards[0], err) }

// descend makes passes until all machines of a group are trained.
func (f *fitting) descend(ctx context.Context, group []*candidate) error {
	for {
		var open []*descent
		f.plan.Points = nil
		for _, c := range group {
			for _, out := range c.outs {
				if !out.done {
					open = append(open, out)
					f.plan.Points = append(f.plan.Points, out.try)
				}
			}
		}
		if open == nil {
			return nil
		}
		all, err := f.passes.Evaluate(ctx, f.plan)
		if err != nil {
			return err
		}
		for q, out := range open {
			if err := out.take(&all.Points[q]); err != nil {
				return f.blamed(err)
			}
		}
	}
}

// leave leaves rows out of the machines of a group.
func (f *fitting) leave(ctx context.Context, group []*candidate) error {
	f.plan.Points, f.plan.Left = nil, nil
	for _, c := range group {
		sums := c.outs[0].sums
		if c.unit = math.Sqrt(sums.Squares / float64(max(sums.Rows, 1))); c.unit == 0 {
			c.unit = 1
		}
		one := Leave{C: c.c, Unit: c.unit}
		for _, out := range c.outs {
			l := Leaving{Point: out.at}
			if f.tune != "none" {
				h, err := out.factor()
				if err != nil {
					return f.blamed(err)
				}
				l.Inverse, l.Centre, l.Prior = h.leave()
			}
			one.Outs = append(one.Outs, l)
		}
		f.plan.Left = append(f.plan.Left, one)
	}
	left, err := f.passes.LeftOut(ctx, f.plan)
	if err != nil {
		return err
	}
	for q, c := range group {
		c.score = &left.Scores[q]
	}
	if f.plan.Step > 0 {
		f.sample, f.plan.Step = left.Sample, 0 // one sample will do
	}
	f.plan.Left = nil
	return nil
}

// decide takes the machine of the least score, the one of the smaller C where scores are equal.
func (f *fitting) decide() error {
	least := math.Inf(1)
	for _, c := range f.candidates {
		if v := f.value(c); v < least {
			f.best, least = c, v
		}
	}
	if f.best == nil {
		return fmt.Errorf("%s: %w: some row cannot be left out, its own label alone decides its output; give more rows or fewer columns, "+
			"or a smaller C", f.Table.Shards[0], choose.ErrNothing)
	}
	return nil
}

// value is the score of a machine.
func (f *fitting) value(c *candidate) float64 {
	if f.tune == "none" {
		return 0
	}
	return c.score.criterion(f.tune, f.Rows())
}

// model is the model file's content.
func (f *fitting) model(ctx context.Context) (*model.Model, error) {
	c := len(f.best.outs)
	w := mat.NewDense(len(f.best.outs[0].at.W), c, nil)
	var b []float64
	for j, out := range f.best.outs {
		w.SetCol(j, out.at.W)
		if f.Recipe.Offset != "no" {
			b = append(b, out.at.B)
		}
	}
	m, err := f.Model(ctx, w, b, f.sample, f.best.score.Outputs)
	if err != nil || len(f.Labels.Classes) > 2 {
		return m, err
	}
	if f.tune != "none" {
		m.Calibration = f.best.score.calibration(f.Rows(), task.ManyLabels, f.best.unit)
	} else if f.loss == learn.Logistic() {
		m.Calibration = calibrate.Sigmoid{Slope: 1} // the loss makes log-odds of the outputs
	}
	return m, nil
}

// result describes the fit as mercer fit does.
func (f *fitting) result(m *model.Model) *result.Result {
	res := f.Result(m)
	res.Params[task.C.Name] = f.best.c
	res.Tuning = &result.Tuning{Score: f.tune, Value: f.value(f.best), Evaluations: 1, Search: "auto", Status: "complete"}
	var all learn.Certificate
	for _, out := range f.best.outs {
		all.Join(out.certificate())
	}
	res.Certificate = &result.Certificate{Objective: all.Objective, Residual: all.Residual, Gap: all.Gap, Steps: all.Steps}
	if all.Limited != "" {
		res.Warnings = append(res.Warnings, all.Limited)
	}
	s, n := f.best.score, float64(f.Rows())
	if f.Kernel == nil {
		res.Support = s.Support
	}
	if f.others != nil {
		f.others.describe(res, f.best.outs[0], f.Rows())
		if f.Recipe.Tune != f.tune {
			res.Warnings = append(res.Warnings, fmt.Sprintf("--method %s: over shards no row is left out, so there are no error to "+
				"expect and no "+
				"probabilities; --tune none says that this is known", f.Recipe.Method))
		}
	}
	if f.tune != "none" {
		losses := answer.Moments{Task: f.Labels.Task, Rows: f.Rows(), Mean: float64(s.Wrong) / n}
		res.Estimate = losses.Estimate(answer.Usual, "leave-one-out", false)
	}
	caught, classes := 0.0, 0.0
	for k, rows := range s.ClassRows {
		if rows > 0 {
			caught += float64(s.Caught[k]) / float64(rows)
			classes++
		}
	}
	res.Metrics["labelled"] = result.Metric{"error": float64(s.SeenWrong) / n, "balanced_accuracy": caught / classes}
	return res
}
