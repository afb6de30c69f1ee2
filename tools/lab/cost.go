package main

import (
	"context"
	"fmt"
	"image/color"
	"io"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// costOfRows measures what mercer fit with default settings costs against the number of rows, on the built-in set manifolds (ten
// noisy two-dimensional manifolds in 50 dimensions, of which 10 rows each have a label), and plots it. Processor seconds are those of
// the whole process: reading, graphs, tuning, the fit.
func costOfRows(f *measure.Flags) func() measure.Page {
	rows := f.String("rows", "500,1000,2000,4000,8000,16000,32000", "numbers of rows")
	labels := f.String("labels", "10", "numbers of labels a class; all: every row, and the error is that on the labels")
	file := f.String("plot", "", "write a figure, .png or .svg")
	given := f.Mercer()
	return func() measure.Page {
		return measure.Page{Title: "What mercer fit costs against the number of rows", Write: func(ctx context.Context, w io.Writer) error {
			return process.Within(ctx, *given, func(program, _ string) error {
				return measureCosts(ctx, w, program, *rows, *labels, *file)
			})
		}}
	}
}

func measureCosts(ctx context.Context, w io.Writer, program, rows, labels, file string) error {
	fmt.Fprint(w, "Fits of the built-in set manifolds, ten noisy surfaces in 50 columns. Seconds by the clock, and of "+
		"all processors. Hidden error: the share of wrong answers on the rows whose labels were kept from the "+
		"fit; supervised: that of the machine that learned from the labelled rows alone.\n\n")
	fmt.Fprintln(w, "| rows | labels a class | seconds | of processor | peak GB of the process | hidden error % (supervised) |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	var points plotter.XYs
	for text := range strings.SplitSeq(rows, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-rows %s: %q is no number of rows", rows, text)
		}
		for l := range strings.SplitSeq(labels, ",") {
			cpu, err := costLine(ctx, w, program, n, l)
			if err != nil {
				return err
			}
			points = append(points, plotter.XY{X: float64(n), Y: cpu})
		}
	}
	if file == "" {
		return nil
	}
	return plotCost(points, file)
}

// fittedCost is what is read of the result.
type fittedCost struct {
	Metrics  map[string]map[string]float64 `json:"metrics"`
	Baseline *struct {
		Metrics map[string]map[string]float64 `json:"metrics"`
	} `json:"baseline"`
}

// costLine prints the line of n rows with so many labels a class, and returns the processor seconds.
func costLine(ctx context.Context, w io.Writer, program string, n int, labels string) (float64, error) {
	args, part := []string{fmt.Sprintf("manifolds:n=%d", n)}, "labelled"
	if labels != "all" {
		args, part = append(args, "--labels-per-class", labels), "hidden"
	}
	var r fittedCost
	cost, err := process.Fit(ctx, program, &r, args...)
	if err != nil {
		return 0, err
	}
	supervised := r.Metrics[part]["error"] // where the fit fell back to it
	if r.Baseline != nil {
		supervised = r.Baseline.Metrics[part]["error"]
	}
	fmt.Fprintf(w, "| %d | %s | %.1f | %.1f | %.2f | %.2f (%.2f) |\n", n, labels, cost.Seconds, cost.Processor,
		float64(cost.Memory)/(1<<30), 100*r.Metrics[part]["error"], 100*supervised)
	return cost.Processor, nil
}

// plotCost plots the points on logarithmic axes.
func plotCost(points plotter.XYs, file string) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "rows", "processor seconds of mercer fit"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color = color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	marks.Color, marks.Radius = line.Color, vg.Points(2.5)
	p.Add(plotter.NewGrid(), line, marks)
	return p.Save(vg.Points(340), vg.Points(230), file)
}
