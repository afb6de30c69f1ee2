// Bench times how long a table of doubles takes to read as CSV and as Parquet and Arrow, and compares the numbers:
//
//	go -C arrow run ./bench -markdown ../docs/results/parquet.md
//
// Numbers are uniform between 0 and 1 with all their digits. Every file is read by read.Open, once to warm up and then
// -runs times; the least time counts. CSV has the shortest decimal fractions that give the same doubles.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/mercer-ml/mercer/arrow/tables"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/results"
)

func main() {
	rows := flag.Int("rows", 1_000_000, "rows of the table")
	columns := flag.Int("columns", 50, "columns of features; the label is one more")
	runs := flag.Int("runs", 3, "runs that are timed")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	title := "Reading Parquet and Arrow against CSV"
	err := results.Program(*markdown, title, "-C arrow ./bench", os.Args[1:], func(w io.Writer) error {
		return measure(w, *rows, *columns, *runs)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measure writes the files and the table.
func measure(w io.Writer, rows, columns, runs int) error {
	dir, err := os.MkdirTemp("", "mercer-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of ours
	files := []string{"rows.csv", "rows.parquet", "rows.arrow"}
	for i, name := range files {
		files[i] = filepath.Join(dir, name)
		if err := write(files[i], rows, columns); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintf(w, "%d rows of %d doubles and a label\n\n"+
		"| file | MB | seconds | times as fast as CSV | numbers |\n|---|---|---|---|---|\n",
		rows, columns) // what is printed is kept elsewhere
	var first *data.Set
	var base float64
	for _, name := range files {
		set, seconds, err := timed(name, runs)
		if err != nil {
			return err
		}
		if first == nil {
			first, base = set, seconds
		}
		same := "equal"
		if !equal(first, set) {
			same = "**not equal**"
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(w, "| %s | %.0f | %.2f | %.1f | %s |\n", filepath.Ext(name)[1:], float64(info.Size())/1e6, seconds, base/seconds,
			same)
	}
	return nil
}

// timed reads a file, and returns the least time.
func timed(name string, runs int) (set *data.Set, best float64, err error) {
	best = math.Inf(1)
	o := read.Options{Formats: []read.Further{tables.Parquet{}, tables.Arrow{}}}
	for run := range runs + 1 {
		start := time.Now()
		if set, _, err = read.Open(context.Background(), name, o); err != nil {
			return nil, 0, err
		}
		if run > 0 {
			best = min(best, time.Since(start).Seconds())
		}
	}
	return set, best, nil
}

// equal says whether two sets have the same numbers and labels.
func equal(a, b *data.Set) bool {
	if a.Rows.Len() != b.Rows.Len() || a.Rows.Dim() != b.Rows.Dim() {
		return false
	}
	for i := range a.Rows.Len() {
		if a.Answers[i] != b.Answers[i] {
			return false
		}
		for j := range a.Rows.Dim() {
			if a.Rows.Dense.At(i, j) != b.Rows.Dense.At(i, j) {
				return false
			}
		}
	}
	return true
}

// write writes the same table in the format that the ending of the name says.
func write(name string, rows, columns int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // closed below where all is well
	random := rand.New(rand.NewPCG(1, 1))
	batch := make([]apply.Column, columns+1)
	for j := range batch {
		batch[j].Name = fmt.Sprint("x", j)
	}
	batch[columns].Name = "label"
	var out apply.Rows
	const most = 8192
	for at := 0; at < rows; at += most {
		n := min(most, rows-at)
		for j := range columns {
			batch[j].Numbers = make([]float64, n)
			for i := range n {
				batch[j].Numbers[i] = random.Float64()
			}
		}
		batch[columns].Words = make([]string, n)
		for i := range n {
			batch[columns].Words[i] = [2]string{"no", "yes"}[random.IntN(2)]
		}
		if out == nil {
			if out, err = begin(f, name, batch); err != nil {
				return err
			}
		}
		if err := out.Write(batch); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return f.Close()
}

func begin(f *os.File, name string, columns []apply.Column) (apply.Rows, error) {
	switch filepath.Ext(name) {
	case ".parquet":
		return tables.Parquet{}.Begin(f, columns)
	case ".arrow":
		return tables.Arrow{}.Begin(f, columns)
	}
	return text{f}, head(f, columns)
}

// text writes CSV.
type text struct{ io.Writer }

func head(w io.Writer, columns []apply.Column) error {
	line := []byte(columns[0].Name)
	for _, c := range columns[1:] {
		line = append(append(line, ','), c.Name...)
	}
	_, err := w.Write(append(line, '\n'))
	return err
}

// Write writes a batch.
func (t text) Write(columns []apply.Column) error {
	var b []byte
	last := len(columns) - 1
	for i, word := range columns[last].Words {
		for _, c := range columns[:last] {
			b = append(strconv.AppendFloat(b, c.Numbers[i], 'g', -1, 64), ',')
		}
		b = append(append(b, word...), '\n')
	}
	_, err := t.Writer.Write(b)
	return err
}

// Close does nothing.
func (text) Close() error { return nil }
