package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// TestDriftTable: what is said of rows beside those learned from, and of a column of dates and its parts.
func TestDriftTable(t *testing.T) {
	some := func(v float64) *float64 { return &v }
	dates := &data.Table{Columns: []data.Column{{Name: "size", Kind: data.KindNumber},
		{Name: "day", Kind: data.KindDate, Format: "2006-01-02", Parts: []string{"weekday"}}}}
	many := &result.DriftState{Rows: 5, Compared: 14}
	for k := range 12 {
		many.Moved = append(many.Moved, result.Moved{What: "column", Name: strings.Repeat("c", k+1), Distance: 1 / float64(k+1),
			Then: some(float64(k)), Now: some(float64(2 * k))})
	}
	var b strings.Builder
	for _, d := range []*result.DriftState{
		nil, {Unknown: "words"}, {Compared: 3, Learned: true, Unknown: "words"},
		{Compared: 1, Largest: &result.Moved{What: "output", Distance: 0.25}},
		{Compared: 2, Largest: &result.Moved{What: "distance", Distance: 0.125}, Unknown: "the outputs"},
		{Compared: 9, Moved: []result.Moved{{What: "column", Name: "day", Distance: 0.5, Then: some(2.25), Now: some(19.5)},
			{What: "column", Name: "day weekday", Distance: 0.25, Then: some(1), Now: some(2)}, {What: "column", Name: "size", Distance: 0.125},
			{What: "output", Distance: 0.1}}},
		{Compared: 9, Moved: []result.Moved{{What: "column", Name: "day", Distance: 0.5, Then: some(19.5), Now: some(2.25)}}},
		many,
	} {
		for _, table := range []*data.Table{nil, dates} {
			var s sheet
			s.drift(d, table)
			fmt.Fprintf(&b, "%s\n", s.String())
		}
	}
	keptText(t, keptFolder(t), "drift.txt", b.String())
}
