package training

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/result"
)

// markedLabels refuses labels that are numbers to predict but for a few slips, or for a mark, such as \N or -, that stands for a missing
// cell in a column of features, and may name a class among labels. Where the numbers are few enough to be classes the mark is one of them.
func markedLabels(set *data.Set, r result.Recipe) error {
	asked := fit.DataTask(r)
	rows := set.Answers.Answered()
	if asked == data.Classification || asked == data.TaskAuto && set.Declared || len(rows) == 0 {
		return nil
	}
	numbers, different := make(data.Answers, len(set.Answers)), map[string]bool{}
	mark, first, marks, others := "", 0, 0, false // others: there are further marks
	words := 0                                    // slips among numbers, as 1O5 is
	for _, i := range rows {
		a := set.Answers[i]
		if _, number := data.Number(a); number {
			numbers[i], different[a] = a, true
			continue
		}
		if columns.ShapeOf([]byte(a)) != columns.Nothing {
			words++
		}
		if marks++; mark == "" {
			mark, first = a, i
		}
		others = others || a != mark
	}
	if slips*words > len(rows) {
		return nil
	}
	if mark == "" || asked == data.TaskAuto && !measured(numbers, set.LabelName, len(rows)-marks, len(different)) {
		return nil
	}
	remedy := "leave such a label empty"
	if !others {
		remedy = "say --unlabelled-mark=" + brief.Flagged(mark) + " if it stands for no label"
	}
	if words > 0 {
		remedy = "correct it, " + remedy
	}
	return &result.SetError{Set: set, Err: &data.LabelError{Row: first, Remedy: remedy + ", or --task classification if it is a class",
		What: fmt.Sprintf("column %q: the label %s is no number, as %d of %d are", set.LabelName, mark, len(rows)-marks, len(rows))}}
}

// slips is how many answers there are at least for each word among them that is taken for a slip.
const slips = 20

// measured says whether numbers of so many rows, and so many different ones, are surely no names of classes.
func measured(numbers data.Answers, name string, rows, different int) bool {
	const enough, values, each = 10, 20, 3 // rows; different values, and rows of each, up to which they may name classes
	if rows < enough || different <= values && rows >= each*different {
		return false
	}
	labels, err := data.Interpret(numbers, name, data.LabelOptions{})
	return err == nil && labels.Task == data.Regression
}
