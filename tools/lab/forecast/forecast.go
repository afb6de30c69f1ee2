// Package forecast compares what fits are forecast to take with the peak of the resident set and the seconds that they take. Every
// fit runs in a process of its own, on rows drawn at random or on the sets of the other measurements, and collects garbage as the
// program does.
package forecast

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"

	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// Declare is the measurement.
func Declare(f *measure.Flags) func() measure.Page {
	dir := f.Data()
	pattern := f.String("run", "", "only fits whose recipe or set matches this expression")
	live := f.Bool("live", false, "collect garbage at once: what is in use, to set the formulas by")
	return func() measure.Page {
		title := "Forecasts of memory and time beside what fits took"
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			return table(ctx, w, *dir, *pattern, *live)
		}}
	}
}

// table measures the trials and prints a line for each, and how many were forecast well.
func table(ctx context.Context, w io.Writer, dir, pattern string, live bool) error {
	chosen, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("-run %s: %w", pattern, err)
	}
	list, err := trials(dir)
	if err != nil {
		return err
	}
	var all, memory, time, over int
	for _, t := range list {
		if !chosen.MatchString(t.String() + " " + t.source()) {
			continue
		}
		t.Live = live
		c, err := t.measure(ctx)
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
	fmt.Fprintf(w, "\nOf %d fits the memory of %d was forecast between its peak and twice that, of those\n"+
		"below %s with %s to spare, and the time of %d within a factor of two or %v s.\n"+
		"An exclamation mark is at the others. %d took more memory than was forecast.\n",
		all, memory, brief.Bytes(large), brief.Bytes(small), time, short, over)
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
