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

func benchmarkRead(b *testing.B, format Format, text func(decimals int) []byte) {
	for _, digits := range []struct {
		name     string
		decimals int
	}{{"short", 4}, {"full", -1}} {
		plain := text(digits.decimals)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(plain)
		_ = z.Close()
		for _, from := range []struct {
			name string
			text []byte
		}{{"plain", plain}, {"gzip", packed.Bytes()}} {
			path := filepath.Join(b.TempDir(), "t")
			if err := os.WriteFile(path, from.text, 0o600); err != nil {
				b.Fatal(err)
			}
			b.Run(digits.name+"/"+from.name, func(b *testing.B) {
				b.SetBytes(int64(len(plain)))
				for b.Loop() {
					if _, _, err := Open(path, Options{Format: format}); err != nil {
						b.Fatal(err)
					}
				}
			})
			if from.name == "gzip" {
				b.Run(digits.name+"/gunzip alone", func(b *testing.B) {
					b.SetBytes(int64(len(plain)))
					for b.Loop() {
						z, err := gzip.NewReader(bytes.NewReader(from.text))
						if err != nil {
							b.Fatal(err)
						}
						_, _ = io.Copy(io.Discard, z)
					}
				})
			}
		}
	}
}

func BenchmarkReadCSV(b *testing.B) {
	benchmarkRead(b, FormatCSV, func(decimals int) []byte { return wideCSV(benchRows, benchColumns, decimals) })
}

func BenchmarkReadLIBSVM(b *testing.B) {
	benchmarkRead(b, FormatLIBSVM, func(decimals int) []byte { return wideLIBSVM(benchRows, benchColumns, decimals) })
}
