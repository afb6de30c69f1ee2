package kernel

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/search/param"
)

// columnWidths are the widths of columns, or of groups of columns, of the kernel of a name; or other positive numbers, as weights.
type columnWidths struct {
	by    parameter
	sigma []float64
	group []int    // the number of its group, from 0, for each column; nil: each column is one
	names []string // of the groups, nil: they are numbered
}

// parameter is what a kernel calls its numbers of columns, as a parameter and in a sentence.
type parameter struct{ kernel, name, noun string }

// groups is how many widths rows of d columns need.
func (w columnWidths) groups(d int) int {
	if w.group == nil {
		return d
	}
	n := 0
	for _, g := range w.group {
		n = max(n, g+1)
	}
	return n
}

// named is what a group is called.
func (w columnWidths) named(group int) string {
	if group < len(w.names) {
		return w.names[group]
	}
	return strconv.Itoa(group + 1)
}

// of is the group of a column.
func (w columnWidths) of(column int) int {
	if w.group == nil {
		return column
	}
	return w.group[column]
}

// width is that of a column.
func (w columnWidths) width(column int) float64 { return w.sigma[w.of(column)] }

// space is the widths, each within a factor 64 of its present value.
func (w columnWidths) space() param.Space {
	s := make(param.Space, len(w.sigma))
	for g, v := range w.sigma {
		s[g] = logDim(w.by.name+"["+w.named(g)+"]", v)
	}
	return s
}

// adapted are the widths for rows of d columns, with zeros replaced by the usual one.
func (w columnWidths) adapted(d int, usual func() float64) []float64 {
	sigma := make([]float64, w.groups(d))
	if len(w.sigma) > 0 {
		sigma = slices.Clone(w.sigma)
	}
	var m float64
	for g, v := range sigma {
		if v == 0 {
			if m == 0 {
				m = usual()
			}
			sigma[g] = m
		}
	}
	return sigma
}

// factors are the inverse widths of d columns.
func (w columnWidths) factors(d int) ([]float64, error) {
	if w.group != nil && len(w.group) != d || w.groups(d) != len(w.sigma) {
		return nil, fmt.Errorf("kernel: %s: %d %ss for rows of %d columns; give one a column, or a group", w.by.kernel, len(w.sigma),
			w.by.noun, d)
	}
	factor := make([]float64, d)
	for c := range factor {
		factor[c] = 1 / w.width(c)
	}
	return factor, nil
}

func (w columnWidths) check(at stage) error {
	if at == bound && len(w.sigma) == 0 {
		return fmt.Errorf("%s: no %ss; give one a column or take them from the rows with Adapt", w.by.kernel, w.by.noun)
	}
	if w.names != nil && len(w.names) != len(w.sigma) && len(w.sigma) > 0 {
		return fmt.Errorf("%s: %d names for %d %ss", w.by.kernel, len(w.names), len(w.sigma), w.by.noun)
	}
	for g, v := range w.sigma {
		if err := positive(w.by.kernel, w.by.name+"["+w.named(g)+"]", v, at); err != nil {
			return err
		}
	}
	for c, g := range w.group {
		if g < 0 || len(w.sigma) > 0 && g >= len(w.sigma) {
			return fmt.Errorf("%s: column %d is of group %d of %d", w.by.kernel, c+1, g+1, len(w.sigma))
		}
	}
	return nil
}

// on keeps the groups that the columns are of, in the order of their first column.
func (w columnWidths) on(columns []int) columnWidths {
	part := columnWidths{by: w.by}
	if w.group == nil {
		part.sigma = indices.Of(w.sigma, columns)
		return part
	}
	at := map[int]int{}
	for _, c := range columns {
		g := w.group[c]
		if _, ok := at[g]; !ok {
			at[g] = len(part.sigma)
			part.sigma = append(part.sigma, w.sigma[g])
			if w.names != nil {
				part.names = append(part.names, w.names[g])
			}
		}
		part.group = append(part.group, at[g])
	}
	return part
}

// addTo adds sum_c over its width to the derivative by each width.
func (w columnWidths) addTo(grad, sum []float64) {
	for c, v := range sum {
		at := w.of(c)
		grad[at] += v / w.sigma[at]
	}
}
