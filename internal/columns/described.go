package columns

import "github.com/mercer-ml/mercer/data"

// Described is what mercer data says of a file as JSON, of which --columns reads the columns.
type Described struct {
	Version int               `json:"version"`
	Rows    int               `json:"rows"`
	Columns []DescribedColumn `json:"columns"`
	Dialect *data.Dialect     `json:"dialect,omitempty"`
	Guesses []string          `json:"guesses,omitempty"`
}

// DescribedColumn is a column and the number of features that it becomes.
type DescribedColumn struct {
	data.Column
	Features int `json:"features"`
}

// Table is the table that was described.
func (d Described) Table() *data.Table {
	t := &data.Table{Version: d.Version}
	for _, c := range d.Columns {
		t.Columns = append(t.Columns, c.Column)
	}
	return t
}
