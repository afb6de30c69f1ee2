package cli

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/explain"
)

// explanation is the table for people.
func (s *sheet) explanation(x explained, top int) {
	title := fmt.Sprintf("row %d", x.Row)
	if x.Line > 0 {
		title += fmt.Sprintf(" (line %d)", x.Line)
	}
	if x.ID != "" {
		title += " " + x.ID
	}
	title += ": " + word(x.Prediction)
	if x.Lower != nil {
		title += fmt.Sprintf(", between %s and %s", word(*x.Lower), word(*x.Upper))
	}
	s.text(title)
	if x.Probability != nil {
		s.wrapped("probability", byValue(x.Probability, top))
	}
	if x.Scores != nil {
		s.wrapped("scores", byValue(x.Scores, top))
	}
	o := x.Output
	text := o.Name + " " + word(o.Value)
	switch {
	case o.Against != "":
		text += fmt.Sprintf(", positive for %s, negative for %s", o.For, o.Against)
	case o.For != "":
		text += ", of " + o.For
	}
	s.line("explained", text)
	if x.Views != nil {
		s.wrapped("by view", byValue(x.Views, len(x.Views)))
	}
	s.nearest(x)
	s.influence(x)
	s.features(x, top)
}

// nearest lists the nearest rows.
func (s *sheet) nearest(x explained) {
	s.text("")
	if x.WithoutNearest != "" {
		s.text("  no nearest rows: " + x.WithoutNearest)
		return
	}
	grid := [][]string{{"nearest rows", "distance", "label", "predicted", "cells"}}
	for _, n := range x.Nearest {
		grid = append(grid, []string{rowName(n.Row, n.Kept), short(n.Distance), cmp.Or(n.Label, "-"), n.Prediction,
			cellsText(n.Cells, n.More)})
	}
	s.columns(grid)
}

// cancelled is how many times the output the shares are together where the table says that they cancel each other.
const cancelled = 100

// influence lists the rows with the largest shares.
func (s *sheet) influence(x explained) {
	in := x.Influence
	s.text("")
	if in.Of == 0 {
		s.text("  no influential rows: this model keeps weights of its columns, and no row")
	} else {
		grid := [][]string{{"influential rows", "share", "label", "cells"}}
		for _, r := range in.Rows {
			name := rowName(r.Row, &r.Kept)
			if r.View != "" {
				name += " of " + r.View
			}
			if r.Alike > 1 {
				name += fmt.Sprintf(" (%d alike)", r.Alike)
			}
			grid = append(grid, []string{name, signed(r.Share), cmp.Or(r.Label, "-"), cellsText(r.Cells, r.More)})
		}
		s.columns(grid)
		text := fmt.Sprintf("  %s: shares %s and %s", brief.Count(in.Of, "row"), signed(in.Positive), signed(in.Negative))
		if in.Weights != 0 {
			text += fmt.Sprintf(", linear functions %s", signed(in.Weights))
		}
		if in.Offset != 0 {
			text += fmt.Sprintf(", offset %s", signed(in.Offset))
		}
		s.text(text + ", in all " + signed(x.Output.Value))
		if in.Positive-in.Negative > cancelled*math.Abs(x.Output.Value) {
			s.text("  The rows pull both ways and nearly cancel: do not read single rows.")
		}
	}
}

// features lists the columns with the largest effects.
func (s *sheet) features(x explained, top int) {
	f := x.Features
	s.text("")
	grid := [][]string{{"columns that matter", "value", "reference", "effect", "contribution", "slope", "then"}}
	number := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return signed(*v)
	}
	for _, one := range f.List[:min(top, len(f.List))] {
		then := "-"
		if one.Becomes != nil {
			then = word(one.Becomes)
		}
		grid = append(grid, []string{one.Name, word(one.Value), word(one.Reference), number(one.Effect), number(one.Contribution),
			number(one.Slope), then})
	}
	s.columns(without(grid))
	switch {
	case f.Without != "":
		s.text("  no effects: " + f.Without)
	case f.AtReference != nil:
		s.text(fmt.Sprintf("  all at the reference (%s): %s", f.Reference, signed(*f.AtReference)))
	}
	if f.WithoutSlope != "" {
		s.text("  no slopes: " + f.WithoutSlope)
	}
}

// without leaves out columns of which every cell is "-".
func without(grid [][]string) [][]string {
	out := make([][]string, len(grid))
	for j := range grid[0] {
		if j > 0 && !slices.ContainsFunc(grid[1:], func(row []string) bool { return row[j] != "-" }) {
			continue
		}
		for i, row := range grid {
			out[i] = append(out[i], row[j])
		}
	}
	return out
}

// columns writes rows of cells aligned at the left.
func (s *sheet) columns(rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for j, cell := range row {
			width[j] = max(width[j], len([]rune(cell)))
		}
	}
	for i, row := range rows {
		text := "  "
		if i > 0 {
			text = "    "
		}
		for j, cell := range row {
			w := width[j]
			if j == 0 && i == 0 {
				w += 2
			}
			if j == len(row)-1 {
				w = 0
			}
			text += fmt.Sprintf("%-*s  ", w, cell)
		}
		s.text(strings.TrimRight(text, " "))
	}
}

// word is a cell of a table: text, or a number shortened; nil is "-".
func word(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case float64:
		return explain.Figures(v, 3)
	}
	return fmt.Sprint(v)
}

// signed is a number with its sign, of three digits.
func signed(v float64) string {
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// byValue are names with their values, the largest first, at most so many.
func byValue(of map[string]float64, most int) []string {
	names := slices.Sorted(maps.Keys(of))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(of[b], of[a]) })
	var cells []string
	for q, n := range names {
		if q == most {
			cells[q-1] += fmt.Sprintf(" and %d more", len(names)-most)
			break
		}
		cells = append(cells, n+" "+signed(of[n]))
	}
	return cells
}

// rowName names a training row, or one that the model keeps.
func rowName(row, kept *int) string {
	if row != nil {
		return "row " + strconv.Itoa(*row)
	}
	return "kept " + strconv.Itoa(*kept)
}

// cellsText are the first few cells of a row.
func cellsText(cells [][2]string, more int) string {
	const most = 4
	var list []string
	for _, c := range cells[:min(most, len(cells))] {
		list = append(list, c[0]+" "+c[1])
	}
	if more += len(cells) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}
