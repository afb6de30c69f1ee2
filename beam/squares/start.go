package squares

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// mostColumns is the number of columns up to which a d x d matrix is summed: 134 MB each.
const mostColumns = 4096

// medianRows is the number of rows by which medians of columns are known, as of columns.Medians.
const medianRows = 10000

// First are the passes with which every fit over shards begins.
type First interface {
	Look(ctx context.Context, ask Ask) (*Looked, error)
	Sample(ctx context.Context, plan *Plan) (*Picked, error)
	Sum(ctx context.Context, ask Ask) (*Part, error)
	Pick(ctx context.Context, plan *Plan) (*Picked, error)
	Products(ctx context.Context, plan *Plan) (*Summed, error)
}

// Start is what every fit over shards begins with, whatever the loss: labels, scaling, features, and the products of these. It is the
// base of Plan for later passes, and of the model and the result.
type Start struct {
	Table    *shard.Table
	Recipe   result.Recipe
	Request  task.Request
	Part     *Part
	Labels   data.Labels
	Kernel   kernel.Kernel // nil: linear in the columns
	Scaled   string        // how the features are scaled, in words
	Plan     *Plan
	Warnings []string

	options shard.Options
	cells   read.Options // what the user says of columns and cells
}

// Begin reads the shards once, with the options o, understands labels and scaling and plans further passes, for a recipe that is
// complete and its request.
func Begin(
	ctx context.Context, table *shard.Table, o shard.Options, recipe result.Recipe, request task.Request, passes First,
) (*Start, error) {
	s := &Start{Table: table, Recipe: recipe, Request: request, options: o,
		cells: read.Options{Given: o.Given, Dialect: o.Dialect, Marks: o.Marks}}
	ask := Ask{Unit: recipe.Scale == data.ScaleUnit, Features: table.Features, Label: table.LabelName}
	if recipe.Task != "" {
		if err := ask.Task.UnmarshalText([]byte(recipe.Task)); err != nil {
			return nil, task.Usage("--task %s: %v", recipe.Task, err)
		}
	}
	var err error
	if recipe.Kernel != "linear" {
		if s.Kernel, err = request.GivenKernel(table.Sparse, table.Features); err != nil {
			return nil, err
		}
	}
	if err := s.first(ctx, &ask, passes); err != nil {
		return nil, err
	}
	return s, s.interpret(ask)
}

// interpret understands labels and scaling after the first pass, and plans the others.
func (s *Start) interpret(ask Ask) error {
	source := s.Table.Shards[0]
	var err error
	if s.Labels, err = s.Part.interpret(s.Table.LabelName, ask.Task, s.Table.Shards); err != nil {
		return err
	}
	d := len(s.Part.Stats.Mean)
	if d > mostColumns {
		return fmt.Errorf("%s: %d columns; over shards there are at most %d, as d^2 numbers are summed; choose columns with "+
			"--features, or use "+
			"mercer fit --method linear-rls", source, d, mostColumns)
	}
	stats := func() *data.ColumnStats { return s.Part.Stats }
	if s.Kernel != nil {
		stats = func() *data.ColumnStats { return s.Part.Known } // mercer scales by the rows that it learns from
	}
	s.Plan = &Plan{Ask: ask, Task: s.Labels.Task, Classes: s.Labels.Classes, Columns: d}
	if kind := s.Recipe.ScaleKind(); ask.Table != nil {
		s.Plan.Features.Scaling, s.Scaled, err = ask.Table.ScalingOf(kind, stats)
	} else {
		s.Plan.Features.Scaling, s.Scaled, err = data.ScalingOf(kind, s.Table.Sparse, stats)
	}
	if err != nil {
		return task.Usage("--scale %s: %v", s.Recipe.Scale, err)
	}
	shards := len(s.Table.Shards)
	s.Plan.First, s.Plan.Known = make([]int, shards), make([]int, shards)
	n, known, lines := 0, 0, 0
	for _, one := range s.Part.Shards {
		s.Plan.First[one.Shard], s.Plan.Known[one.Shard] = n, known
		n, known = n+one.Rows, known+one.Labelled
		s.warn(one.Warnings)
		if lines += len(one.Skipped); lines > s.options.SkipBad {
			return fmt.Errorf("%s:%d: cannot be read, nor can lines before it, and --skip-bad allows %d; correct them, or allow more",
				s.Table.Shards[one.Shard], one.Skipped[len(one.Skipped)-1], s.options.SkipBad)
		}
		if len(one.Skipped) > 0 {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s: %s left out, as --skip-bad allows: %s", s.Table.Shards[one.Shard],
				plural(len(one.Skipped), "line"), numbers(one.Skipped)))
		}
	}
	if !s.Table.Sparse {
		s.Plan.Step = max(1, n/medianRows)
	}
	s.Plan.Spaced = max(1, known/medianRows)
	return nil
}

// Score is what is chosen by: the score asked for, or loo:logloss for two classes and loo:press for numbers and for more classes, which
// then have no probabilities. That is said.
func (s *Start) Score() (task.Scoring, error) {
	classes := len(s.Labels.Classes)
	asked := s.Request
	if asked.Scoring.Name == "" {
		word := "loo:logloss"
		if classes > 2 {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%d classes: chosen by loo:press, and the model has no probabilities, as "+
				"those of more "+
				"than two classes are not made over shards", classes))
		}
		if classes > 2 || s.Labels.Task == data.Regression {
			word = "loo:press"
		}
		asked.Scoring, _ = task.ParseScoring(word)
	}
	by, err := asked.Judging(s.Labels.Task)
	if _, ok := by.Criterion.(score.LogLoss); !ok || classes < 3 || err != nil {
		return by, err
	}
	instead := "--tune loo:press or loo:error, which leave"
	if by.Folds > 0 || by.Share > 0 {
		instead = "--set outer=mse or outer=error beside it, which mercer fit takes too and which leave"
	}
	return by, task.Usage("--tune %s: the log loss is for two classes over shards, and there are %d; choose %s the model without "+
		"probabilities", by.Name, classes, instead)
}

// Rows is the number of labelled rows.
func (s *Start) Rows() int { return s.Part.Sums.N }

// Sums are those of the features and of the targets that code the labels: from the first pass, or from another one for folds that were
// dealt, or for features which are not linear in the columns, of documents scaled to length 1 or of what centres give of a kernel; these
// are fetched before. So it does where a cell is so large that its square overflows, which is not so once it is scaled.
func (s *Start) Sums(ctx context.Context, passes First) (*Summed, error) {
	scaling := s.Plan.Features.Scaling
	if s.Kernel == nil && scaling.Kind != data.ScaleTFIDF && s.Plan.Folds == nil {
		if sums := s.coded().Scaled(scaling.Shift, scaling.Scale); finite(sums) {
			return &Summed{[]moments.Sums{*sums}}, nil
		}
	}
	if s.Kernel != nil {
		if err := s.centres(ctx, passes); err != nil {
			return nil, err
		}
	}
	return passes.Products(ctx, s.Plan)
}

// finite says whether sums are, by those of squares and products of features: no mean is infinite where these are finite.
func finite(s *moments.Sums) bool {
	sum := 0.0
	for j := range s.X {
		for _, v := range s.S.RawRowView(j)[:j+1] {
			sum += v - v // 0, or NaN for ever
		}
		for _, v := range s.P.RawRowView(j) {
			sum += v - v
		}
	}
	return sum == 0
}

// centres draws those of --basis, as mercer fit draws them, and fetches them from their shards.
func (s *Start) centres(ctx context.Context, passes First) error {
	count, rows := s.Request.Centres(), s.Rows()
	if count > rows {
		return fmt.Errorf("%s: --basis %d of %d labelled rows; ask for at most %d centres", s.Table.Shards[0], count, rows, rows)
	}
	one, err := s.Kernel.Bind(ctx, data.Rows{Dense: mat.NewDense(1, s.Plan.Columns, nil)}, nil) // which row does not matter
	if err != nil {
		return task.Usage("--kernel %s: %v", s.Recipe.Kernel, err)
	}
	if _, ok := kernel.Features(one); ok {
		return task.Usage("--basis %s: a function of kernel %s is a sum over its features and has no centres; choose --kernel gaussian",
			s.Recipe.Basis, s.Recipe.Kernel)
	}
	s.Plan.Pick = basis.Random{Seed: s.Recipe.Drawn()}.Of(rows, count)
	slices.Sort(s.Plan.Pick)
	picked, err := passes.Pick(ctx, s.Plan)
	if err != nil {
		return err
	}
	s.Plan.Pick = nil
	s.Plan.Features.Centres = s.Plan.Features.Scaling.Apply(picked.Rows)
	if s.Plan.Features.Kernel, err = kernel.Marshal(s.Kernel); err != nil {
		return task.Usage("--kernel %s: %v", s.Recipe.Kernel, err)
	}
	if err := s.Plan.Features.bind(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.Table.Shards[0], err)
	}
	return nil
}

// coded are the sums of the first pass whose targets are those of a machine.
func (s *Start) coded() *moments.Sums {
	if s.Labels.Task == data.Regression {
		one := *s.Part.Sums
		at := make([]int, len(one.Y))
		for j := 1; j < len(at); j++ {
			at[j] = -1
		}
		one.Retarget(at, 1)
		return &one
	}
	coding := learn.Coding{Classes: len(s.Labels.Classes)}
	index := data.ClassIndex(s.Labels.Classes)
	c := coding.Outputs()
	m, squares := mat.NewDense(len(s.Part.Sums.Y), c, nil), make([]float64, c)
	for q, a := range s.Part.Answers {
		if !data.IsUnlabelled(a.Text) {
			k, _ := index(a.Text)
			m.SetRow(1+q, coding.Code([]int{k}).RawRowView(0))
		}
	}
	coded := s.Part.Sums.Coded(m, squares)
	for j, mean := range coded.Y {
		squares[j] = float64(coded.N) * (1 - mean*mean) // targets are -1 and 1
	}
	return coded
}

// Model is the model of the function w'phi(x) + b of the features, w of d x c, without what is learned of rows left out. The sample is
// of rows as they were read, by which medians are known and drift is told, and out are outputs left out; either may have none.
func (s *Start) Model(ctx context.Context, w *mat.Dense, b []float64, sample, out [][]float64) (*model.Model, error) {
	m := &model.Model{
		Method: s.Recipe.Method, Task: s.Labels.Task, Classes: s.Labels.Classes, Label: s.Table.LabelName, Columns: s.Plan.Columns,
		Features: s.Table.Features, Table: s.Plan.Ask.Table, Sparse: s.Table.Sparse, Scaling: s.Plan.Features.Scaling,
		Parts: []model.Part{{Functions: []model.Function{model.Linear{Weights: w}}, Offset: b}},
	}
	if s.Kernel != nil {
		list, err := s.Plan.Features.projector.Expand(w)
		if err != nil {
			return nil, err
		}
		m.Parts = model.Single(list, b)
	}
	rows := data.Rows{Dense: matrix(sample)}
	if rows.Dense != nil && s.Table.Features != nil && m.Table == nil {
		m.Fill = columns.Medians(rows)
	}
	err := m.Remember(ctx, rows, matrix(out))
	return m, err
}

// Result describes a model as mercer fit does, as far as losses do not matter.
func (s *Start) Result(m *model.Model) *result.Result {
	all := 0
	for _, one := range s.Part.Shards {
		all += one.Rows
	}
	res := &result.Result{
		Method: s.Recipe.Method, Kernel: s.Recipe.Kernel, Task: s.Labels.Task.String(), Classes: s.Labels.Classes,
		Rows:   result.RowCounts{Labelled: s.Rows(), Unlabelled: all - s.Rows(), Features: s.Plan.Columns},
		Params: map[string]any{}, Scaling: s.Scaled, Warnings: slices.Clone(s.Warnings), Metrics: map[string]result.Metric{},
	}
	slices.Sort(res.Warnings)
	res.Warnings = append(res.Warnings, shard.Say(s.Table.Warnings)...)
	if len(s.Table.Empty) > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("no rows in %s; %s left out", some(s.Table.Empty), are(len(s.Table.Empty))))
	}
	if s.Kernel != nil {
		for _, d := range s.Kernel.Space() {
			res.Params[d.Name] = d.Default
		}
		res.Basis = &result.BasisState{Centres: answer.Centres(m), Choose: s.Request.Values.Word(task.Choose)}
		res.Support = answer.Centres(m)
	}
	return res
}

// Keep stores the recipe in the model, and what the fit printed less times and metrics, as mercer fit does.
func (s *Start) Keep(m *model.Model, res *result.Result) error {
	var err error
	if m.Recipe, err = json.Marshal(s.Recipe); err != nil {
		return err
	}
	one := *res
	one.Seconds, one.Metrics = result.Seconds{}, nil
	if m.Result, err = json.Marshal(one); err != nil {
		return fmt.Errorf("%s: the fit has no finite result, its features are too small or too large; use --scale standard",
			s.Table.Shards[0])
	}
	return nil
}
