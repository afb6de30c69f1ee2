package cli

// What is done with the columns of a table, in words and as JSON.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/brief"
	tables "github.com/mercer-ml/mercer/internal/columns"
)

// sayColumns tells what was decided of the columns of a set that holds more than numbers, and of one of numbers alone which columns
// tell no rows apart.
func (e *env) sayColumns(set *data.Set) {
	if set.Table == nil {
		if set.Features == nil || set.Rows.Dense == nil {
			return
		}
		if names := tables.Constant(set.Features, set.Rows); names != "" {
			e.say("%s: columns with one value in all rows, which tell no rows apart: %s", set.Source, names)
		}
		return
	}
	for _, line := range tables.Summary(set.Table) {
		e.say("%s: columns: %s", set.Source, line)
	}
}

// describedOf describes a set.
func describedOf(set *data.Set, guesses []string) tables.Described {
	d := tables.Described{Version: set.Table.Version, Rows: set.Rows.Len(), Guesses: guesses, Dialect: dialectOf(set)}
	for i := range set.Table.Columns {
		c := &set.Table.Columns[i]
		d.Columns = append(d.Columns, tables.DescribedColumn{Column: *c, Features: len(c.Features())})
	}
	return d
}

// dialectOf is the dialect of a set, with the decimal comma of its columns; nil without one.
func dialectOf(set *data.Set) *data.Dialect {
	if set.Dialect == nil {
		return nil
	}
	d := *set.Dialect
	if slices.ContainsFunc(set.Table.Columns, func(c data.Column) bool { return c.Kind != data.KindLabel && c.Decimal == "," }) {
		d.Decimal = ","
	}
	return &d
}

// described reads a set to describe, and what was guessed of it.
func (e *env) described(name string, o read.Options) (set *data.Set, guesses []string, err error) {
	if err := readable(name); err != nil {
		return nil, nil, err
	}
	o.Formats = e.Formats
	set, warnings, err := read.Open(e.ctx, name, o)
	if err != nil {
		return nil, nil, named(err, name, nil)
	}
	for _, w := range warnings {
		if w.Guess {
			guesses = append(guesses, w.String())
			continue
		}
		e.warn(talk{}, w.String())
	}
	return set, guesses, nil
}

// dialectSays is the dialect in words.
func dialectSays(d *data.Dialect) string {
	delimiter := strconv.Quote(d.Delimiter)
	switch d.Delimiter {
	case "\t":
		delimiter = "tabs"
	case " ":
		delimiter = "blanks"
	}
	text := fmt.Sprintf("cells divided by %s, %s of names", delimiter, brief.Count(d.Header, "line"))
	if d.Skip > 0 {
		text += fmt.Sprintf(", %s above", brief.Count(d.Skip, "line"))
	}
	if d.Decimal == "," {
		text += ", decimal commas"
	}
	if d.Quote != "" {
		text += ", quotes " + d.Quote
	}
	if d.Comment != "" {
		text += ", comments begin with " + d.Comment
	}
	return text
}

// columnsTable prints every column with what is done and why, the dialect of the file and what was guessed.
func columnsTable(set *data.Set, labels string, guesses []string) string {
	var s sheet
	n, d := set.Rows.Len(), set.Rows.Dim()
	s.text(fmt.Sprintf("%s: %s, %s, %s", set.Source, brief.Count(n, "row"), brief.Count(len(set.Table.Columns), "column"),
		brief.Count(d, "feature")))
	if dialect := dialectOf(set); dialect != nil {
		s.text("  " + dialectSays(dialect))
	}
	for _, g := range guesses {
		s.text(oneLine("  guessed: " + g))
	}
	grid := [][]string{{"column", "kind", "features", "what and why"}}
	for i := range set.Table.Columns {
		c := &set.Table.Columns[i]
		why := c.Why
		if c.Kind == data.KindLabel && labels != "" {
			why += ": " + labels
		}
		features := ""
		if c.Feature() {
			features = fmt.Sprint(len(c.Features()))
		}
		grid = append(grid, []string{c.Name, c.Kind, features, why})
	}
	var width [3]int
	for _, row := range grid {
		for j := range width {
			width[j] = max(width[j], utf8.RuneCountInString(row[j]))
		}
	}
	for _, row := range grid {
		line := ""
		for j, w := range width {
			line += row[j] + strings.Repeat(" ", w-utf8.RuneCountInString(row[j])+2)
		}
		s.text(oneLine("  " + line + row[3]))
	}
	return s.String()
}
