package columns

// What the order of rows shows of how they should be judged: rows of one patient that stand together, and rows in order of time.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
)

const (
	leastBlocks = 10 // blocks of equal words from which a column may name groups
	inBlock     = 2  // rows of a block, on average
	leastDates  = 20 // different dates that rise by no chance
)

// Hints are clauses about columns of a table that its profile shows to group the rows or to order them, each at most one.
func Hints(p *Profile, t *data.Table) (list []string) {
	grouped, ordered := false, false
	for c := range p.Columns {
		s, col := &p.Columns[c], &t.Columns[c]
		switch {
		case !grouped && s.inBlocks() && (col.Kind == data.KindCategory || col.Kind == data.KindNumber && s.Whole && named(col.Name)):
			grouped = true
			list = append(list, fmt.Sprintf("column %q: its %d words stand together, each in one block of rows; if new rows will have "+
				"others, --group %s keeps blocks whole where rows are judged", col.Name, s.Words.len(), brief.Flagged(col.Name)))
		case !ordered && col.Kind == data.KindDate && s.rises(col.Format):
			ordered = true
			list = append(list, fmt.Sprintf("column %q: dates rise with the rows; if new rows will be later, --order %s judges by the last "+
				"of them", col.Name, brief.Flagged(col.Name)))
		}
	}
	return list
}

// inBlocks says whether equal words stand together, and no word stands in two blocks.
func (s *seen) inBlocks() bool {
	return !s.Broken && s.Overflow == 0 && s.Missing == 0 && s.Runs == s.Words.len() && s.Runs >= leastBlocks && s.Cells >= inBlock*s.Runs
}

// rises says whether the dates of a layout rise from row to row, or nearly: none lies further before one above than a fifth of the time
// that all of them span, as days in no order of months that rise.
func (s *seen) rises(layout string) bool {
	return slices.ContainsFunc(s.Layouts, func(k int) bool {
		q := slices.Index(s.Layouts, k)
		d := s.Dates[q]
		if layouts[k] != layout || !hasDay(layout) || s.Words.len() < leastDates {
			return false
		}
		return d.Common.length() > 0 && 5*d.Back <= d.Common.length()
	})
}

// IsHint says whether a warning of a reader is one of these, which are of no use where no row is judged.
func IsHint(text string) bool {
	return strings.HasSuffix(text, "keeps blocks whole where rows are judged") || strings.HasSuffix(text, "judges by the last of them")
}
