package limit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// Columns of the files, and about how many bytes a line of each has.
const (
	numberColumns, numberLine = 20, 170
	wordColumns, wordLine     = 10, 74
)

// reading are (j), files of CSV.
func (l limits) reading(folder string) []job {
	const formula = "CSV: the bytes of the file read, and 8 written for each cell of the table that it becomes"
	return []job{
		{"j", "CSV, numbers", formula, (l.csv << 20) / numberLine, func(_ context.Context, n int) (trial, error) {
			return csvTrial(filepath.Join(folder, "numbers.csv"), n, numberColumns, numbers)
		}},
		{"j", "CSV, numbers and words", formula, (l.words << 20) / wordLine, func(_ context.Context, n int) (trial, error) {
			return csvTrial(filepath.Join(folder, "words.csv"), n, wordColumns, words)
		}},
	}
}

// block is the number of lines that a file repeats.
const block = 1 << 14

// csvTrial writes a file of about n lines, whose cells come from a function, and reads it as fits do.
func csvTrial(file string, n, columns int, cell func(rng *rand.Rand, j int, to []byte) []byte) (trial, error) {
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // cells to be measured on, no secret
	var head, lines []byte
	for j := range columns {
		head = fmt.Appendf(head, "column %d,", j+1)
	}
	head = append(head, "answer\n"...)
	for i := range min(block, n) {
		for j := range columns {
			lines = append(cell(rng, j, lines), ',')
		}
		lines = append(lines, "yes\n"...)
		if i%2 > 0 {
			copy(lines[len(lines)-4:], "no \n")
		}
	}
	w, err := os.Create(file) //nolint:gosec // in the folder of this run
	if err != nil {
		return trial{}, err
	}
	size := int64(len(head))
	_, err = w.Write(head)
	for done := 0; done < n && err == nil; done += block {
		_, err = w.Write(lines)
		size += int64(len(lines))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return trial{}, err
	}
	t := trial{size: fmt.Sprintf("%.3g GB, %d columns", float64(size)/1e9, columns), end: func() error { return os.Remove(file) }}
	var cells float64
	t.run = func(ctx context.Context) error {
		in, _, err := mercer.Open(ctx, mercer.Files{Data: file}, &mercer.Recipe{})
		if err == nil {
			cells = float64(in.Set.Rows.Len()) * float64(in.Set.Rows.Dim())
		}
		return err
	}
	t.work = func() cost.Work { return cost.Work{Passes: float64(size) + 8*cells} }
	return t, nil
}

// numbers appends a number.
func numbers(rng *rand.Rand, _ int, to []byte) []byte {
	return strconv.AppendFloat(to, rng.NormFloat64(), 'f', 5, 64)
}

// words appends one of some words in the first three columns, and a number in the others.
func words(rng *rand.Rand, j int, to []byte) []byte {
	if j > 2 {
		return numbers(rng, j, to)
	}
	list := [...]string{"alpha", "beta", "gamma", "delta"}
	return append(to, list[rng.IntN(len(list))]...)
}

// startsOf writes what programs take that have next to nothing to do.
func (l limits) startsOf(ctx context.Context, w io.Writer, program, folder string) error {
	if !measure.Wanted(l.jobs, "start") {
		return nil
	}
	var text bytes.Buffer
	text.WriteString("a,b,c,answer\n")
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // cells to be measured on, no secret
	for range 200 {
		x, y, z := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		fmt.Fprintf(&text, "%.4f,%.4f,%.4f,%v\n", x, y, z, x+y+rng.NormFloat64() > 0)
	}
	file := filepath.Join(folder, "small.csv")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n## Short jobs\n\nWhole processes from start to end, medians of %d runs.\n\n| command | ms |\n|---|---|\n", l.starts)
	for _, args := range [][]string{
		{"version"},
		{"fit", file, "--method", "linear-svm", "--quiet", "-o", filepath.Join(folder, "small.mercer")},
	} {
		var all []float64
		for range l.starts {
			start := time.Now()
			if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil { //nolint:gosec // built here
				return fmt.Errorf("%v: %w: %s", args, err, out)
			}
			all = append(all, time.Since(start).Seconds())
		}
		name := "`mercer version`"
		if args[0] == "fit" {
			name = "`mercer fit FILE --method linear-svm` of 200 rows of three columns"
		}
		fmt.Fprintf(w, "| %s | %.1f |\n", name, 1e3*measure.Median(all, func(x float64) float64 { return x }))
	}
	return nil
}
