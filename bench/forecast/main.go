//go:build unix

// Forecast compares what fits are forecast to take with the peak of the resident set that they
// take. Every fit runs in a process of its own, on rows drawn at random, and collects garbage as the
// program does:
//
//	go run ./bench/forecast -markdown docs/results/forecast.md
//	go run ./bench/forecast -run lap-rls -live
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/results"
)

func main() {
	child()
	pattern := flag.String("run", "", "only fits whose recipe matches this expression")
	live := flag.Bool("live", false, "collect garbage at once: what is in use, to set the formulas by")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	err := results.Program(*markdown, "Forecasts of memory beside what fits took", "forecast", os.Args[1:], func(w io.Writer) error { return table(w, *pattern, *live) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// table measures the trials and prints a line for each.
func table(w io.Writer, pattern string, live bool) error {
	chosen, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("-run %s: %w", pattern, err)
	}
	fmt.Fprintln(w, "| fit | rows, labelled x columns, classes | form | forecast | measured | ratio | seconds |\n|---|---|---|---|---|---|---|")
	for _, t := range trials() {
		if !chosen.MatchString(t.String()) {
			continue
		}
		t.Live = live
		c, err := t.measure(context.Background())
		if err != nil {
			return err
		}
		mark := ""
		if !c.good() {
			mark = " !"
		}
		fmt.Fprintf(w, "| %v | %s | %s | %s | %s | %.2f%s | %.1f |\n", t, t.size(), c.Form, mercer.Bytes(c.Said), mercer.Bytes(c.Bytes), c.ratio(), mark, c.Seconds)
	}
	return nil
}

// ratio is the forecast over what was measured.
func (c cost) ratio() float64 { return float64(c.Said) / float64(c.Bytes) }

// small is what a fit may take beside its tables: of fits that take less than large, that much is
// forgiven.
const small, large = 20 << 20, 50 << 20

// good says whether the forecast is at least what was measured and at most twice that.
func (c cost) good() bool {
	if c.Bytes < large {
		return c.Said <= 2*c.Bytes+small
	}
	return c.ratio() >= 1 && c.ratio() <= 2
}

// String is the recipe as on the command line.
func (t trial) String() string {
	r := t.Recipe
	words := []string{r.Method}
	for _, f := range [][2]string{{"kernel", r.Kernel}, {"tune", r.Tune}, {"search", r.Search}, {"decision", r.Decision}} {
		if f[1] != "" {
			words = append(words, "--"+f[0]+" "+f[1])
		}
	}
	if r.Budget > 0 {
		words = append(words, fmt.Sprintf("--budget %d", r.Budget))
	}
	for _, k := range slices.Sorted(maps.Keys(r.Set)) {
		words = append(words, "--set "+k+"="+r.Set[k])
	}
	return strings.Join(words, " ")
}

// size is what a trial is on.
func (t trial) size() string {
	text := fmt.Sprintf("%d, %d x %d, %d", t.Rows, t.Labelled, t.Columns, t.Classes)
	if t.Sparse {
		text += ", sparse"
	}
	return text
}
