package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply/training"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/model"
)

// teaching are the flags of verbs that learn: the data, and which labels are seen.
type teaching struct {
	Data   string `arg:"" help:"${teaching_data}"`
	Output string `short:"o" help:"Write the model here." placeholder:"MODEL"`

	source     `group:"Data:"`
	tabular    `group:"Data:"`
	Task       string `help:"auto, classification or regression." group:"Data:" placeholder:"TASK"`
	Unlabelled string `help:"Further rows without labels." group:"Data:" placeholder:"FILE"`
	Test       string `help:"Labelled rows never seen in training, for the metrics." group:"Data:" placeholder:"FILE"`
	Scale      string `help:"${scale}" group:"Data:" placeholder:"KIND"`

	LabelledRows string `help:"${teaching_labelledrows}" group:"experiments" placeholder:"FILE"`
	drawing      `group:"experiments"`

	Seed *uint64 `help:"Seed of everything drawn at random (default 1)." group:"Choosing:" placeholder:"N"`

	talk      `group:"Running:"`
	threads   `group:"Running:"`
	limits    `group:"Running:"`
	reporting `group:"Running:"`

	kernels map[string]string // of --kernel NAME=SPEC, by view
	earlier *model.Model      // whose columns the rows have; nil: they say themselves what they are
}

// fitCmd is mercer fit.
type fitCmd struct {
	teaching

	Splits string `help:"${fit_splits}" group:"experiments" placeholder:"FILE"`
	From   string `help:"${fit_from}" group:"Choosing:" placeholder:"MODEL"`

	Method      string   `help:"${methods}; see mercer methods." group:"Choosing:" placeholder:"ID"`
	Kernel      []string `help:"${fit_kernel}" group:"Choosing:" placeholder:"SPEC" sep:"none"`
	Set         []string `help:"${fit_set}" group:"Choosing:" placeholder:"NAME=VALUE" sep:"none"`
	Tune        string   `help:"${fit_tune}" group:"Choosing:" placeholder:"SCORE"`
	Search      string   `help:"${searches}." group:"Choosing:" placeholder:"ID"`
	Budget      *int     `help:"Score evaluations at most (default: the search's own)." group:"Choosing:" placeholder:"N"`
	Effort      string   `help:"How much auto tries: low, normal or high." group:"Choosing:" placeholder:"WORD"`
	Basis       string   `help:"${fit_basis}" group:"Choosing:" placeholder:"N|auto"`
	Trace       string   `help:"${fit_trace}" group:"Choosing:" placeholder:"FILE"`
	Tol         *float64 `help:"${fit_tol}" group:"Choosing:" placeholder:"TOL"`
	Offset      string   `help:"A constant that is not penalised: auto, yes or no." group:"Choosing:" placeholder:"WHEN"`
	Groups      string   `help:"${fit_groups}" group:"Choosing:" placeholder:"WORD"`
	Multiclass  string   `help:"one-vs-one (default of svm) or one-vs-rest." group:"Choosing:" placeholder:"SCHEME"`
	ClassWeight string   `help:"Factors of the loss: balanced, or LABEL=WEIGHT,..." group:"Choosing:" placeholder:"WEIGHTS"`
	Decide      string   `help:"${fit_decide}" group:"Choosing:" placeholder:"RULE"`
	CV          *int     `name:"cv" help:"${fit_cv}" group:"Choosing:" placeholder:"K"`
	Recipe      string   `help:"Read all of these choices from a JSON file; flags go before it." group:"Choosing:" placeholder:"FILE"`

	Verbose bool      `short:"v" help:"Print parameters, search, graph and certificate too." group:"Running:"`
	Cache   byteCount `help:"${fit_cache}" group:"Running:" placeholder:"BYTES"`
}

// Help shows examples.
func (fitCmd) Help() string {
	return `Examples:

    mercer fit digits --labels-per-class 2             20 labels, the other 1777 hidden and then judged
    mercer fit rows.csv -o rows.mercer                 empty labels mean unlabelled
    mercer fit rows.csv --label kind --unlabelled more.csv --test test.csv
    mercer fit text.svm.gz --unlabelled-mark 0 --json
    mercer fit mails.csv --text body --label folder    words of a column
    mercer fit mails                                   mails/spam/1.txt, mails/ham/2.txt, mails/unlabelled/3.txt, ...
    mercer fit iris --method rls --tune none --set gamma=0.5 --set lambda=0.001
    mercer fit coil20.csv.gz --splits coil20.splits.csv
    mercer fit rows.csv -o rows.mercer --trace rows.trace     again after an interrupt: goes on from where it was
    mercer fit --from rows.mercer more.csv -o more.mercer     the same choices for more rows or labels`
}

// Run fits.
func (c *fitCmd) Run(e *env) error {
	recipe, err := c.asked(e)
	if err != nil {
		return err
	}
	if err := c.check(recipe); err != nil {
		return err
	}
	if err := noFolder(c.Splits); err != nil {
		return err
	}
	options := mercer.Options{Cache: int64(c.Cache)}
	in, splits, end, err := c.begin(e, &recipe, c.Splits, &options)
	if err != nil {
		return err
	}
	defer end()
	page := c.listen(in, recipe, &options)
	if splits != nil {
		return c.runSplits(e, in, splits, recipe, options, page)
	}
	if c.Trace != "" && recipe.Basis == task.AutoBasis {
		return usage("--trace %s with --basis auto: it makes several fits; leave one of them out, or give --basis a number", c.Trace)
	}
	ctx, kept, err := c.openTrace(e, in, recipe, &options)
	if err != nil {
		return err
	}
	c.sayForgotten(e, in)
	m, res, err := fit.Fit(ctx, *in, recipe, options)
	if err = c.closeTrace(kept, err); err != nil {
		return named(c.late(err, in, recipe), c.Data, in.Set)
	}
	var unsaved error
	if c.Output != "" {
		if unsaved = e.save(m, c.Output); unsaved == nil {
			res.Model = c.Output
		}
	}
	page.curve(e.ctx, c.aside(e), res, options)
	unwritten := page.write(e.ctx, m, res)
	shown := c.report(e, res, printing{outerFolds, c.Verbose, keptOf(m, res.Model), recipe.Method}) // whatever could not be written
	return cmp.Or(unsaved, unwritten, shown)
}

// aside says what goes on, unless --quiet was given.
func (c *teaching) aside(e *env) func(string, ...any) {
	if c.Quiet {
		return func(string, ...any) {}
	}
	return e.say
}

// late explains an end of time before anything was learned.
func (c *teaching) late(err error, in *mercer.Input, r mercer.Recipe) error {
	less := "another --method, fewer rows"
	if c.earlier != nil {
		less = "fewer rows" // the rest is the model's
	} else if m, _, err := method.Read(r); err == nil && r.Tune != "none" && !m.Supports(nil).Front {
		less = "--tune none, " + less
	}
	return late(err, time.Duration(c.TimeLimit), in.Set.Source, "give more time, or ask for less: "+less)
}

// inputs are the files that are read.
func (c *teaching) inputs() []string {
	return append(c.files(), c.Data, c.Unlabelled, c.Test, c.LabelledRows, c.Columns)
}

// begin finds what is wrong with the places of files before the work starts, reads the data,
// says what the work will cost, and fills in the options; end is to be called after it. rows are the
// labelled ones of every split, nil without a file of splits.
func (c *teaching) begin(
	e *env,
	r *mercer.Recipe,
	splits string,
	o *mercer.Options,
) (in *mercer.Input, rows [][]int, end func(), err error) {
	if err := noFolder(c.LabelledRows); err != nil {
		return nil, nil, nil, err
	}
	if err := writable("-o", c.Output, append(c.inputs(), splits)...); err != nil {
		return nil, nil, nil, err
	}
	if err := c.reporting.check(); err != nil {
		return nil, nil, nil, err
	}
	if err := c.threads.use(); err != nil {
		return nil, nil, nil, err
	}
	if in, err = c.read(e, r); err != nil {
		return nil, nil, nil, err
	}
	each := *in
	if splits != "" {
		if rows, err = labelledRows(e.ctx, splits, in.Set.Rows.Len()); err != nil {
			return nil, nil, nil, err
		}
		each.Set = new(data.Set)
		*each.Set = *in.Set
		each.Set.Answers, _ = data.Hide(in.Set.Answers, rows[0])
	}
	o.Memory, o.TimeLimit = int64(c.Memory), time.Duration(c.TimeLimit)
	forecast := mercer.ForecastFit(each, *r, *o)
	// The garbage collector works earlier than it would, so that the process stays within the memory
	// that was announced.
	limit := forecast.Limit()
	before := debug.SetMemoryLimit(limit)
	debug.SetMemoryLimit(min(limit, before))
	end = func() { debug.SetMemoryLimit(before) }
	if c.Quiet {
		return in, rows, end, nil
	}
	if set := in.Set; set.Text != nil {
		e.say("%s: %s of text, %s, %d empty", set.Source, brief.Count(set.Rows.Len(), "document"),
			brief.Count(set.Rows.Dim(), "different word"), set.Rows.Zero())
	}
	e.sayColumns(in.Set)
	if labels, err := fit.Interpret(in.Set, *r); err == nil && labels.Decided != "" {
		e.say("%s: column %q: %s", in.Set.Source, in.Set.LabelName, labels.Decided)
	}
	switch {
	case forecast.Rows == 0: // of a request that the fit refuses
	case rows != nil:
		e.say("%d splits, each of %v", len(rows), forecast)
	case r.CV > 0:
		e.say("%d fits, one after the other: %v", r.CV+1, forecast)
	default:
		e.say("%v", forecast)
	}
	bar := newProgress(e.stderr, forecast.Seconds)
	o.Progress = bar.step
	e.stderr = bar
	return in, rows, func() { bar.end(); debug.SetMemoryLimit(before) }, nil
}

// labelledRows reads the splits of n rows.
func labelledRows(ctx context.Context, file string, n int) ([][]int, error) {
	splits, err := read.Splits(ctx, file, n)
	if err != nil {
		return nil, named(err, file, nil)
	}
	if len(splits) == 0 {
		return nil, usage("%s: there is no split; give one a line", file)
	}
	rows := make([][]int, len(splits))
	for i, s := range splits {
		rows[i] = s.Labelled
	}
	return rows, nil
}

// runSplits fits every split and prints the summary.
func (c *fitCmd) runSplits(e *env, in *mercer.Input, rows [][]int, recipe mercer.Recipe, options mercer.Options, page *listening) error {
	res, err := fit.Splits(e.ctx, in.Set, rows, recipe, options)
	if err != nil {
		return named(c.late(err, in, recipe), c.Data, in.Set)
	}
	unwritten := page.write(e.ctx, nil, res)
	shown := c.report(e, res, printing{outerFolds, c.Verbose, "", recipe.Method})
	if stop := new(interrupted); errors.As(shown, &stop) {
		stop.splits = res.Splits.Count
	}
	return cmp.Or(unwritten, shown)
}

// report prints the result; after an interrupt it says what was kept.
func (c *fitCmd) report(e *env, res *mercer.Result, p printing) error {
	e.warn(c.talk, res.Warnings...)
	if t := res.Tuning; t != nil && t.Status == "time limit" {
		e.warn(
			c.talk,
			fmt.Sprintf("--time-limit ended the tuning after %s; this is the best until then", brief.Count(t.Evaluations, "evaluation")),
		)
	}
	var err error
	if c.JSON {
		err = e.printJSON(res.Finite())
	} else {
		err = e.show(p.table(res))
	}
	if err == nil && e.stopped() {
		return &interrupted{saved: cmp.Or(res.Model, c.Report)}
	}
	return err
}

// recipe joins the recipe file and the flags.
func (c *fitCmd) recipe(ctx context.Context) (mercer.Recipe, error) {
	var r mercer.Recipe
	if c.Recipe != "" {
		if err := readRecipe(ctx, c.Recipe, &r); err != nil {
			return r, err
		}
	}
	over := func(dst *string, v string) {
		if v != "" {
			*dst = v
		}
	}
	over(&r.Method, c.Method)
	one, kernels, err := kernelFlags(c.Kernel)
	if err != nil {
		return r, err
	}
	over(&r.Kernel, one)
	c.kernels = kernels
	over(&r.Tune, c.Tune)
	over(&r.Search, c.Search)
	over(&r.Offset, c.Offset)
	over(&r.Scale, c.Scale)
	over(&r.Effort, c.Effort)
	over(&r.Basis, c.Basis)
	over(&r.Task, c.Task)
	over(&r.Groups, c.Groups)
	over(&r.Multiclass, c.Multiclass)
	over(&r.ClassWeight, c.ClassWeight)
	over(&r.Decide, c.Decide)
	if c.CV != nil {
		r.CV = *c.CV
		if r.CV < 2 {
			return r, usage("--cv %d: give a number of outer folds from 2, as in --cv 5", r.CV)
		}
	}
	if c.Tol != nil {
		r.Tolerance = *c.Tol
	}
	if c.Budget != nil {
		if r.Budget = *c.Budget; r.Budget < 1 {
			return r, usage("--budget %d: must be at least 1, or left out for the search's own", r.Budget)
		}
	}
	if c.Seed != nil {
		r.Seed = *c.Seed
	}
	set, err := settings(c.Set)
	if err != nil {
		return r, err
	}
	for name, value := range set {
		if r.Set == nil {
			r.Set = map[string]string{}
		}
		r.Set[name] = value
	}
	if err := fit.Check(r); err != nil {
		return r, c.blame(err, set)
	}
	return r, c.checkTrace(r)
}

// blame names the settings to delete from the recipe file: those that the method does not have and
// that no flag gave. Earlier versions ignored such settings, so older files may hold them.
func (c *fitCmd) blame(err error, flags map[string]string) error {
	var u *mercer.UsageError
	if c.Recipe == "" || !errors.As(err, &u) {
		return err
	}
	told := &mercer.UsageError{}
	for _, problem := range u.Problems {
		name, _, ok := strings.Cut(strings.TrimPrefix(problem, "--set "), ":")
		if _, given := flags[name]; ok && !given && strings.HasPrefix(problem, "--set ") && strings.Contains(problem, "no such setting") {
			problem += fmt.Sprintf("; delete %q from \"set\" in %s", name, c.Recipe)
		}
		told.Problems = append(told.Problems, problem)
	}
	return told
}

func readRecipe(ctx context.Context, path string, r *mercer.Recipe) error {
	return readJSON(ctx, path, r, "recipe", `give one JSON object, as {"method":"rls","set":{"sigma":"5"}}`)
}

// readJSON reads a file of one JSON object, a recipe or a table; example is the remedy for what is no such.
func readJSON(ctx context.Context, path string, into any, kindOf, example string) error {
	text, err := readSmall(ctx, path)
	if err != nil {
		return named(err, path, nil)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(into); err == nil {
		if _, more := d.Token(); more == nil {
			err = errors.New("more than one JSON value")
		}
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("an empty file")
	}
	f := &fault{
		file: path,
		what: strings.TrimPrefix(err.Error(), "json: ") + "; " + example,
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(0)
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
		f.what = fmt.Sprintf(
			"%s cannot be of the kind %s; %ss are described in docs/formats.md",
			cmp.Or(kind.Field, "a "+kindOf),
			kind.Value,
			kindOf,
		)
		if strings.HasPrefix(kind.Field, "set") && kind.Type.Kind() == reflect.String {
			f.what = fmt.Sprintf(`values of set are text, not a %s, as in "set":{"C":"1"}`, kind.Value)
		}
	}
	if at > 0 && at <= int64(len(text)) {
		before := text[:at]
		f.line = 1 + bytes.Count(before[:at-1], []byte{'\n'})
		f.column = int(at) - (1 + bytes.LastIndexByte(before[:at-1], '\n'))
	}
	return f
}

// check refuses flags that do not go together.
func (c *fitCmd) check(r mercer.Recipe) error {
	switch {
	case c.Splits != "" && (c.LabelledRows != "" || c.Labels != nil || c.LabelsPerClass != nil):
		return usage("--labelled-rows, --labels, --labels-per-class and --splits each say which labels are kept; give one of them")
	case c.Splits != "" && c.Output != "":
		return usage("-o: with --splits there is no one model to write; leave it out, or fit one split with --labelled-rows")
	case c.Splits != "" && r.CV > 0:
		return usage("--cv: with --splits the hidden rows measure every fit; leave one of them out")
	case c.Splits != "" && c.Test != "":
		return usage("--test: with --splits the hidden rows are the test; leave it out, or fit one split with --labelled-rows")
	case strings.Contains(r.Kernel, "precomputed"):
		return usage("--kernel %s: a precomputed matrix is for the library; name another kernel, see mercer methods", r.Kernel)
	case c.Tol != nil && !(*c.Tol > 0):
		return usage("--tol %g: must be positive", *c.Tol)
	}
	return c.teaching.check(r)
}

// check refuses flags that do not go together.
func (c *teaching) check(r mercer.Recipe) error {
	keep := 0
	for _, given := range []bool{c.LabelledRows != "", c.Labels != nil, c.LabelsPerClass != nil} {
		if given {
			keep++
		}
	}
	if keep > 1 {
		return usage("--labelled-rows, --labels and --labels-per-class each say which labels are kept; give one of them")
	}
	if err := c.drawing.check(); err != nil {
		return err
	}
	switch {
	case c.LabelsPerClass != nil && r.Task == "regression":
		return usage("--labels-per-class: a regression has no classes; use --labels")
	case c.Data == "-" && (c.Unlabelled == "-" || c.Test == "-") || c.Unlabelled == "-" && c.Test == "-":
		return usage("standard input can be read once; give the others as files")
	}
	return nil
}

// read reads all files, hides labels, and tells the recipe where views are.
func (c *teaching) read(e *env, r *mercer.Recipe) (*mercer.Input, error) {
	if err := c.suits(c.Data, c.Unlabelled, c.Test); err != nil {
		return nil, err
	}
	files := training.Files{
		Data: c.Data, Unlabelled: c.Unlabelled, Test: c.Test, Read: c.source.options(e), Views: c.View, Columns: c.earlier,
		LabelledRows: c.LabelledRows, Seed: max(r.Seed, 1), // the recipe's, as everything drawn; a flag may say 0
	}
	if err := c.tabular.add(e, &files.Read, len(c.View) > 0 || len(r.Views) > 0); err != nil {
		return nil, err
	}
	if c.Seed != nil {
		files.Seed = *c.Seed
	}
	if c.Labels != nil {
		files.Labels = *c.Labels
	}
	if c.LabelsPerClass != nil {
		files.LabelsPerClass = *c.LabelsPerClass
	}
	in, warnings, err := files.Open(e.ctx, r)
	e.warnOf(c.talk, warnings)
	if err != nil {
		return nil, named(err, "", nil)
	}
	return in, c.withKernels(r)
}
