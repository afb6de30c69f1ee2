package tables

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/mercer-ml/mercer/internal/apply"
)

// groupRows are the rows after which a group of a Parquet file ends, which is held until then.
const groupRows = 1 << 17

// Begin writes Parquet, packed by Snappy. Words are strings, numbers are doubles.
func (Parquet) Begin(w io.Writer, columns []apply.Column) (out apply.Rows, err error) {
	err = guarded(func() error {
		schema := schemaOf(columns)
		options := []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Snappy), parquet.WithMaxRowGroupLength(groupRows)}
		for _, c := range columns {
			if c.Numbers != nil { // few of which are equal
				options = append(options, parquet.WithDictionaryFor(c.Name, false))
			}
		}
		properties := parquet.NewWriterProperties(options...)
		to, err := pqarrow.NewFileWriter(schema, onlyWriter{w}, properties, pqarrow.DefaultWriterProps())
		out = &rows{schema: schema, write: to.WriteBuffered, close: to.Close}
		return err
	})
	return out, err
}

// Begin writes a file of Arrow's interprocess format. Words are strings, numbers are doubles.
func (Arrow) Begin(w io.Writer, columns []apply.Column) (out apply.Rows, err error) {
	err = guarded(func() error {
		schema := schemaOf(columns)
		to, err := ipc.NewFileWriter(onlyWriter{w}, ipc.WithSchema(schema))
		out = &rows{schema: schema, write: to.Write, close: to.Close}
		return err
	})
	return out, err
}

// onlyWriter hides that the writer could be closed, which the library would do.
type onlyWriter struct{ io.Writer }

// schemaOf are the names and types of columns.
func schemaOf(columns []apply.Column) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrow.PrimitiveTypes.Float64}
		if c.Numbers == nil {
			fields[i].Type = arrow.BinaryTypes.String
		}
	}
	return arrow.NewSchema(fields, nil)
}

// rows is a file that is being written.
type rows struct {
	schema *arrow.Schema
	write  func(arrow.RecordBatch) error
	close  func() error
}

// Write writes a batch.
func (r *rows) Write(columns []apply.Column) error {
	return guarded(func() error {
		b := array.NewRecordBuilder(memory.NewGoAllocator(), r.schema)
		defer b.Release()
		for i, c := range columns {
			switch to := b.Field(i).(type) {
			case *array.Float64Builder:
				to.AppendValues(c.Numbers, nil)
			case *array.StringBuilder:
				to.AppendValues(c.Words, nil)
			}
		}
		batch := b.NewRecordBatch()
		defer batch.Release()
		return r.write(batch)
	})
}

// Close writes the end of the file.
func (r *rows) Close() error { return guarded(r.close) }
