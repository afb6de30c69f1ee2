//go:build unix

// Forecast compares what fits are forecast to take with the peak of the resident set and the
// seconds that they take. Every fit runs in a process of its own, on rows drawn at random or on the
// sets of the other benchmarks, and collects garbage as the program does:
//
//	go run ./tools/lab/forecast --data DIR -markdown docs/results/forecast.md
//	go run ./tools/lab/forecast -run lap-rls -live
//
// Files are named as in docs/datasets.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"

	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/results"
)

func main() {
	child()
	dir := flag.String("data", "", "folder of the data files; without it only on rows that are drawn")
	pattern := flag.String("run", "", "only fits whose recipe or set matches this expression")
	live := flag.Bool("live", false, "collect garbage at once: what is in use, to set the formulas by")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	err := results.Program(*markdown, "Forecasts of memory and time beside what fits took", "tools/lab/forecast", os.Args[1:],
		func(w io.Writer) error { return table(w, *dir, *pattern, *live) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// table measures the trials and prints a line for each, and how many were forecast well.
func table(w io.Writer, dir, pattern string, live bool) error {
	chosen, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("-run %s: %w", pattern, err)
	}
	var all, memory, time, over int
	for _, t := range trials(dir) {
		if !chosen.MatchString(t.String() + " " + t.source()) {
			continue
		}
		t.Live = live
		c, err := t.measure(context.Background())
		if err != nil {
			return err
		}
		all++
		if c.Bytes > c.Said {
			over++
		}
		bytes, seconds := " !", " !"
		if c.bytesGood() {
			bytes = ""
			memory++
		}
		if c.secondsGood() {
			seconds = ""
			time++
		}
		fmt.Fprintf(w, "* `%v`, %s, %d rows (%d labelled) x %d, %s, points tried: %d\n",
			t, t.source(), c.Rows, c.Labelled, c.Columns, c.Form, c.Points)
		fmt.Fprintf(w, "  * memory: forecast %s, measured %s, ratio %.2f%s\n",
			brief.Bytes(c.Said), brief.Bytes(c.Bytes), float64(c.Said)/float64(c.Bytes), bytes)
		fmt.Fprintf(w, "  * seconds: forecast %.2f, measured %.2f, ratio %.2f%s\n", c.Foreseen, c.Seconds, c.Foreseen/c.Seconds, seconds)
	}
	fmt.Fprintf(
		w,
		"\nOf %d fits the memory of %d was forecast between its peak and twice that, of those\n"+
			"below %s with %s to spare, and the time of %d within a factor of two or %v s.\n"+
			"An exclamation mark is at the others. %d took more memory than was forecast.\n",
		all,
		memory,
		brief.Bytes(large),
		brief.Bytes(small),
		time,
		short,
		over,
	)
	return nil
}

// small is what a fit may take beside its tables: of fits that take less than large, that much is
// forgiven. So are seconds below short, which are those of starting and of other processes.
const (
	small, large = 20 << 20, 50 << 20
	short        = 0.25
)

// bytesGood says whether the forecast is at least what was measured and at most twice that.
func (c cost) bytesGood() bool {
	if c.Bytes < large {
		return c.Said <= 2*c.Bytes+small
	}
	return c.Said >= c.Bytes && c.Said <= 2*c.Bytes
}

// secondsGood says whether the forecast is within a factor of two.
func (c cost) secondsGood() bool {
	return math.Abs(c.Foreseen-c.Seconds) <= short || c.Foreseen <= 2*c.Seconds && c.Seconds <= 2*c.Foreseen
}
