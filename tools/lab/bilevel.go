package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// bilevelSets are the files that the study was made on, by their names without an ending.
const bilevelSets = "sonar,wdbc,spambase,satimage,segment,digits,usps_train,pima_diabetes,australian,heart_statlog"

// tuningByDerivatives compares a search by derivatives of leave-one-out, with a width for each column, with a grid search of support
// vector machines by five folds, on equal training and test rows, at most 1000 for training. The grid is that of bilevel.py, with
// Debian's python3-sklearn and python3-pandas. Seconds are those of tuning and the last fit.
func tuningByDerivatives(f *measure.Flags) func() measure.Page {
	data, given, python := f.Data(), f.Mercer(), f.Python()
	sets := f.String("sets", bilevelSets, "the files of the folder, without an ending, with commas between")
	seeds := f.Int("seeds", 5, "draws of the training rows")
	flags := f.String("flags", "--method rls --kernel ard-gaussian --search gradient --budget 40", "flags of mercer fit, with spaces between")
	return func() measure.Page {
		b := bilevelBench{Options: measure.Options{Data: *data, Sets: *sets, Program: *given, Python: *python}, seeds: *seeds}
		b.flags = strings.Fields(*flags)
		return measure.Page{Title: "Tuning by derivatives against a grid search", Write: func(ctx context.Context, w io.Writer) error {
			return process.Within(ctx, b.Program, func(program, folder string) error {
				b.Program, b.folder = program, folder
				return b.run(ctx, w)
			})
		}}
	}
}

// bilevelBench is a comparison.
type bilevelBench struct {
	measure.Options
	folder string
	seeds  int
	flags  []string
}

// tuned is what one program took and got, seed by seed.
type tuned struct{ seconds, percent []float64 }

func (t *tuned) add(seconds, percent float64) {
	t.seconds, t.percent = append(t.seconds, seconds), append(t.percent, percent)
}

// median is that of the seconds.
func (t tuned) median() float64 {
	return measure.Median(t.seconds, func(s float64) float64 { return s })
}

// run compares on every set and prints a line for each.
func (b *bilevelBench) run(ctx context.Context, w io.Writer) error {
	fmt.Fprint(w, "| set | test error %, mean (sd): grid | bi-level | seconds, median: grid | bi-level |\n|---|---|---|---|---|\n")
	var grid, ours tuned
	for name := range strings.SplitSeq(b.Sets, ",") {
		g, o, err := b.compare(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		spread := func(t tuned) string {
			mean, sd := stat.MeanStdDev(t.percent, nil)
			return fmt.Sprintf("%.2f (%.2f)", mean, sd)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %.2f | %.2f |\n", name, spread(g), spread(o), g.median(), o.median())
		grid.add(g.median(), stat.Mean(g.percent, nil))
		ours.add(o.median(), stat.Mean(o.percent, nil))
	}
	seconds := [2]float64{stat.Mean(grid.seconds, nil), stat.Mean(ours.seconds, nil)}
	fmt.Fprintf(w, "| mean | %.2f | %.2f | %.2f | %.2f |\n\nSeconds over those of the grid: %.2f, of the means.\n",
		stat.Mean(grid.percent, nil), stat.Mean(ours.percent, nil), seconds[0], seconds[1], seconds[1]/seconds[0])
	return nil
}

// compare measures both on one set.
func (b *bilevelBench) compare(ctx context.Context, name string) (grid, ours tuned, err error) {
	file := filepath.Join(b.Data, name+".csv")
	if _, err := os.Stat(file); err != nil {
		file += ".gz"
	}
	out := filepath.Join(b.folder, name)
	_, answer, err := process.Timed(ctx, b.Python, "tools/lab/bilevel.py", file, out, fmt.Sprint(b.seeds))
	if err != nil {
		return grid, ours, err
	}
	lines := bytes.NewReader(answer)
	for seed := range b.seeds {
		var seconds, percent float64
		if _, err := fmt.Fscanln(lines, &seconds, &percent); err != nil {
			return grid, ours, fmt.Errorf("the grid answered %q: %w", answer, err)
		}
		grid.add(seconds, percent)
		part := fmt.Sprintf("%s.%d.", out, seed)
		var r struct {
			Metrics struct{ Test struct{ Error float64 } }
			Seconds struct{ Total float64 }
		}
		words := append([]string{part + "train.csv", "--test", part + "test.csv", "--label", "label", "--task", "classification",
			"--scale", "none"}, b.flags...)
		if _, err := process.Fit(ctx, b.Program, &r, words...); err != nil {
			return grid, ours, err
		}
		ours.add(r.Seconds.Total, 100*r.Metrics.Test.Error)
	}
	return grid, ours, nil
}
