// Package limit times ten jobs and compares each with the least time that the machine needs for it: the operations and bytes that the
// job cannot do without, by formula, at the speed that the machine reaches in the same run. A new job is a function here, and a line of
// jobs.
package limit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// growth is the factor between the two numbers of rows that a job is measured with.
const growth = 8

const (
	enough   = 200 * time.Millisecond // what the runs of a job take together, at the least
	patience = 10 * time.Second       // after which no further run begins
)

// job is one of the jobs.
type job struct {
	letter, name string // as the issue names it
	formula      string // of the least work, for the page
	rows         int    // n; the other trial has an eighth
	// prepare makes what the job needs for so many rows.
	prepare func(ctx context.Context, n int) (trial, error)
}

// trial is a job that can run, several times.
type trial struct {
	size   string // as the page has it
	before func() // what does not count of a run; nil: nothing
	run    func(ctx context.Context) error
	work   func() cost.Work // known after a run
	end    func() error     // nil: nothing
}

// limits is the measurement.
type limits struct {
	data    string
	jobs    string
	program string
	runs    int
	divide  int // the numbers of rows
	csv     int // megabytes of numbers
	words   int // megabytes with words
	starts  int
}

// Declare is the measurement.
func Declare(f *measure.Flags) func() measure.Page {
	var l limits
	dir, runs, program := f.Data(), f.Runs(3), f.Mercer()
	f.StringVar(&l.jobs, "jobs", "", "some of the jobs, by their letters, with commas between; all if empty")
	f.IntVar(&l.divide, "divide", 1, "divide the numbers of rows by this, for a quick look")
	f.IntVar(&l.csv, "csv", 1024, "megabytes of the file of numbers, which is removed afterwards")
	f.IntVar(&l.words, "words", 256, "megabytes of the file of numbers and words, which is removed afterwards")
	f.IntVar(&l.starts, "starts", 50, "runs of mercer version")
	return func() measure.Page {
		l.data, l.runs, l.program = *dir, *runs, *program
		return measure.Page{Title: "Ten jobs and what the machine can do", Write: l.write}
	}
}

// write measures and writes the page.
func (l limits) write(ctx context.Context, w io.Writer) error {
	if min(l.divide, l.runs, l.csv, l.words, l.starts) < 1 {
		return errors.New("-divide, -runs, -csv, -words and -starts must be at least 1")
	}
	return process.Within(ctx, l.program, func(program, folder string) error {
		top := measurePeak(max(2000/l.divide, 64), (1<<30)/l.divide)
		fmt.Fprintf(w, "Share is the least time that the machine needs over the seconds that the job takes, which are the least of up to "+
			"%d runs. The least time is that of the operations at the peak of the machine or of the bytes at the rate of a copy, "+
			"whichever is longer; the formulas below count what the problem needs, not what was done. Growth is the exponent between "+
			"an eighth of the rows and all, and beside it that of what bounds the job.\n\n", l.runs)
		fmt.Fprintf(w, "%v\n\n", top)
		fmt.Fprintln(w, "| job | size | GFLOP | GB | s, at the least | bound by | s | share | growth | of the formula |\n"+
			"|---|---|---|---|---|---|---|---|---|---|")
		var formulas []string
		for _, j := range l.list(folder) {
			if !measure.Wanted(l.jobs, j.letter) {
				continue
			}
			line, err := l.line(ctx, j, top)
			if err != nil {
				return fmt.Errorf("(%s) %s: %w", j.letter, j.name, err)
			}
			fmt.Fprint(w, line)
			if text := fmt.Sprintf("* (%s) %s\n", j.letter, j.formula); !slices.Contains(formulas, text) {
				formulas = append(formulas, text)
			}
		}
		fmt.Fprintf(w, "\n## What the jobs need at the least\n\n%s\n\n%s", counted, strings.Join(formulas, ""))
		return l.startsOf(ctx, w, program, folder)
	})
}

// counted says how operations are counted.
var counted = fmt.Sprintf("n rows, d columns, l labelled rows, m centres, c outputs. A multiply-add is two operations; an exponential, "+
	"exp, is %d, the multiply-adds of its series; an operation that no multiply-add takes in, such as an absolute difference, a sum or a "+
	"comparison, counts two. A symmetric table is computed by halves. Bytes are those of tables that are read or written once, 8 a number.",
	cost.Exponential)

// list has all jobs.
func (l limits) list(folder string) []job {
	var all []job
	for _, some := range [][]job{dense(), tables(), neighbours(), l.vectorMachines(), defaults(), scores(), centres(), l.reading(folder)} {
		all = append(all, some...)
	}
	for i := range all {
		all[i].rows = max(all[i].rows/l.divide, 64*growth)
	}
	return all
}

// line measures a job with an eighth of the rows and with all.
func (l limits) line(ctx context.Context, j job, top peak) (string, error) {
	few, _, err := l.measure(ctx, j, j.rows/growth, top)
	if err != nil {
		return "", err
	}
	all, size, err := l.measure(ctx, j, j.rows, top)
	if err != nil {
		return "", err
	}
	bound, grown := "operations", all.work.Flops()/few.work.Flops()
	if all.work.Flops()/top.flops < all.work.Passes/top.bytes {
		bound, grown = "bytes", all.work.Passes/few.work.Passes
	}
	exponent := func(ratio float64) float64 { return math.Log(ratio) / math.Log(float64(j.rows)/float64(j.rows/growth)) }
	return fmt.Sprintf("| (%s) %s | %s | %.3g | %.2g | %.3g | %s | %.3g | %.2f | %.2f | %.2f |\n", j.letter, j.name, size,
		all.work.Flops()/1e9, all.work.Passes/1e9, all.floor, bound, all.seconds, all.floor/all.seconds,
		exponent(all.seconds/few.seconds), exponent(grown)), nil
}

// taken is what a trial took, and needs.
type taken struct {
	seconds, floor float64
	work           cost.Work
}

// measure has the least seconds of some runs.
func (l limits) measure(ctx context.Context, j job, n int, top peak) (t taken, size string, err error) {
	debug.FreeOSMemory() // what jobs before have left is no matter of this one
	one, err := j.prepare(ctx, n)
	if err != nil {
		return t, "", err
	}
	if one.end != nil {
		defer func() {
			if e := one.end(); err == nil {
				err = e
			}
		}()
	}
	var spent time.Duration
	for k := 0; k < l.runs || spent < enough; k++ {
		if one.before != nil {
			one.before()
		}
		start := time.Now()
		if err := one.run(ctx); err != nil {
			return t, "", err
		}
		took := time.Since(start)
		if k == 0 || took.Seconds() < t.seconds {
			t.seconds = took.Seconds()
		}
		if spent += took; spent > patience {
			break
		}
	}
	t.work = one.work()
	t.floor = t.work.Floor(top.flops, top.bytes)
	return t, one.size, nil
}

// normal draws n rows of d columns, the same ones for the same numbers.
func normal(n, d int) data.Rows {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d))) //nolint:gosec // rows to be measured on, no secret
	x := mat.NewDense(n, d, nil)
	for i, v := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = v + rng.NormFloat64()
	}
	return data.Rows{Dense: x}
}

// fixed is work that is known before a run.
func fixed(w cost.Work) func() cost.Work { return func() cost.Work { return w } }

// by is a size as the page has it.
func by(n, d int) string { return fmt.Sprintf("%d x %d", n, d) }
