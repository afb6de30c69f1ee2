package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/fit"
)

// dataCmd is mercer data.
type dataCmd struct {
	Name string `arg:"" optional:"" help:"${data_name}"`
	drawing
	Splits *int     `help:"Write K experiments for --splits of fit, each with other labels; of a file too." placeholder:"K"`
	Label  string   `help:"Column of the labels of a file." placeholder:"COLUMN"`
	Output string   `short:"o" help:"Write CSV here instead of standard output." placeholder:"FILE"`
	Rows   *int     `help:"Rows to generate (n)." placeholder:"N"`
	Noise  *float64 `help:"Noise of a generator." placeholder:"SD"`
	Seed   *uint64  `help:"Seed of a generator, or with --splits of the first experiment." placeholder:"N"`
	Set    []string `help:"Any parameter of a generator; repeatable." placeholder:"NAME=VALUE" sep:"none"`
	JSON   bool     `name:"json" help:"List as JSON; of a file, what --columns of fit reads."`
	Format string   `help:"${source_format}" enum:"${formats}" default:"" placeholder:"${format_names}"`
	Task   string   `help:"auto, classification or regression." placeholder:"TASK"`
	tabular
	spelled
}

// Help shows examples.
func (dataCmd) Help() string {
	return `Examples:

    mercer data
    mercer data iris -o iris.csv
    mercer data two-moons --rows 400 --noise 0.2 --seed 3 --set labelled=1
    mercer data rows.csv                        what fit does with every column of a file, and why
    mercer data rows.csv --json                 the same as JSON, to change and to give to fit --columns
    mercer fit two-moons:n=400,noise=0.2,labelled=1      the same set, without a file
    mercer data iris --splits 20 --labels-per-class 2 -o iris.splits.csv
    mercer fit iris --splits iris.splits.csv`
}

// Run lists or writes sets.
func (c *dataCmd) Run(e *env) error {
	if c.Name == "" {
		if c.Output != "" || c.Rows != nil || c.Noise != nil || c.Seed != nil || len(c.Set) > 0 || c.Splits != nil || c.Label != "" ||
			c.Labels != nil ||
			c.LabelsPerClass != nil || c.tabular.given() || c.spelled.given() || c.Format != "" || c.Task != "" {
			return usage("data: name a set; mercer data lists them")
		}
		return c.list(e)
	}
	if !data.IsBuiltin(c.Name) && c.Splits == nil {
		return c.describe(e)
	}
	if c.tabular.given() || c.spelled.given() || c.Format != "" || c.Task != "" {
		return usage("data %s: --drop, --features, --id, --weight, --group, --columns, --format, --task and flags of the dialect are of "+
			"files whose columns are "+
			"described", c.Name)
	}
	if c.JSON {
		return usage("data %s --json: a set is printed as CSV; --json is for the list", c.Name)
	}
	if err := c.checkSplits(); err != nil {
		return err
	}
	if c.Output == standard {
		c.Output = ""
	}
	suits := e.asTable
	if c.Splits != nil {
		suits = asCSV
	}
	if err := suits("-o", c.Output); err != nil {
		return err
	}
	if err := writable("-o", c.Output, c.Name); err != nil {
		return err
	}
	set, err := c.set(e)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return read.WriteCSV(w, set) }
	if to := e.writer(c.Output); to != nil && c.Splits == nil {
		write = func(w io.Writer) error { return furtherSet(w, set, to) }
	}
	if c.Splits != nil {
		splits, err := c.experiments(set)
		if err != nil {
			return named(err, c.Name, set)
		}
		write = func(w io.Writer) error { return read.WriteSplits(w, splits) }
	}
	if c.Output != "" {
		return named(putTable(c.Output, write), c.Output, nil)
	}
	return named(write(e.stdout), "standard output", nil)
}

// furtherSet writes a set in a further format, its labels as words.
func furtherSet(w io.Writer, set *data.Set, to apply.Writer) error {
	columns := make([]apply.Column, set.Rows.Dim(), set.Rows.Dim()+1)
	dense := apply.Form(set.Rows, false).Dense
	for j := range columns {
		columns[j] = apply.Column{Name: "x" + strconv.Itoa(j), Numbers: mat.Col(nil, j, dense)}
		if set.Features != nil {
			columns[j].Name = set.Features[j]
		}
	}
	if set.LabelName != "" {
		words := make([]string, set.Rows.Len())
		copy(words, set.Answers)
		columns = append(columns, apply.Column{Name: set.LabelName, Words: words})
	}
	out, err := to.Begin(w, columns)
	if err != nil {
		return err
	}
	return errors.Join(out.Write(columns), out.Close())
}

// describe prints what is done with every column of a file.
func (c *dataCmd) describe(e *env) error {
	if c.Output != "" || c.Rows != nil || c.Noise != nil || c.Seed != nil || len(c.Set) > 0 || c.Labels != nil || c.LabelsPerClass != nil {
		return usage("data %s: a file is described on standard output; -o, --rows, --noise, --seed, --set and --labels are of built-in "+
			"sets", c.Name)
	}
	o := read.Options{Label: c.Label, Stdin: e.stdin, Format: read.Format(c.Format), Describe: true}
	c.spelled.add(&o)
	if err := c.tabular.add(e, &o, false); err != nil {
		return err
	}
	set, guesses, err := e.described(c.Name, o)
	if err != nil {
		return err
	}
	if set.Table == nil {
		return &fault{file: c.Name,
			what: "its columns are numbered or words of documents, and are learned from as they are; give CSV to have columns described"}
	}
	if c.JSON {
		return e.printJSON(describedOf(set, guesses))
	}
	decided := ""
	var recipe mercer.Recipe
	recipe.Task = c.Task
	labels, err := fit.Interpret(set, recipe)
	if decided = labels.Decided; err != nil {
		decided = err.Error()
	}
	err = e.show(columnsTable(set, decided, guesses))
	return err
}

// set is a built-in one, or, for splits, that of a file.
func (c *dataCmd) set(e *env) (*data.Set, error) {
	if !data.IsBuiltin(c.Name) {
		if c.Rows != nil || c.Noise != nil || len(c.Set) > 0 {
			return nil, usage("data %s: --rows, --noise and --set are of generators; leave them out", c.Name)
		}
		return e.open(c.Name, read.Options{Label: c.Label, Stdin: e.stdin, Prepare: true}, talk{})
	}
	if c.Label != "" {
		return nil, usage("data %s --label: a built-in set has its labels in the last column", c.Name)
	}
	spec, err := c.spec()
	if err != nil {
		return nil, err
	}
	set, err := data.BuiltinWithin(e.ctx, spec)
	if e.ctx.Err() != nil {
		return nil, e.ctx.Err()
	}
	if err != nil {
		return nil, usage("data %s: %v", spec, err)
	}
	return set, nil
}

// spec joins the flags to the name: a generator's parameters follow a colon.
func (c *dataCmd) spec() (string, error) {
	set, err := settings(c.Set)
	if err != nil {
		return "", err
	}
	var params []string
	if c.Rows != nil {
		params = append(params, fmt.Sprintf("n=%d", *c.Rows))
	}
	if c.Noise != nil {
		params = append(params, fmt.Sprintf("noise=%v", *c.Noise))
	}
	if c.Seed != nil && c.Splits == nil {
		params = append(params, fmt.Sprintf("seed=%d", *c.Seed))
	}
	if set != nil {
		params = append(params, c.Set...)
	}
	if len(params) == 0 {
		return c.Name, nil
	}
	sep := ":"
	if strings.Contains(c.Name, ":") {
		sep = ","
	}
	return c.Name + sep + strings.Join(params, ","), nil
}

// entry is a line of the list for --json.
type entry struct {
	Name       string   `json:"name"`
	Rows       int      `json:"rows"`
	Features   int      `json:"features"`
	Classes    int      `json:"classes,omitempty"`
	Task       string   `json:"task"`
	About      string   `json:"about"`
	Parameters []string `json:"parameters,omitempty"`
}

func (c *dataCmd) list(e *env) error {
	var all []entry
	for _, d := range data.List() {
		en := entry{
			Name:     d.Name,
			Rows:     d.Rows,
			Features: d.Features,
			Classes:  d.Classes,
			Task:     data.Classification.String(),
			About:    d.About,
		}
		if d.Classes == 0 {
			en.Task = data.Regression.String()
		}
		en.Parameters = d.Params()
		all = append(all, en)
	}
	if c.JSON {
		return e.printJSON(map[string]any{"sets": all})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s %6s %9s %8s  %s\n", "name", "rows", "features", "classes", "what it is")
	for _, en := range all {
		classes := "-"
		if en.Classes > 0 {
			classes = fmt.Sprint(en.Classes)
		}
		about := en.About
		if en.Parameters != nil {
			about += " (" + strings.Join(en.Parameters, ", ") + ")"
		}
		fmt.Fprintf(&b, "%-14s %6d %9d %8s  %s\n", en.Name, en.Rows, en.Features, classes, about)
	}
	b.WriteString("\nNames in brackets are parameters of a generator: mercer fit two-moons:n=400,labelled=1\n")
	err := e.show(b.String())
	return err
}
