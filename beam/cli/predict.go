package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/work"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/cli"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// predictCmd is mercer-beam predict.
type predictCmd struct {
	Model       string   `arg:"" help:"A file that mercer fit -o or mercer-beam fit -o wrote."`
	Data        []string `arg:"" help:"Patterns of files."`
	Output      string   `short:"o" required:"" help:"${answers}" placeholder:"DIR"`
	ID          string   `name:"id" help:"Column written before the predictions (default: that of mercer fit --id)." placeholder:"COLUMN"`
	Probability bool     `help:"Add a column probability_CLASS for each class."`

	source  `group:"Data:"`
	running `group:"Running:"`
}

// Help shows examples.
func (predictCmd) Help() string {
	return `The columns are those of mercer predict. A file of predictions is written beside its place and then renamed, so that it is whole
or not there. Any model of mercer will do.

Examples:

    mercer-beam predict rows.mercer 'new/*.csv' -o answers
    mercer-beam predict rows.mercer 'new/*.csv.gz' -o answers --probability --id name`
}

// Run predicts.
func (c *predictCmd) Run(e *env) error {
	m, path, err := load(e, c.Model)
	if err != nil {
		return err
	}
	if c.SkipBad > 0 {
		return usage("--skip-bad %d: every row has a prediction; correct the lines that cannot be read", c.SkipBad)
	}
	if c.Probability && !m.HasProbabilities() {
		return fmt.Errorf("%s: this model has no probabilities; fit it with --tune loo:logloss, or leave out --probability", c.Model)
	}
	files, err := absolute(c.Data)
	if err != nil {
		return err
	}
	folder, err := filepath.Abs(c.Output)
	if err != nil {
		return err
	}
	outputs, err := outputs(files, folder)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("-o %s: %w", c.Output, err)
	}
	to, end, err := c.begin(e)
	if err != nil {
		return err
	}
	defer end()
	s := work.Spec{
		Kind: work.Predict, Shards: files, Outputs: outputs, Read: c.options(columns{}), Model: path, ID: c.ID, Probability: c.Probability,
	}
	var done []work.Done
	if err := run(e, s, to, &done); err != nil {
		return err
	}
	rows := 0
	var warnings []read.Warning
	for _, d := range done {
		if rows += d.Rows; d.Rows == 0 {
			c.warn(e, fmt.Sprintf("no rows in %s", files[d.Element]))
		}
		warnings = append(warnings, d.Warnings...)
	}
	c.warn(e, shard.Say(warnings)...)
	if c.JSON {
		return e.printJSON(map[string]any{"rows": rows, "files": len(done), "output": c.Output})
	}
	if !c.Quiet {
		e.say("%d rows of %d files predicted, to %s", rows, len(done), c.Output)
	}
	return nil
}

// outputs names the files of predictions, and refuses shards whose predictions would have one name.
func outputs(files []string, folder string) ([]string, error) {
	list, of := make([]string, len(files)), map[string]string{}
	for i, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".gz")
		name = strings.TrimSuffix(name, filepath.Ext(name)) + ".csv"
		if other, twice := of[name]; twice {
			return nil, usage("%s and %s: both predictions would be %s; predict them one after the other", other, f, name)
		}
		of[name], list[i] = f, filepath.Join(folder, name)
		if list[i] == f {
			return nil, usage("-o %s: would replace %s; name another folder", folder, f)
		}
	}
	return list, nil
}

// load reads a model, which workers find under the path returned.
func load(e *env, name string) (*model.Model, string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, "", err
	}
	m, err := model.Load(e.ctx, path)
	if err != nil && !strings.HasPrefix(err.Error(), path) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return m, path, err
}

// evaluateCmd is mercer-beam evaluate.
type evaluateCmd struct {
	Model string   `arg:"" help:"A file that mercer fit -o or mercer-beam fit -o wrote."`
	Data  []string `arg:"" help:"Patterns of files with labels."`

	source  `group:"Data:"`
	running `group:"Running:"`
}

// Help shows examples.
func (evaluateCmd) Help() string {
	return `Rows without a label are left out; a label never seen in training counts as an error. The measures that need the order of all
outputs, auc, prbep and calibration_error, are those of mercer evaluate alone.

Examples:

    mercer-beam evaluate rows.mercer 'test/*.csv'
    mercer-beam evaluate rows.mercer 'test/*.csv' --json`
}

// Run measures.
func (c *evaluateCmd) Run(e *env) error {
	m, path, err := load(e, c.Model)
	if err != nil {
		return err
	}
	files, err := absolute(c.Data)
	if err != nil {
		return err
	}
	to, end, err := c.begin(e)
	if err != nil {
		return err
	}
	defer end()
	var v work.Measures
	if err := run(e, work.Spec{Kind: work.Evaluate, Shards: files, Read: c.options(columns{}), Model: path}, to, &v); err != nil {
		return err
	}
	if n := len(v.Skipped); n > c.SkipBad {
		return fmt.Errorf("%s: cannot be read, nor can lines before it, and --skip-bad allows %d; correct them, or allow more",
			v.Skipped[n-1], c.SkipBad)
	} else if n > 0 {
		c.warn(e, fmt.Sprintf("left out, as --skip-bad allows: %s", strings.Join(v.Skipped[:min(5, n)], ", ")))
	}
	c.warn(e, shard.Say(v.Warnings)...)
	if v.Rows == 0 {
		return fmt.Errorf("%s: no row of %d files has a label in column %q; name the column with --label", c.Data[0], len(files), m.Label)
	}
	if len(v.Unseen) > 0 {
		n := 0
		for _, rows := range v.Unseen {
			n += rows
		}
		names := slices.Sorted(maps.Keys(v.Unseen))
		c.warn(e, fmt.Sprintf("%d rows with a label never seen in training (%s), counted as errors", n,
			strings.Join(names[:min(5, len(names))], ", ")))
	}
	metrics := v.Metric()
	var moved *result.DriftState
	if rows := v.Spaced.Rows; len(rows) > 0 {
		x := mat.NewDense(len(rows), len(rows[0]), nil)
		for i, row := range rows {
			x.SetRow(i, row)
		}
		if moved, err = m.Drift(e.ctx, data.Rows{Dense: x}); err != nil {
			return err
		}
	}
	classes, counts := v.Classes(m.Classes)
	object, more := cli.Evaluation(v.Rows, metrics, classes, counts, moved)
	if c.JSON {
		return e.printJSON(object)
	}
	text := fmt.Sprintf("%d labelled rows of %d files\n", v.Rows, len(files))
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		text += fmt.Sprintf("%-18s %.6g\n", name, metrics[name])
	}
	text += more
	_, err = io.WriteString(e.stdout, brief.Shown(text))
	return err
}
