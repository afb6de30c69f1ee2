package tables

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/mercer-ml/mercer/data/read"
)

// Parquet are files of Apache Parquet.
type Parquet struct{}

// Format is parquet.
func (Parquet) Format() read.Format { return "parquet" }

// Endings are those of the names of such files.
func (Parquet) Endings() []string { return []string{".parquet", ".pq"} }

// Begins says whether a file begins as one.
func (Parquet) Begins(head []byte) bool { return bytes.HasPrefix(head, []byte("PAR1")) }

// Open reads what the end of the file says of its columns.
func (Parquet) Open(f read.File) (read.Columnar, error) {
	t := &parquetTable{}
	err := guarded(func() error {
		if err := footerSizes(f); err != nil {
			return damaged(err)
		}
		mem := newBounded(f.MemoryLimit)
		t.mem = mem
		properties := parquet.NewReaderProperties(mem)
		properties.BufferedStreamEnabled = false // a part of a column is read at once
		from := &checked{SectionReader: io.NewSectionReader(f, 0, f.Size), mem: mem, chunks: map[int64][]chunk{}}
		in, err := file.NewParquetReader(from, file.WithReadProps(properties))
		if err != nil {
			return damaged(err)
		}
		if t.file, err = pqarrow.NewFileReader(in, pqarrow.ArrowReadProperties{}, mem); err != nil {
			return damaged(err)
		}
		for i := range t.file.Manifest.Fields {
			field := t.file.Manifest.Fields[i].Field
			t.columns = append(t.columns, described(field.Name, field.Type))
		}
		for g := range in.NumRowGroups() {
			n := in.MetaData().RowGroup(g).NumRows()
			if n < 0 || in.NumRows()-t.rows < n {
				return damaged("its groups have other numbers of rows than it")
			}
			t.rows += n
			if err := from.expect(in, g); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// parquetTable is an open file.
type parquetTable struct {
	file    *pqarrow.FileReader
	mem     *bounded
	columns []read.FurtherColumn
	rows    int64
}

// Columns are those of the file, nested ones undivided.
func (t *parquetTable) Columns() []read.FurtherColumn { return t.columns }

// Rows is how many the file says it has.
func (t *parquetTable) Rows() int64 { return t.rows }

// Close lets go of what the library holds; the file is the caller's.
func (t *parquetTable) Close() error {
	return guarded(t.file.ParquetReader().Close)
}

// batchRows are the rows of a batch at most; a batch of many columns has fewer, so that its numbers stay in a cache of the processor.
const (
	batchRows  = 16384
	batchCells = 1 << 18
	leastRows  = 256
)

// Batches decodes columns side by side on all processors.
func (t *parquetTable) Batches(ctx context.Context, want []int) iter.Seq2[read.Batch, error] {
	return func(yield func(read.Batch, error) bool) {
		most := int64(min(batchRows, max(leastRows, batchCells/max(1, len(want)))))
		readers := make([]*pqarrow.ColumnReader, len(want))
		direct := make([]loader, len(want)) // in the place of some of them
		chunks := make([]*arrow.Chunked, len(want))
		defer func() {
			_ = guarded(func() error { // what is let go of is no longer wanted
				for k := range readers {
					release(chunks[k])
					if readers[k] != nil {
						readers[k].Release()
					}
				}
				return nil
			})
		}()
		err := guarded(func() (err error) {
			for k, c := range want {
				if direct[k] = newLoader(t.file.ParquetReader(), &t.file.Manifest.Fields[c], int(most)); direct[k] != nil {
					continue
				}
				if readers[k], err = t.file.GetColumn(ctx, c); err != nil {
					return damaged(err)
				}
			}
			return nil
		})
		if err != nil {
			yield(nil, err)
			return
		}
		b := newBatch(len(t.columns), t.mem)
		for at := int64(0); at < t.rows; at += int64(b.n) {
			b.n = int(min(most, t.rows-at))
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			err := sideBySide(len(want), func(k int) error {
				if direct[k] != nil {
					return direct[k].load(&b.columns[want[k]], b.n)
				}
				return load(readers[k], &chunks[k], &b.columns[want[k]], b.n)
			})
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

func release(c *arrow.Chunked) {
	if c != nil {
		c.Release()
	}
}

// load reads the next n cells of a column.
func load(from *pqarrow.ColumnReader, chunk **arrow.Chunked, to *cells, n int) error {
	release(*chunk)
	*chunk = nil
	next, err := from.NextBatch(int64(n))
	if err != nil {
		return damaged(err)
	}
	*chunk = next
	to.reset()
	for _, a := range next.Chunks() {
		if err := to.add(a); err != nil {
			return damaged(err)
		}
	}
	if to.n != n {
		return damaged(fmt.Sprintf("a column ends %d rows too early", n-to.n))
	}
	return nil
}

// reset forgets the cells.
func (c *cells) reset() {
	clear(c.parts)
	c.direct, c.gaps = nil, false
	c.parts, c.starts, c.text, c.ends, c.n = c.parts[:0:0], c.starts[:0], c.text[:0], c.ends[:0], 0
}

// sideBySide calls f for 0 to n-1 on all processors, and returns the error of the least number. A panic is an error.
func sideBySide(n int, f func(int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				errs[k] = guarded(func() error { return f(k) })
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
