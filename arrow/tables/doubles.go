package tables

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// doubles reads a column of doubles of a Parquet file from pages into memory of its own, which is used again for each batch: most
// tables have such columns, and the arrays that the library makes of them cost more than to decode them.
type doubles struct {
	file   *file.Reader
	column int // leaf
	group  int // the next one
	in     *file.Float64ColumnChunkReader
	levels []int16 // of definition: 1 = there is a value; nil: there always is
	values []float64
}

// newDoubles returns the reader of a field, nil if that is no column of plain doubles.
func newDoubles(from *file.Reader, field *pqarrow.SchemaField, rows int) *doubles {
	if !field.IsLeaf() || field.Field.Type.ID() != arrow.FLOAT64 {
		return nil
	}
	c := from.MetaData().Schema.Column(field.ColIndex)
	if c.MaxRepetitionLevel() != 0 || c.MaxDefinitionLevel() > 1 {
		return nil
	}
	d := &doubles{file: from, column: field.ColIndex, values: make([]float64, rows)}
	if c.MaxDefinitionLevel() == 1 {
		d.levels = make([]int16, rows)
	}
	return d
}

// load reads the next n cells, NaN where there is no value.
func (d *doubles) load(to *cells, n int) error {
	to.reset()
	for at := 0; at < n; {
		for d.in == nil || !d.in.HasNext() {
			if d.in != nil && d.in.Err() != nil {
				return damaged(d.in.Err())
			}
			if d.group == d.file.NumRowGroups() {
				return damaged("a column ends too early")
			}
			in, err := d.file.RowGroup(d.group).Column(d.column)
			if err != nil {
				return damaged(err)
			}
			var ok bool
			if d.in, ok = in.(*file.Float64ColumnChunkReader); !ok {
				return damaged("a column changes its type")
			}
			d.group++
		}
		var levels []int16
		if d.levels != nil {
			levels = d.levels[at:n]
		}
		// Page by page: over several pages the library waits for ever for the values of one that has fewer than it says.
		rows, values, err := d.in.ReadBatchInPage(int64(n-at), d.values[at:n], levels, nil)
		if err != nil {
			return damaged(err)
		}
		if rows <= 0 || int(rows) > n-at {
			return damaged("a column ends too early")
		}
		if values < int(rows) {
			if d.levels == nil {
				return damaged("a column has fewer values than rows")
			}
			spread(d.values[at:at+int(rows)], levels[:rows], values)
			to.gaps = true
		}
		at += int(rows)
	}
	to.n, to.direct = n, d.values[:n]
	return nil
}

// spread moves the values, which stand side by side at the beginning, to the rows that have one.
func spread(to []float64, levels []int16, values int) {
	for i := len(to) - 1; i >= 0; i-- {
		if levels[i] == 0 {
			to[i] = math.NaN()
			continue
		}
		values--
		to[i] = to[values] // a panic where levels and values disagree
	}
}
