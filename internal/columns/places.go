package columns

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// Places are the places of rows in the order of a column of numbers or dates, whose cells stand on the lines given. A cell that is
// missing or neither is a *Fault. What the settings say of the column holds.
func Places(name string, o Settings, cells []string, lines []int) ([]float64, *Fault) {
	col := data.Column{Name: name}
	for _, g := range o.Given {
		if g.Name == name {
			col.Format, col.Decimal, col.Thousands, col.Unit, col.Empty = g.Format, g.Decimal, g.Thousands, g.Unit, g.Empty
		}
	}
	col.Empty = slices.Concat(col.Empty, o.Empty[name])
	p := NewProfile(1)
	p.Empty([][]string{col.Empty})
	for i, c := range cells {
		p.Rows++
		p.Add(0, []byte(c), lines[i])
	}
	s := &p.Columns[0]
	if col.Kind = data.KindNumber; s.mostDates() > s.Numbers {
		col.Kind = data.KindDate
	}
	f := file{Settings: o}
	if err := f.column(&col, s, 0); err != nil {
		if fault, ok := err.(*Fault); ok { //nolint:errorlint // column returns nothing else, unwrapped
			return nil, fault
		}
	}
	table := data.NewTable([]data.Column{col})
	e := NewCoder(table)
	places, row := make([]float64, len(cells)), make([]float64, e.Dim())
	u := e.NewUnknown()
	for i, c := range cells {
		what, _ := e.Set(row, 0, []byte(c), u)
		places[i] = row[0]
		if what != "" || math.IsNaN(places[i]) {
			return nil, &Fault{0, Place{Line: lines[i]}, fmt.Sprintf("column %q: %q is no place in the order of the rows", name,
				shortened([]byte(c))), "give every row a number or a date there, or leave out --order"}
		}
	}
	return places, nil
}
