package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/reproduce"
)

// reproduceCmd is mercer reproduce.
type reproduceCmd struct {
	IDs     []string `arg:"" optional:"" name:"id" help:"Experiments, as becker-f4.1; without one they are listed."`
	Runs    int      `help:"Random splits of each case; default the published number." placeholder:"N"`
	Only    []string `help:"Sets of an experiment that has several, comma-separated." placeholder:"NAME"`
	Seed    uint64   `default:"1" help:"Of the splits."`
	DataDir string   `name:"data" help:"Folder of the data files, named as docs/datasets.md says." placeholder:"DIR"`

	talk      `group:"Running:"`
	threads   `group:"Running:"`
	reporting `group:"Running:"`
}

// Help shows examples.
func (reproduceCmd) Help() string {
	return `Examples:

    mercer reproduce
    mercer reproduce becker-f4.1 --data data
    mercer reproduce becker-f3.1 becker-f3.2 --json`
}

// Run lists or runs the experiments.
func (c *reproduceCmd) Run(e *env) error {
	if err := c.use(); err != nil {
		return err
	}
	if c.Runs < 0 {
		return usage("--runs %d: must be at least 1, or left out for the published number", c.Runs)
	}
	all := reproduce.List()
	if len(c.IDs) == 0 {
		return c.list(e, all)
	}
	for _, id := range c.IDs {
		if !slices.ContainsFunc(all, func(x reproduce.Experiment) bool { return x.ID == id }) {
			return usage("reproduce %s: no such experiment; mercer reproduce lists them", id)
		}
	}
	if err := c.reporting.check(); err != nil {
		return err
	}
	var tables []*reproduce.Table
	for _, id := range c.IDs {
		o := reproduce.Options{Seed: c.Seed, Runs: c.Runs, Only: c.Only}
		if !c.Quiet {
			o.Progress = func(text string) { e.say("%s: %s", id, text) }
		}
		t, err := reproduce.Run(e.ctx, id, c.DataDir, o)
		if err != nil {
			return named(err, "", nil)
		}
		if err := c.print(e, t); err != nil {
			return err
		}
		tables = append(tables, t)
	}
	if c.Report != "" {
		return writeReproduced(c.Report, tables)
	}
	return nil
}

func (c *reproduceCmd) list(e *env, all []reproduce.Experiment) error {
	if c.JSON {
		type line struct {
			ID       string `json:"id"`
			Title    string `json:"title"`
			Source   string `json:"source"`
			Data     string `json:"data"`
			Expected string `json:"expected_time"`
		}
		lines := make([]line, len(all))
		for i, x := range all {
			lines[i] = line(x)
		}
		return e.printJSON(map[string]any{"experiments": lines})
	}
	rows := [][5]string{{"id", "what", "source", "data", "time"}}
	for _, x := range all {
		rows = append(rows, [5]string{x.ID, x.Title, x.Source, x.Data, x.Expected})
	}
	var width [4]int
	for _, r := range rows {
		for j := range width {
			width[j] = max(width[j], len([]rune(r[j])))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		for j, w := range width {
			fmt.Fprintf(&b, "%-*s  ", w, r[j])
		}
		b.WriteString(r[4] + "\n")
	}
	_, err := io.WriteString(e.stdout, b.String())
	return err
}

// print writes one table: for --json an object a line.
func (c *reproduceCmd) print(e *env, t *reproduce.Table) error {
	if c.JSON {
		return e.printJSON(t)
	}
	width := 0
	for _, r := range t.Rows {
		width = max(width, len([]rune(r.Case+", "+r.Metric)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s s)\n  %-*s  %9s  %9s  %9s  %5s\n", t.ID, seconds(t.Seconds), width, "", "printed", "ours", "± std", "runs")
	for _, r := range t.Rows {
		printed := "-"
		if r.Printed != nil {
			printed = short(*r.Printed)
		}
		fmt.Fprintf(&b, "  %-*s  %9s  %9s  %9s  %5d\n", width, r.Case+", "+r.Metric, printed, short(r.Ours), short(r.OursStd), r.Runs)
	}
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "  note: %s\n", note)
	}
	_, err := io.WriteString(e.stdout, b.String())
	return err
}
