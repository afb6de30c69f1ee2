package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/report"
	"github.com/mercer-ml/mercer/internal/reproduce"
	"github.com/mercer-ml/mercer/internal/results"
)

// foot closes a page: the version and the date.
func foot() string {
	return "Mercer " + results.Version() + ", " + time.Now().Format(time.DateOnly)
}

// writeFront writes the page of a front of data with a checksum.
func writeFront(dir, command, source, checksum string, r *mercer.FrontResult) error {
	chosen := r.Chosen()
	one := r.Front[chosen]
	f := &report.Front{Risk: "risk: mean squared error on the labelled rows", Complexity: "complexity Q", Decision: r.Decision + ": " +
		r.Assumed + ".", Chosen: chosen, Partial: r.Partial}
	if r.Method == "mobj-svm" {
		f.Risk = "risk: mean hinge loss on the labelled rows"
	}
	for _, m := range r.Front {
		if m.Score != nil {
			f.Score = "score by " + r.Decision
		}
		f.Members = append(f.Members, report.Member{Risk: m.Risk, Complexity: m.Complexity, Score: m.Score, Support: m.Support,
			Params: parametersOf(m.Params)})
	}
	for _, part := range r.Parts {
		f.Parts = append(f.Parts, report.Part{Name: part.Name, Risk: part.Risk, Complexity: part.Complexity})
	}
	p := &report.Page{
		Title: "The front of " + source,
		Lead: fmt.Sprintf("%s, %s of %d labelled rows; %s, none worse than another in both risk and complexity.", r.Method, r.Task,
			r.Rows.Labelled, brief.Count(len(r.Front), "function")),
		Warnings: r.Warnings,
		Numbers: []report.Number{{Value: fmt.Sprint(len(r.Front)), What: "members"}, {Value: fmt.Sprint(chosen + 1), What: "chosen"},
			{Value: fmt.Sprint(one.Support), What: "units of it"}},
		Foot: foot(),
	}
	table := &report.Table{Head: []string{"measure"}}
	var parts []string
	for _, part := range []string{"labelled", "hidden", "test"} {
		if r.Metrics[part] != nil {
			parts = append(parts, part)
			table.Head = append(table.Head, map[string]string{"labelled": "labelled, trained on"}[part]+map[string]string{"hidden": "hidden",
				"test": "test"}[part])
		}
	}
	for _, name := range measures {
		row := []string{strings.ReplaceAll(name, "_", " ")}
		for _, part := range parts {
			cell := ""
			if v, ok := r.Metrics[part][name]; ok {
				cell = measure(name, v)
			}
			row = append(row, cell)
		}
		if slices.ContainsFunc(row[1:], func(s string) bool { return s != "" }) {
			table.Rows = append(table.Rows, row)
		}
	}
	p.Answer = []string{fmt.Sprintf("Member %d of %d was chosen by %s: risk %s at complexity %s.", chosen+1, len(r.Front), r.Decision,
		short(one.Risk), short(one.Complexity))}
	p.Sections = append(p.Sections, report.Section{ID: "asked", Title: "What was asked",
		Blocks: []report.Block{{Code: command}, {Text: "Scaling: " + r.Scaling + "."},
			{Tables: []*report.Table{{Text: []bool{true, true}, Rows: [][]string{{"version", results.Version()},
				{"date", time.Now().Format(time.DateOnly)}, {"duration", seconds(r.Seconds.Total) + " s"},
				{"checksum of the data", checksum}}}}}}})
	p.Sections = append(p.Sections, f.Sections()...)
	p.Sections = append(p.Sections, report.Section{ID: "quality", Title: "How good the chosen member is",
		Blocks: []report.Block{{Tables: []*report.Table{table}}}})
	return named(p.Write(dir), dir, nil)
}

// writeReproduced writes the page of published experiments.
func writeReproduced(dir string, tables []*reproduce.Table) error {
	p := &report.Page{Title: "Published experiments, run again", Lead: "Printed numbers, and ours beside them.", Foot: foot()}
	titles := map[string]reproduce.Experiment{}
	for _, x := range reproduce.List() {
		titles[x.ID] = x
	}
	for _, t := range tables {
		x := titles[t.ID]
		table := &report.Table{Caption: x.Source, Head: []string{"case", "printed", "ours", "± std", "runs"}}
		for _, r := range t.Rows {
			printed := ""
			if r.Printed != nil {
				printed = short(*r.Printed)
			}
			table.Rows = append(table.Rows, []string{r.Case + ", " + r.Metric, printed, short(r.Ours), short(r.OursStd),
				fmt.Sprint(r.Runs)})
		}
		p.Sections = append(p.Sections, report.Section{ID: t.ID, Title: t.ID + ": " + x.Title,
			Blocks: []report.Block{{Figures: pictures(t, x)}, {Tables: []*report.Table{table}}, {List: t.Notes}}})
	}
	return named(p.Write(dir), dir, nil)
}

// pictures draws the figures of an experiment.
func pictures(t *reproduce.Table, x reproduce.Experiment) []*report.Figure {
	var list []*report.Figure
	for _, f := range t.Figures {
		d := report.Drawing{Name: strings.ReplaceAll(t.ID, ".", "-") + "-" + f.Name, Title: f.Title, Caption: x.Source +
			", drawn with our numbers.",
			XName: f.X.Name, XLog: f.X.Log, YName: f.Y.Name, YLog: f.Y.Log}
		for _, c := range f.Curves {
			d.Curves = append(d.Curves, report.Curve(c))
		}
		for _, v := range f.Levels {
			d.Levels = append(d.Levels, report.Level{Name: v.Name, Surface: report.Surface{X: v.X, Y: v.Y, Z: v.Z}, At: v.At})
		}
		if drawn := d.Figure(); drawn != nil {
			list = append(list, drawn)
		}
	}
	return list
}
