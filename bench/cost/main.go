//go:build unix

// Cost measures what `mercer fit` with default settings costs against the number of rows, on the
// built-in set "manifolds" (ten noisy two-dimensional manifolds in 50 dimensions, 10 labels
// each), and plots it:
//
//	go run ./bench/cost -plot docs/cost.png
//	go run ./bench/cost -rows 1000,2000,4000
//
// Processor seconds are those of the whole process: reading, graphs, tuning, the fit.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mercer-ml/mercer/internal/results"
)

func main() {
	rows := flag.String("rows", "500,1000,2000,4000,8000,16000,32000", "numbers of rows")
	file := flag.String("plot", "", "write a figure, .png or .svg")
	program := flag.String("mercer", "", "a built mercer; default: built from here")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	err := results.Program(
		*markdown,
		"What mercer fit costs against the number of rows",
		"bench/cost",
		os.Args[1:],
		func(w io.Writer) error { return run(w, *rows, *file, *program) },
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer, rows, file, program string) error {
	if program == "" {
		dir, err := os.MkdirTemp("", "mercer-cost-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		program = filepath.Join(dir, "mercer")
		build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "./cmd/mercer")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return err
		}
	}
	fmt.Fprintln(w, "| rows | seconds | of processor | peak GB of the process | hidden error % (supervised) |\n|---|---|---|---|---|")
	var points plotter.XYs
	for _, text := range strings.Split(rows, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-rows %s: %q is no number of rows", rows, text)
		}
		cpu, err := measure(w, program, n)
		if err != nil {
			return err
		}
		points = append(points, plotter.XY{X: float64(n), Y: cpu})
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

// measure prints the line of n rows and returns the processor seconds.
func measure(w io.Writer, program string, n int) (float64, error) {
	var out bytes.Buffer
	c := exec.CommandContext(
		context.Background(),
		program,
		"fit",
		fmt.Sprintf("manifolds:n=%d", n),
		"--labels-per-class",
		"10",
		"--json",
		"--quiet",
	)
	c.Stdout, c.Stderr = &out, os.Stderr
	start := time.Now()
	if err := c.Run(); err != nil {
		return 0, err
	}
	seconds := time.Since(start).Seconds()
	var r fitted
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return 0, err
	}
	supervised := r.Metrics["hidden"]["error"] // where the fit fell back to it
	if r.Baseline != nil {
		supervised = r.Baseline.Metrics["hidden"]["error"]
	}
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	fmt.Fprintf(w, "| %d | %.1f | %.1f | %.2f | %.2f (%.2f) |\n", n, seconds, cpu.Seconds(), float64(usage.Maxrss)/(1<<20),
		100*r.Metrics["hidden"]["error"], 100*supervised)
	return cpu.Seconds(), nil
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
