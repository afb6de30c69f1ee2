//go:build unix

// Neighbours measures mercer-beam neighbours on generated rows: the share of the exact neighbours that lists have, by the number of
// tables and the rows of a bucket, on Beam's embedded Prism runner. It prints a table:
//
//	go -C beam run ./bench/neighbours -rows 200000
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/mercer-ml/mercer/beam/bench/trial"
	"github.com/mercer-ml/mercer/internal/results"
)

// bench is what is measured.
type bench struct{ rows, columns, surface, shards, k int }

func main() {
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	var b bench
	flag.IntVar(&b.rows, "rows", 200_000, "number of rows")
	flag.IntVar(&b.columns, "columns", 20, "number of columns")
	flag.IntVar(&b.surface, "surface", 5, "dimension of the curved surface that rows lie near")
	flag.IntVar(&b.shards, "shards", 16, "number of files")
	flag.IntVar(&b.k, "k", 10, "neighbours of a row")
	flag.Parse()
	err := results.Program(*markdown, "Nearest neighbours over shards", "-C beam ./bench/neighbours", os.Args[1:], b.run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run generates the rows and finds lists in several ways.
func (b bench) run(w io.Writer) error {
	folder, err := os.MkdirTemp("", "mercer-beam-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a folder left in the system's own is no fault of the run
	program := filepath.Join(folder, "mercer-beam")
	if err := trial.Build(program, "./cmd/mercer-beam"); err != nil {
		return err
	}
	if err := b.generate(folder); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d rows of %d columns in %d files of CSV, near two surfaces of %d dimensions, %d neighbours of each. Recall "+
		"is the share of the exact neighbours of 200 rows that their lists have, as the program prints it; seconds are those of "+
		"processors, "+
		"with reading and writing, and GB the peak of memory.\n\n"+
		"| tables | bucket | buckets | largest | recall | processors, s | GB |\n|---|---|---|---|---|---|---|\n",
		b.rows, b.columns, b.shards, b.surface, b.k)
	if err != nil {
		return err
	}
	for _, c := range [][2]int{{1, 2000}, {2, 2000}, {4, 2000}, {8, 2000}, {16, 2000}, {4, 500}, {4, 8000}} {
		if err := b.measure(w, program, folder, c[0], c[1]); err != nil {
			return err
		}
	}
	return nil
}

// generate writes rows near two surfaces: sines of random sums of few normal numbers, and noise.
func (b bench) generate(folder string) error {
	r := rand.New(rand.NewPCG(11, 7))
	mix := make([][]float64, 2*b.columns)
	for j := range mix {
		mix[j] = make([]float64, b.surface)
		for m := range mix[j] {
			mix[j][m] = r.NormFloat64()
		}
	}
	at := make([]float64, b.surface)
	for s := range b.shards {
		f, err := os.Create(filepath.Join(folder, fmt.Sprintf("p%02d.csv", s)))
		if err != nil {
			return err
		}
		out := bufio.NewWriter(f)
		for j := range b.columns {
			fmt.Fprintf(out, "x%d,", j)
		}
		_, _ = out.WriteString("label\n") // a full disk shows below
		var line []byte
		for range b.rows / b.shards {
			class := r.IntN(2)
			for m := range at {
				at[m] = r.NormFloat64()
			}
			line = line[:0]
			for j := range b.columns {
				sum := 0.0
				for m, v := range mix[class*b.columns+j] {
					sum += v * at[m]
				}
				line = append(strconv.AppendFloat(line, math.Sin(sum/2)+0.05*r.NormFloat64(), 'g', 6, 64), ',')
			}
			_, _ = out.Write(append(line, "ab"[class], '\n'))
		}
		if err := errors.Join(out.Flush(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// measure prints a line.
func (b bench) measure(w io.Writer, program, folder string, tables, bucket int) error {
	out := filepath.Join(folder, "lists")
	defer os.RemoveAll(out) //nolint:errcheck // as above
	text, cost, err := trial.Asked(nil, program, "neighbours", filepath.Join(folder, "p*.csv"), "-k", strconv.Itoa(b.k), "--tables",
		strconv.Itoa(tables), "--bucket", strconv.Itoa(bucket), "-o", out, "--json", "--quiet")
	if err != nil {
		return err
	}
	var r struct {
		Buckets, Largest int
		Recall           float64
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "| %d | %d | %d | %d | %.3f | %.1f | %.2f |\n", tables, bucket, r.Buckets, r.Largest, r.Recall,
		cost.Processors, cost.Memory)
	return err
}
