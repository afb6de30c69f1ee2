// Package reproduce runs published experiments again and puts the printed numbers beside ours. The folder experiments
// describes them, and the notes say every difference of protocol; what runs them is in the files of a source.
//
// A new experiment is a description there and a row of the table of protocols.
package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
)

// Experiment says what an experiment is and needs.
type Experiment struct {
	ID       string // source, t (table) or f (figure), number
	Title    string
	Source   string // author, year, section
	Data     string // files or built-in sets
	Expected string // time on two cores
}

// Options of a run. The zero value repeats the published number of runs with seed 0.
type Options struct {
	Seed     uint64
	Runs     int          // random splits; 0 = the published number. Experiments without chance ignore it
	Only     []string     // sets, of experiments that have several that take long; nil: all
	Progress func(string) // told what is being done; may be nil
}

// Row is one number of a table: the mean and sample standard deviation over
// Runs splits. Printed is nil where the source shows only a figure.
type Row struct {
	Case    string   `json:"case"`
	Metric  string   `json:"metric"`
	Printed *float64 `json:"printed,omitempty"`
	Ours    float64  `json:"ours"`
	OursStd float64  `json:"ours_std"`
	Runs    int      `json:"runs"`
}

// Table is the outcome of an experiment. Notes are the differences of protocol and what the numbers show.
type Table struct {
	ID      string   `json:"id"`
	Rows    []Row    `json:"rows"`
	Seconds float64  `json:"seconds"`
	Notes   []string `json:"notes,omitempty"`
	Figures []Figure `json:"figures,omitempty"`
}

// experiment is an Experiment with the code that runs it.
type experiment struct {
	Experiment
	runs  int      // published number of splits
	sets  []string // that Options.Only may choose from
	notes []string // differences of protocol, and what the numbers show
	run   protocol

	printed []*printedTable // numbers of the source beside those that the run gives
	tables  []*printedTable // those for the protocol
	open    *printedTable   // what is being read
}

// protocol runs an experiment; steps.go says how it ends where a step fails.
type protocol func(ctx context.Context, l *lab)

// experiments are those that the files describe, with their protocols.
func experiments() []experiment {
	run := protocols()
	var all []experiment
	for _, source := range []string{"becker", "sindhwani", "klatzer", "kokshenev", "fit"} {
		for _, e := range describe(source).experiments {
			e.run = run[e.ID]
			all = append(all, e)
		}
	}
	return all
}

// List returns the experiments.
func List() []Experiment {
	all := experiments()
	list := make([]Experiment, len(all))
	for i, e := range all {
		list[i] = e.Experiment
	}
	return list
}

// Run runs the experiment called id; dataDir holds the data files. An unknown id is an error that lists the known ones; a
// missing file is one that names the file. When ctx ends the run its error is returned and no table.
func Run(ctx context.Context, id, dataDir string, o Options) (*Table, error) {
	var ids []string
	for _, e := range experiments() {
		ids = append(ids, e.ID)
		if e.ID != id {
			continue
		}
		if o.Runs < 0 {
			return nil, fmt.Errorf("%s: %d runs; give a positive number, or 0 for the published %d", id, o.Runs, e.runs)
		}
		for _, name := range o.Only {
			if !slices.Contains(e.sets, name) {
				return nil, fmt.Errorf("%s: no set %q to choose; it has %s", id, name, cmp.Or(strings.Join(e.sets, ", "), "none"))
			}
		}
		l := &lab{id: id, dataDir: dataDir, seed: o.Seed, runs: o.Runs, only: o.Only, progress: o.Progress, at: map[[2]string]*cell{}}
		if l.runs == 0 || e.runs == 1 {
			l.runs = e.runs
		}
		if l.runs != e.runs {
			l.note("%d random splits instead of %d", l.runs, e.runs)
		}
		if len(l.only) > 0 {
			l.note("only %s of %s", strings.Join(l.only, ", "), strings.Join(e.sets, ", "))
		}
		asked, start := len(l.notes), time.Now()
		if err := caught(func() { e.run(ctx, l) }); err != nil {
			return nil, err
		}
		l.beside(e.printed)
		l.notes = slices.Concat(l.notes[:asked], e.complete(l.notes[asked:], l.runs))
		return l.table(time.Since(start).Seconds()), nil
	}
	return nil, fmt.Errorf("no experiment %q; one of %s", id, strings.Join(ids, ", "))
}

// lab is one run of an experiment: what was asked for and the numbers so far.
type lab struct {
	id, dataDir string
	seed        uint64
	runs        int
	only        []string
	progress    func(string)

	cells   []*cell
	at      map[[2]string]*cell
	notes   []string
	figures []Figure
}

// cell collects the values of a row, one a split.
type cell struct {
	Row
	values []float64
	worst  bool
}

// wants says whether a set is to be run.
func (l *lab) wants(set string) bool { return len(l.only) == 0 || slices.Contains(l.only, set) }

// wanted are those of a list whose sets are to be run, with their places in it.
func wanted[T interface{ title() string }](l *lab, list []T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for k, v := range list {
			if l.wants(v.title()) && !yield(k, v) {
				return
			}
		}
	}
}

func (l *lab) say(format string, args ...any) {
	if l.progress != nil {
		l.progress(fmt.Sprintf(format, args...))
	}
}

func (l *lab) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

func (l *lab) cell(name, metric string) *cell {
	key := [2]string{name, metric}
	c, ok := l.at[key]
	if !ok {
		c = &cell{Row: Row{Case: name, Metric: metric}}
		l.at[key] = c
		l.cells = append(l.cells, c)
	}
	return c
}

// add adds a split's value to a row, which is made when first named.
func (l *lab) add(name, metric string, v float64) {
	c := l.cell(name, metric)
	c.values = append(c.values, v)
}

// most is add for a row that shows the largest value of any split.
func (l *lab) most(name, metric string, v float64) {
	l.add(name, metric, v)
	l.cell(name, metric).worst = true
}

// printed sets the number that the source prints.
func (l *lab) printed(name, metric string, v float64) { l.cell(name, metric).Printed = &v }

// beside sets printed numbers of the rows that there are.
func (l *lab) beside(tables []*printedTable) {
	for _, t := range tables {
		for k, name := range t.cases {
			for m, metric := range t.metrics {
				if c, ok := l.at[[2]string{name, metric}]; ok {
					c.Printed = &t.values[k][m]
				}
			}
		}
	}
}

// printedOf sets those of several rows of a case.
func (l *lab) printedOf(name string, metrics []string, v []float64) {
	for k, metric := range metrics {
		l.printed(name, metric, v[k])
	}
}

// aside is a lab for numbers that are not those of the table.
func (l *lab) aside() *lab {
	return &lab{id: l.id, dataDir: l.dataDir, seed: l.seed, runs: l.runs, progress: l.progress, at: map[[2]string]*cell{}}
}

func (l *lab) table(seconds float64) *Table {
	t := &Table{ID: l.id, Seconds: seconds, Notes: l.notes, Figures: l.figures}
	for _, c := range l.cells {
		c.Ours, c.OursStd = meanStd(c.values)
		if c.worst {
			c.OursStd = 0
			for _, v := range c.values {
				c.Ours = max(c.Ours, v)
			}
		}
		c.Runs = len(c.values)
		t.Rows = append(t.Rows, c.Row)
	}
	return t
}

func mean(v []float64) float64 {
	m, _ := meanStd(v)
	return m
}

// meanStd returns the mean and the standard deviation with divisor n - 1, 0 for
// one value. Either is 0 where it is no more than the rounding of its values.
func meanStd(v []float64) (mean, std float64) {
	n, largest := float64(max(len(v), 1)), 0.0
	for _, x := range v {
		mean += x
		largest = max(largest, math.Abs(x))
	}
	mean /= n
	for _, x := range v {
		std += (x - mean) * (x - mean)
	}
	std = math.Sqrt(std / max(n-1, 1))
	const rounding = 1e-13 // of a few hundred sums in double precision
	if math.Abs(mean) < rounding*largest {
		mean = 0
	}
	if std < rounding*largest {
		std = 0
	}
	return mean, std
}
