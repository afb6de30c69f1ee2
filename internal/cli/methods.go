package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/learn"
)

// methodsCmd is mercer methods.
type methodsCmd struct {
	ID   string `arg:"" optional:"" help:"A method, kernel, score, search or loss; without it all are listed."`
	Plot bool   `help:"Draw losses: value, first and second derivative over the margin."`
	JSON bool   `name:"json" help:"Print JSON."`
	// Schema is for programs that make forms or check recipes.
	Schema bool `help:"Print the settings of every method, or of ID, as JSON schema."`
}

// Help shows examples.
func (methodsCmd) Help() string {
	return `Examples:

    mercer methods
    mercer methods lap-rls
    mercer methods kfold:5
    mercer methods quartic --plot
    mercer methods gaussian --json
    mercer methods lap-rls --schema`
}

// methodSchema is a method with its settings as JSON schema.
type methodSchema struct {
	ID       string         `json:"id"`
	Also     []string       `json:"also,omitempty"`
	Task     string         `json:"task"`
	Baseline string         `json:"baseline,omitempty"`
	Settings setting.Schema `json:"settings"`
}

// schemas are those of all methods. A setting whose name begins with two dashes is a flag.
func schemas() []methodSchema {
	var list []methodSchema
	for _, m := range method.All() {
		task := "any"
		if m.For != data.TaskAuto {
			task = m.For.String()
		}
		list = append(list, methodSchema{m.ID, m.Also, task, m.Baseline, setting.Object(m.All())})
	}
	return list
}

// schema prints the settings of methods as JSON schema.
func (c *methodsCmd) schema(e *env) error {
	list := schemas()
	if c.ID != "" {
		list = slices.DeleteFunc(list, func(m methodSchema) bool { return m.ID != c.ID && !slices.Contains(m.Also, c.ID) })
		if len(list) == 0 {
			return usage("methods %s --schema: no such method; mercer methods lists them", c.ID)
		}
	}
	return e.printJSON(struct {
		Methods []methodSchema `json:"methods"`
	}{list})
}

// Run describes.
func (c *methodsCmd) Run(e *env) error {
	if c.Schema {
		return c.schema(e)
	}
	entries := method.Entries()
	if c.ID != "" {
		if entries = method.FindEntries(c.ID); len(entries) == 0 {
			var known []string
			for _, one := range method.Entries() {
				known = append(known, one.ID)
			}
			return usage("methods %s: no such method, kernel, score, search or loss%s; mercer methods lists them", c.ID,
				brief.Suggest(c.ID, known))
		}
	}
	if c.Plot && !slices.ContainsFunc(entries, func(one method.Entry) bool { return one.Kind == method.KindLoss }) {
		return usage("methods %s --plot: only losses are drawn, as quartic; leave it out", c.ID)
	}
	if c.JSON {
		return e.printJSON(struct {
			Entries []method.Entry `json:"entries"`
		}{entries})
	}
	var b strings.Builder
	if c.ID == "" {
		listEntries(&b, entries)
	} else {
		for i, entry := range entries {
			if i > 0 {
				b.WriteString("\n")
			}
			describe(&b, entry)
			if c.Plot && entry.Kind == method.KindLoss {
				l, err := learn.ParseLoss(entry.ID)
				if err != nil {
					return err
				}
				plotLoss(&b, l)
			}
		}
	}
	_, err := io.WriteString(e.stdout, b.String())
	return err
}

// heading names a kind and the flag that chooses it.
func heading(kind string) string {
	switch kind {
	case method.KindMethod:
		return "methods (--method ID)"
	case method.KindKernel:
		return "kernels (--kernel SPEC)"
	case method.KindScore:
		return "scores (--tune SCORE)"
	case method.KindLoss:
		return "losses (of the methods; --set loss=ID where a method has several)"
	}
	return "searches (--search ID)"
}

func listEntries(b *strings.Builder, entries []method.Entry) {
	kind := ""
	for _, entry := range entries {
		if entry.Kind != kind {
			if kind != "" {
				b.WriteString("\n")
			}
			kind = entry.Kind
			b.WriteString(heading(kind) + "\n")
		}
		fmt.Fprintf(b, "  %-15s %s\n", entry.ID, entry.Title)
	}
	b.WriteString("\nmercer methods ID says more: formula, parameters, cost, source, other programs' names.\n")
}

// Widths of a description.
const (
	nameWidth = 14
	textWidth = 100
)

func describe(b *strings.Builder, entry method.Entry) {
	fmt.Fprintf(b, "%s: %s (%s)\n", entry.ID, entry.Title, entry.Kind)
	if entry.Formula != "" {
		b.WriteString("\n")
		for line := range strings.Lines(entry.Formula) {
			fmt.Fprintf(b, "    %s\n", strings.TrimRight(line, "\n"))
		}
		b.WriteString("\n")
	}
	field(b, "also called", strings.Join(entry.Also, ", "))
	field(b, "what it is", entry.About)
	field(b, "cost", entry.Cost)
	field(b, "objective", entry.Objective)
	field(b, "residual", entry.Residual)
	name := "parameters"
	for _, p := range entry.Parameters {
		text := p.Name + ": " + p.About + ". Range: " + p.Range
		if p.Default != "" {
			text += ". Default: " + p.Default
		}
		field(b, name, text)
		name = ""
	}
	field(b, "source", entry.Source)
	field(b, "LIBSVM", entry.LIBSVM)
	field(b, "scikit-learn", entry.SciKit)
	field(b, "example", entry.Example)
}

// field prints text beside its name, broken at spaces.
func field(b *strings.Builder, name, text string) {
	if text == "" {
		return
	}
	column := 0
	fmt.Fprintf(b, "  %-*s", nameWidth, name)
	for i, word := range strings.Fields(text) {
		if i > 0 && column+1+len(word) > textWidth-nameWidth-2 {
			fmt.Fprintf(b, "\n  %*s", nameWidth, "")
			column = 0
		} else if i > 0 {
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteString("\n")
}
