// Package tables fits dirty tables with plain mercer fit and says how well it does on rows that it has not seen, beside scikit-learn: a
// pipeline of imputer, one-hot coding, scaler and GridSearchCV of SVC or SVR, and HistGradientBoosting. The tables are made of clean ones
// by the recipes of recipes.go. Mercer reads them as they are; the peers are given them read rightly: numbers as numbers, dates as days,
// ids left out.
//
// A quarter of the rows is hidden. A model is sensible if its task is the one that was meant and its error on the hidden quarter is below
// that of the commonest class, or of the mean.
package tables

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// rowsOf a table at most, so that all of them take minutes.
const rowsOf = 400

// Declare is the measurement.
func Declare(f *measure.Flags) func() measure.Page {
	data, sets, given, python := f.Data(), f.Sets(), f.Mercer(), f.Python()
	keep := f.String("keep", "", "write the tables into this folder, and leave them there")
	after := f.Duration("interrupt", 0, "interrupt each fit after so long, and say how long it takes to end, in the place of errors")
	limit := f.Duration("limit", 0, "give each fit this time limit, and say how long it takes beyond it, in the place of errors")
	return func() measure.Page {
		return measure.Page{Title: "Tables as people have them", Write: func(ctx context.Context, w io.Writer) error {
			return process.Within(ctx, *given, func(program, folder string) error {
				if *keep != "" {
					folder = *keep
				}
				o := measure.Options{Data: *data, Sets: *sets, Program: program, Python: *python}
				if *after+*limit > 0 {
					return interrupt(ctx, w, o, folder, ending{*after, *limit})
				}
				return compareAll(ctx, w, o, folder)
			})
		}}
	}
}

// errors of a table: share of errors, or root mean square.
type scores struct {
	Trivial  float64 `json:"trivial"`
	Pipeline float64 `json:"pipeline"`
	Boosting float64 `json:"boosting"`
}

// compareAll fits all tables and prints a line for each.
func compareAll(ctx context.Context, w io.Writer, o measure.Options, folder string) error {
	fmt.Fprintln(w, "| table | what is dirty | task | trivial | mercer | SVC or SVR | boosting | sensible | CPU s "+
		"|\n|---|---|---|---|---|---|---|---|---|")
	var all total
	for _, r := range recipes() {
		if !measure.Wanted(o.Sets, r.set) {
			continue
		}
		if err := r.compare(ctx, w, o, folder, &all); err != nil {
			return fmt.Errorf("%s, %s: %w", r.set, r.dirt, err)
		}
	}
	all.say(w)
	return nil
}

// interrupt makes every table and ends its fit early.
func interrupt(ctx context.Context, w io.Writer, o measure.Options, folder string, end ending) error {
	fmt.Fprintf(w, "| table | the fit | s from the %s to the end |\n|---|---|---|\n", end.by())
	var all interrupts
	for _, r := range recipes() {
		if !measure.Wanted(o.Sets, r.set) {
			continue
		}
		if _, err := r.written(ctx, o, folder); err != nil {
			return err
		}
		at := filepath.Join(folder, r.name())
		if err := all.ended(ctx, w, o.Program, r.set+", "+r.dirt, at, end); err != nil {
			return fmt.Errorf("%s, %s: %w", r.set, r.dirt, err)
		}
	}
	all.say(w, end)
	return nil
}

// total sums up.
type total struct {
	tables, sensible   int
	pipeline, boosting versus
	ratios             [2]float64 // sums of the errors over those of the trivial answer: ours, the pipeline's
}

func (t *total) say(w io.Writer) {
	n := float64(max(1, t.tables))
	fmt.Fprintf(w, "\nErrors on the hidden quarter: share of rows in %%, or root mean square error. %d of %d models are sensible. "+
		"The mean of the errors, each over that of the trivial answer, is %.3f, and %.3f of scikit-learn's pipeline with SVC or SVR. "+
		"Mercer's error is below the pipeline's on %d tables, as it on %d and above on %d; below that of boosting on %d, as it on %d and "+
		"above on %d.\n", t.sensible, t.tables, t.ratios[0]/n, t.ratios[1]/n, t.pipeline[0], t.pipeline[1], t.pipeline[2],
		t.boosting[0], t.boosting[1], t.boosting[2])
}

// versus counts tables by our error beside another: below it, the same, above it.
type versus [3]int

func (v *versus) add(ours, other float64) { v[cmp.Compare(ours, other)+1]++ }

// written makes a table and writes it, and its hidden rows, into the folder.
func (r recipe) written(ctx context.Context, o measure.Options, folder string) (*made, error) {
	source := r.set
	if o.Data != "" && r.file != "" {
		source = filepath.Join(o.Data, r.file)
	}
	set, _, err := read.Open(ctx, source, read.Options{})
	if err != nil {
		return nil, err
	}
	m := r.make(set)
	for part, ending := range []string{".csv", ".hidden.csv"} {
		if err := os.WriteFile(filepath.Join(folder, r.name()+ending), m.text(part == 1), 0o600); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// compare makes a table, fits it and prints a line.
func (r recipe) compare(ctx context.Context, w io.Writer, o measure.Options, folder string, all *total) error {
	made, err := r.written(ctx, o, folder)
	if err != nil {
		return err
	}
	at := func(ending string) string { return filepath.Join(folder, r.name()+ending) }
	clean, err := json.Marshal(made.clean())
	if err != nil {
		return err
	}
	if err := os.WriteFile(at(".json"), clean, 0o600); err != nil {
		return err
	}
	fit, ours := struct{ Task string }{"refused"}, 0.0
	cost, fault := process.Fit(ctx, o.Program, &fit, at(".csv"), "-o", at(".mercer"))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if fault == nil {
		ours, fault = judged(ctx, o.Program, at)
	}
	_, text, err := process.Timed(ctx, o.Python, "tools/lab/tables/peers.py", at(".json"))
	if err != nil {
		return err
	}
	var s scores
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	sensible := fault == nil && fit.Task == made.task() && ours <= s.Trivial
	if fault == nil && fit.Task != made.task() {
		fault = fmt.Errorf("x: mercer: %s was meant", made.task()) // its error is of another kind
	}
	said := "yes"
	if !sensible {
		said = "no"
	}
	if fault != nil {
		_, why, _ := strings.Cut(fault.Error(), ": mercer: ")
		said = "no: " + strings.ReplaceAll(strings.TrimSpace(why), folder+"/", "")
		ours = s.Trivial
	}
	fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s | %.1f |\n", r.set, r.dirt, fit.Task, made.shown(s.Trivial),
		made.shown(ours), made.shown(s.Pipeline), made.shown(s.Boosting), said, cost.Processor)
	all.add(sensible, ours, s)
	return nil
}

func (t *total) add(sensible bool, ours float64, s scores) {
	t.tables++
	if sensible {
		t.sensible++
	}
	t.pipeline.add(ours, s.Pipeline)
	t.boosting.add(ours, s.Boosting)
	if s.Trivial > 0 {
		t.ratios[0] += ours / s.Trivial
		t.ratios[1] += s.Pipeline / s.Trivial
	}
}

// judged is the error of a fit on the hidden rows.
func judged(ctx context.Context, program string, at func(string) string) (float64, error) {
	_, text, err := process.Timed(ctx, program, "evaluate", at(".mercer"), at(".hidden.csv"), "--json", "--quiet")
	if err != nil {
		return 0, err
	}
	var of struct{ Metrics map[string]float64 }
	if err := json.Unmarshal(text, &of); err != nil {
		return 0, err
	}
	if v, ok := of.Metrics["error"]; ok {
		return v, nil
	}
	return of.Metrics["rmse"], nil
}
