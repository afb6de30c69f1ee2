package read

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/mercer-ml/mercer/internal/decimal"
)

// benchRows of benchColumns are about 10 or 20 MB of text.
const (
	benchRows    = 20000
	benchColumns = 50
)

// wideCSV is a table of numbers, written with a few decimals or with all digits.
func wideCSV(rows, columns, decimals int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for j := range columns {
		b = fmt.Appendf(b, "x%d,", j)
	}
	b = append(b, "label\n"...)
	for range rows {
		for range columns {
			form := byte('f')
			if decimals < 0 {
				form = 'g'
			}
			b = append(strconv.AppendFloat(b, 10*rng.NormFloat64(), form, decimals, 64), ',')
		}
		b = append(strconv.AppendInt(append(b, "class"...), rng.Int64N(3), 10), '\n')
	}
	return b
}

// wideLIBSVM is the same for one entry in seven columns.
func wideLIBSVM(rows, entries, decimals int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for range rows {
		b = strconv.AppendInt(b, 2*rng.Int64N(2)-1, 10)
		j := int64(0)
		for range entries {
			j += 1 + rng.Int64N(13)
			form := byte('f')
			if decimals < 0 {
				form = 'g'
			}
			b = append(strconv.AppendInt(append(b, ' '), j, 10), ':')
			b = strconv.AppendFloat(b, rng.Float64(), form, decimals, 64)
		}
		b = append(b, '\n')
	}
	return b
}

// benchmarkRead reads a file of text, and a packed one.
func benchmarkRead(b *testing.B, format Format, text func(decimals int) []byte) {
	for name, decimals := range map[string]int{"short": 4, "full": -1} {
		plain := text(decimals)
		for form, content := range map[string][]byte{"plain": plain, "gzip": packed(plain)} {
			path := filepath.Join(b.TempDir(), "t")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				b.Fatal(err)
			}
			b.Run(name+"/"+form, func(b *testing.B) {
				b.SetBytes(int64(len(plain)))
				for b.Loop() {
					if _, _, err := Open(b.Context(), path, Options{Format: format}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func packed(text []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(text) // to memory
	_ = z.Close()
	return out.Bytes()
}

func BenchmarkReadCSV(b *testing.B) {
	benchmarkRead(b, FormatCSV, func(decimals int) []byte { return wideCSV(benchRows, benchColumns, decimals) })
}

func BenchmarkReadLIBSVM(b *testing.B) {
	benchmarkRead(b, FormatLIBSVM, func(decimals int) []byte { return wideLIBSVM(benchRows, benchColumns, decimals) })
}

// BenchmarkFloor measures what no reader of these texts can do without, by bytes of text.
func BenchmarkFloor(b *testing.B) {
	wide := wideCSV(benchRows, benchColumns, 4)
	path := filepath.Join(b.TempDir(), "t")
	if err := os.WriteFile(path, wide, 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	run := func(name string, work func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(wide)))
			for b.Loop() {
				work()
			}
		})
	}
	buf := make([]byte, blockSize)
	run("file", func() {
		for at := int64(0); ; {
			n, err := f.ReadAt(buf, at)
			if at += int64(n); err != nil {
				return
			}
		}
	})
	t := &plainText{file: f, size: int64(len(wide))}
	run("count", func() {
		if _, _, err := t.count(b.Context(), '\n'); err != nil {
			b.Fatal(err)
		}
	})
	x := make([]float64, benchColumns)
	run("table", func() {
		out := make([]float64, benchRows*benchColumns)
		for i := range benchRows {
			copy(out[i*benchColumns:], x)
		}
	})
	zip := packed(wide)
	run("gunzip", func() {
		if z, err := gzip.NewReader(bytes.NewReader(zip)); err == nil {
			_, _ = io.Copy(io.Discard, z) // speed alone counts
		}
	})
	values := bytes.FieldsFunc(wide, func(c rune) bool { return c == ',' || c == '\n' })
	run("ParseFloat", func() {
		for _, v := range values {
			_, _ = strconv.ParseFloat(string(v), 64) // some are names
		}
	})
	run("decimal", func() {
		for _, v := range values {
			decimal.Parse(v)
		}
	})
}

// wordyCSV is a table of words, dates, numbers with units and missing cells.
func wordyCSV(rows int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	b := []byte("town,since,height,member,note,size,label\n")
	for i := range rows {
		b = fmt.Appendf(b, "town%d,20%02d-%02d-%02d,%.1f cm,%s,n%d,%d.%03d,class%d\n", rng.IntN(300), rng.IntN(24), 1+rng.IntN(12),
			1+rng.IntN(28),
			150+50*rng.Float64(), []string{"yes", "no", ""}[rng.IntN(3)], i, rng.IntN(100), rng.IntN(1000), rng.IntN(3))
	}
	return b
}

// BenchmarkReadTable reads a table that is not of numbers alone.
func BenchmarkReadTable(b *testing.B) {
	text := wordyCSV(50000)
	path := filepath.Join(b.TempDir(), "t.csv")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, _, err := Open(b.Context(), path, Options{Prepare: true}); err != nil {
			b.Fatal(err)
		}
	}
}
