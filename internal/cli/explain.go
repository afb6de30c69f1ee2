package cli

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/explain"
	"github.com/mercer-ml/mercer/model"
)

// explainCmd is mercer explain.
type explainCmd struct {
	Model     string     `arg:"" help:"A file that mercer fit -o wrote."`
	Data      string     `arg:"" help:"${predict_data}"`
	Row       []rowRange `required:"" help:"${explain_row}" placeholder:"N"`
	Class     string     `help:"Explain the score of this class (default: the predicted one, of two the second)." placeholder:"CLASS"`
	Training  string     `help:"The rows of the fit: their labels and numbers are said, and columns compared with theirs." placeholder:"DATA"`
	Reference string     `help:"What columns of numbers are compared with." enum:"median,mean" default:"median" placeholder:"median|mean"`
	Top       int        `help:"So many nearest rows, influential rows and columns." default:"5" placeholder:"N"`

	bounded
	source  `group:"Data:"`
	talk    `group:"Running:"`
	threads `group:"Running:"`
}

// Help shows examples.
func (explainCmd) Help() string {
	return `Three things are said of each row. The nearest rows that were learned from, by the distance of scaled features.
The influential ones: the output is a sum over the rows that the model keeps, and these have the largest shares of it. And the
columns that matter: how much of the output goes if a column takes the median of the rows learned from (words: the
most frequent one), and the slope of the output in it. docs/explain.md has the formulas.

A model keeps rows, or weights of linear functions, but no labels: --training names the file of the fit, which has them.
--json prints all columns.

Examples:

    mercer explain rows.mercer new.csv --row 0
    mercer explain rows.mercer new.csv --row 0,7 --training rows.csv --top 10
    mercer explain digits.mercer digits --row 42 --class 8 --json`
}

// explained is what explain --json prints of a row.
type explained struct {
	Row  int    `json:"row"`
	Line int    `json:"line,omitempty"` // of DATA, from 1
	ID   string `json:"id,omitempty"`
	*explain.Explanation
	Lower *float64 `json:"lower,omitempty"`
	Upper *float64 `json:"upper,omitempty"`
}

// Run explains.
func (c *explainCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	m, err := e.loadModel(c.Model)
	if err != nil {
		return err
	}
	var bounds []float64
	if c.Interval != nil {
		if bounds, err = c.bounds(c.Model, m); err != nil {
			return err
		}
	}
	o := explain.Options{Class: c.Class, Top: c.Top, Reference: c.Reference}
	if c.Training != "" {
		for _, file := range c.files() {
			if _, err := os.Stat(file); err == nil {
				return usage("--training with --view %s: further columns are of the rows of one file; put them into the files", file)
			}
		}
		if o.Training, err = e.openFor(m, c.Training, c.source, false, c.talk); err != nil {
			return err
		}
	}
	list, sets, err := c.rows(e, m)
	if err != nil {
		return err
	}
	x, err := explain.New(e.ctx, m, o)
	if err != nil {
		return named(err, c.Model, o.Training)
	}
	for q := range list {
		one, set := &list[q], sets[q]
		if one.Explanation, err = x.Row(e.ctx, set.Rows); err != nil {
			return named(err, c.Data, set)
		}
		if set.Lines != nil {
			one.Line = set.Lines[0]
		}
		if set.ID != nil {
			one.ID = set.ID[0]
		}
		if bounds != nil {
			f := one.Output.Value
			low, high := f+bounds[0], f+bounds[1]
			one.Lower, one.Upper = &low, &high
		}
	}
	if c.JSON {
		return e.printJSON(map[string]any{"model": c.Model, "rows": list})
	}
	var s sheet
	for q, one := range list {
		if q > 0 {
			s.text("")
		}
		s.explanation(one, c.Top)
	}
	err = e.show(s.String())
	return err
}

// check refuses numbers that nothing has.
func (c *explainCmd) check() error {
	if c.Top < 1 {
		return usage("--top %d: must be at least 1", c.Top)
	}
	if c.Training == standard && c.Data == standard {
		return usage("--training -: standard input is DATA already; name a file")
	}
	return c.threads.use()
}

// rows are the numbers of those asked for, and a set of one row for each. DATA is read up to the last of them.
func (c *explainCmd) rows(e *env, m *model.Model) ([]explained, []*data.Set, error) {
	found := make([][]*data.Set, len(c.Row))
	before, last := 0, slices.MaxFunc(c.Row, func(a, b rowRange) int { return cmp.Compare(a.last, b.last) }).last
	for set, err := range e.batchesFor(m, c.Data, m.Table.ID(), c.source, c.talk) {
		if err != nil {
			return nil, nil, err
		}
		after := before + set.Rows.Len()
		for q, r := range c.Row {
			for i := max(r.first, before); i < after && i <= r.last; i++ {
				found[q] = append(found[q], set.Select([]int{i - before}))
			}
		}
		if before = after; before > last {
			var list []explained
			for q, sets := range found {
				for k := range sets {
					list = append(list, explained{Row: c.Row[q].first + k})
				}
			}
			return list, slices.Concat(found...), nil
		}
	}
	return nil, nil, &fault{file: c.Data, what: fmt.Sprintf("has %s, and no row %d; rows count from 0, the header not counted",
		brief.Count(before, "row"), last)}
}
