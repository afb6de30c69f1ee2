package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/model"
)

// predictCmd is mercer predict.
type predictCmd struct {
	Model       string `arg:"" help:"A file that mercer fit -o wrote."`
	Data        string `arg:"" help:"A file, - for standard input, or a built-in set; columns are matched by name, a label column is not needed."`
	Output      string `short:"o" help:"Write CSV here instead of standard output." placeholder:"OUT"`
	Member      *int   `help:"Predict with member K of a front that mercer pareto -o wrote (default: the chosen one)." placeholder:"K"`
	Probability bool   `help:"Add a column probability_CLASS for each class."`

	bounded
	source  `group:"Data:"`
	talk    `group:"Running:"`
	threads `group:"Running:"`
}

// Help shows examples.
func (predictCmd) Help() string {
	return `The columns are: prediction; score (two classes, positive for the second; regression) or score_CLASS for each class; probability_CLASS with --probability; lower and upper with --interval.

An interval adds quantiles of the errors that the fit made on labelled rows left out, the same for all rows: below lower and above upper lies each a share (1-LEVEL)/2 of new answers, if the rows are like those of the fit. That is right on the average over rows, not for each.

Examples:

    mercer predict rows.mercer new.csv
    mercer predict rows.mercer new.csv -o answers.csv --probability
    mercer predict prices.mercer new.csv --interval 0.9
    zcat new.svm.gz | mercer predict text.mercer - --format libsvm`
}

// Run predicts.
func (c *predictCmd) Run(e *env) error {
	if err := writable(c.Output, c.Model, c.Data); err != nil {
		return err
	}
	if c.Output == "" && e.stdout == os.Stdout && closedStdout() {
		// Not an error: programs that start this one with the null device for output look the same.
		e.warn(c.talk, "standard output is closed, so that the predictions are lost; name a file with -o")
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
	if c.Interval != nil {
		if _, _, err := c.bounds(c.Model, m); err != nil {
			return err // before the rows are read
		}
	}
	set, err := e.openFor(m, c.Data, c.source, false, c.talk)
	if err != nil {
		return err
	}
	p, err := c.columns(e, m, set)
	if err != nil {
		return named(err, c.Data, set)
	}
	if c.Output != "" {
		if err := replace.File(c.Output, p.csv); err != nil {
			return named(err, c.Output, nil)
		}
		if c.JSON {
			return e.printJSON(map[string]any{"rows": set.Rows.Len(), "output": c.Output})
		}
		return nil
	}
	if c.JSON {
		return e.printJSON(p.object(set.Rows.Len()))
	}
	return p.csv(e.stdout)
}

// predictions are the columns of the answer.
type predictions struct {
	names  []string
	class  []string    // first column of a classification, nil for regression
	values [][]float64 // other columns
}

// predictBlock rows are predicted between two looks at the context.
const predictBlock = 8192

// columns predicts all rows.
func (c *predictCmd) columns(e *env, m *model.Model, set *data.Set) (*predictions, error) {
	n := set.Rows.Len()
	out := mat.NewDense(n, m.Outputs(), nil)
	for lo := 0; lo < n; lo += predictBlock {
		if err := e.ctx.Err(); err != nil {
			return nil, err
		}
		rows := make([]int, min(predictBlock, n-lo))
		for i := range rows {
			rows[i] = lo + i
		}
		part, err := m.Predict(set.Rows.Select(rows))
		var far *model.RowError
		if errors.As(err, &far) {
			err = &model.RowError{Row: lo + far.Row}
		}
		if err != nil {
			return nil, err
		}
		out.Slice(lo, lo+len(rows), 0, m.Outputs()).(*mat.Dense).Copy(part)
	}
	p := &predictions{names: []string{"prediction"}}
	add := func(name string, of *mat.Dense, j int) {
		p.names = append(p.names, name)
		p.values = append(p.values, mat.Col(nil, j, of))
	}
	if m.Task == data.Regression {
		p.values = append(p.values, mat.Col(nil, 0, out))
	} else {
		p.class = make([]string, n)
		for i, k := range m.Decide(out) {
			p.class[i] = m.Classes[k]
		}
	}
	scores := m.Coding().Scores(out)
	if _, columns := scores.Dims(); columns == 1 {
		add("score", scores, 0)
	} else {
		for k, class := range m.Classes {
			add("score_"+class, scores, k)
		}
	}
	if c.Probability {
		prob, err := m.Probabilities(out)
		if err != nil {
			return nil, err
		}
		for k, class := range m.Classes {
			add("probability_"+class, prob, k)
		}
	}
	if c.Interval != nil {
		lower, upper, err := c.bounds(c.Model, m)
		if err != nil {
			return nil, err
		}
		add("lower", shifted(out, lower), 0)
		add("upper", shifted(out, upper), 0)
	}
	return p, nil
}

// csv writes the columns with a header.
func (p *predictions) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	err := out.Write(p.names)
	n := len(p.values[0])
	record := make([]string, 0, len(p.names))
	for i := 0; i < n && err == nil; i++ {
		record = record[:0]
		if p.class != nil {
			record = append(record, p.class[i])
		}
		for _, v := range p.values {
			record = append(record, strconv.FormatFloat(v[i], 'g', -1, 64))
		}
		err = out.Write(record)
	}
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return err
}

// object is the answer for --json: each column under its name.
func (p *predictions) object(n int) map[string]any {
	o := map[string]any{"rows": n}
	names := p.names
	if p.class != nil {
		o[names[0]] = p.class
		names = names[1:]
	}
	for j, v := range p.values {
		o[names[j]] = v
	}
	return o
}
