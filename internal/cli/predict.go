package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/model"
)

// predictCmd is mercer predict.
type predictCmd struct {
	Model       string `arg:"" help:"A file that mercer fit -o wrote."`
	Data        string `arg:"" help:"${predict_data}"`
	Output      string `short:"o" help:"Write CSV here instead of standard output." placeholder:"OUT"`
	Member      *int   `help:"Predict with member K of a front that mercer pareto -o wrote (default: the chosen one)." placeholder:"K"`
	ID          string `name:"id" help:"Column written before the predictions (default: that of fit --id)." placeholder:"COLUMN"`
	Probability bool   `help:"Add a column probability_CLASS for each class."`

	bounded
	source  `group:"Data:"`
	talk    `group:"Running:"`
	threads `group:"Running:"`
}

// Help shows examples.
func (predictCmd) Help() string {
	return `The columns are: prediction; score (two classes, positive for the second; regression) or score_CLASS for each
class; probability_CLASS with --probability; lower and upper with --interval.

An interval adds quantiles of the errors that the fit made on labelled rows left out, the same for all rows: below
lower and above upper lies each a share (1-LEVEL)/2 of new answers, if the rows are like those of the fit. That is
right on the average over rows, not for each.

Examples:

    mercer predict rows.mercer new.csv
    mercer predict rows.mercer new.csv -o answers.csv --probability
    mercer predict prices.mercer new.csv --interval 0.9
    zcat new.svm.gz | mercer predict text.mercer - --format libsvm`
}

// Run predicts.
func (c *predictCmd) Run(e *env) error {
	if c.Output == standard {
		c.Output = ""
	}
	if err := e.asTable("-o", c.Output); err != nil {
		return err
	}
	if err := writable("-o", c.Output, append(c.files(), c.Model, c.Data)...); err != nil {
		return err
	}
	if c.Output == "" && e.stdout == os.Stdout && closedStdout() {
		return &fault{file: "standard output", what: "is closed, so that the predictions would be lost; name a file with -o"}
	}
	if err := c.threads.use(); err != nil {
		return err
	}
	m, err := e.loadModel(c.Model)
	if err != nil {
		return err
	}
	front := m.Front != nil
	if c.Member != nil {
		if m, err = m.Member(*c.Member - 1); err != nil {
			return &fault{file: c.Model, what: fmt.Sprintf("--member %d: %v", *c.Member, err)}
		}
	}
	if c.Probability && m.Task == data.Regression {
		return &fault{file: c.Model, what: "this model predicts numbers, which have no probabilities; ask for --interval"}
	}
	if own, ok := method.Find(m.Method); c.Probability && ok && own.Coding.OneClass {
		return &fault{file: c.Model,
			what: "this model says how like those learned from a row is, which is no probability; leave out --probability"}
	}
	if c.Probability && !m.HasProbabilities() && front {
		return &fault{file: c.Model, what: "the members of a front have no probabilities, as no row is left out to fit them on; leave out " +
			"--probability, or fit one model with mercer fit"}
	}
	if c.Probability && !m.HasProbabilities() {
		return &fault{file: c.Model, what: "this model has no probabilities, as nothing was left out to fit them on; fit it with --tune " +
			"loo:logloss or --tune kfold:5, the same --set beside, or leave out --probability"}
	}
	c.ID = cmp.Or(c.ID, m.Table.ID())
	var bounds []float64
	if c.Interval != nil {
		if bounds, err = c.bounds(c.Model, m); err != nil {
			return err
		}
	}
	p := apply.NewAnswers(m, c.Probability, bounds)
	write := func(w io.Writer) error { return c.each(e, m, p, func() error { return p.CSV(w) }) }
	switch {
	case c.Output != "":
		if to := e.writer(c.Output); to != nil {
			write = func(w io.Writer) error { return c.further(e, m, p, to, w) }
		}
		if err := putTable(c.Output, write); err != nil {
			return named(err, c.Output, nil)
		}
		if c.JSON {
			return e.printJSON(map[string]any{"rows": p.Rows, "output": c.Output})
		}
		if !c.Quiet {
			e.say("%s: the answers for %s", c.Output, brief.Count(p.Rows, "row"))
		}
		return nil
	case c.JSON:
		all := apply.NewAnswers(m, c.Probability, bounds)
		if err := c.each(e, m, p, func() error { return named(all.Append(p), c.Data, nil) }); err != nil {
			return err
		}
		return e.printJSON(all.Object())
	}
	return replace.Held(e.stdout, write)
}

// writer is that of the further format of a name, nil without one.
func (p Program) writer(name string) apply.Writer {
	ending := filepath.Ext(strings.ToLower(name))
	for _, w := range p.Writers {
		if ending != "" && slices.Contains(w.Endings(), ending) {
			return w
		}
	}
	return nil
}

// further writes the predictions in a further format.
func (c *predictCmd) further(e *env, m *model.Model, p *apply.Answers, to apply.Writer, w io.Writer) error {
	var out apply.Rows
	err := c.each(e, m, p, func() (err error) {
		columns := p.Columns()
		if out == nil {
			if out, err = to.Begin(w, columns); err != nil {
				return err
			}
		}
		return out.Write(columns)
	})
	if out == nil {
		return err
	}
	return errors.Join(err, out.Close())
}

// each predicts one batch of rows after the other, each followed by a call of done.
func (c *predictCmd) each(e *env, m *model.Model, p *apply.Answers, done func() error) error {
	for set, err := range e.batchesFor(m, c.Data, c.ID, c.source, c.talk) {
		if err != nil {
			return err
		}
		if err := apply.Named(m, set, c.ID); err != nil {
			return err
		}
		if err := p.Predict(e.ctx, set.Rows); err != nil {
			return named(err, c.Data, set)
		}
		if p.ID, p.IDs = "", set.ID; p.IDs != nil {
			p.ID = c.ID
		}
		if err := done(); err != nil {
			return err
		}
	}
	return nil
}
