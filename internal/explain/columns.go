package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/model"
)

// column is one of the table as it was, with the features that it became.
type column struct {
	name string
	of   *data.Column // nil: the feature itself is a column of numbers
	at   []int
}

// columnsOf are those of a model; nil of sparse rows, whose columns are those that a row stores.
func columnsOf(m *model.Model) (list []column) {
	if m.Sparse {
		return nil
	}
	for _, c := range columns.Parts(m.Table, m.Columns, m.Features) {
		list = append(list, column{name: c.Name, of: c.Of, at: c.At})
	}
	return list
}

// number says whether the first feature of the column is its number.
func (c column) number() bool { return c.of == nil || c.of.Kind == data.KindNumber }

// shown is the value of the column in a row: a number, or a word.
func (c column) shown(row []float64) any {
	if c.of == nil {
		return row[c.at[0]]
	}
	levels := c.of.Levels
	switch c.of.Kind {
	case data.KindCategory:
		for q, level := range levels {
			if row[c.at[q]] == 1 {
				return level
			}
		}
		if c.of.Other && row[c.at[len(levels)]] == 1 {
			return "another word"
		}
		return "missing"
	case data.KindNumber:
		for q, level := range levels {
			if row[c.at[1+q]] == 1 {
				return level
			}
		}
	case data.KindDate:
		if v := row[c.at[0]]; v-v == 0 && c.of.Format != "" {
			return columns.DateText(c.of, v)
		}
	case data.KindYesNo, data.KindOrdered:
		k := row[c.at[0]] * float64(len(levels)-1)
		if level := int(math.Round(k)); level >= 0 && level < len(levels) && math.Abs(k-float64(level)) < 1e-9 {
			return levels[level]
		}
	}
	return row[c.at[0]]
}

// references are what columns are put at: a row of the model's features, as read.
type references struct {
	row  []float64
	from string // what rows they are of
}

// refer finds the references. Of numbers they are the medians (or means) of the training rows; where those were not given, what the
// model remembers of them, or else those of the rows that it keeps. Of words they are the most frequent one, of words in an order the
// lower median, of dates the date of the lower median. Absent entries of sparse rows are zero, which is their reference.
func (e *Explainer) refer() (*references, error) {
	m := e.model
	if m.Sparse {
		return &references{from: "zero: words and columns that a row does not have"}, nil
	}
	var rows data.Rows
	from := "the rows of --training"
	if e.o.Training != nil {
		rows = e.o.Training.Rows
	} else if r, lacks := e.remembered(); lacks == "" {
		return r, nil
	} else if rows = e.keptRows(); rows.Len() > 0 {
		from = "the rows that the model keeps"
	} else {
		return nil, fmt.Errorf("this model does not remember what column %s could be compared with; give the rows of the fit "+
			"with --training",
			lacks)
	}
	r := &references{row: make([]float64, m.Columns), from: from}
	for _, c := range e.columns {
		c.refer(r.row, rows, e.o.Reference)
	}
	return r, nil
}

// remembered are the references that the model itself has, and the name of a column of which it has none.
func (e *Explainer) remembered() (r *references, lacks string) {
	r = &references{row: make([]float64, e.model.Columns), from: "the columns of its fit, which the model remembers"}
	for _, c := range e.columns {
		if !c.remembered(r.row, e.model, e.o.Reference) {
			return nil, c.name
		}
	}
	return r, ""
}

// remembered stores the reference that a model has of the column: the median by which it fills in missing cells, the mean by which it
// scales, or the most frequent word by its profile. Of a date with parts it has none: an age is no date.
func (c column) remembered(to []float64, m *model.Model, kind string) bool {
	j := c.at[0]
	switch {
	case c.number() && kind == Mean:
		if m.Scaling.Kind != data.ScaleStandard || m.Scaling.Shift == nil {
			return false
		}
		to[j] = m.Scaling.Shift[j]
	case c.of == nil:
		if m.Fill == nil {
			return false
		}
		to[j] = m.Fill[j]
	case c.of.Kind == data.KindCategory:
		return c.commonest(to, m)
	case c.of.Fill == nil || len(c.of.Parts) > 0:
		return false
	case c.of.Kind == data.KindYesNo || c.of.Kind == data.KindOrdered:
		last := float64(max(len(c.of.Levels)-1, 1))
		to[j] = math.Floor(*c.of.Fill*last+1e-9) / last // half way between two levels it is the lower one
	default:
		to[j] = *c.of.Fill
	}
	return true
}

// commonest stores the most frequent word of a category by what a model remembers of the rows, false if that is nothing.
func (c column) commonest(to []float64, m *model.Model) bool {
	best, most := -1, -1.0
	for q := range c.of.Levels {
		if share, known := m.ShareOfOnes(c.at[q]); known && share > most {
			best, most = q, share
		}
	}
	if best < 0 {
		return false
	}
	to[c.at[best]] = 1
	return true
}

// keptRows are the different rows that the model keeps, as they were read; of several views, each has those of its columns, and
// NaN elsewhere. No row where the scaling has lost their length.
func (e *Explainer) keptRows() data.Rows {
	var all data.Rows
	s := e.model.Scaling
	if s.Kind == data.ScaleUnit || s.Kind == data.ScaleTFIDF {
		return all
	}
	for _, p := range e.parts {
		rows := p.scaled
		if rows.Len() == 0 {
			continue
		}
		if p.Columns == nil {
			rows = s.Undo(rows)
		} else {
			rows = s.Undo(rows.Among(p.Columns, e.model.Columns))
			for i := range rows.Len() {
				row := rows.Dense.RawRowView(i)
				for j := range row {
					if _, own := slices.BinarySearch(p.Columns, j); !own {
						row[j] = math.NaN()
					}
				}
			}
		}
		all, _ = all.Append(rows) // which have the model's columns
	}
	if all.IsSparse() {
		if e.model.HoldsColumns(8*all.Len()) != nil {
			return data.Rows{}
		}
		all = data.Rows{Dense: all.Sparse.ToDense()}
	}
	if s.Scale != nil {
		for i := range all.Len() {
			for _, c := range e.columns {
				exact(all.Dense.RawRowView(i), c.words())
			}
		}
	}
	return all
}

// words are the features that are one for a word and zero for others.
func (c column) words() []int {
	switch {
	case c.of == nil:
		return nil
	case c.of.Kind == data.KindCategory:
		return c.at
	case c.of.Kind == data.KindNumber:
		return c.at[1:]
	}
	return nil
}

// exact makes features of a row, whose scaling was undone, whole again where they were whole numbers.
func exact(row []float64, at []int) {
	for _, j := range at {
		if whole := math.Round(row[j]); math.Abs(row[j]-whole) < 1e-9 {
			row[j] = whole
		}
	}
}

// refer stores the reference of the column by rows, without those that lack it.
func (c column) refer(to []float64, rows data.Rows, kind string) {
	var idx []int
	for i := range rows.Len() {
		if v := rows.Dense.At(i, c.at[0]); v == v {
			idx = append(idx, i)
		}
	}
	if len(idx) == 0 {
		return
	}
	first := make([]float64, len(idx))
	for q, i := range idx {
		first[q] = rows.Dense.At(i, c.at[0])
	}
	switch {
	case c.of != nil && c.of.Kind == data.KindCategory:
		copy(to[c.at[0]:], frequent(rows.Dense, idx, c.at))
		return
	case c.number() && kind == Mean:
		for _, v := range first {
			to[c.at[0]] += v / float64(len(first))
		}
		return
	case c.number():
		to[c.at[0]] = columns.Median(first)
		return
	}
	// Words in an order, yes or no, dates: one of those that are there.
	slices.SortStableFunc(idx, func(a, b int) int { return cmp.Compare(rows.Dense.At(a, c.at[0]), rows.Dense.At(b, c.at[0])) })
	middle := rows.Dense.RawRowView(idx[(len(idx)-1)/2])
	for _, j := range c.at {
		to[j] = middle[j]
	}
	if c.of.Missing {
		to[c.at[len(c.at)-1]] = 0
	}
}

// frequent are the values of the columns at that most rows have together, the first of equal ones.
func frequent(x *mat.Dense, idx, at []int) []float64 {
	count := map[string]int{}
	var best []float64
	most := 0
	for _, i := range idx {
		values := x.RawRowView(i)[at[0] : at[len(at)-1]+1]
		key := make([]byte, len(values))
		for q, v := range values {
			if v != 0 {
				key[q] = 1
			}
		}
		count[string(key)]++
		if n := count[string(key)]; n > most {
			most, best = n, values
		}
	}
	return best
}
