package columns

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
)

// Places are the places of rows in the order of a column of numbers or dates, whose cells stand on the lines given. A cell that is
// missing or neither is a *Fault.
func Places(name string, cells []string, lines []int) ([]float64, *Fault) {
	p := NewProfile(1)
	for i, c := range cells {
		p.Rows++
		p.Add(0, []byte(c), lines[i])
	}
	s := &p.Columns[0]
	kind := data.KindNumber
	if s.mostDates() > s.Numbers {
		kind = data.KindDate
	}
	col := data.Column{Name: name, Kind: kind}
	f := file{}
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
