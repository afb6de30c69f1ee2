package tables

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// leaf reads a column of values of one type of a Parquet file from pages into memory of its own, which is used again for each batch.
type leaf[T any] struct {
	file   *file.Reader
	column int
	group  int // the next one
	in     chunkReader[T]
	levels []int16 // of definition: 1 = there is a value; nil: there always is
	values []T
}

// chunkReader reads a column of a group.
type chunkReader[T any] interface {
	HasNext() bool
	Err() error
	ReadBatchInPage(rows int64, values []T, definition, repetition []int16) (total int64, read int, err error)
}

// isLeaf says whether a field is a column of values of a type, without lists or groups of columns around them.
func isLeaf(from *file.Reader, field *pqarrow.SchemaField, kind parquet.Type) bool {
	if !field.IsLeaf() {
		return false
	}
	c := from.MetaData().Schema.Column(field.ColIndex)
	return c.PhysicalType() == kind && c.MaxRepetitionLevel() == 0 && c.MaxDefinitionLevel() <= 1
}

func newLeaf[T any](from *file.Reader, column, rows int) leaf[T] {
	l := leaf[T]{file: from, column: column, values: make([]T, rows)}
	if from.MetaData().Schema.Column(column).MaxDefinitionLevel() == 1 {
		l.levels = make([]int16, rows)
	}
	return l
}

// read reads the values of the next n rows, and says whether some have none: they are then set to missing.
func (l *leaf[T]) read(n int, missing T) (gaps bool, err error) {
	for at := 0; at < n; {
		for l.in == nil || !l.in.HasNext() {
			if err := l.next(); err != nil {
				return gaps, err
			}
		}
		var levels []int16
		if l.levels != nil {
			levels = l.levels[at:n]
		}
		// Page by page: over several pages the library waits for ever for the values of one that has fewer than it says.
		rows, values, err := l.in.ReadBatchInPage(int64(n-at), l.values[at:n], levels, nil)
		if err != nil {
			return gaps, damaged(err)
		}
		if rows <= 0 || int(rows) > n-at {
			return gaps, damaged("a column ends too early")
		}
		if values < int(rows) {
			if l.levels == nil {
				return gaps, damaged("a column has fewer values than rows")
			}
			spread(l.values[at:at+int(rows)], levels[:rows], values, missing)
			gaps = true
		}
		at += int(rows)
	}
	return gaps, nil
}

// next goes on to the next group.
func (l *leaf[T]) next() error {
	if l.in != nil && l.in.Err() != nil {
		return damaged(l.in.Err())
	}
	if l.group == l.file.NumRowGroups() {
		return damaged("a column ends too early")
	}
	in, err := l.file.RowGroup(l.group).Column(l.column)
	if err != nil {
		return damaged(err)
	}
	var ok bool
	if l.in, ok = in.(chunkReader[T]); !ok {
		return damaged("a column changes its type")
	}
	l.group++
	return nil
}

// spread moves the values, which stand side by side at the beginning, to the rows that have one.
func spread[T any](to []T, levels []int16, values int, missing T) {
	for i := len(to) - 1; i >= 0; i-- {
		if levels[i] == 0 {
			to[i] = missing
			continue
		}
		values--
		to[i] = to[values] // a panic where levels and values disagree
	}
}

// loader reads the next n cells of a column.
type loader interface {
	load(to *cells, n int) error
}

// newLoader returns the reader of a field that is not left to the library, nil for others.
func newLoader(from *file.Reader, field *pqarrow.SchemaField, rows int) loader {
	switch t := field.Field.Type.(type) {
	case *arrow.Float64Type:
		if isLeaf(from, field, parquet.Types.Double) {
			return &doubles{newLeaf[float64](from, field.ColIndex, rows)}
		}
	case *arrow.TimestampType:
		if isLeaf(from, field, parquet.Types.Int96) {
			return &moments{newLeaf[parquet.Int96](from, field.ColIndex, rows), field.Field.Name, layoutOf(t)}
		}
	}
	return nil
}

// doubles reads a column of doubles: most tables have such columns, and the arrays that the library makes of them cost more than to
// decode them.
type doubles struct{ leaf[float64] }

// load reads the next n cells, NaN where there is no value.
func (d *doubles) load(to *cells, n int) (err error) {
	to.reset()
	to.gaps, err = d.read(n, math.NaN())
	to.n, to.direct = n, d.values[:n]
	return err
}

// moments reads a column of timestamps of 96 bits, which are the nanoseconds of a day and the number of that day. The library makes
// nanoseconds since 1970 of them, whose 64 bits are enough for the years 1678 to 2261, and says nothing of others.
type moments struct {
	leaf[parquet.Int96]
	name, layout string
}

// load reads the text of the next n cells.
func (m *moments) load(to *cells, n int) error {
	const epoch = 2440588 // the day of the 1st of January 1970
	to.reset()
	if _, err := m.read(n, parquet.Int96{}); err != nil {
		return err
	}
	for i, v := range m.values[:n] {
		if m.levels == nil || m.levels[i] == 1 {
			day, rest := int64(binary.LittleEndian.Uint32(v[8:])), int64(binary.LittleEndian.Uint64(v[:8]))
			when := time.Unix((day-epoch)*86400, rest).UTC()
			if year := when.Year(); year < 1 || year > 9999 {
				return fmt.Errorf("column %q: a timestamp of the year %d; leave the column out with --drop, or write it as text", m.name, year)
			}
			to.text = when.AppendFormat(to.text, m.layout)
		}
		to.ends = append(to.ends, len(to.text))
	}
	to.n = n
	return nil
}
