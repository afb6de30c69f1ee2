package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// The table that plain mercer fit learns from, and the new rows of the same.
const (
	defaultRows, defaultColumns, defaultNew = 1500, 20, 200_000
)

// defaultPredictions fits a drawn table without a setting and says how large its model is and how fast it predicts, on one thread,
// reading and writing included.
func defaultPredictions(ctx context.Context, w io.Writer, o measure.Options, tmp string) error {
	at := func(name string) string { return filepath.Join(tmp, name) }
	rng := rand.New(rand.NewPCG(1, 20))
	for _, f := range []struct {
		name string
		rows int
	}{{"known.csv", defaultRows}, {"new.csv", defaultNew}} {
		if err := writeDrawn(at(f.name), f.rows, rng); err != nil {
			return err
		}
	}
	var fit struct{}
	if _, err := process.Fit(ctx, o.Program, &fit, at("known.csv"), "-o", at("table.mercer")); err != nil {
		return err
	}
	size, err := os.Stat(at("table.mercer"))
	if err != nil {
		return err
	}
	r := predictor{words: []string{o.Program, "predict", at("table.mercer"), at("new.csv"), "--quiet", "-o", at("out.csv"), "--threads", "1"}}
	cost, err := r.median(ctx, o.Runs)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nPlain mercer fit of %d rows and %d columns, drawn, all labelled: the model file, and mercer predict of %d new rows on "+
		"one thread, reading and writing included.\n\n| model file, MB | CPU s | rows a CPU s |\n|---|---|---|\n| %.2f | %.2f | %.0f |\n",
		defaultRows, defaultColumns, defaultNew, float64(size.Size())/1e6, cost.Processor, defaultNew/cost.Processor)
	return nil
}

// writeDrawn writes normal features, and a class that three of them decide.
func writeDrawn(path string, rows int, rng *rand.Rand) error {
	f, err := os.Create(path) //nolint:gosec // a file of this run
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	for j := range defaultColumns {
		fmt.Fprintf(b, "x%d,", j)
	}
	fmt.Fprintln(b, "y")
	var x [defaultColumns]float64
	for range rows {
		for j := range x {
			x[j] = rng.NormFloat64()
			fmt.Fprintf(b, "%.6g,", x[j])
		}
		class := "a\n"
		if math.Sin(2*x[0])+x[1]*x[2] > 0 {
			class = "b\n"
		}
		fmt.Fprint(b, class)
	}
	if err := b.Flush(); err != nil {
		f.Close() //nolint:errcheck // the write failed
		return err
	}
	return f.Close()
}
