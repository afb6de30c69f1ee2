package squares

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/internal/rounding"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// Passes go over all shards, on whatever machines, and join what they find in the order of the shards.
type Passes interface {
	First
	LeftOut(ctx context.Context, plan *Plan) (*Left, error)
}

// fitting is a fit under way.
type fitting struct {
	*Start
	passes Passes
	by     task.Scoring // what is chosen by
	path   *moments.Path
	left   *Left
	best   int
}

// Fit learns from shards in two passes, with a kernel in four; a linear machine that is judged by folds takes a third, for their sums.
// The model and the result are those of mercer fit on the rows of all shards in their order, but that quantiles of errors are known to a
// 1024th. The passes read the shards with the options o.
func Fit(
	ctx context.Context, table *shard.Table, o shard.Options, recipe result.Recipe, passes Passes,
) (*model.Model, *result.Result, error) {
	start := time.Now()
	r, request, err := Check(recipe)
	if err != nil {
		return nil, nil, err
	}
	f := &fitting{passes: passes}
	if f.Start, err = Begin(ctx, table, o, r, request, passes); err != nil {
		return nil, nil, err
	}
	if f.by, err = f.Score(); err != nil {
		return nil, nil, err
	}
	if err := f.Deal(f.by); err != nil {
		return nil, nil, err
	}
	if err := f.solve(ctx); err != nil {
		return nil, nil, err
	}
	if f.left, err = passes.LeftOut(ctx, f.Plan); err != nil {
		return nil, nil, err
	}
	made := time.Now()
	if err := f.decide(); err != nil {
		return nil, nil, err
	}
	if f.detail() == nil { // the guess was wrong, which costs another pass
		again := *f.Plan
		again.Fits, again.Details, again.Step = []*moments.Fit{f.Plan.Fits[f.best]}, []int{0}, 0
		if f.Plan.Without != nil {
			again.Without = f.Plan.Without.Of(f.best)
		}
		more, err := passes.LeftOut(ctx, &again)
		if err != nil {
			return nil, nil, err
		}
		f.Plan.Details, f.left.Details = []int{f.best}, more.Details
	}
	m, err := f.model(ctx)
	if err != nil {
		return nil, nil, err
	}
	res := f.result(m)
	res.Seconds = result.Seconds{Total: time.Since(start).Seconds(), Tune: made.Sub(start).Seconds(), Fit: time.Since(made).Seconds()}
	return m, res, f.Keep(m, res)
}

// solve makes the machines of all ridges.
func (f *fitting) solve(ctx context.Context) error {
	sums, err := f.Sums(ctx, f.passes)
	if err != nil {
		return err
	}
	usual := f.Kernel == nil || f.Labels.Task == data.Regression // as of mercer fit
	offset := f.Recipe.Offset == "yes" || f.Recipe.Offset != "no" && usual
	all := sums.All()
	if f.path, err = all.Path(offset); err == nil {
		err = f.ridges(all.MeanSquare())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Table.Shards[0], err)
	}
	if f.Plan.Folds == nil {
		f.Plan.Path = f.path
		return nil
	}
	lambdas := make([]float64, len(f.Plan.Fits))
	for q, fit := range f.Plan.Fits {
		lambdas[q] = fit.Lambda
	}
	if f.Plan.Without, err = moments.NewFolds(ctx, sums.Parts, f.Plan.Folds.K, offset, lambdas); err != nil {
		return fmt.Errorf("%s: --tune %s: %w", f.Table.Shards[0], f.by.Name, err)
	}
	return nil
}

// ridges lists the machines that are tried and guesses which will be chosen.
func (f *fitting) ridges(scale float64) error {
	rows := float64(f.Part.Sums.N)
	list := design.Ridges(f.Labels.Task, f.Kernel == nil, scale)
	switch v := f.Request.Values.Numbers(task.Lambda); {
	case len(v) == 1:
		list = []float64{rows * v[0]}
	case f.by.None:
		list = []float64{rows * 1e-6} // as mercer fit --tune none
	}
	var order []int // by generalised cross-validation, which is near leave-one-out and needs no pass
	var gcv []float64
	for q, lambda := range list {
		fit, err := f.path.At(lambda)
		if err != nil {
			return err
		}
		f.Plan.Fits = append(f.Plan.Fits, fit)
		order, gcv = append(order, q), append(gcv, f.path.GCV(fit))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gcv[a], gcv[b]) })
	f.Plan.Details = order[:min(guesses, len(order))]
	if f.by.GCV {
		f.Plan.Fits, f.Plan.Details = f.Plan.Fits[order[0]:order[0]+1], []int{0}
	}
	return nil
}

// guesses are the fits of which the second pass keeps more, because one of them will be chosen.
const guesses = 4

// decide takes the fit of the least score, the one of the larger lambda where scores are equal.
func (f *fitting) decide() error {
	f.best = -1
	least := math.Inf(1)
	for q, s := range f.left.Scores {
		if s.Broken {
			break // smaller lambdas are no better
		}
		if v := s.by(f.by.Criterion); f.best < 0 || rounding.Below(v, least) {
			f.best, least = q, v
		}
	}
	if f.best < 0 {
		return fmt.Errorf("%s: %w: some row cannot be left out, its own label alone decides its output; give more rows or fewer columns",
			f.Table.Shards[0], choose.ErrNothing)
	}
	return nil
}

// model is the model file's content.
func (f *fitting) model(ctx context.Context) (*model.Model, error) {
	fit := f.Plan.Fits[f.best]
	m, err := f.Model(ctx, fit.W, fit.B, f.left.Sample, f.detail().Outputs)
	if err != nil {
		return nil, err
	}
	if m.Task == data.Regression {
		m.Residuals = f.detail().Quantiles.Residuals()
	}
	if m.Task == data.Classification && len(m.Classes) == 2 {
		if _, t := f.left.Scores[f.best].Margins.LogLoss(); t > 0 {
			m.Calibration = calibrate.Sigmoid{Slope: t}
		}
	}
	return m, nil
}

// detail is what was kept of the fit that was chosen; nil: nothing.
func (f *fitting) detail() *Detail {
	if q := slices.Index(f.Plan.Details, f.best); q >= 0 {
		return &f.left.Details[q]
	}
	return nil
}
