// Package peers times mercer and LIBSVM's svm-train as whole processes on the same files, in turn, with the same C, gamma and
// tolerance. Beside the seconds stand those of processor: svm-train has one thread, mercer as many as there are cores.
//
// svm-train is Debian's libsvm-tools.
package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// problem is a two-class problem, or with first 0 the classes as they are.
type problem struct {
	name, file string
	first      int // so many classes, in sorted order, against the rest
	raw        bool
	c, gamma   float64
}

func problems() []problem {
	return []problem{
		{"usps", "usps_train.csv.gz", 5, false, 1, 0.01},
		{"fashion", "fashion_mnist_5000.csv.gz", 5, false, 10, 0.01},
		{"a9a", "a9a.svm.gz", 1, true, 1, 0.03},
		{"covtype", "covtype_20k.csv.gz", 3, false, 10, 4},
		{"letter", "letter.csv.gz", 13, false, 10, 2},
		{"usps-10", "usps_train.csv.gz", 0, false, 1, 0.01},
	}
}

// comparison is what is measured by.
type comparison struct {
	measure.Options
	tolerance float64
	folder    string
}

// Declare is the measurement.
func Declare(f *measure.Flags) func() measure.Page {
	data, sets, runs, given := f.Data(), f.Sets(), f.Runs(5), f.Mercer()
	tolerance := f.Float64("tol", 1e-3, "tolerance of both")
	probability := f.Bool("probability", false, "compare probabilities on held-out rows instead: time, log loss, contradictions")
	return func() measure.Page {
		title, run := "mercer and LIBSVM's svm-train", comparison.trained
		if *probability {
			title, run = "Probabilities of mercer and of LIBSVM", comparison.probabilities
		}
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			if _, err := exec.LookPath("svm-train"); err != nil {
				return errors.New("svm-train is not installed: apt-get install libsvm-tools")
			}
			return process.Within(ctx, *given, func(program, folder string) error {
				o := measure.Options{Data: *data, Sets: *sets, Program: program, Runs: *runs}
				return run(comparison{o, *tolerance, folder}, ctx, w)
			})
		}}
	}
}

// trained compares the training.
func (c comparison) trained(ctx context.Context, w io.Writer) error {
	fmt.Fprintln(w, "| set | rows x columns | s, svm-train | s, mercer | ratio | CPU s, svm-train | CPU s, mercer | ratio | "+
		"objective | vectors | peak MB |\n|---|---|---|---|---|---|---|---|---|---|---|")
	product, work, count := 1.0, 1.0, 0
	for _, p := range problems() {
		if !measure.Wanted(c.Sets, p.name) {
			continue
		}
		file := filepath.Join(c.folder, p.name+".svm")
		size, err := p.write(ctx, filepath.Join(c.Data, p.file), file, func(int) bool { return true })
		if err != nil {
			return err
		}
		ratio, cpu, err := c.compare(ctx, w, p, file, size)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		product *= ratio
		work *= cpu
		count++
	}
	mean := 1 / float64(max(count, 1))
	fmt.Fprintf(w, "\nGeometric means of the ratios: %.1f in seconds, %.1f in processor seconds; svm-train has one thread, mercer %d.\n"+
		"CPU s are seconds of processor. Objective is the relative difference; of vectors, the support vectors, and peak MB "+
		"the first is of svm-train.\n", math.Pow(product, mean), math.Pow(work, mean), runtime.NumCPU())
	return nil
}

// write writes the rows that takes chooses as LIBSVM text, columns to [0,1] unless raw.
func (p problem) write(ctx context.Context, from, to string, takes func(i int) bool) (size string, err error) {
	set, _, err := read.Open(ctx, from, read.Options{})
	if err != nil {
		return "", err
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		return "", err
	}
	rows := set.Rows
	if !p.raw {
		s, _, err := data.FitScaling(data.ScaleMinMax, rows)
		if err != nil {
			return "", err
		}
		rows = s.Apply(rows)
	}
	var b bytes.Buffer
	count := 0
	for i, k := range labels.Class {
		if !takes(i) {
			continue
		}
		count++
		label := k
		if p.first > 0 {
			label = 1
			if k < p.first {
				label = -1
			}
		}
		b.WriteString(strconv.Itoa(label))
		entry := func(j int, v float64) {
			if v != 0 {
				b.WriteString(" " + strconv.Itoa(j+1) + ":" + strconv.FormatFloat(v, 'g', 8, 64))
			}
		}
		if rows.IsSparse() {
			idx, val := rows.Sparse.Row(i)
			for q, j := range idx {
				entry(int(j), val[q])
			}
		} else {
			for j, v := range rows.Dense.RawRowView(i) {
				entry(j, v)
			}
		}
		b.WriteByte('\n')
	}
	return fmt.Sprintf("%d x %d", count, rows.Dim()), os.WriteFile(to, b.Bytes(), 0o600)
}

// result is one run of a program.
type result struct {
	process.Cost
	objective float64
	support   int
}

func (c comparison) compare(ctx context.Context, w io.Writer, p problem, file, size string) (ratio, processor float64, err error) {
	var svm, own []result
	for range c.Runs {
		a, err := c.svmTrain(ctx, p, file)
		if err != nil {
			return 0, 0, err
		}
		b, err := c.fit(ctx, p, file, "none")
		if err != nil {
			return 0, 0, err
		}
		svm, own = append(svm, a), append(own, b)
	}
	s, m := median(svm), median(own)
	difference := "-"
	if p.first > 0 {
		difference = fmt.Sprintf("%.1e", math.Abs(m.objective-s.objective)/math.Abs(s.objective))
	}
	ratio, processor = s.Seconds/m.Seconds, s.Processor/m.Processor
	fmt.Fprintf(w, "| %s | %s | %.2f | %.2f | %.1f | %.2f | %.2f | %.1f | %s | %d / %d | %d / %d |\n", p.name, size, s.Seconds, m.Seconds,
		ratio, s.Processor, m.Processor, processor, difference, s.support, m.support, s.Memory>>20, m.Memory>>20)
	return ratio, processor, nil
}

// median is the run of the median time.
func median(r []result) result { return measure.Median(r, func(r result) float64 { return r.Seconds }) }

var (
	objective = regexp.MustCompile(`obj = (\S+), rho`)
	support   = regexp.MustCompile(`(?i)total nSV = (\d+)`)
)

// flags are those of svm-train for the machine.
func (c comparison) flags(p problem) []string {
	return []string{"-c", fmt.Sprint(p.c), "-g", fmt.Sprint(p.gamma), "-e", fmt.Sprint(c.tolerance), "-m", "200"}
}

func (c comparison) svmTrain(ctx context.Context, p problem, file string) (result, error) {
	cost, out, err := process.Timed(ctx, "svm-train", append(c.flags(p), file, file+".libsvm")...)
	r := result{Cost: cost}
	if err != nil {
		return r, err
	}
	if m := objective.FindSubmatch(out); m != nil {
		r.objective, err = strconv.ParseFloat(string(m[1]), 64)
	}
	if m := support.FindSubmatch(out); m != nil && err == nil {
		r.support, err = strconv.Atoi(string(m[1]))
	}
	return r, err
}

// fit is mercer with a score, "none" or the folds that probabilities are fitted on.
func (c comparison) fit(ctx context.Context, p problem, file, tune string) (result, error) {
	var said struct {
		Certificate struct{ Objective float64 }
		Support     int
	}
	cost, err := process.Fit(ctx, c.Program, &said, file, "--method", "svm", "--kernel", "gaussian", "--tune", tune, "--scale", "none",
		"--set", fmt.Sprintf("C=%g", p.c), "--set", fmt.Sprintf("gamma=%g", p.gamma), "--tol", fmt.Sprint(c.tolerance), "-o",
		file+".mercer")
	return result{cost, said.Certificate.Objective, said.Support}, err
}
