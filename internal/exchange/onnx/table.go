package onnx

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// rows declares what goes in and returns the numbers that predict makes of it, with the names of the columns.
func (g *graph) rows(m *model.Model) (value, []string, error) {
	if m.Table == nil {
		names := m.Features
		if names == nil {
			names = make([]string, m.Columns)
			for j := range names {
				names[j] = fmt.Sprint(j + 1)
			}
		}
		x := g.input(Rows, typeDouble, m.Columns)
		if m.Fill != nil && len(m.Parts) == 1 { // else rows may lack views
			x = g.where(g.op("Equal", []value{x, x}), x, g.row(m.Fill)) // NaN is not equal to itself
		}
		return x, names, nil
	}
	var columns []*data.Column
	var names []string
	numbers := true
	for i := range m.Table.Columns {
		if c := &m.Table.Columns[i]; c.Feature() {
			columns, names = append(columns, c), append(names, c.Name)
			numbers = numbers && c.Kind == data.KindNumber
		}
	}
	var all value
	if numbers {
		all = g.input(Rows, typeDouble, len(columns))
	}
	var list []value
	for j, c := range columns {
		var v value
		switch {
		case c.Kind == data.KindNumber && c.Levels != nil:
			return "", nil, fmt.Errorf("column %q has words among its numbers, such as %q, which no tensor holds; write predictions with "+
				"mercer predict", c.Name, c.Levels[0])
		case !numbers && (slices.Contains(outputs, c.Name) || strings.HasPrefix(c.Name, ownSign)):
			return "", nil, fmt.Errorf("column %q has the name of an output or of a tensor inside; give it another", c.Name)
		case numbers:
			v = g.columns(all, []int{j})
		case c.Kind == data.KindNumber || c.Kind == data.KindDate:
			v = g.input(c.Name, typeDouble, 1)
		default:
			v = g.input(c.Name, typeString, 1)
		}
		list = append(list, g.cells(c, v)...)
	}
	return g.beside(list...), names, nil
}

// cells are the features of one column: its cells are numbers, NaN where they are missing, or words.
func (g *graph) cells(c *data.Column, v value) []value {
	if c.Kind == data.KindDate {
		return g.dates(c, v)
	}
	if c.Kind == data.KindNumber {
		v = g.without(v, c)
		there := g.op("Equal", []value{v, v}) // NaN is not equal to itself
		list := []value{g.where(there, v, g.scalar(fill(c.Fill)))}
		if c.Missing {
			list = append(list, g.sub(g.scalar(1), g.double(there)))
		}
		return list
	}
	// The number of a word: its level, the next one where its cell is missing, and the last of all other words.
	absent := len(c.Levels)
	other := absent + 1
	keys, values := append([]string(nil), c.Levels...), make([]int, len(c.Levels))
	for k, level := range keys {
		if values[k] = k; columns.Missing([]byte(level)) || slices.Contains(c.Empty, level) {
			values[k] = absent
		}
	}
	for _, mark := range slices.Concat(absentMarks, c.Empty) {
		if !slices.Contains(keys, mark) {
			keys, values = append(keys, mark), append(values, absent)
		}
	}
	word := g.name()
	g.node("LabelEncoder", mlOperators, []value{v}, []value{word},
		attribute{"keys_strings", keys}, attribute{"values_int64s", values}, attribute{"default_int64", other})
	flat := g.op("Reshape", []value{word, g.numbers(-1)})
	return []value{g.op("Gather", []value{g.matrix(coded(c)), flat})} // a row a word
}

// without has NaN in the place of what stands for missing cells of a column: numbers, or the seconds of dates. Other marks are texts,
// which no tensor of numbers holds.
func (g *graph) without(v value, c *data.Column) value {
	for _, mark := range c.Empty {
		if c.Decimal == "," {
			mark = strings.ReplaceAll(mark, ",", ".")
		}
		absent, ok := data.Number(mark)
		if c.Kind == data.KindDate {
			absent, ok = secondsOf(c, mark)
		}
		if ok {
			v = g.where(g.op("Equal", []value{v, g.scalar(absent)}), g.scalar(math.NaN()), v)
		}
	}
	return v
}

// absentMarks are the words that say that a cell is missing, which ONNX compares letter by letter.
var absentMarks = []string{"", "?", "NA", "N/A", "NaN", "null", "None", "na", "n/a", "nan", "NAN", "NULL", "none", "Na", "Null", "NONE"}

// coded are the features of each word: those of the levels, of a missing cell and of other words.
func coded(c *data.Column) *mat.Dense {
	absent, other, width := len(c.Levels), len(c.Levels)+1, len(c.Features())
	out := mat.NewDense(other+1, width, nil)
	if c.Kind == data.KindCategory {
		for k := range c.Levels {
			out.Set(k, k, 1)
		}
		if c.Other {
			out.Set(other, len(c.Levels), 1)
		}
	} else {
		for k := range c.Levels {
			if len(c.Levels) > 1 {
				out.Set(k, 0, float64(k)/float64(len(c.Levels)-1))
			}
		}
		out.Set(absent, 0, fill(c.Fill))
		out.Set(other, 0, fill(c.Fill))
	}
	if c.Missing {
		out.Set(absent, width-1, 1)
	}
	return out
}
