package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/reproduce"
	"github.com/mercer-ml/mercer/internal/results"
)

// reproduceCmd is mercer reproduce.
type reproduceCmd struct {
	IDs     []string `arg:"" optional:"" name:"id" help:"Experiments, as becker-f4.1; without one they are listed."`
	Runs    *int     `help:"Random splits of each case; default the published number." placeholder:"N"`
	Only    []string `help:"Sets of an experiment that has several, comma-separated." placeholder:"NAME"`
	Seed    uint64   `default:"1" help:"Seed of the random splits (default: 1)."`
	Sources bool     `help:"Print what of the five sources is where, as docs/sources.md has it; nothing is run."`
	// Markdown files are of docs/results, each written by the command that stands in it.
	Markdown string `help:"Write the tables as Markdown, with the command, the date and the machine, to FILE." placeholder:"FILE"`
	DataDir  string `name:"data" help:"Folder of the data files, named as docs/datasets.md says." placeholder:"DIR"`

	talk      `group:"Running:"`
	threads   `group:"Running:"`
	reporting `group:"Running:"`
}

// Help shows examples.
func (reproduceCmd) Help() string {
	return `Examples:

    mercer reproduce
    mercer reproduce --sources
    mercer reproduce becker-f4.1 --data data
    mercer reproduce becker-f3.1 becker-f3.2 --json
    mercer reproduce becker-f4.3 --data data --markdown becker-f4.3.md`
}

// Run lists or runs the experiments.
func (c *reproduceCmd) Run(e *env) error {
	if err := c.use(); err != nil {
		return err
	}
	runs := 0 // the published number
	if c.Runs != nil {
		if runs = *c.Runs; runs < 1 {
			return usage("--runs %d: must be at least 1, or left out for the published number", runs)
		}
	}
	if c.Sources {
		if len(c.IDs) > 0 {
			return usage("reproduce --sources runs nothing; leave the ids out")
		}
		return reproduce.Sources(e.stdout)
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
	if c.Markdown == standard {
		return usage("--markdown -: standard output has the tables as text; name a file")
	}
	if err := writable("--markdown", c.Markdown); err != nil {
		return err
	}
	start, load := time.Now(), results.Load()
	var tables []*reproduce.Table
	for _, id := range c.IDs {
		o := reproduce.Options{Seed: c.Seed, Runs: runs, Only: c.Only}
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
	if c.Markdown != "" {
		if err := c.markdown(tables, start, load); err != nil {
			return err
		}
	}
	if c.Report != "" {
		return writeReproduced(c.Report, tables)
	}
	return nil
}

// markdown writes the tables to a file.
func (c *reproduceCmd) markdown(tables []*reproduce.Table, start time.Time, load string) error {
	repeated := *c
	if repeated.DataDir != "" {
		repeated.DataDir = "DIR"
	}
	h := results.Heading{
		Title:   "Published experiments, run again: " + strings.Join(c.IDs, ", "),
		Command: command("reproduce", &repeated),
		Time:    start,
		Load:    load,
		Code:    results.OfCode(c.Markdown),
	}
	var b bytes.Buffer
	for k, t := range tables {
		if k > 0 {
			b.WriteByte('\n')
		}
		markdownTable(&b, t)
	}
	return named(h.File(c.Markdown, b.Bytes()), c.Markdown, nil)
}

// markdownTable writes an experiment as a section: source, numbers, notes.
func markdownTable(b *bytes.Buffer, t *reproduce.Table) {
	all := reproduce.List()
	x := all[slices.IndexFunc(all, func(x reproduce.Experiment) bool { return x.ID == t.ID })]
	fmt.Fprintf(
		b,
		"## %s: %s\n\n%s. Took %s s.\n\n| case | printed | ours | ± std | runs |\n|---|---|---|---|---|\n",
		t.ID,
		x.Title,
		x.Source,
		seconds(t.Seconds),
	)
	cell := strings.NewReplacer("|", "\\|")
	for _, r := range t.Rows {
		printed := ""
		if r.Printed != nil {
			printed = short(*r.Printed)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %d |\n", cell.Replace(r.Case+", "+r.Metric), printed, short(r.Ours), short(r.OursStd), r.Runs)
	}
	for k, note := range t.Notes {
		if k == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "* %s\n", note)
	}
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
	err := e.show(b.String())
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
	err := e.show(b.String())
	return err
}
