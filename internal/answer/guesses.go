package answer

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/task"
)

// guesses are what was decided of the file: what the labels are, and what is said of other readings of them, and the kinds of columns.
func guesses(t *task.Task, others ...string) (list []string) {
	set := t.Input.Set
	if t.Labels.Decided != "" && set.LabelName != "" {
		list = append(list, fmt.Sprintf("column %s is the label (%s)", set.LabelName, t.Labels.Decided))
	}
	list = append(list, others...)
	if set.Table == nil {
		if !set.Rows.IsSparse() && set.Text == nil {
			list = append(list, brief.Count(set.Rows.Dim(), "column")+" of numbers")
		}
		return list
	}
	return append(list, columns.Kinds(set.Table)...)
}
