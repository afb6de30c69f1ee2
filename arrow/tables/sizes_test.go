package tables_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/mercer-ml/mercer/arrow/tables"
	"github.com/mercer-ml/mercer/data/read"
)

// allocated is how many bytes f makes, given back or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// some are columns of a table, by name.
func some(r arrow.RecordBatch, names ...string) arrow.RecordBatch {
	var fields []arrow.Field
	var columns []arrow.Array
	for i, f := range r.Schema().Fields() {
		for _, name := range names {
			if f.Name == name {
				fields, columns = append(fields, f), append(columns, r.Column(i))
			}
		}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, r.NumRows())
}

// viewed is a table with one more column, of texts that stand elsewhere.
func viewed(r arrow.RecordBatch) arrow.RecordBatch {
	b := array.NewStringViewBuilder(memory.NewGoAllocator())
	for i := range r.NumRows() {
		b.Append(strings.Repeat(fmt.Sprint(i), 20)) // longer than what stands in the view itself
	}
	fields := append(r.Schema().Fields(), arrow.Field{Name: "view", Type: arrow.BinaryTypes.StringView})
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), append(r.Columns(), b.NewArray()), r.NumRows())
}

// TestAnnounced: whichever number of a small file is made a large one, reading it takes little memory.
func TestAnnounced(t *testing.T) {
	const limit, most = 1 << 20, 64 << 20
	r, _ := mixed()
	r = some(r.NewSlice(0, 12), "b", "c", "label")
	deltas := []parquet.WriterProperty{
		parquet.WithDictionaryDefault(false), parquet.WithStats(false), parquet.WithEncodingFor("b", parquet.Encodings.DeltaBinaryPacked),
		parquet.WithEncodingFor("c", parquet.Encodings.DeltaByteArray),
		parquet.WithEncodingFor("label", parquet.Encodings.DeltaLengthByteArray),
	}
	parquetNumber, arrowNumber := []byte{0xfe, 0xff, 0xff, 0xff, 0x0f}, []byte{0xf0, 0xff, 0xff, 0x7f} // of 31 bits
	for name, content := range map[string][]byte{
		"parquet":         parquetOf(t, r, 12, parquet.WithStats(false), parquet.WithCompression(compress.Codecs.Snappy)),
		"parquet, deltas": parquetOf(t, r, 12, deltas...),
		"arrow":           ipcOf(t, viewed(r), false, 12), "arrow stream": ipcOf(t, viewed(r), true, 12),
	} {
		number, step := parquetNumber, 1
		if strings.HasPrefix(name, "arrow") {
			number, step = arrowNumber, len(arrowNumber)
		}
		open := func(content []byte) (err error) {
			o := read.Options{Formats: program.Formats, Stdin: bytes.NewReader(content), MemoryLimit: limit, Prepare: true}
			_, _, err = read.Open(t.Context(), "-", o)
			return err
		}
		if err := open(content); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for at := 0; at < len(content); at += step {
			changed := bytes.Clone(content)
			copy(changed[at:], number)
			if took := allocated(func() { _ = open(changed) }); took > most {
				t.Errorf("%s, byte %d: %d MB are made for a file of %d bytes", name, at, took>>20, len(content))
			}
		}
	}
}

// TestSchemaWithin: the schema of Arrow in a file of Parquet is checked as that of a file of Arrow.
func TestSchemaWithin(t *testing.T) {
	r, _ := mixed()
	content := parquetOf(t, r.NewSlice(0, 12), 12)
	key := bytes.Index(content, []byte("ARROW:schema"))
	text := content[key+len("ARROW:schema")+3:] // after the head and the length, of two bytes
	text = text[:bytes.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("+/=", r) && (r < '0' || r > 'z') })]
	within, err := base64.StdEncoding.DecodeString(string(text[:len(text)/4*4]))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for at := 0; at+4 <= len(within); at += 4 {
		changed := bytes.Clone(within)
		binary.LittleEndian.PutUint32(changed[at:], 0x7ffffff0)
		copy(text, base64.StdEncoding.EncodeToString(changed))
		took := allocated(func() {
			_, err = tables.Parquet{}.Open(read.File{ReaderAt: bytes.NewReader(content), Size: int64(len(content)), MemoryLimit: 1 << 20})
		})
		if err != nil && strings.Contains(err.Error(), "sizes do not agree") {
			refused++
		}
		if took > 8<<20 {
			t.Errorf("at byte %d of the schema: %d MB are made", at, took>>20)
		}
	}
	if refused < 3 {
		t.Errorf("%d sizes are refused", refused)
	}
}

// TestSameText: cells that are all of one long text are read as far as the memory goes.
func TestSameText(t *testing.T) {
	const rows, long = 5000, 50_000
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	b := array.NewBuilder(memory.NewGoAllocator(), words).(*array.BinaryDictionaryBuilder)
	for range rows {
		if err := b.AppendString(strings.Repeat("x", long)); err != nil {
			t.Fatal(err)
		}
	}
	numbers := array.NewFloat64Builder(memory.NewGoAllocator())
	numbers.AppendValues(make([]float64, rows), nil)
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Float64}, {Name: "label", Type: words}}
	r := array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{numbers.NewArray(), b.NewArray()}, rows)
	for name, content := range map[string][]byte{"parquet": parquetOf(t, r, rows), "arrow": ipcOf(t, r, false, rows)} {
		var err error
		took := allocated(func() {
			o := read.Options{Formats: program.Formats, Stdin: bytes.NewReader(content), MemoryLimit: 4 << 20}
			_, _, err = read.Open(t.Context(), "-", o)
		})
		if err == nil || !strings.Contains(err.Error(), "over the limit") || took > rows*long/4 {
			t.Errorf("%s: %v, %d MB", name, err, took>>20)
		}
	}
}
