package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// predictProblem is a machine and the rows that it predicts.
type predictProblem struct {
	name, file string
	test       string // a file of its own, or the last rows of the same file
	learn      int    // rows learned from, 0 = all
	times      int    // the rows to predict are repeated so often
	columns    int
	form       string // of the rows in scikit-learn
	c, gamma   float64
}

func predictProblems() []predictProblem {
	return []predictProblem{
		{"letter", "letter.csv.gz", "", 15000, 4, 16, "dense", 10, 2.0 / 225}, // 2 for columns scaled to [0, 1]
		{"a9a", "a9a.svm.gz", "a9a_test.svm.gz", 0, 1, 123, "sparse", 1, 0.03},
	}
}

// predictions times mercer predict, LIBSVM's svm-predict and scikit-learn's SVC.predict with the same Gaussian support vector machine
// on the same rows, in turn: whole processes, the reading of the model and of the rows and the writing included, but for scikit-learn,
// of which SVC.predict alone counts. The machine is fitted by mercer and exported. svm-predict is Debian's libsvm-tools.
func predictions(f *measure.Flags) func() measure.Page {
	options := f.Options()
	return func() measure.Page {
		o := options()
		title := "Predicting with mercer, svm-predict and scikit-learn"
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			if _, err := exec.LookPath("svm-predict"); err != nil {
				return fmt.Errorf("svm-predict is not installed: apt-get install libsvm-tools: %w", err)
			}
			return process.Within(ctx, o.Program, func(program, tmp string) error {
				o.Program = program
				if err := comparePredictions(ctx, w, o, tmp); err != nil {
					return err
				}
				return defaultPredictions(ctx, w, o, tmp)
			})
		}}
	}
}

func comparePredictions(ctx context.Context, w io.Writer, o measure.Options, tmp string) error {
	fmt.Fprintln(w, "| set, rows x columns, support vectors | program | s | CPU s | rows a CPU s | peak MB | decided otherwise |\n"+
		"|---|---|---|---|---|---|---|")
	for _, p := range predictProblems() {
		if !measure.Wanted(o.Sets, p.name) {
			continue
		}
		if err := p.compare(ctx, w, o, tmp); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	fmt.Fprintln(w, "\nMedians of the runs by seconds of processor, CPU s; rows decided otherwise than by svm-predict. The seconds of "+
		"scikit-learn are those of SVC.predict alone, without the reading of rows and model, which the others include; "+
		"its predictions are to a Python array, theirs to a file.")
	return nil
}

// compare makes the files of a problem and prints a line a program.
func (p predictProblem) compare(ctx context.Context, w io.Writer, o measure.Options, tmp string) error {
	at := func(ending string) string { return filepath.Join(tmp, p.name+ending) }
	rows, err := p.write(ctx, o, at)
	if err != nil {
		return err
	}
	var fit struct{ Support int }
	if _, err := process.Fit(ctx, o.Program, &fit, at(".learn.svm"), "--task", "classification", "--method", "svm", "--kernel", "gaussian",
		"--tune", "none", "--scale", "none", "--set", fmt.Sprint("C=", p.c), "--set", fmt.Sprint("gamma=", p.gamma),
		"-o", at(".mercer")); err != nil {
		return err
	}
	if _, _, err := process.Timed(ctx, o.Program, "export", at(".mercer"), "--format", "libsvm", "-o", at(".model")); err != nil {
		return err
	}
	name := fmt.Sprintf("%s, %d x %d, %d", p.name, rows, p.columns, fit.Support)
	test, model, svm, own, svc := at(".test.svm"), at(".model"), at(".svm-predict.out"), at(".csv"), at(".svc.out")
	mercer := []string{o.Program, "predict", at(".mercer"), test, "--quiet", "-o", own}
	var first []string
	for _, r := range []predictor{
		{"svm-predict", []string{"svm-predict", "-q", test, model, svm}, svm, false},
		{"mercer", mercer, own, false},
		{"mercer, one thread", append(slices.Clone(mercer), "--threads", "1"), own, false},
		{"SVC.predict", []string{o.Python, "tools/lab/predict.py", model, test, svc, p.form, fmt.Sprint(p.columns)}, svc, true},
	} {
		cost, err := r.median(ctx, o.Runs)
		if err != nil {
			return err
		}
		got, err := decisions(r.out)
		if err != nil {
			return err
		}
		if first == nil {
			first = got
		}
		memory, otherwise := fmt.Sprint(cost.Memory>>20), "-"
		if r.printed {
			memory = "-"
		}
		if r.name != "svm-predict" {
			otherwise = fmt.Sprint(different(first, got))
		}
		fmt.Fprintf(w, "| %s | %s | %.2f | %.2f | %.0f | %s | %s |\n", name, r.name, cost.Seconds, cost.Processor,
			float64(rows)/cost.Processor, memory, otherwise)
	}
	return nil
}

// write makes the files to learn from and to predict and returns the rows of the latter.
func (p predictProblem) write(ctx context.Context, o measure.Options, at func(string) string) (int, error) {
	all := func(file, to string) ([][]byte, error) {
		if _, _, err := process.Timed(ctx, o.Program, "convert", filepath.Join(o.Data, file), "-o", to); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(to)
		return slices.Collect(bytes.Lines(text)), err
	}
	learn, err := all(p.file, at(".svm"))
	if err != nil {
		return 0, err
	}
	var test [][]byte
	if p.test != "" {
		if test, err = all(p.test, at(".svm")); err != nil {
			return 0, err
		}
	} else {
		learn, test = learn[:p.learn], learn[p.learn:]
	}
	test = slices.Repeat(test, p.times)
	err = os.WriteFile(at(".learn.svm"), bytes.Join(learn, nil), 0o600)
	if err == nil {
		err = os.WriteFile(at(".test.svm"), bytes.Join(test, nil), 0o600)
	}
	return len(test), err
}

// predictor is one program: its words, the file of its predictions, and whether it prints its own seconds.
type predictor struct {
	name    string
	words   []string
	out     string
	printed bool
}

// median is the run of the median of the processor's seconds.
func (r predictor) median(ctx context.Context, runs int) (process.Cost, error) {
	var costs []process.Cost
	for range runs {
		cost, out, err := process.Timed(ctx, r.words[0], r.words[1:]...)
		if err == nil && r.printed {
			_, err = fmt.Sscan(string(out), &cost.Seconds, &cost.Processor)
		}
		if err != nil {
			return cost, err
		}
		costs = append(costs, cost)
	}
	return measure.Median(costs, func(c process.Cost) float64 { return c.Processor }), nil
}

// decisions are the classes in a file of predictions, the first of each line; a header is left out.
func decisions(path string) ([]string, error) {
	f, err := os.Open(path) //nolint:gosec // a file of this run
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var list []string
	for s := bufio.NewScanner(f); s.Scan(); {
		class, _, _ := strings.Cut(s.Text(), ",")
		if class != "prediction" {
			list = append(list, strings.TrimPrefix(class, "+"))
		}
	}
	return list, nil
}

// different counts the rows that two programs decide otherwise.
func different(a, b []string) int {
	n := 0
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			n++
		}
	}
	return n
}
