package columns

import (
	"strconv"

	"github.com/mercer-ml/mercer/data"
)

// Part is a column of a table as it was read, with the features that it became.
type Part struct {
	Name string
	Of   *data.Column // nil: the feature itself is a column of numbers
	At   []int        // the numbers of its features, from 0
}

// Parts are the columns that have features: those of the table, or without one each of so many features, by its name or its number
// from 1.
func Parts(table *data.Table, features int, names []string) []Part {
	var list []Part
	if table == nil {
		for j := range features {
			name := strconv.Itoa(j + 1)
			if names != nil {
				name = names[j]
			}
			list = append(list, Part{Name: name, At: []int{j}})
		}
		return list
	}
	from := 0
	for i := range table.Columns {
		c := &table.Columns[i]
		one := Part{Name: c.Name, Of: c}
		for range c.Features() {
			one.At = append(one.At, from)
			from++
		}
		if one.At != nil {
			list = append(list, one)
		}
	}
	return list
}

// Kinds counts the columns of each kind, and names those that are left out.
func Kinds(t *data.Table) (list []string) {
	for _, kind := range []struct{ id, one, many string }{
		{data.KindNumber, "column of numbers", "columns of numbers"}, {data.KindCategory, "of words", "of words"},
		{data.KindOrdered, "of words in an order", "of words in an order"}, {data.KindYesNo, "yes-no", "yes-no"},
		{data.KindDate, "of dates", "of dates"},
	} {
		n := 0
		for i := range t.Columns {
			if t.Columns[i].Kind == kind.id {
				n++
			}
		}
		switch n {
		case 0:
		case 1:
			list = append(list, "1 "+kind.one)
		default:
			list = append(list, strconv.Itoa(n)+" "+kind.many)
		}
	}
	var left []string
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Kind == data.KindIgnored {
			left = append(left, c.Name)
		}
	}
	if left != nil {
		list = append(list, "left out: "+some(left))
	}
	return list
}
