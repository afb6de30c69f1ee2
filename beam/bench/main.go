//go:build unix

// Bench compares mercer-beam on shards with mercer on the same rows in one file: least squares or a machine of two classes on generated
// rows, linear or with a Gaussian kernel on few centres, whole processes with reading and writing, on Beam's embedded Prism runner. It
// prints a table:
//
//	go -C beam run ./bench -rows 250000,1000000,10000000 -most 1000000
//	go -C beam run ./bench -rows 100000 -centres 1000
//	go -C beam run ./bench -rows 1000000 -method linear-logistic
//	go -C beam run ./bench -rows 1000000 -tune kfold:5
//
// Files go to a folder for temporary files and are removed: some 10 GB at 10 000 000 rows of 50 columns.
package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/beam/bench/trial"
	"github.com/mercer-ml/mercer/internal/results"
)

// bench is a comparison.
type bench struct {
	columns, shards int
	centres         int    // of a Gaussian kernel; 0: the linear one
	method          string // of mercer fit
	tune            string // the score, as of --tune
	most            int    // rows up to which mercer is measured
	folder          string // for temporary files
	single, beam    string // the programs
}

func main() {
	rows := flag.String("rows", "1000000", "numbers of rows, with commas between")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	var b bench
	flag.IntVar(&b.columns, "columns", 50, "number of columns")
	flag.IntVar(&b.centres, "centres", 0, "number of centres of a Gaussian kernel; 0 is the linear kernel")
	flag.StringVar(&b.method, "method", "rls", "method; all but rls are for two classes")
	flag.StringVar(&b.tune, "tune", "", "score, as of --tune; the default is leave-one-out")
	flag.IntVar(&b.most, "most", 3000000, "number of rows up to which mercer is measured too, in some 50 bytes a value")
	flag.IntVar(&b.shards, "shards", 64, "number of files")
	flag.Parse()
	title := "Linear least squares over shards"
	switch {
	case b.classes() && b.centres > 0:
		title = "Machines of two classes on centres over shards"
	case b.classes():
		title = "Linear machines of two classes over shards"
	case b.centres > 0:
		title = "Least squares on centres over shards"
	}
	err := results.Program(*markdown, title, "-C beam ./bench", os.Args[1:], func(w io.Writer) error { return b.run(w, *rows) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// classes says whether there are two of them in the place of numbers.
func (b *bench) classes() bool { return b.method != "rls" }

// run builds the programs and measures every number of rows.
func (b *bench) run(w io.Writer, rows string) (err error) {
	if b.folder, err = os.MkdirTemp("", "mercer-beam-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder) //nolint:errcheck // a folder left in the system's own is no fault of the run
	b.single, b.beam = filepath.Join(b.folder, "mercer"), filepath.Join(b.folder, "mercer-beam")
	err = errors.Join(trial.Build(b.single, "github.com/mercer-ml/mercer/cmd/mercer"), trial.Build(b.beam, "./cmd/mercer-beam"))
	if err != nil {
		return err
	}
	say(w, "Rows of %d columns in %d files of CSV, and the same rows in one file. A fit is `mercer-beam fit` and `mercer fit`, both with "+
		"`%s`, with the ridge, or C, chosen by %s; predictions are of the rows of the fit, written as CSV. Times are of whole "+
		"processes: seconds by the clock and, in brackets, of processors, which other programs change less. GB are peaks of memory. The "+
		"difference is the largest of two predictions, relative to the spread of the targets, of classes of outputs. `mercer fit`, which "+
		"holds all rows in memory, is measured up to %d rows; beyond, both predict with the model of the shards.\n\n",
		b.columns, b.shards, strings.Join(b.recipe(), " "), cmp.Or(b.tune, "leave-one-out"), b.most)
	say(w, "| rows | text, GB | fit, s | `mercer` | GB | `mercer` | predict, s | `mercer` | difference |\n"+
		"|---|---|---|---|---|---|---|---|---|\n")
	for text := range strings.SplitSeq(rows, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < b.shards {
			return fmt.Errorf("-rows %s: give numbers of %d at least", rows, b.shards)
		}
		if err := b.measure(w, n); err != nil {
			return err
		}
	}
	return nil
}

// recipe are the flags of both fits. Squared distances of the generated rows are 2 d on average, for d columns, and gamma is the
// inverse of that.
func (b *bench) recipe() []string {
	flags := []string{"--method", b.method}
	if tune := b.tune; tune != "" || b.classes() {
		flags = append(flags, "--tune", cmp.Or(tune, "loo:logloss"))
	}
	if b.centres == 0 {
		return append(flags, "--kernel", "linear")
	}
	return append(flags, "--kernel", "gaussian", "--basis", strconv.Itoa(b.centres), "--set", "choose=random",
		"--set", fmt.Sprintf("gamma=%g", 1/float64(2*b.columns)))
}

// say writes to the table.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// measure prints the line of one number of rows.
func (b *bench) measure(w io.Writer, n int) error {
	dir, err := os.MkdirTemp(b.folder, "rows")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // as above
	whole := filepath.Join(dir, "whole.csv")
	size, spread, err := trial.Linear{Rows: n, Columns: b.columns, Shards: b.shards, Classes: b.classes()}.Write(dir, whole)
	if err != nil {
		return err
	}
	shards := filepath.Join(dir, "part-*.csv")
	mine, theirs := filepath.Join(dir, "beam.mercer"), filepath.Join(dir, "single.mercer")
	fit, err := trial.Timed(nil, b.beam, append([]string{"fit", shards, "-o", mine, "--quiet"}, b.recipe()...)...)
	if err != nil {
		return err
	}
	predict, err := trial.Timed(nil, b.beam, "predict", mine, shards, "-o", filepath.Join(dir, "answers"), "--quiet")
	if err != nil {
		return err
	}
	other, single := "", ""
	if n <= b.most {
		of, err := trial.Timed(nil, b.single, append([]string{"fit", whole, "-o", theirs, "--quiet"}, b.recipe()...)...)
		if err != nil {
			return err
		}
		other, single = of.String(), fmt.Sprintf("%.2f", of.Memory)
	} else {
		theirs = mine
	}
	answers := filepath.Join(dir, "answers.csv")
	one, err := trial.Timed(nil, b.single, "predict", theirs, whole, "-o", answers, "--quiet")
	if err != nil {
		return err
	}
	away, err := b.differ(filepath.Join(dir, "answers"), answers)
	if err != nil {
		return err
	}
	say(w, "| %d | %.2f | %v | %s | %.2f | %s | %v | %v | %.1g |\n", n, size, fit, other, fit.Memory, single, predict, one, away/spread)
	return nil
}

// differ is the largest difference of predictions in a folder, in the order of its files, and in one file.
func (b *bench) differ(folder, file string) (float64, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.csv"))
	if err != nil {
		return 0, err
	}
	one, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer one.Close() //nolint:errcheck // nothing was written
	want := csv.NewReader(bufio.NewReaderSize(one, 1<<20))
	want.ReuseRecord = true
	if _, err := want.Read(); err != nil {
		return 0, err
	}
	worst := 0.0
	for _, name := range files {
		if worst, err = b.further(worst, name, want); err != nil {
			return 0, err
		}
	}
	return worst, nil
}

// further compares one file of predictions with the next lines of another.
func (b *bench) further(worst float64, name string, want *csv.Reader) (float64, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	got := csv.NewReader(bufio.NewReaderSize(f, 1<<20))
	got.ReuseRecord = true
	if _, err := got.Read(); err != nil {
		return 0, err
	}
	column := 0
	if b.classes() {
		column = 1 // the output
	}
	for {
		a, err := got.Read()
		if errors.Is(err, io.EOF) {
			return worst, nil
		}
		if err != nil {
			return 0, err
		}
		other, err := want.Read()
		if err != nil {
			return 0, err
		}
		x, errX := strconv.ParseFloat(a[column], 64)
		y, errY := strconv.ParseFloat(other[column], 64)
		if err := errors.Join(errX, errY); err != nil {
			return 0, err
		}
		worst = max(worst, math.Abs(x-y))
	}
}
