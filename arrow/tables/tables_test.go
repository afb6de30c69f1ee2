package tables_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/mercer-ml/mercer/arrow/tables"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/cli"
)

var program = cli.Program{
	Formats: []read.Further{tables.Parquet{}, tables.Arrow{}},
	Writers: []apply.Writer{tables.Parquet{}, tables.Arrow{}},
}

// mixed is a table of 60 rows with columns of most types, some cells missing, as records and as CSV.
func mixed() (arrow.RecordBatch, string) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	money := &arrow.Decimal128Type{Precision: 9, Scale: 2}
	at := &arrow.TimestampType{Unit: arrow.Microsecond}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "b", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "c", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "d", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "e", Type: arrow.FixedWidthTypes.Boolean, Nullable: true}, {Name: "f", Type: words, Nullable: true},
		{Name: "g", Type: money, Nullable: true}, {Name: "h", Type: at, Nullable: true},
		{Name: "label", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	var text strings.Builder
	text.WriteString("a,b,c,d,e,f,g,h,label\n")
	day := time.Date(2020, 2, 3, 0, 0, 0, 0, time.UTC)
	for i := range 60 {
		when := day.AddDate(0, 0, 5*i)
		hour := when.Add(time.Duration(i) * time.Hour)
		cells := make([]string, 9)
		add := func(j int, cell string, set func()) {
			if (i+j)%11 == 0 {
				b.Field(j).AppendNull()
				return
			}
			cells[j] = cell
			set()
		}
		v := float64(i)/7 - 3
		add(0, fmt.Sprint(v), func() { b.Field(0).(*array.Float64Builder).Append(v) })
		add(1, fmt.Sprint(i*i), func() { b.Field(1).(*array.Int64Builder).Append(int64(i * i)) })
		word := [3]string{"red, dark", "green", " \"blue\""}[i%3]
		add(2, `"`+strings.ReplaceAll(word, `"`, `""`)+`"`, func() { b.Field(2).(*array.StringBuilder).Append(word) })
		add(3, when.Format(time.DateOnly), func() { b.Field(3).(*array.Date32Builder).Append(arrow.Date32FromTime(when)) })
		add(4, fmt.Sprint(i%2 == 0), func() { b.Field(4).(*array.BooleanBuilder).Append(i%2 == 0) })
		size := [2]string{"small", "large"}[i/2%2]
		add(5, size, func() { _ = b.Field(5).(*array.BinaryDictionaryBuilder).AppendString(size) })
		add(6, fmt.Sprintf("%d.%02d", i, i), func() { b.Field(6).(*array.Decimal128Builder).Append(decimal128.FromI64(int64(101 * i))) })
		add(7, hour.Format(time.DateTime), func() { b.Field(7).(*array.TimestampBuilder).Append(arrow.Timestamp(hour.UnixMicro())) })
		answer := [2]string{"no", "yes"}[i/30]
		add(8, answer, func() { b.Field(8).(*array.StringBuilder).Append(answer) })
		text.WriteString(strings.Join(cells, ",") + "\n")
	}
	return b.NewRecordBatch(), text.String()
}

// parquetOf is a table as Parquet, written by the library in groups of so many rows.
func parquetOf(t testing.TB, r arrow.RecordBatch, group int64, options ...parquet.WriterProperty) []byte {
	var b bytes.Buffer
	table := array.NewTableFromRecords(r.Schema(), []arrow.RecordBatch{r})
	arrowOptions := pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())
	if err := pqarrow.WriteTable(table, &b, group, parquet.NewWriterProperties(options...), arrowOptions); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// ipcOf is a table as Arrow's file or stream, in batches of so many rows.
func ipcOf(t testing.TB, r arrow.RecordBatch, stream bool, group int64, options ...ipc.Option) []byte {
	var b bytes.Buffer
	options = append(options, ipc.WithSchema(r.Schema()))
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	if w = ipc.NewWriter(&b, options...); !stream {
		b.Reset()
		var err error
		if w, err = ipc.NewFileWriter(&b, options...); err != nil {
			t.Fatal(err)
		}
	}
	for at := int64(0); at < r.NumRows(); at += group {
		if err := w.Write(r.NewSlice(at, min(at+group, r.NumRows()))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// run runs the program in the current folder.
func run(t *testing.T, stdin []byte, args ...string) (out string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := program.Main(t.Context(), args, bytes.NewReader(stdin), &stdout, &stderr); code != 0 {
		t.Fatalf("mercer %v: %s", args, stderr.String())
	}
	return stdout.String()
}

// TestSameModel: a table gives the same model, and the same predictions, in whatever format it comes. The name of
// the file is the same each time, as the first bytes tell the format.
func TestSameModel(t *testing.T) {
	t.Chdir(t.TempDir())
	r, text := mixed()
	formats := map[string][]byte{
		"csv":             []byte(text),
		"parquet":         parquetOf(t, r, 1000),
		"parquet, groups": parquetOf(t, r, 7, parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDictionaryDefault(false)),
		"parquet, gzip v2": parquetOf(t, r, 25, parquet.WithCompression(compress.Codecs.Gzip),
			parquet.WithDataPageVersion(parquet.DataPageV2)),
		"parquet, deltas": parquetOf(t, r, 60, parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Brotli),
			parquet.WithEncodingFor("b", parquet.Encodings.DeltaBinaryPacked),
			parquet.WithEncodingFor("a", parquet.Encodings.ByteStreamSplit),
			parquet.WithEncodingFor("c", parquet.Encodings.DeltaByteArray)),
		"arrow":        ipcOf(t, r, false, 1000),
		"arrow, lz4":   ipcOf(t, r, false, 9, ipc.WithLZ4()),
		"arrow stream": ipcOf(t, r, true, 13, ipc.WithZstd()),
	}
	for _, columns := range []string{"a..h", "a,b,g"} { // with words, and numbers alone
		models, answers := map[string]string{}, map[string]string{}
		for name, content := range formats {
			if err := os.WriteFile("rows", content, 0o600); err != nil {
				t.Fatal(err)
			}
			run(t, nil, "fit", "rows", "-o", "m", "--features", columns, "--method", "rls", "--kernel", "linear", "--set", "lambda=0.1",
				"--quiet")
			model, err := os.ReadFile("m")
			if err != nil {
				t.Fatal(err)
			}
			models[name], answers[name] = string(model), run(t, content, "predict", "m", "-", "--quiet")
		}
		for name := range formats {
			if models[name] != models["csv"] {
				t.Errorf("%s: the model of %s is not that of CSV", columns, name)
			}
			if answers[name] != answers["csv"] {
				t.Errorf("%s: the predictions of %s are not those of CSV:\n%s\n%s", columns, name, answers[name], answers["csv"])
			}
		}
	}
}

// TestTypes: a model of a file with decimal commas takes numbers as they are, be they in a dictionary, and truth for its own words; other
// texts it reads as those that it was learned from.
func TestTypes(t *testing.T) {
	t.Chdir(t.TempDir())
	numbers := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Float64}
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Float64}, {Name: "b", Type: numbers},
		{Name: "c", Type: arrow.BinaryTypes.String}, {Name: "d", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "e", Type: &arrow.TimestampType{Unit: arrow.Second}}}, nil)
	r := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	text := []byte("a;b;c;d;e;y\n")
	day := time.Date(2020, 2, 3, 0, 0, 0, 0, time.UTC)
	for i := range 30 {
		v, truth, when := float64(i*i%17)+0.125, i%3 == 0, day.AddDate(0, 0, i*i%23)
		comma := strings.Replace(fmt.Sprint(v), ".", ",", 1)
		text = fmt.Appendf(text, "%s;%s;1.%d;%s;%s;%s\n", comma, comma, 125+i, strings.ToUpper(fmt.Sprint(truth)),
			when.Format(time.DateOnly), [2]string{"u", "v"}[i%2])
		r.Field(0).(*array.Float64Builder).Append(v)
		if err := r.Field(1).(*array.Float64DictionaryBuilder).Append(v); err != nil {
			t.Fatal(err)
		}
		r.Field(2).(*array.StringBuilder).Append(fmt.Sprint("1.", 125+i))
		r.Field(3).(*array.BooleanBuilder).Append(truth)
		r.Field(4).(*array.TimestampBuilder).Append(arrow.Timestamp(when.Unix()))
	}
	if err := os.WriteFile("rows.csv", text, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, nil, "fit", "rows.csv", "-o", "m", "--method", "rls", "--kernel", "linear", "--set", "lambda=0.1", "--quiet", "--label", "y")
	want := run(t, text, "predict", "m", "-", "--quiet")
	batch := r.NewRecordBatch()
	for name, content := range map[string][]byte{"parquet": parquetOf(t, batch, 7), "arrow": ipcOf(t, batch, false, 30)} {
		if got := run(t, content, "predict", "m", "-", "--quiet"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestWholeNumbers: ids, classes and days keep their digits, whatever the type of their numbers.
func TestWholeNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Float64}, {Name: "id", Type: arrow.PrimitiveTypes.Int32},
		{Name: "y", Type: arrow.PrimitiveTypes.Float64}}, nil)
	r := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	for i := range 20 {
		r.Field(0).(*array.Float64Builder).Append(float64(i*i%7) / 3)
		r.Field(1).(*array.Int32Builder).Append(int32(1000000 + i))
		r.Field(2).(*array.Float64Builder).Append(float64(2000000 + 1000000*(i%2)))
	}
	batch := r.NewRecordBatch()
	for name, content := range map[string][]byte{"parquet": parquetOf(t, batch, 7), "arrow": ipcOf(t, batch, false, 30)} {
		if err := os.WriteFile("t."+name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		set, _, err := read.Open(t.Context(), "t."+name, read.Options{Formats: program.Formats, Label: "y", ID: "id"})
		if err != nil {
			t.Fatal(err)
		}
		if set.Answers[0] != "2000000" || set.Answers[1] != "3000000" || set.ID[0] != "1000000" {
			t.Errorf("%s: answers %q, ids %q", name, set.Answers[:2], set.ID[:1])
		}
	}
}

// TestPredictions: predictions written as Parquet and Arrow are read back as those of CSV.
func TestPredictions(t *testing.T) {
	t.Chdir(t.TempDir())
	run(t, nil, "fit", "iris", "-o", "m", "--method", "rls", "--set", "lambda=0.1", "--kernel", "linear", "--quiet")
	var want string
	for _, name := range []string{"p.csv", "p.parquet", "p.arrow", "p.feather"} {
		run(t, nil, "predict", "m", "iris", "-o", name, "--quiet")
		set, _, err := read.Open(t.Context(), name, read.Options{Formats: program.Formats, Label: "prediction"})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(set.Features, set.Answers, set.Rows.Dense.RawMatrix().Data)
		if want == "" {
			want = got
		}
		if got != want || set.Rows.Len() != 150 {
			t.Errorf("%s: %.300s, want %.300s", name, got, want)
		}
	}
}

// TestDrawn: a set that is drawn is the same in every format.
func TestDrawn(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, set := range []string{"iris", "two-topics:n=20,words=30"} {
		var want string
		for _, name := range []string{"d.csv", "d.parquet", "d.arrow"} {
			run(t, nil, "data", set, "-o", name)
			got, _, err := read.Open(t.Context(), name, read.Options{Formats: program.Formats})
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(got.Features, got.LabelName, got.Answers, got.Rows.Dense.RawMatrix().Data)
			if want == "" {
				want = text
			}
			if text != want {
				t.Errorf("%s as %s: %.300s, want %.300s", set, name, text, want)
			}
		}
	}
}

// TestRefused: what cannot be read is said in a line that names the column and the remedy, and is no fault where it is left out.
func TestRefused(t *testing.T) {
	list := arrow.ListOf(arrow.PrimitiveTypes.Float64)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Float64}, {Name: "parts", Type: list}, {Name: "label", Type: arrow.BinaryTypes.String},
	}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	for i := range 8 {
		b.Field(0).(*array.Float64Builder).Append(float64(i))
		b.Field(1).(*array.ListBuilder).Append(true)
		b.Field(1).(*array.ListBuilder).ValueBuilder().(*array.Float64Builder).Append(1)
		b.Field(2).(*array.StringBuilder).Append("x")
	}
	r := b.NewRecordBatch()
	for name, content := range map[string][]byte{"parquet": parquetOf(t, r, 8), "arrow": ipcOf(t, r, false, 8)} {
		o := read.Options{Formats: program.Formats, Stdin: bytes.NewReader(content)}
		_, _, err := read.Open(t.Context(), "-", o)
		if err == nil || !strings.Contains(err.Error(), `column "parts": its cells are nested`) || !strings.Contains(err.Error(), "--drop") {
			t.Errorf("%s: %v", name, err)
		}
		o.Drop, o.Stdin, o.Prepare = []string{"parts"}, bytes.NewReader(content), true
		if set, _, err := read.Open(t.Context(), "-", o); err != nil || set.Rows.Dim() != 1 || set.Rows.Len() != 8 {
			t.Errorf("%s without it: %v", name, err)
		}
	}
}

// TestLimit: a file that needs more memory than is allowed is refused, one that needs less is read.
func TestLimit(t *testing.T) {
	columns := []apply.Column{{Name: "a", Numbers: make([]float64, 200_000)}, {Name: "label", Numbers: make([]float64, 200_000)}}
	for i := range columns[0].Numbers {
		columns[0].Numbers[i] = float64(i) / 3
	}
	for _, w := range program.Writers {
		name := filepath.Join(t.TempDir(), "rows")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := w.Begin(io.Writer(f), columns)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := out.Write(columns); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		for limit, ok := range map[int64]bool{100 << 20: true, 1 << 20: false} {
			_, _, err := read.Open(t.Context(), name, read.Options{Formats: program.Formats, MemoryLimit: limit})
			if ok != (err == nil) || err != nil && !strings.Contains(err.Error(), "over the limit") {
				t.Errorf("%T within %d bytes: %v", w, limit, err)
			}
		}
	}
}

// FuzzOpen: whatever a file holds, reading it ends with rows or with one line.
func FuzzOpen(f *testing.F) {
	r, _ := mixed()
	r = r.NewSlice(0, 12)
	for _, content := range [][]byte{
		parquetOf(f, r, 5), parquetOf(f, r, 12, parquet.WithDictionaryDefault(false), parquet.WithDataPageVersion(parquet.DataPageV2)),
		ipcOf(f, r, false, 5), ipcOf(f, r, true, 12, ipc.WithLZ4()), []byte("PAR1"), []byte("ARROW1\x00\x00"),
		[]byte("\xff\xff\xff\xff\x00\x00\x00\x00"),
	} {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, prepare := range []bool{false, true} {
			ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
			defer stop()
			o := read.Options{Formats: program.Formats, Stdin: bytes.NewReader(content), MemoryLimit: 16 << 20, Prepare: prepare}
			set, _, err := read.Open(ctx, "-", o)
			if err == nil && set.Rows.Len() == 0 || err != nil && strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("%v, %v", set, err)
			}
		}
	})
}

// A file of Arrow that announces more fields, blocks or bytes than it has is refused before the library makes room for them.
func TestSizes(t *testing.T) {
	r, _ := mixed()
	r = r.NewSlice(0, 12)
	for _, stream := range []bool{false, true} {
		content := ipcOf(t, r, stream, 5)
		asked := func(content []byte) error {
			_, err := tables.Arrow{}.Open(read.File{ReaderAt: bytes.NewReader(content), Size: int64(len(content)), MemoryLimit: 16 << 20})
			return err
		}
		if err := asked(content); err != nil {
			t.Fatal(err)
		}
		found := 0
		for at := 0; at+4 <= len(content); at += 4 { // every length of a list among them
			changed := bytes.Clone(content)
			binary.LittleEndian.PutUint32(changed[at:], 0x7ffffff0)
			if err := asked(changed); err != nil && strings.Contains(err.Error(), "sizes do not agree") {
				found++
			}
		}
		if found < 3 {
			t.Errorf("stream %t: %d announcements are refused", stream, found)
		}
	}
}
