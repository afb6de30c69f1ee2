package columns

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// Example is a row as a table reads it, a cell for each column that is learned from: the median of numbers, dates, ordered words
// and yes or no, and the first word of a category. A cell is empty where the table knows no median.
func Example(t *data.Table) []string {
	var cells []string
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Feature() {
			cells = append(cells, example(c))
		}
	}
	return cells
}

// DateText is the date of a column's number, in the form in which its cells were written.
func DateText(c *data.Column, number float64) string {
	return time.Unix(epoch.Unix()+int64(math.Round(number*secondsAYear)), 0).UTC().Format(c.Format)
}

func example(c *data.Column) string {
	switch {
	case c.Kind == data.KindCategory && len(c.Levels) > 0:
		return c.Levels[0]
	case c.Fill == nil:
		return ""
	case c.Kind == data.KindNumber:
		text := strconv.FormatFloat(*c.Fill, 'f', -1, 64)
		if c.Decimal == "," {
			text = strings.Replace(text, ".", ",", 1)
		}
		return text
	case c.Kind == data.KindDate:
		return DateText(c, *c.Fill)
	case len(c.Levels) > 0:
		k := int(*c.Fill*float64(len(c.Levels)-1) + 1e-9) // between two levels it is the lower one
		return c.Levels[min(max(k, 0), len(c.Levels)-1)]
	}
	return ""
}
