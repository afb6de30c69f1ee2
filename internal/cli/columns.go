package cli

// What is done with the columns of a table, in words and as JSON.

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
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

// columnsTable prints every column with what is done and why.
func columnsTable(set *data.Set, labels string) string {
	var s sheet
	n, d := set.Rows.Len(), set.Rows.Dim()
	s.text(fmt.Sprintf("%s: %s, %s, %s", set.Source, count(n, "row"), count(len(set.Table.Columns), "column"), count(d, "feature")))
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
