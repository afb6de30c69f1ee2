package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// experiment is a published experiment that can be run again.
type experiment struct{ ID, Source, Data, Expected string }

// replica is what an experiment gave: the printed numbers beside ours.
type replica struct {
	ID      string
	Rows    []replicaRow
	Seconds float64
	Notes   []string // differences of protocol
}

// replicaRow is one number; Printed is nil where the source shows only a figure.
type replicaRow struct {
	Case, Metric  string
	Printed       *float64
	Ours, OursStd float64
	Runs          int
}

// laboratory runs published experiments.
type laboratory interface {
	List() []experiment
	Run(ctx context.Context, id, dataDir string, progress func(string)) (*replica, error)
}

// reproduceCmd is mercer reproduce.
type reproduceCmd struct {
	IDs     []string `arg:"" optional:"" name:"id" help:"Experiments, as becker-f4.1; without one they are listed."`
	DataDir string   `name:"data" help:"Folder of the data files, named as docs/datasets.md says." placeholder:"DIR"`

	talk    `group:"Running:"`
	threads `group:"Running:"`
}

// Help shows examples.
func (reproduceCmd) Help() string {
	return `Examples:

    mercer reproduce
    mercer reproduce becker-f4.1 --data data
    mercer reproduce becker-f3.1 becker-f3.2 --json`
}

// in lists or runs the experiments of lab.
func (c *reproduceCmd) in(e *env, lab laboratory) error {
	if err := c.use(); err != nil {
		return err
	}
	all := lab.List()
	if len(c.IDs) == 0 {
		return c.list(e, all)
	}
	known := map[string]bool{}
	for _, x := range all {
		known[x.ID] = true
	}
	for _, id := range c.IDs {
		if !known[id] {
			return usage("reproduce %s: no such experiment; mercer reproduce lists them", id)
		}
	}
	for _, id := range c.IDs {
		progress := func(text string) {
			if !c.Quiet {
				e.say("%s: %s", id, text)
			}
		}
		t, err := lab.Run(e.ctx, id, c.DataDir, progress)
		if err != nil {
			return named(err, "", nil)
		}
		if err := c.print(e, t); err != nil {
			return err
		}
	}
	return nil
}

func (c *reproduceCmd) list(e *env, all []experiment) error {
	if c.JSON {
		type line struct {
			ID       string `json:"id"`
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
	rows := [][4]string{{"id", "source", "data", "time"}}
	for _, x := range all {
		rows = append(rows, [4]string{x.ID, x.Source, x.Data, x.Expected})
	}
	var width [3]int
	for _, r := range rows {
		for j := range width {
			width[j] = max(width[j], len([]rune(r[j])))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%-*s  %-*s  %-*s  %s\n", width[0], r[0], width[1], r[1], width[2], r[2], r[3])
	}
	_, err := io.WriteString(e.stdout, b.String())
	return err
}

// print writes one table: for --json an object a line.
func (c *reproduceCmd) print(e *env, t *replica) error {
	if c.JSON {
		type row struct {
			Case    string   `json:"case"`
			Metric  string   `json:"metric"`
			Printed *float64 `json:"printed,omitempty"`
			Ours    float64  `json:"ours"`
			OursStd float64  `json:"ours_std"`
			Runs    int      `json:"runs"`
		}
		rows := make([]row, len(t.Rows))
		for i, r := range t.Rows {
			rows[i] = row(r)
		}
		return e.printJSON(struct {
			ID      string   `json:"id"`
			Rows    []row    `json:"rows"`
			Seconds float64  `json:"seconds"`
			Notes   []string `json:"notes,omitempty"`
		}{t.ID, rows, t.Seconds, t.Notes})
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
