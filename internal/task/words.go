package task

import "github.com/mercer-ml/mercer/data"

// WordShare is the share of the columns of a table, of those that have features, whose cells are words; 0 without a table.
func WordShare(table *data.Table) float64 {
	if table == nil {
		return 0
	}
	words, all := 0, Featured(table)
	for _, c := range all {
		if c.Kind == data.KindCategory || c.Kind == data.KindYesNo {
			words++
		}
	}
	return float64(words) / float64(max(len(all), 1))
}

// Featured are the columns of a table that have features, in their order: that of the widths of ByColumnOfTable.
func Featured(table *data.Table) (list []*data.Column) {
	for i := range table.Columns {
		if c := &table.Columns[i]; len(c.Features()) > 0 {
			list = append(list, c)
		}
	}
	return list
}
