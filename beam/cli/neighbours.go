package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer/beam/neighbours"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/work"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
)

// neighboursCmd is mercer-beam neighbours.
type neighboursCmd struct {
	Data   []string `arg:"" help:"Patterns of files with named columns, CSV or Parquet, in the order of their names."`
	Output string   `short:"o" required:"" help:"Folder for the lists: one CSV file for each shard." placeholder:"DIR"`

	K      int    `short:"k" help:"Neighbours of each row (default: ${default})." default:"10" placeholder:"N"`
	Tables int    `help:"Trees of random projections: more find more, and take longer (default: ${default})." default:"4" placeholder:"N"`
	Bucket int    `help:"Rows that are compared with each other at most (default: ${default})." default:"2000" placeholder:"N"`
	Metric string `help:"euclidean (default) or cosine, of the scaled columns." default:"euclidean" placeholder:"WORD"`
	Seed   uint64 `help:"Seed of the projections (default: ${default})." default:"1" placeholder:"N"`

	source  `group:"Data:"`
	columns `group:"Data:"`
	Scale   string `help:"auto, none, standard, minmax or unit." group:"Data:" placeholder:"KIND"`

	running `group:"Running:"`
}

// Help shows examples.
func (neighboursCmd) Help() string {
	return `The nearest rows of every row of all shards, as row,neighbour,distance: rows are numbered from 0 over the shards in their order,
nearest first. Rows are shared out among buckets by trees of random projections and compared inside their buckets, so that a
neighbour is missed where no tree has both in one bucket. How many are found is measured on rows whose exact lists are
computed, and printed. A table of no more rows than --bucket has exact lists.

A column called label, target or class, or a last one of words, is no feature; --label, --drop and --features say otherwise.
All others must be numbers, without missing cells.

Examples:

    mercer-beam neighbours 'shards/*.csv' -k 10 -o lists
    mercer-beam neighbours 'shards/*.parquet' -o lists --tables 8 --bucket 5000 --metric cosine --scale none`
}

// neighboursResult is what neighbours --json prints.
type neighboursResult struct {
	Rows    int     `json:"rows"`
	Files   int     `json:"files"`
	K       int     `json:"k"`
	Tables  int     `json:"tables"`
	Buckets int     `json:"buckets"` // of the first table
	Largest int     `json:"largest"` // rows of the largest bucket before it was cut again
	Pairs   int     `json:"pairs"`
	Short   int     `json:"short"`       // rows with fewer than k neighbours
	Recall  float64 `json:"recall"`      // share of the exact neighbours of some rows that were found
	Sample  int     `json:"recall_rows"` // these rows
	Output  string  `json:"output"`
}

// Run finds lists.
func (c *neighboursCmd) Run(e *env) error {
	p := neighbours.Plan{Job: neighbours.Job{K: c.K, Tables: c.Tables, Bucket: c.Bucket, Scale: c.Scale, Seed: c.Seed}}
	if err := p.Metric.UnmarshalText([]byte(c.Metric)); err != nil {
		return usage("--metric %s: choose %s or %s", c.Metric, graph.Euclidean, graph.Cosine)
	}
	if err := p.Check(); err != nil {
		return usage("%v", err)
	}
	switch c.Scale {
	case "", data.ScaleAuto, data.ScaleNone, data.ScaleStandard, data.ScaleMinMax, data.ScaleUnit:
	default:
		return usage("--scale %s: choose auto, none, standard, minmax or unit", c.Scale)
	}
	options := c.options(c.columns)
	options.Unlabelled = true
	table, err := survey(e, c.Data, options)
	if err != nil {
		return err
	}
	if table.Features == nil {
		return fmt.Errorf("%s: columns are numbered; give CSV or Parquet, whose columns have names", table.Shards[0])
	}
	p.Features, p.Label, p.Shards = table.Features, table.LabelName, len(table.Shards)
	c.warn(e, shard.Say(table.Warnings)...)
	for _, f := range table.Empty {
		c.warn(e, fmt.Sprintf("%s has no row", f))
	}
	folder, err := filepath.Abs(c.Output)
	if err != nil {
		return err
	}
	s := work.Spec{Shards: table.Shards, Read: options}
	if s.Outputs, err = outputs(table.Shards, folder); err != nil {
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
	r, err := c.passes(&p, &passes{e: e, spec: s, to: to})
	if err != nil {
		return err
	}
	return c.print(e, r)
}

// passes are the four of package neighbours.
func (c *neighboursCmd) passes(p *neighbours.Plan, by *passes) (*neighboursResult, error) {
	drawn, err := planned[neighbours.Drawn](by, work.Draw, nil, p)
	if err != nil {
		return nil, err
	}
	if left := len(drawn.Skipped); left > c.SkipBad {
		return nil, fmt.Errorf("%s: cannot be read, nor can lines before it, and --skip-bad allows %d; correct them, or allow more",
			drawn.Skipped[left-1], c.SkipBad)
	} else if left > 0 {
		c.warn(by.e, fmt.Sprintf("left out, as --skip-bad allows: %s", strings.Join(drawn.Skipped[:min(5, left)], ", ")))
	}
	if err := p.Cut(drawn); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Data[0], err)
	}
	routed, err := planned[neighbours.Routed](by, work.Route, nil, p)
	if err != nil {
		return nil, err
	}
	largest := p.Share(routed)
	by.spec.Groups = len(p.Groups)
	if _, err := planned[neighbours.Found](by, work.Search, nil, p); err != nil {
		return nil, err
	}
	merged, err := planned[neighbours.Merged](by, work.Merge, nil, p)
	if err != nil {
		return nil, err
	}
	r := &neighboursResult{
		Rows: merged.Rows, Files: len(by.spec.Shards), K: c.K, Tables: len(p.Trees), Buckets: p.Trees[0].Leaves, Largest: largest,
		Pairs: merged.Pairs, Short: merged.Short, Output: c.Output,
	}
	r.Recall, r.Sample = p.Recall(routed, merged)
	return r, nil
}

// print tells what was found.
func (c *neighboursCmd) print(e *env, r *neighboursResult) error {
	if c.JSON {
		return e.printJSON(r)
	}
	_, err := fmt.Fprintf(e.stdout, `%d rows of %d files, %d neighbours each
  buckets    %d, in %d tables; the largest had %d rows
  recall     %.4f of the exact neighbours of %d rows
  lists      %s
`, r.Rows, r.Files, r.K, r.Buckets, r.Tables, r.Largest, r.Recall, r.Sample, r.Output)
	if err == nil && r.Short > 0 {
		c.warn(e, fmt.Sprintf("%d rows have fewer than %d neighbours; give more --tables, or a larger --bucket", r.Short, r.K))
	}
	return err
}
