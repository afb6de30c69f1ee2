package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/result"
)

// mostMoved are named in a table.
const mostMoved = 10

// drift says whether rows look like those that the model was learned from. The table says which columns are dates; nil: none.
func (s *sheet) drift(d *result.DriftState, table *data.Table) {
	switch {
	case d == nil:
		return
	case d.Compared == 0:
		s.line("drift", "the model remembers nothing of its rows that these could be compared with")
		return
	case d.Learned:
		s.line("drift", "none: these are the rows learned from")
		return
	case len(d.Moved) == 0:
		s.line("drift", fmt.Sprintf("none: these rows look like those learned from (%s compared)", brief.Count(d.Compared, "distribution")))
		s.line("", fmt.Sprintf("largest distance %s, of %s", short(d.Largest.Distance), moved(table, *d.Largest)))
	default:
		s.line("drift", fmt.Sprintf("these rows do not look like those learned from: %d of %s moved",
			len(d.Moved), brief.Count(d.Compared, "distribution")))
		for _, m := range d.Moved[:min(len(d.Moved), mostMoved)] {
			text := fmt.Sprintf("%s: distance %s", moved(table, m), short(m.Distance))
			if m.Then != nil && m.Now != nil {
				say := short
				if c := dated(table, m); c != nil {
					say = func(v float64) string { return columns.DateText(c, v) }
				}
				text += fmt.Sprintf(", median %s then, %s now", say(*m.Then), say(*m.Now))
			}
			s.line("", text)
		}
		if more := len(d.Moved) - mostMoved; more > 0 {
			s.line("", fmt.Sprintf("and %d more; --json lists them", more))
		}
		for _, m := range d.Moved {
			if c := dated(table, m); c != nil && m.Then != nil && m.Now != nil && *m.Now > *m.Then {
				s.line("", fmt.Sprintf("dates go on: a fit with --order %s learns nothing of that column, and is judged by later rows",
					brief.Flagged(c.Name)))
			}
		}
	}
	if d.Unknown != "" {
		s.line("", "not compared: "+d.Unknown)
	}
}

// dated is the column of dates whose time is a quantity; nil if that is something else.
func dated(table *data.Table, m result.Moved) *data.Column {
	if table == nil || m.What != "column" {
		return nil
	}
	for i := range table.Columns {
		if c := &table.Columns[i]; c.Kind == data.KindDate && c.Name == m.Name && c.Format != "" {
			return c
		}
	}
	return nil
}

// moved names a quantity, that of a part of a date by its column, too.
func moved(table *data.Table, m result.Moved) string {
	switch m.What {
	case "column":
		if table == nil {
			return "column " + m.Name
		}
		for i := range table.Columns {
			c := &table.Columns[i]
			if c.Kind == data.KindDate && m.Name != c.Name && slices.Contains(c.Features(), m.Name) {
				return fmt.Sprintf("column %s, as %s", c.Name, strings.TrimPrefix(m.Name, c.Name+" "))
			}
		}
		return "column " + m.Name
	case "distance":
		return "the distance to the nearest row learned from"
	}
	return "the output"
}
