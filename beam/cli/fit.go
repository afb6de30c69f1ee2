package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/newton"
	"github.com/mercer-ml/mercer/beam/pipeline"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/beam/work"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/cli"
	tables "github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// fitCmd is mercer-beam fit.
type fitCmd struct {
	Data   []string `arg:"" help:"Patterns of files, CSV or LIBSVM text, plain or gzipped, or Parquet, in the order of their names."`
	Output string   `short:"o" help:"Write the model here." placeholder:"MODEL"`

	source  `group:"Data:"`
	columns `group:"Data:"`
	Columns string `help:"What columns are, as mercer data FILE --json prints it." group:"Data:" placeholder:"FILE"`
	Task    string `help:"auto, classification or regression." group:"Data:" placeholder:"TASK"`
	Scale   string `help:"auto, none, standard, minmax, unit or tfidf." group:"Data:" placeholder:"KIND"`

	Method string   `help:"${method}" group:"Choosing:" placeholder:"ID"`
	Kernel string   `help:"linear (default), or gaussian ... with --basis." group:"Choosing:" placeholder:"SPEC"`
	Basis  string   `help:"Centres of a kernel, rows drawn by --set choose=random." group:"Choosing:" placeholder:"N"`
	Seed   uint64   `help:"Seed of centres, folds and rows held out (default 1)." group:"Choosing:" placeholder:"N"`
	Set    []string `help:"${set}" group:"Choosing:" placeholder:"NAME=VALUE" sep:"none"`
	Tune   string   `help:"${tune}" group:"Choosing:" placeholder:"SCORE"`
	Tol    *float64 `help:"The relative gradient at which Newton's method stops." group:"Choosing:" placeholder:"TOL"`
	Offset string   `help:"A constant in the function: auto, yes or no." group:"Choosing:" placeholder:"WHEN"`
	Recipe string   `help:"Read all of these choices from a JSON file; flags go before it." group:"Choosing:" placeholder:"FILE"`

	running `group:"Running:"`
}

// Help shows examples.
func (fitCmd) Help() string {
	return `Least squares take two passes over the shards: one for sums of products, one for the errors of rows left out, by which the
ridge is chosen. The model is that of mercer fit --method rls --kernel linear on the rows of all shards in one file but for rounding, and
a file that mercer predict, serve and export take. A kernel takes two passes more, for centres drawn among the rows and for the products
of the features that these give; mercer fit with the same flags has the same machine. With --tune kfold:K or holdout:SHARE rows are left
out together, those that mercer fit draws too, and a linear machine takes a pass more. Classes are then judged by their log loss, or, as
more than two must be, by the loss of --set outer=mse or outer=error.

Logistic regression (linear-logistic; logistic, whose offset is free) and support vector machines with the squared hinge (linear-svm;
l2-svm) take one pass more for every step of Newton's method, some ten. With --set C=VALUE the machine is that of mercer fit; else C is
one of seven decades, which are trained side by side, by the outputs of rows left out. The transductive machine (linear-tsvm --set C=VALUE)
decides the rows without labels while it learns, and takes some 40 to 90 passes.

Examples:

    mercer-beam fit 'shards/*.csv' -o rows.mercer
    mercer-beam fit 'shards/*.csv.gz' --label price --task regression --skip-bad 3 -o prices.mercer
    mercer-beam fit 'shards/*.csv' --kernel gaussian --basis 1000 --set choose=random --set gamma=0.02
    mercer-beam fit 'shards/*.csv' --tune kfold:5 --seed 7 -o rows.mercer
    mercer-beam fit 'shards/*.csv' --method linear-logistic -o odds.mercer
    mercer-beam fit 'shards/*.csv' --method l2-svm --kernel gaussian --basis 500 --set choose=random --set gamma=0.02 --set C=1
    mercer-beam fit 'shards/*.csv' --method linear-tsvm --set C=1 --tune none
    mercer-beam fit 'shards/*.svm' --set lambda=0.001 --tune loo:press --json
    mercer-beam fit '/shared/*.csv' -o rows.mercer --work /shared/tmp --runner flink --endpoint localhost:8099`
}

// Run fits.
func (c *fitCmd) Run(e *env) error {
	recipe, err := c.recipe()
	if err != nil {
		return err
	}
	one := learner(recipe.Method)
	if _, _, err := one.check(recipe); err != nil {
		return err
	}
	options := c.options(c.columns)
	if err := c.described(&options); err != nil {
		return err
	}
	at, err := c.start(e, c.Output, c.Data, options)
	if err != nil {
		return err
	}
	defer at.end()
	m, res, err := one.fit(e.ctx, at.table, options, recipe, &passes{e: e, spec: at.spec, to: at.to})
	if err != nil {
		return err
	}
	if c.Output != "" {
		if err := m.Save(c.Output); err != nil {
			return fmt.Errorf("%s: %w", c.Output, err)
		}
		res.Model = c.Output
	}
	c.warn(e, res.Warnings...)
	if m.Table != nil && !c.Quiet {
		for _, line := range tables.Summary(m.Table) {
			e.say("columns: %s", line)
		}
	}
	if c.JSON {
		return e.printJSON(res)
	}
	_, err = io.WriteString(e.stdout, brief.Shown(cli.Table(res)))
	return err
}

// described reads what columns are.
func (c *fitCmd) described(o *shard.Options) error {
	if c.Columns == "" {
		return nil
	}
	text, err := given("--columns", c.Columns)
	if err != nil {
		return err
	}
	var all tables.Described
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err = d.Decode(&all)
	table := all.Table()
	if err == nil {
		err = table.Check()
	}
	if err != nil {
		return fmt.Errorf(`%s: %s; give what mercer data FILE --json prints, as {"columns":[{"name":"size","kind":"ordered","levels":`+
			`["S","M"]}]}`, c.Columns, strings.TrimPrefix(err.Error(), "json: "))
	}
	for _, kind := range []string{data.KindWeight, data.KindGroup} {
		if column := table.Column(kind); column != nil {
			return usage("%s: column %q has the kind %s, which is not over shards; give it the kind %q", c.Columns, column.Name, kind,
				data.KindIgnored)
		}
	}
	if label := table.Column(data.KindLabel); label != nil && o.Label == "" {
		o.Label = label.Name
	}
	o.Given = table.Columns
	return nil
}

// learning is what fits the machines of some methods.
type learning struct {
	check func(mercer.Recipe) (mercer.Recipe, task.Request, error)
	fit   func(context.Context, *shard.Table, shard.Options, mercer.Recipe, *passes) (*model.Model, *result.Result, error)
}

// learner is that of a method; least squares refuse methods that nobody fits.
func learner(method string) learning {
	if newton.Has(method) {
		return learning{newton.Check, func(
			ctx context.Context, t *shard.Table, o shard.Options, r mercer.Recipe, p *passes,
		) (*model.Model, *result.Result, error) {
			p.spec.Keep = p.to.Keep
			return newton.Fit(ctx, t, o, r, newtonPasses{p})
		}}
	}
	return learning{squares.Check, func(
		ctx context.Context, t *shard.Table, o shard.Options, r mercer.Recipe, p *passes,
	) (*model.Model, *result.Result, error) {
		return squares.Fit(ctx, t, o, r, p)
	}}
}

// recipe joins the recipe file and the flags.
func (c *fitCmd) recipe() (mercer.Recipe, error) {
	var r mercer.Recipe
	if c.Recipe != "" {
		text, err := given("--recipe", c.Recipe)
		if err != nil {
			return r, err
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			return r, fmt.Errorf(`%s: %s; give one JSON object, as {"method":"rls","kernel":"linear"}`, c.Recipe,
				strings.TrimPrefix(err.Error(), "json: "))
		}
	}
	for _, f := range []struct {
		to   *string
		flag string
	}{
		{&r.Method, c.Method}, {&r.Kernel, c.Kernel}, {&r.Tune, c.Tune}, {&r.Offset, c.Offset}, {&r.Task, c.Task}, {&r.Scale, c.Scale},
		{&r.Basis, c.Basis},
	} {
		if f.flag != "" {
			*f.to = f.flag
		}
	}
	if c.Seed > 0 {
		r.Seed = c.Seed
	}
	if c.Tol != nil {
		if r.Tolerance = *c.Tol; !(r.Tolerance > 0) {
			return r, usage("--tol %g: must be positive", r.Tolerance)
		}
	}
	for _, pair := range c.Set {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" || value == "" {
			return r, usage("--set %s: write NAME=VALUE, as in --set lambda=0.001", pair)
		}
		if r.Set == nil {
			r.Set = map[string]string{}
		}
		r.Set[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return r, nil
}

// writable says before the work starts whether a file can be put at path.
func writable(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usage("-o %s: is a folder; name a file", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".mercer.*.tmp")
	if err != nil {
		return fmt.Errorf("%s: cannot be written: %w; make its folder, or name another file", path, err)
	}
	_ = f.Close() // nothing was written
	return os.Remove(f.Name())
}

// passes go over the shards by the runner.
type passes struct {
	e    *env
	spec work.Spec
	to   pipeline.Options
	made int // plans
}

// Look implements squares.Passes.
func (p *passes) Look(_ context.Context, ask squares.Ask) (*squares.Looked, error) {
	return asked[squares.Looked](p, work.Look, ask)
}

// Sum implements squares.Passes.
func (p *passes) Sum(_ context.Context, ask squares.Ask) (*squares.Part, error) {
	return asked[squares.Part](p, work.Sum, ask)
}

// Sample implements squares.Passes.
func (p *passes) Sample(_ context.Context, plan *squares.Plan) (*squares.Picked, error) {
	return planned[squares.Picked](p, work.Sample, nil, plan)
}

// Pick implements squares.Passes.
func (p *passes) Pick(_ context.Context, plan *squares.Plan) (*squares.Picked, error) {
	return planned[squares.Picked](p, work.Pick, nil, plan)
}

// Products implements squares.Passes.
func (p *passes) Products(_ context.Context, plan *squares.Plan) (*squares.Summed, error) {
	return planned[squares.Summed](p, work.Products, plan.Runs(), plan)
}

// LeftOut implements squares.Passes.
func (p *passes) LeftOut(_ context.Context, plan *squares.Plan) (*squares.Left, error) {
	return planned[squares.Left](p, work.LeftOut, nil, plan)
}

// asked goes over the shards before there is a plan.
func asked[T any](p *passes, kind string, ask squares.Ask) (*T, error) {
	s, out := p.spec, new(T)
	s.Kind, s.Ask = kind, ask
	return out, run(p.e, s, p.to, out)
}

// newtonPasses are those of machines that are trained by Newton's method.
type newtonPasses struct{ *passes }

// Evaluate implements newton.Passes.
func (p newtonPasses) Evaluate(_ context.Context, plan *newton.Plan) (*newton.All, error) {
	return planned[newton.All](p.passes, work.Slopes, plan.Runs(), plan)
}

// LeftOut implements newton.Passes.
func (p newtonPasses) LeftOut(_ context.Context, plan *newton.Plan) (*newton.Left, error) {
	return planned[newton.Left](p.passes, work.Leave, nil, plan)
}

// Transduce implements newton.Passes.
func (p newtonPasses) Transduce(_ context.Context, plan *newton.Plan) (*newton.AllBoth, error) {
	return planned[newton.AllBoth](p.passes, work.Decide, plan.Runs(), plan)
}

// planned goes over the shards, or runs of them, by a plan, which workers read from a file because it may be large.
func planned[T any](p *passes, kind string, runs []int, plan any) (*T, error) {
	text, err := squares.Encode(plan)
	if err != nil {
		return nil, err
	}
	s, out := p.spec, new(T)
	p.made++
	s.Kind, s.Runs, s.Plan = kind, runs, filepath.Join(p.to.Folder, fmt.Sprintf("plan-%d", p.made))
	if err := replace.Bytes(s.Plan, text); err != nil {
		return nil, err
	}
	defer os.Remove(s.Plan) //nolint:errcheck // its folder is removed in the end
	return out, run(p.e, s, p.to, out)
}
