//go:build unix

// Peers times mercer and LIBSVM's svm-train as whole processes on the same files,
// in turn, with the same C, gamma and tolerance, and prints a table. Beside the seconds stand those
// of processor: svm-train has one thread, mercer as many as there are cores.
//
//	go run ./tools/lab/peers --data DIR            five runs each
//	go run ./tools/lab/peers --data DIR --runs 1 --sets a9a,letter
//	go run ./tools/lab/peers --data DIR --blas go            mercer in pure Go
//	go run ./tools/lab/peers --data DIR --probability        probabilities: time, log loss, contradictions
//
// Files are named as in docs/datasets.md; svm-train is Debian's libsvm-tools.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/results"
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

func main() {
	dir := flag.String("data", "", "folder of the data files")
	runs := flag.Int("runs", 5, "runs of each program")
	only := flag.String("sets", "", "some of the sets, by name")
	tol := flag.Float64("tol", 1e-3, "tolerance of both")
	program := flag.String("mercer", "", "a built mercer; default: built from here")
	engine := flag.String("blas", "auto", "MERCER_BLAS of mercer: auto, go or openblas")
	probability := flag.Bool("probability", false, "compare probabilities on held-out rows instead")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	title := "mercer and LIBSVM's svm-train"
	if *probability {
		title = "Probabilities of mercer and of LIBSVM"
	}
	err := os.Setenv("MERCER_BLAS", *engine)
	if err == nil {
		err = results.Program(*markdown, title, "tools/lab/peers", os.Args[1:], func(w io.Writer) error {
			return run(w, *dir, *only, *program, *runs, *tol, *probability)
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer, dir, only, program string, runs int, tol float64, probability bool) error {
	if _, err := exec.LookPath("svm-train"); err != nil {
		return errors.New("svm-train is not installed: apt-get install libsvm-tools")
	}
	tmp, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) //nolint:errcheck // nothing can be done about what is left
	if program, err = process.Mercer(context.Background(), program, tmp); err != nil {
		return err
	}
	chosen := func(p problem) bool { return only == "" || slices.Contains(strings.Split(only, ","), p.name) }
	if probability {
		return probabilities(w, dir, tmp, program, runs, tol, chosen)
	}
	fmt.Fprintln(
		w,
		"| set | rows x columns | s, svm-train | s, mercer | ratio | CPU s, svm-train | CPU s, mercer | ratio | "+
			"objective | vectors | peak MB |\n|---|---|---|---|---|---|---|---|---|---|---|",
	)
	product, work, count := 1.0, 1.0, 0
	for _, p := range problems() {
		if !chosen(p) {
			continue
		}
		file := filepath.Join(tmp, p.name+".svm")
		size, err := p.write(filepath.Join(dir, p.file), file, func(int) bool { return true })
		if err != nil {
			return err
		}
		ratio, cpu, err := p.compare(w, file, program, size, runs, tol)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		product *= ratio
		work *= cpu
		count++
	}
	mean := 1 / float64(max(count, 1))
	fmt.Fprintf(
		w,
		"\nGeometric means of the ratios: %.1f in seconds, %.1f in processor seconds; svm-train has one thread, mercer %d.\n"+
			"CPU s are seconds of processor. Objective is the relative difference; of vectors, the support vectors, and peak MB "+
			"the first is of svm-train.\n",
		math.Pow(product, mean),
		math.Pow(work, mean),
		runtime.NumCPU(),
	)
	return nil
}

// write writes the rows that takes chooses as LIBSVM text, columns to [0,1] unless raw.
func (p problem) write(from, to string, takes func(i int) bool) (size string, err error) {
	set, _, err := read.Open(context.Background(), from, read.Options{})
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

func (p problem) compare(w io.Writer, file, program, size string, runs int, tol float64) (ratio, processor float64, err error) {
	var svm, own []result
	for range runs {
		a, err := p.svmTrain(file, tol)
		if err != nil {
			return 0, 0, err
		}
		b, err := p.mercer(program, file, tol)
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
	fmt.Fprintf(
		w,
		"| %s | %s | %.2f | %.2f | %.1f | %.2f | %.2f | %.1f | %s | %d / %d | %d / %d |\n",
		p.name,
		size,
		s.Seconds,
		m.Seconds,
		s.Seconds/m.Seconds,
		s.Processor,
		m.Processor,
		s.Processor/m.Processor,
		difference,
		s.support,
		m.support,
		s.Memory>>20,
		m.Memory>>20,
	)
	return s.Seconds / m.Seconds, s.Processor / m.Processor, nil
}

// median returns the run of the median time.
func median(r []result) result {
	slices.SortFunc(r, func(a, b result) int { return int(math.Copysign(1, a.Seconds-b.Seconds)) })
	return r[len(r)/2]
}

var (
	objective = regexp.MustCompile(`obj = (\S+), rho`)
	support   = regexp.MustCompile(`(?i)total nSV = (\d+)`)
)

// flags are those of svm-train for the machine.
func (p problem) flags(tol float64) []string {
	return []string{"-c", fmt.Sprint(p.c), "-g", fmt.Sprint(p.gamma), "-e", fmt.Sprint(tol), "-m", "200"}
}

func (p problem) svmTrain(file string, tol float64) (result, error) {
	cost, out, err := process.Timed(context.Background(), "svm-train", append(p.flags(tol), file, file+".libsvm")...)
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

func (p problem) mercer(program, file string, tol float64) (result, error) {
	return p.fit(program, file, "none", tol)
}

// fit is mercer with a score, "none" or the folds that probabilities are fitted on.
func (p problem) fit(program, file, tune string, tol float64) (result, error) {
	cost, out, err := process.Timed(
		context.Background(),
		program,
		"fit",
		file,
		"--method",
		"svm",
		"--kernel",
		"gaussian",
		"--tune",
		tune,
		"--scale",
		"none",
		"--json",
		"--quiet",
		"--set",
		fmt.Sprintf("C=%g", p.c),
		"--set",
		fmt.Sprintf("gamma=%g", p.gamma),
		"--tol",
		fmt.Sprint(tol),
		"-o",
		file+".mercer",
	)
	r := result{Cost: cost}
	if err != nil {
		return r, err
	}
	var res struct {
		Certificate struct {
			Objective float64 `json:"objective"`
		} `json:"certificate"`
		Support int `json:"support"`
	}
	err = json.Unmarshal(out, &res)
	r.objective, r.support = res.Certificate.Objective, res.Support
	return r, err
}
