package kernel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
)

// Kernels of groups of columns, one a group, each with its own width and weight: multiple
// kernel learning for features of unlike units (Klatzer 2014, section 3.2 and table 5.7).

// Grouped is the sum over the groups of columns of weight times base on those columns,
// with equal weights 1/len(groups) to start from. features are the names of all columns,
// nil for none. A single group of all d columns is the base alone.
func Grouped(base Kernel, groups [][]int, d int, features []string) Kernel {
	if len(groups) == 1 && len(groups[0]) == d {
		return base
	}
	terms := make([]Kernel, len(groups))
	for g, columns := range groups {
		k := Columns{Base: base, Columns: slices.Clone(columns)}
		for _, c := range columns {
			if features != nil {
				k.Names = append(k.Names, features[c])
			}
		}
		terms[g] = Scaled{Weight: 1 / float64(len(groups)), Base: k}
	}
	return Sum{Terms: terms}
}

// decadeSlack keeps standard deviations of one, up to rounding, in one decade: those of
// standardised columns.
const decadeSlack = 1e-6

// DecadeGroups puts the columns whose standard deviations lie in one decade
// (floor(log10 sd) is the same) into one group, the narrowest first: a stand-in for
// columns of one unit that looks at no labels. Constant columns, which tell no rows
// apart, are in no group; if all are constant there is one group of all.
func DecadeGroups(rows data.Rows) [][]int {
	stats := rows.ColumnStats()
	byDecade := map[int][]int{}
	var decades []int
	for c := range rows.Dim() {
		sd := stats.SD(c)
		if sd == 0 {
			continue
		}
		e := int(math.Floor(math.Log10(sd) + decadeSlack))
		if byDecade[e] == nil {
			decades = append(decades, e)
		}
		byDecade[e] = append(byDecade[e], c)
	}
	if decades == nil {
		return [][]int{indices.To(rows.Dim())}
	}
	slices.Sort(decades)
	groups := make([][]int, len(decades))
	for g, e := range decades {
		groups[g] = byDecade[e]
	}
	return groups
}

// groupOf is the group of columns that a kernel reads, inside its weight.
func groupOf(k Kernel) (Columns, bool) {
	switch k := k.(type) {
	case Columns:
		return k, true
	case Scaled:
		return groupOf(k.Base)
	case Normalised:
		return groupOf(k.Base)
	}
	return Columns{}, false
}

// longLabel is the number of characters from which a list of names in the name of a
// parameter gives way to the columns' numbers.
const longLabel = 40

// parameter names a parameter of a kernel on the columns: "sigma" becomes "sigma[a..c]",
// and "sigma[2]", that of the second of these columns, "sigma[b]".
func (k Columns) parameter(name string) string {
	columns := k
	if open := strings.LastIndexByte(name, '['); open >= 0 && strings.HasSuffix(name, "]") {
		if q, err := strconv.Atoi(name[open+1 : len(name)-1]); err == nil && q >= 1 && q <= len(k.Columns) {
			columns.Columns = k.Columns[q-1 : q]
			if len(k.Names) == len(k.Columns) {
				columns.Names = k.Names[q-1 : q]
			}
			name = name[:open]
		}
	}
	return name + "[" + columns.label() + "]"
}

// label is the list of the columns, by name if they have names and the list stays short,
// else by number from 1; runs of three and more as ranges.
func (k Columns) label() string {
	if len(k.Names) == len(k.Columns) {
		text := k.runs(func(q int) string { return quoteColumn(k.Names[q]) })
		if utf8.RuneCountInString(text) <= longLabel {
			return text
		}
	}
	return k.runs(func(q int) string { return fmt.Sprint(k.Columns[q] + 1) })
}

// runs lists the columns, the one at place q called name(q).
func (k Columns) runs(name func(q int) string) string {
	var items []string
	for a := 0; a < len(k.Columns); {
		b := a
		for b+1 < len(k.Columns) && k.Columns[b+1] == k.Columns[b]+1 {
			b++
		}
		if b < a+2 {
			b = a
		}
		item := name(a)
		if b > a {
			item += ".." + name(b)
		}
		items = append(items, item)
		a = b + 1
	}
	return strings.Join(items, ",")
}

func distinct(names []string) bool {
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		if seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}
