package tables

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/mercer-ml/mercer/data/read"
)

// Arrow are files and streams of Arrow's interprocess format.
type Arrow struct{}

// Format is arrow.
func (Arrow) Format() read.Format { return "arrow" }

// Endings are those of the names of such files.
func (Arrow) Endings() []string { return []string{".arrow", ".feather", ".arrows", ".ipc"} }

var magic = []byte("ARROW1")

// Begins says whether a file, or a stream, begins as one.
func (Arrow) Begins(head []byte) bool {
	return bytes.HasPrefix(head, magic) || len(head) >= 8 && binary.LittleEndian.Uint32(head) == 0xffffffff
}

// arrowTable is an open file or stream; a stream that is read again begins again.
type arrowTable struct {
	read.File
	stream  bool
	columns []read.FurtherColumn
	bits    int64 // of a row in columns of fixed width, unpacked
}

// records hands the batches of records on.
type records interface {
	Schema() *arrow.Schema
	Read() (arrow.RecordBatch, error)
}

// Open reads the names and types of the columns.
func (Arrow) Open(f read.File) (read.Columnar, error) {
	t := &arrowTable{File: f}
	head := make([]byte, len(magic))
	_, err := f.ReadAt(head, 0)
	t.stream = err != nil || !bytes.Equal(head, magic)
	err = guarded(func() error {
		if err := sizes(t.File, t.stream); err != nil {
			return damaged(err)
		}
		in, done, err := t.open(newBounded(t.MemoryLimit))
		if err != nil {
			return err
		}
		defer done()
		for _, field := range in.Schema().Fields() {
			t.columns = append(t.columns, described(field.Name, field.Type))
			if fixed, ok := field.Type.(arrow.FixedWidthDataType); ok {
				t.bits += int64(fixed.BitWidth())
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// open begins to read.
func (t *arrowTable) open(mem *bounded) (in records, done func(), err error) {
	from := io.NewSectionReader(t, 0, t.Size)
	if t.stream {
		r, err := ipc.NewReader(from, ipc.WithAllocator(mem))
		if err != nil {
			return nil, nil, damaged(err)
		}
		return r, r.Release, nil
	}
	r, err := ipc.NewFileReader(from, ipc.WithAllocator(mem))
	if err != nil {
		return nil, nil, damaged(err)
	}
	return r, func() { _ = r.Close() }, nil // nothing was written
}

// Columns are those of the schema.
func (t *arrowTable) Columns() []read.FurtherColumn { return t.columns }

// Rows is how many there are if the file is not packed and has little but columns of fixed width.
func (t *arrowTable) Rows() int64 {
	if t.bits <= 0 {
		return -1
	}
	return t.Size / t.bits * 8
}

// Close does nothing: the file is the caller's.
func (t *arrowTable) Close() error { return nil }

// Batches are those of the file, by pieces.
func (t *arrowTable) Batches(ctx context.Context, want []int) iter.Seq2[read.Batch, error] {
	return func(yield func(read.Batch, error) bool) {
		var in records
		var done func()
		mem := newBounded(t.MemoryLimit)
		err := guarded(func() (err error) {
			in, done, err = t.open(mem)
			return err
		})
		if err != nil {
			yield(nil, err)
			return
		}

		most := int64(min(batchRows, max(leastRows, batchCells/max(1, len(want)))))
		b := newBatch(len(t.columns), mem)
		defer func() { _ = guarded(func() error { b.drop(); done(); return nil }) }() // what is let go of is no longer wanted
		for {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			record, err := next(in)
			if err == io.EOF { //nolint:errorlint // next returns it as it is
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for at := int64(0); at < record.NumRows(); at += most {
				b.n = int(min(most, record.NumRows()-at))
				err := guarded(func() error { return b.take(record, want, at) })
				if err != nil || ctx.Err() != nil {
					if err == nil {
						err = ctx.Err()
					}
					yield(nil, err)
					return
				}
				if !yield(b, nil) {
					return
				}
			}
		}
	}
}

// next reads a batch of records that is valid until the next one.
func next(in records) (record arrow.RecordBatch, err error) {
	var end error
	err = guarded(func() error {
		if record, end = in.Read(); end != nil && end != io.EOF { //nolint:errorlint // the library returns it as it is
			return damaged(end)
		}
		return nil
	})
	if err == nil {
		err = end
	}
	return record, err
}

// drop lets go of the rows before.
func (b *batch) drop() {
	if b.part != nil {
		b.part.Release()
		b.part = nil
	}
}

// take sets the cells to those of rows from at on.
func (b *batch) take(record arrow.RecordBatch, want []int, at int64) error {
	b.drop()
	b.part = record.NewSlice(at, at+int64(b.n))
	for _, c := range want {
		to := &b.columns[c]
		to.reset()
		if err := to.add(b.part.Column(c)); err != nil {
			return damaged(err)
		}
		if to.n != b.n {
			return damaged("columns of different lengths")
		}
	}
	return nil
}
