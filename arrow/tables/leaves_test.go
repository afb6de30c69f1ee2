package tables

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/mercer-ml/mercer/data/read"
)

// moment is a timestamp of 96 bits.
func moment(t testing.TB, text string) (v parquet.Int96) {
	t.Helper()
	when, err := time.Parse("2006-01-02 15:04:05.999999999", text)
	if err != nil {
		t.Fatal(err)
	}
	day := when.Truncate(24 * time.Hour)
	binary.LittleEndian.PutUint64(v[:], uint64(when.Sub(day)))
	binary.LittleEndian.PutUint32(v[8:], uint32(day.Unix()/86400+2440588))
	return v
}

// ofMoments is a file of a column of them in two groups, each with a missing one at its beginning where some may be missing.
func ofMoments(t testing.TB, values []parquet.Int96, missing parquet.Repetition) []byte {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	node, err := schema.NewPrimitiveNode("when", missing, parquet.Types.Int96, -1, -1)
	must(err)
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	must(err)
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	for range 2 {
		column, err := w.AppendRowGroup().NextColumn()
		must(err)
		var levels []int16
		if missing == parquet.Repetitions.Optional {
			levels = append([]int16{0}, slices.Repeat([]int16{1}, len(values))...)
		}
		_, err = column.(*file.Int96ColumnChunkWriter).WriteBatch(values, levels, nil)
		must(err)
		must(column.Close())
	}
	must(w.Close())
	return b.Bytes()
}

// TestMoments: timestamps of 96 bits have the dates of their days, also in years that nanoseconds in 64 bits do not reach.
func TestMoments(t *testing.T) {
	texts := []string{"2021-03-04 05:06:07.25", "9999-12-31 00:00:00", "1677-01-01 12:00:00", "0001-01-01 00:00:00", "1970-01-01 00:00:00"}
	var values []parquet.Int96
	for _, text := range texts {
		values = append(values, moment(t, text))
	}
	cellsOf := func(content []byte) (all []string, err error) {
		table, err := Parquet{}.Open(read.File{ReaderAt: bytes.NewReader(content), Size: int64(len(content))})
		if err != nil {
			t.Fatal(err)
		}
		for batch, err := range table.Batches(t.Context(), []int{0}) {
			if err != nil {
				return nil, err
			}
			for i := range batch.Len() {
				all = append(all, string(batch.Text(nil, 0, i)))
			}
		}
		return all, nil
	}
	for missing, first := range map[parquet.Repetition]string{parquet.Repetitions.Required: "", parquet.Repetitions.Optional: "|"} {
		got, err := cellsOf(ofMoments(t, values, missing))
		group := first + strings.Join(texts, "+00:00|") + "+00:00"
		if want := group + "|" + group; err != nil || strings.Join(got, "|") != want {
			t.Errorf("%v: %q, %v, want %s", missing, got, err, want)
		}
	}
	beyond := parquet.Int96{}
	binary.LittleEndian.PutUint32(beyond[8:], 1<<30)
	for _, v := range []parquet.Int96{beyond, {}} {
		if got, err := cellsOf(ofMoments(t, []parquet.Int96{v}, parquet.Repetitions.Optional)); err == nil ||
			!strings.Contains(err.Error(), `column "when": a timestamp of the year`) {
			t.Errorf("%v: %q, %v", v, got, err)
		}
	}
}
