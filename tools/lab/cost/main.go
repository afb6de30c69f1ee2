//go:build unix

// Cost measures what `mercer fit` with default settings costs against the number of rows, on the
// built-in set "manifolds" (ten noisy two-dimensional manifolds in 50 dimensions, of which 10 rows
// each have a label), and plots it:
//
//	go run ./tools/lab/cost -plot docs/cost.png
//	go run ./tools/lab/cost -rows 1000,2000,4000
//	go run ./tools/lab/cost -rows 1000000 -labels 100,all    other numbers of labels a class
//
// Processor seconds are those of the whole process: reading, graphs, tuning, the fit.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image/color"
	"io"
	"os"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mercer-ml/mercer/internal/results"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

func main() {
	rows := flag.String("rows", "500,1000,2000,4000,8000,16000,32000", "numbers of rows")
	labels := flag.String("labels", "10", "numbers of labels a class; all: every row, and the error is that on the labels")
	file := flag.String("plot", "", "write a figure, .png or .svg")
	program := flag.String("mercer", "", "a built mercer; default: built from here")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	err := results.Program(
		*markdown,
		"What mercer fit costs against the number of rows",
		"tools/lab/cost",
		os.Args[1:],
		func(w io.Writer) error { return run(w, *rows, *labels, *file, *program) },
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer, rows, labels, file, program string) error {
	dir, err := os.MkdirTemp("", "mercer-cost-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if program, err = process.Mercer(context.Background(), program, dir); err != nil {
		return err
	}
	fmt.Fprint(w, "Fits of the built-in set manifolds, ten noisy surfaces in 50 columns. Seconds by the clock, and of "+
		"all processors. Hidden error: the share of wrong answers on the rows whose labels were kept from the "+
		"fit; supervised: that of the machine that learned from the labelled rows alone.\n\n")
	fmt.Fprintln(w, "| rows | labels a class | seconds | of processor | peak GB of the process | hidden error % (supervised) |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	var points plotter.XYs
	for _, text := range strings.Split(rows, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-rows %s: %q is no number of rows", rows, text)
		}
		for _, l := range strings.Split(labels, ",") {
			cpu, err := measure(w, program, n, l)
			if err != nil {
				return err
			}
			points = append(points, plotter.XY{X: float64(n), Y: cpu})
		}
	}
	if file == "" {
		return nil
	}
	return draw(points, file)
}

// fitted is what is read of the result.
type fitted struct {
	Metrics  map[string]map[string]float64 `json:"metrics"`
	Baseline *struct {
		Metrics map[string]map[string]float64 `json:"metrics"`
	} `json:"baseline"`
}

// measure prints the line of n rows with so many labels a class, and returns the processor seconds.
func measure(w io.Writer, program string, n int, labels string) (float64, error) {
	args, part := []string{"fit", fmt.Sprintf("manifolds:n=%d", n), "--json", "--quiet"}, "labelled"
	if labels != "all" {
		args, part = append(args, "--labels-per-class", labels), "hidden"
	}
	cost, out, err := process.Timed(context.Background(), program, args...)
	if err != nil {
		return 0, err
	}
	var r fitted
	if err := json.Unmarshal(out, &r); err != nil {
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

// draw plots the points on logarithmic axes.
func draw(points plotter.XYs, file string) error {
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
