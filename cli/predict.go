package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
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
	if err := writable(c.Output, c.Model, c.Data); err != nil {
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
	if c.Member != nil {
		if m, err = m.Member(*c.Member - 1); err != nil {
			return &fault{file: c.Model, what: fmt.Sprintf("--member %d: %v", *c.Member, err)}
		}
	}
	if c.Probability && !m.HasProbabilities() {
		return &fault{
			file: c.Model,
			what: "this model has no probabilities, as nothing was left out to fit them on; fit it with --tune loo or --tune kfold:5, the same " +
				"--set beside, or leave out --probability",
		}
	}
	if m.Table != nil && c.ID == "" {
		if id := m.Table.Column(data.KindID); id != nil {
			c.ID = id.Name
		}
	}
	p, err := c.names(m)
	if err != nil {
		return err
	}
	if c.Interval != nil {
		if p.bounds, err = c.bounds(c.Model, m); err != nil {
			return err
		}
		p.names = append(p.names, "lower", "upper")
	}
	write := func(w io.Writer) error { return c.each(e, m, p, func() error { return p.csv(w) }) }
	switch {
	case c.Output != "":
		if err := replace.File(c.Output, write); err != nil {
			return named(err, c.Output, nil)
		}
		if c.JSON {
			return e.printJSON(map[string]any{"rows": p.rows, "output": c.Output})
		}
		return nil
	case c.JSON:
		all := &predictions{names: p.names}
		if err := c.each(e, m, p, func() error { all.append(p); return nil }); err != nil {
			return err
		}
		return e.printJSON(all.object())
	}
	return replace.Held(e.stdout, write)
}

// predictions are the columns of the answer for a batch of rows.
type predictions struct {
	id     string   // name of the column of names of rows, "": there is none
	ids    []string // of the rows of this batch
	names  []string
	quoted []string    // classes as they stand in CSV
	rows   int         // in this batch and all before it
	kind   []int       // class numbers, nil for regression
	class  []string    // first column of a classification, nil for regression
	values [][]float64 // other columns
	bounds []float64   // what is added to a number for its interval's bounds
}

// names are the predictions before the first batch.
func (c *predictCmd) names(m *model.Model) (*predictions, error) {
	p := &predictions{names: []string{"prediction"}}
	if coding := m.Coding(); coding.Outputs() == 1 {
		p.names = append(p.names, "score")
	} else {
		for _, class := range m.Classes {
			p.names = append(p.names, "score_"+class)
		}
	}
	for _, class := range m.Classes {
		if c.Probability {
			p.names = append(p.names, "probability_"+class)
		}
		p.quoted = append(p.quoted, csvText(class))
	}
	return p, nil
}

// csvText is a text as it stands in CSV.
func csvText(text string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{text, ""}) // a builder takes everything
	w.Flush()
	return strings.TrimSuffix(b.String(), ",\n")
}

// each predicts one batch of rows after the other, each followed by a call of done.
func (c *predictCmd) each(e *env, m *model.Model, p *predictions, done func() error) error {
	for set, err := range e.batchesFor(m, c.Data, c.ID, c.source, c.talk) {
		if err != nil {
			return err
		}
		if err := p.predict(e.ctx, m, set.Rows, c.Probability); err != nil {
			return named(err, c.Data, set)
		}
		if p.id, p.ids = "", set.ID; p.ids != nil {
			p.id = c.ID
		}
		if err := done(); err != nil {
			return err
		}
	}
	return nil
}

// predict stores the columns of a batch.
func (p *predictions) predict(ctx context.Context, m *model.Model, rows data.Rows, probability bool) error {
	out, err := m.Predict(ctx, rows)
	if err != nil {
		return err
	}
	p.rows += rows.Len()
	p.class, p.values = p.class[:0], p.values[:0]
	add := func(of *mat.Dense) {
		_, columns := of.Dims()
		for j := range columns {
			p.values = append(p.values, mat.Col(nil, j, of))
		}
	}
	if m.Task == data.Regression {
		add(out)
	} else {
		p.kind = m.Decide(out)
		for _, k := range p.kind {
			p.class = append(p.class, m.Classes[k])
		}
	}
	add(m.Coding().Scores(out))
	if probability {
		of, err := m.Probabilities(out)
		if err != nil {
			return err
		}
		add(of)
	}
	for _, d := range p.bounds {
		add(shifted(out, d))
	}
	return nil
}

// append adds the rows of a batch.
func (p *predictions) append(batch *predictions) {
	p.rows = batch.rows
	p.class = append(p.class, batch.class...)
	p.id, p.ids = batch.id, append(p.ids, batch.ids...)
	if p.values == nil {
		p.values = make([][]float64, len(batch.values))
	}
	for j, v := range batch.values {
		p.values[j] = append(p.values[j], v...)
	}
}

// csv writes the columns, those of the first batch with a header.
func (p *predictions) csv(w io.Writer) error {
	n := len(p.values[0])
	if p.rows == n {
		out := csv.NewWriter(w)
		names := p.names
		if p.id != "" {
			names = append([]string{p.id}, names...)
		}
		if err := out.Write(names); err != nil {
			return err
		}
		out.Flush()
		if err := out.Error(); err != nil {
			return err
		}
	}
	var line []byte
	for i := range n {
		line = line[:0]
		if p.id != "" {
			line = append(append(line, csvText(p.ids[i])...), ',')
		}
		if p.kind != nil {
			line = append(append(line, p.quoted[p.kind[i]]...), ',')
		}
		for _, v := range p.values {
			line = append(strconv.AppendFloat(line, v[i], 'g', -1, 64), ',')
		}
		line[len(line)-1] = '\n'
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// object is the answer for --json: each column under its name.
func (p *predictions) object() map[string]any {
	o := map[string]any{"rows": p.rows}
	names := p.names
	if p.id != "" {
		o[p.id] = p.ids
	}
	if p.class != nil {
		o[names[0]] = p.class
		names = names[1:]
	}
	for j, v := range p.values {
		o[names[j]] = v
	}
	return o
}
