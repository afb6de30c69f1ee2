package columns

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestHints: words in blocks name --group, dates that rise name --order, whole or in parts; other orders name nothing.
func TestHints(t *testing.T) {
	many := func(f func(i int) string) []string {
		list := make([]string, 60)
		for i := range list {
			list[i] = f(i)
		}
		return list
	}
	day := func(i int) string { return fmt.Sprintf("2020-%02d-%02d", 1+i/28, 1+i%28) }
	for name, c := range map[string]struct {
		cells []string
		want  string
	}{
		"patients":           {many(func(i int) string { return fmt.Sprintf("P%d", i/3) }), "--group patient"},
		"mixed":              {many(func(i int) string { return fmt.Sprintf("P%d", i*7%60/3) }), ""},
		"few":                {many(func(i int) string { return fmt.Sprintf("P%d", i/20) }), ""},
		"one again":          {append(many(func(i int) string { return fmt.Sprintf("P%d", i/3) }), "P0"), ""},
		"names":              {many(func(i int) string { return fmt.Sprintf("P%d", i) }), ""},
		"dates":              {many(day), "--order patient"},
		"dates that fall":    {many(func(i int) string { return day(59 - i) }), ""},
		"days of months":     {many(func(i int) string { return fmt.Sprintf("2020-%02d-%02d", 1+i/10, 1+i*5%28) }), "--order patient"},
		"days of one month":  {many(func(i int) string { return fmt.Sprintf("2020-01-%02d", 1+i*17%28) }), ""},
		"dates of one day":   {many(func(int) string { return day(3) }), ""},
		"dates with a step":  {append(many(day), day(0)), ""},
		"ten blocks":         {many(func(i int) string { return fmt.Sprintf("P%d", i/2) })[:20], "--group patient"},
		"nine blocks":        {many(func(i int) string { return fmt.Sprintf("P%d", i/2) })[:18], ""},
		"ten short blocks":   {many(func(i int) string { return fmt.Sprintf("P%d", i/2) })[:19], ""},
		"twenty dates":       {many(day)[:20], "--order patient"},
		"nineteen dates":     {many(day)[:19], ""},
		"a last day":         {append(many(day), "9999-12-31"), "--order patient"},
		"random, a last day": {append(many(func(i int) string { return day(i * 17 % 60) }), "9999-12-31"), ""},
		"a fifth back":       {append(many(day)[:21], day(16)), "--order patient"},
		"more than a fifth":  {append(many(day)[:21], day(15)), ""},
	} {
		for _, cut := range []int{0, min(31, len(c.cells)/2)} {
			parts := [][]string{c.cells}
			if cut > 0 {
				parts = [][]string{c.cells[:cut], c.cells[cut:]}
			}
			all := NewProfile(1)
			line := 1
			for _, cells := range parts {
				p := NewProfile(1)
				for _, cell := range cells {
					line++
					p.Rows++
					p.Add(0, []byte(cell), line)
				}
				all.Merge(p)
			}
			table, err := Decide([]string{"patient"}, all, Settings{})
			if err != nil {
				t.Fatal(err)
			}
			hints := Hints(all, table)
			has := slices.ContainsFunc(hints, func(h string) bool { return strings.Contains(h, c.want) })
			if slices.ContainsFunc(hints, func(h string) bool { return !IsHint(h) }) {
				t.Errorf("%s: %q is not known as a hint", name, hints)
			}
			if c.want == "" && hints != nil || c.want != "" && !has {
				t.Errorf("%s, cut at %d: %q, want %s", name, cut, hints, c.want)
			}
		}
	}
}
