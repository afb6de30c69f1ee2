package squares

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/answer"
	"github.com/mercer-ml/mercer/basis"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/calibrate"
	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/columns"
	"github.com/mercer-ml/mercer/design"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/rls"
	"github.com/mercer-ml/mercer/task"
)

// mostColumns is the number of columns up to which a d x d matrix is summed: 134 MB each.
const mostColumns = 4096

// medianRows is the number of rows by which medians of columns are known, as of columns.Medians.
const medianRows = 10000

// Passes go over all shards, on whatever machines, and join what they find in the order of the shards.
type Passes interface {
	Look(ctx context.Context, ask Ask) (*Looked, error)
	Sample(ctx context.Context, plan *Plan) (*Picked, error)
	Sum(ctx context.Context, ask Ask) (*Part, error)
	Pick(ctx context.Context, plan *Plan) (*Picked, error)
	Products(ctx context.Context, plan *Plan) (*rls.Sums, error)
	LeftOut(ctx context.Context, plan *Plan) (*Left, error)
}

// fitting is a fit under way.
type fitting struct {
	table    *shard.Table
	recipe   task.Recipe
	request  task.Request
	part     *Part
	labels   data.Labels
	linear   bool
	kernel   kernel.Kernel // of a machine that is not linear in the columns
	passes   Passes
	scaling  data.Scaling
	scaled   string
	tune     string // the score that is chosen by
	plan     *Plan
	left     *Left
	best     int
	skipBad  int
	given    []data.Column
	warnings []string
}

// Fit learns from shards in two passes, with a kernel in four. The model and the result are those of mercer fit on the rows of all
// shards in their order, but that quantiles of errors are known to a 1024th. The passes read the shards with the options o.
func Fit(
	ctx context.Context, table *shard.Table, o shard.Options, recipe task.Recipe, passes Passes,
) (*model.Model, *answer.Result, error) {
	start := time.Now()
	r, request, err := Check(recipe)
	if err != nil {
		return nil, nil, err
	}
	f := &fitting{table: table, recipe: r, request: request, skipBad: o.SkipBad, given: o.Given, passes: passes}
	ask := Ask{Unit: r.Scale == data.ScaleUnit, Features: table.Features, Label: table.LabelName}
	if r.Task != "" {
		if err := ask.Task.UnmarshalText([]byte(r.Task)); err != nil {
			return nil, nil, task.Usage("--task %s: %v", r.Task, err)
		}
	}
	if f.linear = r.Kernel == "linear"; !f.linear {
		if f.kernel, err = request.GivenKernel(table.Sparse, table.Features); err != nil {
			return nil, nil, err
		}
	}
	if err := f.first(ctx, &ask); err != nil {
		return nil, nil, err
	}
	if err := f.begin(ask); err != nil {
		return nil, nil, err
	}
	if err := f.solve(ctx); err != nil {
		return nil, nil, err
	}
	if f.left, err = passes.LeftOut(ctx, f.plan); err != nil {
		return nil, nil, err
	}
	made := time.Now()
	if err := f.decide(); err != nil {
		return nil, nil, err
	}
	if f.detail() == nil { // the guess was wrong, which costs another pass
		again := *f.plan
		again.Fits, again.Details, again.Step = []*rls.SumFit{f.plan.Fits[f.best]}, []int{0}, 0
		more, err := passes.LeftOut(ctx, &again)
		if err != nil {
			return nil, nil, err
		}
		f.plan.Details, f.left.Details = []int{f.best}, more.Details
	}
	m, err := f.model(ctx)
	if err != nil {
		return nil, nil, err
	}
	res := f.result(m)
	res.Seconds = answer.Seconds{Total: time.Since(start).Seconds(), Tune: made.Sub(start).Seconds(), Fit: time.Since(made).Seconds()}
	return m, res, f.keep(m, res)
}

// begin understands labels and scaling after the first pass, and plans the others.
func (f *fitting) begin(ask Ask) error {
	source := f.table.Shards[0]
	var err error
	if f.labels, err = f.part.interpret(f.table.LabelName, ask.Task, f.table.Shards); err != nil {
		return err
	}
	d := len(f.part.Stats.Mean)
	if d > mostColumns {
		return fmt.Errorf("%s: %d columns; over shards there are at most %d, as d^2 numbers are summed; choose columns with --features, or use "+
			"mercer fit --method linear-rls", source, d, mostColumns)
	}
	stats := func() *data.ColumnStats { return f.part.Stats }
	if !f.linear {
		stats = func() *data.ColumnStats { return f.part.Known } // mercer scales by the rows that it learns from
	}
	if kind := f.recipe.ScaleKind(); ask.Table != nil {
		f.scaling, f.scaled, err = ask.Table.ScalingOf(kind, stats)
	} else {
		f.scaling, f.scaled, err = data.ScalingOf(kind, f.table.Sparse, stats)
	}
	if err != nil {
		return task.Usage("--scale %s: %v", f.recipe.Scale, err)
	}
	shards := len(f.table.Shards)
	f.plan = &Plan{
		Ask: ask, Task: f.labels.Task, Classes: f.labels.Classes, Columns: d, Features: Features{Scaling: f.scaling},
		First: make([]int, shards), Known: make([]int, shards),
	}
	n, known, lines := 0, 0, 0
	for _, s := range f.part.Shards {
		f.plan.First[s.Shard], f.plan.Known[s.Shard] = n, known
		n, known = n+s.Rows, known+s.Labelled
		f.warnings = append(f.warnings, s.Warnings...)
		if lines += len(s.Skipped); lines > f.skipBad {
			return fmt.Errorf("%s:%d: cannot be read, nor can lines before it, and --skip-bad allows %d; correct them, or allow more",
				f.table.Shards[s.Shard], s.Skipped[len(s.Skipped)-1], f.skipBad)
		}
		if len(s.Skipped) > 0 {
			f.warnings = append(f.warnings, fmt.Sprintf("%s: %s left out, as --skip-bad allows: %s", f.table.Shards[s.Shard],
				plural(len(s.Skipped), "line"), numbers(s.Skipped)))
		}
	}
	if !f.table.Sparse {
		f.plan.Step = max(1, n/medianRows)
	}
	f.plan.Spaced = max(1, f.part.Sums.N/medianRows)
	return nil
}

// solve makes the machines of all ridges: from the sums of the first pass, or from those of features that only another pass can
// make, of documents scaled to length 1 or of a kernel on centres, which are fetched before.
func (f *fitting) solve(ctx context.Context) error {
	var sums *rls.Sums
	var err error
	if !f.linear {
		err = f.centres(ctx)
	}
	switch {
	case err != nil:
	case f.linear && f.scaling.Kind != data.ScaleTFIDF:
		sums = f.coded().Scaled(f.scaling.Shift, f.scaling.Scale)
	default: // features are not linear in the columns
		sums, err = f.passes.Products(ctx, f.plan)
	}
	if err != nil {
		return err
	}
	usual := f.linear || f.labels.Task == data.Regression // as of mercer fit
	path, err := sums.Path(f.recipe.Offset == "yes" || f.recipe.Offset != "no" && usual)
	if err != nil {
		return fmt.Errorf("%s: %w", f.table.Shards[0], err)
	}
	f.plan.Path = path
	return f.ridges(sums.MeanSquare())
}

// centres draws those of --basis, as mercer fit draws them, and fetches them from their shards.
func (f *fitting) centres(ctx context.Context) error {
	count, rows := f.request.Centres(), f.part.Sums.N
	if count > rows {
		return fmt.Errorf("%s: --basis %d of %d labelled rows; ask for at most %d centres", f.table.Shards[0], count, rows, rows)
	}
	one, err := f.kernel.Bind(ctx, data.Rows{Dense: mat.NewDense(1, f.plan.Columns, nil)}, nil) // which row does not matter
	if err != nil {
		return task.Usage("--kernel %s: %v", f.recipe.Kernel, err)
	}
	if _, ok := kernel.Features(one); ok {
		return task.Usage("--basis %s: a function of kernel %s is a sum over its features and has no centres; choose --kernel gaussian",
			f.recipe.Basis, f.recipe.Kernel)
	}
	f.plan.Pick = basis.Random{Seed: f.recipe.Drawn()}.Of(rows, count)
	slices.Sort(f.plan.Pick)
	picked, err := f.passes.Pick(ctx, f.plan)
	if err != nil {
		return err
	}
	f.plan.Pick = nil
	f.plan.Features.Centres = f.scaling.Apply(picked.Rows)
	if f.plan.Features.Kernel, err = kernel.Marshal(f.kernel); err != nil {
		return task.Usage("--kernel %s: %v", f.recipe.Kernel, err)
	}
	if err := f.plan.Features.bind(ctx); err != nil {
		return fmt.Errorf("%s: %w", f.table.Shards[0], err)
	}
	return nil
}

// coded are the sums whose targets are those of a machine.
func (f *fitting) coded() *rls.Sums {
	if f.labels.Task == data.Regression {
		s := *f.part.Sums
		at := make([]int, len(s.Y))
		for j := 1; j < len(at); j++ {
			at[j] = -1
		}
		s.Retarget(at, 1)
		return &s
	}
	coding := learn.Coding{Classes: len(f.labels.Classes)}
	index := data.ClassIndex(f.labels.Classes)
	c := coding.Outputs()
	m, squares := mat.NewDense(len(f.part.Sums.Y), c, nil), make([]float64, c)
	for q, a := range f.part.Answers {
		if !data.IsUnlabelled(a.Text) {
			k, _ := index(a.Text)
			m.SetRow(1+q, coding.Code([]int{k}).RawRowView(0))
		}
	}
	coded := f.part.Sums.Coded(m, squares)
	for j, mean := range coded.Y {
		squares[j] = float64(coded.N) * (1 - mean*mean) // targets are -1 and 1
	}
	return coded
}

// ridges lists the machines that are tried and guesses which will be chosen.
func (f *fitting) ridges(scale float64) error {
	rows := float64(f.part.Sums.N)
	list := design.Ridges(f.labels.Task, f.linear, scale)
	f.tune = f.recipe.Tune
	if f.tune == "" || f.tune == "auto" {
		if f.tune = "loo:logloss"; f.labels.Task == data.Regression {
			f.tune = "loo:press"
		}
	}
	if f.labels.Task == data.Regression && (f.tune == "loo:logloss" || f.tune == "loo:error") {
		return task.Usage("--tune %s is for classes; choose loo:press or gcv", f.tune)
	}
	if f.tune == "loo:logloss" && len(f.labels.Classes) > 2 {
		return task.Usage("--tune loo:logloss, the default of classes, is for two of them over shards, and there are %d; choose --tune "+
			"loo:press or loo:error, which leave the model without probabilities", len(f.labels.Classes))
	}
	switch v := f.request.Values.Numbers(task.Lambda); {
	case len(v) == 1:
		list = []float64{rows * v[0]}
	case f.tune == "none":
		list = []float64{rows * 1e-6} // as mercer fit --tune none
	}
	var order []int // by generalised cross-validation, which is near leave-one-out and needs no pass
	var gcv []float64
	for q, lambda := range list {
		fit, err := f.plan.Path.At(lambda)
		if err != nil {
			return fmt.Errorf("%s: %w", f.table.Shards[0], err)
		}
		f.plan.Fits = append(f.plan.Fits, fit)
		order, gcv = append(order, q), append(gcv, f.plan.Path.GCV(fit))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gcv[a], gcv[b]) })
	f.plan.Details = order[:min(guesses, len(order))]
	if f.tune == "gcv" {
		f.plan.Fits, f.plan.Details = f.plan.Fits[order[0]:order[0]+1], []int{0}
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
		if v := s.criterion(f.tune, f.part.Sums.N); f.best < 0 || v < least {
			f.best, least = q, v
		}
	}
	if f.best < 0 {
		return fmt.Errorf("%s: %w: some row cannot be left out, its own label alone decides its output; give more rows or fewer columns",
			f.table.Shards[0], choose.ErrNothing)
	}
	slices.SortStableFunc(f.warnings, strings.Compare)
	return nil
}

// parts are the functions of the model.
func (f *fitting) parts() ([]model.Part, error) {
	fit := f.plan.Fits[f.best]
	if f.linear {
		return []model.Part{{Functions: []model.Function{model.Linear{Weights: fit.W}}, Offset: fit.B}}, nil
	}
	list, err := f.plan.Features.projector.Expand(fit.W)
	return model.Single(list, fit.B), err
}

// model is the model file's content.
func (f *fitting) model(ctx context.Context) (*model.Model, error) {
	parts, err := f.parts()
	if err != nil {
		return nil, err
	}
	m := &model.Model{
		Method: f.recipe.Method, Task: f.labels.Task, Classes: f.labels.Classes, Label: f.table.LabelName, Columns: f.plan.Columns,
		Features: f.table.Features, Table: f.plan.Ask.Table, Sparse: f.table.Sparse, Scaling: f.scaling,
		Parts: parts,
	}
	var sample data.Rows
	if rows := f.left.Sample; len(rows) > 0 {
		if sample.Dense = matrix(rows); f.table.Features != nil && m.Table == nil {
			m.Fill = columns.Medians(sample)
		}
	}
	if m.Profile, err = answer.ProfileOf(ctx, m, sample, matrix(f.detail().Outputs)); err != nil {
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
	if q := slices.Index(f.plan.Details, f.best); q >= 0 {
		return &f.left.Details[q]
	}
	return nil
}

// keep stores the recipe in the model, and what the fit printed less times and metrics, as mercer fit does.
func (f *fitting) keep(m *model.Model, res *answer.Result) error {
	var err error
	if m.Recipe, err = json.Marshal(f.recipe); err != nil {
		return err
	}
	one := *res
	one.Seconds, one.Metrics = answer.Seconds{}, nil
	if m.Result, err = json.Marshal(one); err != nil {
		return fmt.Errorf("%s: the fit has no finite result, its features are too small or too large; use --scale standard", f.table.Shards[0])
	}
	return nil
}
