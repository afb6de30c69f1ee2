//go:build linux

// Bench/sweep measures what worker processes gain: a sweep of candidates, each cross-validated on generated rows, the machines of the
// default method, and least squares over shards, by mercer-beam with several numbers of workers of one thread each. The files of
// all numbers must be equal. It prints three tables, and needs taskset of util-linux:
//
//	go -C beam run ./bench/sweep -candidates 40 -markdown ../docs/results/beam-sweep.md
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/bench/trial"
	"github.com/mercer-ml/mercer/internal/results"
)

// bench is what is measured.
type bench struct {
	candidates, sweepRows int
	rows                  int
	workers               []int
	runs                  int
	folder, program       string
}

// Sizes that the time hardly depends on.
const (
	columns = 20  // of the sweep's rows
	widths  = 5   // of its kernels
	labels  = 100 // that the default method is given
	shards  = 64
)

func main() {
	var b bench
	flag.IntVar(&b.candidates, "candidates", 40, "number of candidates of the sweep, a multiple of 5")
	flag.IntVar(&b.sweepRows, "sweep-rows", 2000, "number of its rows")
	flag.IntVar(&b.rows, "rows", 1000000, "number of rows of the linear fit; 0 leaves it out")
	flag.IntVar(&b.runs, "runs", 3, "runs of everything, of which medians are printed")
	workers := flag.String("workers", "1,2,4", "numbers of workers, with commas between")
	markdown := flag.String("markdown", "", "write the tables there too, with the command, the date and the machine")
	flag.Parse()
	title := "Candidates and shards on several worker processes"
	err := results.Program(*markdown, title, "-C beam ./bench/sweep", os.Args[1:], func(w io.Writer) error { return b.run(w, *workers) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run builds the program and measures.
func (b *bench) run(w io.Writer, workers string) (err error) {
	if b.runs < 1 {
		return fmt.Errorf("-runs %d: give a number from 1", b.runs)
	}
	if b.candidates < widths || b.candidates%widths != 0 {
		return fmt.Errorf("-candidates %d: give a multiple of %d", b.candidates, widths)
	}
	for text := range strings.SplitSeq(workers, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("-workers %s: give numbers from 1", workers)
		}
		b.workers = append(b.workers, n)
	}
	if b.folder, err = os.MkdirTemp("", "mercer-beam-sweep"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder) //nolint:errcheck // a folder left in the system's own is no fault of the run
	b.program = filepath.Join(b.folder, "mercer-beam")
	if err := trial.Build(b.program, "./cmd/mercer-beam"); err != nil {
		return err
	}
	say(w, "Whole processes of `mercer-beam --workers N` with one thread for each worker; medians of %d runs that take turns. Seconds are "+
		"by the clock and, in brackets, of processors; GB are the peak of the largest process. The models are equal bit for bit. "+
		"Speed-up is over the first line, where the program and its workers are bound to as many processors as there are workers. "+
		"Else they may use all: the collector of Go works beside the thread that computes, so that one worker of one thread uses "+
		"more than one processor.\n\n## Sweep\n\n%d candidates, `svm` with a Gaussian kernel, each with `kfold:5` on %d rows of %d "+
		"columns.\n\n", b.runs, b.candidates, b.sweepRows, columns)
	if err := b.sweep(w); err != nil {
		return err
	}
	say(w, "\n## The default method\n\nThe machines of `auto` on the same rows, of which %d have their labels.\n\n", labels)
	if err := b.auto(w); err != nil || b.rows == 0 {
		return err
	}
	say(w, "\n## Shards\n\n`mercer-beam fit`, linear least squares, of %d rows of 50 columns in %d files.\n\n", b.rows, shards)
	return b.linear(w)
}

// say writes to the table.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// sweep measures the sweep.
func (b *bench) sweep(w io.Writer) error {
	file, grid := filepath.Join(b.folder, "rows.csv"), filepath.Join(b.folder, "grid.json")
	if err := os.WriteFile(file, b.generated(b.sweepRows), 0o666); err != nil {
		return err
	}
	set := map[string][]string{}
	for k := range widths {
		set["gamma"] = append(set["gamma"], fmt.Sprintf("%.3g", 0.5/columns*math.Pow(2, float64(k-widths/2))))
	}
	for k := range b.candidates / widths {
		set["C"] = append(set["C"], fmt.Sprintf("%.3g", math.Pow(2, float64(k))))
	}
	recipe := struct {
		mercer.Recipe
		Set map[string][]string `json:"set"`
	}{mercer.Recipe{Method: "svm", Kernel: "gaussian", Tune: "kfold:5"}, set}
	text, err := json.Marshal(recipe)
	if err != nil {
		return err
	}
	if err := os.WriteFile(grid, text, 0o666); err != nil {
		return err
	}
	return b.compare(w, "sweep", file, "--candidates", grid)
}

// auto measures the default method.
func (b *bench) auto(w io.Writer) error {
	file, recipe := filepath.Join(b.folder, "few.csv"), filepath.Join(b.folder, "auto.json")
	if err := errors.Join(os.WriteFile(file, b.generated(labels), 0o666),
		os.WriteFile(recipe, []byte(`{"method":"auto"}`), 0o666)); err != nil {
		return err
	}
	return b.compare(w, "sweep", file, "--candidates", recipe)
}

// generated are rows of two classes, the first of which have labels: standard normal x with the sign of x_0 x_1 + x_2 + e, e half
// as spread.
func (b *bench) generated(labelled int) []byte {
	var text bytes.Buffer
	for j := range columns {
		fmt.Fprintf(&text, "x%d,", j)
	}
	text.WriteString("class\n")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b.sweepRows {
		var x [columns]float64
		for j := range x {
			x[j] = r.NormFloat64()
			fmt.Fprintf(&text, "%.6g,", x[j])
		}
		class := fmt.Sprint(x[0]*x[1]+x[2]+0.5*r.NormFloat64() > 0)
		if i >= labelled {
			class = ""
		}
		text.WriteString(class + "\n")
	}
	return text.Bytes()
}

// linear measures the fit over shards.
func (b *bench) linear(w io.Writer) error {
	if _, _, err := (trial.Linear{Rows: b.rows, Columns: 50, Shards: shards}).Write(b.folder, ""); err != nil {
		return err
	}
	return b.compare(w, "fit", filepath.Join(b.folder, "part-*.csv"), "--kernel", "linear")
}

// compare prints a line for every number of workers, and before them one for the first number bound to as many processors: a worker
// of one thread may use more, since Go's collector runs beside it. The lines take turns, and each is the median of
// its runs.
func (b *bench) compare(w io.Writer, args ...string) error {
	output := filepath.Join(b.folder, "model.mercer")
	costs := make([][]trial.Cost, 1+len(b.workers))
	var model []byte
	for range b.runs {
		for i, n := range append([]int{b.workers[0]}, b.workers...) {
			command := append([]string{b.program}, args...)
			command = append(command, "-o", output, "--workers", strconv.Itoa(n), "--quiet")
			if i == 0 {
				command = append([]string{"taskset", "-c", fmt.Sprintf("0-%d", n-1)}, command...)
			}
			cost, err := trial.Timed([]string{"GOMAXPROCS=1"}, command[0], command[1:]...)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(output)
			if err != nil {
				return err
			}
			if model == nil {
				model = text
			} else if !bytes.Equal(model, text) {
				return fmt.Errorf("the model of %d workers is another", n)
			}
			costs[i] = append(costs[i], cost)
		}
	}
	say(w, "| workers | processors | s | speed-up | GB |\n|---|---|---|---|---|\n")
	for i, c := range costs {
		slices.SortFunc(c, func(a, b trial.Cost) int { return cmp.Compare(a.Seconds, b.Seconds) })
		workers, bound := b.workers[max(i-1, 0)], "all"
		if i == 0 {
			bound = strconv.Itoa(workers)
		}
		m := c[len(c)/2]
		say(w, "| %d | %s | %v | %.2f | %.2f |\n", workers, bound, m, costs[0][len(c)/2].Seconds/m.Seconds, m.Memory)
	}
	return nil
}
