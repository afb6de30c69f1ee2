package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/result"
)

// views shows each view of a model of several by itself, how far they agree, and the rows that they dispute.
func (s *sheet) views(v *result.ViewState) {
	if v == nil {
		return
	}
	name := "error"
	var sets []string
	for _, one := range v.Views {
		for set, m := range one.Metrics {
			if _, ok := m[name]; !ok {
				name = "rmse"
			}
			if !slices.Contains(sets, set) {
				sets = append(sets, set)
			}
		}
	}
	slices.Sort(sets)
	slices.Reverse(sets) // labelled, hidden
	head := []string{"views", "rows"}
	for _, set := range sets {
		head = append(head, strings.TrimSpace(set+" "+name))
	}
	grid := [][]string{head}
	for _, one := range v.Views {
		row := []string{"  " + clip(one.Name), strconv.Itoa(one.Rows)}
		for _, set := range sets {
			text := ""
			if value, ok := one.Metrics[set][name]; ok {
				text = measure(name, value)
			}
			row = append(row, text)
		}
		grid = append(grid, row)
	}
	s.grid(grid)
	if v.Agreement == nil {
		return
	}
	text := fmt.Sprintf("%.1f %% of the rows with several views", 100**v.Agreement)
	if len(v.Disputed) > 0 {
		var list []string
		for _, i := range v.Disputed {
			list = append(list, strconv.Itoa(i))
		}
		text += "; disputed rows, the surest first, from 0: " + strings.Join(list, ", ")
	}
	s.line("agreement", text)
}
