package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// evaluateCmd is mercer evaluate.
type evaluateCmd struct {
	Model string `arg:"" help:"A file that mercer fit -o wrote."`
	Data  string `arg:"" help:"A file or folder with labels, - for standard input, or a built-in set."`
	Drift bool   `help:"Say only whether the rows look like those learned from, which needs no labels." group:"Data:"`

	source  `group:"Data:"`
	talk    `group:"Running:"`
	threads `group:"Running:"`
}

// Help shows examples.
func (evaluateCmd) Help() string {
	return `Rows without a label are left out; a label never seen in training counts as an error. Of each class:
precision, the share of the rows predicted as it that are it; recall, the share of its rows predicted as it; f1, their
harmonic mean; and as which classes its rows were predicted. Drift: columns, distances to the nearest row learned from, and
outputs whose distribution is another one than in the fit; docs/growing.md says from where on.

Examples:

    mercer evaluate rows.mercer test.csv
    mercer evaluate rows.mercer test.csv --json
    mercer evaluate rows.mercer new.csv --drift`
}

// Run measures.
func (c *evaluateCmd) Run(e *env) error {
	if err := c.threads.use(); err != nil {
		return err
	}
	m, err := e.loadModel(c.Model)
	if err != nil {
		return err
	}
	set, err := e.openFor(m, c.Data, c.source, !c.Drift, c.talk)
	if err != nil {
		return err
	}
	if c.Drift {
		return c.moved(e, m, set)
	}
	_, unseen, err := answer.Known(m, set.Answers)
	if label := new(data.LabelError); errors.As(err, &label) && c.UnlabelledMark == "" {
		label.Remedy += ", or say --unlabelled-mark, if it stands for no label"
	}
	if err != nil {
		return named(err, c.Data, set)
	}
	if len(unseen) > 0 {
		e.warn(c.talk, unseenText(set.Source, unseen))
	}
	metrics, rows, err := mercer.Evaluate(e.ctx, m, set.Rows, set.Answers)
	if err != nil {
		return named(err, c.Data, set)
	}
	if rows == 0 {
		in := ""
		if set.LabelName != "" {
			in = fmt.Sprintf(" in column %q", set.LabelName)
		}
		return &fault{file: set.Source, what: "no row has a label" + in + "; name the column with --label, or give --drift, which needs none"}
	}
	classes, err := confused(e.ctx, m, set)
	if err != nil {
		return named(err, c.Data, set)
	}
	views, err := answer.ViewsOf(e.ctx, m, set.Rows, set.Answers)
	if err != nil {
		return named(err, c.Data, set)
	}
	moved, err := m.Drift(e.ctx, set.Rows)
	if err != nil {
		return named(err, c.Data, set)
	}
	if c.JSON {
		return e.printJSON(classes.object(evaluation{Rows: rows, Metrics: metrics.Finite(), Views: views, Drift: moved}))
	}
	var s sheet
	s.text(brief.Count(rows, "labelled row") + " of " + set.Source)
	var grid [][]string
	for _, name := range allMeasures {
		if v, ok := metrics[name]; ok {
			grid = append(grid, []string{shownAs(name), measure(name, v)})
		}
	}
	s.grid(grid)
	if classes != nil {
		classes.table(&s)
	}
	s.views(views)
	s.drift(moved, m.Table)
	err = e.show(s.String())
	return err
}

// moved tells drift alone.
func (c *evaluateCmd) moved(e *env, m *model.Model, set *data.Set) error {
	d, err := m.Drift(e.ctx, set.Rows)
	if err != nil {
		return named(err, c.Data, set)
	}
	if d == nil || d.Compared == 0 {
		return &fault{file: c.Model, what: "the model remembers nothing of its rows that these could be compared with; fit it anew"}
	}
	rows := set.Rows.Len()
	if c.JSON {
		return e.printJSON(struct {
			Rows  int                `json:"rows"`
			Drift *result.DriftState `json:"drift"`
		}{rows, d})
	}
	var s sheet
	s.text(brief.Count(rows, "row") + " of " + set.Source)
	s.drift(d, m.Table)
	err = e.show(s.String())
	return err
}

// unseenText names the classes that the model does not know.
func unseenText(file string, unseen map[string]int) string {
	names := slices.Sorted(maps.Keys(unseen))
	rows := 0
	for _, n := range unseen {
		rows += n
	}
	const most = 5
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	return fmt.Sprintf(
		"%s: %s with a label never seen in training (%s%s), counted as errors",
		file,
		brief.Count(rows, "row"),
		strings.Join(names, ", "),
		more,
	)
}
